"""Maui's iterations, from its rules alone, for ``plain_world``: which jobs start, which get a promise.

Paper, section 3, steps 4 to 8; docs/maui.md. Levels by limits of users, buckets of reservations, windows of
backfill; jobs are counted, so of nodes only the number of processors matters. No job gives way here (that is
``plain_maui``), and none is deferred.

Independent of Maui's iteration (selection, reservations, backfill), of the profile and of the tables; of the
product it uses the settings of ``maui.configuration`` and how they become numbers (``vector``), which both
sides are given.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from random import Random

from molokini.policies.maui.configuration.parameters import WINDOWS
from molokini.policies.maui.configuration.settings import Bucket, Credential, Limit, MauiSettings, Qos, Weight
from molokini.policies.maui.configuration.vector import by_number, vector_of
from molokini.policies.maui.configuration.words import (
    Accrual,
    BackfillMetric,
    BackfillPolicy,
    Component,
    Factor,
    LimitKind,
    QosFlag,
    ReservationPolicy,
)
from tests.kit.plain_policies import Planning
from tests.kit.plain_world import NEVER, RUNNING, WAITING, PlainJob
from tests.kit.worlds import USERS, World, draw_world

OUT, HARD, SOFT = 0, 1, 2
"""May not start in this iteration, may by hard limits alone, may by soft limits, too."""
_METRICS = (BackfillMetric.PROCESSORS, BackfillMetric.PROCESSOR_SECONDS, BackfillMetric.SECONDS)


@dataclass(frozen=True)
class Rules:
    """What is set. Each user has a QoS of its own: priority, flags, limits of active and of eligible jobs."""

    backfill: BackfillPolicy
    metric: BackfillMetric
    windows: str
    depth: int
    """Candidates of a window; 0: all."""
    reservation: ReservationPolicy
    buckets: tuple[tuple[int, tuple[str, ...]], ...]
    """So many jobs of these users."""
    most_starts: int
    by_queue_time: float
    priority: dict[str, int]
    flags: dict[str, frozenset[QosFlag]]
    active: dict[str, dict[LimitKind, Limit]]
    idle: dict[str, int]

    @property
    def settings(self) -> MauiSettings:
        """The same for the policy."""
        made = MauiSettings(
            components={Component.CREDENTIAL: Weight(1.0)},
            factors={Factor.QOS: Weight(1.0), Factor.QUEUE_TIME: Weight(self.by_queue_time)},
            users={
                user: Credential(
                    qos_default=f"q{user}",
                    active=self.active.get(user, {}),
                    idle={LimitKind.JOBS: float(self.idle[user])} if user in self.idle else {},
                )
                for user in map(str, USERS)
            },
            qos={
                f"q{user}": Qos(priority=self.priority[user], flags=self.flags[user])
                for user in map(str, USERS)
            },
            buckets=tuple(
                Bucket(depth, tuple(f"q{user}" for user in users)) for depth, users in self.buckets
            ),
        )
        return made.choosing(
            backfill=self.backfill,
            backfill_metric=self.metric,
            backfill_depth=self.depth,
            windows=WINDOWS.index(self.windows),
            reservation=self.reservation,
            max_starts=self.most_starts,
            accrual=Accrual.ALWAYS,
            defer_s=0.0,
        )


def draw_rules(random: Random) -> Rules:
    """Rules of which each is drawn or left out by itself."""
    users = [str(user) for user in USERS]
    depth = random.choice([0, 0, 1, 2])
    kinds = [LimitKind.JOBS, LimitKind.PROCESSORS]
    if depth == 0:
        # These open as time passes, and then another candidate would be the last of so many.
        kinds += [LimitKind.PROCESSOR_SECONDS, LimitKind.WALL_TIME]
    buckets: tuple[tuple[int, tuple[str, ...]], ...] = ((random.choice([0, 1, 1, 2, 3]), ()),)
    if random.random() < 0.3:
        some = tuple(random.sample(users, random.randint(1, 2)))
        others = tuple(user for user in users if user not in some) if random.random() < 0.7 else ()
        buckets = ((random.randint(0, 2), some), *([(random.randint(1, 2), others)] if others else []))
    flags = (QosFlag.NO_RESERVATION, QosFlag.NO_BACKFILL, QosFlag.RESERVE_ALWAYS)
    return Rules(
        random.choice(
            [BackfillPolicy.FIRSTFIT, BackfillPolicy.BESTFIT, BackfillPolicy.GREEDY, BackfillPolicy.NONE]
        ),
        random.choice(_METRICS),
        random.choice(WINDOWS),
        depth,
        random.choice([*[ReservationPolicy.HIGHEST] * 2, *ReservationPolicy]),
        buckets,
        random.choice([0, 0, 0, 0, 1, 2]),
        random.choice([0.0, 1.0]),
        {user: random.choice([0, 0, 3, 5]) for user in users},
        {user: frozenset(flag for flag in flags if random.random() < 0.15) for user in users},
        {user: _draw_limits(random, kinds) for user in users if random.random() < 0.4},
        {user: random.randint(1, 2) for user in users if random.random() < 0.15},
    )


def _draw_limits(random: Random, kinds: list[LimitKind]) -> dict[LimitKind, Limit]:
    most = {
        LimitKind.JOBS: (1, 3),
        LimitKind.PROCESSORS: (4, 12),
        LimitKind.PROCESSOR_SECONDS: (20, 160),
        LimitKind.WALL_TIME: (8, 30),
    }
    found = {}
    for kind in random.sample(kinds, random.randint(1, 2)):
        soft = random.randint(*most[kind])
        found[kind] = Limit(float(soft), float(soft + random.choice([0, 1, most[kind][0]])))
    return found


def draw_iterating(random: Random) -> tuple[World, Rules]:
    """A world of counted processors, or of nodes for which no job wishes, and rules for it."""
    world, rules = draw_world(random, "maui", {}, crowd=random.random() < 0.5), draw_rules(random)
    kept = tuple(one for one in world.reservations if not one.terms.hosts)
    placement = "first-fit" if world.placement == "contiguous" else world.placement
    vector = tuple(float(one) for one in vector_of(rules.settings, by_number))
    return replace(world, requests={}, reservations=kept, placement=placement, vector=vector), rules


class PlainIterations(Planning):
    """One iteration a second; where a window has so many candidates, only when something has happened."""

    rules: Rules

    def __init__(self, world: World) -> None:
        super().__init__(world)
        self.level: dict[int, int] = {}
        self.at: dict[int, float] = {}
        """Of each job that has a reservation in this iteration, when."""
        self.taken: list[int] = []
        self.started = 0
        self.kept_out = False
        """Whether a limit of eligible jobs has kept a job out of this iteration."""
        self.again = True
        """Whether the next second has an iteration, whatever happens."""

    def priority(self, job: PlainJob) -> float:
        by_time = self.rules.by_queue_time * (self.now - job.submit) / 60.0
        return max(1.0, self.rules.priority[job.user] + by_time)

    def decide(self) -> None:
        promised = [job.reserved for job in self.those(WAITING)]
        if self.rules.depth and not (self.stirs() or self.now in promised or self.again):
            return
        ranked = sorted(self.those(WAITING), key=lambda job: (-self.priority(job), job.queue_place))
        self.at, self.started, self.taken = {}, 0, [0] * len(self.rules.buckets)
        self._select(ranked)
        if self.rules.reservation is ReservationPolicy.HIGHEST and self.reserves:
            self._keep(ranked)
        self._by_priority(ranked)
        if self.rules.backfill is not BackfillPolicy.NONE:
            self._backfill(ranked, SOFT)
            self._backfill(ranked, HARD)
        keeps = self.rules.reservation is ReservationPolicy.HIGHEST
        let_in = self.started > 0 or (keeps and any(self.jobs[row].reserved is None for row in self.at))
        for job in ranked:
            job.reserved = self.at.get(job.row) if job.state == WAITING else None
        left = any(self.level[job.row] for job in ranked if job.state == WAITING)
        moves = keeps and self.started > 0 and bool(self.world.reservations and self.at)
        self.again = (self._enough and left) or (self.kept_out and let_in) or moves

    # Selection.

    def _select(self, ranked: list[PlainJob]) -> None:
        eligible = dict.fromkeys(self.rules.idle, 0)
        self.kept_out = False
        for job in ranked:
            self.level[job.row] = OUT
            if job.width > self.up:
                continue
            if job.reserved is not None and self.rules.reservation is ReservationPolicy.HIGHEST:
                self.level[job.row] = SOFT
                continue
            if self._over(job, HARD):
                continue
            if job.user in eligible:
                if eligible[job.user] >= self.rules.idle[job.user]:
                    self.kept_out = True
                    continue
                eligible[job.user] += 1
            self.level[job.row] = HARD if self._over(job, SOFT) else SOFT

    def _over(self, job: PlainJob, level: int) -> bool:
        """Whether the start of *job* would be beyond a limit of this level."""
        active = [one for one in self.those(RUNNING) if one.user == job.user]
        used = {
            LimitKind.JOBS: len(active) + 1,
            LimitKind.PROCESSORS: sum(one.width for one in active) + job.width,
            LimitKind.PROCESSOR_SECONDS: sum(one.width * one.left(self.now) for one in active)
            + job.width * job.estimate,
            LimitKind.WALL_TIME: sum(one.left(self.now) for one in active) + job.estimate,
        }
        limits = self.rules.active.get(job.user, {})
        return any(used[kind] > (one.soft if level == SOFT else one.hard) for kind, one in limits.items())

    # Reservations.

    @property
    def reserves(self) -> bool:
        """Whether there are any."""
        return (
            self.rules.backfill is not BackfillPolicy.NONE
            and self.rules.reservation is not ReservationPolicy.NEVER
        )

    @property
    def planned(self) -> list[tuple[float, PlainJob]]:
        return [(at, self.jobs[row]) for row, at in self.at.items()]

    def _keep(self, ranked: list[PlainJob]) -> None:
        """Reservations stay, or move to an earlier instant; those that have come begin."""
        kept = [job for job in ranked if job.reserved is not None and self.level[job.row] > OUT]
        for job in kept:
            assert job.reserved is not None
            at = max(job.reserved, float(self.now))
            if self.fits(job, at, self.planned):
                self.at[job.row] = at
        for job in kept:
            if job.row not in self.at:
                self._promise(job, self.earliest(job, self.planned))
        for job in ranked:
            if job.row not in self.at:
                continue
            before = self.at.pop(job.row)
            at = min(before, self.earliest(job, self.planned))
            if at <= self.now and not self._over(job, HARD) and not self._enough and self._begins(job):
                continue
            self.at[job.row] = at

    def _promise(self, job: PlainJob, at: float) -> bool:
        if at < NEVER:
            self.at[job.row] = at
        return at < NEVER

    def _bucket(self, job: PlainJob) -> int | None:
        for k, (_, users) in enumerate(self.rules.buckets):
            if not users or job.user in users:
                return k
        return None

    def _may_reserve(self, job: PlainJob) -> bool:
        flags, bucket = self.rules.flags[job.user], self._bucket(job)
        if not self.reserves or QosFlag.NO_RESERVATION in flags:
            return False
        free = bucket is not None and self.taken[bucket] < self.rules.buckets[bucket][0]
        return QosFlag.RESERVE_ALWAYS in flags or free

    @property
    def _full(self) -> bool:
        if not self.reserves:
            return True
        depths = [depth for depth, _ in self.rules.buckets]
        return all(taken >= depth for taken, depth in zip(self.taken, depths, strict=True))

    def _count(self, job: PlainJob) -> None:
        bucket = self._bucket(job)
        if bucket is not None:
            self.taken[bucket] += 1

    # Starts.

    @property
    def _enough(self) -> bool:
        return 0 < self.rules.most_starts <= self.started

    def _fits_now(self, job: PlainJob) -> bool:
        return job.width <= self.idle and (job.left(self.now) == 0 or self.fits(job, self.now, self.planned))

    def _begins(self, job: PlainJob) -> bool:
        if not self._fits_now(job) or not self.start(job):
            return False
        self.started += 1
        return True

    def _by_priority(self, ranked: list[PlainJob]) -> None:
        ended = False
        for job in [job for job in ranked if job.state == WAITING and self.level[job.row] == SOFT]:
            if job.row in self.at:
                self._count(job)
                ended = ended or self._full
            elif self._over(job, SOFT) or self._enough or (not ended and self._begins(job)):
                continue
            elif not self._may_reserve(job):
                ended = True
            elif not (ended and self._begins(job)) and self._promise(job, self.earliest(job, self.planned)):
                self._count(job)
                ended = ended or self._full
            elif job.state == WAITING:
                ended = ended or self._full

    # Backfill.

    def _backfill(self, ranked: list[PlainJob], level: int) -> None:
        if self.rules.windows == "merged":
            for job in ranked:
                if self._may_fill(job, level) and self._fits_now(job):
                    self._fill(job, level)
            return
        for width, until in self._windows():
            self._fill_window(ranked, level, width, until)

    def _may_fill(self, job: PlainJob, level: int) -> bool:
        flags = self.rules.flags[job.user]
        open_ = job.state == WAITING and job.row not in self.at and QosFlag.NO_BACKFILL not in flags
        return open_ and self.level[job.row] >= level

    def _windows(self) -> Iterator[tuple[int, float]]:
        """Processors, and until when; what starts in one is not free in the next."""
        last = max([self.now, *(job.expected for job in self.those(RUNNING))])
        last = max([last, *(int(at) + job.left(self.now) for at, job in self.planned)]) + 1
        widest, before, until = self.rules.windows != "longest", 0, float(self.now)
        while self.idle > 0 and until < NEVER:
            free = [self.planned_free(at, self.planned) for at in range(self.now, last + 1)]
            if widest:
                width = min([self.idle, *free[: int(until) - self.now + 1]])
                fewer = [k for k, there in enumerate(free) if there < width and k > until - self.now]
            else:
                fewer = [k for k, there in enumerate(free) if there <= before]
                width = min([self.idle, *free[: fewer[0] if fewer else None]])
                width = width if width > before else 0
            if width <= 0:
                return
            end = float(self.now + fewer[0]) if fewer else NEVER
            before, until = width, end if widest else float(self.now)
            yield width, end

    def _fill_window(self, ranked: list[PlainJob], level: int, width: int, until: float) -> None:
        able = [
            job
            for job in ranked
            if self._may_fill(job, level) and job.width <= width and self.now + job.left(self.now) <= until
        ]
        able = able[: self.rules.depth] if self.rules.depth else able
        if self.rules.backfill is BackfillPolicy.BESTFIT:
            able.sort(key=lambda job: -self._metric(job))
        if self.rules.backfill is BackfillPolicy.GREEDY:
            able = self._best_set(able, width)
        left = width
        for job in able:
            if job.width <= left and self._fill(job, level):
                left -= job.width

    def _fill(self, job: PlainJob, level: int) -> bool:
        return not self._over(job, level) and not self._enough and self._begins(job)

    def _metric(self, job: PlainJob) -> int:
        left = job.left(self.now)
        return {
            BackfillMetric.PROCESSORS: job.width,
            BackfillMetric.PROCESSOR_SECONDS: job.width * left,
            BackfillMetric.SECONDS: left,
        }[self.rules.metric]

    def _best_set(self, able: list[PlainJob], width: int) -> list[PlainJob]:
        """The first of the sets with the greatest sum, those with the first jobs before others."""
        best: list[PlainJob] = []
        best_sum = 0

        def look(chosen: list[PlainJob], rest: list[PlainJob], room: int) -> None:
            nonlocal best, best_sum
            total = sum(self._metric(job) for job in chosen)
            if total > best_sum:
                best, best_sum = list(chosen), total
            for k, job in enumerate(rest):
                if job.width <= room:
                    look([*chosen, job], rest[k + 1 :], room - job.width)

        look([], able, width)
        return best


def plain_iterations(how: Rules) -> type[PlainIterations]:
    """The plain iterations by these rules."""

    class Plain(PlainIterations):
        rules = how

    return Plain
