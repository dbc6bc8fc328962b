"""Maps: where a claim holds along what its paper does not print.

A study may name axes of its own. Beside them every claim that is not met is judged again over those cases
alone that share a parameter: so a page can say "holds for load 0.7 and 0.9" and not only "contradicted".
"""

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, fields
from typing import Any

from molokini.studies.claims import Claim, Finding, Verdict, untestable
from molokini.studies.results import NotRun, Results

_MOST_VALUES = 12
"""Of a parameter; what has more is no axis."""
_MET = (Verdict.HOLDS, Verdict.UNTESTABLE)


@dataclass(frozen=True)
class Map:
    """One claim along one axis: a parameter that is not printed, or a reading."""

    claim: str
    """The claim's name."""
    axis: str
    """What changes, with its unit."""
    points: Sequence[tuple[str, Callable[[Results], Finding]]]
    """Its values in words, in order, and the claim at each."""

    def drawn(self, results: Results) -> "Drawn":
        """The verdict at every value."""
        return Drawn(
            self.claim, self.axis, [(label, _judged(check, results)) for label, check in self.points]
        )


@dataclass(frozen=True)
class Drawn:
    """A map with its verdicts."""

    claim: str
    axis: str
    found: Sequence[tuple[str, Finding]]

    def __str__(self) -> str:
        """Where the claim holds, in words."""
        held, shape = (
            [label for label, one in self.found if one.verdict is verdict]
            for verdict in (Verdict.HOLDS, Verdict.IN_SHAPE)
        )
        if len(held) == len(self.found):
            return "holds everywhere"
        parts = [f"holds for {', '.join(held)}" if held else "holds nowhere"]
        if shape:
            parts.append(f"in shape for {', '.join(shape)}")
        return "; ".join(parts)

    def as_dict(self) -> dict[str, Any]:
        """Ready for JSON."""
        points = [{"at": label, "verdict": str(one.verdict), "why": one.why} for label, one in self.found]
        return {"claim": self.claim, "axis": self.axis, "told": str(self), "points": points}


def all_maps(
    own: Sequence[Map], claims: Sequence[Claim], cases: Sequence[Hashable], results: Results
) -> list[Drawn]:
    """The maps that a study names, then one for each parameter over which the verdict of a claim changes.

    A claim that is met, or cannot be tested, has none; one that can be judged at less than two values
    neither.
    """
    found = [one.drawn(results) for one in own]
    named = {one.claim for one in own}
    axes = _axes(cases)
    for claim in claims:
        if claim.name in named or claim.judged(results).verdict in _MET:
            continue
        for axis, values in axes.items():
            drawn = Drawn(claim.name, axis, _along(claim, axis, values, results))
            if len(drawn.found) > 1 and len({one.verdict for _, one in drawn.found}) > 1:
                found.append(drawn)
    return found


def _axes(cases: Sequence[Hashable]) -> dict[str, list[Any]]:
    """The values of each parameter of the cases, where it has a few."""
    found: dict[str, list[Any]] = {}
    for case in cases:
        for field in fields(case):  # type: ignore[arg-type]
            values = found.setdefault(field.name, [])
            value = getattr(case, field.name)
            if value not in values:
                values.append(value)
    return {name: values for name, values in found.items() if 1 < len(values) <= _MOST_VALUES}


def _along(claim: Claim, axis: str, values: Sequence[Any], results: Results) -> list[tuple[str, Finding]]:
    found = []
    for value in values:
        part = results.where(lambda case, value=value: getattr(case, axis, value) == value)  # type: ignore[misc]
        one = _judged(claim.check, part)
        if one.verdict is not Verdict.UNTESTABLE:
            found.append((_named(value), one))
    return found


def _named(value: Any) -> str:
    """A value in words; a log by its machine."""
    return (
        f"{value:g}"
        if isinstance(value, float)
        else value
        if isinstance(value, str)
        else str(getattr(value, "title", value))
    )


def _judged(check: Callable[[Results], Finding], results: Results) -> Finding:
    try:
        return check(results)
    except NotRun as missing:
        return untestable(str(missing))
    except (ValueError, ZeroDivisionError, IndexError, StopIteration):
        return untestable("nothing is left to compare")
