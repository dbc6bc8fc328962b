"""The policies among which ``adaptive`` chooses, as a user writes them: ``fcfs,easy:order=shortest``."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from molokini.compiled.structs import Floats
from molokini.model.errors import BadValue, UnknownName
from molokini.model.policy import Value
from molokini.policies import LoadedPolicy, load_policy

BATCH = ("conservative", "easy", "easy-depth", "fcfs", "firstfit", "ljf", "sjf")
"""Policies that give a job its processors for good: a pass of one may follow a pass of another."""
MOST = 16
"""Candidates in one list."""
ALLOWED = (
    f"from 2 to {MOST} of {', '.join(BATCH)}, separated by commas, each once, with parameters as in "
    "easy:order=shortest"
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


@lru_cache(maxsize=64)
def candidates_of(text: str) -> tuple[Candidate, ...]:
    """The candidates that *text* lists. Raises UnknownName or BadValue."""
    texts = [one.strip() for one in text.split(",") if one.strip()]
    if not 2 <= len(texts) <= MOST or len(set(texts)) < len(texts):
        raise BadValue("candidates", text, ALLOWED)
    return tuple(map(_candidate, texts))


def counts(text: str) -> bool:
    """Whether one of the candidates takes no job that wishes for nodes, memory or features."""
    return any(one.policy.declaration.counts(one.values) for one in candidates_of(text))


def _candidate(text: str) -> Candidate:
    name, *settings = text.split(":")
    if name not in BATCH:
        raise UnknownName("candidate", name, BATCH)
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
    return Candidate(text, policy, values, vector if vector.size else np.zeros(1))
