"""Small worlds for the policy ``maui`` in which many of its settings meet: who comes, on what, under what.

``draw_settings`` draws or leaves out each feature by itself, so that each two of them meet often.

Independent of nothing: these are what both sides are given, with the product's own settings, rules of nodes
and replay. What they are compared with stands in ``plain_credentials``.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from random import Random
from typing import Any

from molokini.availability.node_rules import NodeRule
from molokini.model.credentials import CredentialType
from molokini.model.machine import Machine
from molokini.policies.maui.configuration.node_settings import NodeLine, NodeSettings
from molokini.policies.maui.configuration.settings import (
    Bucket,
    Credential,
    Limit,
    MauiSettings,
    PairLimit,
    Qos,
    Target,
    Weight,
)
from molokini.policies.maui.configuration.words import (
    Allocation,
    BackfillPolicy,
    Charge,
    Component,
    Factor,
    LimitKind,
    ListRule,
    PreemptPolicy,
    QosFlag,
    ReservationPolicy,
    TargetKind,
)
from molokini.sim.replay import Replay
from molokini.tables.tables import Tables
from tests.kit.maui import Whose, maui, nodes
from tests.kit.workloads import Job

USERS, GROUPS, ACCOUNTS, QUEUES = ("ann", "bob", "cy"), ("staff", "guests"), ("p1", "p2"), ("long", "short")
QOSES = ("high", "low", "free")
NODES, EACH = 3, 4
FAIRSHARE: Mapping[str, float] = {
    "fairshare": Charge.DEDICATED_PROCESSOR_SECONDS,
    "fairshare_interval_s": 10.0,
    "fairshare_depth": 2,
    "fairshare_decay": 0.5,
}
"""What is charged is not drawn: a server that changes it begins its accounts anew."""


@dataclass(frozen=True)
class Crowd:
    """Jobs, whose they are, and the machine: counted processors, or nodes of as many."""

    jobs: tuple[Job, ...]
    whose: tuple[Whose, ...]
    on_nodes: bool

    def replay(self, settings: MauiSettings, **options: Any) -> Replay:
        """A replay under *settings* that has not begun."""
        machine = nodes(NODES, EACH) if self.on_nodes else Machine.counted(NODES * EACH)
        return maui(self.jobs, settings, self.whose, machine, **options)


def draw_crowd(random: Random) -> Crowd:
    """A crowd; many come at once."""
    jobs, whose, at_s = [], [], 0
    for _ in range(random.randint(4, 12)):
        at_s += random.choice([0, 0, 1, 2, 4])
        estimate = random.choice([1, 2, 3, 5, 8, 13])
        run = estimate if random.random() < 0.6 else random.randint(0, estimate)
        jobs.append(Job(at_s, run, random.choice([1, 1, 2, 3, 4, 6, 8, 12]), estimate))
        whose.append(draw_whose(random))
    return Crowd(tuple(jobs), tuple(whose), random.random() < 0.6)


def draw_whose(random: Random) -> Whose:
    """Credentials; some have no account, and ask for no QoS."""
    return Whose(
        random.choice(USERS),
        random.choice(GROUPS),
        random.choice(QUEUES),
        random.choice(["", *ACCOUNTS]),
        random.choice(["", *QOSES]),
    )


def draw_settings(random: Random) -> MauiSettings:
    """Settings; none of them keeps a job of these crowds from starting for ever but limits and ceilings."""

    def sometimes(chance: float = 0.35) -> bool:
        return random.random() < chance

    def lines(names: tuple[str, ...]) -> dict[str, Credential]:
        chosen = [name for name in ("DEFAULT", *names) if sometimes(0.4)]
        return {name: draw_line(random) for name in chosen}

    chosen: dict[str, float] = {**FAIRSHARE, "backfill": random.choice(list(BackfillPolicy))}
    chosen["backfill_depth"] = random.choice([0, 0, 2])
    if sometimes(0.2):
        chosen |= {"chunk_processors": 6, "chunk_duration_s": 5.0}
    buckets: tuple[Bucket, ...] = (Bucket(random.randint(0, 3)),)
    if sometimes():
        buckets = (Bucket(1, ("high",)), Bucket(random.randint(1, 2), ("low", "DEFAULT")))
    qos = {name: draw_qos(random) for name in ("DEFAULT", *QOSES)}
    weights = [Factor.USER, Factor.GROUP, Factor.QUEUE, Factor.QOS, Factor.ACCOUNT, Factor.FAIRSHARE_USER]
    weights += [Factor.EXPANSION_FACTOR, Factor.PROCESSORS, Factor.USER_JOBS]
    made = MauiSettings(
        components={Component.BYPASS: Weight(1.0)} if sometimes(0.2) else {},
        factors={factor: Weight(float(random.randint(1, 9))) for factor in weights if sometimes(0.4)},
        chosen={
            **chosen,
            "reservation": random.choice(list(ReservationPolicy)),
            "max_processors": 8 if sometimes(0.15) else 0,
        },
        buckets=buckets,
        users=lines(USERS),
        groups=lines(GROUPS),
        accounts=lines(ACCOUNTS),
        queues=lines(QUEUES),
        qos=qos,
        system=Credential(qos_list=QOSES) if sometimes(0.6) else Credential(),
    )
    made = made.choosing(max_starts=2 if sometimes(0.15) else 0)
    made = replace(made, nodes=draw_nodes(random))
    return made.choosing(preempt=random.choice(list(PreemptPolicy)))


def draw_line(random: Random) -> Credential:
    """What is said of a user, a group, an account or a queue."""
    line = Credential(priority=random.randint(0, 9))
    if random.random() < 0.5:
        line = replace(line, active=_limits(random))
    if random.random() < 0.2:
        line = replace(line, idle={random.choice([LimitKind.JOBS, LimitKind.PROCESSORS]): 12.0})
    if random.random() < 0.25:
        kind = random.choice([CredentialType.USER, CredentialType.QUEUE, CredentialType.QOS])
        name = {CredentialType.USER: "ann", CredentialType.QUEUE: "long", CredentialType.QOS: "high"}[kind]
        pair = PairLimit(LimitKind.JOBS, kind, Limit(1, 2), name if random.random() < 0.5 else "")
        line = replace(line, pairs=(pair,))
    if random.random() < 0.25:
        rule = random.choice([ListRule.ADD, ListRule.ADD, ListRule.ALL, ListRule.ALONE])
        line = replace(line, qos_list=tuple(random.sample(QOSES, 2)), qos_rule=rule)
    if random.random() < 0.25:
        line = replace(line, qos_default=random.choice(QOSES))
    if random.random() < 0.3:
        kind_of_target = random.choice([TargetKind.TARGET, TargetKind.FLOOR, TargetKind.CEILING])
        line = replace(line, target=Target(float(random.choice([10, 30, 60])), kind_of_target))
    if random.random() < 0.15:
        line = replace(line, max_processors_per_job=random.choice([6, 8]))
    if random.random() < 0.2:
        line = replace(line, partition_list=("DEFAULT", "b"), partition_default=random.choice(["", "b"]))
    if random.random() < 0.1:
        line = replace(line, max_processors_per_node=2)
    return line


def _limits(random: Random) -> dict[LimitKind, Limit]:
    kinds = random.sample(list(LimitKind), random.randint(1, 2))
    most = {LimitKind.JOBS: 3, LimitKind.NODES: 3, LimitKind.MEMORY: 50}
    found = {}
    for kind in kinds:
        hard = most.get(kind, 12 if kind is not LimitKind.PROCESSOR_SECONDS else 160)
        found[kind] = Limit(float(random.randint(1, hard)), float(hard))
    return found


def draw_qos(random: Random) -> Qos:
    """A QoS: a priority, limits, and what its jobs may do or must."""
    flags = [
        QosFlag.PREEMPTOR,
        QosFlag.PREEMPTEE,
        QosFlag.NO_RESERVATION,
        QosFlag.NO_BACKFILL,
        QosFlag.RESERVE_ALWAYS,
        QosFlag.IGNORE_USER,
        QosFlag.IGNORE_ALL,
        QosFlag.DEDICATED,
        QosFlag.NEXT_TO_RUN,
    ]
    qos = Qos(
        priority=random.randint(0, 20), flags=frozenset(flag for flag in flags if random.random() < 0.15)
    )
    if random.random() < 0.2:
        qos = replace(qos, active=_limits(random))
    if random.random() < 0.15:
        qos = replace(qos, active_override={LimitKind.JOBS: Limit(2, 3)})
    return qos


def draw_nodes(random: Random) -> NodeSettings:
    """What is said of nodes."""
    lines = {}
    for name in ("DEFAULT", "n1", "n2", "n3"):
        if random.random() < 0.25:
            lines[name] = NodeLine(
                speed=float(random.randint(1, 3)),
                access=random.choice([None, NodeRule.SINGLE_USER, NodeRule.SINGLE_JOB]),
                most_jobs=random.choice([None, 2]),
                partition=random.choice(["", "", "b"]) if name != "DEFAULT" else "",
            )
    ways = [way for way in Allocation if way is not Allocation.CONTIGUOUS]
    return NodeSettings(
        random.choice(ways), random.choice([NodeRule.SHARED] * 3 + list(NodeRule)), lines=lines
    )


Place = tuple[float, tuple[tuple[int, int], ...]]


@dataclass(frozen=True)
class Picture:
    """What can be seen at an instant: by number, who runs since when and where, and who waits for what."""

    running: dict[int, Place]
    waiting: dict[int, tuple[float, float]]
    """Priority, and start of the reservation."""


def picture_of(t: Tables) -> Picture:
    """The picture of *t* as it is."""
    running: dict[int, Place] = {}
    for row in t.queue.running[: t.queue.running_count].tolist():
        where, entry = [], int(t.jobs.entries[row])
        while entry >= 0:
            where.append((int(t.entries.node[entry]), int(t.entries.tasks[entry])))
            entry = int(t.entries.next[entry])
        running[int(t.jobs.number[row])] = (float(t.jobs.start_s[row]), tuple(sorted(where)))
    waiting = {
        int(t.jobs.number[row]): (float(t.cycle.rank_key[row]), float(t.jobs.reserved_s[row]))
        for row in t.queue.waiting[t.queue.head : t.queue.tail].tolist()
    }
    return Picture(running, waiting)
