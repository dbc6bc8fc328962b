"""What a study is: which cases are run and how, what the paper claims of them, and what is shown.

A study says nothing about processes, files or formats; the other modules here do that for all of them.
"""

import dataclasses
import hashlib
import json
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Protocol, TypeAlias

from molokini.studies.claims import Claim
from molokini.studies.log_files import Log
from molokini.studies.maps import Map
from molokini.studies.results import Results
from molokini.studies.shown import Picture, Table

Row: TypeAlias = Mapping[str, float | int | None]
"""What a run measured, by metric; finite, and None where undefined."""


MOST_SEEDS = 1000
"""More seeds than that are of no use, as a rule."""


class Case(Protocol):
    """The parameters of a run but for its seed: a frozen dataclass of plain values, equal where they are."""

    __dataclass_fields__: ClassVar[dict[str, Any]]

    def __hash__(self) -> int: ...


@dataclass(frozen=True)
class Size:
    """How much of a study is run."""

    name: str
    seeds: int
    """Runs of each case, with seeds 1 and up."""
    length: float
    """The length of each run as a share of the full one, in (0, 1]."""

    def as_dict(self) -> dict[str, Any]:
        """Ready for JSON."""
        return dataclasses.asdict(self)


@dataclass(frozen=True)
class Point:
    """One run: what its row depends on, beside the code."""

    case: Case
    seed: int
    length: float

    def as_dict(self) -> dict[str, Any]:
        """Ready for JSON; the same for equal points alone."""
        return {
            "kind": type(self.case).__name__,
            "case": dataclasses.asdict(self.case),
            "seed": self.seed,
            "length": self.length,
        }

    @property
    def key(self) -> str:
        """The point as text."""
        return canonical(self.as_dict())


ENGINE = (
    "molokini.sim",
    "molokini.compiled",
    "molokini.tables",
    "molokini.availability",
    "molokini.cycle",
    "molokini.shared",
    "molokini.workloads",
    "molokini.studies.replays",
)
"""What rows of replays depend on, beside policies and the study's own modules (``sources``)."""


def _nothing(case: Case) -> Hashable:
    return case


@dataclass(frozen=True, kw_only=True)
class Study:
    """A paper's experiments, as data and three functions."""

    name: str
    title: str
    paper: str
    """Authors, title, where it appeared."""
    summary: str
    """What is studied, and on what model: a paragraph for a reader who does not have the paper."""
    cases: Callable[[], Sequence[Case]]
    run: Callable[[Point], Row]
    """The row of a point; a function of the point alone, seeded by it."""
    prepare: Callable[[], None]
    """Called once before the first run, in the process whose copies run: compile here."""
    sources: Sequence[str]
    """Modules and packages whose code decides what a row holds; a change of theirs makes rows stale."""
    claims: Sequence[Claim]
    pictures: Callable[[Results], Sequence[Picture]]
    tables: Callable[[Results], Sequence[Table]]
    length: str
    """What a run's full length is, with its unit."""
    shares: Callable[[Case], Hashable] = _nothing
    """Cases that are equal in this are run together, seed by seed: they may share what is costly."""
    in_short: Sequence[str] = ()
    """What holds, what does not, and what to learn of it: some sentences on top of the page."""
    readings: Sequence[str] = ()
    """What the paper leaves open, how it was read, and where we differ."""
    before: tuple[int, int, int, int] | None = None
    """What was counted before there was one rule: holds, in shape, does not hold, cannot be tested."""
    maps: Sequence[Map] = ()
    """Where claims hold along what the paper does not print; drawn where they are asked for."""
    over: "Callable[[Path], Study] | None" = None
    """The same study on the logs of a folder; None where it is about none."""
    inputs: "Sequence[Log]" = ()
    """The logs of that folder, by name and digest."""
    full: Size = Size("full", 10, 1.0)
    quick: Size = Size("quick", 3, 0.02)
    usual: Size | None = None
    """What is run where neither is asked for; None: the full one, which takes no longer than it is worth."""

    def points(self, size: Size) -> list[Point]:
        """Every run of this size, once; what shares something together."""
        groups: dict[Hashable, list[Case]] = {}
        for case in dict.fromkeys(self.cases()):
            groups.setdefault(self.shares(case), []).append(case)
        seeds = range(1, size.seeds + 1)
        return [
            Point(case, seed, size.length) for cases in groups.values() for seed in seeds for case in cases
        ]


def canonical(value: Any) -> str:
    """JSON with sorted keys and no room: the same text for the same value."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False)


def seed_for(*parts: Any) -> int:
    """A seed (63 bits) for whatever *parts* name: the same on every machine, unlike for other parts.

    Runs that are to see the same random numbers take it from the same parts.
    """
    digest = hashlib.sha256(canonical(parts).encode()).digest()
    return int.from_bytes(digest[:8], "big") >> 1
