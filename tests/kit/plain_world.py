"""A slow scheduler of worlds, second by second with plain lists, written from the rules alone.

Independent of the engine and all below it (agenda, transitions, placement, reservations, verbs, policies); of
the product it uses the vocabulary in which a world is written (``model``: resources, reservations, kinds of
events).

Each second all that happens is applied in order of rank, and then ``decide`` (the policy) speaks, again as
long as somebody ends at this very second. It looks at every second, so whatever depends on a wake-up comes
out differently where the engine sleeps too long.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from molokini.model.ranks import EventKind
from molokini.model.reservations import Reservation
from molokini.model.resources import Resource
from tests.kit.plain_nodes import Part, Place, Placing, PlainNode, Room, take
from tests.kit.worlds import NAMES, World

NEVER = float("inf")
FUTURE, WAITING, HELD, RUNNING, SUSPENDED, GONE = "future", "waiting", "held", "running", "suspended", "gone"
Picture = dict[int, tuple[str, tuple[Place, ...]]]
"""Of each job that is there: its state, and where it is."""
_WANT = {"+": -2, "=": -1, "-": 1}
_LIKING = ("-", "=", "+")


def _entries(of: Mapping[str, tuple[str, ...]]) -> list[tuple[str, str, str]]:
    """Kind, name and sign of each entry."""
    found = []
    for kind, names in of.items():
        for name in names:
            sign = name[-1] if name[-1] in _LIKING else "+"
            found.append((kind, name.rstrip("+=-"), sign))
    return found


@dataclass(eq=False)
class PlainJob:
    """One job. Seconds are whole."""

    row: int
    submit: int
    number: int
    width: int
    estimate: int
    run: int
    user: str
    parts: tuple[Part, ...]
    wishes: bool
    state: str = FUTURE
    refused: bool = False
    work: int = 0
    since: int = 0
    start: int | None = None
    first_start: int | None = None
    end: int | None = None
    places: list[Place] = field(default_factory=list)
    reserved: float | None = None
    planned: float | None = None
    suspensions: int = 0
    requeues: int = 0
    checkpoints: int = 0
    lost: int = 0
    """Work that was done, and lost."""

    @property
    def queue_place(self) -> tuple[int, int]:
        return (self.submit, self.number)

    def left(self, now: int) -> int:
        """Estimated work that is left."""
        return self.estimate - self.done(now)

    def done(self, now: int) -> int:
        return self.work + (now - self.since if self.state == RUNNING else 0)

    @property
    def expected(self) -> int:
        """When a running job ends by its estimate."""
        return self.since + self.estimate - self.work


class PlainWorld:
    """Everything but the policy."""

    def __init__(self, world: World) -> None:
        self.world, self.now = world, 0
        columns = (Resource.PROCESSORS, Resource.MEMORY_KB)
        self.nodes = [
            PlainNode(tuple(one.capacity.get(c, 0.0) for c in columns), one.group, one.features)
            for one in world.nodes
        ]
        self.down: set[int] = set()
        self.draining: set[int] = set()
        """Nodes that run their jobs to the end and take no other; their idle processors are counted."""
        self.lost = 0
        self.jobs = [self.job_of(row) for row in range(len(world.jobs))]
        self.replan, self.holes = True, False
        self.kept_out = False
        """Whether a reservation has ever kept anybody out."""
        self.pictures: list[Picture] = []
        self.promises: list[dict[int, float]] = []
        """At each second, when each waiting job that has a reservation is to start."""
        self.eventful: list[bool] = []
        """Whether anything happened at each second."""

    def job_of(self, row: int) -> PlainJob:
        """Job number *row* of the world, which has yet to come."""
        job, request = self.world.jobs[row], self.world.requests.get(row)
        parts: tuple[Part, ...] = (Part(job.width, (1.0, 0.0)),)
        wishes = request is not None and not request.counted
        if request is not None and wishes:
            parts = tuple(
                Part(
                    one.tasks,
                    (one.need.get(Resource.PROCESSORS, 0.0), one.need.get(Resource.MEMORY_KB, 0.0)),
                    one.where,
                    one.tasks_per_node,
                    one.features,
                    one.spread,
                )
                for one in request.components
            )
        estimate = int(job.estimated)
        run = min(int(job.run), estimate)
        return PlainJob(
            row, int(job.submit), job.number, job.width, estimate, run, str(job.user), parts, wishes
        )

    # What there is.

    @property
    def horizon_s(self) -> int:
        """An instant by which all is over."""
        return self.world.horizon_s

    @property
    def up(self) -> int:
        """Processors that are there."""
        return self.world.processors - self.lost

    def those(self, state: str) -> list[PlainJob]:
        """Jobs in a state, in queue order."""
        return sorted((job for job in self.jobs if job.state == state), key=lambda job: job.queue_place)

    @property
    def idle(self) -> int:
        """Processors that nobody has. A job without any work has its own as long as the pass lasts."""
        return self.up - sum(job.width for job in self.those(RUNNING))

    @property
    def room(self) -> Room:
        """The same of each node; nothing of one that is down."""
        return self._room_beside(self.those(RUNNING))

    def there(self, at: float) -> list[PlainJob]:
        """Who runs now and, running to the estimate, will run then."""
        return [job for job in self.those(RUNNING) if job.expected > at]

    def idle_at(self, at: float) -> int:
        """Processors idle then."""
        return self.up - sum(job.width for job in self.there(at))

    def room_at(self, at: float) -> Room:
        """The same of each node."""
        return self._room_beside(self.there(at))

    def _room_beside(self, jobs: list[PlainJob]) -> Room:
        room = [list(node.total) for node in self.nodes]
        for job in jobs:
            for node, tasks, part in job.places:
                take(room, node, tasks, job.parts[part])
        return [[0.0, 0.0] if node in self.down else free for node, free in enumerate(room)]

    # What is reserved.

    def lasting(self, at: float) -> list[Reservation]:
        return [one for one in self.world.reservations if one.start_s <= at < one.end_s]

    def wants(self, job: PlainJob, one: Reservation) -> str | None:
        """The sign with which *job* is admitted, that of the most liking; None: it is not."""
        if any(self._has(job, *entry) for entry in _entries(one.terms.denied)):
            return None
        required = _entries(one.terms.required)
        if not all(self._has(job, *entry) for entry in required):
            return None
        admits = _entries(one.access)
        fits = [entry for entry in admits if self._has(job, *entry)]
        if not fits and (admits or not required):
            return None
        return max((sign for _, _, sign in fits + required), key=_LIKING.index)

    def _has(self, job: PlainJob, kind: str, name: str, sign: str) -> bool:
        return job.estimate <= int(name) if kind == "duration" else job.user == name

    def on_node(self, job: PlainJob, node: int) -> int:
        """Processors of *node* that *job* has."""
        return int(sum(tasks * job.parts[part].need[0] for n, tasks, part in job.places if n == node))

    def kept_on(self, job: PlainJob, node: int, at: float) -> int:
        """What is kept of *node* from *job* then."""
        kept = shared = 0
        for one, unused in self._unused_on(node, at):
            if self.wants(job, one) is None:
                kept, shared = (kept, max(shared, unused)) if one.terms.shared else (kept + unused, shared)
        return max(kept, shared)

    def _unused_on(self, node: int, at: float) -> list[tuple[Reservation, int]]:
        """Of each reservation of *node*, what those with access have not taken of it then.

        A job with access to several fills the first, then the next; what is beyond all counts in the last.
        """
        here = [one for one in self.lasting(at) if one.terms.hosts.get(NAMES[node], 0) > 0]
        unused = [one.terms.hosts[NAMES[node]] for one in here]
        for job in sorted(self.there(at), key=lambda job: job.expected):
            mine = [k for k, one in enumerate(here) if self.wants(job, one) is not None]
            left = self.on_node(job, node)
            for k in mine:
                if here[k].terms.shared:
                    unused[k] -= left
            own = [k for k in mine if not here[k].terms.shared]
            for k in own:
                taken = left if k == own[-1] else min(left, max(0, unused[k]))
                unused[k] -= taken
                left -= taken
        return [(one, max(0, free)) for one, free in zip(here, unused, strict=True)]

    def kept(self, job: PlainJob, at: float) -> int:
        """Processors that are kept from *job* then, and that nobody uses.

        A node that is being drained takes no new job: there is nothing to be kept of it.
        """
        room = self.room_at(at)
        taking = set(range(len(self.nodes))) - self.draining
        kept = sum(max(0, min(self.kept_on(job, n, at), int(room[n][0]))) for n in taking)
        shared = 0
        for one in self.lasting(at):
            if one.terms.hosts or self.wants(job, one) is not None:
                continue
            unused = max(0, one.processors - self._used(one, at))
            kept, shared = (kept, max(shared, unused)) if one.terms.shared else (kept + unused, shared)
        return max(kept, shared)

    def _used(self, one: Reservation, at: float) -> int:
        """What those with access have of *one*, beside what they have on nodes that are reserved for them."""
        used = 0
        for job in self.there(at):
            if self.wants(job, one) is None:
                continue
            theirs = {
                NAMES.index(name)
                for other in self.lasting(at)
                if self.wants(job, other) is not None
                for name in other.terms.hosts
            }
            used += job.width - sum(self.on_node(job, node) for node in theirs)
        return used

    def _seconds(self, job: PlainJob) -> range:
        return range(self.now, self.now + max(1, job.left(self.now)))

    def stays_out(self, job: PlainJob) -> bool:
        """Whether *job*, started now, stays out of what is reserved for others until it ends."""
        for at in self._seconds(job):
            strange = any(self.wants(job, one) is None for one in self.lasting(at))
            if strange and job.width > self.idle_at(at) - self.kept(job, at):
                return False
        return True

    # Where jobs go.

    def placing(self, job: PlainJob, beside_reserved: bool) -> Placing:
        barred, rounds = [0] * len(self.nodes), [0] * len(self.nodes)
        if beside_reserved:
            now = self.room
            for at in self._seconds(job):
                free = self.room_at(at)
                for node in range(len(self.nodes)):
                    becomes_free = int(free[node][0] - now[node][0])
                    barred[node] = max(barred[node], self.kept_on(job, node, at) - becomes_free)
            for one in self.world.reservations:
                sign = self.wants(job, one)
                if sign is None or not any(one.start_s <= at < one.end_s for at in self._seconds(job)):
                    continue
                for name in one.terms.hosts:
                    node = NAMES.index(name)
                    rounds[node] = min(rounds[node] or _WANT[sign], _WANT[sign])
        return Placing(self.nodes, self.down | self.draining, self.world.placement, barred, rounds)

    def place_now(self, job: PlainJob) -> list[Place] | None:
        return self.placing(job, True).place(self.room, job.parts)

    # What a policy may say.

    def start(self, job: PlainJob) -> bool:
        """Start or resume *job* if it has room and stays out of what is reserved."""
        assert job.state in (WAITING, SUSPENDED)
        if job.width > self.idle:
            return False
        if not self.stays_out(job):
            self.kept_out = True
            return False
        if self.nodes:
            places = self.place_now(job)
            if places is None:
                return False
            job.places = places
        if job.state == WAITING:
            job.start = self.now
            if job.first_start is None:
                job.first_start = self.now
        job.state, job.since = RUNNING, self.now
        return True

    def suspend(self, job: PlainJob) -> None:
        job.work = job.done(self.now)
        job.state, job.places = SUSPENDED, []
        job.suspensions += 1

    def decide(self) -> None:
        """One pass."""
        raise NotImplementedError

    # What happens.

    def simulate(self) -> "PlainWorld":
        """Run to the end of the world; a picture of each second is kept."""
        for second in range(self.horizon_s):
            self.now = second
            self._happen()
            while True:
                self.decide()
                self.replan = self.holes = False
                if not self.end_due():
                    break
            there = [job for job in self.jobs if job.state not in (FUTURE, GONE)]
            self.pictures.append({job.row: (job.state, tuple(job.places)) for job in there})
            waiting = self.those(WAITING)
            self.eventful.append(self.stirs())
            self.promises.append({job.row: job.reserved for job in waiting if job.reserved is not None})
            if all(job.state == GONE for job in self.jobs):
                break
        return self

    def stirs(self) -> bool:
        """Whether anything comes, ends, is said or begins at this second."""
        at = {fact.time_s for fact in self.world.facts} | {job.submit for job in self.jobs}
        at |= {job.end for job in self.jobs if job.end is not None}
        at |= {instant for one in self.world.reservations for instant in (one.start_s, one.end_s)}
        return self.now in at

    def _happen(self) -> None:
        self.end_due()
        for kind in (EventKind.NODE_LOST, EventKind.NODE_RETURNED, EventKind.CANCELLED, EventKind.HELD):
            self._facts(kind)
        for job in sorted(self.jobs, key=lambda job: job.queue_place):
            if job.state == FUTURE and job.submit == self.now:
                job.refused = not self._could_ever(job)
                job.state = GONE if job.refused else WAITING
        self._facts(EventKind.RELEASED)

    def lose_and_return(self) -> None:
        """What is lost and returns at this second, for who asks of the machine alone."""
        self._facts(EventKind.NODE_LOST)
        self._facts(EventKind.NODE_RETURNED)

    def _facts(self, kind: EventKind) -> None:
        for fact in sorted(self.world.facts, key=lambda fact: fact.subject):
            if fact.kind is kind and fact.time_s == self.now:
                self._fact(kind, fact.subject, fact.amount)

    def _fact(self, kind: EventKind, subject: int, amount: int) -> None:
        if kind is EventKind.NODE_LOST:
            self.lose(subject, amount)
        elif kind is EventKind.NODE_RETURNED:
            self.give_back(subject, amount)
        elif kind is EventKind.CANCELLED:
            self.cancel(self.jobs[subject])
        elif kind is EventKind.HELD and self.jobs[subject].state == WAITING:
            self.take_out_of_plan(self.jobs[subject])
            self.jobs[subject].state = HELD
        elif kind is EventKind.RELEASED and self.jobs[subject].state == HELD:
            self.jobs[subject].state = WAITING

    def end_due(self) -> bool:
        """Those whose work is done end; whether there are any."""
        ending = [job for job in self.those(RUNNING) if job.since + job.run - job.work == self.now]
        for job in ending:
            self.holes |= job.expected > self.now
            job.work = job.run
            job.end, job.state, job.places = self.now, GONE, []
        return bool(ending)

    def cancel(self, job: PlainJob) -> None:
        """*job* is gone, whatever it does; one that has yet to come, comes."""
        if job.state in (RUNNING, SUSPENDED):
            self.holes |= job.state == RUNNING and job.expected > self.now
            job.work, job.end = job.done(self.now), self.now
        elif job.state == WAITING:
            self.take_out_of_plan(job)
        elif job.state != HELD:
            return
        job.state, job.places = GONE, []

    def take_out_of_plan(self, job: PlainJob) -> None:
        """*job*, which waits, is planned no longer."""
        self.holes |= job.reserved is not None
        job.reserved = job.planned = None

    def lose(self, node: int, amount: int) -> None:
        """*node* is lost, or so many counted processors where it is -1, and the jobs there are requeued."""
        self.replan = True
        if node >= 0:
            for job in self.those(RUNNING):
                if any(place[0] == node for place in job.places):
                    self.requeue(job)
            self.down.add(node)
            self.lost += int(self.nodes[node].total[0])
            return
        while self.idle < amount and self.those(RUNNING):
            self.requeue(max(self.those(RUNNING), key=lambda job: (job.start or 0, job.number)))
        self.lost += amount

    def give_back(self, node: int, amount: int) -> None:
        """*node* returns, or so many counted processors where it is -1."""
        self.down.discard(node)
        self.lost -= int(self.nodes[node].total[0]) if node >= 0 else amount
        self.replan = True

    def requeue(self, job: PlainJob) -> None:
        """*job* waits again at its place in the queue; its work is lost."""
        self.holes |= job.expected > self.now
        job.requeues += 1
        job.lost += job.done(self.now)
        job.state, job.work, job.places = WAITING, 0, []
        job.reserved = job.planned = None

    def _could_ever(self, job: PlainJob) -> bool:
        if job.width > self.world.processors:
            return False
        if not job.wishes:
            return True
        none = [0] * len(self.nodes)
        empty = Placing(self.nodes, set(), self.world.placement, none, none)
        return empty.place([list(node.total) for node in self.nodes], job.parts) is not None


def members(jobs: Sequence[PlainJob]) -> list[tuple[int | None, int | None, bool]]:
    """First start, end and refusal of each job."""
    return [(job.first_start, job.end, job.refused) for job in jobs]
