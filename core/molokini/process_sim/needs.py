"""What a local policy needs beside its function: parameters that a user sets, and columns of its own.

A policy's file says so in one value, ``NEEDS``. Parameters are whole numbers to the policy, which reads
them by their place (``world.own.given[0]``): nanoseconds, counts, 0 or 1, a choice by its place, or a
share in millionths. Columns are ``world.own.procs[p, k]``, ``.cpus[cpu, k]``, ``.jobs[job, k]`` and
``.cluster[k]``, all 0 at the beginning.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from molokini.model.errors import BadValue, UnknownName
from molokini.process_sim.keys import MOST_NS, duration
from molokini.process_sim.scenario import shown

MILLION = 1_000_000


@dataclass(frozen=True)
class Parameter:
    """One parameter of a policy."""

    name: str
    default: int
    help: str
    parsed: Callable[[object], int | None]
    allowed: str
    told: Callable[[int], str] = str

    def value_of(self, where: str, given: object) -> int:
        """The number that *given* says. Raises BadValue."""
        found = self.parsed(given)
        if found is None:
            raise BadValue(where, given, self.allowed)
        return found


@dataclass(frozen=True)
class Needs:
    """What a policy needs: numbers of columns, and its parameters in their order."""

    parameters: Sequence[Parameter] = ()
    process: int = 0
    cpu: int = 0
    job: int = 0
    cluster: int = 0
    logs: bool = False
    """The reports of iterations are written down (``Own.log``)."""
    stamps: bool = False
    """Messages carry a byte, the sender's status word (``stamps``)."""

    def values(self, where: str, given: Mapping[str, object]) -> tuple[int, ...]:
        """The values of all parameters, defaults included. Raises BadValue, or UnknownName for others."""
        known = [one.name for one in self.parameters]
        for name in given:
            if name not in known:
                raise UnknownName(f"parameter of {where}", name, known)
        return tuple(
            one.value_of(f"{where}.{one.name}", given[one.name]) if one.name in given else one.default
            for one in self.parameters
        )

    def told(self, values: Sequence[int]) -> dict[str, str]:
        """Values by name, as a user would write them."""
        return {
            one.name: one.told(value)
            for one, value in zip(self.parameters, values or self.defaults, strict=True)
        }

    @property
    def defaults(self) -> tuple[int, ...]:
        """What is not given."""
        return tuple(one.default for one in self.parameters)


def time(name: str, default: int, help_: str, low: int = 1000, high: int = MOST_NS) -> Parameter:
    """A duration, ns."""

    def parsed(given: object) -> int | None:
        found = duration(given)
        return found if found is not None and low <= found <= high else None

    most = "300 days" if high == MOST_NS else shown(high)
    allowed = f"a duration from {shown(low)} to {most}, as '200us', '1.5ms' or '2min'"
    return Parameter(name, default, help_, parsed, allowed, shown)


def whole(name: str, default: int, help_: str, low: int, high: int) -> Parameter:
    """A whole number."""

    def parsed(given: object) -> int | None:
        try:
            found = int(given) if isinstance(given, str) else given
        except ValueError:
            return None
        plain = isinstance(found, int) and not isinstance(found, bool)
        return found if plain and isinstance(found, int) and low <= found <= high else None

    return Parameter(name, default, help_, parsed, f"a whole number from {low:,} to {high:,}")


def flag(name: str, default: bool, help_: str) -> Parameter:
    """True (1) or false (0)."""
    words: Mapping[object, int] = {"true": 1, "yes": 1, "1": 1, "false": 0, "no": 0, "0": 0}

    def parsed(given: object) -> int | None:
        return int(given) if isinstance(given, bool) else words.get(given) if isinstance(given, str) else None

    return Parameter(
        name, int(default), help_, parsed, "true or false", lambda value: str(bool(value)).lower()
    )


def choice(name: str, choices: Sequence[str], help_: str) -> Parameter:
    """One of *choices*, by its place; the first is the default."""

    def parsed(given: object) -> int | None:
        return choices.index(given) if isinstance(given, str) and given in choices else None

    return Parameter(name, 0, help_, parsed, f"one of {', '.join(choices)}", lambda value: choices[value])


def share(name: str, default: float, help_: str, low: float = 0.0, high: float = 1.0) -> Parameter:
    """A number, in millionths."""

    def parsed(given: object) -> int | None:
        try:
            found = float(given) if isinstance(given, str | float | int) else None
        except ValueError:
            return None
        if found is None or isinstance(given, bool) or not low <= found <= high:
            return None
        return round(found * MILLION)

    return Parameter(
        name,
        round(default * MILLION),
        help_,
        parsed,
        f"a number from {low:g} to {high:g}",
        lambda value: f"{value / MILLION:g}",
    )
