"""What is simulated, as values: a machine, its costs, how it schedules, and jobs with their programs.

All times are whole nanoseconds. Nothing here is checked beyond what types say: ``reading`` makes these
values from a file and refuses what cannot be.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import Literal

from molokini.process_sim.words import Arrival, Draw, Kind, Op, Pattern, Wait

US, MS, S = 1_000, 1_000_000, 1_000_000_000

LOCAL_NAMES: Mapping[str, tuple[Wait, Arrival]] = {
    "spin": (Wait.SPIN, Arrival.NONE),
    "sb": (Wait.BLOCK, Arrival.NONE),
    "sy": (Wait.YIELD, Arrival.NONE),
    "dcs": (Wait.SPIN, Arrival.DEMAND),
    "dcs-sb": (Wait.BLOCK, Arrival.DEMAND),
    "dcs-sy": (Wait.YIELD, Arrival.DEMAND),
    "pb": (Wait.SPIN, Arrival.BOOST),
    "pb-sb": (Wait.BLOCK, Arrival.BOOST),
    "pb-sy": (Wait.YIELD, Arrival.BOOST),
}
"""The nine local policies by name; ``WAIT+ARRIVAL`` (``block+boost``) says the same by their parts."""

SCHEMES = ("local", "1gs", "2dcs-tdm", "2dcs-ps")


@dataclass(frozen=True)
class Dist:
    """A distribution of durations, ns; as text it is what a scenario file says."""

    kind: Draw
    a: int
    b: int = 0

    def __str__(self) -> str:
        if self.kind is Draw.CONSTANT:
            return shown(self.a)
        if self.kind is Draw.UNIFORM:
            return f"uniform {shown(self.a)} {shown(self.b)}"
        order = f" {self.b}" if self.kind is Draw.ERLANG else ""
        return f"{self.kind.name.lower()} {shown(self.a)}{order}"


def shown(ns: int) -> str:
    """A duration with its unit, exactly."""
    for unit, size in (("s", S), ("ms", MS), ("us", US)):
        if ns and ns % size == 0:
            return f"{ns // size}{unit}"
    return f"{ns}ns"


@dataclass(frozen=True)
class Step:
    """One operation of a program."""

    op: Op
    dist: Dist | None = None
    peer: int = 0
    """Rank of the other process; where to go to, for LOOP and TAKE."""
    size: int = 0
    """Bytes."""
    count: int = 0
    """Rounds of a loop; the chance of an I/O in parts of 2**30; the counter is in *which*."""
    which: int = 0
    pattern: Pattern = Pattern.RING


Program = tuple[Step, ...]


@dataclass(frozen=True)
class Pages:
    """Memory of a process, in pages."""

    vir: int
    wrk_mean: int
    """Of its working set; a new phase draws another, normally distributed ..."""
    wrk_sd: int
    """... with this deviation, cut to a twentieth of ``vir`` and ``vir``."""
    phase_ns: int = 0
    """Mean of the exponential length of a phase, CPU time; 0: the first never ends."""


@dataclass(frozen=True)
class MainMemory:
    """Main memory of each node, and how resident sets change (docs/coscheduling.md)."""

    pages: int = 32_768
    page_bytes: int = 4096
    page_in: int = 800
    """Pages a second of CPU time by which a resident set grows towards its working set."""
    block: int = 16
    """Pages that a fault brings in besides."""
    fault_ns: int = 20 * MS
    printed: bool = False
    """Whether policies see Eq. 3 of Gine et al. as it is printed."""


@dataclass(frozen=True)
class Process:
    """A process of a job: its program, and the node that the scenario says, if it says one."""

    program: Program
    node: int | None = None
    name: str = ""
    zeta_ns: int = 0
    """Work a frame."""
    work_ns: int = 0
    """Work a period, costs included, as admission counts it."""
    pages: Pages | None = None
    """None: it needs no memory that counts."""


Frames = Literal["arrivals", "ahead", "ready"]


@dataclass(frozen=True)
class Pipeline:
    """What makes a job a real-time job."""

    frames: int = 100
    """b: frames a period, and frames that are buffered."""
    frame_ns: Fraction = Fraction(S, 30)
    """d: a frame is due so often."""
    duration_ns: int | None = 180 * S
    """It leaves so long after it was placed; None: when its processes end."""
    patience_ns: int | None = 15 * S
    """w: it is rejected after so long in the queue."""
    source: Frames = "arrivals"
    """When frames are there: one each *frame_ns*; ``ahead``: b frames before that; ``ready``: always."""
    skipped: int = 0
    """Periods at the beginning that are not judged."""


@dataclass(frozen=True)
class RatePlan:
    """How fast an application that works in iterations is to go."""

    full_ns: int
    """An iteration alone at full speed."""
    iterations: int
    targets: tuple[tuple[int, int], ...] = ()
    """Iterations behind which a target counts, and the target, in millionths of the full rate."""
    use: int = 1_000_000
    """What it uses of a CPU alone, in millionths: a target of half the rate needs half of that."""


@dataclass(frozen=True)
class Job:
    """A job: when it comes, and its processes."""

    name: str
    processes: Sequence[Process]
    arrival_ns: int = 0
    pipeline: Pipeline | None = None
    tasks: int = 0
    """Tasks in its bag."""
    tickets: int = 100
    """What it has of the machine under policies of shares."""
    rate: "RatePlan | None" = None
    """None: it reports no iterations, and has no target."""

    @property
    def kind(self) -> Kind:
        """Its class."""
        return Kind.BE if self.pipeline is None else Kind.RT


@dataclass(frozen=True)
class Prices:
    """What things cost, ns."""

    send: int = 5 * US
    receive: int = 5 * US
    latency: int = 20 * US
    local_latency: int = 2 * US
    bytes_a_second: int = 100_000_000
    """On the wire; 0: no limit."""
    byte: Fraction = Fraction(0)
    """Of the sender's time, ns a byte."""
    switch: int = 200 * US
    interrupt: int = 50 * US
    move: int = 3 * US
    check: int = 2 * US

    @property
    def wire(self) -> Fraction:
        """ns a byte on the wire."""
        return Fraction(S, self.bytes_a_second) if self.bytes_a_second else Fraction(0)

    @property
    def baseline_ns(self) -> int:
        """A round trip and a switch: how long a process spins before it blocks or yields."""
        return 2 * (self.send + self.latency + self.receive) + self.switch


@dataclass(frozen=True)
class Settings:
    """How the cluster schedules."""

    scheme: str = "local"
    wait: Wait = Wait.SPIN
    arrival: Arrival = Arrival.NONE
    spin_ns: int | None = None
    """None: the baseline of the costs."""
    boost_ns: int = MS
    """Between periodic checks."""
    quantum_ns: int = 0
    """Over 0: first in, first out with this quantum; 0: levels."""
    x: int = 2
    y: int = 1
    rows: int = 6
    row_quantum_ns: int = 500 * MS
    cycle_ns: int = 3 * S
    sync_ns: int = MS
    admission: bool = False
    admission_work: str = "period"
    """``frame``: as printed, which admits too much."""
    top_quantum_ns: int = 0
    """A quantum for real-time processes under 2dcs-ps; 0: none, as printed."""
    carry_over: bool = False
    """Frames beyond those of a period count for the next."""
    gang_switch: bool = True
    """Whether 1gs pays for switches beside the synchronization."""
    sated_last: bool = True
    """A real-time job that has the frames of its period goes behind those that have not."""
    ticked: bool = False
    """Every periodic check is an event: slower, the same timeline."""
    given: tuple[int, ...] = ()
    """Parameters of a named policy, in its order; empty: its defaults."""

    @property
    def has_checks(self) -> bool:
        """Whether CPUs look periodically for a process with something to do."""
        return self.scheme.startswith("2dcs") or (self.scheme == "local" and self.arrival is Arrival.BOOST)


@dataclass(frozen=True)
class Scenario:
    """All that a run depends on."""

    name: str
    nodes: int
    jobs: Sequence[Job]
    cpus_a_node: int = 1
    seed: int = 1
    until_ns: int | None = None
    prices: Prices = field(default_factory=Prices)
    settings: Settings = field(default_factory=Settings)
    memory: MainMemory | None = None
    """None: memory is no matter."""
    cpus_of: tuple[int, ...] = ()
    """CPUs of each node; empty: ``cpus_a_node`` each."""
    speeds: tuple[int, ...] = ()
    """Of each node, in thousandths; empty: all are alike."""

    @property
    def cpus(self) -> int:
        """CPUs in all."""
        return sum(self.cpus_of) if self.cpus_of else self.nodes * self.cpus_a_node

    @cached_property
    def node_of_cpu(self) -> tuple[int, ...]:
        """The node of each CPU: those of a node are neighbours."""
        counts = self.cpus_of or (self.cpus_a_node,) * self.nodes
        return tuple(node for node, count in enumerate(counts) for _ in range(count))
