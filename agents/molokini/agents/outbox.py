"""Reports that are not yet durable at the server: numbered from 1, kept in order until acknowledged."""

from collections import deque
from collections.abc import Sequence

from molokini.proto.v1.agent_service_pb2 import Report


class Outbox:
    """Numbers reports and keeps them. It holds at most one end a job that the server has launched."""

    def __init__(self) -> None:
        self._kept: deque[Report] = deque()
        self._last = 0

    def add(self, report: Report) -> None:
        """Give *report* the next serial and keep it."""
        self._last += 1
        report.serial = self._last
        self._kept.append(report)

    def acknowledge(self, serial: int) -> list[Report]:
        """All up to *serial* are durable; those that were not before. A repeated word changes nothing."""
        durable = []
        while self._kept and self._kept[0].serial <= serial:
            durable.append(self._kept.popleft())
        return durable

    @property
    def kept(self) -> Sequence[Report]:
        """What is not yet acknowledged, in order."""
        return self._kept
