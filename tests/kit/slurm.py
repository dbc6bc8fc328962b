"""Runs of the policy ``slurm`` on the small machine of the worked cases: n1 to n4, four CPUs each."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import inf
from typing import Any

import numpy as np

from molokini.cycle.cycle import begin_pass
from molokini.model.credentials import CredentialType
from molokini.model.machine import Machine, Node
from molokini.model.outages import Outage
from molokini.model.requests import Component, Request
from molokini.model.reservations import Reservation
from molokini.model.resources import Resource
from molokini.policies import load_policy
from molokini.policies.slurm.configuration.configured import Configured
from molokini.policies.slurm.configuration.settings import Association, Limits, Partition, Qos, SlurmSettings
from molokini.policies.slurm.knowledge.kept_state import mine
from molokini.policies.slurm.knowledge.waiting_reasons import shown
from molokini.sim.replay import Options, Replay
from molokini.tables.copying import copied
from molokini.tables.tables import Tables
from tests.kit.workloads import Job, with_arrays, workload_of

YEAR_MINUTES = 365 * 24 * 60
"""The limit of a job without one."""
USERS = ("root", "daemon", "bin", "sys", "games", "man", "lp", "mail")
ACCOUNTS = ("root", "a", "b", "c", "d", "e")
LICENSES = ("a", "b", "unknown")
QUEUES = ("batch", "low", "low,batch", "mid")
ACCOUNT_OF = dict(zip(USERS, ("root", "a", "a", "b", "b", "d", "d", "e"), strict=True))
QOSES = (Qos("normal"), Qos("mid", 30.0), Qos("high", 100.0))
PARTITIONS = (Partition("batch", priority_job_factor=20), Partition("low", priority_job_factor=5))
WEIGHTS: dict[str, Any] = {
    "priority_weight_age": 1000.0,
    "priority_max_age_s": 86_400.0,
    "priority_weight_fairshare": 100_000.0,
    "priority_weight_job_size": 1000.0,
    "priority_weight_partition": 1000.0,
    "priority_weight_qos": 10_000.0,
    "priority_weight_assoc": 100.0,
    "priority_weight_tres_cpu": 1000.0,
}
LIMITS: dict[str, Any] = {"enforce_limits": "on"}
NODE: dict[str, Any] = {"nodes": 1, "x": True}
THREE: dict[str, Any] = {"nodes": 3, "x": True}
FOUR: dict[str, Any] = {"nodes": 4, "x": True}
"""So many whole nodes: ``Sbatch(0, 10, 5, **FOUR)``."""
TIMERS = {"bf_interval_s": 10.0, "batch_sched_delay_s": 0.0}


@dataclass(frozen=True)
class Sbatch:
    """A job as its user submits it: ``-N nodes -n tasks -t minutes``; *x*: ``--exclusive``."""

    at: float
    run: float
    minutes: float = YEAR_MINUTES
    tasks: int = 0
    nodes: int = 0
    x: bool = False
    user: str = "root"
    queue: str = "batch"
    qos: str = ""
    nice: int = 0
    memory_mb: float = 0.0
    licenses: Mapping[str, int] = field(default_factory=dict)
    """``-L a:1``."""
    any_of: tuple[int, ...] = ()
    """Of each of these sets of features its nodes have one."""
    components: int = 1
    """So many times *tasks*, placed as one."""
    least_minutes: float = 0.0
    """``--time-min``."""
    array: int = 0
    """The array of which it is an element; 0: of none."""

    @property
    def width(self) -> int:
        """CPUs: one a node at least."""
        return max(self.tasks, self.nodes, 1) * self.components

    @property
    def request(self) -> Request:
        """What it asks of nodes."""
        need = {Resource.PROCESSORS: 1.0}
        if self.memory_mb:
            need[Resource.MEMORY_KB] = self.memory_mb * 1024
        of_nodes: dict[str, Any] = {"least_nodes": self.nodes, "most_nodes": self.nodes, "alone": self.x}
        of_nodes["licenses"] = tuple((license_of(name), count) for name, count in self.licenses.items())
        of_nodes["any_of"] = self.any_of
        one = Component(self.width // self.components, need, **of_nodes)
        return Request((one,) * self.components)


def license_of(name: str) -> int:
    """The number of a kind of licences."""
    return 30 + LICENSES.index(name)


def tree(
    usage: Mapping[str, float] | None = None,
    limits: Mapping[str, Limits] | None = None,
) -> tuple[Association, ...]:
    """The tree T of the worked cases, with the usage of users, and limits of accounts or users by name."""
    used, bound = usage or {}, limits or {}

    def account(name: str, shares: int, parent: str = "root") -> Association:
        return Association(name, parent=parent, shares=shares, limits=bound.get(name, Limits()))

    def user(name: str, shares: int, priority: float = 0.0) -> Association:
        own = bound.get(f"user {name}", Limits())
        above, usage_s = ACCOUNT_OF[name], used.get(name, 0.0)
        return Association(above, name, shares=shares, priority=priority, usage_s=usage_s, limits=own)

    return (
        Association("root", limits=bound.get("root", Limits())),
        *(account("a", 1), account("b", 1), account("c", 2)),
        *(account("d", 3, "c"), account("e", 1, "c")),
        *(user("root", 1), user("daemon", 1), user("bin", 0), user("sys", 1), user("games", 0)),
        *(user("man", 1), user("lp", 1), user("mail", 1, 5.0)),
    )


_QOS_NUMBERS: dict[str, int] = {}


def number_of(kind: CredentialType, name: str) -> int:
    """The number of a name of this kit."""
    if kind is CredentialType.USER:
        return USERS.index(name)
    if kind is CredentialType.QOS:
        # Names have numbers as they come: these are not the places of QOSes in the configuration.
        return _QOS_NUMBERS.setdefault(name, 100 - len(_QOS_NUMBERS))
    return (ACCOUNTS if kind is CredentialType.ACCOUNT else QUEUES).index(name)


def settings_of(
    chosen: Mapping[str, Any] | None = None,
    partitions: Sequence[Partition] = PARTITIONS,
    associations: Sequence[Association] | None = None,
    qos: Sequence[Qos] = QOSES,
    licenses: Mapping[str, int] | None = None,
) -> SlurmSettings:
    """Settings of the worked cases."""
    return SlurmSettings(
        chosen={**TIMERS, **(chosen or {})},
        partitions=tuple(partitions),
        associations=tree() if associations is None else tuple(associations),
        qos=tuple(qos),
        licenses=licenses or {},
        queues={"low,batch": ("low", "batch")} if len(partitions) > 1 else {},
    )


def machine_of(nodes: int = 4, cpus: int = 4, memory_mb: float = 0.0) -> Machine:
    """Nodes n1, n2, ..."""
    room = {Resource.PROCESSORS: float(cpus), Resource.MEMORY_KB: memory_mb * 1024}
    return Machine.of_nodes([Node(room) for _ in range(nodes)])


@dataclass(frozen=True)
class Ran:
    """A run, and how to ask it."""

    replay: Replay
    jobs: Sequence[Sbatch]
    given: Mapping[str, str] = field(default_factory=dict)

    @property
    def starts(self) -> list[float]:
        """The start of each job, in the order in which they were given; infinity: not yet."""
        schedule = self.replay.schedule()
        row_of = {int(number): row for row, number in enumerate(schedule.workload.number)}
        rows = [row_of[k + 1] for k in range(len(self.jobs))]
        tables = self.replay.tables
        found = [float(schedule.start_s[row]) for row in rows]
        rows = [*_running(tables), *_suspended(tables)]
        running = {int(tables.jobs.number[row]): float(tables.jobs.start_s[row]) for row in rows}
        return [running.get(k + 1, one if one == one else inf) for k, one in enumerate(found)]

    def row(self, job: int) -> int:
        """The row of the job given as number *job*, from 0, which waits, runs or is suspended."""
        t = self.replay.tables
        rows = [*_running(t), *_suspended(t), *t.queue.waiting[t.queue.head : t.queue.tail].tolist()]
        return next(int(row) for row in rows if t.jobs.number[row] == job + 1)

    @property
    def suspended(self) -> list[int]:
        """The jobs that are suspended, by their places among those given."""
        t = self.replay.tables
        return sorted(int(t.jobs.number[row]) - 1 for row in _suspended(t))

    @property
    def changes(self) -> list[tuple[float, int, float]]:
        """Suspensions (rate 0) and resumptions (rate 1): instant, job, rate."""
        schedule = self.replay.schedule()
        trace, number = schedule.trace, schedule.workload.number
        found = zip(trace.time_s.tolist(), trace.job.tolist(), trace.rate.tolist(), strict=True)
        return [(at_s, int(number[job]) - 1, rate) for at_s, job, rate in found]

    @property
    def ends(self) -> list[float]:
        """The end of each job, in the order in which they were given; NaN: not yet."""
        schedule = self.replay.schedule()
        row_of = {int(number): row for row, number in enumerate(schedule.workload.number)}
        return [float(schedule.end_s[row_of[k + 1]]) for k in range(len(self.jobs))]

    def nodes(self, job: int) -> dict[str, int]:
        """The nodes of a placed job, and its CPUs on each."""
        t = self.replay.tables
        found: dict[str, int] = {}
        entry = int(t.jobs.entries[self.row(job)])
        while entry >= 0:
            name = f"n{int(t.entries.node[entry]) + 1}"
            found[name] = found.get(name, 0) + int(t.entries.tasks[entry])
            entry = int(t.entries.next[entry])
        return dict(sorted(found.items()))

    def limit_s(self, job: int) -> float:
        """The limit of a job that waits or runs."""
        return float(self.replay.tables.jobs.estimate_s[self.row(job)])

    def reason(self, job: int) -> str:
        """Why a job waits, as squeue shows it."""
        return shown(int(mine(self.replay.tables).reason[self.row(job)]))

    def expected_s(self, job: int) -> float:
        """The start that the last backfill pass planned for a job that waits."""
        return float(mine(self.replay.tables).expected_s[self.row(job)])

    def priorities(self, part: int | None = None) -> dict[int, float]:
        """The priority of each job that waits, by its place among those given; *part*: in that partition."""
        t = self.replay.tables
        found: dict[int, float] = {}
        for k in range(t.site.attempts.count):
            row, place = divmod(int(t.site.attempts.what[k]), 64)
            if part is None or place == part:
                found[int(t.jobs.number[row]) - 1] = float(t.site.attempts.key[k])
        return found

    def asked(self, at_s: float) -> Tables:
        """A copy of the tables in which the policy has just said why each job waits."""
        t = copied(self.replay.tables)
        t.cycle.explain = 1
        begin_pass(t, at_s)
        load_policy("slurm").schedule(t, at_s)
        return t

    def until(self, at_s: float) -> "Ran":
        """Go on to an instant."""
        self.replay.run(until_s=at_s)
        return self


def _suspended(t: Tables) -> list[int]:
    rows: list[int] = t.queue.suspended[: t.queue.suspended_count].tolist()
    return rows


def _running(t: Tables) -> list[int]:
    rows: list[int] = t.queue.running[: t.queue.running_count].tolist()
    return rows


def slurm(
    jobs: Sequence[Sbatch],
    settings: SlurmSettings | None = None,
    machine: Machine | None = None,
    compiled: bool = False,
    given: Mapping[str, str] | None = None,
    reservations: Sequence[Reservation] = (),
    outages: Sequence[Outage] = (),
) -> Ran:
    """A run that has not begun."""
    made = Configured.of(settings if settings is not None else settings_of(), given or {})
    workload = workload_of(
        [Job(one.at, one.run, one.width, one.minutes * 60, number=k + 1) for k, one in enumerate(jobs)]
    )
    order = [int(number) - 1 for number in workload.number]
    owners = [jobs[k] for k in order]
    if any(one.array for one in owners):
        workload = with_arrays(workload, [one.array for one in owners])
    workload.user[:] = [USERS.index(one.user) for one in owners]
    workload.queue[:] = [QUEUES.index(one.queue) for one in owners]
    # Accounts and QOSes come by credentials: each job has one of its own until they are filled in below.
    workload.group[:] = np.arange(1000, 1000 + len(owners))
    vector = made.vector(number_of, lambda name: int(name.removeprefix("n")) - 1, license_of)
    where = machine or machine_of()
    least_s = np.array([60.0 * one.least_minutes for one in owners])
    replay = Replay(
        workload,
        where,
        load_policy("slurm"),
        options=Options(
            parameters=vector,
            interpreted=not compiled,
            requests={k: one.request for k, one in enumerate(owners)},
            reservations=tuple(reservations),
            outages=outages,
            least_s=least_s if least_s.any() else None,
            node_names=[f"n{k + 1}" for k in range(len(where.nodes))] if reservations else (),
        ),
    )
    t = replay.tables
    for credential in range(1, t.credentials.user.size):
        one = owners[int(t.credentials.group[credential]) - 1000]
        t.credentials.account[credential] = ACCOUNTS.index(ACCOUNT_OF[one.user])
        t.credentials.qos[credential] = number_of(CredentialType.QOS, one.qos) if one.qos else -1
    return Ran(replay, jobs)
