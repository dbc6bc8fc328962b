"""The log of choices of a policy that chooses among others: what, when, and what it expected of each."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

CHOICES = "choices"
"""Under this name the log is noted beside tables."""
STANDING = "standing-choice"
"""Under this name that of an earlier process is noted, for a policy that has no memory of it."""


@dataclass(frozen=True)
class StandingChoice:
    """What is kept of choices, so that another process goes on with them."""

    chosen: str
    """The candidate that decides, as its user wrote it."""
    wanted: str = ""
    """The one that follows once no job runs; empty: none."""
    period: float = 0.0
    """That of the last look, counted from 1; 0: there was none."""


@dataclass(frozen=True)
class ChoiceMade:
    """One look ahead and what was chosen by it."""

    at_s: float
    chosen: str
    """The candidate, as its user wrote it."""
    before: str
    """The one before; empty at the first choice."""
    costs: tuple[tuple[str, float], ...]
    """Each candidate, with what is expected of it by the objective; infinite: a job would never start."""
    jobs: int
    """Waiting jobs that were looked at."""
    reason: str

    @property
    def switched(self) -> bool:
        """Whether another candidate than before was chosen."""
        return self.chosen != self.before


def reigns(choices: Sequence[ChoiceMade], until_s: float) -> list[tuple[str, float, float]]:
    """Who decided from when until when, the last one until *until_s*."""
    switches = [one for one in choices if one.switched]
    ends_s = (
        [*(later.at_s for _, later in pairwise(switches)), max(until_s, choices[-1].at_s)] if switches else []
    )
    return [(one.chosen, one.at_s, end_s) for one, end_s in zip(switches, ends_s, strict=True)]
