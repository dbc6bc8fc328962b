"""What is run for Zhang, Franke, Moreira and Sivasubramaniam, JSSPP 2001."""

from collections.abc import Hashable
from dataclasses import dataclass, replace
from functools import lru_cache

from molokini.model.policy import Value
from molokini.policies import load_policy
from molokini.sim.replay import Replay
from molokini.studies.replays import jobs_of_model, replay_of
from molokini.studies.study import Case, Point, Row, seed_for
from molokini.studies.zhang2001_integrated.integrated_measures import described, measured
from molokini.studies.zhang2001_integrated.scenarios import EXAMPLES
from molokini.workloads.lengths import lengthen, overestimate
from molokini.workloads.workload import Workload

JOBS, PROCESSORS = 10_000, 320
_FEWEST = 300
FACTORS = (1.0, 1.1, 1.2, 1.3, 1.4, 1.5, 1.6, 1.7, 1.8)
"""Run times of the paper's workloads 0 to 8 over those of the first."""
BEYOND = 2.5
"""Run times with which every policy has more to do than it can."""
MODES = ("rate", "exact")
LEVELS = (2, 3, 5)
SWITCHES = (0.0, 0.01, 0.02, 0.05)
PHIS = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)
TASKS = (0, 16, 32, 64, 128, 256, 1600)
COSTS_S = (0.0, 10.0, 30.0)
UNRESTRICTED = 1600
"""As many tasks as the matrix has room for: migration knows no bound."""
ROWS = ("gs", "bgs", "mgs", "mbgs")
MIGRATING = ROWS[2:]


@dataclass(frozen=True)
class Jobs:
    """The workload itself."""

    factor: float = 1.0


@dataclass(frozen=True)
class Example:
    """A few jobs, as in a figure that explains a policy."""

    name: str


@dataclass(frozen=True)
class GangRun:
    """All jobs under one policy."""

    policy: str
    factor: float
    mode: str = "rate"
    mpl: int = 5
    switch: float = 0.0
    phi: float = 0.2
    cost_s: float = 0.0
    tasks: int = UNRESTRICTED
    other: str = ""
    """Another reading of the policy, ``predict=remaining``."""
    jobs: str = ""
    """Other jobs than the base workload's: parameters of the model, ``run-cv=3``."""


BOUNDS = {
    "": "all tasks of a job, in a slice",
    "migrated_are=moved": "tasks that change columns",
    "migrated_in=event": "at each event",
    "migrated_are=moved&migrated_in=event": "tasks that change columns, at each event",
}
"""Readings of what 64 tasks bound; a checkpoint is of a job; in a slice (line 2544)."""


@dataclass(frozen=True)
class Way:
    """How jobs progress, and what bounds migration."""

    mode: str
    bound: str = ""

    def __str__(self) -> str:
        return f"{self.mode}: {BOUNDS[self.bound]}"


WAYS = (*(Way(mode) for mode in MODES), *(Way(MODES[0], bound) for bound in BOUNDS if bound))

AnyCase = Jobs | Example | GangRun


def plain(policy: str, factor: float, phi: float = 0.2) -> GangRun:
    """Under a policy without rows."""
    return GangRun(policy, factor, phi=phi)


def rows(policy: str, factor: float, mode: str, mpl: int = 5, switch: float = 0.0) -> GangRun:
    """Under gang scheduling, with unbounded migration at no cost if it migrates."""
    return GangRun(policy, factor, mode, mpl, switch)


def bounded(policy: str, factor: float, way: Way) -> GangRun:
    """C = 10 s and 64 tasks, where the policy migrates."""
    if policy[0] != "m":
        return rows(policy, factor, way.mode)
    return replace(priced(policy, factor, way.mode), other=way.bound)


def priced(policy: str, factor: float, mode: str, cost_s: float = 10.0, tasks: int = 64) -> GangRun:
    """With migration that costs something, of so many tasks a slice."""
    if tasks == 0:
        return rows(policy.removeprefix("m"), factor, mode)
    return GangRun(policy, factor, mode, cost_s=cost_s, tasks=tasks)


READINGS = ("predict=remaining", "replan=fresh")
OTHER_JOBS = ("mean=4&class-gap-cv=1.42", "mean=6&run-cv=3", "class-gap-cv=2.5", "median=680")
"""Base workloads that were not chosen, to see which claims depend on what the paper does not tell."""
OTHER_FACTORS = (1.2, 1.5, 1.7)


def cases() -> list[AnyCase]:
    """Every case once: table 1 first, then what figures ask for beside it."""
    found: list[AnyCase] = [Jobs(factor) for factor in FACTORS]
    found += [Example(name) for name in EXAMPLES]
    found += table_1()
    every = (*FACTORS, BEYOND)
    found += [plain(policy, factor) for policy in ("conservative", "easy", "fcfs") for factor in every]
    found += [plain("conservative", factor, phi) for phi in PHIS for factor in FACTORS]
    for mode in MODES:
        found += [rows(policy, BEYOND, mode) for policy in ROWS]
        found += [GangRun("bgs", factor, mode, phi=phi) for phi in PHIS for factor in FACTORS]
        found += [priced(policy, factor, mode) for policy in MIGRATING for factor in every]
        kinds = [(policy, switch, mpl) for policy in ("gs", "bgs") for switch in SWITCHES for mpl in LEVELS]
        found += [rows(policy, factor, mode, mpl, cs) for policy, cs, mpl in kinds for factor in every]
        two = [(policy, factor) for policy in MIGRATING for factor in (1.2, 1.5)]
        found += [priced(*one, mode, cost_s, tasks) for one in two for cost_s in COSTS_S for tasks in TASKS]
        found += varied(mode)
    found += [bounded(policy, factor, way) for way in WAYS for policy in ROWS for factor in FACTORS]
    return list(dict.fromkeys(found))


def table_1() -> list[GangRun]:
    """Four policies, nine workloads, in both modes."""
    return [rows(policy, factor, mode) for mode in MODES for factor in FACTORS for policy in ROWS]


def varied(mode: str) -> list[GangRun]:
    """Other readings of backfilling in rows, and other jobs."""
    found = [GangRun("bgs", factor, mode, other=other) for other in READINGS for factor in FACTORS]
    for jobs in OTHER_JOBS:
        for factor in OTHER_FACTORS:
            found += [GangRun(policy, factor, mode, jobs=jobs) for policy in ROWS]
            if mode == "rate":
                found.append(GangRun("conservative", factor, jobs=jobs))
    return found


def shares(case: Case) -> Hashable:
    """Runs of the same jobs go together: they are drawn once."""
    return (case.factor, case.phi, case.jobs) if isinstance(case, GangRun) else type(case).__name__


def run(point: Point) -> Row:
    """Measure one case."""
    case = point.case
    if isinstance(case, Example):
        return EXAMPLES[case.name]()
    jobs = max(_FEWEST, round(JOBS * point.length))
    if isinstance(case, Jobs):
        return described(made(point.seed, jobs, case.factor, 0.2), PROCESSORS)
    assert isinstance(case, GangRun)
    workload = made(point.seed, jobs, case.factor, case.phi, case.jobs)
    replay = replayed(workload, case)
    replay.run()
    return measured(replay.schedule())


@lru_cache(maxsize=4)
def made(seed: int, jobs: int, factor: float, phi: float, other: str = "") -> Workload:
    """The jobs of a seed: the same but for their lengths and estimates."""
    longer = lengthen(_base(seed, jobs, other), factor)
    return overestimate(longer, phi, seed_for("zhang2001-integrated", "estimates", seed))


@lru_cache(maxsize=64)
def _base(seed: int, jobs: int, other: str) -> Workload:
    given = dict(part.split("=") for part in other.split("&") if part)
    return jobs_of_model("zhang2001", "zhang2001-integrated", seed, jobs=jobs, seconds="fractions", **given)


def replayed(workload: Workload, case: GangRun) -> Replay:
    """A replay of *workload* as *case* says."""
    known = {parameter.name for parameter in load_policy(case.policy).declaration.parameters}
    given: dict[str, Value] = {
        "mpl": case.mpl,
        "mode": case.mode,
        "context_switch": case.switch,
        "migration_cost": case.cost_s,
        "migrated_tasks": case.tasks,
    }
    given = {key: one for key, one in given.items() if key in known}
    given |= dict(part.split("=") for part in case.other.split("&") if part)
    return replay_of(workload, case.policy, **given)


def prepare() -> None:
    """Compile every policy."""
    few = made(1, _FEWEST, 1.0, 0.2)
    for policy in ("conservative", "easy", "fcfs", *ROWS):
        replayed(few, GangRun(policy, 1.0)).run()
