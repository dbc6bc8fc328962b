"""Slow, plain simulators to compare ours with: objects and lists, written from the rules alone.

Independent of all of the product: it imports nothing of it. A simulator advances to the next instant, applies
all its facts (or one of them, ``each``), and lets ``decide`` start jobs. Numbers are whole or exactly
representable, so starts are compared with ``==``.
"""

from collections.abc import Iterable, Sequence

from tests.kit.workloads import Job, in_order


class Member:
    """One job on its way through a simulator. Work is seconds at rate 1."""

    def __init__(self, job: Job, kill: bool) -> None:
        self.submit, self.number, self.width = job.submit, job.number, job.width
        self.estimate = job.estimated
        self.run = min(job.run, job.estimated) if kill else job.run
        self.refused = False
        self.started: float | None = None
        self.ended: float | None = None
        self.reserved: float | None = None
        self.first_reserved: float | None = None
        self.work, self.updated, self.rate = 0.0, 0.0, 0.0
        self.expected = 0.0

    @property
    def place(self) -> tuple[float, int]:
        """Its place in queue order."""
        return (self.submit, self.number)

    @property
    def true_end(self) -> float:
        """When it ends if nothing changes."""
        return self.updated + (self.run - self.work) / self.rate

    def go(self, now: float, rate: float = 1.0) -> None:
        """From now on it progresses at *rate* (0: suspended)."""
        self.work += self.rate * (now - self.updated)
        self.updated, self.rate = now, rate
        if rate > 0:
            self.expected = now + (self.estimate - self.work) / rate


class Simulator:
    """Everything but the policy; ``decide`` is the policy."""

    def __init__(
        self, jobs: Sequence[Job], processors: int, each: bool = False, extend: bool = False
    ) -> None:
        self.processors = self.free = processors
        self.each, self.extend = each, extend
        self.members = [Member(job, kill=not extend) for job in in_order(jobs)]
        self.coming = list(self.members)
        self.queue: list[Member] = []
        self.running: list[Member] = []
        self.now = 0.0

    def simulate(self) -> list[Member]:
        """Run to the end; the members in order of submission."""
        while True:
            instants = [member.true_end for member in self.running]
            instants += [self.coming[0].submit] if self.coming else []
            instants += [wish for wish in self.wishes() if wish > self.now]
            if not instants:
                return self.members
            self.now = min(instants)
            self._one_fact() if self.each else self._all_facts()
            if self.extend:
                self._renew_overdue()
            self.decide()

    def decide(self) -> None:
        """One pass."""
        raise NotImplementedError

    def wishes(self) -> Iterable[float]:
        """Instants at which the policy wants a pass."""
        return ()

    def has_ended(self, member: Member) -> None:
        """*member* has just ended, and is no longer running."""

    def has_arrived(self, member: Member) -> None:
        """*member* has just joined the queue."""

    def start(self, member: Member) -> None:
        """Give *member* its processors now."""
        assert member.width <= self.free
        self.queue.remove(member)
        self.free -= member.width
        member.started = member.updated = self.now
        member.go(self.now)
        self.running.append(member)

    def _all_facts(self) -> None:
        while self._end_one():
            pass
        while self._arrive_one():
            pass

    def _one_fact(self) -> None:
        if not self._arrive_one():
            self._end_one()

    def _end_one(self) -> bool:
        ending = [member for member in self.running if member.true_end == self.now]
        if not ending:
            return False
        # One by one, ends of an instant go in the order of starting; together, no order matters.
        member = ending[0] if self.each else min(ending, key=lambda m: m.number)
        self.running.remove(member)
        self.free += member.width
        member.ended = self.now
        self.has_ended(member)
        return True

    def _arrive_one(self) -> bool:
        if not self.coming or self.coming[0].submit != self.now:
            return False
        member = self.coming.pop(0)
        if member.width > self.processors:
            member.refused = True
        else:
            self.queue.append(member)
            self.has_arrived(member)
        return True

    def _renew_overdue(self) -> None:
        for member in self.running:
            if member.updated + (member.estimate - member.work) <= self.now:
                member.expected = self.now + 1.0


class Fcfs(Simulator):
    """Nobody overtakes."""

    def decide(self) -> None:
        while self.queue and self.queue[0].width <= self.free:
            self.start(self.queue[0])


class Easy(Fcfs):
    """The head has a promise; the others may pass if they leave it placeable at its shadow time."""

    def decide(self) -> None:
        super().decide()
        if not self.queue:
            return
        head, shadow = self.queue[0], self.shadow()
        for member in self.queue[1:]:
            if member.width > self.free:
                continue
            there_then = self.now + member.estimate > shadow
            if self.free_at(shadow) - (member.width if there_then else 0) >= head.width:
                self.start(member)

    def shadow(self) -> float:
        """The earliest instant at which the head fits if everybody runs to the estimate."""
        head = self.queue[0]
        return min(at for at in [m.expected for m in self.running] if self.free_at(at) >= head.width)

    def free_at(self, at: float) -> int:
        """Processors free then, if everybody who runs now runs to the estimate."""
        return self.processors - sum(m.width for m in self.running if m.expected > at)


class SizeIntervals(Simulator):
    """Equal partitions by estimate, first come first served inside."""

    def __init__(self, jobs: Sequence[Job], processors: int, cutoffs: Sequence[float]) -> None:
        super().__init__(jobs, processors)
        self.cutoffs = cutoffs
        self.size = processors // (len(cutoffs) + 1)

    def decide(self) -> None:
        for partition in range(len(self.cutoffs) + 1):
            for member in [m for m in self.queue if self._partition(m) == partition]:
                busy = sum(m.width for m in self.running if self._partition(m) == partition)
                if member.width > self.size:
                    self.queue.remove(member)
                    member.refused = True
                elif busy + member.width <= self.size:
                    self.start(member)
                else:
                    break

    def _partition(self, member: Member) -> int:
        return sum(1 for cutoff in self.cutoffs if member.estimate > cutoff)
