"""The policies among which ``adaptive`` chooses, as a user writes them: ``fcfs,easy:order=shortest``."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

import numpy as np

from molokini.compiled.structs import Floats
from molokini.model.errors import BadInput, BadValue, UnknownName
from molokini.model.policy import Value
from molokini.policies import LoadedPolicy, load_policy
from molokini.policies.divisible import POLICIES as DIVISIBLE


class Family(StrEnum):
    """How a policy gives jobs their processors; between two families there is no change while jobs run."""

    BATCH = "batch"
    """For good, and no other job has them meanwhile."""
    ROWS = "rows"
    """In turns: rows of a matrix, in which each job keeps its columns."""
    LOADS = "loads"
    """As many as a divisible load needs until its deadline."""


NAMES = {
    Family.BATCH: ("conservative", "easy", "easy-depth", "fcfs", "firstfit", "ljf", "sjf"),
    Family.ROWS: ("bgs", "gs"),
    Family.LOADS: tuple(one.name for one in DIVISIBLE),
}
"""Policies of which a pass of one may follow a pass of another of its family."""
_FAMILY = {name: family for family, names in NAMES.items() for name in names}
MOST = 16
"""Candidates in one list."""
ALLOWED = (
    f"from 2 to {MOST} of {', '.join((*NAMES[Family.BATCH], *NAMES[Family.ROWS]))}, or of those for "
    "divisible loads, separated by commas, each once, with parameters as in easy:order=shortest"
)


@dataclass(frozen=True, eq=False)
class Candidate:
    """A policy with the values of its parameters."""

    text: str
    """As the user wrote it."""
    policy: LoadedPolicy
    values: Mapping[str, Value]
    vector: Floats
    """What its functions read as ``view.parameters``."""
    family: Family


@lru_cache(maxsize=64)
def candidates_of(text: str) -> tuple[Candidate, ...]:
    """The candidates that *text* lists. Raises UnknownName, BadValue or BadInput."""
    texts = [one.strip() for one in text.split(",") if one.strip()]
    if not 2 <= len(texts) <= MOST or len(set(texts)) < len(texts):
        raise BadValue("candidates", text, ALLOWED)
    among = tuple(map(_candidate, texts))
    if len({one.family is Family.LOADS for one in among}) > 1:
        raise BadInput(f"candidates: {text}: policies for divisible loads do not go with others")
    rows = {one.policy.declaration.rows(one.vector.tolist()) for one in among if one.family is Family.ROWS}
    if len(rows) > 1:
        raise BadInput(f"candidates: {text}: policies of rows must have the same rows (mpl, quantum_s...)")
    return among


def by_overhead(among: Sequence[Candidate]) -> tuple[int, int]:
    """Of *among* the places of the first that plans in the order EDF, and in MWF. Raises LookupError."""
    names = [one.policy.name for one in among]
    orders = [name.partition("-")[0] if _FAMILY[name] is Family.LOADS else "" for name in names]
    if not {"edf", "mwf"} <= set(orders):
        raise LookupError("there is no policy of each order")
    return orders.index("edf"), orders.index("mwf")


def _candidate(text: str) -> Candidate:
    name, *settings = text.split(":")
    if name not in _FAMILY:
        raise UnknownName("candidate", name, _FAMILY)
    given = {}
    for setting in settings:
        key, equals, value = setting.partition("=")
        if not equals or not key or key in given:
            raise BadValue("candidates", text, ALLOWED)
        given[key] = value
    policy = load_policy(name)
    values = policy.declaration.values(given)
    vector = np.array(policy.declaration.vector(values), dtype=np.float64)
    # A field of no elements has no address.
    return Candidate(text, policy, values, vector if vector.size else np.zeros(1), _FAMILY[name])
