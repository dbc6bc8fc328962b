"""What a worker of Dask does: it takes a function once, and calls it with items.

A worker may be of another version than the one who asks, or may have joined later: it looks itself.
"""

import pickle
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from molokini.model.version import version
from molokini.parallel.code import code_key
from molokini.parallel.guarding import Failure

SOURCES = (
    *("molokini.model", "molokini.compiled", "molokini.applications", "molokini.tables"),
    *("molokini.availability", "molokini.cycle", "molokini.matrix", "molokini.shared", "molokini.feedback"),
    *("molokini.policy", "molokini.policies", "molokini.choosing"),
    *("molokini.workloads", "molokini.accounting", "molokini.sim", "molokini.metrics"),
)
"""What decides a result of a replay."""
_CALLED = ("molokini.experiments", "molokini.studies", "molokini.parallel")
"""What workers call, too."""
_KEPT = 4
"""Functions that a worker keeps: those of sweeps that run at the same time."""


@dataclass(frozen=True)
class Edition:
    """Which Molokini this is."""

    version: str
    code: str

    def __str__(self) -> str:
        return f"{self.version} (code {self.code})"


@lru_cache(maxsize=1)
def edition() -> Edition:
    """The one of this process."""
    return Edition(version(), code_key((*SOURCES, *_CALLED)))


@lru_cache(maxsize=1)
def code_of_rows() -> str:
    """The key of the code that decides the row of a replay."""
    return code_key(SOURCES)


@dataclass(frozen=True)
class Shipped:
    """A function on its way to workers, which get it once each."""

    name: str
    """The same for the same function."""
    pickled: bytes
    edition: Edition


_functions: dict[str, Callable[[Any], Any]] = {}


def call(shipped: Shipped, item: Any) -> Any:
    """What the function makes of *item*; a ``Failure`` where this worker cannot call it."""
    if shipped.name not in _functions:
        mine = edition()
        if mine != shipped.edition:
            return Failure(
                f"a Dask worker has Molokini {mine}, and this command {shipped.edition}; install the same",
                1,
            )
        while len(_functions) >= _KEPT:
            del _functions[next(iter(_functions))]
        _functions[shipped.name] = pickle.loads(shipped.pickled)
    return _functions[shipped.name](item)
