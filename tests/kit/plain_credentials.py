"""Who may start, and in which order, written from the rules alone: QoSes, priorities, limits, fairshare.

Of counted processors without reservations, where nothing but these rules decides: whoever finds room starts
by priority within soft limits, then within hard ones. Paper, sections 2.5, 3 and 6; docs/maui.md.

Independent of Maui's selection (priorities, throttling, fairshare) and of the credentials' tables; of the
product it uses the settings in which a configuration is written (``maui.configuration``).
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from random import Random
from typing import Any

from molokini.policies.maui.configuration.settings import (
    DEFAULT,
    Bucket,
    Credential,
    Limit,
    MauiSettings,
    Qos,
    Target,
    Weight,
)
from molokini.policies.maui.configuration.words import (
    Charge,
    Component,
    Factor,
    LimitKind,
    ListRule,
    QosFlag,
    ReservationPolicy,
    TargetKind,
)
from tests.kit.maui import Whose, value
from tests.kit.maui_worlds import QOSES
from tests.kit.workloads import Job

KINDS = ("user", "group", "account", "queue", "qos")
LINES = {"user": "users", "group": "groups", "account": "accounts", "queue": "queues", "qos": "qos"}
PRIORITY = dict(
    zip(KINDS, (Factor.USER, Factor.GROUP, Factor.ACCOUNT, Factor.QUEUE, Factor.QOS), strict=True)
)
SHARE = dict(
    zip(
        KINDS,
        (
            Factor.FAIRSHARE_USER,
            Factor.FAIRSHARE_GROUP,
            Factor.FAIRSHARE_ACCOUNT,
            Factor.FAIRSHARE_QUEUE,
            Factor.FAIRSHARE_QOS,
        ),
        strict=True,
    )
)
COUNTED = (LimitKind.JOBS, LimitKind.PROCESSORS, LimitKind.PROCESSOR_SECONDS, LimitKind.WALL_TIME)
WINDOW_S = 10.0
_OF_ONE_KIND = {
    LimitKind.JOBS: "JOBS",
    LimitKind.PROCESSORS: "PROCESSORS",
    LimitKind.PROCESSOR_SECONDS: "PROCESSOR_SECONDS",
}


@dataclass(eq=False)
class Asker:
    """A job, whose it is, and what has become of it."""

    number: int
    job: Job
    members: dict[str, str]
    start_s: float | None = None
    end_s: float | None = None

    def left_s(self, at_s: float) -> float:
        """Seconds of its limit that it has left."""
        if self.start_s is None:
            return self.job.estimated
        return max(0.0, self.start_s + self.job.estimated - at_s)

    def takes(self, kind: LimitKind, at_s: float) -> float:
        """What it takes of a limit of this kind."""
        return {
            LimitKind.JOBS: 1.0,
            LimitKind.PROCESSORS: float(self.job.width),
            LimitKind.PROCESSOR_SECONDS: self.job.width * self.left_s(at_s),
            LimitKind.WALL_TIME: self.left_s(at_s),
        }[kind]

    def runs(self, at_s: float) -> bool:
        """Whether it has processors from *at_s* on."""
        return self.start_s is not None and (self.end_s is None or at_s < self.end_s)


@dataclass
class PlainCredentials:
    """The rules of *settings*, on so many processors."""

    settings: MauiSettings
    processors: int
    askers: list[Asker] = field(default_factory=list)

    def come(self, jobs: Iterable[Job], whose: Iterable[Whose]) -> None:
        """All jobs that ever come; they are numbered from 1 on."""
        for number, (job, one) in enumerate(zip(jobs, whose, strict=True), 1):
            members = {kind: getattr(one, kind) for kind in KINDS}
            asker = Asker(number, job, members)
            members["qos"] = self._qos(members)
            self.askers.append(asker)

    # Whose lines count.

    def line(self, kind: str, name: str) -> Credential | None:
        """What is said of *name*; DEFAULT's where nothing is; None: there is nobody of this kind."""
        if not name:
            return None
        lines: Mapping[str, Credential] = getattr(self.settings, LINES[kind])
        nothing = Qos() if kind == "qos" else Credential()
        return lines.get(name, lines.get(DEFAULT, nothing))

    def said(self, kind: str, name: str, what: str) -> Any:
        """One thing that is said of *name*, or else of DEFAULT."""
        line = self.line(kind, name)
        if line is None:
            return None
        default = getattr(self.settings, LINES[kind]).get(DEFAULT)
        return getattr(line, what) or (getattr(default, what) if default else None)

    def _qos(self, members: dict[str, str]) -> str:
        whose = [(kind, members[kind]) for kind in KINDS[:4] if members[kind]]
        lists = [
            (
                self.said(kind, name, "qos_list") or (),
                self._rule(kind, name),
                self.said(kind, name, "qos_default") or "",
            )
            for kind, name in whose
        ]
        system = self.settings.system
        lists.append((system.qos_list, system.qos_rule, system.qos_default))
        asked = members["qos"]
        if asked and self._may_have(asked, lists):
            return asked
        return next((default for _, _, default in lists if default), DEFAULT)

    def _rule(self, kind: str, name: str) -> ListRule:
        line = self.line(kind, name)
        assert line is not None
        default = getattr(self.settings, LINES[kind]).get(DEFAULT, Credential())
        rule: ListRule = line.qos_rule if line.qos_list else default.qos_rule
        return rule

    def _may_have(self, asked: str, lists: list[tuple[tuple[str, ...], ListRule, str]]) -> bool:
        names = [(asked in listed or asked == default, rule) for listed, rule, default in lists]
        alone = [named for named, rule in names if rule is ListRule.ALONE]
        if alone:
            return alone[0]
        return any(named for named, _ in names) and all(
            named for named, rule in names if rule is ListRule.ALL
        )

    # Limits.

    def within(self, one: Asker, at_s: float, soft: bool) -> bool:
        """Whether no limit of active jobs keeps *one* from starting."""
        for kind in KINDS:
            name = one.members[kind]
            if not name:
                continue
            there = [job for job in self.askers if job.runs(at_s) and job.members[kind] == name]
            for counted in COUNTED:
                most = self._limit(one, kind, counted, soft)
                if most > 0 and sum(job.takes(counted, at_s) for job in [*there, one]) > most:
                    return False
        return True

    def _limit(self, one: Asker, kind: str, counted: LimitKind, soft: bool) -> float:
        qos = one.members["qos"]
        flags = self.said("qos", qos, "flags") or frozenset()
        if QosFlag.IGNORE_ALL in flags:
            return 0.0
        if kind in KINDS[:3]:
            if QosFlag[f"IGNORE_{kind.upper()}"] in flags:
                return 0.0
            word = _OF_ONE_KIND.get(counted)
            if word and QosFlag[f"IGNORE_{word}_PER_{kind.upper()}"] in flags:
                return 0.0
        limit = self._number(kind, one.members[kind], "active", counted, soft)
        if kind != "qos":
            limit = self._number("qos", qos, "active_override", counted, soft) or limit
        return limit

    def _number(self, kind: str, name: str, what: str, counted: LimitKind, soft: bool) -> float:
        for who in (name, DEFAULT):
            line = getattr(self.settings, LINES[kind]).get(who)
            limit = getattr(line, what).get(counted) if line else None
            if limit is not None:
                return float(limit.soft if soft else limit.hard)
        return 0.0

    def refuses(self, one: Asker) -> bool:
        """Whether it is wider than a job of its members may be."""
        for kind in KINDS:
            most = self.said(kind, one.members[kind], "max_processors_per_job") or 0
            if 0 < most < one.job.width:
                return True
        return False

    # Priorities.

    def priority(self, one: Asker, at_s: float) -> float:
        """At an iteration at *at_s*."""
        if QosFlag.NEXT_TO_RUN in (self.said("qos", one.members["qos"], "flags") or ()):
            return 1e9 + 1
        given = sum(
            self._weight(kind, one) * self._points(PRIORITY[kind], self._given(kind, one)) for kind in KINDS
        )
        shares = sum(
            self._chosen(SHARE[kind], "weight") * self._points(SHARE[kind], self._away(kind, one, at_s))
            for kind in KINDS
        )
        jobs = sum(job.runs(at_s) and job.members["user"] == one.members["user"] for job in self.askers)
        asked = self._term(Factor.PROCESSORS, one.job.width) + self._term(Factor.WALL_TIME, one.job.estimated)
        asked += self._chosen(Factor.USER_JOBS, "weight") * jobs
        total = self._component(Component.CREDENTIAL, given) + self._component(Component.FAIRSHARE, shares)
        total += self._component(Component.RESOURCE, asked)
        return total if value(self.settings, "negative_priority") else max(1.0, total)

    def _given(self, kind: str, one: Asker) -> float:
        return float(self.said(kind, one.members[kind], "priority") or 0)

    def _weight(self, kind: str, one: Asker) -> float:
        if kind == "queue":
            own = self.line("group", one.members["group"])
            default = self.settings.groups.get(DEFAULT, Credential())
            for line in (own, default):
                if line is not None and line.queue_weight is not None:
                    return line.queue_weight
        return self._chosen(PRIORITY[kind], "weight")

    def _points(self, factor: Factor, points: float) -> float:
        cap = self._chosen(factor, "cap")
        return min(points, cap) if cap > 0 else points

    def _term(self, factor: Factor, points: float) -> float:
        return self._chosen(factor, "weight") * self._points(factor, float(points))

    def _component(self, component: Component, total: float) -> float:
        cap = self._chosen(component, "cap")
        return self._chosen(component, "weight") * (min(total, cap) if cap > 0 else total)

    def _chosen(self, of: Component | Factor, what: str) -> float:
        return value(self.settings, f"{of.name.lower()}_{what}")

    # Fairshare.

    def _target(self, kind: str, one: Asker) -> Target | None:
        found: Target | None = self.said(kind, one.members[kind], "target")
        return found

    def _away(self, kind: str, one: Asker, at_s: float) -> float:
        target, whole = self._target(kind, one), self._usage(self.askers, at_s)
        if target is None or target.kind >= TargetKind.CAP or whole <= 0:
            return 0.0
        share = self._share(kind, one, at_s)
        away = target.amount - share
        if value(self.settings, "fairshare_delta"):
            away = 1.0 - share / target.amount
        if target.kind is TargetKind.FLOOR:
            return max(away, 0.0)
        return min(away, 0.0) if target.kind is TargetKind.CEILING else away

    def _share(self, kind: str, one: Asker, at_s: float) -> float:
        whole = self._usage(self.askers, at_s)
        mine = [job for job in self.askers if job.members[kind] == one.members[kind]]
        return 100.0 * self._usage(mine, at_s) / whole if whole > 0 else 0.0

    def _usage(self, some: list[Asker], at_s: float) -> float:
        """Processor-seconds up to *at_s*; those of earlier windows count for less and less, and then not."""
        names = ("fairshare", "fairshare_interval_s", "fairshare_depth", "fairshare_decay")
        charge, interval_s, depth, decay = (value(self.settings, name) for name in names)
        total = 0.0
        present = at_s // interval_s
        for age in range(int(depth) if charge != Charge.NONE else 0):
            first_s = (present - age) * interval_s
            for one in some:
                if one.start_s is not None:
                    until_s = min(at_s if one.end_s is None else one.end_s, first_s + interval_s, at_s)
                    seconds = max(0.0, until_s - max(one.start_s, first_s))
                    total += decay**age * one.job.width * seconds
        return total

    def capped(self, one: Asker, at_s: float) -> bool:
        """Whether the usage of one of its members is above a cap."""
        for kind in KINDS:
            target = self._target(kind, one)
            if target is not None and target.kind is TargetKind.CAP:
                if self._share(kind, one, at_s) > target.amount:
                    return True
            elif target is not None and target.kind is TargetKind.ABSOLUTE_CAP:
                mine = [job for job in self.askers if job.members[kind] == one.members[kind]]
                if self._usage(mine, at_s) + one.job.width * one.job.estimated > target.amount:
                    return True
        return False

    # Who starts.

    def starts(self, at_s: float) -> list[int]:
        """The numbers of those who start in an iteration at *at_s*, in this order; they run from then on."""
        waiting = [
            one
            for one in self.askers
            if one.job.submit <= at_s and one.start_s is None and not self.refuses(one)
        ]
        ranks = {one.number: -self.priority(one, at_s) for one in waiting}
        waiting.sort(key=lambda one: (ranks[one.number], one.number))
        hard = [one for one in waiting if self.within(one, at_s, False) and not self.capped(one, at_s)]
        begun = []
        for soft in (True, False):
            for one in [one for one in hard if self.within(one, at_s, True)] if soft else hard:
                idle = self.processors - sum(job.job.width for job in self.askers if job.runs(at_s))
                if one.start_s is None and one.job.width <= idle and self.within(one, at_s, soft):
                    one.start_s = at_s
                    begun.append(one.number)
        return begun


def draw_rules(random: Random) -> MauiSettings:
    """Settings of which nothing counts but credentials."""

    def lines(*names: str) -> dict[str, Credential]:
        return {name: _draw_line(random, Credential) for name in (DEFAULT, *names) if random.random() < 0.45}

    factors: dict[Factor, Weight] = {Factor.QUEUE_TIME: Weight(0)}
    for factor in (
        *PRIORITY.values(),
        *SHARE.values(),
        Factor.PROCESSORS,
        Factor.WALL_TIME,
        Factor.USER_JOBS,
    ):
        if random.random() < 0.5:
            factors[factor] = Weight(random.choice([1.0, 2.0, 5.0]), random.choice([0.0, 0.0, 6.0]))
    components = {}
    for component in (Component.CREDENTIAL, Component.FAIRSHARE, Component.RESOURCE):
        components[component] = Weight(random.choice([0.0, 1.0, 1.0, 3.0]), random.choice([0.0, 0.0, 30.0]))
    charge = random.choice([Charge.NONE, *[Charge.DEDICATED_PROCESSOR_SECONDS] * 3])
    qos = {name: _draw_qos(random) for name in (DEFAULT, *QOSES)}
    return MauiSettings(
        components=components,
        factors=factors,
        buckets=(Bucket(),),
        users=lines("ann", "bob", "cy"),
        groups=lines("staff", "guests"),
        accounts=lines("p1", "p2"),
        queues=lines("long", "short"),
        qos=qos,
        system=Credential(
            qos_list=tuple(random.sample(QOSES, random.randint(0, 3))), qos_default=random.choice(["", "low"])
        ),
        chosen={
            "reservation": ReservationPolicy.NEVER,
            "fairshare": charge,
            "fairshare_delta": random.random() < 0.3,
            "fairshare_interval_s": WINDOW_S,
            "fairshare_depth": random.randint(1, 3),
            "fairshare_decay": 0.5,
            "negative_priority": random.random() < 0.5,
        },
    )


def _draw_line(random: Random, of: type[Credential]) -> Credential:
    said: dict[str, Any] = {"priority": random.choice([0, 1, 3, 8])}
    if random.random() < 0.55:
        said["active"] = _draw_limits(random)
    if random.random() < 0.1:
        said["max_processors_per_job"] = random.choice([6, 8])
    if random.random() < 0.4:
        kinds = [TargetKind.TARGET, TargetKind.FLOOR, TargetKind.CEILING, TargetKind.CAP]
        said["target"] = Target(float(random.choice([20, 40, 60])), random.choice(kinds))
        if random.random() < 0.15:
            said["target"] = Target(90.0, TargetKind.ABSOLUTE_CAP)
    if of is Credential:
        if random.random() < 0.3:
            said["qos_list"] = tuple(random.sample(QOSES, random.randint(1, 2)))
            said["qos_rule"] = random.choice([ListRule.ADD, ListRule.ADD, ListRule.ALL, ListRule.ALONE])
        if random.random() < 0.25:
            said["qos_default"] = random.choice(QOSES)
        if random.random() < 0.2:
            said["queue_weight"] = float(random.randint(0, 3))
    return of(**said)


def _draw_qos(random: Random) -> Qos:
    free = [QosFlag.IGNORE_ALL, QosFlag.NEXT_TO_RUN]
    for kind in ("USER", "GROUP", "ACCOUNT"):
        free += [QosFlag[f"IGNORE_{kind}"]]
        free += [QosFlag[f"IGNORE_{word}_PER_{kind}"] for word in _OF_ONE_KIND.values()]
    made = _draw_line(random, Qos)
    said = dict(vars(made))
    said["flags"] = frozenset(flag for flag in free if random.random() < 0.06)
    if random.random() < 0.25:
        said["active_override"] = _draw_limits(random)
    return Qos(**said)


def _draw_limits(random: Random) -> dict[LimitKind, Limit]:
    most = {
        LimitKind.JOBS: 3,
        LimitKind.PROCESSORS: 12,
        LimitKind.PROCESSOR_SECONDS: 120,
        LimitKind.WALL_TIME: 40,
    }
    found = {}
    for kind in random.sample(COUNTED, random.randint(1, 2)):
        hard = random.randint(1 + most[kind] // 3, most[kind])
        found[kind] = Limit(float(random.choice([0, random.randint(1, hard), hard])), float(hard))
    return found
