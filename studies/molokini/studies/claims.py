"""Claims as data: what a paper says, where, and a function that holds it against our results."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any

from molokini.studies.results import Interval, NotRun, Results


class Verdict(StrEnum):
    """What became of a claim; ``rule`` says which it is, and docs/studies/verdicts.md why."""

    HOLDS = "holds"
    IN_SHAPE = "holds in shape"
    """The tendency is there; a figure, or a word like *always*, is not."""
    CONTRADICTED = "contradicted"
    """The interval excludes what is claimed."""
    UNDECIDED = "undecided"
    """The interval holds what is claimed and its contrary: more seeds, or longer runs, would tell."""
    UNTESTABLE = "cannot be tested"
    """Nothing was compared, the input is not at hand, or it is a property of our stand-in."""


@dataclass(frozen=True)
class Figure:
    """A number that the paper prints, and ours."""

    name: str
    published: float | None
    """None where the paper prints none: it may say only which of two is larger."""
    ours: Interval


@dataclass(frozen=True)
class Finding:
    """A verdict and what it rests on, in words and figures."""

    verdict: Verdict
    why: str
    figures: Sequence[Figure] = ()
    exact: bool = False
    """Whether it was computed or counted, and needs no interval."""


@dataclass(frozen=True)
class Claim:
    """One sentence of a paper, in our words."""

    name: str
    place: str
    """Section and figure or table."""
    text: str
    check: "Check"
    readings: "Mapping[str, Check]" = field(default_factory=dict)
    """Where the paper leaves something open: every reading of it by name; the first is the verdict's."""

    def judged(self, results: Results) -> Finding:
        """What *results* say of it; what was not run cannot be tested."""
        try:
            found = self.check(results)
        except NotRun as missing:
            return untestable(str(missing))
        if len(results.seeds) > 1 or found.exact or found.verdict in (Verdict.UNTESTABLE, Verdict.UNDECIDED):
            return found
        return replace(found, verdict=Verdict.UNDECIDED, why=f"{found.why}; one seed has no interval")

    def under_each(self, results: Results) -> dict[str, Finding]:
        """What *results* say under every reading, by name."""
        return {name: replace(self, check=check).judged(results) for name, check in self.readings.items()}


Check = Callable[[Results], Finding]


class Claims:
    """The claims of a study in the order in which their checks are defined, each beside its check."""

    def __init__(self) -> None:
        self.made: list[Claim] = []

    def __call__(
        self, name: str, place: str, text: str, by: Iterable[Any] = ()
    ) -> Callable[[Callable[..., Finding]], Callable[..., Finding]]:
        """Make the function below a claim's check; *by*: readings; it takes one of them, too."""

        def claimed(check: Callable[..., Finding]) -> Callable[..., Finding]:
            readings = {str(one): _under(check, one) for one in by}
            self.made.append(Claim(name, place, text, next(iter(readings.values()), check), readings))
            return check

        return claimed

    def given(self, more: Any) -> list[Claim]:
        """The claims, whose checks take *more* behind the results."""
        return [replace(one, check=_under(one.check, more)) for one in self.made]


def _under(check: Callable[..., Finding], reading: Any) -> Check:
    return lambda results: check(results, reading)


def untestable(why: str) -> Finding:
    """A claim that needs what we do not have."""
    return Finding(Verdict.UNTESTABLE, why)


def open_claim(name: str, place: str, text: str, why: str) -> Claim:
    """A claim that no results can settle, because of *why*."""
    return Claim(name, place, text, lambda _: untestable(why))
