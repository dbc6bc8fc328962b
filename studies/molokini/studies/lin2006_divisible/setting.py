"""The parameters of a run, in the paper's letters, and what follows from them without running anything."""

from dataclasses import dataclass, fields, replace
from typing import Any

from molokini.applications.divisible import Costs

REJECTED = "reject_ratio"
"""Task Reject Ratio: tasks that were rejected over tasks that arrived."""

LOADS = tuple(round(0.1 * step, 1) for step in range(1, 11))
"""SystemLoad in section 5.1.1."""

RAISE, REDRAW = "raise", "redraw-pair"
"""What becomes of a deadline that is shorter than E(sigma_i, N): the two readings."""

LATEST, EARLIEST = "", "earliest"
"""Which of the nodes that are free by its start a task takes: the two readings."""

TIME = 10_000_000.0
"""TotalSimulationTime, time units."""


@dataclass(frozen=True)
class Setting:
    """One configuration under one algorithm; the defaults are the basic model of section 5.1.1."""

    policy: str
    nodes: int = 16
    cms: float = 1.0
    cps: float = 100.0
    sigma: float = 200.0
    dcratio: float = 2.0
    load: float = 0.0
    """SystemLoad; 0 where the gap is given."""
    interarrival: float = 0.0
    """1/lambda, time units; 0 where the load is given, or the gap's range."""
    gaps: str = "exponential"
    gap_low: float = 0.0
    gap_high: float = 0.0
    sizes: str = "normal"
    deadlines: str = RAISE
    deadline_least: float = 0.0
    k: int = 0
    """Nodes that every task gets, under ALG-K alone."""
    time: float = TIME
    take: str = ""
    """Which of the nodes that are free by its start a task takes; empty: those released latest."""

    @property
    def workload(self) -> "Setting":
        """What the tasks depend on: all but the algorithm."""
        return replace(self, policy="", k=0, take="")

    def under(self, policy: str, k: int = 0) -> "Setting":
        """The same tasks under another algorithm."""
        return replace(self, policy=policy, k=k)

    @property
    def alone(self) -> float:
        """E(Avg sigma, N): what an average task takes on all nodes, time units."""
        return execution(self.sigma, self.nodes, self.cms, self.cps)

    def parameters(self, length: float) -> dict[str, Any]:
        """The parameters of workload and policy by their names, of a run of *length* times the paper's."""
        named: dict[str, Any] = {}
        for field in fields(self):
            value = getattr(self, field.name)
            if value or field.name in ("policy", "nodes"):
                named[field.name.replace("_", "-")] = value
        return {**named, "time": self.time * length}


def costs(cms: float = 1.0, cps: float = 100.0) -> Costs:
    """C_ms and C_ps, without set-up costs."""
    return Costs(cms, cps)


def execution(sigma: float, nodes: int, cms: float = 1.0, cps: float = 100.0) -> float:
    """E(sigma, n) under OPR (equation 4.7)."""
    return costs(cms, cps).execution_s("opr", sigma, nodes)


def gap_of(setting: Setting) -> float:
    """1/lambda: E(Avg sigma, N) over SystemLoad."""
    if setting.interarrival:
        return setting.interarrival
    return setting.alone / setting.load


def name_of(policy: str, k: int = 0) -> str:
    """An algorithm as the paper writes it."""
    name = policy.upper()
    return name.replace("-K", f"-{k}") if k else name
