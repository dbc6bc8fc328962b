"""What a node keeps of (period, slice) pairs, as its agent has measured or as it is assumed."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from molokini.feedback.admission import CAP
from molokini.feedback.controlling import MS, Rules
from molokini.feedback.edf import slice_of


@dataclass(frozen=True)
class Keeps:
    """What a node keeps of (period, slice) pairs: nanoseconds, and millionths of a core."""

    least_period: int = Rules.least_period
    """Periods have to be longer."""
    least_slice: int = Rules.least_slice
    share: int = CAP
    """What all tasks together may have of a core; 0: nothing that was tried is kept."""

    def lacks(self, share: int, rules: Rules) -> str:
        """Why it cannot keep *share* in the first period of *rules*, in words; empty: it can."""
        period = rules.first_period
        slice_ = slice_of(period, share)
        if self.share <= 0:
            return "has measured that it keeps no slices; start its agent again while its cores are free"
        if period <= self.least_period:
            least = self.least_period / MS
            return f"keeps periods above {least:g} ms, and not {period / MS:g} ms; give a longer period"
        if slice_ <= self.least_slice:
            least = self.least_slice / MS
            told = f"keeps slices above {least:g} ms, and not {slice_ / MS:g} ms of {period / MS:g} ms"
            return f"{told}; ask for more, or give a longer period"
        return ""


def fitted(rules: Rules, nodes: Sequence[Keeps]) -> Rules:
    """*rules* with the least period and slice that all *nodes* keep."""
    if not nodes:
        return rules
    return replace(
        rules,
        least_period=max(one.least_period for one in nodes),
        least_slice=max(one.least_slice for one in nodes),
    )
