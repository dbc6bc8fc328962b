"""What is run for Yoo and Jette 2001: workloads of NAS stand-ins, coscheduled by messages and otherwise."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from molokini.process_sim.accounts import measures
from molokini.process_sim.nas import messages_of, nas_processes
from molokini.process_sim.policies import needs_of
from molokini.process_sim.replaying import ScenarioReplay, prepare
from molokini.process_sim.scenario import Job, Scenario, Settings
from molokini.process_sim.words import Arrival, Wait
from molokini.studies.study import Point, Row, seed_for

DRIVEN, ALONE, BATCH, DEMAND = "message-driven", "uncoordinated", "batch", "dcs-sb"
NODES = 8
WORKLOADS: Mapping[str, str] = {
    "W1": "bt.B.4 ep.B.8 ep.B.8 bt.A.4 sp.A.9 mg.A.2 lu.B.4",
    "W2": "bt.A.4 bt.A.4 lu.A.2 lu.A.2 sp.B.9 sp.A.9 sp.A.4 lu.B.2",
    "W3": "ep.A.2 ep.A.2 ep.A.4 ep.A.4 ep.B.8 ep.B.4 ep.B.4 ep.A.8",
}
"""Table 2 of the paper: moderate, heavy and light traffic."""
LEVELS: Mapping[int, str] = {
    2: "sp.A.16 sp.A.9",
    3: "sp.A.16 sp.A.9 lu.A.8",
    4: "sp.A.16 sp.A.9 lu.A.8 cg.A.16 ft.A.8",
    5: "sp.A.16 sp.A.9 lu.A.8 cg.A.16 ft.A.8 ep.A.8",
}
"""Table 3: by multiprogramming level."""
MODERATE, HEAVY, LIGHT = WORKLOADS
GMETS = (1.0, 1.5, 2.0, 2.5, 3.0, 3.5, 4.0, 4.5, 5.0, 6.0, 8.0, 10.0, 15.0)
FEW_GMETS = (1.0, 2.0, 3.0, 5.0, 10.0)
SLICES = (5.0, 15.0, 20.0, 30.0, 45.0, 60.0)
GRID_SLICES = (5.0, 15.0, 30.0, 60.0)
GRID_GMETS = (1.0, 3.0, 5.0, 10.0)
WAIT_SLICES = (5.0, 15.0, 30.0)
MANY = "many"
"""A hundred jobs at once: 98 of class A, two of class C."""
MANY_PART = 0.1
"""Of the iterations of each of them."""
SIZES = (8, 32, 128)
SIZES_PART = 0.25
_CLASS_A = ("lu.A.8", "sp.A.9", "bt.A.9", "cg.A.8", "mg.A.8", "ft.A.8", "ep.A.8")


@dataclass(frozen=True)
class Run:
    """A workload under a policy."""

    policy: str
    workload: str
    gmet_s: float = 5.0
    slice_s: float = 15.0
    wait: str = "block"
    """What receivers do: block after a millisecond, or spin."""
    status_byte: bool = True
    unit: str = "node"
    phases: str = "drawn"
    placement: str = "fill"
    beyond: str = "stop"
    reaction: str = "messages"
    spin_us: int = 1000
    most: int = 0
    """Processes on a CPU."""
    nodes: int = NODES
    """With more of them there are as many more copies of each job."""
    part: float = 1.0


@dataclass(frozen=True)
class Reading:
    """What the paper leaves open: what receivers do, and when the timers of nodes begin."""

    wait: str
    phases: str

    def __str__(self) -> str:
        timers = "begin together" if self.phases == "alike" else "begin apart"
        return f"receivers {self.wait}, timers {timers}"


PHASES = ("drawn", "alike")
READINGS = tuple(Reading(wait, phases) for phases in PHASES for wait in ("block", "spin"))


def level(most: int) -> str:
    """The workload of a multiprogramming level."""
    return f"level {most}"


def read(policy: str, workload: str, reading: Reading) -> Run:
    """A workload under a reading; timers are those of message-driven coscheduling alone."""
    phases = reading.phases if policy == DRIVEN else "drawn"
    return Run(policy, workload, wait=reading.wait, phases=phases)


def swept(workload: str, phases: str, gmet_s: float, slice_s: float) -> Run:
    """One of figures 5 and 6."""
    return Run(DRIVEN, workload, gmet_s, slice_s, phases=phases)


def waiting(slice_s: float, most: int, phases: str) -> Run:
    """One of figure 4."""
    return Run(DRIVEN, MANY, 2.0, slice_s, phases=phases, most=most, part=MANY_PART)


def batch() -> Run:
    """What figure 4 compares with."""
    return Run(BATCH, MANY, most=1, part=MANY_PART)


def sized(policy: str, nodes: int) -> Run:
    """The heavy workload on a larger machine."""
    phases = "alike" if policy == DRIVEN else "drawn"
    return Run(policy, HEAVY, phases=phases, nodes=nodes, part=SIZES_PART)


def cases() -> list[Run]:
    """Every case once."""
    names = (*WORKLOADS, *(level(most) for most in LEVELS))
    found = [read(policy, name, one) for one in READINGS for name in names for policy in (ALONE, DRIVEN)]
    for phases in PHASES:
        found += [swept(HEAVY, phases, gmet, 30.0) for gmet in GMETS]
        found += [swept(name, phases, gmet, 30.0) for name in (MODERATE, LIGHT) for gmet in FEW_GMETS]
        found += [swept(name, phases, 5.0, length) for name in WORKLOADS for length in SLICES]
        found += [
            swept(name, phases, gmet, length)
            for name in (MODERATE, HEAVY)
            for length in GRID_SLICES
            for gmet in GRID_GMETS
        ]
        found += [waiting(length, most, phases) for length in WAIT_SLICES for most in LEVELS]
        found += [case for _, case in ablations(phases)]
    found += [batch(), Run(DEMAND, HEAVY)]
    found += [Run(policy, name, placement="spread") for name in WORKLOADS for policy in (ALONE, DRIVEN)]
    found += [sized(policy, nodes) for nodes in SIZES for policy in (ALONE, DRIVEN)]
    return list(dict.fromkeys(found))


def ablations(phases: str) -> Sequence[tuple[str, Run]]:
    """The heavy workload without a part of the technique, or in another way; and that of level 2."""
    plain = Run(DRIVEN, HEAVY, phases=phases)
    return [
        ("without the status byte", replace(plain, status_byte=False)),
        ("timers alone", replace(plain, reaction="timer")),
        ("shares that are not strict", replace(plain, beyond="lowest")),
        ("each CPU for itself", replace(plain, unit="cpu")),
        ("level 2, each CPU for itself", replace(plain, workload=level(2), unit="cpu")),
    ]


def prepare_all() -> None:
    """Compile what all runs need."""
    prepare((DRIVEN, ALONE, "local"))


def programs_of(case: Run) -> list[str]:
    """The jobs of a case, in their order."""
    if case.workload == MANY:
        names = [_CLASS_A[k % len(_CLASS_A)] for k in range(98)]
        # The two long ones come early, where they block a queue.
        return [*names[:10], "lu.C.8", *names[10:40], "lu.C.8", *names[40:]]
    text = WORKLOADS.get(case.workload) or LEVELS[int(case.workload.removeprefix("level "))]
    return [name for name in text.split() for _ in range(case.nodes // NODES)]


def settings_of(case: Run) -> Settings:
    """How a case schedules."""
    if case.policy == DEMAND:
        return Settings(wait=Wait.BLOCK, arrival=Arrival.DEMAND, spin_ns=case.spin_us * 1000)
    needs = needs_of(case.policy)
    asked: dict[str, object] = {
        "gmet": f"{case.gmet_s}s",
        "slice": f"{case.slice_s}s",
        "status_byte": case.status_byte,
        "unit": case.unit,
        "phases": case.phases,
        "placement": case.placement,
        "beyond": case.beyond,
        "reaction": case.reaction,
        "most": case.most,
        "wait": case.wait,
        "spin": f"{case.spin_us}us",
    }
    known = {one.name for one in needs.parameters}
    given = needs.values("study", {name: value for name, value in asked.items() if name in known})
    return Settings(scheme=case.policy, wait=Wait.BLOCK, given=given)


def run(point: Point) -> Row:
    """Measure one case."""
    case = point.case
    assert isinstance(case, Run)
    names, part = programs_of(case), max(1e-6, case.part * point.length)
    jobs = []
    for k, name in enumerate(names):
        nodes: list[int | None] = [None] * int(name.split(".")[2])
        jobs.append(Job(f"{name}-{k}", nas_processes(name, nodes, part)))
    seed = seed_for("yoo2001", point.seed) % (2**31)
    scenario = Scenario("yoo2001", case.nodes, jobs, 2, seed, settings=settings_of(case))
    done = ScenarioReplay(scenario).finish()
    return {
        **measures(done),
        "messages": sum(messages_of(name) for name in names) if point.length * case.part == 1 else None,
        "idle_share": _idle(done),
    }


def _idle(done: ScenarioReplay) -> float:
    """The share of CPU time in which CPUs were idle or spun."""
    spent = done.world.cpus.spent
    return float((spent[:, 1].sum() + spent[:, 7].sum()) / spent.sum())
