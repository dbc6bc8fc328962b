"""When a site's own backfill passes were made, as far as its records of starts tell.

Passes come an interval apart, so starts by them fall into the same second of each interval as long as passes
take no time to speak of and nothing restarts the timer. Where they do, the share of that second says so.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from molokini.model.decisions import StartedBy

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
_SECOND_S = 1.0


@dataclass(frozen=True)
class RecordedBackfill:
    """The second of each interval into which most starts by backfill fall."""

    interval_s: float
    starts: int
    """By backfill, in the records."""
    second_s: float
    """From the first event on, within the interval."""
    share: float
    """Of those starts: how many fall into that second."""

    @property
    def phase_s(self) -> float:
        """The phase of a timer that looks in the middle of that second."""
        return self.second_s + _SECOND_S / 2 - self.interval_s

    @property
    def document(self) -> dict[str, Any]:
        """As results for machines have it."""
        return {
            "interval_s": self.interval_s,
            "starts": self.starts,
            "second_s": self.second_s,
            "share": self.share,
            "phase_s": self.phase_s,
        }


def recorded_backfill(
    start_s: Floats, started_by: Ints, first_s: float, interval_s: float
) -> RecordedBackfill | None:
    """What *start_s*, whole seconds, tell of passes each *interval_s*; None: no start came by backfill.

    *first_s* is the first event of the log, from which the phase counts.
    """
    of_backfill = start_s[(started_by == StartedBy.BACKFILL) & np.isfinite(start_s)]
    if interval_s < _SECOND_S or of_backfill.size == 0:
        return None
    seconds, counts = np.unique(np.floor((of_backfill - first_s) % interval_s), return_counts=True)
    most = int(np.argmax(counts))
    return RecordedBackfill(
        interval_s, int(of_backfill.size), float(seconds[most]), float(counts[most] / of_backfill.size)
    )
