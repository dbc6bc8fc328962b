"""Which part of a replay counts: ``--from``, ``--to``, ``--warm-up`` and ``--cool-down``.

The whole workload is replayed. Metrics, intervals, comparisons and pictures are about the jobs that were
submitted within the part, and about what the machine did in it: the first jobs met an empty machine, and
after the last arrival the machine runs dry, which says nothing about a policy.
"""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from molokini.experiments.asked import Measured
from molokini.model.dates import of_log, second_of
from molokini.model.errors import BadInput, BadValue
from molokini.model.text import counted_text
from molokini.sim.schedule import ALL_TIME
from molokini.workloads.calendar import log_clock
from molokini.workloads.workload import Workload


@dataclass(frozen=True)
class Counted:
    """The part that counts: two instants of the log's clock, or dates, and jobs left out at both ends."""

    from_s: float | str | None = None
    to_s: float | str | None = None
    warm_up: str | None = None
    cool_down: str | None = None

    def part(self) -> dict[str, Any]:
        """What results say of it, as given; nothing where everything counts."""
        given = {
            "from_s": self.from_s,
            "to_s": self.to_s,
            "warm_up": self.warm_up,
            "cool_down": self.cool_down,
        }
        return {name: value for name, value in given.items() if value is not None}

    def told(self) -> str:
        """The same for headings."""
        return counted_text(self.part())

    def window(self, workload: Workload) -> tuple[float, float]:
        """The instants between which a job of *workload* must be submitted to count.

        Raises BadInput where no job is.
        """
        if not self.part():
            return ALL_TIME
        submit_s = np.sort(workload.submit_s)
        clock = log_clock(workload.header)
        first = -math.inf if self.from_s is None else second_of("--from", self.from_s, clock)
        last = math.inf if self.to_s is None else second_of("--to", self.to_s, clock)
        if last <= first:
            raise _no_time(self.from_s, self.to_s)
        left_out = _jobs(self.warm_up, submit_s.size), _jobs(self.cool_down, submit_s.size)
        if sum(left_out) < submit_s.size:
            if left_out[0]:
                first = max(first, float(submit_s[left_out[0]]))
            if left_out[1]:
                last = min(last, float(submit_s[submit_s.size - left_out[1]]))
        if sum(left_out) >= submit_s.size or not np.any((submit_s >= first) & (submit_s < last)):
            raise BadInput(
                f"{workload.name}: no job of {submit_s.size:,} is left ({self.told()}); they are "
                f"submitted from {_instant(submit_s, 0)} to {_instant(submit_s, -1)} s of the log's clock"
            )
        return first, last


def counted_part(asked: Measured) -> Counted:
    """The part that is asked for. Raises BadValue for what is no instant, number or share."""
    from_s = None if asked.from_s is None else of_log("--from", asked.from_s)
    to_s = None if asked.to_s is None else of_log("--to", asked.to_s)
    if isinstance(from_s, float) and isinstance(to_s, float) and to_s <= from_s:
        raise _no_time(from_s, to_s)
    for option, text in {"--warm-up": asked.warm_up, "--cool-down": asked.cool_down}.items():
        _share(option, text)
    return Counted(from_s, to_s, asked.warm_up, asked.cool_down)


def _no_time(from_s: float | str | None, to_s: float | str | None) -> BadValue:
    """There is nothing between the two."""
    first = f"{from_s:.15g}" if isinstance(from_s, float) else from_s
    return BadValue("--to", to_s, f"later than --from {first}")


def _share(option: str, text: str | None) -> tuple[float, bool]:
    """The number in *text*, and whether it is percent."""
    if text is None:
        return 0.0, False
    wanted = "a number of jobs (2000), or a share of them from 0% to below 100% (5%)"
    percent = text.endswith("%")
    try:
        value = float(text.removesuffix("%")) if percent else float(int(text))
    except ValueError:
        raise BadValue(option, text, wanted) from None
    if not 0 <= value < (100.0 if percent else 2.0**53):
        raise BadValue(option, text, wanted)
    return value, percent


def _jobs(text: str | None, jobs: int) -> int:
    value, percent = _share("", text)
    return int(value * jobs / 100.0) if percent else int(value)


def _instant(submit_s: np.typing.NDArray[np.float64], at: int) -> str:
    return f"{float(submit_s[at]):.15g}" if submit_s.size else "0"
