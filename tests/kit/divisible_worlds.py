"""Divisible loads for tests: a step by step timeline, small workloads, and Figure 3 node by node.

The timeline and Figure 3 are independent of the closed forms of ``applications.divisible``, of which only the
costs as they are written are used; the replay that is compared is the product's.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from molokini.applications.divisible import Costs
from molokini.model.machine import Machine
from molokini.model.policy import Value
from molokini.policies import load_policy
from molokini.sim.replay import Options, Replay
from molokini.workloads.workload import Loads, Workload
from tests.kit.workloads import Job, workload_of


def ends(shares: Sequence[float], size: float, costs: Costs) -> list[float]:
    """When each node that has a share ends: one transmission after the other, each node computes once."""
    port_s, found = 0.0, []
    for share in shares:
        if share == 0.0:
            continue
        port_s += costs.setup_send_s + share * size * costs.send_s
        found.append(port_s + costs.setup_compute_s + share * size * costs.compute_s)
    return found


@dataclass(frozen=True)
class Task:
    """(A, sigma, D)."""

    arrival: float
    size: float
    deadline: float
    """Relative."""
    width: int = 0
    """Of one that is not divisible (its size is 0), as its two times: nodes that it asks for."""
    estimate_s: float = 0.0
    run_s: float = 0.0

    @property
    def until(self) -> float:
        """The absolute deadline."""
        return self.arrival + self.deadline

    @property
    def is_rigid(self) -> bool:
        """Whether it cannot be divided."""
        return self.width > 0


def rigid(arrival: float, width: int, estimate_s: float, run_s: float | None = None) -> Task:
    """A job that is not divisible: its width and length are its own, and it has no deadline."""
    return Task(arrival, 0.0, np.inf, width, estimate_s, estimate_s if run_s is None else run_s)


def divisible_workload(tasks: Sequence[Task], nodes: int, costs: Costs) -> Workload:
    """The workload of *tasks*, which are in order of arrival."""
    plain = workload_of(
        [
            Job(t.arrival, t.run_s, t.width, t.estimate_s)
            if t.is_rigid
            else Job(t.arrival, costs.execution_s("opr", t.size, nodes), nodes)
            for t in tasks
        ]
    )
    # A workload is divisible as a whole: of rigid jobs this is taken out of the agenda (``replayed``).
    size = np.array([1.0 if t.is_rigid else t.size for t in tasks])
    deadline = np.array([1.0 if t.is_rigid else t.deadline for t in tasks])
    return replace(plain, machine_processors=nodes, loads=Loads(size, deadline, costs))


def begun(
    tasks: Sequence[Task],
    policy: str,
    nodes: int,
    costs: Costs,
    values: Mapping[str, Value] | None = None,
    machine: Machine | None = None,
    **options: Any,
) -> Replay:
    """A replay of *tasks* under *policy* that has not begun."""
    loaded = load_policy(policy)
    given = {**loaded.declaration.values({}), **(values or {})}
    workload = divisible_workload(tasks, nodes, costs)
    replay = Replay(workload, machine or Machine.counted(nodes), loaded, given, Options(**options))
    for k, task in enumerate(tasks):
        if task.is_rigid:
            replay.agenda.workload.amount[k] = replay.agenda.workload.deadline_s[k] = 0.0
    return replay


def replayed(
    tasks: Sequence[Task],
    policy: str,
    nodes: int,
    costs: Costs,
    values: Mapping[str, Value] | None = None,
    machine: Machine | None = None,
    **options: Any,
) -> Replay:
    """*tasks* under *policy*, to their end."""
    replay = begun(tasks, policy, nodes, costs, values, machine, **options)
    assert replay.run()
    return replay


Planned = tuple[float, int, float]
"""Start, nodes, end."""


def planned(replay: Replay) -> dict[int, Planned]:
    """Start, nodes and end of each job that ran."""
    schedule = replay.schedule()
    rows = np.flatnonzero(schedule.finished).tolist()
    width = schedule.workload.processors
    return {k: (float(schedule.start_s[k]), int(width[k]), float(schedule.end_s[k])) for k in rows}


@dataclass
class FigureThree:
    """The schedulability test as it is printed, with a release time for each node; slow and plain."""

    policy: str
    nodes: int
    costs: Costs
    k: int = 0
    shared_port: bool = False
    release_each: bool = False
    take_latest: bool = True

    def __post_init__(self) -> None:
        self.order, self.rule, self.assignment = self.policy.split("-")

    def run(self, tasks: Sequence[Task]) -> dict[int, Planned]:
        """Where each admitted task, by its place in *tasks*, runs."""
        plan: dict[int, Planned] = {}
        for arrival, task in enumerate(tasks):
            now = task.arrival
            started = {i: p for i, p in plan.items() if p[0] < now}
            queue = [i for i in plan if i not in started] + [arrival]
            found = self._tested(tasks, started, queue, now)
            if found is not None:
                plan = {**started, **found}
        return plan

    def _tested(
        self, tasks: Sequence[Task], started: Mapping[int, Planned], queue: list[int], now: float
    ) -> dict[int, Planned] | None:
        free = [end for i, p in started.items() for end in self._ends(tasks[i], p) if end > now]
        free = [now] * (self.nodes - len(free)) + sorted(free)
        port = now
        if self.shared_port:
            port = max([now, *(p[0] + self._sending(tasks[i], p[1]) for i, p in started.items())])
        found = {}
        for i in sorted(queue, key=lambda i: (self._rank(tasks[i], now), i)):
            chosen = self._earliest(tasks[i], free, port)
            if chosen is None or chosen[2] > tasks[i].until:
                return None
            found[i] = chosen
            start, n, _ = chosen
            last = sum(one <= start for one in free) if self.take_latest else n
            free = sorted([*free[: last - n], *free[last:], *self._ends(tasks[i], chosen)])
            if self.shared_port and not tasks[i].is_rigid:
                port = start + self._sending(tasks[i], n)
        return found

    def _ends(self, task: Task, planned: Planned) -> list[float]:
        """When each node is free again."""
        start, n, end = planned
        if not self.release_each or task.is_rigid:
            return [end] * n
        c = self.costs
        sent = [place * (c.setup_send_s + task.size * c.send_s / n) for place in range(1, n)]
        each = [min(end, start + (s + c.setup_compute_s + task.size * c.compute_s / n)) for s in sent]
        return [*each, end]

    def _earliest(self, task: Task, free: Sequence[float], port: float) -> Planned | None:
        for at in sorted(set(free)):
            available = sum(one <= at for one in free)
            # Who sends nothing does not wait for the port.
            start = at if task.is_rigid else max(at, port)
            n = self._wanted(task, start)
            if n is not None and n <= available:
                return start, n, start + self._length(task, n)
        return None

    def _length(self, task: Task, n: int) -> float:
        return task.estimate_s if task.is_rigid else self.costs.execution_s(self.rule, task.size, n)

    def _wanted(self, task: Task, start: float) -> int | None:
        if task.is_rigid:
            return task.width
        if self.assignment == "an":
            return self.nodes
        if self.assignment == "k":
            return self.k
        return self._fewest(task, start)

    def _fewest(self, task: Task, start: float) -> int | None:
        for n in range(1, self.nodes + 1):
            if start + self.costs.execution_s(self.rule, task.size, n) <= task.until:
                return n
        return None

    def _rank(self, task: Task, now: float) -> float:
        if self.order == "edf":
            return task.until
        if self.order == "fifo" or task.is_rigid:
            return 0.0
        n = self._fewest(task, now)
        if n is None:
            return -np.inf
        work = [m * self.costs.execution_s(self.rule, task.size, m) for m in (n, n + 1)]
        return work[0] - work[1]

    def _sending(self, task: Task, n: int) -> float:
        """How long it keeps the head's port busy."""
        if task.is_rigid:
            return -np.inf
        return n * self.costs.setup_send_s + task.size * self.costs.send_s
