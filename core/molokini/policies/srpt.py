"""Shortest remaining processing time: at each pass the jobs with least left to do have the machine.

Harchol-Balter, Bansal, Schroeder, Agrawal (JSSPP 2001) for one server; here for parallel jobs: in order
of remaining estimate each unfinished job that fits gets its processors, the others are passed over, and
running jobs that are left out are suspended. Promises that no job runs or starts while a job with less
left, that would fit in its place, stands still.

With ``levels`` it is their approximation in K bands of priority (section 3; the thresholds are not printed):
a job is in the band of its remaining estimate, and moves up as that falls below a threshold; bands have the
machine in order, and inside the first that does not fit as a whole all jobs share what is left at one rate.
"""

from molokini.policy import (
    JobState,
    Numbers,
    Parameters,
    Policy,
    Rule,
    SomeFloats,
    View,
    Workspace,
    because,
    blocked,
    held_back,
    kernel,
    parameter,
    resume,
    resume_shared,
    set_share,
    several,
    start,
    start_shared,
    suspend,
    wake_at,
)
from molokini.shared.order import build, take_first

_MOST_LEVELS = 30
_CLOSE = 1e-9
"""So near a threshold (seconds, or a share) a job has reached it: rounding asks for no more passes."""


class SrptParameters(Parameters):
    """What the user chooses."""

    levels: Numbers = parameter(
        (),
        "thresholds of remaining estimate between bands, inside which jobs share; none: exact SRPT",
        unit="s",
        low=0.0,
        high=1e12,
        most=_MOST_LEVELS,
        source="Harchol-Balter et al. 2001: six bands, thresholds not printed",
    )


class Bands(Workspace):
    """What the bands ask for and get in this pass."""

    widths: SomeFloats = several(_MOST_LEVELS + 1)
    rates: SomeFloats = several(_MOST_LEVELS + 1)


parameters, mine = SrptParameters.of, Bands.of

POLICY = Policy(
    name="srpt",
    family="sharing and preemption",
    summary="preemptive: least remaining estimate first; the others are suspended",
    promise="processors go to unfinished jobs in order of remaining estimate, all a job needs or none",
    source="Harchol-Balter et al., SRPT Scheduling for Web Servers, JSSPP 2001",
    counted_only=True,
    moves=True,
    parameters=SrptParameters.declared(),
    shares_with="levels",
)


def schedule(view: View, now: float) -> None:
    """Give processors by remaining estimate; suspend first, so that there is room for jobs that start."""
    if parameters(view).levels.size > 0:
        _by_levels(view, now)
        return
    count = _gather(view, now)
    left = view.machine.processors
    chosen = 0
    total = count
    build(view, count)
    while count > 0 and left > 0:
        row = take_first(view, count)
        count -= 1
        # The place that the heap has just given up keeps the row: taken rows stand behind it.
        view.cycle.order[count] = row
        if view.jobs.width[row] <= left:
            left -= view.jobs.width[row]
            view.cycle.order_key[row] = -1.0
            chosen += 1
    _suspend_others(view, total)
    for k in range(total - 1, -1, -1):
        row = view.cycle.order[k]
        if view.cycle.order_key[row] < 0.0:
            _let_run(view, row)
        elif not held_back(view, row, -1):
            because(view, row, Rule.OUTRANKED, left, view.jobs.width[row], -1)


@kernel
def _gather(view: View, now: float) -> int:
    count = 0
    for k in range(view.queue.head, view.queue.tail):
        count = _add(view, view.queue.waiting[k], count, 0.0)
    for k in range(view.queue.suspended_count):
        count = _add(view, view.queue.suspended[k], count, 0.0)
    for k in range(view.queue.running_count):
        row = view.queue.running[k]
        count = _add(view, row, count, now - view.jobs.updated_s[row])
    return count


@kernel
def _add(view: View, row: int, count: int, since_s: float) -> int:
    view.cycle.order[count] = row
    # A job past its estimate (overrun 1) has nothing left by estimate: it stays in front.
    view.cycle.order_key[row] = max(
        0.0, view.jobs.estimate_s[row] - view.jobs.work_s[row] - since_s * view.jobs.rate[row]
    )
    return count + 1


@kernel
def _suspend_others(view: View, total: int) -> None:
    for k in range(total):
        row = view.cycle.order[k]
        if view.jobs.state[row] == JobState.RUNNING and view.cycle.order_key[row] >= 0.0:
            suspend(view, row)


@kernel
def _let_run(view: View, row: int) -> None:
    if view.jobs.state[row] == JobState.WAITING:
        if not start(view, row):
            blocked(view, row, -1)
    elif view.jobs.state[row] != JobState.RUNNING:
        resume(view, row)


@kernel
def _by_levels(view: View, now: float) -> None:
    """Bands in order; the first that does not fit shares what is left, those behind it stand still."""
    count = _gather(view, now)
    bands = parameters(view).levels.size + 1
    for band in range(bands):
        mine(view).widths[band] = 0.0
    for k in range(count):
        row = view.cycle.order[k]
        mine(view).widths[_band(view, view.cycle.order_key[row])] += view.jobs.width[row]
    left = float(view.machine.processors)
    for band in range(bands):
        widths = mine(view).widths[band]
        mine(view).rates[band] = 1.0 if widths <= left else left / widths
        left = max(0.0, left - widths)
    for k in range(count):
        row = view.cycle.order[k]
        band = _band(view, view.cycle.order_key[row])
        _at_rate(view, row, mine(view).rates[band])
        if band > 0 and mine(view).rates[band] > 0.0:
            above_s = view.cycle.order_key[row] - parameters(view).levels[band - 1]
            wake_at(view, now + above_s / mine(view).rates[band])


@kernel
def _band(view: View, left_s: float) -> int:
    band = 0
    while (
        band < parameters(view).levels.size and left_s > parameters(view).levels[band] * (1 + _CLOSE) + _CLOSE
    ):
        band += 1
    return band


@kernel
def _at_rate(view: View, row: int, rate: float) -> None:
    state = view.jobs.state[row]
    if rate <= 0.0:
        if state == JobState.RUNNING:
            suspend(view, row)
        elif not held_back(view, row, -1):
            because(view, row, Rule.OUTRANKED, 0.0, view.jobs.width[row], -1)
    elif state == JobState.WAITING:
        start_shared(view, row, rate)
    elif state == JobState.RUNNING:
        if view.jobs.rate[row] != rate:
            set_share(view, row, rate)
    else:
        resume_shared(view, row, rate)
