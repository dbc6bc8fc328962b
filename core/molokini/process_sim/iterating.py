"""Programs that compute and exchange messages in rounds, and report iterations: those whose rate is
controlled.

An iteration is *rounds* times computing and an exchange of all with all; *ratio* says how the time of an
iteration alone is shared out between the two. A message costs its sender and its receiver processor time
alike. What is *outside* of that needs no slice: work of the kernel, or of a network card. A disk is waited
for at the end of the iteration.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from molokini.feedback.edf import WHOLE
from molokini.feedback.targets import target_of
from molokini.model.errors import BadValue
from molokini.process_sim.keys import Keys, whole_of
from molokini.process_sim.scenario import Dist, Job, Prices, Process, RatePlan, S, Step
from molokini.process_sim.words import Draw, Op

DISK = 1 << 30
"""The chance of an I/O that always happens."""
MOST_ITERATIONS = 1_000_000


@dataclass(frozen=True)
class Iterating:
    """One application; durations in ns."""

    processes: int = 4
    iteration_ns: int = 16 * S
    """Alone, without the disk and the latency of messages."""
    ratio: tuple[int, int] = (1, 1)
    """Computing to communicating."""
    rounds: int = 1
    iterations: int = 200
    outside: float = 0.0
    """The share of communicating that needs no slice."""
    rendezvous: bool = False
    """Whether a message leaves when its receiver is ready for it."""
    uneven: Sequence[float] = ()
    """Of each process, its computing as a multiple; empty: all alike."""
    disk_ns: int = 0

    @property
    def message_ns(self) -> int:
        """What a message costs each of its two ends."""
        a, b = self.ratio
        ends = 2 * self.rounds * max(1, self.processes - 1)
        return self.iteration_ns * b // (a + b) // ends

    def compute_ns(self, rank: int) -> int:
        """Computing of a process in a round."""
        a, b = self.ratio
        factor = self.uneven[rank] if self.uneven else 1.0
        return round(self.iteration_ns * a / (a + b) * factor) // self.rounds

    def full_ns(self, prices: Prices) -> int:
        """An iteration alone at full speed: the slowest process, and the last of its messages."""
        count = self.processes
        longest = max(self.compute_ns(rank) for rank in range(count))
        if count > 1:
            send, receive = self.message_ns + prices.send, self.message_ns + prices.receive
            longest += max((count - 1) * (send + receive), send + prices.latency + (count - 1) * receive)
        return max(1, self.rounds * longest + self.disk_ns)

    def use(self, prices: Prices) -> int:
        """What the busiest process uses of its CPU alone, in millionths."""
        busy = max(self.compute_ns(rank) for rank in range(self.processes)) + round(
            (1 - self.outside) * self.message_ns * 2 * (self.processes - 1)
        )
        return min(WHOLE, max(1, round(WHOLE * self.rounds * busy / self.full_ns(prices))))

    def program(self, rank: int) -> tuple[Step, ...]:
        """What the process of this rank does."""
        steps = [Step(Op.COMPUTE, _for(self.compute_ns(rank)))]
        others = [(rank + k) % self.processes for k in range(1, self.processes)]
        if self.rendezvous:
            steps += [Step(Op.SEND, peer=other) for other in others]
        for other in others:
            if self.rendezvous:
                steps.append(Step(Op.RECV, peer=other))
            steps += [*self._end(), Step(Op.SEND, peer=other)]
        for other in reversed(others):
            steps += [Step(Op.RECV, peer=other), *self._end()]
        if self.rounds > 1:
            steps.append(Step(Op.LOOP, peer=0, count=self.rounds, which=1))
        if self.disk_ns:
            steps.append(Step(Op.IO, _for(self.disk_ns), count=DISK))
        steps += [Step(Op.REPORT), Step(Op.LOOP, peer=0, count=self.iterations)]
        return tuple(steps)

    def _end(self) -> list[Step]:
        """What one end of a message costs."""
        outside = round(self.message_ns * self.outside)
        found = [Step(Op.COMPUTE, _for(self.message_ns - outside))]
        return [*found, Step(Op.SLEEP, _for(outside))] if outside else found

    def job(
        self,
        name: str,
        prices: Prices,
        targets: Sequence[tuple[int, int]] = (),
        nodes: Sequence[int | None] = (),
        use: int = WHOLE,
        arrival_ns: int = 0,
    ) -> Job:
        """The application as a job; *targets*: iterations, and the target behind so many, in millionths."""
        places = nodes or [None] * self.processes
        processes = [Process(self.program(rank), places[rank]) for rank in range(self.processes)]
        plan = RatePlan(self.full_ns(prices), self.iterations, tuple(targets), use)
        return Job(name, processes, arrival_ns, rate=plan)


def _for(ns: int) -> Dist:
    return Dist(Draw.CONSTANT, ns)


def iterating_of(keys: Keys, size: int, prices: Prices, nodes: Sequence[int | None]) -> Job:
    """The job that a table [[job]] of the kind ``iterating`` says. Raises BadValue."""
    made = Iterating(
        size,
        keys.duration("iteration", 16 * S),
        _ratio(keys),
        keys.whole("rounds", 1, 1, 1_000_000),
        keys.whole("iterations", 200, 1, MOST_ITERATIONS),
        keys.number("outside", 0.0, 0.0, 1.0),
        keys.flag("rendezvous", False),
        _uneven(keys, size),
        keys.duration("disk", 0),
    )
    if made.iteration_ns <= 0:
        raise keys.refuse("iteration", "a duration above 0ns")
    use = made.use(prices) if keys.flag("scaled", False) else WHOLE
    return replace(made.job("", prices, _targets(keys), nodes, use))


def _ratio(keys: Keys) -> tuple[int, int]:
    text = keys.raw("ratio", "1:1")
    left, _, right = text.partition(":") if isinstance(text, str) else ("", "", "")
    a, b = whole_of(left), whole_of(right)
    if a is None or b is None or not 0 < a + b <= 1_000_000:
        raise keys.refuse("ratio", "computing to communicating, as '1:1' or '5:1', whole numbers")
    return a, b


def _uneven(keys: Keys, size: int) -> tuple[float, ...]:
    given = keys.raw("uneven", [])
    good = isinstance(given, list) and all(
        isinstance(one, int | float) and not isinstance(one, bool) and 0 <= one <= 1000 for one in given
    )
    if not good or (given and len(given) != size):
        raise keys.refuse("uneven", f"a list of {size} numbers from 0 to 1,000, one a process")
    return tuple(float(one) for one in given)


def _targets(keys: Keys) -> list[tuple[int, int]]:
    """``rate = "50%"``, and ``changes = ["40: 30%"]``: the iterations behind which others count."""
    if not keys.has("rate"):
        if keys.has("changes"):
            raise keys.refuse("changes", "a rate that they change; give rate, too")
        return []
    found = [(0, _target(keys, "rate", keys.raw("rate")))]
    changes = keys.raw("changes", [])
    allowed = "a list of iterations, each later than the one before, with rates, as ['40: 30%', '80: 60%']"
    if not isinstance(changes, list):
        raise keys.refuse("changes", allowed)
    for text in changes:
        left, _, right = text.partition(":") if isinstance(text, str) else ("", "", "")
        after = whole_of(left.strip())
        if after is None or after <= found[-1][0]:
            raise keys.refuse("changes", allowed)
        found.append((after, _target(keys, "changes", right.strip())))
    return found


def _target(keys: Keys, key: str, text: object) -> int:
    if not isinstance(text, str) or not text.endswith("%"):
        raise BadValue(keys.field(key), text, "a share of the full rate, as '50%'")
    return target_of(keys.field(key), text).share
