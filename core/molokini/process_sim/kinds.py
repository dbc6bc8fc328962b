"""Kinds of programs, as data: what each process of a job does, operation by operation (section 6.3)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

from molokini.process_sim.randomness import share
from molokini.process_sim.scenario import MS, Dist, Pipeline, Prices, Process, Program, Step
from molokini.process_sim.words import Draw, Op, Pattern

WHOLE = 1 << 30
PATTERNS = {pattern.name.lower().replace("_", "-"): pattern for pattern in Pattern}


def chance(share_of: float) -> int:
    """A probability as parts of 2**30."""
    return round(share_of * WHOLE)


def exchanging(pattern: Pattern, size: int) -> Step:
    """An exchange of messages of *size* bytes."""
    return Step(Op.EXCHANGE, size=size, pattern=pattern)


def skewed(grain: Dist, skew: float, rank: int, size: int) -> Dist:
    """*grain* longer for high ranks and shorter for low ones, by up to half of *skew* of it either way."""
    if size < 2 or skew == 0:
        return grain
    factor = Fraction(1) + Fraction(skew).limit_denominator(10_000) * (
        Fraction(rank, size - 1) - Fraction(1, 2)
    )
    second = grain.b if grain.kind is Draw.ERLANG else round(grain.b * factor)
    return Dist(grain.kind, round(grain.a * factor), second)


def looping(
    size: int, grain: Dist, pattern: Pattern, message: int, rounds: int, io: tuple[Dist, float], skew: float
) -> list[Program]:
    """Compute, perhaps an I/O, exchange messages, *rounds* times over: the loop of most kinds."""
    found = []
    for rank in range(size):
        steps = [Step(Op.COMPUTE, skewed(grain, skew, rank, size))]
        if io[1] > 0:
            steps.append(Step(Op.IO, io[0], count=chance(io[1])))
        steps.append(exchanging(pattern, message))
        steps.append(Step(Op.LOOP, peer=0, count=rounds))
        found.append(tuple(steps))
    return found


def rounds_of(work_ns: int, grain: Dist, io: tuple[Dist, float]) -> int:
    """Rounds after which a process has this much work behind it, I/O included, in the mean."""
    return max(1, round(work_ns / max(1.0, mean_ns(grain) + io[1] * mean_ns(io[0]))))


def mean_ns(dist: Dist) -> float:
    """The mean of a distribution."""
    return (dist.a + dist.b) / 2 if dist.kind is Draw.UNIFORM else float(dist.a)


def client_server(clients: int, requests: int, think: Dist, service: Dist, message: int) -> list[Program]:
    """Process 0 serves; each of the others thinks, asks and waits for the answer, *requests* times."""
    server = (
        Step(Op.RECV_ANY),
        Step(Op.COMPUTE, service),
        Step(Op.REPLY, size=message),
        Step(Op.LOOP, peer=0, count=clients * requests),
    )
    client = (
        Step(Op.SLEEP, think),
        Step(Op.SEND, peer=0, size=message),
        Step(Op.RECV, peer=0),
        Step(Op.LOOP, peer=0, count=requests),
    )
    return [server, *[client] * clients]


def interactive(bursts: int, burst: Dist, think: Dist) -> Program:
    """Think, then compute, *bursts* times."""
    return (Step(Op.SLEEP, think), Step(Op.COMPUTE, burst), Step(Op.LOOP, peer=0, count=bursts))


def bag(size: int, task: Dist) -> list[Program]:
    """Each process takes tasks out of the job's bag until it is empty."""
    return [(Step(Op.TAKE, peer=3), Step(Op.COMPUTE, task), Step(Op.LOOP, peer=0, count=-1))] * size


Edges = Sequence[tuple[int, int]]


def pipeline(
    zetas_ns: Sequence[int], edges: Edges, made: Pipeline, prices: Prices, nodes: Sequence[int | None]
) -> list[Process]:
    """One process a stage: a frame from every predecessor, compute, a frame to every successor.

    The first stage begins frames, the last finishes them. Work a period counts what section 2.4 counts.
    """
    last = len(zetas_ns) - 1
    found = []
    for j, zeta in enumerate(zetas_ns):
        before = sorted(i for i, k in edges if k == j)
        behind = sorted(k for i, k in edges if i == j)
        steps = [Step(Op.FRAME_IN)] if j == 0 else [Step(Op.RECV, peer=i) for i in before]
        steps.append(Step(Op.COMPUTE, Dist(Draw.CONSTANT, zeta)))
        steps += [Step(Op.SEND, peer=k) for k in behind]
        if j == last:
            steps.append(Step(Op.FRAME_OUT))
        steps.append(Step(Op.LOOP, peer=0, count=-1))
        messages = max(1, len(before)) * prices.receive + len(behind) * prices.send
        overhead = prices.switch + prices.interrupt + prices.move
        work = made.frames * (zeta + messages + overhead)
        found.append(Process(tuple(steps), nodes[j], str(j), zeta + messages, work))
    return found


@dataclass(frozen=True)
class Dice:
    """Numbers in (0, 1] by a name: the same for the same name and seed, whatever else is drawn."""

    seed: int
    key: int

    def share(self, index: int) -> float:
        """Number *index*."""
        return share(self.seed, self.key, index)

    def below(self, index: int, count: int) -> int:
        """A whole number from 0 to count - 1."""
        return min(count - 1, int(self.share(index) * count))


def layered_edges(size: int, dice: Dice) -> list[tuple[int, int]]:
    """A random graph in layers from one source to one sink: fan-out 1 or 2 with equal chance.

    Every stage but the source has a predecessor: an orphan is given to one of the layer before that has a
    single successor, where there is one.
    """
    layers: list[list[int]] = [[0]]
    draw, following = 0, 1
    while following < size - 1:
        most = min(2 * len(layers[-1]), 3, size - 1 - following)
        width = 1 + dice.below(draw, most)
        draw += 1
        layers.append(list(range(following, following + width)))
        following += width
    if size > 1:
        layers.append([size - 1])
    edges: set[tuple[int, int]] = set()
    for here, ahead in pairwise(layers):
        for j in here:
            first = dice.below(draw, len(ahead))
            edges.add((j, ahead[first]))
            if len(ahead) > 1 and dice.share(draw + 1) <= 0.5:
                edges.add((j, ahead[(first + 1 + dice.below(draw + 2, len(ahead) - 1)) % len(ahead)]))
            draw += 3
        for k in ahead:
            if not any((j, k) in edges for j in here):
                fewest = min(here, key=lambda j: (sum(i == j for i, _ in edges), j))
                edges.add((fewest, k))
    return sorted(edges)


def cycle_in(size: int, edges: Edges) -> list[int]:
    """The stages of a cycle, in order; empty where there is none."""
    behind: Mapping[int, list[int]] = {j: [k for i, k in edges if i == j] for j in range(size)}
    done: set[int] = set()
    for start in range(size):
        path, branches = [start], [iter(behind[start])]
        while path and start not in done:
            step = next(branches[-1], None)
            if step is None:
                done.add(path.pop())
                branches.pop()
            elif step in path:
                return path[path.index(step) :]
            elif step not in done:
                path.append(step)
                branches.append(iter(behind[step]))
    return []


DEFAULT_ZETA = (round(3.6 * MS), round(4.8 * MS))
