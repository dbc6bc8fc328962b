"""What is run for Yoo and Jette 2001: workloads of NAS stand-ins, coscheduled by messages and otherwise."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from molokini.process_sim.accounts import measures
from molokini.process_sim.nas import messages_of, nas_processes
from molokini.process_sim.policies import needs_of
from molokini.process_sim.replaying import ScenarioReplay, prepare
from molokini.process_sim.scenario import US, Job, Prices, Scenario, Settings
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
    grain: float = 1.0
    """What programs compute between messages, of ours; of messages there are as many more."""
    switch_us: int = 200
    interval_ms: int = 1000
    """Of the class scheduler."""
    unscheduled: int = 1
    """Per cent."""
    cpus: int = 2
    """Of each node."""


@dataclass(frozen=True)
class Reading:
    """What the paper leaves open: what receivers do, when timers begin, how often programs talk."""

    wait: str
    phases: str
    grain: float = 1.0
    interval_ms: int = 1000

    def __str__(self) -> str:
        timers = "begin together" if self.phases == "alike" else "begin apart"
        told = f"receivers {self.wait}, timers {timers}"
        return told if self.grain == 1 else f"{told}, {self.grain:g} of the time between messages"


PHASES = ("drawn", "alike")
APART, TOGETHER = (Reading("block", phases) for phases in PHASES)
FINE = Reading("spin", "alike", 0.05, 200)
"""A twentieth of the computing between messages, which nodes notice five times as soon."""
READINGS = (*(Reading(wait, phases) for phases in PHASES for wait in ("block", "spin")), FINE)
SWEPT = (APART, TOGETHER)
"""The readings under which all of GMET and slice are varied, and parts of the technique taken away."""
HEAVY_SWEPT = (*SWEPT, FINE)
"""Those under which GMET is varied for the heavy workload, and the slice for all that are not light."""
SPIN = Reading("spin", "alike")
CAUSES: Mapping[str, tuple[Reading, Mapping[str, object]]] = {
    "receivers block": (TOGETHER, {}),
    "they block after 0.1 ms": (TOGETHER, {"spin_us": 100}),
    "they block after 20 ms": (TOGETHER, {"spin_us": 20_000}),
    "they block, 0.1 of the time between messages": (replace(TOGETHER, grain=0.1), {}),
    "receivers spin": (SPIN, {}),
    "they spin, timers begin apart": (replace(SPIN, phases="drawn"), {}),
    "they spin, a switch takes 5 ms": (SPIN, {"switch_us": 5000}),
    "they spin, shares are of 0.2 s": (replace(SPIN, interval_ms=200), {}),
    "they spin, 5% for each job that is not scheduled": (SPIN, {"unscheduled": 5}),
    "they spin, one CPU a node": (SPIN, {"cpus": 1}),
    "they spin, four CPUs a node": (SPIN, {"cpus": 4}),
    "they spin, jobs spread": (SPIN, {"placement": "spread"}),
    "they spin, shares are not strict": (SPIN, {"beyond": "lowest"}),
    "they spin, 0.25 of the time between messages": (replace(SPIN, grain=0.25), {}),
    "they spin, 0.1 of it": (replace(SPIN, grain=0.1), {}),
    "they spin, 0.1 of it, timers begin apart": (replace(SPIN, grain=0.1, phases="drawn"), {}),
    "they spin, 0.1 of it, slice 30 s and GMET 3 s": (
        replace(SPIN, grain=0.1),
        {"slice_s": 30.0, "gmet_s": 3.0},
    ),
    "they spin, 0.05 of it": (replace(SPIN, grain=0.05), {}),
    "they spin, 0.05 of it, shares are of 0.2 s": (FINE, {}),
}
"""The heavy workload, as what the paper leaves open is varied."""
_OF_DAEMONS = ("gmet_s", "slice_s", "unscheduled", "beyond")


def level(most: int) -> str:
    """The workload of a multiprogramming level."""
    return f"level {most}"


def read(policy: str, workload: str, reading: Reading) -> Run:
    """A workload under a reading; timers and intervals are those of message-driven coscheduling alone."""
    made = Run(policy, workload, wait=reading.wait, grain=reading.grain)
    if policy != DRIVEN:
        return made
    return replace(made, phases=reading.phases, interval_ms=reading.interval_ms)


def caused(policy: str, name: str) -> Run:
    """The heavy workload with one of ``CAUSES``."""
    reading, changes = CAUSES[name]
    known = {key: value for key, value in changes.items() if policy == DRIVEN or key not in _OF_DAEMONS}
    return replace(read(policy, HEAVY, reading), **known)  # type: ignore[arg-type]


def swept(workload: str, reading: Reading, gmet_s: float, slice_s: float) -> Run:
    """One of figures 5 and 6."""
    return replace(read(DRIVEN, workload, reading), gmet_s=gmet_s, slice_s=slice_s)


def waiting(slice_s: float, most: int, phases: str) -> Run:
    """One of figure 4."""
    return Run(DRIVEN, MANY, 2.0, slice_s, phases=phases, most=most, part=MANY_PART)


def batch() -> Run:
    """What figure 4 compares with."""
    return Run(BATCH, MANY, most=1, part=MANY_PART)


def demand(reading: Reading) -> Run:
    """The heavy workload with a reaction to every message: its receivers block."""
    return Run(DEMAND, HEAVY, grain=reading.grain)


def sized(policy: str, nodes: int) -> Run:
    """The heavy workload on a larger machine, under the reading in which it gains."""
    return replace(read(policy, HEAVY, FINE), nodes=nodes, part=SIZES_PART)


def cases() -> list[Run]:
    """Every case once."""
    names = (*WORKLOADS, *(level(most) for most in LEVELS))
    found = [read(policy, name, one) for one in READINGS for name in names for policy in (ALONE, DRIVEN)]
    for one in HEAVY_SWEPT:
        found += [swept(HEAVY, one, gmet, 30.0) for gmet in GMETS]
        found += [swept(name, one, 5.0, length) for name in (MODERATE, HEAVY) for length in SLICES]
    for one in SWEPT:
        found += [swept(name, one, gmet, 30.0) for name in (MODERATE, LIGHT) for gmet in FEW_GMETS]
        found += [swept(LIGHT, one, 5.0, length) for length in SLICES]
        found += [
            swept(name, one, gmet, length)
            for name in (MODERATE, HEAVY)
            for length in GRID_SLICES
            for gmet in GRID_GMETS
        ]
        found += [demand(one), *(case for _, case in ablations(one))]
    found += [waiting(length, most, phases) for phases in PHASES for length in WAIT_SLICES for most in LEVELS]
    found += [batch()]
    found += [Run(policy, name, placement="spread") for name in WORKLOADS for policy in (ALONE, DRIVEN)]
    found += [caused(policy, name) for name in CAUSES for policy in (ALONE, DRIVEN)]
    found += [sized(policy, nodes) for nodes in SIZES for policy in (ALONE, DRIVEN)]
    return list(dict.fromkeys(found))


def ablations(reading: Reading) -> Sequence[tuple[str, Run]]:
    """The heavy workload without a part of the technique, or in another way; and that of level 2."""
    plain = read(DRIVEN, HEAVY, reading)
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
        "class_interval": f"{case.interval_ms}ms",
        "unscheduled": case.unscheduled,
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
        jobs.append(Job(f"{name}-{k}", nas_processes(name, nodes, part, case.grain)))
    seed = seed_for("yoo2001", point.seed) % (2**31)
    scenario = Scenario(
        "yoo2001",
        case.nodes,
        jobs,
        case.cpus,
        seed,
        prices=Prices(switch=case.switch_us * US),
        settings=settings_of(case),
    )
    done = ScenarioReplay(scenario).finish()
    whole = point.length * case.part == 1 and case.grain == 1
    return {
        **measures(done),
        "messages": sum(messages_of(name) for name in names) if whole else None,
        "idle_share": _idle(done),
    }


def _idle(done: ScenarioReplay) -> float:
    """The share of CPU time in which CPUs were idle or spun."""
    spent = done.world.cpus.spent
    return float((spent[:, 1].sum() + spent[:, 7].sum()) / spent.sum())
