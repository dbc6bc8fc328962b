"""``showbf`` and ``showstart``: how much could start now and for how long, and when a job could start.

Both use the profile of the running jobs with all priority reservations in it, beside what administrators
keep for other jobs (reference, section 3.1).
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from molokini.availability.profile import plan, profile_of_running
from molokini.availability.reserved import blocked_at, next_boundary
from molokini.model.credentials import CredentialType
from molokini.model.errors import BadInput, BadValue, UnknownName
from molokini.model.states import JobState
from molokini.reports.fit_nodes import fit_nodes, names_nodes, narrowed
from molokini.reports.lines import job_line, promised_s
from molokini.reports.partitions import earliest_of, holding, known_partition, reserved_inside, room
from molokini.reports.snapshot import Blocked, ClusterSnapshot, ReportRequest, finite
from molokini.reports.waiting import eligible, reason
from molokini.tables.additions import add_credential
from molokini.tables.making import grow
from molokini.tables.running import remaining_s
from molokini.tables.tables import NEVER, Tables

_Step = tuple[float, int]
"""An instant, and the processors that are free from then on."""


def windows(p: ClusterSnapshot, asked: ReportRequest) -> dict[str, Any]:
    """Backfill windows for a job of certain credentials: the widest is the shortest, and they overlap.

    Without credentials it is a job without access to reservations. *processors* and *duration_s* leave
    out smaller or shorter windows. Where there are partitions each window is in one that the job may use, or
    in *partition*, beside the reservations on its nodes. *features*, *memory*, *memory_each_mb* and *nodes*
    choose nodes, of which each counts with what it has free for the whole window. Raises UnknownName,
    BadValue, BadInput.
    """
    partition = known_partition(p, asked.partition)
    fit = fit_nodes(p, asked) if names_nodes(asked) else None

    def probe(t: Tables) -> int:
        return _probe(p, t, asked, 1, 1.0)

    found: list[tuple[int, float]] = []
    spread: dict[tuple[int, float], int] = {}
    for name, t, row, steps in _by_partition(p, probe, (partition,) if partition else p.partitions):
        if fit is None:
            found += _falling(steps)
            continue
        for width, until_s, nodes in narrowed(p, t, row, steps, fit, name, asked.memory_each_mb):
            if nodes >= asked.nodes:
                found.append((width, until_s))
                spread[width, until_s] = max(nodes, spread.get((width, until_s), 0))
    wanted_s, wanted = asked.duration_s, max(1, asked.processors)
    return {
        "for": {
            kind.name.lower(): name for kind in CredentialType if (name := getattr(asked, kind.name.lower()))
        },
        "partition": partition or None,
        "windows": [
            one if fit is None else {**one, "nodes": spread[width, until_s]}
            for width, until_s in _best(found)
            for one in (_window(width, until_s, p.now),)
            if one["processors"] >= wanted and (one["duration_s"] is None or one["duration_s"] >= wanted_s)
        ],
    }


def _by_partition(
    p: ClusterSnapshot, probe: Callable[[Tables], int], names: Sequence[str], without: int = -1
) -> Iterator[tuple[str, Tables, int, list[_Step]]]:
    """The room for the row that *probe* finds or makes in a copy: in each of the partitions *names* that
    it may use, since no job spans partitions; on the whole machine (no name) where there are none.
    """
    for name in names or ("",):
        t = _planned(p, without, name)
        row = probe(t)
        if name:
            p.insight.divide(t)
            if int(t.credentials.barred[t.jobs.credential[row]]) >> p.partitions.index(name) & 1:
                continue
        yield name, t, row, _inside(p, name, _steps(t, row, p.now), without)


def _inside(p: ClusterSnapshot, partition: str, steps: list[_Step], without: int) -> list[_Step]:
    """*steps*, cut to what is free in *partition*."""
    if not partition:
        return steps
    own = room(p, partition, without)
    found = []
    for at_s in sorted({at_s for at_s, _ in (*steps, *own)}):
        here = [count for from_s, count in own if from_s <= at_s]
        found.append((at_s, min([count for from_s, count in steps if from_s <= at_s][-1], here[-1])))
    return found


def _falling(steps: list[_Step]) -> list[tuple[int, float]]:
    """(processors, until when) before each fall of *steps* below all earlier ones, the last without end."""
    found, width = [], steps[0][1]
    for at_s, free in steps:
        if free < width:
            found.append((width, at_s))
            width = free
    return [*found, (width, NEVER)]


def _best(windows: list[tuple[int, float]]) -> list[tuple[int, float]]:
    """The *windows* for which no other is at least as wide and as long; the widest first."""
    best: list[tuple[int, float]] = []
    for width, until_s in sorted(windows, key=lambda one: (one[1], one[0]), reverse=True):
        if not best or width > best[-1][0]:
            best.append((width, until_s))
    return best[::-1]


def start(p: ClusterSnapshot, asked: ReportRequest) -> dict[str, Any]:
    """The earliest start of a job, or of *processors* for *duration_s*, if every job runs to its estimate.

    A job that runs has started, and one with a reservation starts then; any other is treated as the job of
    the highest priority, with reservations left as they are. For a job that a rule keeps out no start is
    known: it has the rule instead, and as *otherwise_s* its start without the rule. Raises UnknownName,
    BadInput.
    """
    for one in p.blocked:
        if asked.job and one.job == asked.job:
            return _unseen_start(one)
    if asked.job:
        return _start_of(p, row_of(p, asked.job))
    if asked.processors <= 0 or asked.duration_s <= 0.0:
        raise BadInput("a job, or processors and a duration, are needed")
    if asked.processors > p.tables.machine.processors_in_all:
        raise BadValue("processors", asked.processors, f"at most {p.tables.machine.processors_in_all}")

    def probe(t: Tables) -> int:
        return _probe(p, t, asked, asked.processors, asked.duration_s)

    at_s, partition = _earliest(p, probe, asked.processors, asked.duration_s)
    return {
        "job": None,
        "processors": asked.processors,
        "estimate_s": asked.duration_s,
        **_times(at_s, asked.duration_s, "earliest"),
        "partition": partition or None,
    }


def _earliest(
    p: ClusterSnapshot, probe: Callable[[Tables], int], width: int, length_s: float, without: int = -1
) -> tuple[float, str]:
    """The first instant from which on *width* processors are free for *length_s*, in one partition, and its
    name; empty: there are no partitions, or none has room.
    """
    found = _by_partition(p, probe, p.partitions, without)
    starts = [(earliest_of(steps, width, length_s), name) for name, _, _, steps in found]
    at_s, name = min(starts, key=lambda one: one[0], default=(NEVER, ""))
    return at_s, name if at_s < NEVER else ""


def row_of(p: ClusterSnapshot, name: str) -> int:
    """The row of an open job that the policy sees. Raises UnknownName."""
    rows = {p.job(row): row for row in (*p.running(), *p.suspended(), *p.waiting())}
    if name not in rows:
        raise UnknownName("job that waits or runs", name, rows)
    return rows[name]


def _start_of(p: ClusterSnapshot, row: int) -> dict[str, Any]:
    line = job_line(p, row)
    named = {"job": line["job"], "processors": line["processors"], "estimate_s": line["estimate_s"]}
    length_s = float(remaining_s(p.tables, row))
    if p.tables.jobs.state[row] == JobState.RUNNING:
        end_s = finite(p.tables.jobs.expected_end_s[row])
        ran = {"start_s": line["start_s"], "end_s": end_s, "by": "running"}
        return {**named, **ran, "partition": _only(holding(p, row))}
    if promised_s(p, row) < NEVER:
        reserved = _times(promised_s(p, row), length_s, "reservation")
        inside = {p.nodes[node].partition for node in p.insight.held_nodes(p.tables, row)}
        return {**named, **reserved, "firm": _is_firm(p, row), "partition": _only(inside)}
    at_s, partition = _earliest(p, lambda _: row, int(p.tables.jobs.width[row]), length_s, row)
    earliest = _times(at_s, length_s, "earliest")
    if p.tables.jobs.state[row] == JobState.WAITING and not eligible(p, row):
        blocked = {"start_s": None, "end_s": None, "by": "blocked", **reason(p, row)}
        return {**named, **blocked, "otherwise_s": earliest["start_s"]}
    return {**named, **earliest, "partition": partition or None}


def _only(partitions: set[str]) -> str | None:
    """The partition that is meant; None: there are no partitions, or it is not known."""
    return next(iter(partitions)) or None if len(partitions) == 1 else None


def _is_firm(p: ClusterSnapshot, row: int) -> bool:
    """Whether the reservation of *row* moves to earlier instants alone as long as no job overtakes it.

    Under CURRENTHIGHEST only the reservation of the first job is firm: the others are planned behind it at
    each iteration, and a job before them that finds an earlier place may take theirs.
    """
    t = p.tables
    if p.insight.keeps_promises(t):
        return True
    reserved = [one for one in p.waiting() if promised_s(p, one) < NEVER]
    return row == max(reserved, key=lambda one: (t.cycle.rank_key[one], -reserved.index(one)))


def _unseen_start(one: Blocked) -> dict[str, Any]:
    """Why a job that the policy does not see has no start."""
    return {
        "job": one.job,
        "processors": one.processors,
        "estimate_s": finite(one.estimate_s),
        "start_s": None,
        "end_s": None,
        "by": "blocked",
        "rule": one.state,
        "reason": one.reason,
    }


def _times(at_s: float, length_s: float, by: str) -> dict[str, Any]:
    return {"start_s": finite(at_s), "end_s": finite(at_s + length_s), "by": by}


def _planned(p: ClusterSnapshot, without: int, partition: str = "") -> Tables:
    """A copy whose profile holds running jobs and all reservations but that of the row *without*.

    For a *partition* only the reservations that may be on its nodes.
    """
    t = p.tables.copy()
    t.cycle.pass_s, t.cycle.decided, t.machine.idle = p.now, 0, t.machine.free
    profile_of_running(t, p.now)
    for row in p.waiting():
        if row != without and (at_s := promised_s(p, row)) < NEVER:
            inside = reserved_inside(p, row, partition) if partition else None
            width = int(t.jobs.width[row]) if inside is None else inside
            plan(t, at_s, at_s + float(remaining_s(t, row)), width)
    return t


def _probe(p: ClusterSnapshot, t: Tables, asked: ReportRequest, width: int, estimate_s: float) -> int:
    """A row in the copy *t* for a job that might be submitted; it is in no list."""
    if t.jobs.free_rows == 0:
        grow(t)
    row = int(t.jobs.free_row[t.jobs.free_rows - 1])
    numbers = {
        kind: p.number(kind, name) if (name := getattr(asked, kind.name.lower())) else -1
        for kind in CredentialType
    }
    user, group, account, queue, qos = numbers.values()
    credential = add_credential(t, user, group, queue, account, qos)
    p.insight.learn(t)
    t.jobs.credential[row], t.jobs.width[row] = credential, width
    t.jobs.estimate_s[row], t.jobs.work_s[row] = estimate_s, 0.0
    return row


def _steps(t: Tables, row: int, now: float) -> list[_Step]:
    """(instant, processors free for *row* from then on) at all changes from *now* on."""
    first, last = int(t.profile.first), int(t.profile.last)
    free_from = [(max(now, float(t.profile.time_s[k])), int(t.profile.free[k])) for k in range(first, last)]
    points = {at_s for at_s, _ in free_from}
    at_s = now
    while (at_s := float(next_boundary(t, at_s))) < NEVER:
        points.add(at_s)
    steps = []
    for at_s in sorted(points):
        free = next(width for begin_s, width in reversed(free_from) if begin_s <= at_s)
        kept = int(blocked_at(t, row, at_s)) if t.reservations.count else 0
        steps.append((at_s, max(0, free - kept)))
    return steps


def _window(width: float, until_s: float, now: float) -> dict[str, Any]:
    return {"processors": int(width), "duration_s": finite(until_s - now), "until_s": finite(until_s)}
