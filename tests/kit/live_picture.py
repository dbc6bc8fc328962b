"""Everything that a state says, in a form that can be compared; and what must be true of every state.

Independent of the turns and of the effects of facts: it looks at what a state holds, and ``assert_sound``
counts again what the state keeps counted.
"""

from collections import Counter
from collections.abc import Iterable
from typing import Any

import numpy as np

from molokini.model.states import JobState, NodeState
from molokini.server.state.jobs import Array, Element, Job, JobStatus
from molokini.server.state.node_names import NodeStatus
from molokini.server.state.snapshot import copy_state, pieces, state_of
from molokini.server.state.state import State
from tests.kit.live import Story, again

_ROW = (
    "state",
    "number",
    "index",
    "submit_s",
    "estimate_s",
    "width",
    "work_s",
    "start_s",
    "expected_end_s",
    "updated_s",
    "rate",
    "held",
    "reserved_s",
    "attempt",
    "needs_placement",
    "component_count",
    "user_priority",
    "boost",
    "deadline_s",
    "load",
)
_ACTIVE = (JobStatus.RUNNING, JobStatus.SUSPENDED)


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
        "numbers": state.numbers.kept(),
        "keys": dict(state.keys),
        "epoch": state.epoch,
        "paused": state.paused,
        "paused_because": state.paused_because,
        "statistics_since_s": state.statistics_since_s,
        "policy": state.policy,
        "choice": state.choice,
        "aims": {place: aim.as_json() for place, aim in state.aims.items()},
        "taken": dict(state.taken),
        "reservations": [one.as_json() for one in state.reservations.values()],
        "instances": [one.as_json() for one in state.instances],
        "reserved": (
            t.reservations.count,
            t.reservations.roll_s,
            t.reservations.from_s.tolist(),
            t.access.number.tolist(),
        ),
        "accounts": {
            name: [
                int(column[row])
                for column in (t.bank.balance, t.bank.lien, t.bank.deposited, t.bank.debited, t.bank.refunded)
            ]
            for name, row in state.ledger.accounts.items()
        },
        "banking": (t.bank.on, t.bank.debit, t.bank.successful, t.liens.count, sorted(state.ledger.opened)),
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
        "waiting": [name_of(state, row) for row in t.queue.waiting[t.queue.head : t.queue.tail].tolist()],
        "running": sorted(name_of(state, row) for row in t.queue.running[: t.queue.running_count].tolist()),
        "suspended": [name_of(state, row) for row in t.queue.suspended[: t.queue.suspended_count].tolist()],
        "processors": (
            t.machine.processors,
            t.machine.processors_in_all,
            t.machine.free,
            t.queue.wishing,
            t.nodes.count,
        ),
        "node_state": t.nodes.state.tolist(),
        "node_features": t.nodes.features.tolist(),
        "node_free": t.nodes.free.tolist(),
        "node_total": t.nodes.total.tolist(),
        "machine": state.machine.kept(),
        "clusters": dict(state.machine.clusters),
        "names": dict(state.rows.names),
        "claims": _claims(state),
        "unplaced": sorted(state.unplaced),
        "ended_parts": dict(state.ended_parts),
        "left": {place: element.left_at for place, element in state.left.items()},
        "kept_work": dict(state.kept_work),
        "sliced": dict(state.sliced),
        "deadlines": dict(state.deadlines),
        "clock": state.clock,
        "ledger": state.ledger.kept(),
        "configured_policy": state.configured_policy,
        "configured_queues": {name: queue.as_json() for name, queue in state.configured_queues.items()},
        "configured_reservations": sorted(state.configured_reservations),
    }


def _claims(state: State) -> dict[str, Any]:
    """Who has come first to the places that are taken says nothing."""
    kept = state.claims.kept()
    return {**kept, "taken": sorted(kept["taken"])}


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
        "status": str(job.status),
        "request": repr(job.request),
        **{name: getattr(job, name) for name in _DERIVED},
        "array": None if array is None else array_picture(array),
        "elements": [element_picture(element) for element in job.known_elements()],
    }


_DERIVED = (
    *("name", "queue", "account", "estimate_s", "deadline_s", "user_priority"),
    *("may_run_again", "load", "communicates"),
)
"""What is kept of a specification beside its text."""


def array_picture(array: Array) -> dict[str, Any]:
    """All but the elements; a place that nobody has to look at any more may be found late."""
    fields = {name: getattr(array, name) for name in Array.__slots__ if name not in ("elements", "passed")}
    return {**fields, "counts": {str(status): n for status, n in array.counts.items() if n}}


_ELEMENT = tuple(name.lstrip("_") for name in Element.__slots__ if name not in ("job", "row", "status"))


def element_picture(element: Element) -> dict[str, Any]:
    fields = {name: getattr(element, name) for name in _ELEMENT}
    return {**fields, "status": str(element.status), "in_tables": element.row >= 0}


def row_picture(state: State, row: int) -> dict[str, Any]:
    t = state.tables
    fields = {name: getattr(t.jobs, name)[row].item() for name in _ROW}
    credential = int(t.jobs.credential[row])
    columns = (t.credentials.user, t.credentials.queue, t.credentials.queue_priority)
    whose = tuple(int(column[credential]) for column in columns)
    return {**fields, "whose": whose, "needs_placement": wishes(state, row), "held": allocation(state, row)}


def wishes(state: State, row: int) -> list[Any]:
    """The components of a row that wishes for more than processors."""
    t, found = state.tables, []
    if not t.jobs.needs_placement[row]:
        return []
    place = int(t.jobs.components[row])
    for _ in range(int(t.jobs.component_count[row])):
        found.append(
            (
                int(t.components.tasks[place]),
                int(t.components.per_node[place]),
                int(t.components.features[place]),
                t.components.need[place].tolist(),
            )
        )
        place = int(t.components.next[place])
    return found


def allocation(state: State, row: int) -> list[tuple[int, int]]:
    """(node, tasks) of a row, by the chain of entries."""
    t, found = state.tables, []
    entry = int(t.jobs.entries[row])
    while entry >= 0:
        found.append((int(t.entries.node[entry]), int(t.entries.tasks[entry])))
        entry = int(t.entries.next[entry])
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
    _asked(state)
    _books(state)


async def assert_kept(story: Story, by_snapshot: bool = False) -> None:
    """The state is sound, and the journal (and a snapshot) bring the same one back."""
    assert_sound(story.state)
    assert_same(await again(story.journal), story.state)
    if by_snapshot:
        assert_same(through_a_snapshot(story.state), story.state)


def through_a_snapshot(state: State) -> State:
    """What is left of *state* when it has been written as a snapshot and read."""
    made = state_of(b"".join(pieces(copy_state(state, "a release"))), "a release")
    assert_sound(made)
    return made


def _asked(state: State) -> None:
    """Every row says what its job asks for, and whose it is."""
    t = state.tables
    for row, element in state.by_row.items():
        job, request, credential = element.job, element.job.request, int(t.jobs.credential[row])
        found = {
            "serial": int(t.jobs.serial[row]),
            "number": int(t.jobs.number[row]),
            "index": int(t.jobs.index[row]),
            "submitted": float(t.jobs.submit_s[row]),
            "estimate": float(t.jobs.estimate_s[row]),
            "priority": int(t.jobs.user_priority[row]),
            "deadline": float(t.jobs.deadline_s[row]),
            "load": float(t.jobs.load[row]),
            "wishes": bool(t.jobs.needs_placement[row]),
            "components": len(wishes(state, row)),
            "user": int(t.credentials.user[credential]),
            "priority of its queue": int(t.credentials.queue_priority[credential]),
        }
        queue = state.queues.get(job.queue)
        assert found == {
            "serial": job.id,
            "number": job.id,
            "index": element.index,
            "submitted": job.submitted_s,
            "estimate": element.execution_s,
            "priority": job.user_priority,
            "deadline": job.deadline_s,
            "load": job.load.size if job.load is not None else 0.0,
            "wishes": not request.counted,
            "components": 0 if request.counted else len(request.components),
            "user": state.rows.names[job.user],
            "priority of its queue": queue.priority if queue is not None else 0,
        }, f"the row of job {job.id}[{element.index}] says something else than its job"


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
    waiting = t.queue.waiting[t.queue.head : t.queue.tail].tolist()
    running, suspended = (
        t.queue.running[: t.queue.running_count].tolist(),
        t.queue.suspended[: t.queue.suspended_count].tolist(),
    )
    every = waiting + running + suspended
    assert len(set(every)) == len(every), "a row stands in the lists twice"
    for rows, wanted in (
        (waiting, JobState.WAITING),
        (running, JobState.RUNNING),
        (suspended, JobState.SUSPENDED),
    ):
        assert all(t.jobs.state[row] == wanted for row in rows), f"a row in the wrong list: {wanted}"
    in_use = np.flatnonzero(t.jobs.state).tolist()
    assert sorted(state.by_row) == in_use, "rows in use and elements in the tables are not the same"
    held = [row for row in in_use if t.jobs.state[row] == JobState.HELD]
    assert sorted(every + held) == in_use, "a row is lost"
    assert t.jobs.free_rows + len(in_use) == t.jobs.state.size, "rows leak"
    assert t.queue.leaving == 0
    keys = [(t.jobs.submit_s[r], t.jobs.number[r], t.jobs.index[r]) for r in waiting]
    assert keys == sorted(keys), "the queue is out of order"


def _processors(state: State) -> None:
    t = state.tables
    held = int(t.jobs.held.sum())
    assert t.machine.free + held == t.machine.processors, (
        f"{t.machine.free} free + {held} held != {t.machine.processors}"
    )
    assert t.machine.free >= 0
    up = [n for n in state.machine.nodes if n.status is not NodeStatus.DOWN]
    assert t.machine.processors == sum(n.processors for n in up)
    assert t.machine.processors_in_all == sum(n.processors for n in state.machine.nodes)
    draining = sum(n.status is NodeStatus.DRAINING for n in state.machine.nodes)
    assert t.queue.wishing == int(t.jobs.needs_placement.sum()) + draining


def _room(state: State) -> None:
    """What nodes have free is what they have, less what rows hold there."""
    t = state.tables
    used, entries = np.zeros_like(t.nodes.total), 0
    for row, element in state.by_row.items():
        entry = int(t.jobs.entries[row])
        # What shares processors holds none.
        holds = element.status is JobStatus.RUNNING and t.jobs.held[row] > 0
        in_place = element.status is JobStatus.SUSPENDED and entry >= 0
        assert (entry >= 0) == (holds or in_place), "an allocation without a run"
        asked = np.zeros(t.nodes.count)
        while entry >= 0:
            node, need = int(t.entries.node[entry]), t.components.need[t.entries.component[entry]].copy()
            asked[node] += t.entries.tasks[entry] * need[0]
            # What was suspended in place keeps all but processors.
            need[0] = 0.0 if in_place else need[0]
            used[node] += t.entries.tasks[entry] * need
            entries += 1
            entry = int(t.entries.next[entry])
        if in_place:
            assert {(node, int(asked[node])) for node in np.flatnonzero(asked).tolist()} == set(element.nodes)
    for record in state.machine.nodes:
        number = record.number
        down = record.status is NodeStatus.DOWN
        expected = np.zeros_like(used[number]) if down else t.nodes.total[number] - used[number]
        assert (t.nodes.free[number] == expected).all(), (
            f"{record.name}: {t.nodes.free[number]} != {expected}"
        )
        assert (expected >= 0).all(), f"{record.name} is overbooked"
        assert not (down and used[number].any()), f"{record.name} is down and used"
        states = {NodeStatus.UP: NodeState.UP, NodeStatus.DRAINING: NodeState.DRAINING}
        assert t.nodes.state[number] == states.get(record.status, NodeState.DOWN)
    # Without nodes there are no entries.
    free, entry = 0, int(t.entries.free) if t.nodes.count else -1
    while entry >= 0:
        free += 1
        entry = int(t.entries.next[entry])
    assert free + entries == t.entries.node.size, "allocation entries leak"


_ROW_OF = {
    JobStatus.WAITING: JobState.WAITING,
    JobStatus.HELD: JobState.HELD,
    JobStatus.RUNNING: JobState.RUNNING,
    JobStatus.SUSPENDED: JobState.SUSPENDED,
}


def _elements(state: State) -> None:
    t = state.tables
    for row, element in state.by_row.items():
        assert element.row == row
        assert t.jobs.state[row] == _ROW_OF[element.status], f"{element.status} is {t.jobs.state[row]}"
        if element.status in _ACTIVE:
            assert element.nodes, f"job {element.job.id}[{element.index}] runs on no node, so no agent has it"
            assert (
                sum(n for _, n in element.nodes) == element.job.request.processors or element.cut is not None
            )
    for job in state.jobs.values():
        assert (job.id in state.open_jobs) == (not job.over), f"job {job.id} is lost"
        for element in job.known_elements():
            if element.status in (JobStatus.WAITING, *_ACTIVE):
                back = job.array is not None and element.index in job.array.back
                assert (element.row >= 0) != back, (
                    f"job {job.id}[{element.index}] is {element.status} in no table"
                )
            if element.over:
                assert element.row < 0
                assert element.end_s is not None
                assert element.end_s >= (element.start_s or job.submitted_s), f"job {job.id} ends too early"
            if element.status is JobStatus.WAITING:
                assert not job.holds, f"job {job.id} waits and is held"
        if job.array is not None:
            running = sum(e.status in _ACTIVE for e in job.known_elements())
            assert not job.array.limit or running <= job.array.limit, f"job {job.id} runs {running} at once"
