"""Maui's iterations where nodes decide, from the rules alone: each reservation is on particular nodes.

Reference, section 4; docs/maui.md. A reservation holds what its job was to have of each node. A job that
would still run when a reservation begins is placed on what is left beside it: of each node, the least that is
left at any second. Under HIGHEST a reservation keeps its nodes where it can, else its instant, else neither.

Independent of Maui's iteration, of the availability of nodes and of the tables; of the product it uses the
settings of ``maui.configuration`` and how they become numbers (``vector``), which both sides are given.
"""

from dataclasses import replace
from random import Random

from molokini.policies.maui.configuration.vector import by_number, vector_of
from molokini.policies.maui.configuration.words import BackfillPolicy, ReservationPolicy
from tests.kit.plain_iterations import HARD, OUT, PlainIterations, Rules, draw_rules
from tests.kit.plain_nodes import Place, Placing, Room, take
from tests.kit.plain_world import FUTURE, GONE, NEVER, RUNNING, PlainJob
from tests.kit.worlds import World, draw_world


def draw_holding(random: Random) -> tuple[World, Rules]:
    """A world of nodes for which jobs wish, and rules by which several jobs may have reservations."""
    while True:
        world, rules = draw_world(random, "maui", {}, crowd=random.random() < 0.5), draw_rules(random)
        several = rules.reservation is ReservationPolicy.HIGHEST or sum(n for n, _ in rules.buckets) > 1
        reserves = rules.reservation is not ReservationPolicy.NEVER
        if several and reserves and rules.backfill is not BackfillPolicy.NONE and world.nodes:
            break
    placement = "first-fit" if world.placement == "contiguous" else world.placement
    vector = tuple(float(one) for one in vector_of(rules.settings, by_number))
    return replace(world, placement=placement, vector=vector), rules


class PlainHolding(PlainIterations):
    """Reservations hold nodes while any job wishes for some."""

    def __init__(self, world: World) -> None:
        super().__init__(world)
        self.held: dict[int, list[Place]] = {}
        """What each reservation holds, also one from an earlier iteration."""

    @property
    def holding(self) -> bool:
        wishes = any(job.wishes for job in self.jobs if job.state not in (FUTURE, GONE))
        return wishes or any(one.terms.hosts for one in self.world.reservations)

    # Room beside reservations.

    def _beside(self, at: float) -> Room:
        """What running jobs and reservations leave of each node then."""
        room = self.room_at(at)
        for row, begins in self.at.items():
            job = self.jobs[row]
            if begins <= at < begins + job.left(self.now):
                for node, tasks, part in self.held[row]:
                    take(room, node, tasks, job.parts[part])
        return room

    def _least(self, first: Room, from_s: float, until_s: float) -> Room:
        """The least of *first* and of what is left whenever a reservation begins in between."""
        rooms = [first, *(self._beside(at) for at in self.at.values() if from_s <= at < until_s)]
        nodes = range(len(self.nodes))
        return [[max(0.0, min(room[n][k] for room in rooms)) for k in (0, 1)] for n in nodes]

    def _nodes_at(self, job: PlainJob, at: float, within: list[Place] | None = None) -> list[Place] | None:
        """Where *job* would be from *at* on; *within*: on these nodes, as far as it has them."""
        room = self._least(self._beside(at), at + 0.5, at + job.left(self.now))
        if within is not None:
            own: Room = [[0.0, 0.0] for _ in self.nodes]
            for node, tasks, part in within:
                take(own, node, -tasks, job.parts[part])
            room = [[min(both) for both in zip(*pair, strict=True)] for pair in zip(room, own, strict=True)]
        barred = self._barred(job, room, at, at + job.left(self.now))
        none = [0] * len(self.nodes)
        return Placing(self.nodes, self.down, self.world.placement, barred, none).place(room, job.parts)

    def _barred(self, job: PlainJob, room: Room, from_s: float, until_s: float) -> list[int]:
        """What *job* may not have of *room* because it is reserved for others at some second of these."""
        barred = [0] * len(self.nodes)
        for at in range(int(from_s), max(int(from_s) + 1, int(until_s))):
            # A job of no length is over before any reservation begins.
            left = self._beside(at) if until_s > from_s else self.room_at(at)
            for node in range(len(self.nodes)):
                free = int(left[node][0]) - self.kept_on(job, node, at)
                barred[node] = max(barred[node], int(room[node][0]) - free)
        return barred

    def place_now(self, job: PlainJob) -> list[Place] | None:
        if not self.holding:
            return super().place_now(job)
        room = self._least(self.room, 0.0, self.now + job.left(self.now))
        placing = self.placing(job, True)
        placing.barred = self._barred(job, room, self.now, self.now + job.left(self.now))
        return placing.place(room, job.parts)

    # Reservations.

    def _keep(self, ranked: list[PlainJob]) -> None:
        kept = [job for job in ranked if job.reserved is not None and self.level[job.row] > OUT]
        rows = {job.row for job in kept}
        self.held = {row: places for row, places in self.held.items() if row in rows and self.holding}
        if not self.holding:
            super()._keep(ranked)
            return
        for same in (True, False):
            for job in kept:
                assert job.reserved is not None
                at = max(job.reserved, float(self.now))
                if job.row in self.at or not self.fits(job, at, self.planned):
                    continue
                if same and job.row not in self.held:
                    continue
                self._hold(job, at, self._nodes_at(job, at, self.held[job.row] if same else None))
        for job in kept:
            if job.row not in self.at:
                self._promise(job, self._find(job, self.now, NEVER))
        for job in ranked:
            if job.row not in self.at:
                continue
            before = self.at.pop(job.row)
            at = self._find(job, self.now, before)
            self.at[job.row] = before = min(before, at)
            if before <= self.now and not self._over(job, HARD):
                del self.at[job.row]
                if self._enough or not self._begins(job):
                    self.at[job.row] = before

    def _hold(self, job: PlainJob, at: float, places: list[Place] | None) -> bool:
        if places is not None:
            self.at[job.row], self.held[job.row] = at, places
        return places is not None

    def _find(self, job: PlainJob, from_s: float, before: float) -> float:
        """The first second at which *job* finds nodes, which it holds from now on."""
        last = [self.now, *(job.expected for job in self.those(RUNNING))]
        last += [int(start + other.left(self.now)) for start, other in self.planned]
        last += [int(one.end_s) for one in self.world.reservations]
        at = from_s
        while at <= max(last) and at < before:
            if self.fits(job, at, self.planned):
                places = self._nodes_at(job, at)
                if places is not None:
                    self.held[job.row] = places
                    return at
            at += 1
        return NEVER

    def earliest(
        self, job: PlainJob, planned: list[tuple[float, PlainJob]], from_s: int | None = None
    ) -> float:
        if not self.holding:
            return super().earliest(job, planned, from_s)
        changes = [*(job.expected for job in self.those(RUNNING))]
        changes += [int(at) for one in self.world.reservations for at in (one.start_s, one.end_s)]
        changes += [int(start + other.left(self.now)) for start, other in planned]
        later = [at for at in changes if at > self.now]
        return self._find(job, min(later), NEVER) if later else NEVER


def plain_holding(how: Rules) -> type[PlainHolding]:
    """The plain iterations on nodes by these rules."""

    class Plain(PlainHolding):
        rules = how

    return Plain
