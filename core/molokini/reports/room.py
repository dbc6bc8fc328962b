"""``showbf`` and ``showstart``: what could start now, how long, and when something could.

Both look at the profile of the running jobs with all priority reservations in it, beside what administrators
keep for others (reference, section 3.1).
"""

from typing import Any

from molokini.model.errors import BadInput, BadValue, UnknownName
from molokini.model.states import JobState
from molokini.policies.maui.memory import DIVIDED
from molokini.policies.maui.partitions import find_partitions
from molokini.policies.maui.scopes import find_scopes, forget_scopes
from molokini.policies.maui.words import CredentialType
from molokini.reports.lines import job_line, promised_s
from molokini.reports.partitions import earliest_inside, known_partition, reserved_inside, room
from molokini.reports.picture import Asked, Blocked, Picture, finite
from molokini.reports.waiting import eligible, reason
from molokini.scheduling.additions import add_credential
from molokini.scheduling.making import grow
from molokini.scheduling.profile import FIRST, LAST, plan, profile_of_running
from molokini.scheduling.queues import remaining_s
from molokini.scheduling.reserved import blocked_at, earliest_beside, next_boundary
from molokini.scheduling.tables import NEVER, Tables


def windows(p: Picture, asked: Asked) -> dict[str, Any]:
    """Backfill windows for somebody: the widest is the shortest, and they overlap.

    Without credentials it is anybody who has no access to reservations. *processors* and *duration_s* leave
    out what is smaller or shorter. Those of a *partition* are no wider than what is free there beside the
    reservations that are on its nodes. Raises UnknownName.
    """
    partition = known_partition(p, asked.partition)
    t = _planned(p, -1, partition)
    row = _probe(p, t, asked, 1, 1.0)
    found: list[dict[str, Any]] = []
    width, last_s = NEVER, p.now
    for at_s, free in _inside(p, partition, _steps(t, row, p.now)):
        if free < width and width < NEVER:
            found.append(_window(width, at_s, p.now))
        width, last_s = min(width, free), at_s
    if last_s >= p.now:
        found.append(_window(width, NEVER, p.now))
    wanted_s, wanted = asked.duration_s, max(1, asked.processors)
    return {
        "for": {
            kind.name.lower(): name for kind in CredentialType if (name := getattr(asked, kind.name.lower()))
        },
        "partition": partition or None,
        "windows": [
            one
            for one in found
            if one["processors"] >= wanted and (one["duration_s"] is None or one["duration_s"] >= wanted_s)
        ],
    }


def _inside(p: Picture, partition: str, steps: list[tuple[float, int]]) -> list[tuple[float, int]]:
    """*steps* with no more than is free in *partition*."""
    if not partition:
        return steps
    own = room(p, partition)
    found = []
    for at_s in sorted({at_s for at_s, _ in (*steps, *own)}):
        here = [count for from_s, count in own if from_s <= at_s]
        found.append((at_s, min([count for from_s, count in steps if from_s <= at_s][-1], here[-1])))
    return found


def start(p: Picture, asked: Asked) -> dict[str, Any]:
    """The earliest start of a job, or of *processors* for *duration_s*, if everybody needs the estimate.

    A job that runs has started, and one with a reservation starts then; any other is looked at as the one of
    the highest priority, reservations left where they are. Of one that a rule keeps out nobody knows: it has
    the rule in place of a start, and as *otherwise_s* the start that it would have without. Raises
    UnknownName, BadInput.
    """
    for one in p.blocked:
        if asked.job and one.job == asked.job:
            return _unseen_start(one)
    if asked.job:
        return _start_of(p, row_of(p, asked.job))
    if asked.processors <= 0 or asked.duration_s <= 0.0:
        raise BadInput("a job, or processors and a duration, are needed")
    if asked.processors > p.tables.processors_in_all:
        raise BadValue("processors", asked.processors, f"at most {p.tables.processors_in_all}")
    t = _planned(p, -1)
    row = _probe(p, t, asked, asked.processors, asked.duration_s)
    at_s = float(earliest_beside(t, row, asked.duration_s, p.now))
    if p.partitions:
        find_partitions(t)
        barred = int(t.credential_barred[t.job_credential[row]])
        at_s = max(at_s, earliest_inside(p, -1, barred, asked.processors, asked.duration_s))
    return {
        "job": None,
        "processors": asked.processors,
        "estimate_s": asked.duration_s,
        **_times(at_s, asked.duration_s, "earliest"),
    }


def row_of(p: Picture, name: str) -> int:
    """The row of an open job that the policy sees. Raises UnknownName."""
    rows = {p.job(row): row for row in (*p.running(), *p.suspended(), *p.waiting())}
    if name not in rows:
        raise UnknownName("job that waits or runs", name, rows)
    return rows[name]


def _start_of(p: Picture, row: int) -> dict[str, Any]:
    line = job_line(p, row)
    named = {"job": line["job"], "processors": line["processors"], "estimate_s": line["estimate_s"]}
    length_s = float(remaining_s(p.tables, row))
    if p.tables.job_state[row] == JobState.RUNNING:
        end_s = finite(p.tables.job_expected_end_s[row])
        return {**named, "start_s": line["start_s"], "end_s": end_s, "by": "running"}
    if promised_s(p, row) < NEVER:
        return {**named, **_times(promised_s(p, row), length_s, "reservation")}
    t = _planned(p, row)
    at_s = float(earliest_beside(t, row, length_s, p.now))
    if p.partitions:
        barred = int(t.credential_barred[t.job_credential[row]])
        at_s = max(at_s, earliest_inside(p, row, barred, int(t.job_width[row]), length_s))
    earliest = _times(at_s, length_s, "earliest")
    if p.tables.job_state[row] == JobState.WAITING and not eligible(p, row):
        blocked = {"start_s": None, "end_s": None, "by": "blocked", **reason(p, row)}
        return {**named, **blocked, "otherwise_s": earliest["start_s"]}
    return {**named, **earliest}


def _unseen_start(one: Blocked) -> dict[str, Any]:
    """Of a job that the policy does not see: why."""
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


def _planned(p: Picture, without: int, partition: str = "") -> Tables:
    """A copy whose profile holds running jobs and all reservations but that of the row *without*.

    Of a *partition*: those alone that may be on its nodes.
    """
    t = p.tables.copy()
    t.pass_s, t.decided, t.idle = p.now, 0, t.free
    profile_of_running(t, p.now)
    for row in p.waiting():
        if row != without and (at_s := promised_s(p, row)) < NEVER:
            inside = reserved_inside(p, row, partition) if partition else None
            width = int(t.job_width[row]) if inside is None else inside
            plan(t, at_s, at_s + float(remaining_s(t, row)), width)
    return t


def _probe(p: Picture, t: Tables, asked: Asked, width: int, estimate_s: float) -> int:
    """A row in the copy *t* of a job that somebody might submit; it is in no list."""
    if t.free_rows == 0:
        grow(t)
    row = int(t.free_row[t.free_rows - 1])
    numbers = {
        kind: p.number(kind, name) if (name := getattr(asked, kind.name.lower())) else -1
        for kind in CredentialType
    }
    user, group, account, queue, qos = numbers.values()
    credential = add_credential(t, user, group, queue, account, qos)
    if p.is_maui:
        forget_scopes(t)
        find_scopes(t)
        t.global_i[DIVIDED] = 0
    t.job_credential[row], t.job_width[row] = credential, width
    t.job_estimate_s[row], t.job_work_s[row] = estimate_s, 0.0
    return row


def _steps(t: Tables, row: int, now: float) -> list[tuple[float, int]]:
    """(instant, processors free for *row* from then on) at all changes from *now* on."""
    first, last = int(t.global_i[FIRST]), int(t.global_i[LAST])
    free_from = [(max(now, float(t.profile_time_s[k])), int(t.profile_free[k])) for k in range(first, last)]
    points = {at_s for at_s, _ in free_from}
    at_s = now
    while (at_s := float(next_boundary(t, at_s))) < NEVER:
        points.add(at_s)
    steps = []
    for at_s in sorted(points):
        free = next(width for begin_s, width in reversed(free_from) if begin_s <= at_s)
        kept = int(blocked_at(t, row, at_s)) if t.reservations else 0
        steps.append((at_s, max(0, free - kept)))
    return steps


def _window(width: float, until_s: float, now: float) -> dict[str, Any]:
    return {"processors": int(width), "duration_s": finite(until_s - now), "until_s": finite(until_s)}
