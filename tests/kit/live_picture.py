"""Everything that a state says, in a form that can be compared; and what must be true of every state."""

from collections import Counter
from collections.abc import Iterable
from typing import Any

import numpy as np

from molokini.model.states import JobState, NodeState
from molokini.server.state.jobs import Element, Job, Standing
from molokini.server.state.machine import NodeStanding
from molokini.server.state.state import State

_ROW = (
    "job_state",
    "job_number",
    "job_index",
    "job_submit_s",
    "job_estimate_s",
    "job_width",
    "job_work_s",
    "job_start_s",
    "job_expected_end_s",
    "job_updated_s",
    "job_rate",
    "job_held",
    "job_reserved_s",
    "job_attempt",
    "job_wishes",
    "job_component_count",
    "job_user_priority",
    "job_deadline_s",
    "job_load",
)
_ACTIVE = (Standing.RUNNING, Standing.SUSPENDED)


def picture(state: State) -> dict[str, Any]:
    """All of it, with rows by the job whose they are."""
    t = state.tables
    return {
        "serial": state.serial,
        "now": state.now,
        "next_id": state.next_id,
        "finished": list(state.finished.items()),
        "past": [
            (number, state.past.get(number)) for number in range(state.next_id) if state.past.get(number)
        ],
        "keys": dict(state.keys),
        "epoch": state.epoch,
        "policy": state.policy,
        "taken": dict(state.taken),
        "reservations": [one.as_json() for one in state.reservations.values()],
        "instances": [one.as_json() for one in state.instances],
        "reserved": (t.reservations, t.roll_s, t.reservation_from_s.tolist(), t.access_number.tolist()),
        "accounts": {
            name: [
                int(column[row])
                for column in (t.bank_balance, t.bank_lien, t.bank_deposited, t.bank_debited, t.bank_refunded)
            ]
            for name, row in state.ledger.accounts.items()
        },
        "banking": (t.banking, t.bank_debit, t.bank_successful, t.liens, sorted(state.ledger.opened)),
        "entries": list(state.ledger.entries),
        "ended": state.ended,
        "open_counts": +state.open_counts,
        "queues": {name: queue.as_json() for name, queue in state.queues.items()},
        # Begin times that have come but were not enough are looked at once more after a recovery.
        "timed": {number: at_s for number, at_s in state.timed.items() if at_s > state.now},
        "dependents": {number: set(waiting) for number, waiting in state.dependents.items() if waiting},
        "arrays": sorted(state.arrays),
        "open": list(state.open_jobs),
        "open_by_user": {user: sorted(jobs) for user, jobs in state.open_by_user.items()},
        "jobs": {number: job_picture(job) for number, job in state.jobs.items()},
        "rows": {(e.job.id, e.index): row_picture(state, row) for row, e in state.by_row.items()},
        "waiting": [name_of(state, row) for row in t.waiting[t.waiting_head : t.waiting_tail].tolist()],
        "running": sorted(name_of(state, row) for row in t.running[: t.running_count].tolist()),
        "suspended": [name_of(state, row) for row in t.suspended[: t.suspended_count].tolist()],
        "processors": (t.processors, t.processors_in_all, t.free, t.wishing, t.nodes),
        "node_state": t.node_state.tolist(),
        "node_features": t.node_features.tolist(),
        "node_free": t.node_free.tolist(),
        "node_total": t.node_total.tolist(),
        "nodes": [
            (n.number, n.name, n.agent, str(n.standing), n.reason, n.processors) for n in state.machine.nodes
        ],
    }


def job_picture(job: Job) -> dict[str, Any]:
    array = job.array
    return {
        "id": job.id,
        "user": job.user,
        "spec": job.spec,
        "submitted_s": job.submitted_s,
        "eligible_s": job.eligible_s,
        "holds": sorted(job.holds),
        "waits_for": sorted(job.waits_for),
        "version": job.version,
        "standing": str(job.standing),
        "request": repr(job.request),
        "array": (array.made, array.size, array.ended, array.limit, sorted(array.apart), sorted(array.back))
        if array is not None
        else None,
        "elements": [element_picture(element) for element in job.known_elements()],
    }


_ELEMENT = tuple(name.lstrip("_") for name in Element.__slots__ if name not in ("job", "row", "standing"))


def element_picture(element: Element) -> dict[str, Any]:
    fields = {name: getattr(element, name) for name in _ELEMENT}
    return {**fields, "standing": str(element.standing), "in_tables": element.row >= 0}


def row_picture(state: State, row: int) -> dict[str, Any]:
    t = state.tables
    fields = {name: getattr(t, name)[row].item() for name in _ROW}
    credential = int(t.job_credential[row])
    columns = (t.credential_user, t.credential_queue, t.credential_queue_priority)
    whose = tuple(int(column[credential]) for column in columns)
    return {**fields, "whose": whose, "wishes": wishes(state, row), "held": allocation(state, row)}


def wishes(state: State, row: int) -> list[Any]:
    """The components of a row that wishes for more than processors."""
    t, found = state.tables, []
    if not t.job_wishes[row]:
        return []
    place = int(t.job_components[row])
    for _ in range(int(t.job_component_count[row])):
        found.append(
            (
                int(t.component_tasks[place]),
                int(t.component_per_node[place]),
                int(t.component_features[place]),
                t.component_need[place].tolist(),
            )
        )
        place = int(t.component_next[place])
    return found


def allocation(state: State, row: int) -> list[tuple[int, int]]:
    """(node, tasks) of a row, by the chain of entries."""
    t, found = state.tables, []
    entry = int(t.job_entries[row])
    while entry >= 0:
        found.append((int(t.entry_node[entry]), int(t.entry_tasks[entry])))
        entry = int(t.entry_next[entry])
    return sorted(found)


def name_of(state: State, row: int) -> tuple[int, int]:
    element = state.by_row[row]
    return element.job.id, element.index


def assert_same(one: State, other: State) -> None:
    """Equal in all that a picture shows; the first difference is named."""
    left, right = picture(one), picture(other)
    for part in left:
        if left[part] != right[part]:
            raise AssertionError(f"{part} differs:\n{_first(left[part], right[part])}")


def _first(left: Any, right: Any) -> str:
    if isinstance(left, dict) and isinstance(right, dict):
        for key in {**left, **right}:
            if left.get(key) != right.get(key):
                return f"{key}: " + _first(left.get(key), right.get(key))
    return f"{left}\n{right}"


def assert_sound(state: State) -> None:
    """What must be true of every state between two facts."""
    _lists(state)
    _processors(state)
    _room(state)
    _elements(state)
    _books(state)


def _books(state: State) -> None:
    """What is over is in no list of what is still to come, and all that is counted is counted once."""
    claims = state.claims.kept()
    lists: dict[str, Iterable[int]] = {
        "has a begin time": state.timed,
        "waits for nodes": state.unplaced,
        "has elements to come": state.arrays,
        "waits for a place": [number for *_, jobs in claims["waiting"] for number in jobs],
        "is somewhere else, too": [number for number, _ in state.left],
        "has work that was kept": [number for number, _ in state.kept_work],
        "has a bill": [number for number, _ in state.ledger.bills],
    }
    for what, numbers in lists.items():
        assert not set(numbers) - state.open_jobs.keys(), f"a job that is over {what}"
    taken = Counter((one.job.queue, one.job.user) for one in state.by_row.values())
    assert {(queue, user): count for queue, user, count in claims["taken"]} == taken, "places in queues"
    counts: Counter[tuple[str, str]] = Counter()
    for job in state.open_jobs.values():
        counts.update(((job.queue, job.user), (job.queue, ""), ("", job.user)))
    assert +state.open_counts == counts, "jobs that are not over"
    here = [(job.id, one.index) for job in state.jobs.values() for one in job.known_elements() if one.left_at]
    assert sorted(state.left) == sorted(here), "what another agent may still run"
    for job in state.jobs.values():
        if job.array is not None:
            for element in job.known_elements():
                place = (element.index in job.array.apart, element.index in job.array.back)
                assert not (element.over and any(place)), f"element {element.index} is over and comes again"


def _lists(state: State) -> None:
    t = state.tables
    waiting = t.waiting[t.waiting_head : t.waiting_tail].tolist()
    running, suspended = t.running[: t.running_count].tolist(), t.suspended[: t.suspended_count].tolist()
    every = waiting + running + suspended
    assert len(set(every)) == len(every), "a row stands in the lists twice"
    for rows, wanted in (
        (waiting, JobState.WAITING),
        (running, JobState.RUNNING),
        (suspended, JobState.SUSPENDED),
    ):
        assert all(t.job_state[row] == wanted for row in rows), f"a row in the wrong list: {wanted}"
    in_use = np.flatnonzero(t.job_state).tolist()
    assert sorted(state.by_row) == in_use, "rows in use and elements in the tables are not the same"
    held = [row for row in in_use if t.job_state[row] == JobState.HELD]
    assert sorted(every + held) == in_use, "a row is lost"
    assert t.free_rows + len(in_use) == t.job_state.size, "rows leak"
    assert t.leaving == 0
    keys = [(t.job_submit_s[r], t.job_number[r], t.job_index[r]) for r in waiting]
    assert keys == sorted(keys), "the queue is out of order"


def _processors(state: State) -> None:
    t = state.tables
    held = int(t.job_held.sum())
    assert t.free + held == t.processors, f"{t.free} free + {held} held != {t.processors}"
    assert t.free >= 0
    up = [n for n in state.machine.nodes if n.standing is not NodeStanding.DOWN]
    assert t.processors == sum(n.processors for n in up)
    assert t.processors_in_all == sum(n.processors for n in state.machine.nodes)
    draining = sum(n.standing is NodeStanding.DRAINING for n in state.machine.nodes)
    assert t.wishing == int(t.job_wishes.sum()) + draining


def _room(state: State) -> None:
    """What nodes have free is what they have, less what rows hold there."""
    t = state.tables
    used, entries = np.zeros_like(t.node_total), 0
    for row, element in state.by_row.items():
        entry = int(t.job_entries[row])
        # What shares processors holds none.
        holds = element.standing is Standing.RUNNING and t.job_held[row] > 0
        assert (entry >= 0) == holds, "an allocation without a run"
        while entry >= 0:
            used[t.entry_node[entry]] += t.entry_tasks[entry] * t.component_need[t.entry_component[entry]]
            entries += 1
            entry = int(t.entry_next[entry])
    for record in state.machine.nodes:
        number = record.number
        down = record.standing is NodeStanding.DOWN
        expected = np.zeros_like(used[number]) if down else t.node_total[number] - used[number]
        assert (t.node_free[number] == expected).all(), f"{record.name}: {t.node_free[number]} != {expected}"
        assert (expected >= 0).all(), f"{record.name} is overbooked"
        assert not (down and used[number].any()), f"{record.name} is down and used"
        states = {NodeStanding.UP: NodeState.UP, NodeStanding.DRAINING: NodeState.DRAINING}
        assert t.node_state[number] == states.get(record.standing, NodeState.DOWN)
    # Without nodes there are no entries.
    free, entry = 0, int(t.entry_free) if t.nodes else -1
    while entry >= 0:
        free += 1
        entry = int(t.entry_next[entry])
    assert free + entries == t.entry_node.size, "allocation entries leak"


_ROW_OF = {
    Standing.WAITING: JobState.WAITING,
    Standing.HELD: JobState.HELD,
    Standing.RUNNING: JobState.RUNNING,
    Standing.SUSPENDED: JobState.SUSPENDED,
}


def _elements(state: State) -> None:
    t = state.tables
    for row, element in state.by_row.items():
        assert element.row == row
        assert t.job_state[row] == _ROW_OF[element.standing], f"{element.standing} is {t.job_state[row]}"
        if element.standing in _ACTIVE:
            assert element.nodes, f"job {element.job.id}[{element.index}] runs on no node, so no agent has it"
            assert (
                sum(n for _, n in element.nodes) == element.job.request.processors or element.cut is not None
            )
    for job in state.jobs.values():
        assert (job.id in state.open_jobs) == (not job.over), f"job {job.id} is lost"
        for element in job.known_elements():
            if element.standing in (Standing.WAITING, *_ACTIVE):
                back = job.array is not None and element.index in job.array.back
                assert (element.row >= 0) != back, (
                    f"job {job.id}[{element.index}] is {element.standing} in no table"
                )
            if element.over:
                assert element.row < 0
                assert element.end_s is not None
                assert element.end_s >= (element.start_s or job.submitted_s), f"job {job.id} ends too early"
            if element.standing is Standing.WAITING:
                assert not job.holds, f"job {job.id} waits and is held"
        if job.array is not None:
            running = sum(e.standing in _ACTIVE for e in job.known_elements())
            assert not job.array.limit or running <= job.array.limit, f"job {job.id} runs {running} at once"
