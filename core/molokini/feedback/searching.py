"""The next period to try, where a rate is too far from its target: three rules of search.

The share of the processor always is the target; only the grain changes. Rates and targets are millionths of
the full rate, periods and slices nanoseconds.
"""

from enum import IntEnum

from molokini.compiled.compilation import kernel
from molokini.feedback.edf import WHOLE


class Search(IntEnum):
    """Rules of search."""

    SWEEP = 0
    """The paper's (section 4.2): down by a fixed step, from the least period back to the first."""
    HALVING = 1
    """Half of the way to the least period each time; back to the first when the way is shorter than a
    step."""
    MODEL = 2
    """As far as makes the error half of the threshold, if errors grow as periods do."""


@kernel
def is_too_short(period: int, target: int, least_period: int, least_slice: int) -> bool:
    """Whether a node cannot keep *period*, or the slice that *target* gives of it."""
    return period <= least_period or period * target // WHOLE <= least_slice


@kernel
def stepped_down(search: int, period: int, error: int, threshold: int, step: int, least_period: int) -> int:
    """The next period by the rule *search*, which may be too short."""
    if search == Search.HALVING:
        return period - (period - least_period) // 2 if (period - least_period) // 2 >= step else 0
    if search == Search.MODEL:
        wished = period * threshold // (2 * max(1, abs(error)))
        return min(period - step, wished // step * step)
    return period - step


@kernel
def next_period(
    search: int,
    period: int,
    error: int,
    target: int,
    threshold: int,
    first: int,
    step: int,
    least_period: int,
    least_slice: int,
) -> int:
    """The period to try now; the first one where the next would be too short for a node."""
    found = stepped_down(search, period, error, threshold, step, least_period)
    if is_too_short(found, target, least_period, least_slice):
        return first
    return found


@kernel
def most_steps(first: int, step: int, least_period: int) -> int:
    """Steps after which a search has seen everything between the first period and the least."""
    return -(-(first - least_period) // step)


class Verdict(IntEnum):
    """What a report means."""

    WITHIN = 0
    STEP = 1
    """Too far off: try the next period."""
    GIVE_UP = 2
    """Too far off after a whole search: not reachable at this share."""
    NOTHING = 3
    """Too far off, and known not to be reachable."""


@kernel
def judged(rate: int, target: int, threshold: int, steps: int, most: int, stuck_at: int) -> int:
    """A ``Verdict`` on *rate*.

    *steps*: since the rate was within the threshold, or the target changed; *most*: those of a whole search.
    *stuck_at*: the rate at which the search was given up, or -1; it begins again when the rate has moved by
    more than the threshold.
    """
    if abs(rate - target) <= threshold:
        return Verdict.WITHIN.value
    if stuck_at >= 0:
        if abs(rate - stuck_at) <= threshold:
            return Verdict.NOTHING.value
        return Verdict.STEP.value
    if steps >= most:
        return Verdict.GIVE_UP.value
    return Verdict.STEP.value
