"""Divisible loads for tests: a step by step timeline, small workloads, and Figure 3 node by node."""

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

    @property
    def until(self) -> float:
        """The absolute deadline."""
        return self.arrival + self.deadline


def divisible_workload(tasks: Sequence[Task], nodes: int, costs: Costs) -> Workload:
    """The workload of *tasks*, which are in order of arrival."""
    alone = [costs.execution_s("opr", task.size, nodes) for task in tasks]
    plain = workload_of([Job(t.arrival, run, nodes) for t, run in zip(tasks, alone, strict=True)])
    size, deadline = np.array([t.size for t in tasks]), np.array([t.deadline for t in tasks])
    return replace(plain, machine_processors=nodes, loads=Loads(size, deadline, costs))


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
    loaded = load_policy(policy)
    given = {**loaded.declaration.values({}), **(values or {})}
    workload = divisible_workload(tasks, nodes, costs)
    replay = Replay(workload, machine or Machine.counted(nodes), loaded, given, Options(**options))
    assert replay.run()
    return replay


Planned = tuple[float, int, float]
"""Start, nodes, end."""


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
            if self.shared_port:
                port = start + self._sending(tasks[i], n)
        return found

    def _ends(self, task: Task, planned: Planned) -> list[float]:
        """When each node is free again."""
        start, n, end = planned
        if not self.release_each:
            return [end] * n
        c = self.costs
        sent = [place * (c.setup_send_s + task.size * c.send_s / n) for place in range(1, n)]
        each = [min(end, start + (s + c.setup_compute_s + task.size * c.compute_s / n)) for s in sent]
        return [*each, end]

    def _earliest(self, task: Task, free: Sequence[float], port: float) -> Planned | None:
        for at in sorted(set(free)):
            available = sum(one <= at for one in free)
            start = max(at, port)
            n = self._wanted(task, start)
            if n is not None and n <= available:
                return start, n, start + self.costs.execution_s(self.rule, task.size, n)
        return None

    def _wanted(self, task: Task, start: float) -> int | None:
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
        if self.order == "fifo":
            return 0.0
        n = self._fewest(task, now)
        if n is None:
            return -np.inf
        work = [m * self.costs.execution_s(self.rule, task.size, m) for m in (n, n + 1)]
        return work[0] - work[1]

    def _sending(self, task: Task, n: int) -> float:
        return n * self.costs.setup_send_s + task.size * self.costs.send_s
