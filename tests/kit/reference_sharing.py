"""Slow, plain simulators of the policies that preempt, share or partition: srpt, ps, sita-e."""

from collections.abc import Sequence

from tests.kit.reference import Member, Simulator
from tests.kit.workloads import Job


class Srpt(Simulator):
    """All unfinished jobs by remaining estimate; each takes its processors if they fit."""

    def decide(self) -> None:
        everybody = self.queue + self.running + self.suspended
        left, chosen = self.processors, []
        for member in sorted(everybody, key=lambda m: (self._remaining(m), m.place)):
            if member.width <= left:
                left -= member.width
                chosen.append(member)
        for member in [m for m in self.running if m not in chosen]:
            self.running.remove(member)
            self.suspended.append(member)
            self.free += member.width
            member.go(self.now, 0.0)
        for member in chosen:
            if member in self.queue:
                self.start(member)
            elif member in self.suspended:
                self.suspended.remove(member)
                self.running.append(member)
                self.free -= member.width
                member.go(self.now)

    def _remaining(self, member: Member) -> float:
        return member.estimate - member.work - member.rate * (self.now - member.updated)


class ProcessorSharing(Simulator):
    """All in the system, all at one rate. Processors are not held, so ``free`` means nothing."""

    def decide(self) -> None:
        for member in self.queue:
            member.started = member.updated = self.now
        self.running += self.queue
        self.queue = []
        widths = sum(member.width for member in self.running)
        for member in self.running:
            member.go(self.now, min(1.0, self.processors / widths))

    def _end_one(self) -> bool:
        # Rates are fractions: an end is whatever comes first, to within rounding.
        ending = [member for member in self.running if abs(member.true_end - self.now) < 1e-9]
        for member in ending:
            self.running.remove(member)
            member.ended = self.now
        return bool(ending)


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
