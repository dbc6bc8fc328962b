"""What is run for Lin, Sundararaj and Dinda 2008: programs at target rates on simulated nodes."""

from dataclasses import dataclass
from typing import TypeAlias

from molokini.process_sim.iterating import Iterating
from molokini.process_sim.policies import needs_of
from molokini.process_sim.replaying import prepare
from molokini.process_sim.scenario import MS, US, MainMemory, Pages, Prices, S, Settings
from molokini.process_sim.words import Wait

PRICES = Prices(0, 0, 50 * US, 2 * US, 0, switch=10 * US, interrupt=10 * US, move=US, check=0)
RATIOS = ("5:1", "1:1", "1:5")
PERIODS_MS = (20, 50, 100, 200, 500)
TARGETS = (20, 30, 50, 70, 80)
THRESHOLDS = (0.25, 0.5, 1.0, 1.5, 2.0, 3.0, 5.0)
MANY = (2, 3, 4, 6, 8, 9)
DISKS = (0.0, 0.01, 0.02, 0.05, 0.1, 0.2, 0.3)
SEARCHES = ("sweep", "halving", "model")
GANG_MS = (20, 50, 100, 200)
LATE = (0.01, 0.02, 0.05)
"""The parts of slices that are late by 2 ms; the first is what real slicers were measured to miss."""
TIGHT = 400
"""Rounds of an iteration of 4 s: 10 ms each, a tenth of a slice of 100 ms."""
WRITING = ("1240:1", "65:1", "2:1", "1:1", "1:2", "1:4")
"""Ratios of programs that write 10 MB an iteration."""
SETS = (80, 90, 100, 110, 120, 130)
"""Working sets of two programs together, percent of the memory that is there for them."""
MEMORY_MB = 1300
"""Of the 1.5 GB of a node others have 0.2."""
QUEUED = (100, 50, 33, 25)
"""Rates of jobs in a queue, percent: so many as have room go at once."""


@dataclass(frozen=True)
class Run:
    """One program, or several like it, under control or not."""

    ratio: str = "1:1"
    targets: tuple[int, ...] = (50,)
    """Percent; each for so many iterations:"""
    each: int = 30
    iteration_s: float = 8.0
    rounds: int = 1
    period_ms: int = 200
    control: bool = True
    threshold: float = 3.0
    """Percentage points."""
    change: str = "now"
    search: str = "sweep"
    beside: tuple[int, ...] = ()
    """Targets of other programs on the same nodes, percent."""
    load: bool = False
    """A busy loop on the first node."""
    priority: bool = True
    disk: float = 0.0
    """Its share of an iteration alone."""
    outside: float = 0.0
    uneven: bool = False
    nodes: int = 4
    miss_chance: float = 0.0
    miss_ms: int = 20
    phases: str = "drawn"
    """How periods begin on the nodes at first."""
    miss_at_s: int = 0
    """One late slice on the first node, and no others; 0: by chance."""
    clock: str = "absolute"
    budget: str = "wall"
    sliced: bool = True
    """False: by the operating systems of the nodes alone."""
    gang: bool = False
    """In rows of gang scheduling, whose quantum is the period."""
    sets_mb: tuple[int, ...] = ()
    """The working set of each process of the program and of those beside; empty: memory is no matter."""


@dataclass(frozen=True)
class Queued:
    """Programs that come one after another, want all nodes, and wait until these have room for their rate."""

    rate: int
    """Percent of the full rate."""
    jobs: int = 60
    load: float = 0.7
    """What they need of the nodes at full speed."""


AnyCase: TypeAlias = Run | Queued


def cases() -> list[AnyCase]:
    """Every case once."""
    found: list[AnyCase] = [Run(ratio=ratio, targets=(target,)) for ratio in RATIOS for target in TARGETS]
    found += [
        Run(ratio=ratio, targets=(target,), control=False, period_ms=period, rounds=100)
        for ratio in ("5:1", "1:1", "1:2", "1:5")
        for target in (30, 50, 70)
        for period in PERIODS_MS
    ]
    found += [coarse(threshold, ratio) for ratio in RATIOS for threshold in THRESHOLDS]
    found += [drifting(part, control) for part in LATE for control in (False, True)]
    found += [as_long_as_slices(control) for control in (False, True)]
    found += [one_late(clock) for clock in ("relative", "absolute")]
    found += [Run(ratio=ratio, targets=(50, 30, 60, 20, 40)) for ratio in RATIOS]
    found += [beside(30, 40), Run(targets=(30, 50, 20, 40), beside=(40,))]
    found += [many(k) for k in MANY] + [crowded(k) for k in MANY]
    found += [loaded(sliced, load, priority) for sliced, load, priority in LOADED]
    found += [Run(ratio="1:0", disk=share, control=False) for share in DISKS]
    found += [Run(ratio=ratio, outside=share, control=False) for ratio in ("1:5",) for share in (0.0, 0.5)]
    found += [writing(ratio, outside) for ratio in WRITING for outside in (0.0, 0.5)]
    found += [in_memory(ratio, 100) for ratio in ("5:1", "1:1")] + [in_memory("5:1", sets) for sets in SETS]
    found += [Run(targets=(50,), uneven=True)]
    found += [idle(ratio, outside) for ratio in RATIOS for outside in (0.0, 0.5)]
    found += [Queued(rate) for rate in QUEUED]
    found += [searched(search) for search in SEARCHES]
    found += [in_turns(period, gang) for period in GANG_MS for gang in (False, True)]
    return list(dict.fromkeys(found))


LOADED = (
    (False, False, True),
    (False, True, True),
    (True, False, True),
    (True, True, True),
    (True, True, False),
)


def grid(ratio: str, target: int, period_ms: int) -> Run:
    """Without control, in short rounds."""
    return Run(ratio=ratio, targets=(target,), control=False, period_ms=period_ms, rounds=100)


def coarse(threshold: float, ratio: str) -> Run:
    """An iteration of five periods alone, whose ends lie in slices."""
    return Run(ratio=ratio, targets=(50,), each=60, iteration_s=1.0, threshold=threshold)


def drifting(part: float, control: bool, rounds: int = TIGHT) -> Run:
    """Two nodes in step at first, whose schedulers lose what they are late: 2 ms in this part of slices."""
    return Run(
        nodes=2,
        each=200,
        iteration_s=4.0,
        rounds=rounds,
        control=control,
        miss_chance=part,
        miss_ms=2,
        clock="relative",
        phases="alike",
    )


def as_long_as_slices(control: bool) -> Run:
    """The same with rounds of 100 ms: a slice needs no more than what came in the one before."""
    return drifting(LATE[-1], control, rounds=40)


def one_late(clock: str) -> Run:
    """One slice of one of two nodes that is late by 20 ms, in the fifth iteration."""
    return Run(
        nodes=2,
        each=30,
        iteration_s=4.0,
        rounds=TIGHT,
        control=False,
        miss_at_s=36,
        miss_ms=20,
        clock=clock,
        phases="alike",
    )


def beside(one: int, other: int) -> Run:
    """Two programs."""
    return Run(targets=(one,), each=60, beside=(other,))


def many(k: int) -> Run:
    """k programs at 10% each."""
    return Run(ratio="3:1", targets=(10,), beside=(10,) * (k - 1), rounds=20)


def crowded(k: int) -> Run:
    """The same, tightly coupled, on nodes some of whose slices are late for good."""
    return Run(
        ratio="3:1",
        targets=(10,),
        beside=(10,) * (k - 1),
        iteration_s=4.0,
        rounds=TIGHT,
        miss_chance=LATE[0],
        miss_ms=2,
        clock="relative",
    )


def writing(ratio: str, outside: float) -> Run:
    """10 MB an iteration of 8 s, at 30 MB/s; *outside*: the part of communicating that needs no slice."""
    return Run(ratio=ratio, disk=0.04, outside=outside)


def in_memory(ratio: str, percent: int) -> Run:
    """Programs with working sets as 600 to 700, together so much of the memory."""
    sets = (6 * MEMORY_MB * percent // 1300, 7 * MEMORY_MB * percent // 1300)
    return Run(ratio=ratio, targets=(30,), beside=(40,), rounds=20, sets_mb=sets)


def loaded(sliced: bool, load: bool, priority: bool) -> Run:
    """With a busy loop on a node, and without."""
    return Run(ratio="3:1", sliced=sliced, load=load, priority=priority, rounds=20)


def idle(ratio: str, outside: float) -> Run:
    """Alone, not sliced; *outside*: the part of communicating that needs no processor."""
    return Run(ratio=ratio, sliced=False, outside=outside)


def searched(search: str) -> Run:
    """A start out of phase, in short rounds: the period has to be searched."""
    return Run(ratio="5:1", each=120, rounds=100, search=search, change="redrawn", threshold=1.0)


def in_turns(period_ms: int, gang: bool) -> Run:
    """Two programs that share all nodes half and half: by control, or in two rows of gang scheduling."""
    return Run(
        targets=(45,), beside=(45,), each=20, iteration_s=4.0, rounds=20, period_ms=period_ms, gang=gang
    )


def prepare_all() -> None:
    """Compile what all runs need."""
    prepare(("feedback", "local", "1gs"))
    prepare(("feedback",), memory=True)


def settings_of(case: Run) -> Settings:
    """How a case schedules."""
    if case.gang:
        quantum_ns = case.period_ms * MS
        return Settings(scheme="1gs", wait=Wait.BLOCK, spin_ns=0, rows=3, x=1, y=2, row_quantum_ns=quantum_ns)
    if not case.sliced:
        return Settings(wait=Wait.BLOCK, spin_ns=0)
    given = needs_of("feedback").values(
        "study",
        {
            "control": case.control,
            "threshold": case.threshold / 100,
            "first_period": f"{case.period_ms}ms",
            "least_period": f"{min(10, case.period_ms // 2)}ms",
            "search": case.search,
            "change": case.change,
            "miss_chance": case.miss_chance,
            "miss": f"{case.miss_ms}ms",
            "miss_at": f"{case.miss_at_s}s",
            "phases": case.phases,
            "clock": case.clock,
            "budget": case.budget,
            "priority": case.priority,
        },
    )
    return Settings(scheme="feedback", wait=Wait.BLOCK, given=given)


def memory_of(case: Run) -> MainMemory | None:
    """The memory of each node, where it counts."""
    return MainMemory(pages=_pages(MEMORY_MB)) if case.sets_mb else None


def set_of(case: Run, number: int) -> Pages | None:
    """The working set of each process of a program: all of its memory, again and again."""
    if not case.sets_mb:
        return None
    pages = _pages(case.sets_mb[number])
    return Pages(pages, pages, 0)


def _pages(mb: int) -> int:
    return mb * 1024 // 4


def program(case: Run) -> Iterating:
    """The program of a case."""
    a, b = map(int, case.ratio.split(":"))
    return Iterating(
        case.nodes,
        round(case.iteration_s * S),
        (a, b),
        case.rounds,
        case.each * len(case.targets),
        case.outside,
        uneven=(1.0, 1.0, 0.5, 0.5) if case.uneven else (),
        disk_ns=round(case.iteration_s * S * case.disk / (1 - case.disk)),
    )
