"""The plain policies, written from their rules alone, for ``plain_world``.

Independent of all policies of the product, of the profile and of the shadow times: it imports nothing of the
product.
"""

from tests.kit.plain_nodes import Room, take
from tests.kit.plain_world import FUTURE, GONE, NEVER, RUNNING, SUSPENDED, WAITING, PlainJob, PlainWorld
from tests.kit.worlds import World


class Fcfs(PlainWorld):
    """Nobody overtakes."""

    def decide(self) -> None:
        self.start_in_order()

    def start_in_order(self) -> list[PlainJob]:
        """Start from the head; those that are left."""
        queue = self.those(WAITING)
        while queue and self.start(queue[0]):
            queue.pop(0)
        return queue


class FirstFit(PlainWorld):
    """Whoever fits."""

    def decide(self) -> None:
        for job in self.those(WAITING):
            self.start(job)


class ByEstimate(PlainWorld):
    """By estimate, and nobody overtakes in that order."""

    sign = 1

    def decide(self) -> None:
        for job in sorted(self.those(WAITING), key=lambda job: (self.sign * job.estimate, job.queue_place)):
            if not self.start(job):
                return


class LongestFirst(ByEstimate):
    """Longest first."""

    sign = -1


class Planning(PlainWorld):
    """What is free second by second, beside those who run and those who have a planned start."""

    def planned_free(self, at: float, planned: list[tuple[float, PlainJob]]) -> int:
        there = sum(job.width for start, job in planned if start <= at < start + job.left(self.now))
        return self.idle_at(at) - there

    def fits(self, job: PlainJob, at: float, planned: list[tuple[float, PlainJob]]) -> bool:
        """Whether *job* has room from *at* on for all of its estimate, beside what is reserved for others."""
        for k in range(max(1, job.left(self.now))):
            if self.planned_free(at + k, planned) - self.kept(job, at + k) < job.width:
                return False
        return True

    def earliest(
        self, job: PlainJob, planned: list[tuple[float, PlainJob]], from_s: int | None = None
    ) -> float:
        """The first second, of *from_s* on where it is said, from which on *job* has room."""
        last = [self.now, *(job.expected for job in self.those(RUNNING))]
        last += [int(start + other.left(self.now)) for start, other in planned if start < NEVER]
        last += [int(one.end_s) for one in self.world.reservations]
        for at in range(self.now if from_s is None else from_s, max(last) + 1):
            if self.fits(job, at, planned):
                return at
        return NEVER

    def next_change(self, planned: list[tuple[float, PlainJob]]) -> float:
        """The next second at which the free processors change, or a reservation begins or ends; NEVER: none.

        Where a planned job takes all that an end gives, nothing changes.
        """
        ends: list[float] = [job.expected for job in self.those(RUNNING)]
        ends += [at for start, job in planned for at in (start, start + job.left(self.now))]
        changes = [at for one in self.world.reservations for at in (one.start_s, one.end_s)]
        for at in ends:
            if at < NEVER and self.planned_free(at, planned) != self.planned_free(at - 1, planned):
                changes.append(at)
        return min((at for at in changes if at > self.now), default=NEVER)


class Easy(Planning, Fcfs):
    """The head has a promise; the others may pass if they leave it placeable at its shadow time."""

    def decide(self) -> None:
        queue = self.start_in_order()
        if not queue:
            return
        head, *others = queue
        others.sort(key=self.candidate_key)
        if self.world.reservations:
            self._beside_reservations(head, others)
            return
        shadow, room = self.shadow(head)
        free = self.idle_at(shadow)
        for job in others:
            if job.width > self.idle:
                continue
            after = self.now + job.left(self.now) > shadow
            if after and self.nodes:
                spares = self.spares(job, head, room)
            else:
                spares = not after or free - job.width >= head.width
            if spares and self.start(job) and after:
                free -= job.width

    def candidate_key(self, job: PlainJob) -> tuple[float, tuple[int, int]]:
        """In which order they are tried."""
        order = self.world.values.get("order", "queue")
        key = {"queue": 0, "shortest": job.left(self.now), "best-fit": -job.width}[str(order)]
        return (key, job.queue_place)

    def shadow(self, head: PlainJob) -> tuple[float, Room]:
        """The earliest end at which the head can be placed, and the room of each node then."""
        for at in sorted({job.expected for job in self.those(RUNNING)}):
            room = self.room_at(at)
            if self.idle_at(at) >= head.width and self._placeable(head, room):
                return at, room
        return NEVER, self.room_at(NEVER)

    def _placeable(self, head: PlainJob, room: Room) -> bool:
        return not self.nodes or self.placing(head, False).place(room, head.parts) is not None

    def spares(self, job: PlainJob, head: PlainJob, room: Room) -> bool:
        """Whether *job*, where it would go now, leaves the head a place; its room is taken if so."""
        places = self.place_now(job)
        if places is None:
            return False
        for node, tasks, part in places:
            take(room, node, tasks, job.parts[part])
        if self._placeable(head, room):
            return True
        for node, tasks, part in places:
            take(room, node, -tasks, job.parts[part])
        return False

    def _beside_reservations(self, head: PlainJob, others: list[PlainJob]) -> None:
        shadow = self.earliest(head, [])
        if shadow == self.now:
            # Nodes have no room for it, so it is not now.
            changes = self.next_change([])
            shadow = self.earliest(head, [], int(changes)) if changes < NEVER else NEVER
        wishing = any(job.wishes for job in self.jobs if job.state not in (FUTURE, GONE))
        wishing = wishing or bool(self.draining)
        room: Room = []
        if wishing:
            room = self.room
            if head.width > self.idle or not self._placeable(head, room):
                # Else nodes take the head now, and reservations alone keep it out.
                by_nodes, room = self.shadow(head)
                shadow = max(shadow, by_nodes)
        planned = [(shadow, head)]
        for job in others:
            if job.width > self.idle or not self.fits(job, self.now, planned):
                continue
            after = self.now + job.left(self.now) > shadow
            if not (wishing and after) or self.spares(job, head, room):
                self.start(job)


class EasyDepth(Planning):
    """The first *depth* that cannot start are planned anew at each pass.

    A job that has room by number and not on nodes is planned no earlier than the next change. A job that
    starts may be placed outside of the reserved nodes on which the plan had it. So another could start a
    second later; no pass is due for that before something happens.
    """

    outside = False
    """Whether the last pass may have placed a job so."""

    def decide(self) -> None:
        if self.outside and not self.stirs():
            return
        self.outside = False
        planned: list[tuple[float, PlainJob]] = []
        depth, reserved = self.world.values["depth"], 0
        assert isinstance(depth, int)
        for job in self.those(WAITING):
            from_s: float = self.now
            if job.width <= self.idle and self.fits(job, self.now, planned):
                if self.start(job):
                    self.outside = self.outside or any(one.terms.hosts for one in self.world.reservations)
                    continue
                from_s = self.next_change(planned)
            if reserved < depth:
                at = self.earliest(job, planned, int(from_s)) if from_s < NEVER else NEVER
                planned.append((at, job))
                reserved += 1


class Conservative(Planning):
    """Everybody has a planned start; one compression where somebody ended early or processors returned."""

    def __init__(self, world: World) -> None:
        super().__init__(world)
        self.planned_for = 0

    def decide(self) -> None:
        if self.replan:
            self._begin()
        elif self.holes:
            self._compress()
        for job in self.those(WAITING):
            if job.planned is None:
                self._put(job, self.earliest(job, self._plan()))
        for job in self.those(WAITING):
            assert job.planned is not None
            if job.planned <= self.now:
                self.start(job)

    @property
    def in_service(self) -> int:
        """Processors of nodes that take new work."""
        return self.up - sum(int(self.nodes[node].total[0]) for node in self.draining)

    def earliest(
        self, job: PlainJob, planned: list[tuple[float, PlainJob]], from_s: int | None = None
    ) -> float:
        """NEVER also where only nodes that are being drained would do."""
        return NEVER if job.width > self.in_service else super().earliest(job, planned, from_s)

    def _plan(self) -> list[tuple[float, PlainJob]]:
        return [(job.planned, job) for job in self.those(WAITING) if job.planned is not None]

    def _put(self, job: PlainJob, at: float) -> None:
        job.planned = at
        if at > self.now:
            job.reserved = at if at < NEVER else None

    def _begin(self) -> None:
        """Promises that still hold stay; the others are made again, in queue order."""
        waiting, leaves = self.those(WAITING), False
        for job in waiting:
            job.planned = None
        for job in waiting:
            if job.reserved is not None:
                at = max(job.reserved, self.now)
                if not self._still_fits(job, at, self._plan()):
                    at = self.earliest(job, self._plan())
                    leaves = leaves or self.in_service < job.width <= self.up
                self._put(job, at)
        if leaves or self.holes or 0 < self.planned_for < self.up:
            self._compress()
        self.planned_for = self.up

    def _still_fits(self, job: PlainJob, at: float, planned: list[tuple[float, PlainJob]]) -> bool:
        return job.width <= self.in_service and self.fits(job, at, planned)

    def _compress(self) -> None:
        for job in self.those(WAITING):
            if job.planned is not None:
                before, job.planned = job.planned, None
                at = min(before, self.earliest(job, self._plan()))
                job.planned = before
                if at < before:
                    self._put(job, at)


class Srpt(PlainWorld):
    """All unfinished jobs by what is left; each has its processors as long as they last."""

    def decide(self) -> None:
        everybody = self.those(WAITING) + self.those(SUSPENDED) + self.those(RUNNING)
        left, chosen = self.up, []
        for job in sorted(everybody, key=lambda job: (job.left(self.now), job.queue_place)):
            if job.width <= left:
                left -= job.width
                chosen.append(job)
        for job in self.those(RUNNING):
            if job not in chosen:
                self.suspend(job)
        for job in chosen:
            if job.state != RUNNING:
                self.start(job)


PLAIN: list[tuple[str, dict[str, int | str], type[PlainWorld]]] = [
    ("fcfs", {}, Fcfs),
    ("firstfit", {}, FirstFit),
    ("sjf", {}, ByEstimate),
    ("ljf", {}, LongestFirst),
    ("easy", {"order": "queue"}, Easy),
    ("easy", {"order": "shortest"}, Easy),
    ("easy", {"order": "best-fit"}, Easy),
    ("easy-depth", {"depth": 1}, EasyDepth),
    ("easy-depth", {"depth": 3}, EasyDepth),
    ("conservative", {}, Conservative),
    ("srpt", {}, Srpt),
]
"""Policies whose every start is known, with their parameters."""
