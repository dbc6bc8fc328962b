"""Maui's preemption, written from its rules alone, for ``plain_world``.

User 2 preempts user 1 (``every_policy.PREEMPTING``); priorities are those of their QoSes and minutes of
waiting. One reservation, for the first that finds no room; backfill by priority (``MERGED`` windows). Nothing
is lost: then jobs are deferred, which is not written here.

Independent of Maui's preemption and of the verbs that suspend, requeue or cancel; of the product it uses the
settings of ``maui.configuration`` and how they become numbers (``vector``), which both sides are given.
"""

from dataclasses import replace
from random import Random

from molokini.model.ranks import EventKind
from molokini.policies.maui.configuration.parameters import WINDOWS
from molokini.policies.maui.configuration.vector import by_number, vector_of
from molokini.policies.maui.configuration.words import BackfillPolicy, PreemptPolicy
from tests.kit.every_policy import PREEMPTING
from tests.kit.plain_nodes import Room
from tests.kit.plain_policies import Easy
from tests.kit.plain_world import GONE, NEVER, RUNNING, SUSPENDED, WAITING, PlainJob, PlainWorld
from tests.kit.worlds import World, draw_world

PREEMPTEE, PREEMPTOR = "1", "2"
LEAST_SUSPENDED_S = 10
_LOST = (EventKind.NODE_LOST, EventKind.NODE_RETURNED)


def draw_preempting(random: Random, preempt: PreemptPolicy, backfill: BackfillPolicy) -> World:
    """A world for Maui: nodes, or processors of which some are reserved."""
    world = draw_world(random, "maui", {})
    settings = PREEMPTING.choosing(preempt=preempt, backfill=backfill, windows=WINDOWS.index("merged"))
    vector = tuple(float(one) for one in vector_of(settings, by_number))
    facts = tuple(fact for fact in world.facts if fact.kind not in _LOST)
    kept = () if world.nodes else world.reservations
    return replace(world, facts=facts, reservations=kept, vector=vector)


class PlainMaui(Easy):
    """One iteration a pass."""

    preempt = PreemptPolicy.REQUEUE
    backfill = BackfillPolicy.FIRSTFIT

    def __init__(self, world: World) -> None:
        super().__init__(world)
        self.backfilled: set[int] = set()
        self.stopped: dict[int, int] = {}
        """When each suspended job was."""
        self.head: PlainJob | None = None
        self.planned: list[tuple[float, PlainJob]] = []
        self.head_room: Room | None = None
        """Room of each node when the head starts, less what those have that are still there then."""
        self.victims: list[PlainJob] = []
        self.suspended: list[PlainJob] = []

    @property
    def horizon_s(self) -> int:
        """Who gives way begins anew, or stands still."""
        return len(self.jobs) * (self.world.horizon_s + LEAST_SUSPENDED_S)

    def priority(self, job: PlainJob, at: float) -> float:
        """What it has now, or had at its start; 1 at least."""
        total = 1000.0 if job.user == PREEMPTOR else 0.0
        return max(1.0, total + (at - job.submit) / 60.0)

    def decide(self) -> None:
        waiting = self.those(WAITING)
        ranked = sorted(waiting, key=lambda job: (-self.priority(job, self.now), job.queue_place))
        self.victims, self.suspended = self.those(RUNNING), self.those(SUSPENDED)
        self.head, self.head_room, self.planned = None, None, []
        if ranked:
            preemptors = [job for job in ranked if self.may_preempt(job)]
            self._go_on(self.priority(preemptors[0], self.now) if preemptors else -NEVER)
            self._by_priority(ranked)
        self._go_on(-NEVER)
        for job in ranked if self.backfill is not BackfillPolicy.NONE else ():
            if job.state == WAITING and job is not self.head and self._begins(job):
                self.backfilled.add(job.row)

    def may_preempt(self, job: PlainJob) -> bool:
        return job.user == PREEMPTOR or self.backfill is BackfillPolicy.PREEMPT

    def _by_priority(self, ranked: list[PlainJob]) -> None:
        for job in ranked:
            if self._begins(job) or self._preempts(job):
                continue
            if self.backfill in (BackfillPolicy.PREEMPT, BackfillPolicy.NONE):
                return
            at = self.earliest(job, [])
            if self.nodes and any(one.wishes for one in self.jobs if one.state != GONE):
                shadow, self.head_room = self.shadow(job)
                at = max(at, shadow)
            if at < NEVER:
                self.head, self.planned = job, [(at, job)]
                return

    def _spares_head(self, job: PlainJob) -> bool:
        if self.head is None or self.head_room is None:
            return True
        there_then = self.now + job.left(self.now) > self.planned[0][0]
        return not there_then or self.spares(job, self.head, self.head_room)

    def _fits_now(self, job: PlainJob) -> bool:
        if job.width > self.idle:
            return False
        return job.left(self.now) == 0 or self.fits(job, self.now, self.planned)

    def _begins(self, job: PlainJob) -> bool:
        if self._fits_now(job) and self._spares_head(job) and self.start(job):
            self.backfilled.discard(job.row)
            return True
        return False

    # Who gives way.

    def _preempts(self, row: PlainJob) -> bool:
        if not self.may_preempt(row):
            return False
        mine = self.priority(row, self.now)
        giving = [job for job in self.victims if self._gives_way(job) and self._started_with(job) <= mine]
        if self.idle + sum(job.width for job in giving) < row.width:
            return False
        giving.sort(key=lambda job: (self._started_with(job) / job.width, -(job.start or 0), -job.number))
        before = [(job, dict(vars(job))) for job in giving]
        for k, job in enumerate(giving):
            self._take_off(job)
            if self._begins(row):
                self.victims = [one for one in self.victims if one not in giving[: k + 1]]
                for gone in giving[: k + 1]:
                    self._is_off(gone)
                return True
        for job, was in before:
            vars(job).update(was)
        return False

    def _started_with(self, job: PlainJob) -> float:
        assert job.start is not None
        return self.priority(job, job.start)

    def _gives_way(self, job: PlainJob) -> bool:
        if self.backfill is BackfillPolicy.PREEMPT and job.row in self.backfilled:
            return True
        return job.user == PREEMPTEE

    def _take_off(self, job: PlainJob) -> None:
        work = job.done(self.now)
        if self.preempt is PreemptPolicy.CANCEL:
            job.state, job.work, job.end = GONE, work, self.now
        elif self.preempt is PreemptPolicy.SUSPEND:
            job.state, job.work = SUSPENDED, work
            job.suspensions += 1
        else:
            kept = self.preempt is PreemptPolicy.CHECKPOINT
            job.state, job.work = WAITING, work if kept else 0
            job.requeues, job.checkpoints = job.requeues + 1, job.checkpoints + kept
            job.lost += work - job.work
        job.places = []

    def _is_off(self, job: PlainJob) -> None:
        self.stopped[job.row] = self.now
        if job.state == WAITING:
            self.backfilled.discard(job.row)

    # Who goes on.

    def _go_on(self, highest: float) -> None:
        """Suspended jobs by priority, as long as theirs is above *highest*."""
        there = [job for job in self.suspended if job.state == SUSPENDED]
        for job in sorted(there, key=lambda job: (-self.priority(job, self.now), job.number)):
            if self.priority(job, self.now) <= highest:
                return
            if self.now < self.stopped[job.row] + LEAST_SUSPENDED_S or job.width > self.idle:
                continue
            if self.fits(job, self.now, self.planned):
                self.start(job)


def plain_maui(how: PreemptPolicy, holes: BackfillPolicy) -> type[PlainWorld]:
    """The plain Maui in which jobs give way so, and holes are filled so."""

    class Plain(PlainMaui):
        preempt, backfill = how, holes

    return Plain
