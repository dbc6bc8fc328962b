"""Programs of processes written as Python generators of steps, made into programs of the engine.

    def asks():
        for k in range(3):
            yield compute(k * MS)
            yield send("server", 100)
            yield receive("server")

    written("pair", {"client": asks, "server": answers})

Steps are told when a program is made, not while it runs: a generator cannot see the time.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

from molokini.process_sim.scenario import Dist, Job, Process, Program, Step
from molokini.process_sim.words import Draw, Op

MOST_STEPS = 100_000


@dataclass(frozen=True)
class ToPeer:
    """A send or a receive whose peer has a name."""

    op: Op
    peer: str
    size: int = 0


Written = Callable[[], Iterator[Step | ToPeer]]


def compute(ns: int) -> Step:
    """Compute for so long."""
    return Step(Op.COMPUTE, Dist(Draw.CONSTANT, ns))


def io(ns: int) -> Step:
    """Be away for an I/O of so long."""
    return Step(Op.IO, Dist(Draw.CONSTANT, ns), count=1 << 30)


def sleep(ns: int) -> Step:
    """Sleep for so long."""
    return Step(Op.SLEEP, Dist(Draw.CONSTANT, ns))


def send(peer: str, size: int = 0) -> ToPeer:
    """Send so many bytes to the process of this name."""
    return ToPeer(Op.SEND, peer, size)


def receive(peer: str) -> ToPeer:
    """Wait for a message of the process of this name."""
    return ToPeer(Op.RECV, peer)


def program_of(steps: Iterator[Step | ToPeer], names: Sequence[str]) -> Program:
    """The steps of a generator as a program; *names* are the job's processes, by rank."""
    found = []
    for step in islice(steps, MOST_STEPS):
        if isinstance(step, ToPeer):
            if step.peer not in names:
                raise ValueError(f"no process is called {step.peer!r}; there are {', '.join(names)}")
            step = Step(step.op, peer=names.index(step.peer), size=step.size)
        found.append(step)
    if next(steps, None) is not None:
        raise ValueError(f"a program of more than {MOST_STEPS:,} steps: does its generator end?")
    return tuple(found)


def written(
    name: str, programs: Mapping[str, Written], nodes: Sequence[int | None] | None = None, at_ns: int = 0
) -> Job:
    """A job of one process a generator, by name; *nodes* as many, or the policy places them."""
    names = list(programs)
    places = nodes if nodes is not None else [None] * len(names)
    processes = [
        Process(program_of(make(), names), node, process)
        for (process, make), node in zip(programs.items(), places, strict=True)
    ]
    return Job(name, processes, at_ns)
