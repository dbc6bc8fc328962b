"""The state of a server: one method a kind of fact, and nothing else changes it.

The same methods run when a fact has just become durable and when a journal is replayed, so a state that was
recovered equals the one that was lost. They check nothing: what is journalled has been checked.
Long because what a journal means stands in one place: a method for each kind of fact.
"""

from collections import Counter, OrderedDict, deque
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from molokini.model import happened as h
from molokini.model.banks import Booking
from molokini.model.happened import NO_INDEX, Ending, Happened
from molokini.model.requests import Request
from molokini.model.reservations import Reservation, StandingReservation, of_json
from molokini.model.states import JobState, NodeState
from molokini.scheduling import transitions
from molokini.scheduling.additions import add_nodes
from molokini.scheduling.bank import owe, place_lien, renew_lien
from molokini.scheduling.entries import Change
from molokini.scheduling.tables import NEVER
from molokini.scheduling.usage import charge_as
from molokini.server import policies
from molokini.server.state import queues
from molokini.server.state.claims import Claims
from molokini.server.state.dependencies import met
from molokini.server.state.jobs import NO_JOBS, Element, Job, Standing
from molokini.server.state.ledger import DEBIT, NO_BILL, Entry, Ledger
from molokini.server.state.loads import REFUSED_FOR_DEADLINE, Cut
from molokini.server.state.machine import Machine as Nodes
from molokini.server.state.machine import NodeRecord, NodeStanding
from molokini.server.state.past import Past, Pasts, past_of
from molokini.server.state.queues import Queue
from molokini.server.state.rows import Rows

_STANDING_OF = {ending: Standing(ending.value) for ending in Ending}
NO_PROMISE_S = 1e300
"""In a journalled reservation: no instant can be promised as things are (JSON knows no infinity)."""
_WELL = (Ending.COMPLETED, Ending.TIMED_OUT)
"""Endings of jobs that are charged by who charges for success alone."""
_NO_SPEC: tuple[h.Spec, ...] = ({},)
_RARE = frozenset({"submission_key", "held", "dependencies", "begin_at_s"})
"""Fields that most jobs come without, and that decide when they join the queue."""
CONFIGURATION = "configuration"
"""Who makes the changes that a configuration file asks for."""
POLICY = "policy"
"""Who makes the changes that the policy decides by itself."""
EVENTS_KEPT = 100_000
"""Changes that a watcher can still ask for."""


class State:
    """Jobs, nodes, queues, tables; what has happened last."""

    def __init__(self) -> None:
        self.machine = Nodes()
        self.rows = Rows(self.machine)
        self.tables = self.rows.tables
        self.by_row = self.rows.by_row
        self.ledger = Ledger(self.rows)
        self.queues: dict[str, Queue] = {queues.DEFAULT.name: queues.DEFAULT}
        self.claims = Claims(self.queues)
        self.jobs: dict[int, Job] = {}
        self.open_jobs: dict[int, Job] = {}
        """Jobs that are not over, by id; in order of id."""
        self.open_by_user: dict[str, dict[int, Job]] = {}
        self.open_counts: Counter[tuple[str, str]] = Counter()
        """Jobs that are not over by (queue, user), (queue, "") and ("", user)."""
        # The first is asked for all the time, and the first leave: in a dictionary, gaps would be passed.
        self.finished: OrderedDict[int, float] = OrderedDict()
        """Jobs that are over and still here, by id: when that became known. In the order of it."""
        self.past = Pasts()
        """Jobs that are over and no longer here."""
        self.next_id = 1
        self.keys: dict[tuple[str, str], int] = {}
        """Submission keys, by user."""
        self.dependents: dict[int, set[int]] = {}
        """Jobs that wait for a job, by its id."""
        self.to_look_at: set[int] = set()
        """Jobs whose dependencies may have been met since they were last looked at."""
        self.arrays: dict[int, Job] = {}
        """Arrays with elements that have not become rows, and may."""
        self.timed: dict[int, float] = {}
        """Begin times that have not come, by job."""
        self.left: dict[tuple[int, int], Element] = {}
        """What an agent from which it was taken may still run, by job and index."""
        self.kept_work: dict[tuple[int, int], float] = {}
        """Seconds of work that checkpoints have kept, by job and index."""
        self.reservations: dict[str, Reservation | StandingReservation] = {}
        """What administrators have reserved, by name."""
        self.instances: list[Reservation] = []
        """The times of standing ones that are reserved now."""
        self.configured_reservations: set[str] = set()
        """Names of those that the configuration of the policy has made."""
        self.reserved_for: tuple[object, ...] | None = None
        """For which policy and how many nodes they were last looked at; a new process looks again."""
        self.policy: tuple[str, dict[str, str]] | None = None
        self._counting: tuple[object, bool] = (None, False)
        self.configured_policy: tuple[str, dict[str, str]] | None = None
        self.configured_queues: dict[str, Queue] = {}
        """What the configuration said last, which is not what somebody has changed since by command."""
        self.epoch = 0
        self.clock = ""
        """The clock of the last start, as ``--clock`` says it; empty where that is not known."""
        self.taken: dict[str, tuple[str, int]] = {}
        """Of each agent: boot id and serial of the last report that had its effect."""
        self.serial = 0
        self.now = 0.0
        """Instant of the last fact."""
        self.present_s: Callable[[], float] = lambda: self.now
        """The present instant, for those who tell how things stand; a server's clock is put here."""
        self.events: deque[tuple[int, float, Happened]] = deque(maxlen=EVENTS_KEPT)
        self.ended = 0
        self.deadlines: Counter[str] = Counter()
        """Jobs that have ended, by what became of their deadlines: met, missed, refused."""
        self._apply: dict[type[Happened], Callable[[Any], None]] = {
            kind: getattr(self, f"_{_snake(kind.__name__)}") for kind in Happened.__subclasses__()
        }

    def apply(self, fact: Happened, serial: int, time_s: float) -> None:
        """*fact*, number *serial* of the journal, has happened at *time_s*."""
        self.serial, self.now = serial, time_s
        self._apply[type(fact)](fact)
        self.remember(fact, serial, time_s)

    def remember(self, fact: Happened, serial: int, time_s: float) -> None:
        """Keep *fact* for those who watch."""
        if isinstance(fact, h.JobsSubmitted):
            # Watchers want to know how many; what was asked for is kept by the jobs.
            fact = h.JobsSubmitted(fact.first_id, fact.user, _NO_SPEC * len(fact.specs))
        self.events.append((serial, time_s, fact))

    @property
    def counts_processors(self) -> bool:
        """Whether the policy refuses jobs that wish for nodes."""
        if self.policy is not None and self._counting[0] is not self.policy:
            self._counting = self.policy, policies.counts_processors(self.policy[0])
        return self.policy is not None and self._counting[1]

    # The server and its machine.

    def _server_started(self, fact: h.ServerStarted) -> None:
        self.epoch, self.clock = fact.epoch, fact.clock or self.clock
        # Whatever the policy remembered is gone with the process that it lived in.
        self.tables.replan = 1

    def _nodes_added(self, fact: h.NodesAdded) -> None:
        first = len(self.machine.nodes)
        made = []
        for k, name in enumerate(fact.names):
            record = NodeRecord(
                first + k,
                name,
                fact.agent,
                fact.processors,
                fact.memory_kb,
                fact.generic,
                fact.features,
                fact.cluster,
            )
            made.append(self.machine.add(record))
        add_nodes(self.tables, made)
        self.rows.edition = object()
        for queue in self.queues.values():
            self.rows.mark_nodes(queue, fact.names)
        if self.reservations:
            self.put_reservations()

    def _node_drained(self, fact: h.NodeDrained) -> None:
        record = self.machine.node(fact.node)
        record.drained = (fact.by, fact.reason)
        if record.standing is NodeStanding.DOWN:
            # It takes no work as it is, and will take none when it returns.
            return
        if record.standing is NodeStanding.UP:
            # Placement passes a draining node by, but what runs there goes on.
            self.tables.node_state[record.number] = NodeState.DRAINING
            # Its free processors are still counted, so counting is not enough while it drains.
            self.tables.wishing += 1
        record.standing, record.reason = NodeStanding.DRAINING, fact.reason
        self.tables.replan = 1

    def _node_lost(self, fact: h.NodeLost) -> None:
        record = self.machine.node(fact.node)
        if record.standing is NodeStanding.DRAINING:
            self.tables.wishing -= 1
        if record.standing is not NodeStanding.DOWN:
            transitions.lose_node(self.tables, record.number)
        record.standing, record.reason = NodeStanding.DOWN, fact.reason

    def _node_returned(self, fact: h.NodeReturned) -> None:
        record = self.machine.node(fact.node)
        if record.standing is NodeStanding.DOWN:
            transitions.return_node(self.tables, record.number)
        elif record.standing is NodeStanding.DRAINING:
            self.tables.node_state[record.number] = NodeState.UP
            self.tables.wishing -= 1
            self.tables.replan = 1
        record.standing, record.reason, record.drained = NodeStanding.UP, "", None

    def _queue_set(self, fact: h.QueueSet) -> None:
        queue = Queue.from_json(fact.queue)
        self.queues[queue.name] = queue
        if fact.by == CONFIGURATION:
            self.configured_queues[queue.name] = queue
        self.rows.mark_nodes(queue, self.machine.by_name)
        self.rows.set_queue_priority(queue)
        self.tables.replan = 1
        if not queue.started:
            self._stop_queue(queue.name)
        # Places may have become free, by the queue's start or by a higher limit.
        self.to_look_at.update(self.claims.of_queue(queue.name))

    def _stop_queue(self, name: str) -> None:
        """What waits in the queue waits outside of the tables until it is started again."""
        for job in list(self.open_jobs.values()):
            if job.queue != name:
                continue
            for element in job.known_elements():
                if element.standing is Standing.WAITING and element.row >= 0:
                    self._leave(element, Change.CANCEL)
                    element.standing = Standing.HELD
                    element.reason = self.claims.why_not(job)
                    self.claims.wait(job)

    def _queue_removed(self, fact: h.QueueRemoved) -> None:
        del self.queues[fact.name]
        if fact.by == CONFIGURATION:
            # If it is named there again, it shall be there again.
            self.configured_queues.pop(fact.name, None)

    def _policy_set(self, fact: h.PolicySet) -> None:
        self.policy = (fact.name, fact.parameters)
        charge_as(self.tables, *policies.charging(fact.name, fact.parameters), self.now)
        self.put_bank()
        # Numbered here, they are the same after a recovery; a policy looks for credentials by number.
        for _, name in policies.names(fact.name, fact.parameters):
            self.rows.number(name)
        if fact.by == CONFIGURATION:
            self.configured_policy = self.policy
        if self.reservations:
            self.put_reservations()

    # The bank.

    def put_bank(self) -> None:
        """Tell ledger and tables of the bank that the policy asks for."""
        bank, rules = policies.banking(*self.policy) if self.policy else (None, None)
        self.ledger.put(bank, rules, self.rows.accounts)

    def _account_booked(self, fact: h.AccountBooked) -> None:
        booking = Booking(fact.booking)
        balance = self.ledger.book(fact.account, booking, fact.amount)
        line = Entry(self.serial, self.now, fact.account, fact.booking, fact.amount, balance, fact.job)
        self.ledger.note(replace(line, by=fact.by, reason=fact.reason))

    def _lien_placed(self, fact: h.LienPlaced) -> None:
        row, account = self._element(fact.job, fact.index).row, self.ledger.accounts[fact.account]
        place_lien(self.tables, row, account, fact.price, fact.amount)

    def _settle(self, element: Element, at_s: float, well: bool) -> None:
        """The account that pays for *element*, if any, is debited for what it did up to *at_s*."""
        t, row = self.tables, element.row
        account = int(t.lien_account[row]) if t.liens else 0
        if not account:
            return
        before = int(t.bank_balance[account])
        until_s = min(self.now, max(at_s, float(t.job_updated_s[row])))
        self.rows.change(element, Change.SETTLE, until_s, float(well))
        self._note_debit(element, account, before)

    def _note_debit(self, element: Element, account: int, before: int) -> None:
        """*account*, which had a balance of *before*, may have been debited for *element*."""
        balance, name = int(self.tables.bank_balance[account]), self.ledger.name_of(account)
        if balance != before:
            line = (self.serial, self.now, name, DEBIT, before - balance, balance)
            self.ledger.note(Entry(*line, element.job.id, element.index))

    # Reservations.

    def _reservation_made(self, fact: h.ReservationMade) -> None:
        made = of_json(fact.reservation)
        self.reservations[made.name] = made
        if fact.by == CONFIGURATION:
            self.configured_reservations.add(made.name)
        if isinstance(made, StandingReservation):
            self.instances.extend(made.instances(self.now))
        self.put_reservations()

    def _reservation_released(self, fact: h.ReservationReleased) -> None:
        gone = self.reservations.pop(fact.name)
        self.configured_reservations.discard(fact.name)
        if isinstance(gone, StandingReservation):
            self.instances = [one for one in self.instances if not one.name.startswith(f"{gone.name}.")]
        self.put_reservations()

    def _reservations_rolled(self, fact: h.ReservationsRolled) -> None:
        for one in list(self.reservations.values()):
            if isinstance(one, Reservation) and one.end_s <= self.now:
                del self.reservations[one.name]
        self.instances = [made for one in fact.instances if isinstance(made := of_json(one), Reservation)]
        self.put_reservations()

    def put_reservations(self) -> None:
        """Tell the tables of the reservations as they are now."""
        single = [one for one in self.reservations.values() if isinstance(one, Reservation)]
        rolls = [
            one.next_roll_s(self.now)
            for one in self.reservations.values()
            if isinstance(one, StandingReservation)
        ]
        ends = [one.end_s for one in single]
        services = policies.services(*self.policy) if self.policy else {}
        self.rows.reserve([*single, *self.instances], min([*rolls, *ends], default=NEVER), services)

    # Jobs before they run.

    def _jobs_submitted(self, fact: h.JobsSubmitted) -> None:
        plain: list[Element] = []
        theirs = self.open_by_user.setdefault(fact.user, {})
        queues: Counter[str] = Counter()
        for number, spec in enumerate(fact.specs, fact.first_id):
            job = Job(number, fact.user, spec, self.now, self.request_of(spec))
            self.jobs[number] = self.open_jobs[number] = theirs[number] = job
            queues[job.queue] += 1
            job.credential = self.rows.credential(job, spec)
            if job.account and self.ledger.bank is not None:
                self.ledger.open(job.account)
            if job.element is not None and _RARE.isdisjoint(spec):
                job.eligible_s = self.now
                self._enter(job.element, plain)
            else:
                self._submit_with_more(job, spec)
                self._become_eligible_if_free(job, plain)
        for queue, count in queues.items():
            self._count(queue, fact.user, count)
        self.next_id = fact.first_id + len(fact.specs)
        if plain:
            self.rows.take_together(plain)

    def request_of(self, spec: h.Spec) -> Request:
        """The request of a specification; BadValue or UnknownName where it can be none."""
        made: tuple[object, Request] | None = getattr(spec, "request", None)
        if made is not None and made[0] is self.rows.edition:
            return made[1]
        request = self.rows.request_for(spec.get("resources", {}), spec.get("queue", ""))
        if isinstance(spec, h.WrittenSpec):
            spec.request = (self.rows.edition, request)
        return request

    def known(self, number: int) -> "Job | Past | None":
        """Job *number*, or what is still known of it once it has left; None where there never was one."""
        return self.jobs.get(number) or self.past.get(number)

    def take_up(self, job: Job) -> None:
        """*job*, of a snapshot, is one of ours, and counts where it is not over."""
        self.jobs[job.id] = job
        self.left.update(((job.id, one.index), one) for one in job.known_elements() if one.left_at)
        if not job.over:
            self.open_jobs[job.id] = self.open_by_user.setdefault(job.user, {})[job.id] = job
            self._count(job.queue, job.user, 1)

    def _submit_with_more(self, job: Job, spec: h.Spec) -> None:
        """What most jobs do not ask for, which keeps them from the queue."""
        key = spec.get("submission_key")
        if key:
            self.keys[job.user, key] = job.id
        if spec.get("held"):
            job.holds = frozenset({"user"})
        if "dependencies" in spec:
            self._wait_for_others(job, spec["dependencies"])
        begin_s = spec.get("begin_at_s", 0.0)
        if begin_s > self.now:
            self.timed[job.id] = begin_s

    def _count(self, queue: str, user: str, by: int) -> None:
        for key in ((queue, user), (queue, ""), ("", user)):
            self.open_counts[key] += by

    def _wait_for_others(self, job: Job, dependencies: list[dict[str, Any]]) -> None:
        waits = frozenset(one["job_id"] for one in dependencies if not self._met(one))
        job.waits_for = waits
        if any(one["kind"] == "SINGLETON" for one in dependencies):
            job.waits_for |= self._earlier_namesakes(job)
        for other in job.waits_for:
            self.dependents.setdefault(other, set()).add(job.id)
        if any(one.over for n in job.waits_for if (one := self.known(n)) is not None):
            # It has ended, and not as it should: nobody will tell.
            self.to_look_at.add(job.id)

    def _met(self, dependency: dict[str, Any]) -> bool:

        return dependency["kind"] == "SINGLETON" or met(dependency["kind"], self.known(dependency["job_id"]))

    def _earlier_namesakes(self, job: Job) -> frozenset[int]:
        return frozenset(
            other.id
            for other in self.open_jobs.values()
            if other.user == job.user and other.name == job.name and other.id < job.id
        )

    def _become_eligible_if_free(self, job: Job, plain: list[Element] | None = None) -> None:
        """Let *job* join the queue where nothing is in its way; a plain job by way of *plain*, if given."""
        if job.holds or job.waits_for or job.id in self.timed or job.over:
            for element in job.known_elements():
                if element.row < 0 and element.standing is Standing.WAITING:
                    element.standing = Standing.HELD
            return
        if job.eligible_s is None:
            job.eligible_s = self.now
        if job.array is not None:
            if job.array.unready:
                self.arrays[job.id] = job
            for element in job.known_elements():
                if element.index in job.array.back:
                    element.standing = Standing.WAITING
                elif element.standing is Standing.HELD and element.row < 0 and not element.holds:
                    self._enter(element)
        elif job.element is not None and job.element.row < 0:
            self._enter(job.element, plain)

    def _enter(self, element: Element, plain: list[Element] | None = None) -> None:
        """*element* becomes a row that a policy sees, where its queue has room for it."""
        job = element.job
        if job.array is not None:
            job.array.back.discard(element.index)
        if self.claims.room(job) <= 0:
            element.standing, element.reason = Standing.HELD, self.claims.why_not(job)
            self.claims.wait(job)
            return
        self.claims.take(job)
        self.to_look_at.update(self.claims.first(job.queue, job.user))
        element.reason = ""
        if plain is not None and job.request.counted and job.load is None:
            plain.append(element)
        else:
            self.rows.take(element, self.now)
            if element.attempt:
                self.tables.job_attempt[element.row] = element.attempt + 1
                self.tables.job_work_s[element.row] = self.kept_work.get((job.id, element.index), 0.0)
                owe(self.tables, element.row, *self.ledger.bills.get((job.id, element.index), NO_BILL))
                self.tables.uneven = 1

    def _leave(self, element: Element, change: int) -> None:
        """*element* gives its row back, and its place to the next that waits for one."""
        job = element.job
        self.rows.free(element, change, self.now)
        self.claims.give(job.queue, job.user)
        self.to_look_at.update(self.claims.first(job.queue, job.user))

    def _elements_ready(self, fact: h.ElementsReady) -> None:
        job = self.jobs[fact.job]
        assert job.array is not None
        for index in fact.indices:
            element = job.array.elements.get(index) or Element(job, index)
            if index not in job.array.back:
                job.array.add(element)
            self._enter(element)
        if not job.array.unready:
            self.arrays.pop(job.id, None)

    def _job_eligible(self, fact: h.JobEligible) -> None:
        job = self.jobs[fact.job]
        self.timed.pop(job.id, None)
        job.waits_for = NO_JOBS
        self._become_eligible_if_free(job)

    def _job_held(self, fact: h.JobHeld) -> None:
        job = self.jobs[fact.job]
        job.version += 1
        if fact.index != NO_INDEX:
            self._hold_element(self._known(job, fact.index), fact)
            return
        job.holds |= {fact.hold}
        self.arrays.pop(job.id, None)
        for element in job.known_elements():
            if element.standing is Standing.WAITING and element.row >= 0:
                self.rows.change(element, Change.HOLD, self.now)
            if element.standing is Standing.WAITING:
                element.standing, element.reason = Standing.HELD, fact.reason

    def _known(self, job: Job, index: int) -> Element:
        """The element *index*, which nobody may have heard of before."""
        element = job.element_of(index)
        if element is None:
            assert job.array is not None
            element = Element(job, index)
            job.array.add(element)
            if not job.array.unready:
                self.arrays.pop(job.id, None)
        return element

    def _hold_element(self, element: Element, fact: h.JobHeld) -> None:
        element.holds |= {fact.hold}
        if element.standing in (Standing.WAITING, Standing.HELD):
            if element.row >= 0:
                self._leave(element, Change.CANCEL)
            self._set_apart(element, fact.reason)

    def _set_apart(self, element: Element, reason: str) -> None:
        """*element*, which is no row, stays so until somebody releases it; others of its array go on."""
        job = element.job
        assert job.array is not None
        element.standing, element.reason = Standing.HELD, reason
        job.array.back.discard(element.index)
        job.array.apart.add(element.index)
        if not job.array.unready:
            self.arrays.pop(job.id, None)
        if self.claims.waits(job) and not any(
            one.standing is Standing.HELD and one.row < 0 and not job.array.keeps(one)
            for one in job.known_elements()
        ):
            # It was the one that waited for a place: the next may have it.
            self.claims.forget(job)
            self.to_look_at.update(self.claims.first(job.queue, job.user))

    def _release_element(self, element: Element, holds: tuple[str, ...]) -> None:
        array = element.job.array
        element.holds -= set(holds)
        if element.holds or array is None or element.index not in array.apart:
            return
        # It becomes a row again when its array's limit and the free processors allow.
        array.apart.discard(element.index)
        array.back.add(element.index)
        element.reason = ""
        if element.job.eligible_s is not None and not element.job.holds:
            element.standing = Standing.WAITING
            self.arrays[element.job.id] = element.job

    def _job_released(self, fact: h.JobReleased) -> None:
        job = self.jobs[fact.job]
        job.version += 1
        if fact.index != NO_INDEX:
            self._release_element(self._element(fact.job, fact.index), fact.holds)
            return
        job.holds -= set(fact.holds)
        for element in job.known_elements():
            if element.holds:
                self._release_element(element, fact.holds)
        if job.holds:
            for element in job.known_elements():
                if element.standing is Standing.HELD:
                    # It was said of a hold that may be gone; the others speak for themselves.
                    element.reason = ""
            return
        for element in job.known_elements():
            if element.standing is Standing.HELD and element.row >= 0:
                self.rows.change(element, Change.RELEASE, self.now)
                element.standing, element.reason = Standing.WAITING, ""
        self._become_eligible_if_free(job)

    def _job_altered(self, fact: h.JobAltered) -> None:
        job = self.jobs[fact.job]
        self.claims.forget(job)
        for element in job.known_elements():
            # Out and in again: the row's place, components and plan are those of the new wish.
            if element.row >= 0 and element.standing in (Standing.WAITING, Standing.HELD):
                self._leave(element, Change.CANCEL)
                element.standing = Standing.HELD
        self._count(job.queue, job.user, -1)
        job.spec = {**job.spec, **fact.changes}
        self._count(job.queue, job.user, 1)
        job.version += 1
        if "begin_at_s" in fact.changes:
            self.timed.pop(job.id, None)
            if fact.changes["begin_at_s"] > self.now:
                self.timed[job.id] = fact.changes["begin_at_s"]
                self.arrays.pop(job.id, None)
                job.eligible_s = None
        job.request, job.credential = self.request_of(job.spec), self.rows.credential(job, job.spec)
        if self.ledger.bank is not None:
            self.ledger.open(job.account)
        for element in job.known_elements():
            self._alter(element)
        self._become_eligible_if_free(job)
        self.tables.replan = 1

    def _alter(self, element: Element) -> None:
        if element.row < 0:
            return
        row, t = element.row, self.tables
        t.job_estimate_s[row] = element.execution_s
        t.job_credential[row], t.job_user_priority[row] = element.job.credential, element.job.user_priority
        t.job_deadline_s[row] = element.job.deadline_s
        if element.standing is Standing.RUNNING:
            renew_lien(t, row)
            # A new estimate is a new expected end, by which running rows are sorted.
            self.rows.change(element, Change.SHARE, self.now, float(t.job_rate[row]))

    # Jobs that run.

    def _job_reserved(self, fact: h.JobReserved) -> None:
        element = self._element(fact.job, fact.index)
        promised = fact.start_s < NO_PROMISE_S
        element.reserved_s = fact.start_s if promised else None
        start_s = fact.start_s if promised else NEVER
        self.rows.change(element, Change.RESERVE, self.now, start_s)

    def _job_bypassed(self, fact: h.JobBypassed) -> None:
        row = self._element(fact.job, fact.index).row
        transitions.bypass(self.tables, row, fact.times)

    def _job_accrues(self, fact: h.JobAccrues) -> None:
        row = self._element(fact.job, fact.index).row
        transitions.accrue(self.tables, row, fact.after_s if fact.after_s < NO_PROMISE_S else NEVER)

    def _job_molded(self, fact: h.JobMolded) -> None:
        element = self._element(fact.job, fact.index)
        element.cut = Cut(fact.rule, fact.processors, fact.execution_s)
        transitions.mold(self.tables, element.row, fact.processors, fact.execution_s)

    def _job_started(self, fact: h.JobStarted) -> None:
        element = self._element(fact.job, fact.index)
        element.attempt, element.start_s = fact.attempt, self.now
        if element.first_start_s is None:
            element.first_start_s = self.now
        element.standing, element.reason, element.reserved_s = Standing.RUNNING, "", None
        element.job.version += 1
        self._go(element, Change.START, fact.placed, fact.rate, fact.exclusive)
        if element.job.communicates:
            element.parts = self.machine.processors_by_cluster(element.nodes)
        self._leave_agent(element, element.left_at)
        self._tell_dependents(element.job)

    def _job_resumed(self, fact: h.JobResumed) -> None:
        element = self._element(fact.job, fact.index)
        element.standing, element.reason = Standing.RUNNING, ""
        before = self.agent_of(element)
        self._go(element, Change.RESUME, fact.placed, fact.rate, fact.exclusive)
        self._leave_agent(element, before)

    def _job_moved(self, fact: h.JobMoved) -> None:
        element = self._element(fact.job, fact.index)
        before = self.agent_of(element)
        self._go(element, Change.MOVE, fact.placed, 1.0, True)
        self._leave_agent(element, before)

    def agent_of(self, element: Element) -> str:
        """The agent of the first node of *element*, which runs all of it; empty where it has none."""
        return self.machine.nodes[element.nodes[0][0]].agent if element.nodes else ""

    def _leave_agent(self, element: Element, before: str) -> None:
        """*element* has its place; *before* was told to run it and may still do so.

        An agent that was never told, because another might still run it, has nothing to leave.
        """
        before = element.left_at or before
        self._set_left(element, "" if before == self.agent_of(element) else before)

    def may_still_run(self, job: int, index: int, attempt: int, agent: str) -> bool:
        """Whether *agent*, from which this attempt was taken, may still run it."""
        element = self.left.get((job, index))
        return element is not None and (element.left_at, element.left_attempt) == (agent, attempt)

    def _set_left(self, element: Element, agent: str) -> None:
        if agent != element.left_at:
            element.left_at, element.left_attempt = agent, element.attempt if agent else 0
        if agent:
            self.left[element.job.id, element.index] = element
        else:
            self.left.pop((element.job.id, element.index), None)

    def _attempt_gone(self, fact: h.AttemptGone) -> None:
        self._set_left(self._element(fact.job, fact.index), "")

    def _go(self, element: Element, change: int, placed: h.Placed, rate: float, exclusive: bool) -> None:
        t, used = self.tables, dict[int, int]()
        for k, (node, tasks, component) in enumerate(placed):
            t.placed_node[k], t.placed_tasks[k], t.placed_component[k] = node, tasks, component
            used[node] = used.get(node, 0) + tasks * int(t.component_need[component, 0])
        element.nodes = tuple(used.items())
        self.rows.change(element, change, self.now, rate, int(exclusive), len(placed))

    def _job_suspended(self, fact: h.JobSuspended) -> None:
        element = self._element(fact.job, fact.index)
        element.standing, element.reason = Standing.SUSPENDED, fact.reason
        self.rows.change(element, Change.SUSPEND, self.now)

    def _job_shared(self, fact: h.JobShared) -> None:
        element = self._element(fact.job, fact.index)
        self.rows.change(element, Change.SHARE, self.now, fact.rate)

    def _job_requeued(self, fact: h.JobRequeued) -> None:
        element = self._element(fact.job, fact.index)
        if fact.by == POLICY:
            # Nobody has waited for the agent's word.
            self._set_left(element, element.left_at or self.agent_of(element))
        element.standing, element.reason, element.start_s = Standing.WAITING, fact.reason, None
        element.stopping = ""
        element.job.version += 1
        self._keep_work(element, fact.kept_s)
        if element.row >= 0:
            self._requeue_row(element, fact.kept_s > 0.0)
        if element.holds:
            self._leave(element, Change.CANCEL)
            self._set_apart(element, fact.reason)
        elif element.job.holds:
            self.rows.change(element, Change.HOLD, self.now)
            element.standing = Standing.HELD

    def _keep_work(self, element: Element, work_s: float) -> None:
        """So much of its work is done, whatever becomes of its row, when *element* starts again."""
        place = (element.job.id, element.index)
        if work_s > 0.0:
            self.kept_work[place] = work_s
        else:
            self.kept_work.pop(place, None)
            self.ledger.bills.pop(place, None)

    def _requeue_row(self, element: Element, keep: bool) -> None:
        t = self.tables
        if keep:
            self._requeue_kept(element)
            return
        self._settle(element, self.now, well=False)
        if t.job_state[element.row] == JobState.SUSPENDED:
            # A suspended job holds no processors: it goes and comes again.
            self.rows.free(element, Change.CANCEL, self.now)
            self.rows.take(element, self.now)
            t.job_attempt[element.row] = element.attempt + 1
            t.uneven = 1
            return
        self.rows.change(element, Change.REQUEUE, self.now)

    def _requeue_kept(self, element: Element) -> None:
        """A running job goes back with its work, and with what its account has paid for that."""
        t, row = self.tables, element.row
        account = int(t.lien_account[row])
        before = int(t.bank_balance[account])
        self.rows.change(element, Change.REQUEUE, self.now, exclusive=1)
        if account:
            self._note_debit(element, account, before)
            self.ledger.bills[element.job.id, element.index] = (account, int(t.lien_billed[row]))

    def _job_stopping(self, fact: h.JobStopping) -> None:
        element = self._element(fact.job, fact.index)
        element.stopping, element.reason = fact.how, fact.reason

    def _job_ended(self, fact: h.JobEnded) -> None:
        job = self.jobs[fact.job]
        job.version += 1
        if fact.index == NO_INDEX and job.array is not None:
            self._end_unmade(job, fact)
        else:
            self._end_element(self._known(job, fact.index), fact)
        if job.over and self.open_jobs.pop(job.id, None) is not None:
            del self.open_by_user[job.user][job.id]
            if not self.open_by_user[job.user]:
                del self.open_by_user[job.user]
            self._count(job.queue, job.user, -1)
            self.timed.pop(job.id, None)
            self.arrays.pop(job.id, None)
            self.claims.forget(job)
            self.finished[job.id] = self.now
            self._tell_dependents(job)

    def _jobs_retired(self, fact: h.JobsRetired) -> None:
        for number in fact.jobs:
            job = self.jobs.pop(number)
            self.past.add(number, past_of(job))
            job.part()
            self.finished.pop(number)

    def _end_unmade(self, job: Job, fact: h.JobEnded) -> None:
        assert job.array is not None
        for element in list(job.array.elements.values()):
            if element.standing in (Standing.WAITING, Standing.HELD):
                self._end_element(element, fact)
        job.array.drop()
        self.arrays.pop(job.id, None)

    def _end_element(self, element: Element, fact: h.JobEnded) -> None:
        self.ended += 1
        if element.job.array is not None:
            element.job.array.ended += 1
            element.job.array.apart.discard(element.index)
            element.job.array.back.discard(element.index)
        running = element.standing is Standing.RUNNING
        element.standing, element.end_s = _STANDING_OF[fact.ending], fact.at_s
        element.exit_code, element.signal, element.memory_kb = fact.exit_code, fact.signal, fact.memory_kb
        element.reason, element.reserved_s, element.stopping = fact.reason, None, ""
        self._set_left(element, "")
        self._keep_work(element, 0.0)
        element.earliest_deadline_s = fact.earliest_deadline_s
        self._count_deadline(element)
        if element.row >= 0:
            self._settle(element, fact.at_s, fact.ending in _WELL)
            change = Change.END if running else Change.CANCEL
            self._leave(element, change)

    def _count_deadline(self, element: Element) -> None:
        if element.deadline_met is not None:
            self.deadlines["met" if element.deadline_met else "missed"] += 1
        elif element.standing is Standing.REFUSED and element.reason in REFUSED_FOR_DEADLINE:
            self.deadlines["refused"] += 1

    def _tell_dependents(self, job: Job) -> None:
        """Dependents of *job* that may be free now; the next turn looks at them."""
        waiting = self.dependents.get(job.id)
        if waiting and job.over:
            self.dependents.pop(job.id)
        self.to_look_at.update(waiting or ())

    def _element(self, job: int, index: int) -> Element:
        element = self.jobs[job].element_of(index)
        assert element is not None
        return element

    # For the record.

    def _reports_taken(self, fact: h.ReportsTaken) -> None:
        self.taken[fact.agent] = (fact.boot_id, fact.serial)

    def _command_taken(self, fact: h.CommandTaken) -> None:
        pass


def _snake(name: str) -> str:
    return "".join(f"_{c.lower()}" if c.isupper() else c for c in name).lstrip("_")
