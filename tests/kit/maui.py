"""Runs of the policy ``maui`` under settings, with jobs whose every credential is said."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from molokini.model.banks import Accounts, Bank
from molokini.model.credentials import CredentialType
from molokini.model.machine import Machine, Node
from molokini.model.requests import Component, Request
from molokini.model.resources import Resource
from molokini.model.site import NodeNumberOf, NumberOf
from molokini.policies import load_policy
from molokini.policies.maui.configuration.parameters import PARAMETERS
from molokini.policies.maui.configuration.settings import Credential, MauiSettings, Qos, Weight
from molokini.policies.maui.configuration.vector import vector_of
from molokini.policies.maui.configuration.words import Component as PriorityComponent
from molokini.policies.maui.configuration.words import Factor, PreemptPolicy, QosFlag
from molokini.sim.replay import Options, Replay
from molokini.tables.tables import Tables
from tests.kit.workloads import Job, workload_of

DEFAULTS = MauiSettings()
QOS_NUMBERS = {"high": 1, "low": 2, "free": 3}
NAMES = {"ann": 1, "bob": 2, "cy": 3, "staff": 11, "guests": 12, "p1": 21, "p2": 22, "long": 31, "short": 32}


@dataclass(frozen=True)
class Whose:
    """The credentials of a job, by the names above."""

    user: str = "ann"
    group: str = "staff"
    queue: str = "long"
    account: str = ""
    qos: str = ""


def giving_way(how: PreemptPolicy, **more: Any) -> MauiSettings:
    """Jobs of the QoS low give way in this manner to those of high; each job may have either."""
    made = MauiSettings(
        components={PriorityComponent.CREDENTIAL: Weight(1.0)},
        factors={Factor.QOS: Weight(1.0)},
        qos={
            "high": Qos(priority=1000, flags=frozenset({QosFlag.PREEMPTOR})),
            "low": Qos(flags=frozenset({QosFlag.PREEMPTEE})),
        },
        system=Credential(qos_list=("high", "low")),
        chosen={"preempt": how},
    )
    return replace(made, **more)


def number_of(kind: CredentialType, name: str) -> int:
    """The number of a name of this kit."""
    return (QOS_NUMBERS if kind is CredentialType.QOS else NAMES)[name]


def value(settings: MauiSettings, name: str) -> float:
    """The parameter *name* of the policy as *settings* have it."""
    return dict(zip((one.name for one in PARAMETERS), settings.numbers, strict=True))[name]


def node_of(name: str) -> int:
    """The number of a node of this kit: n1 is the first."""
    return int(name.removeprefix("n")) - 1


def maui(
    jobs: Sequence[Job],
    settings: MauiSettings = DEFAULTS,
    whose: Sequence[Whose] | None = None,
    machine: int | Machine = 8,
    windows: int = 0,
    compiled: bool = False,
    node_number: NodeNumberOf = node_of,
    bank: Bank | None = None,
    number: NumberOf = number_of,
    **options: Any,
) -> Replay:
    """A replay that has not begun; *whose* stands beside *jobs*, which are in order of submission."""
    policy = load_policy("maui")
    workload = workload_of(jobs)
    owners = list(whose or [Whose() for _ in jobs])
    columns = {
        "user": [NAMES[one.user] for one in owners],
        "group": [NAMES[one.group] for one in owners],
        "queue": [NAMES[one.queue] for one in owners],
    }
    # Accounts and QoSes are not in logs: each job has its own group until they are filled in below.
    for name, numbers in columns.items():
        getattr(workload, name)[:] = numbers
    workload.group[:] = np.arange(1000, 1000 + len(jobs))
    vector = vector_of(settings.choosing(windows=windows), number, node_number)
    if bank is not None:
        names = {one.account for one in owners} | set(bank.openings) | {bank.fallback}
        options["accounts"] = Accounts(
            {name: NAMES[name] for name in sorted(names - {""})},
            {
                (NAMES[one.user], 1000 + k, NAMES[one.queue]): NAMES.get(one.account, -1)
                for k, one in enumerate(owners)
            },
            bank,
        )
    replay = Replay(
        workload,
        Machine.counted(machine) if isinstance(machine, int) else machine,
        policy,
        options=Options(parameters=vector, interpreted=not compiled, **options),
    )
    t = replay.tables
    for credential in range(1, t.credentials.user.size):
        job = owners[int(t.credentials.group[credential]) - 1000]
        t.credentials.group[credential] = NAMES[job.group]
        t.credentials.account[credential] = NAMES[job.account] if job.account else -1
        t.credentials.qos[credential] = QOS_NUMBERS[job.qos] if job.qos else -1
    return replay


def finished(*arguments: Any, **options: Any) -> Replay:
    """The same, run to its end."""
    replay = maui(*arguments, **options)
    assert replay.run()
    return replay


def at(replay: Replay, until_s: float) -> Tables:
    """The tables as they are after all that happens up to *until_s*."""
    replay.run(until_s)
    return replay.tables


def priorities(t: Tables) -> dict[int, float]:
    """Priority of each waiting job of the last pass, by number."""
    rows = t.queue.waiting[t.queue.head : t.queue.tail]
    return dict(zip(t.jobs.number[rows].tolist(), t.cycle.rank_key[rows].tolist(), strict=True))


def request(processors: int, memory_mb: float = 0, nodes: int = 0, swap_mb: float = 0) -> Request:
    """A request of one component: *nodes* tasks a node each, or *processors* tasks of one processor."""
    tasks = nodes or processors
    need = {
        Resource.PROCESSORS: float(processors // tasks),
        Resource.MEMORY_KB: memory_mb * 1024 / tasks,
        Resource.SWAP_KB: swap_mb * 1024 / tasks,
    }
    return Request((Component(tasks, need, tasks_per_node=1 if nodes else 0),))


def nodes(count: int, processors: int, memory_mb: float = 0, swap_mb: float = 0) -> Machine:
    """A machine of equal nodes."""
    capacity = {
        Resource.PROCESSORS: float(processors),
        Resource.MEMORY_KB: memory_mb * 1024,
        Resource.SWAP_KB: swap_mb * 1024,
    }
    return Machine.of_nodes([Node(capacity)] * count)
