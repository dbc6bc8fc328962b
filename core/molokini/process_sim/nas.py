"""Stand-ins for the NAS parallel benchmarks: who sends how much to whom, and how long is computed between.

Yoo and Jette (2001) measured with them; neither programs nor run times are published there. Iterations,
numbers of messages and patterns are those of NPB 2; times in CPU seconds are ours, for one processor of 2001.
Named as there: ``lu.A.4`` is LU of class A with 4 processes.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import isqrt

from molokini.process_sim.kinds import exchanging
from molokini.process_sim.scenario import Dist, Process, Program, S, Step
from molokini.process_sim.words import Draw, Op, Pattern

ALLOWED = (
    "PROGRAM.CLASS.PROCESSES, as lu.A.4: lu, cg, mg, ft, ep with 1, 2, 4, ... 4,096 processes, "
    "sp, bt with 1, 4, 9, ... 4,096; classes A, B, C"
)
_CLASSES = "ABC"
_MOST = 4096
_SPREAD = 10
"""Times between messages differ by up to so many per cent either way."""


@dataclass(frozen=True)
class _Code:
    """One of the programs."""

    iterations: tuple[int, int, int]
    """By class, as are the others."""
    cpu_s: float
    """Class A, all processes together."""
    times: tuple[float, float, float]
    """How much longer the classes take."""
    square: bool
    program: Callable[["_Case", int], list[Step]]


@dataclass(frozen=True)
class _Case:
    """A program of one class, on so many processes."""

    code: _Code
    place: int
    """Of its class."""
    processes: int
    part: float
    grain: float

    @property
    def iterations(self) -> int:
        """How many of them are made: a part of all, and the more the less each of them computes."""
        whole = self.code.iterations[self.place]
        return max(1, round(whole * self.part / (1 if whole == 1 else self.grain)))

    @property
    def iteration_ns(self) -> float:
        """Computing of one process in one iteration."""
        whole = self.code.cpu_s * self.code.times[self.place] * S / self.processes
        if self.code.iterations[self.place] == 1:
            return whole * self.part
        return whole / self.code.iterations[self.place] * self.grain

    def compute(self, share: float) -> Step:
        """This share of the computing of an iteration."""
        mean = self.iteration_ns * share
        low, high = mean * (100 - _SPREAD) / 100, mean * (100 + _SPREAD) / 100
        return Step(Op.COMPUTE, Dist(Draw.UNIFORM, round(low), round(high)))


def _swap(peer: int, size: int) -> list[Step]:
    return [Step(Op.SEND, peer=peer, size=size), Step(Op.RECV, peer=peer)]


def _lu(case: _Case, rank: int) -> list[Step]:
    """Two wavefronts over a grid of processes, plane by plane: down and right, then back."""
    rows = 1 << (case.processes.bit_length() - 1) // 2
    columns = case.processes // rows
    row, column = divmod(rank, columns)
    before = [rank - columns] * (row > 0) + [rank - 1] * (column > 0)
    behind = [rank + columns] * (row < rows - 1) + [rank + 1] * (column < columns - 1)
    planes = (62, 100, 160)[case.place]
    steps: list[Step] = []
    for which, (sources, targets) in enumerate(((before, behind), (behind, before)), 1):
        start = len(steps)
        steps += [Step(Op.RECV, peer=peer) for peer in sources]
        steps.append(case.compute(1 / (2 * planes)))
        steps += [Step(Op.SEND, peer=peer, size=300) for peer in targets]
        steps.append(Step(Op.LOOP, peer=start, count=planes, which=which))
    return steps


def _multipartition(case: _Case, rank: int) -> list[Step]:
    """SP and BT: faces to six neighbours, then three sweeps there and back, round a ring a dimension."""
    side = isqrt(case.processes)
    row, column = divmod(rank, side)
    length = (64, 102, 162)[case.place]
    size = round((length / side) ** 2 * 40)
    rings = []
    for down, right in ((0, 1), (1, 0), (1, 1)):
        ahead = (row + down) % side * side + (column + right) % side
        behind = (row - down) % side * side + (column - right) % side
        rings.append((ahead, behind))
    stage = case.compute(1 / (6 * side + 1))
    if side == 1:
        return [case.compute(1)]
    steps = [stage]
    steps += [Step(Op.SEND, peer=peer, size=size) for ring in rings for peer in ring]
    steps += [Step(Op.RECV, peer=peer) for ring in rings for peer in reversed(ring)]
    for ahead, behind in rings:
        for target, source in ((ahead, behind), (behind, ahead)):
            one = [stage, Step(Op.SEND, peer=target, size=size), Step(Op.RECV, peer=source)]
            steps += one * side
    return steps


def _cube(case: _Case) -> list[int]:
    """The dimensions of a hypercube of processes, as what is added to a rank's bits."""
    return [1 << k for k in range(case.processes.bit_length() - 1)]


def _cg(case: _Case, rank: int) -> list[Step]:
    """25 inner iterations, in each three exchanges with one partner after the other."""
    size = round((14_000, 75_000, 150_000)[case.place] * 8 / case.processes**0.5)
    steps = []
    for _ in range(3):
        steps.append(case.compute(1 / 75))
        for bit in _cube(case):
            steps += _swap(rank ^ bit, size)
    return [*steps, Step(Op.LOOP, peer=0, count=25, which=1)]


def _mg(case: _Case, rank: int) -> list[Step]:
    """A hundred messages to neighbours in three dimensions, over grids that are halved and doubled again."""
    dimensions = _cube(case)[:3]
    steps = []
    for level in range(10):
        depth = min(level, 9 - level)
        steps.append(case.compute(1 / 10))
        for k in range(10 if dimensions else 0):
            steps += _swap(rank ^ dimensions[k % len(dimensions)], max(80, 131_072 >> (2 * depth)))
    return steps


def _ft(case: _Case, rank: int) -> list[Step]:
    """A transposition: a large message to each other process."""
    size = (1 << 27) * (1, 4, 16)[case.place] // case.processes**2
    return [case.compute(1), exchanging(Pattern.ALL_TO_ALL, size)]


def _ep(case: _Case, rank: int) -> list[Step]:
    """No message but sums at the end."""
    return [case.compute(1), *[exchanging(Pattern.TREE, 80)] * 2]


_LARGER = (1.0, 4.2, 17.0)
_CODES = {
    "lu": _Code((250, 250, 250), 800, _LARGER, False, _lu),
    "sp": _Code((400, 400, 400), 700, _LARGER, True, _multipartition),
    "bt": _Code((200, 200, 200), 1100, _LARGER, True, _multipartition),
    "cg": _Code((15, 75, 75), 30, (1.0, 36.5, 95.5), False, _cg),
    "mg": _Code((4, 20, 20), 40, (1.0, 5.0, 40.0), False, _mg),
    "ft": _Code((6, 20, 20), 80, (1.0, 13.0, 53.0), False, _ft),
    "ep": _Code((1, 1, 1), 400, (1.0, 4.0, 16.0), False, _ep),
}


def processes_of(name: str) -> int | None:
    """How many processes *name* says, as ``lu.A.4``; None where it is none of these programs."""
    code, _, rest = name.partition(".")
    size, dot, count = rest.partition(".")
    if code not in _CODES or not dot or len(size) != 1 or size not in _CLASSES:
        return None
    if not (count.isascii() and count.isdigit() and len(count) <= len(str(_MOST))):
        return None
    found = int(count)
    fits = isqrt(found) ** 2 == found if _CODES[code].square else found & (found - 1) == 0
    return found if fits and 1 <= found <= _MOST else None


def nas_processes(
    name: str, nodes: Sequence[int | None], part: float = 1.0, grain: float = 1.0
) -> list[Process]:
    """The processes of *name*, on *nodes*; *part*: of the iterations, or of the work where there is one.

    *grain*: what is computed in an iteration, of what it is by default; of iterations there are as many more.
    """
    code, size, count = name.split(".")
    case = _Case(_CODES[code], _CLASSES.index(size), int(count), part, grain)
    return [Process(_program(case, rank), nodes[rank], str(rank)) for rank in range(case.processes)]


def _program(case: _Case, rank: int) -> Program:
    steps = case.code.program(case, rank)
    if case.iterations > 1:
        steps.append(Step(Op.LOOP, peer=0, count=case.iterations, which=0))
    return tuple(steps)


def messages_of(name: str) -> int:
    """Messages that all processes of *name* send: what is called intensity there."""
    return sum(
        _sent(process.program, rank, int(name.split(".")[2])) for rank, process in enumerate(_all(name))
    )


def _all(name: str) -> list[Process]:
    return nas_processes(name, [None] * int(name.split(".")[2]))


def _sent(program: Program, rank: int, size: int) -> int:
    """Messages sent by one process: steps times the rounds of the loops around them."""
    rounds = [1] * len(program)
    for place, step in enumerate(program):
        if step.op is Op.LOOP:
            for inside in range(step.peer, place):
                rounds[inside] *= step.count
    total = 0
    for step, times in zip(program, rounds, strict=True):
        if step.op is Op.SEND:
            total += times
        elif step.op is Op.EXCHANGE:
            total += times * _sends_of(step.pattern, rank, size)
    return total


def _sends_of(pattern: Pattern, rank: int, size: int) -> int:
    from molokini.process_sim.patterns import OVER, exchange_step

    count = step = 0
    while (code := exchange_step(pattern, rank, size, step, 1)) != OVER:
        count += 1 - (code & 1)
        step += 1
    return count
