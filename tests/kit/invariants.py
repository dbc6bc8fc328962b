"""What must be true of every schedule, whatever the policy.

Independent of policies, availability and verbs: a schedule is looked at as it came out, by the columns that
the replay has kept.
"""

from collections.abc import Sequence

from molokini.model.reservations import Reservation
from molokini.sim.replay import Replay
from molokini.tables.columns.jobs import Jobs
from molokini.tables.tables import NEVER
from tests.kit.workloads import Job, in_order

SLACK = 1e-6
"""Rounding of shared rates."""


def occupation(replay: Replay) -> list[tuple[float, float]]:
    """(instant, processors in use from then on), after all that happens at the instant.

    From starts, ends and the trace alone; a job that starts and ends at one instant uses nothing.
    """
    schedule = replay.schedule()
    trace, width = schedule.trace, schedule.workload.processors
    changes: dict[int, list[tuple[float, float]]] = {}
    for job in range(len(schedule.workload)):
        if schedule.start_s[job] == schedule.start_s[job]:
            changes[job] = [(float(schedule.start_s[job]), float(width[job]))]
    for at, job, held in zip(trace.time_s.tolist(), trace.job.tolist(), trace.occupied.tolist(), strict=True):
        assert at >= changes[job][-1][0], "the trace goes back in time"
        changes[job].append((at, held))
    steps: dict[float, float] = {}
    for job, points in changes.items():
        end, before = float(schedule.end_s[job]), 0.0
        if end == end:
            points.append((end, 0.0))
        for at, held in points:
            steps[at] = steps.get(at, 0.0) + held - before
            before = held
    in_use, levels = 0.0, []
    for at in sorted(steps):
        in_use += steps[at]
        levels.append((at, in_use))
    return levels


def assert_no_overuse(replay: Replay) -> None:
    """Never more processors in use than there are, and never fewer than none."""
    for at, in_use in occupation(replay):
        assert -SLACK <= in_use <= replay.machine.processors + SLACK, f"{in_use} in use from {at}"


def assert_work_conserved(replay: Replay, lost: bool = False) -> None:
    """The rates of every finished job, over time, add up to its run time.

    *lost*: whoever stands still has lost its work, as under a policy that requeues.
    """
    schedule = replay.schedule()
    trace = schedule.trace
    for job in range(len(schedule.workload)):
        start, end = float(schedule.start_s[job]), float(schedule.end_s[job])
        if end != end:
            continue
        points = [(start, 1.0)]
        mine = trace.job == job
        points += list(zip(trace.time_s[mine].tolist(), trace.rate[mine].tolist(), strict=True))
        if lost:
            points = points[max((k for k, (_, rate) in enumerate(points) if rate == 0.0), default=0) :]
        until = [at for at, _ in points[1:]] + [end]
        work = sum(rate * (stop - at) for (at, rate), stop in zip(points, until, strict=True))
        # What migrations take of its slices is no work.
        work -= float(trace.stall_s[mine].sum())
        assert abs(work - schedule.run_s[job]) < SLACK * max(1.0, work)


def assert_complete(replay: Replay, jobs: Sequence[Job], kill: bool = True) -> None:
    """Every job is refused, or runs once, after its submission, for as long as it should."""
    schedule = replay.schedule()
    for row, job in enumerate(in_order(jobs)):
        start, end = float(schedule.start_s[row]), float(schedule.end_s[row])
        if schedule.refused_rows[row]:
            assert start != start
            assert end != end
            continue
        assert job.submit <= start <= end, f"job {row} of {job}: {start} to {end}"
        assert schedule.run_s[row] == (min(job.run, job.estimated) if kill else job.run)
    assert sum(schedule.refused.values()) == int(schedule.refused_rows.sum())


def assert_tables_empty(replay: Replay) -> None:
    """After the last end nothing is left over in the tables."""
    t = replay.tables
    assert t.queue.head == t.queue.tail
    assert (t.queue.running_count, t.queue.suspended_count, t.queue.leaving, t.queue.wishing) == (0, 0, 0, 0)
    assert t.machine.free == t.machine.processors
    assert t.jobs.free_rows == t.jobs.state.size
    assert not t.jobs.state.any()
    for name, column in Jobs.declared.items():
        if column.blank in (NEVER, 1.0, -1.0) or name in ("work_s", "held", "wishes"):
            assert (getattr(t.jobs, name) == column.blank).all(), f"a freed row keeps its {name}"
    of_rows = (t.liens.account, t.liens.amount, t.liens.billed, t.liens.price)
    assert not any(column.any() for column in of_rows), "a freed row keeps its bill"
    assert t.liens.count == 0
    assert not t.bank.lien.any()
    assert (t.nodes.free == t.nodes.total)[t.nodes.state == 0].all()
    assert t.components.spare == t.components.next.size - 1
    free, entry = 0, int(t.entries.free) if t.entries.next.size else -1
    while entry >= 0:
        free, entry = free + 1, int(t.entries.next[entry])
    assert free == t.entries.next.size, "an allocation was not given back"
    assert replay.agenda.ends.count == 0


def assert_sound(replay: Replay, jobs: Sequence[Job], kill: bool = True, lost: bool = False) -> None:
    """All of the above."""
    assert_no_overuse(replay)
    assert_work_conserved(replay, lost)
    assert_complete(replay, jobs, kill)
    assert_tables_empty(replay)


def assert_nobody_inside(replay: Replay, reservations: Sequence[Reservation]) -> None:
    """At no instant do jobs without access to a reservation use what is reserved.

    Where several reservations last, those who have access to none of them may use what none of them keeps.
    """
    schedule = replay.schedule()
    work, trace = schedule.workload, schedule.trace
    edges = {float(t) for one in (schedule.start_s, schedule.end_s, trace.time_s) for t in one if t == t}
    edges |= {one.start_s for one in reservations}
    for at in sorted(edges):
        held: dict[int, float] = {}
        for job in range(len(work)):
            if schedule.start_s[job] <= at < schedule.end_s[job]:
                held[job] = float(work.processors[job])
        for t, job, occupied in zip(
            trace.time_s.tolist(), trace.job.tolist(), trace.occupied.tolist(), strict=True
        ):
            if t <= at and job in held:
                held[job] = occupied
        lasting = [one for one in reservations if one.start_s <= at < one.end_s]
        for some in (*([one] for one in lasting), lasting):
            strangers = sum(
                width
                for job, width in held.items()
                if not any(str(int(work.user[job])) in one.access.get("user", ()) for one in some)
            )
            free = replay.machine.processors - sum(one.processors for one in some)
            assert strangers <= max(0, free) + SLACK, f"{strangers} strangers at {at}, {free} unreserved"
