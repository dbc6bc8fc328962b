"""Process-level scenarios made by hand, and timelines that are printed beside each other when they differ."""

from collections.abc import Iterator, Sequence
from fractions import Fraction

from molokini.compiled.compilation import interpreting
from molokini.process_sim.replaying import ScenarioReplay
from molokini.process_sim.scenario import (
    MS,
    US,
    Dist,
    Job,
    Pipeline,
    Prices,
    Process,
    Scenario,
    Settings,
    Step,
)
from molokini.process_sim.words import Draw, Op, Segment

FREE = Prices(0, 0, 0, 0, 0, Fraction(0), 0, 0, 0, 0)
"""Nothing costs anything."""
PLAIN = Prices(bytes_a_second=0)
"""The costs of the reference's scenarios; no limit of bandwidth."""

Piece = tuple[int, str, str, float, float]
"""CPU, process or "", segment, start, end."""


def compute(ns: int) -> Step:
    return Step(Op.COMPUTE, Dist(Draw.CONSTANT, ns))


def send(rank: int, size: int = 0) -> Step:
    return Step(Op.SEND, peer=rank, size=size)


def receive(rank: int) -> Step:
    return Step(Op.RECV, peer=rank)


def io(ns: int) -> Step:
    return Step(Op.IO, Dist(Draw.CONSTANT, ns), count=1 << 30)


def sleep(ns: int) -> Step:
    return Step(Op.SLEEP, Dist(Draw.CONSTANT, ns))


def loop(to: int = 0, count: int = -1, which: int = 0) -> Step:
    return Step(Op.LOOP, peer=to, count=count, which=which)


def job(
    name: str,
    *programs: Sequence[Step],
    nodes: Sequence[int | None] | None = None,
    names: str = "",
    zeta_ns: Sequence[int] | None = None,
    frames: int = 1,
    at_ns: int = 0,
    pipeline: Pipeline | None = None,
) -> Job:
    """A job of one process a program; *zeta_ns* is work a frame, *frames* times that the work a period."""
    zetas = zeta_ns or [0] * len(programs)
    return Job(
        name,
        [
            Process(
                tuple(program),
                nodes[k] if nodes else None,
                names[k] if names else "",
                zetas[k],
                zetas[k] * frames,
            )
            for k, program in enumerate(programs)
        ],
        at_ns,
        pipeline,
    )


def whole(scenario: Scenario) -> ScenarioReplay:
    """Run *scenario*, and write everything down."""
    return ScenarioReplay(scenario, (0, 1 << 57)).finish()


def timeline(run: ScenarioReplay, unit_ns: int = US, cpus: Sequence[int] | None = None) -> list[Piece]:
    """What each CPU did, without idle time, in this unit."""
    found: list[Piece] = []
    labels = [
        process.name or one.name
        for one in sorted(run.scenario.jobs, key=lambda one: one.arrival_ns)
        for process in one.processes
    ]
    for cpu, p, segment, start, end in run.pieces.tolist():
        if segment == Segment.IDLE or (cpus is not None and cpu not in cpus):
            continue
        name = labels[p] if p >= 0 else ""
        found.append((cpu, name, Segment(segment).name.lower(), start / unit_ns, end / unit_ns))
    return found


def parsed(text: str) -> list[Piece]:
    """A timeline as text: on each line a CPU, then ``NAME segment END`` with commas between.

    A piece begins where the one before ended, or at the number before a ``>``.
    """
    found: list[Piece] = []
    for line in text.strip().splitlines():
        cpu, _, rest = line.partition(":")
        at = 0.0
        for piece in rest.split(","):
            begin, arrow, told = piece.rpartition(">")
            if arrow:
                at = float(begin)
            *name, segment, end = told.split()
            found.append((int(cpu), name[0] if name else "", segment, at, float(end)))
            at = float(end)
    return found


def assert_timeline(run: ScenarioReplay, text: str, unit_ns: int = US) -> None:
    """The timeline is that of *text*, or both are printed beside each other."""
    wanted = parsed(text)
    found = timeline(run, unit_ns, sorted({piece[0] for piece in wanted}))
    if found == wanted:
        return
    lines = [f"{'wanted':<44}{'found':<44}"]
    for k in range(max(len(wanted), len(found))):
        left = _line(wanted[k]) if k < len(wanted) else ""
        right = _line(found[k]) if k < len(found) else ""
        lines.append(f"{left:<44}{right:<44}{'' if left == right else '<<'}")
    raise AssertionError("\n".join(lines))


def _line(piece: Piece) -> str:
    cpu, name, segment, start, end = piece
    return f"cpu {cpu} {name:<4} {segment:<8} {start:g}-{end:g}"


def ends(run: ScenarioReplay, unit_ns: int = US) -> list[float]:
    """The ends of the jobs, in the order of their arrivals."""
    return [end / unit_ns for end in run.world.jobs.end.tolist()]


def both_ways(compiled: bool) -> Iterator[None]:
    """For a fixture: with machine code, or as plain Python."""
    if compiled:
        yield
        return
    with interpreting():
        yield


__all__ = ["MS", "US", "Settings"]
