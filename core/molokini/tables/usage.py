"""What active jobs are charged: usage of each credential by windows of time, for fairshare.

Jackson, Snell and Clement, JSSPP 2001, section 6.1. Maui adds at each iteration what has passed since the
last; here a credential has a rate that changes when its jobs start, end, are suspended or resume, so that
the charge is exact whatever the iterations, and follows from the facts alone. Windows begin at whole
multiples of their length on the scheduling clock.
"""

import numpy as np

from molokini.compiled.compilation import kernel, seldom
from molokini.tables.requests import processor_equivalents
from molokini.tables.sizes import USAGE_WINDOWS
from molokini.tables.tables import NEVER, Tables

NOTHING = 0
DEDICATED_PROCESSORS = 1
DEDICATED_EQUIVALENTS = 2
UTILIZED_PROCESSORS = 3
"""Charged by the rate of the job's work: of two jobs that share a processor each is charged its part."""


def charge_as(t: Tables, charging: int, interval_s: float, now: float) -> None:
    """From *now* on charge active jobs by the rule *charging*, in windows of *interval_s*.

    Usage in windows of another length is forgotten, as it says nothing about the new windows.
    """
    if (charging, interval_s) == (t.usage.charging, t.usage.interval_s):
        return
    active = [int(row) for row in t.queue.running[: t.queue.running_count]]
    for row in active:
        if t.usage.charging:
            charge_no_more(t, row, now)
    if interval_s != t.usage.interval_s:
        t.usage.windows[:] = 0.0
        t.usage.settled_s[:] = -NEVER
    t.usage.charging, t.usage.interval_s = charging, interval_s
    for row in active:
        if charging:
            charge(t, row, now)


@kernel
def charge(t: Tables, row: int, now: float) -> None:
    """Charge the job of *row*, which runs from *now* on, to its credential."""
    seldom()
    rate = (
        processor_equivalents(t, row)
        if t.usage.charging == DEDICATED_EQUIVALENTS
        else float(t.jobs.width[row])
    )
    if t.jobs.held[row] > t.jobs.width[row]:
        rate = max(rate, float(t.jobs.held[row]))
    if t.usage.charging == UTILIZED_PROCESSORS:
        rate *= t.jobs.rate[row]
    _change_rate(t, row, now, rate)


@kernel
def charge_no_more(t: Tables, row: int, now: float) -> None:
    """The job of *row* runs no longer."""
    seldom()
    _change_rate(t, row, now, 0.0)


@kernel
def _change_rate(t: Tables, row: int, now: float, rate: float) -> None:
    credential = t.jobs.credential[row]
    settle(t, credential, now)
    t.usage.rate[credential] += rate - t.jobs.charged[row]
    t.jobs.charged[row] = rate


@kernel
def window_of(t: Tables, at_s: float) -> float:
    """The number of the window in which *at_s* lies."""
    return float(np.floor(at_s / t.usage.interval_s))


@kernel
def settle(t: Tables, credential: int, now: float) -> None:
    """Write down what *credential* has been charged up to *now*, window by window."""
    settled_s, rate = t.usage.settled_s[credential], t.usage.rate[credential]
    if settled_s == -NEVER:
        t.usage.settled_s[credential] = now
        return
    window, last = window_of(t, settled_s), window_of(t, now)
    if last - window > USAGE_WINDOWS + 1:
        # Usage that lies farther back is forgotten anyhow.
        window = last - USAGE_WINDOWS - 1
        settled_s = max(settled_s, window * t.usage.interval_s)
    while window < last:
        window += 1.0
        begin_s = window * t.usage.interval_s
        t.usage.windows[credential, 0] += rate * (begin_s - settled_s)
        settled_s = begin_s
        _roll(t, credential)
    t.usage.windows[credential, 0] += rate * (now - settled_s)
    t.usage.settled_s[credential] = now


@kernel
def _roll(t: Tables, credential: int) -> None:
    """A window begins. From the oldest down: the loop that the paper prints would copy the first into all."""
    for k in range(USAGE_WINDOWS - 1, 0, -1):
        t.usage.windows[credential, k] = t.usage.windows[credential, k - 1]
    t.usage.windows[credential, 0] = 0.0


@kernel
def present_usage(t: Tables, credential: int, now: float) -> float:
    """What *credential* has been charged in the window of *now*, up to *now*."""
    settled_s = t.usage.settled_s[credential]
    if window_of(t, settled_s) == window_of(t, now):
        return float(t.usage.windows[credential, 0] + t.usage.rate[credential] * (now - settled_s))
    if t.usage.rate[credential] == 0.0:
        return 0.0
    return float(t.usage.rate[credential] * (now - window_of(t, now) * t.usage.interval_s))


@kernel
def past_usage(t: Tables, credential: int, window: float, depth: int, decay: float) -> float:
    """Usage of the *depth* - 1 windows before *window*, each counted *decay* times the one after it."""
    settled_s, rate = t.usage.settled_s[credential], t.usage.rate[credential]
    if settled_s == -NEVER:
        return 0.0
    settled = window_of(t, settled_s)
    total, factor = 0.0, 1.0
    for k in range(1, depth):
        factor *= decay
        at = window - k
        if at < settled and settled - at < USAGE_WINDOWS:
            total += factor * t.usage.windows[credential, int(settled - at)]
        elif at == settled:
            rest_s = (at + 1.0) * t.usage.interval_s - settled_s
            total += factor * (t.usage.windows[credential, 0] + rate * rest_s)
        elif at > settled:
            total += factor * rate * t.usage.interval_s
    return total
