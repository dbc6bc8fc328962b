"""The state of a server: what is known of jobs, nodes, queues and tables, and where to look it up.

Facts alone change it: ``applying`` says how.
"""

from collections import Counter, OrderedDict, deque
from collections.abc import Callable
from itertools import takewhile

from molokini.feedback.aims import Aim
from molokini.feedback.keeping import Keeps
from molokini.model import facts as h
from molokini.model.choices import StandingChoice
from molokini.model.facts import Fact, PartEnded
from molokini.model.requests import Request
from molokini.model.reservations import Reservation, StandingReservation
from molokini.model.site import PLAIN, Site
from molokini.model.slicing import Slicing
from molokini.model.written_specs import SharedSpec
from molokini.policies import site_of
from molokini.server.state import queues
from molokini.server.state.claims import Claims
from molokini.server.state.element_numbers import ElementNumbers
from molokini.server.state.jobs import Element, Job
from molokini.server.state.ledger import Ledger
from molokini.server.state.node_names import Machine as Nodes
from molokini.server.state.past import Past, Pasts
from molokini.server.state.queues import Queue
from molokini.server.state.rows import Rows
from molokini.tables.rows import work_by

NO_PROMISE_S = 1e300
"""In a journalled reservation: no instant can be promised as things are (JSON knows no infinity)."""
EVENTS_KEPT = 100_000
"""Changes that a watcher can still ask for."""


class State:
    """Jobs, nodes, queues, tables; what has happened last.

    Its beginning is long because it is a list: each attribute once, with its type and what it is.
    """

    def __init__(self) -> None:
        self.machine = Nodes()
        self.rows = Rows(self.machine)
        self.tables = self.rows.tables
        self.by_row = self.rows.by_row
        self.ledger = Ledger(self.rows)
        self.queues: dict[str, Queue] = {queues.DEFAULT.name: queues.DEFAULT}
        self.claims = Claims(self.queues)
        self.says_passes = False
        """Whether the journal says where a pass was, as those of older releases do not."""
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
        self.numbers = ElementNumbers()
        """Numbers of elements of arrays, which come from the same counter as those of jobs."""
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
        self.waking: dict[int, float] = {}
        """When the delay of a condition is over, by the job that is to be looked at then."""
        self.unplaced: set[int] = set()
        """Jobs that were submitted when there was no node, as long as no node could hold them."""
        self.left: dict[tuple[int, int], Element] = {}
        """What agents from which it was taken may still run, by job and index."""
        self.ended_parts: dict[tuple[int, int], list[PartEnded]] = {}
        """Of attempts on the nodes of several agents: the parts that are over, in the order of the facts."""
        self.sliced: dict[tuple[int, int], Slicing] = {}
        """How attempts compute that do so in slices of time, by job and index."""
        self.aims: dict[tuple[int, int], Aim] = {}
        """Target rates of attempts, and where their control is, by job and index."""
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
        self.choice: StandingChoice | None = None
        """What the policy, where it chooses among others, has chosen."""
        self._site: tuple[object, Site] = (None, PLAIN)
        self.configured_policy: tuple[str, dict[str, str]] | None = None
        self.configured_queues: dict[str, Queue] = {}
        """The queues of the configuration as read last, without later changes by command."""
        self.paused = False
        """Whether the policy makes no passes, by command."""
        self.paused_because = ""
        self.statistics_since_s = 0.0
        """Statistics count what has ended since; 0: they were never reset."""
        self.epoch = 0
        self.clock = ""
        """The clock of the last start, as ``--clock`` says it; empty where that is not known."""
        self.taken: dict[str, tuple[str, int]] = {}
        """Of each agent: boot id and serial of the last report that had its effect."""
        self.serial = 0
        self.now = 0.0
        """Instant of the last fact."""
        self.present_s: Callable[[], float] = lambda: self.now
        """The present instant, for answers about jobs; a server puts its clock here."""
        self.zero_s: Callable[[], float] = lambda: 0.0
        """Where instant 0 lies on the monotonic clock, for real processes; a server puts its clock here."""
        self.cores: Callable[[str], int] = lambda name: 0
        """Cores that real processes of a node have, as its agent says; 0: as many as its processors."""
        self.keeps: Callable[[str], Keeps] = lambda name: Keeps()
        """What a node keeps of periods and slices, as its agent says, or as it is assumed."""
        self.events: deque[tuple[int, float, Fact]] = deque(maxlen=EVENTS_KEPT)
        self.ended = 0
        self.deadlines: Counter[str] = Counter()
        """Jobs that have ended, by what became of their deadlines: met, missed, refused."""

    def work_of(self, element: Element) -> float:
        """Seconds of work that an element, which runs, has done by the present instant."""
        at_s = max(self.present_s(), float(self.tables.jobs.updated_s[element.row]))
        return work_by(self.tables, element.row, at_s)

    @property
    def counts_processors(self) -> bool:
        """Whether the policy refuses jobs that request nodes."""
        return self.site.declaration.counts(self.site.values)

    @property
    def places_by_features(self) -> bool:
        """Whether jobs start only on nodes with the features that they ask for, counted as they may be.

        Not where they share processors in time: such a policy gives them to no nodes.
        """
        return not self.counts_processors or self.site.declaration.reserves(self.site.values)

    @property
    def site(self) -> Site:
        """What the policy is made of by its parameters and its configuration."""
        if self._site[0] is not self.policy:
            self._site = self.policy, site_of(*self.policy) if self.policy else PLAIN
        return self._site[1]

    def request_of(self, shared: SharedSpec) -> Request:
        """The request of a specification; BadValue or UnknownName where it can be none."""
        made: tuple[object, Request] | None = shared.request
        if made is None or made[0] is not self.rows.edition:
            spec = shared.spec
            queues = spec.get("queue", ""), spec.get("further_queues", ())
            request = self.rows.request_for(spec.get("resources", {}), *queues)
            made = shared.request = (self.rows.edition, request)
        return made[1]

    def open_queues(self) -> dict[str, tuple[str, ...]]:
        """The lists of queues that jobs have named, by their names; without queues that start no jobs."""
        known = self.queues
        return {
            name: tuple(one for one in queues if one in known and known[one].started)
            for name, queues in self.rows.queue_lists.items()
        }

    def events_after(self, after: int) -> list[tuple[int, float, Fact]]:
        """What has happened after serial *after*; the cost is that of what is new, not of what is kept."""
        found = list(takewhile(lambda event: event[0] > after, reversed(self.events)))
        found.reverse()
        return found

    def known(self, number: int) -> "Job | Past | None":
        """Job *number*, or what is still known of it once it has left; None where there never was one."""
        return self.jobs.get(number) or self.past.get(number)

    def agents_of(self, element: Element) -> tuple[str, ...]:
        """The agents that run *element*, each what lies on its own nodes, in the order of the nodes.

        None where it has no nodes. Alone that of the first node, where its job starts the rest by itself.
        """
        nodes = self.machine.nodes
        found = tuple(dict.fromkeys(nodes[number].agent for number, _ in element.nodes))
        if len(found) > 1 and element.job.spec.get("first_node_alone"):
            return found[:1]
        return found

    def working(self, element: Element) -> tuple[str, ...]:
        """Those of its agents whose parts of the attempt are not over."""
        agents = self.agents_of(element)
        ends = self.ended_parts.get((element.job.id, element.index))
        if not ends:
            return agents
        over = {end.agent for end in ends}
        return tuple(agent for agent in agents if agent not in over)

    def ends_together(self, element: Element) -> bool:
        """Whether a part of the attempt has failed, and with it all of it is to end."""
        ends = self.ended_parts.get((element.job.id, element.index), ())
        failed = [end for end in ends if end.failed]
        if not failed:
            return False
        # Without a part that never began, the others wait for it in vain.
        absent = any(end.ending is h.Ending.NOT_STARTED for end in failed)
        return absent or not element.job.spec.get("keep_going")

    def sliced_rate(self, job: int, index: int, rate: float) -> float:
        """Seconds of work a second of an attempt that is to go on at *rate*, if it is not sliced."""
        slicing = self.sliced.get((job, index))
        return slicing.share if slicing is not None else rate

    def may_still_run(self, job: int, index: int, attempt: int, agent: str) -> bool:
        """Whether *agent*, from which this attempt was taken, may still run it."""
        element = self.left.get((job, index))
        return element is not None and agent in element.left_at and element.left_attempt == attempt

    def element(self, job: int, index: int) -> Element:
        """The element *index* of *job*, which is there."""
        element = self.jobs[job].element_of(index)
        assert element is not None
        return element
