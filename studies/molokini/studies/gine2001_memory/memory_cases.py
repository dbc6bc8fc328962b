"""What is run for Gine et al. 2001: their workload at three memory loads, and small worked situations."""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from typing import Any

import numpy as np

from molokini.process_sim.accounts import job_accounts, measures
from molokini.process_sim.calibrating import Calibrated, calibrated
from molokini.process_sim.kinds import looping
from molokini.process_sim.memory_jobs import MemoryTasks, memory_jobs
from molokini.process_sim.policies import needs_of
from molokini.process_sim.replaying import ScenarioReplay, prepare
from molokini.process_sim.scenario import (
    MS,
    US,
    Dist,
    Job,
    MainMemory,
    Pages,
    Prices,
    Process,
    S,
    Scenario,
    Settings,
    Step,
)
from molokini.process_sim.words import Draw, Op, Pattern, Wait
from molokini.studies.study import Point, Row, seed_for

FULL_JOBS = 1000
NODES, FEWER_NODES = 32, 16
SCALE = 20
POLICIES = ("rr", "pred", "csm")
LOW = ("rr", "dyn", "csm")
SHARES = (0.2, 0.5, 0.8)
FREQUENCIES_MS = (30, 100, 300)
MNODS = (1, 3, 5, 8)
DEFAULT_RATES = (800, 16)
OTHER_RATES = ((200, 4), (200, 16), (800, 4), (800, 64), (3200, 16), (3200, 64))
"""Pages a second of CPU time, and of a block: each by 4 either way, and both."""
MNOD_FREQUENCIES_MS = (30, 300)
LOADS: Mapping[str, tuple[float, int]] = {"low": (0.7, 2), "medium": (1.0, 2), "high": (1.5, 3)}
"""By trial: the memory load, and MNOD."""
PUBLISHED_TASKS = {"low": 2.8, "medium": 3.2, "high": 4.1}
LOCALS_A_JOB = {"low": 0.0, "medium": 60.0, "high": 40.0}
"""Local tasks for each parallel job: so many that tasks a node come out about as published."""
COSTS = Prices(0, 0, MS, MS, 0, Fraction(0), 0, 0, 0, 0)
"""Messages take 1 ms; nothing else costs anything."""
M = 32_768


@dataclass(frozen=True)
class Load:
    """The workload of the paper at a memory load."""

    policy: str
    trial: str
    large_share: float = 0.5
    frequency_ms: int = 100
    mnod: int = 0
    """0: that of the trial."""
    page_in: int = 800
    block: int = 16
    printed: bool = False
    switch_us: int = 0
    growth: int = 0
    """Switch costs by which quanta grow."""
    scale: int = SCALE
    """CPU times are those of the paper divided by this."""


@dataclass(frozen=True)
class Beside:
    """An MG-like job of four tasks beside two local tasks a node (figure 1)."""

    policy: str
    load: float


@dataclass(frozen=True)
class Periods:
    """Three nodes, two parallel jobs and a local task (figure 2)."""

    policy: str


@dataclass(frozen=True)
class Static:
    """J1, J2 ten seconds later and two local tasks on each of four nodes (figure 5)."""

    policy: str


@dataclass(frozen=True)
class Alike:
    """Jobs that need memory alike: the order under a policy is that of first in, first out (section 4.2)."""

    policy: str


AnyCase = Load | Beside | Periods | Static | Alike


def cases() -> list[AnyCase]:
    """Every case once."""
    found: list[AnyCase] = [Load(policy, "low", share) for share in SHARES for policy in LOW]
    for trial in ("medium", "high"):
        found += [Load(policy, trial, frequency_ms=k) for k in FREQUENCIES_MS for policy in POLICIES]
        found += [
            Load(policy, trial, page_in=rate, block=block)
            for rate, block in OTHER_RATES
            for policy in POLICIES
        ]
    found += [Load("csm", "medium", mnod=mnod, frequency_ms=k) for mnod in MNODS for k in MNOD_FREQUENCIES_MS]
    found += [Load("csm", "high", printed=True)]
    found += [Load(policy, "high", switch_us=200) for policy in ("pred", "csm")]
    found += [Load("csm", "high", switch_us=200, growth=25)]
    found += [Load(policy, "medium", frequency_ms=300, scale=1) for policy in POLICIES]
    found += [Beside(policy, load) for load in (0.8, 1.5) for policy in ("rr", "pred")]
    found += [Periods(policy) for policy in ("rr", "csm")]
    found += [Static(policy) for policy in ("pred", "csm")]
    found += [Alike(policy) for policy in ("rr", "csm")]
    return list(dict.fromkeys(found))


def shares(case: Any) -> Hashable:
    """Cases that need the same interval between jobs run one after the other."""
    if isinstance(case, Load):
        return (case.trial, case.large_share, case.frequency_ms, case.page_in, case.block, case.scale)
    return type(case).__name__


def prepare_all() -> None:
    """Compile what all runs need."""
    prepare(("rr", "dyn", "pred", "csm"), memory=True)
    prepare(("rr", "csm"))


def settings(policy: str, **given: object) -> Settings:
    """A policy with parameters, those that it has."""
    needs = needs_of(policy)
    known = {one.name for one in needs.parameters}
    asked = {name: str(value) for name, value in given.items() if name in known}
    return Settings(policy, Wait.BLOCK, given=needs.values(policy, asked))


def run(point: Point) -> Row:
    """Measure one case."""
    case, seed = point.case, seed_for("gine2001", point.seed) % (2**31)
    if isinstance(case, Load):
        return _load(case, point.length, seed)
    if isinstance(case, Beside):
        return _beside(case, seed)
    if isinstance(case, Periods):
        return _periods(case, seed)
    if isinstance(case, Static):
        return _static(case, seed)
    assert isinstance(case, Alike)
    return _alike(case)


def _tasks(case: Load, length: float) -> MemoryTasks:
    load, _ = LOADS[case.trial]
    jobs = max(12, round(FULL_JOBS * length)) if case.scale > 1 else max(6, round(FULL_JOBS * length / 4))
    low = case.trial == "low"
    return MemoryTasks(
        load=load,
        jobs=jobs * (8 if low else 1),
        large_share=case.large_share,
        locals_a_job=LOCALS_A_JOB[case.trial],
        local_class=low,
        small_ns=300 * S // case.scale,
        large_ns=3600 * S // case.scale,
        frequency_ns=case.frequency_ms * MS,
    )


def nodes_of(length: float) -> int:
    """Those of the paper; half of them where less than half of its length is run."""
    return NODES if length >= 0.5 else FEWER_NODES


@lru_cache(maxsize=8)
def _interval(tasks: MemoryTasks, nodes: int, seed: int, memory: MainMemory) -> Calibrated:
    plain = Scenario("gine2001", nodes, [], seed=seed, prices=COSTS, memory=memory)
    return calibrated(plain, tasks, "memory load")


def _load(case: Load, length: float, seed: int) -> Row:
    tasks, nodes = _tasks(case, length), nodes_of(length)
    memory = MainMemory(page_in=case.page_in, block=case.block)
    found = _interval(tasks, nodes, seed, memory)
    made = settings(case.policy, mnod=case.mnod or LOADS[case.trial][1], growth=case.growth)
    scenario = Scenario(
        "gine2001",
        nodes,
        memory_jobs(tasks, nodes, seed, found.interval_ns),
        seed=seed,
        prices=replace(COSTS, switch=case.switch_us * US),
        settings=made,
        memory=replace(memory, printed=case.printed),
    )
    done = ScenarioReplay(scenario).finish()
    return {
        "interval_s": found.interval_ns / S,
        "load": found.load,
        "tasks_a_node": found.tasks_a_node,
        **_measured(done),
    }


def _measured(done: ScenarioReplay) -> dict[str, float | int | None]:
    """Faults a task, and by class of jobs: slowdown, correlation."""
    world = done.world
    found: dict[str, float | int | None] = {"page_faults": measures(done)["page_faults_a_task"]}
    jobs = job_accounts(done)
    first, count = world.jobs.first, world.jobs.count
    ends = world.procs.since
    apart: list[float] = []
    by_class: dict[str, list[tuple[float, float, float]]] = {"small": [], "large": [], "local": []}
    for row, job in enumerate(jobs):
        mine = slice(int(first[row]), int(first[row] + count[row]))
        work = float(world.procs.spent[mine, 0].mean())
        name = {"G": "large", "L": "local"}.get(job["job"][0], "small")
        by_class[name].append((job["response_ns"], work, float(world.memory.vir[mine].mean())))
        if count[row] > 1:
            apart.append((int(ends[mine].max()) - int(ends[mine].min())) / work)
    found["correlation"] = 100 - 100 * float(np.mean(apart)) if apart else None
    for name, lines in by_class.items():
        total = sum(work for _, work, _ in lines)
        found[f"{name}_slowdown"] = sum(response for response, _, _ in lines) / total if lines else None
    parallel = by_class["small"] + by_class["large"]
    found["parallel_slowdown"] = sum(one for one, _, _ in parallel) / sum(work for _, work, _ in parallel)
    found["favours_small"] = _rank_correlation(
        [vir for _, _, vir in parallel], [response / work for response, work, _ in parallel]
    )
    found["raises"] = int(world.own.cluster[0])
    found["passed_a_raise"] = int(world.own.cluster[1]) / max(1, int(world.own.cluster[0]))
    found["events"] = int(world.events)
    return found


def _rank_correlation(one: Sequence[float], other: Sequence[float]) -> float | None:
    if len(one) < 3:
        return None
    ranks = [np.argsort(np.argsort(values)) for values in (one, other)]
    return float(np.corrcoef(ranks[0], ranks[1])[0, 1])


def _exchanging(
    size: int, grain_ns: int, rounds: int, nodes: Sequence[int], vir: Sequence[int]
) -> list[Process]:
    nothing = (Dist(Draw.CONSTANT, 0), 0.0)
    programs = looping(size, Dist(Draw.EXPONENTIAL, grain_ns), Pattern.RING, 0, rounds, nothing, 0.0)
    pages = [Pages(one, round(0.8 * one), round(0.1 * one), S) if one else None for one in vir]
    return [Process(programs[k], nodes[k], pages=pages[k]) for k in range(size)]


def _serial(name: str, work_ns: int, node: int, vir: int) -> Job:
    pages = Pages(vir, max(1, vir // 2), vir // 10, S)
    return Job(name, [Process((Step(Op.COMPUTE, Dist(Draw.CONSTANT, work_ns)),), node, pages=pages)])


def _ran(
    jobs: Sequence[Job], nodes: int, policy: str, seed: int, memory: MainMemory | None
) -> ScenarioReplay:
    made = settings(policy, mnod=2)
    scenario = Scenario("gine2001", nodes, jobs, seed=seed, prices=COSTS, settings=made, memory=memory)
    return ScenarioReplay(scenario).finish()


def _ends(done: ScenarioReplay) -> dict[str, float]:
    return {line["job"]: line["end_ns"] / S for line in job_accounts(done)}


def _beside(case: Beside, seed: int) -> Row:
    """Tasks of a quarter of memory; local ones so large that the nodes need the load."""
    parallel = M // 4
    local = round((case.load * M - parallel) / 2)
    jobs = [Job("MG", _exchanging(4, 10 * MS, 600, range(4), [parallel] * 4))]
    jobs += [_serial(f"L{node}{k}", 20 * S, node, local) for node in range(4) for k in range(2)]
    done = _ran(jobs, 4, case.policy, seed, MainMemory())
    return {"end_s": _ends(done)["MG"], "faults": int(done.world.memory.faults.sum())}


def _periods(case: Periods, seed: int) -> Row:
    """J1 on nodes 0 and 1, J2 on 1 and 2, a local task on node 1, where memory is short."""
    jobs = [
        Job("J1", _exchanging(2, 20 * MS, 350, (0, 1), [M // 2] * 2)),
        Job("J2", _exchanging(2, 20 * MS, 350, (1, 2), [3 * M // 4] * 2)),
        _serial("L", 5 * S, 1, M // 4),
    ]
    return {f"{name}_s": end for name, end in _ends(_ran(jobs, 3, case.policy, seed, MainMemory())).items()}


def _static(case: Static, seed: int) -> Row:
    """Four nodes: J1 and J2 need seven tenths of memory each; J2 comes 10 s later; local tasks end early."""
    jobs = [
        Job("J1", _exchanging(4, 20 * MS, 4000, range(4), [round(0.55 * M)] * 4)),
        replace(Job("J2", _exchanging(4, 20 * MS, 4000, range(4), [round(0.75 * M)] * 4)), arrival_ns=10 * S),
    ]
    jobs += [_serial(f"L{node}", 30 * S, node, M // 8) for node in range(4)]
    looks: list[tuple[float, float]] = []
    made = settings(case.policy, mnod=2)
    whole = Scenario("gine2001", 4, jobs, seed=seed, prices=COSTS, settings=made, memory=MainMemory())
    ends = _ends(ScenarioReplay(whole).finish())
    until = min(ends[f"L{node}"] for node in range(4))
    after = max(ends[f"L{node}"] for node in range(4))
    for at in (until / 2, until, after, after + until / 2):
        part = ScenarioReplay(replace(whole, until_ns=round(at * S))).finish().world
        ours = float(part.procs.spent[:4, 0].sum()) / S / 4
        # Jobs are in the order of their arrivals: J2 comes last.
        locals_ = float(part.procs.spent[4:8, 0].sum()) / S / 4
        looks.append((ours, locals_))
    return {
        "J1_s": ends["J1"],
        "J2_s": ends["J2"],
        "parallel_share": looks[1][0] / max(1e-9, looks[1][0] + looks[1][1]),
        "rate_before": (looks[1][0] - looks[0][0]) / (until / 2),
        "rate_after": (looks[3][0] - looks[2][0]) / (until / 2),
    }


def _alike(case: Alike) -> Row:
    """Memory is short, all tasks need the same, none has a message: how often is one overtaken?"""
    alike = Pages(20_000, 16_000, 0, 0)
    step = (Step(Op.COMPUTE, Dist(Draw.CONSTANT, 5 * S)),)
    jobs = [Job(f"J{k}", [Process(step, node, pages=alike) for node in (0, 1)]) for k in range(4)]
    memory = MainMemory(page_in=0, block=0)
    done = _ran(jobs, 2, case.policy, 1, memory)
    return {"passed": int(done.world.own.cluster[1]), "end_s": int(done.world.now) / S}
