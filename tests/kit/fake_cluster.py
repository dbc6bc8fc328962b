"""The fake server's nodes, queues, policy and clock."""

import json
from typing import Any

import grpc

from molokini.proto.v1.cluster_service_pb2 import (
    WITHDRAWAL,
    Account,
    BookAccountRequest,
    Booking,
    ChangeClockRequest,
    ChangeNodesRequest,
    ChangeNodesResponse,
    Clock,
    Cluster,
    CreateReservationRequest,
    GetClockRequest,
    GetClusterRequest,
    GetPolicyRequest,
    GetReportRequest,
    GetStatementRequest,
    ListNodesRequest,
    ListNodesResponse,
    ListQueuesRequest,
    ListQueuesResponse,
    ListReservationsRequest,
    ListReservationsResponse,
    Node,
    NodeState,
    Policy,
    Queue,
    ReleaseReservationRequest,
    ReleaseReservationResponse,
    Reservation,
    SchedulingReport,
    SetPolicyRequest,
    SetQueueRequest,
    Statement,
    StatementEntry,
)
from molokini.proto.v1.cluster_service_pb2_grpc import ClusterServiceServicer
from tests.kit.fake_jobs import FakeState


class FakeClusterService(ClusterServiceServicer):
    """ClusterService with four nodes, one queue and a stepped clock."""

    def __init__(self, state: FakeState) -> None:
        self.state = state
        self.nodes = {
            name: Node(name=name, state=NodeState.UP, processors=16, memory_kb=64 << 20, agent="one")
            for name in ("node1", "node2", "node3", "node4")
        }
        self.queues = {"batch": Queue(name="batch", enabled=True, started=True, max_estimate_s=86400)}
        self.reservations: dict[str, Reservation] = {}
        self.accounts: dict[str, Account] = {}
        self.entries: list[StatementEntry] = []
        self.policy = Policy(name="easy", parameters={"order": "queue"}, summary="backfilling")
        self.reports: dict[str, dict[str, Any]] = {}
        """What is answered, by the report's name."""
        self.asked: list[GetReportRequest] = []
        self.clock = Clock(kind=Clock.STEPPED, now_s=state.now_s, rate=1.0)

    async def GetReport(self, request: GetReportRequest, context: Any) -> SchedulingReport:  # noqa: N802
        self.asked.append(request)
        return SchedulingReport(json=json.dumps(self.reports[request.name]))

    async def GetCluster(self, request: GetClusterRequest, context: Any) -> Cluster:  # noqa: N802
        processors = sum(node.processors for node in self.nodes.values())
        return Cluster(
            name="fake", processors=processors, nodes=len(self.nodes), sequence=self.state.sequence
        )

    async def ListNodes(self, request: ListNodesRequest, context: Any) -> ListNodesResponse:  # noqa: N802
        first, size = int(request.page_token or 0), request.page_size or 1000
        found = [
            node
            for node in self.nodes.values()
            if (not request.names or node.name in request.names)
            and (not request.states or node.state in request.states)
        ]
        token = str(first + size) if len(found) > first + size else ""
        return ListNodesResponse(nodes=found[first : first + size], next_page_token=token)

    async def ChangeNodes(self, request: ChangeNodesRequest, context: Any) -> ChangeNodesResponse:  # noqa: N802
        answer = ChangeNodesResponse()
        for name in request.names:
            if name in self.nodes:
                self.nodes[name].state, self.nodes[name].reason = request.state, request.reason
            answer.refusals.append("" if name in self.nodes else f"there is no node {name}")
        return answer

    async def ListQueues(self, request: ListQueuesRequest, context: Any) -> ListQueuesResponse:  # noqa: N802
        return ListQueuesResponse(queues=self.queues.values())

    async def SetQueue(self, request: SetQueueRequest, context: Any) -> Queue:  # noqa: N802
        name = request.queue.name
        if request.remove:
            if name not in self.queues:
                await context.abort(grpc.StatusCode.NOT_FOUND, f"there is no queue {name}")
            return self.queues.pop(name)
        self.queues[name] = request.queue
        return request.queue

    async def GetPolicy(self, request: GetPolicyRequest, context: Any) -> Policy:  # noqa: N802
        return self.policy

    async def SetPolicy(self, request: SetPolicyRequest, context: Any) -> Policy:  # noqa: N802
        if request.name not in ("easy", "fcfs"):
            text = f"no policy named {request.name!r}; known: easy, fcfs"
            await context.abort(grpc.StatusCode.INVALID_ARGUMENT, text)
        self.policy = Policy(name=request.name, parameters=request.parameters)
        return self.policy

    async def ListReservations(  # noqa: N802
        self, request: ListReservationsRequest, context: Any
    ) -> ListReservationsResponse:
        return ListReservationsResponse(reservations=self.reservations.values())

    async def CreateReservation(self, request: CreateReservationRequest, context: Any) -> Reservation:  # noqa: N802
        self.reservations[request.reservation.name] = request.reservation
        return request.reservation

    async def ReleaseReservation(  # noqa: N802
        self, request: ReleaseReservationRequest, context: Any
    ) -> ReleaseReservationResponse:
        if self.reservations.pop(request.name, None) is None:
            await context.abort(grpc.StatusCode.NOT_FOUND, f"no reservation named {request.name!r}")
        return ReleaseReservationResponse()

    async def BookAccount(self, request: BookAccountRequest, context: Any) -> Account:  # noqa: N802
        account = self.accounts.setdefault(request.account, Account(name=request.account))
        sign = -1 if request.booking == WITHDRAWAL else 1
        account.balance += sign * request.amount
        entry = StatementEntry(
            sequence=len(self.entries) + 1,
            at_s=self.clock.now_s,
            account=request.account,
            what=Booking.Name(request.booking).lower(),
            amount=request.amount,
            balance=account.balance,
            job_id=request.job_id,
            array_index=-1,
            by="root",
            reason=request.reason,
        )
        self.entries.append(entry)
        return account

    async def GetStatement(self, request: GetStatementRequest, context: Any) -> Statement:  # noqa: N802
        return Statement(entries=self.entries, truncated=True)

    async def GetClock(self, request: GetClockRequest, context: Any) -> Clock:  # noqa: N802
        return self.clock

    async def ChangeClock(self, request: ChangeClockRequest, context: Any) -> Clock:  # noqa: N802
        match request.WhichOneof("change"):
            case "advance_s":
                self.clock.now_s += request.advance_s
                self.state.now_s = self.clock.now_s
            case "rate":
                text = "rate: only a scaled clock has one"
                await context.abort(grpc.StatusCode.FAILED_PRECONDITION, text)
            case "pause":
                self.clock.paused = True
            case "resume":
                self.clock.paused = False
        return self.clock
