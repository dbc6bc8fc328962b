"""Rows of the tables for jobs: which job has which, and what its columns say."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import reduce
from operator import or_
from typing import Any, TypeAlias, TypeVar

from molokini.cycle.entries import Change, entries
from molokini.model.credentials import queues_in
from molokini.model.decisions import Decision
from molokini.model.facts import NO_INDEX
from molokini.model.job_specs import JobSpec, Resources
from molokini.model.machine import Machine
from molokini.model.requests import MOST_CHOICES, Request
from molokini.model.reservations import Credential, Reservation, fitted
from molokini.model.states import JobState
from molokini.model.written_specs import WrittenSpec
from molokini.server.state.clusters import asks_for_clusters
from molokini.server.state.jobs import Element, Job, JobStatus
from molokini.server.state.kept import Kept
from molokini.server.state.node_names import Machine as Nodes
from molokini.server.state.queues import Queue
from molokini.server.state.requests import licensed, request_of
from molokini.tables import transitions
from molokini.tables.additions import add_application, add_credential, add_shape
from molokini.tables.job_limits import accept_less
from molokini.tables.making import grow, make_tables
from molokini.tables.reservation_changes import set_reservations
from molokini.tables.tables import Tables

T = TypeVar("T")
_ANY = WrittenSpec({"estimate_s": 1.0})
_MOST_REQUESTS = 10_000
MOST_ROOMS = 12
"""Target rates with a bit of their own; jobs at others wait, too, but are placed without regard to room."""
LEAST_LEFT = 20
"""Bits that are left to features and queues."""
Names: TypeAlias = tuple[str, str, str, str, str]
"""User, group, queue, account and QoS, as the tables number them; empty: none."""


class Rows:
    """The tables, and the numbers in them for names outside."""

    def __init__(self, machine: Nodes) -> None:
        self.tables: Tables = make_tables(Machine(0))
        self.machine = machine
        self.by_row: dict[int, Element] = {}
        self.bounded: set[str] = set()
        """Queues with nodes of their own."""
        self.edition = object()
        """Another object whenever something that requests are judged by has changed."""
        self.room_bits: dict[tuple[int, int], int] = {}
        """Bits of nodes that have room for a target rate (millionths) on so many processors."""
        self.queue_lists: dict[str, tuple[str, ...]] = {}
        """The queues of each name that jobs of several have together."""
        self._requests: dict[tuple[Any, ...], Request] = {}
        self._credentials: dict[Names, int] = {}
        self._names: dict[str, int] = {}
        self._queue_priority: dict[str, int] = {}
        self._shapes: dict[str, int] = {}
        self._applications: dict[tuple[float, ...], int] = {}
        self._possible: dict[str, bool] = {}
        self._asked_of = 0
        """How many nodes there were when ``_possible`` was found out; queues with nodes clear it, too."""
        self._entries = entries()

    def kept(self) -> Kept:
        """The numbers behind names, as plain values, for a snapshot; the tables are kept beside."""
        return {
            "bounded": sorted(self.bounded),
            "credentials": [[*names, number] for names, number in self._credentials.items()],
            "names": dict(self._names),
            "queue_priority": dict(self._queue_priority),
            "shapes": dict(self._shapes),
            "applications": [[*costs, number] for costs, number in self._applications.items()],
            "room_bits": [[*room, bit] for room, bit in self.room_bits.items()],
        }

    def restore(self, kept: Kept, tables: Tables) -> None:
        """Become what was kept."""
        self.tables = tables
        self.bounded = set(kept["bounded"])
        self._credentials = {
            (user, group, queue, account, qos): number
            for user, group, queue, account, qos, number in kept["credentials"]
        }
        for _, _, queue, _, _ in self._credentials:
            self._note_queues(queue)
        self._names, self._shapes = kept["names"], kept["shapes"]
        self._queue_priority = kept["queue_priority"]
        self._applications = {tuple(costs): number for *costs, number in kept["applications"]}
        self.room_bits = {(target, count): bit for target, count, bit in kept.get("room_bits", ())}

    def change(
        self,
        element: Element,
        change: int,
        now: float,
        value: float = 0.0,
        argument: int = 0,
        more: int = 0,
        placed: int = 0,
    ) -> None:
        """Apply *change*, a ``Change`` or a decision with what its verb writes, to the row of *element*."""
        # numba needs 40 µs to see that a member is a number.
        self._entries.apply(self.tables, int(change), element.row, now, value, argument, more, placed)

    def free(self, element: Element, change: int, now: float) -> None:
        """Apply *change* (END or CANCEL), after which *element* has no row."""
        self.change(element, change, now)
        del self.by_row[element.row]
        element.row = -1

    def request_for(self, resources: Resources, queue: str, further: Sequence[str] = ()) -> Request:
        """The request of a job of *queue* with these resources; BadValue or UnknownName where it can be none.

        With *further* queues its nodes are of any of them all; the policy keeps to one. Most jobs ask for
        what others have asked for, so requests are kept; they say nothing that changes.
        """
        if further:
            return self._of_any(self.request_for(resources, ""), (queue, *further))
        bits = self.queue_bits(queue)
        if "licenses" in resources:
            plain: Resources = {**resources}
            asked = plain.pop("licenses")
            return licensed(self.request_for(plain, queue), asked, self.number)
        if (
            "generic" in resources
            or "features" in resources
            or "constraint" in resources
            or asks_for_clusters(resources)
        ):
            return request_of(resources, bits, self.machine)
        key = (bits, *resources.items())
        known = self._requests.get(key)
        if known is None:
            if len(self._requests) >= _MOST_REQUESTS:
                self._requests.clear()
            known = self._requests[key] = request_of(resources, bits, self.machine)
        return known

    def _of_any(self, request: Request, queues: Sequence[str]) -> Request:
        """*request* on nodes of any of *queues*, as far as it has room for one choice more."""
        bits = [self.queue_bits(name) for name in queues]
        choice = reduce(or_, bits)
        if not all(bits) or any(len(one.any_of) >= MOST_CHOICES for one in request.components):
            return request
        parts = [replace(one, any_of=tuple(sorted({*one.any_of, choice}))) for one in request.components]
        return replace(request, components=tuple(parts))

    def mark_nodes(self, queue: Queue, names: Iterable[str]) -> None:
        """A queue with nodes of its own is a feature that its nodes have and its jobs want."""
        self.edition = object()
        if not queue.nodes:
            self.bounded.discard(queue.name)
            return
        self.bounded.add(queue.name)
        self._possible.clear()
        bit = self.machine.feature(f"queue:{queue.name}", make=True)
        for name in names:
            number = self.machine.by_name[name].number
            if name in queue.nodes:
                self.tables.nodes.features[number] |= bit
            else:
                self.tables.nodes.features[number] &= ~bit

    def with_room(self, request: Request, target: int, processors: int) -> Request:
        """*request* on nodes with room for a target rate (0: none) on so many processors of each."""
        room = (target, processors)
        if not target or (room not in self.room_bits and len(self.room_bits) >= MOST_ROOMS):
            return request
        if room not in self.room_bits:
            if self.machine.features_left <= LEAST_LEFT:
                return request
            self.room_bits[room] = self.machine.feature(f"rate:{target}:{processors}", make=True)
        return _with_bits(request, self.room_bits[room], 0)

    def queue_bits(self, name: str) -> int:
        """The feature bits that a job of this queue wants of its nodes."""
        return self.machine.feature(f"queue:{name}") if name in self.bounded else 0

    def number(self, name: str) -> int:
        """The number of a user, group, queue, account, QoS or licence of this name; -1: no name."""
        return self._names.setdefault(name, len(self._names)) if name else -1

    @property
    def names(self) -> Mapping[str, int]:
        """The numbers that names have so far."""
        return self._names

    @property
    def accounts(self) -> set[str]:
        """The accounts that jobs have come with."""
        return {account for _, _, _, account, _ in self._credentials if account}

    def credential(self, user: str, spec: JobSpec) -> int:
        """The number of the combination of user, group, queue, account and QoS of a job, by its *spec*.

        Several queues have a name together, ``low,batch``, which is numbered as that of a queue.
        """
        queue = ",".join((spec.get("queue", ""), *spec.get("further_queues", ())))
        names = (user, spec.get("group", ""), queue, spec.get("account", ""), spec.get("qos", ""))
        if names not in self._credentials:
            numbers = [self.number(name) for name in names]
            number = self._credentials[names] = add_credential(self.tables, *numbers)
            self._note_queues(queue)
            self.tables.credentials.queue_priority[number] = self._priority_of(queue)
        return self._credentials[names]

    def _note_queues(self, name: str) -> None:
        if "," in name:
            self.queue_lists[name] = queues_in(name)

    def _priority_of(self, name: str) -> int:
        """That of the queue, the highest of several."""
        return max(self._queue_priority.get(one, 0) for one in self.queue_lists.get(name, (name,)))

    def chosen_queue(self, element: Element) -> str:
        """The queue in which the policy has decided to start *element*; empty: its job names but one."""
        if not element.job.further_queues:
            return ""
        number = int(self.tables.cycle.starts_in[element.row])
        return next((one for one in element.job.queues if self._names.get(one) == number), "")

    def reserve(
        self, reservations: Sequence[Reservation], roll_s: float, services: Mapping[str, int]
    ) -> None:
        """These are the reservations from now on; they change by themselves at *roll_s*.

        *services* are the places of QoSes among those that the policy finds for jobs.
        """
        nodes = self.machine.by_name
        sizes = {name: record.processors for name, record in nodes.items()}
        set_reservations(
            self.tables,
            fitted(reservations, self.tables.machine.processors_in_all, sizes),
            lambda kind, name: services.get(name, -2) if kind is Credential.SERVICE else self.number(name),
            roll_s,
            {name: record.number for name, record in nodes.items()},
            self.number,
        )

    def set_queue_priority(self, queue: Queue) -> None:
        """All jobs of *queue*, those that wait too, are of a queue of this priority from now on."""
        self._queue_priority[queue.name] = queue.priority
        for (_, _, name, _, _), number in self._credentials.items():
            if name == queue.name or queue.name in self.queue_lists.get(name, ()):
                self.tables.credentials.queue_priority[number] = self._priority_of(name)

    def _shape(self, request: Request) -> int:
        words = request.words
        if words not in self._shapes:
            self._shapes[words] = add_shape(self.tables)
        return self._shapes[words]

    def _application(self, costs: tuple[float, ...]) -> int:
        """The number of these costs of a load."""
        if costs not in self._applications:
            self._applications[costs] = add_application(self.tables, *costs)
        return self._applications[costs]

    def could_ever_hold(self, request: Request) -> bool:
        """Whether the nodes, all up and empty, could hold a job of *request*; found out once a request."""
        if self.room_bits:
            # Room for rates comes and goes.
            request = _with_bits(request, 0, sum(self.room_bits.values()))
        if self._asked_of != len(self.machine.nodes):
            self._asked_of = len(self.machine.nodes)
            self._possible.clear()
        if request.words not in self._possible:
            self._possible[request.words] = self._ask(request)
        return self._possible[request.words]

    def _ask(self, request: Request) -> bool:
        """Lends a row for one query: it is filled in, read, and given back as it was."""
        t = self.tables
        while t.jobs.free_rows == 0 or t.components.spare < len(request.components):
            grow(t)
        row = transitions.new_row(t)
        self.fill(row, Job(0, "", _ANY, 0.0, request), 0)
        possible = self._entries.apply(t, int(Change.WISH), row, 0.0, 0.0, 0, 0, 0)
        t.jobs.state[row] = JobState.HELD
        self._entries.apply(t, int(Decision.CANCEL), row, 0.0, 0.0, 0, 0, 0)
        return bool(possible)

    def take_together(self, elements: list[Element]) -> None:
        """Rows for plain jobs that were submitted together, column by column."""
        t, count = self.tables, len(elements)
        while t.jobs.free_rows < count:
            grow(t)
        t.jobs.free_rows -= count
        rows = t.jobs.free_row[t.jobs.free_rows : t.jobs.free_rows + count][::-1].copy()
        jobs = [element.job for element in elements]
        t.jobs.serial[rows] = t.jobs.number[rows] = [job.id for job in jobs]
        t.jobs.index[rows] = NO_INDEX
        t.jobs.submit_s[rows] = _column([job.submitted_s for job in jobs])
        t.jobs.estimate_s[rows] = _column([job.estimate_s for job in jobs])
        t.jobs.width[rows] = _column([job.request.processors for job in jobs])
        t.jobs.credential[rows] = _column([job.credential for job in jobs])
        t.jobs.user_priority[rows] = _column([job.user_priority for job in jobs])
        t.jobs.deadline_s[rows] = _column([job.deadline_s for job in jobs])
        if any(job.system_priority for job in jobs):
            t.jobs.boost[rows] = _column([job.system_priority for job in jobs])
            t.jobs.uneven = 1
        if any(job.least_s for job in jobs):
            t.jobs.least_s[rows] = _column([job.least_s for job in jobs])
            t.jobs.uneven = t.cycle.limiting = 1
        t.cycle.order[:count] = rows
        self._entries.submit_rows(t, count)
        for row, element in zip(rows.tolist(), elements, strict=True):
            element.row = row
            self.by_row[row] = element

    def take(self, element: Element, now: float) -> None:
        """A row for *element*, which joins the queue."""
        t, job = self.tables, element.job
        while t.jobs.free_rows == 0 or t.components.spare < len(job.request.components):
            grow(t)
        row = transitions.new_row(t)
        self.fill(row, job, element.index)
        if not job.request.counted:
            transitions.wish(t, row)
        element.row, element.status = row, JobStatus.WAITING
        self.by_row[row] = element
        self._entries.apply(t, int(Change.SUBMIT), row, now, 0.0, 0, 0, 0)

    def fill(self, row: int, job: Job, index: int) -> None:
        """The columns of a free row, and its components, as *job* wants them."""
        t = self.tables
        t.jobs.serial[row] = t.jobs.number[row] = job.id
        t.jobs.index[row] = index
        t.jobs.submit_s[row] = job.submitted_s
        t.jobs.estimate_s[row] = job.estimate_s
        t.jobs.width[row] = job.request.processors
        t.jobs.credential[row] = job.credential
        t.jobs.user_priority[row], t.jobs.deadline_s[row] = job.user_priority, job.deadline_s
        if job.system_priority:
            t.jobs.boost[row], t.jobs.uneven = job.system_priority, 1
        if job.least_s:
            accept_less(t, row, job.least_s)
        if index != NO_INDEX and job.array is not None:
            transitions.belong_to(t, row, job.id)
        if job.load is not None:
            transitions.give_load(t, row, job.load.size, job.deadline_s, self._application(job.load[1:]))
        if job.request.counted:
            return
        t.jobs.component_count[row] = len(job.request.components)
        t.jobs.shape[row] = self._shape(job.request)
        following = -1
        for component in reversed(job.request.components):
            place = t.components.free
            t.components.free = int(t.components.next[place])
            t.components.spare -= 1
            t.components.tasks[place], t.components.where[place] = component.tasks, component.where
            t.components.per_node[place] = component.tasks_per_node
            t.components.features[place] = component.features
            t.components.any_of[place] = (*component.any_of, *(0,) * (MOST_CHOICES - len(component.any_of)))
            t.components.one_of[place], t.components.apart[place] = component.one_of, component.apart
            t.components.spread[place] = component.spread
            t.components.least_nodes[place] = component.least_nodes
            t.components.most_nodes[place] = component.most_nodes
            t.components.alone[place] = component.alone
            t.components.licenses[place] = component.packed_licenses
            t.components.need[place] = 0.0
            for resource, amount in component.need.items():
                t.components.need[place, resource] = amount
            t.components.next[place] = following
            following = place
        t.jobs.components[row] = following


def _with_bits(request: Request, more: int, less: int) -> Request:
    """*request* on nodes that have the bits *more*, too, and need not have those of *less*."""
    parts = [replace(one, features=one.features & ~less | more) for one in request.components]
    return replace(request, components=tuple(parts))


def _column(values: list[T]) -> T | list[T]:
    """*values* for a column, one where all are the same: numpy takes that in a tenth of the time."""
    return values[0] if values.count(values[0]) == len(values) else values
