"""What the server does not know yet when it welcomes an agent: reports that it has not acknowledged."""

from collections.abc import Iterable

from molokini.proto.v1.agent_service_pb2 import Launch, Report


class Unheard:
    """Which attempts are over by these reports, whatever a welcome says."""

    def __init__(self, reports: Iterable[Report]) -> None:
        self._closed: set[tuple[int, int, int]] = set()
        self._lost_s: dict[str, float] = {}
        for report in reports:
            if report.HasField("attempt") and report.kind != Report.LAUNCHED:
                ref = report.attempt
                self._closed.add((ref.job_id, ref.array_index, ref.attempt))
            if report.kind == Report.NODE_LOST:
                self._lost_s[report.node] = report.at_s

    def closes(self, launch: Launch) -> bool:
        """Whether the attempt has ended, or was on a node that was lost after its start."""
        ref = launch.attempt
        if (ref.job_id, ref.array_index, ref.attempt) in self._closed:
            return True
        return any(launch.start_s <= self._lost_s.get(part.node, -1.0e308) for part in launch.allocation)
