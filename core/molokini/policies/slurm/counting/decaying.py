"""What associations and QOSes have used, decayed at each calculation: reference, section 1.5.

The policy adds it up itself, from the rates of the jobs that run between two passes: a job's end is seen at
its instant. A restart of a server begins with what the configuration says.
"""

from molokini.compiled.compilation import inner, kernel, seldom
from molokini.model.decisions import Decision
from molokini.policies.slurm.configuration.line_layout import LINE, TRES, USED, Count, Line
from molokini.policies.slurm.configuration.parameters import parameters
from molokini.policies.slurm.configuration.words import QosFlag, Reset
from molokini.policies.slurm.counting.counting import line_at, lines_of_all, parent_of
from molokini.policies.slurm.knowledge.kept_state import mine
from molokini.policies.slurm.knowledge.tres import billed, tres_of
from molokini.policies.slurm.knowledge.who import association_of, first_qos, line, qos_of, second_qos
from molokini.policies.slurm.nodes.demand import cpus_held, nodes_held
from molokini.tables.tables import NEVER, View

_DAY = 86_400.0
_LN2 = 0.693
"""As Slurm has it."""


@kernel
def counts_usage(view: View) -> bool:
    """Whether anything depends on usage."""
    if lines_of_all(view) == 0:
        return False
    return bool(parameters(view).enforce_limits or parameters(view).priority_weight_fairshare > 0.0)


@kernel
def begin_usage(view: View, now: float) -> None:
    """Usage is what the configuration says: that of users, added up along the tree."""
    seldom()
    for k in range(lines_of_all(view)):
        at = line_at(view, k)
        for column in range(LINE):
            view.site.tallies[at + column] = 0.0
    for k in range(parameters(view).association_count):
        at = line_at(view, k)
        used_s, above = view.parameters[at + Line.USAGE_S], at
        while above >= 0:
            view.site.tallies[above + Count.USAGE_S] += used_s
            above = parent_of(view, above)
    mine(view).counted_s = now
    note_rates(view)


@kernel
def add_up(view: View, now: float) -> None:
    """Add what the jobs that ran since the last pass have used up to *now*."""
    length_s = now - mine(view).counted_s
    mine(view).counted_s = now
    if length_s <= 0.0:
        return
    for k in range(lines_of_all(view)):
        at = line_at(view, k)
        if view.site.tallies[at + Count.WALL_RATE] > 0.0:
            for column in range(USED):
                view.site.tallies[at + Count.RUN_USAGE_S + column] += (
                    view.site.tallies[at + Count.USAGE_RATE + column] * length_s
                )


@kernel
def note_rates(view: View) -> None:
    """What running jobs use a second, from now to the next pass."""
    seldom()
    for k in range(lines_of_all(view)):
        at = line_at(view, k)
        for column in range(USED):
            view.site.tallies[at + Count.USAGE_RATE + column] = 0.0
    for k in range(view.queue.running_count):
        row = view.queue.running[k]
        if mine(view).place[row] > 0:
            add_rates(view, row, 1.0, Count.USAGE_RATE)
    for k in range(view.cycle.decided):
        # These have not been carried out yet.
        kind, row = view.cycle.decisions[k, 0], view.cycle.decisions[k, 1]
        if kind == Decision.START or kind == Decision.RESUME:
            add_rates(view, row, 1.0, Count.USAGE_RATE)
        elif kind == Decision.SUSPEND:
            add_rates(view, row, -1.0, Count.USAGE_RATE)


@kernel
def add_rates(view: View, row: int, seconds: float, column: int) -> None:
    """Add what a running job uses in so many *seconds* to its rows, from *column* on."""
    part = mine(view).place[row] - 1
    cpus, nodes = cpus_held(view, row, part), nodes_held(view, row)
    own = qos_of(view, row)
    factor = line(view, own, Line.USAGE_FACTOR) if own >= 0 else 1.0
    at = association_of(view, row)
    while at >= 0:
        _add(view, at, row, part, cpus, nodes, seconds, factor, column)
        at = parent_of(view, at)
    first, second = first_qos(view, row, part), second_qos(view, row, part)
    if first >= 0:
        _add(view, first, row, part, cpus, nodes, seconds, factor, column)
    if second >= 0:
        _add(view, second, row, part, cpus, nodes, seconds, factor, column)


@kernel
def _add(
    view: View,
    at: int,
    row: int,
    part: int,
    cpus: int,
    nodes: int,
    seconds: float,
    factor: float,
    column: int,
) -> None:
    view.site.tallies[at + column] += billed(view, row, part, cpus, nodes) * seconds * factor
    view.site.tallies[at + column + 1] += seconds * factor
    for tres in range(TRES):
        amount = tres_of(view, row, part, tres, cpus, nodes)
        view.site.tallies[at + column + 2 + tres] += amount * seconds * factor


@kernel
def decay(view: View, now: float) -> None:
    """One calculation: all usage decays, and what running jobs have used since the last one comes in.

    What a running job adds is decayed as if it were as old as the job's part of the period.
    """
    seldom()
    since_s = mine(view).last_priority_s
    _reset(view, since_s, now)
    half_life_s = parameters(view).priority_decay_half_life_s
    each = 1.0 - _LN2 / half_life_s if half_life_s > 0.0 else 1.0
    # Jobs that run are taken off what ran, which leaves those that have ended.
    for k in range(view.queue.running_count):
        row = view.queue.running[k]
        if mine(view).place[row] > 0:
            add_rates(view, row, -_ran_s(view, row, since_s, now), Count.RUN_USAGE_S)
    for k in range(lines_of_all(view)):
        at = line_at(view, k)
        kept = int(view.parameters[at + Line.FLAGS]) & QosFlag.NO_DECAY
        factor = 1.0 if kept else each ** (now - since_s)
        for column in range(USED):
            ended = view.site.tallies[at + Count.RUN_USAGE_S + column]
            view.site.tallies[at + Count.USAGE_S + column] = (
                view.site.tallies[at + Count.USAGE_S + column] + ended
            ) * factor
            view.site.tallies[at + Count.RUN_USAGE_S + column] = 0.0
    for k in range(view.queue.running_count):
        row = view.queue.running[k]
        if mine(view).place[row] > 0:
            ran_s = _ran_s(view, row, since_s, now)
            add_rates(view, row, ran_s * each**ran_s, Count.USAGE_S)


@inner
def _ran_s(view: View, row: int, since_s: float, now: float) -> float:
    """How long a job has run without a break since an instant; what it ran before a suspension has ended."""
    return float(now - max(since_s, view.jobs.start_s[row], mine(view).expected_s[row]))


@kernel
def _reset(view: View, since_s: float, now: float) -> None:
    """Forget usage where a day, or a week, has begun; QOSes with NoDecay keep theirs."""
    period_s = _DAY if parameters(view).priority_usage_reset == Reset.DAILY else 7 * _DAY
    if parameters(view).priority_usage_reset not in (Reset.DAILY, Reset.WEEKLY):
        return
    if since_s // period_s == now // period_s:
        return
    for k in range(lines_of_all(view)):
        at = line_at(view, k)
        if not int(view.parameters[at + Line.FLAGS]) & QosFlag.NO_DECAY:
            for column in range(USED):
                view.site.tallies[at + Count.USAGE_S + column] = 0.0


@kernel
def usage_is_left(view: View) -> bool:
    """Whether usage is still to be forgotten, by which a limit may let a job go."""
    forgets = parameters(view).priority_decay_half_life_s > 0.0 or parameters(view).priority_usage_reset > 0
    if not forgets:
        return False
    seldom()
    for k in range(lines_of_all(view)):
        at = line_at(view, k)
        if view.site.tallies[at + Count.WALL_S] >= 1.0 and (_limits_usage(view, at) or _has_threshold(view)):
            return True
    return False


@kernel
def _limits_usage(view: View, at: int) -> bool:
    """Whether a row limits what was used, and not only what is held."""
    if view.parameters[at + Line.GRP_WALL_S] < NEVER:
        return True
    for tres in range(TRES):
        if view.parameters[at + Line.GRP_TRES_MINS + tres] < NEVER:
            return True
    return False


@kernel
def _has_threshold(view: View) -> bool:
    """Whether a QOS keeps jobs waiting by their share, which usage changes."""
    for k in range(parameters(view).qos_count):
        at = int(parameters(view).qos) + k * LINE
        if int(view.parameters[at + Line.FLAGS]) & QosFlag.ENFORCE_USAGE_THRESHOLD:
            return True
    return False


@kernel
def used_minutes(view: View, at: int, tres: int) -> int:
    """Minutes of a TRES that a row has used, jobs that run not counted since the last calculation."""
    return int(view.site.tallies[at + Count.TRES_S + tres] // 60.0)
