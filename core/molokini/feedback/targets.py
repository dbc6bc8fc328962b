"""Targets as users write them: ``50%`` of the full rate, or ``0.5/s`` iterations a second."""

from dataclasses import dataclass

from molokini.feedback.edf import WHOLE
from molokini.model.errors import BadValue, Conflict

ALLOWED = "a share of the full rate, as 50%, or iterations a second, as 0.5/s"


@dataclass(frozen=True)
class Target:
    """One of the two."""

    share: int = 0
    """Millionths of the full rate; 0: as iterations a second."""
    a_second: float = 0.0

    def of(self, full: float) -> int:
        """Millionths of the full rate, which is *full* iterations a second or 0 where it is not known."""
        if self.share:
            return self.share
        if full <= 0:
            raise Conflict("rate", "iterations a second need the full rate; give it, or a percentage")
        return round(WHOLE * self.a_second / full)


def target_of(field: str, text: str) -> Target:
    """The target that *text* says. Raises BadValue."""
    unit = next((unit for unit in ("%", "/s") if text.endswith(unit)), "")
    try:
        value = float(text.removesuffix(unit))
    except ValueError:
        raise BadValue(field, text, ALLOWED) from None
    if not unit or not 0 < value < float("inf"):
        raise BadValue(field, text, ALLOWED)
    if unit == "/s":
        return Target(a_second=value)
    if value > 100:
        raise BadValue(field, text, "at most 100%")
    return Target(share=round(value * WHOLE / 100))
