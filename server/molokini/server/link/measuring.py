"""What a job uses alone of its busiest processor, by the processor time that agents tell with its reports."""

from collections.abc import Callable

from molokini.feedback.edf import WHOLE
from molokini.proto.v1.jobs_pb2 import Rate


class UseMeter:
    """The reports of one measurement: the first and the last one of each agent.

    Clocks of different machines, and of different processes, are not compared.
    """

    def __init__(self) -> None:
        self._first: dict[str, Rate] = {}
        self._last: dict[str, Rate] = {}

    def take(self, agent: str, rate: Rate) -> None:
        """*agent* has told of an iteration."""
        self._first.setdefault(agent, rate)
        self._last[agent] = rate

    def use(self, full: float, processors: Callable[[str], int]) -> int | None:
        """Millionths of the busiest processor at the *full* rate (iterations a second); None: nobody told.

        That is the processor time of an iteration times the full rate: where that was measured by the same
        reports, what was used of their time. The process that reports lies on one processor, all processes
        of the job share those that it has there (*processors* of an agent): the larger counts.
        """
        found = [
            _an_iteration_s(first, self._last[agent], processors(agent))
            for agent, first in self._first.items()
        ]
        known = [one for one in found if one is not None]
        return round(WHOLE * max(known) * full) if known else None


def _an_iteration_s(first: Rate, last: Rate, processors: int) -> float | None:
    """Seconds of processor time an iteration, of the busiest processor; None: not known."""
    iterations = last.iteration - first.iteration
    if iterations <= 0:
        return None
    spent: list[float] = []
    if first.process == last.process and first.HasField("process_cpu_s") and last.HasField("process_cpu_s"):
        spent.append(last.process_cpu_s - first.process_cpu_s)
    if first.HasField("node_cpu_s") and last.HasField("node_cpu_s"):
        spent.append((last.node_cpu_s - first.node_cpu_s) / max(1, processors))
    return max(spent) / iterations if spent else None
