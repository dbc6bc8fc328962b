"""Machine code made beforehand, so that the first run of a policy does not wait for it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from molokini.cycle.calling import NOT_COMPILABLE, compiled_function, in_python, nothing
from molokini.cycle.entries import entries
from molokini.policies import LoadedPolicy, load_policy, policy_names
from molokini.sim.compiled import compiled_engine


@dataclass(frozen=True)
class Piece:
    """What is compiled in one go, and kept in the cache; what is there already is only read."""

    name: str
    compile: Callable[[], object]
    """Raises NumbaError, or UnsupportedBytecodeError, for a policy that runs as plain Python."""


def pieces(names: Sequence[str] = (), folders: Sequence[Path] = ()) -> list[Piece]:
    """What runs and live servers need of the policies *names*; of all shipped ones without names.

    Raises UnknownName or BadFile.
    """
    chosen = [load_policy(name, folders) for name in names or policy_names()]
    return [
        Piece("the simulator", _compile_engine),
        Piece("the live server", entries),
        *(Piece(policy.name, _Functions(policy)) for policy in chosen),
    ]


def _compile_engine() -> None:
    for plain in (True, False):
        compiled_engine(plain)


@dataclass(frozen=True)
class _Functions:
    """The two functions of a policy, for plain replays and for all others."""

    policy: LoadedPolicy

    def __call__(self) -> None:
        for function in (self.policy.begin or nothing, self.policy.schedule):
            if in_python(function):
                continue
            for plain in (True, False):
                compiled_function(function, plain)


NOT_COMPILED = NOT_COMPILABLE
"""What ``Piece.compile`` raises where numba cannot compile a policy."""
