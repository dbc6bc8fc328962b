"""What operators and administrators do: nodes, queues, policy and clock."""

import json
from collections.abc import AsyncIterator, Iterable, Mapping
from typing import Any

import grpc

from molokini.client.calls import Caller
from molokini.client.specs import put
from molokini.model.errors import UnknownName
from molokini.proto.v1.cluster_service_pb2 import (
    Account,
    BookAccountRequest,
    Booking,
    ChangeClockRequest,
    ChangeMauiParameterRequest,
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
    IterationTrace,
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
    Reservation,
    SchedulingReport,
    SetPolicyRequest,
    SetQueueRequest,
    ShadowPolicyRequest,
    ShadowReport,
    Statement,
    TraceIterationRequest,
)
from molokini.proto.v1.cluster_service_pb2_grpc import ClusterServiceStub

NODE_STATES = {"up": NodeState.UP, "draining": NodeState.DRAINING, "down": NodeState.DOWN}


class ClusterCalls:
    """The calls of ClusterService."""

    _caller: Caller

    def __init__(self, caller: Caller) -> None:
        self._caller = caller
        stub: Any = ClusterServiceStub(caller.channel)  # type: ignore[no-untyped-call]
        self._cluster_service = stub

    async def cluster(self) -> Cluster:
        """The whole in figures: processors, nodes, jobs by state."""
        found: Cluster = await self._caller.call(self._cluster_service.GetCluster, GetClusterRequest())
        return found

    async def nodes(
        self, *, names: Iterable[str] = (), states: Iterable[str] = (), page_size: int = 1000
    ) -> AsyncIterator[Node]:
        """Nodes, page by page; *names* may be patterns ("node[001-064]"), *states* up, draining, down."""
        wanted = [node_state(state) for state in states]
        request = ListNodesRequest(names=names, states=wanted, page_size=page_size)
        while True:
            page: ListNodesResponse = await self._caller.call(self._cluster_service.ListNodes, request)
            for node in page.nodes:
                yield node
            if not page.next_page_token:
                return
            request.page_token = page.next_page_token

    async def drain(self, names: Iterable[str], reason: str = "") -> list[str]:
        """Let no new jobs start on these nodes; refusals, one a name, empty where it was done."""
        return await self._change_nodes(names, NodeState.DRAINING, reason)

    async def resume_nodes(self, names: Iterable[str], reason: str = "") -> list[str]:
        """Let these nodes take work again."""
        return await self._change_nodes(names, NodeState.UP, reason)

    async def down(self, names: Iterable[str], reason: str = "") -> list[str]:
        """Give these nodes up, with what runs there."""
        return await self._change_nodes(names, NodeState.DOWN, reason)

    async def queues(self) -> list[Queue]:
        """All queues."""
        answer: ListQueuesResponse = await self._caller.call(
            self._cluster_service.ListQueues, ListQueuesRequest()
        )
        return list(answer.queues)

    async def set_queue(self, queue: Queue | str, /, **fields: Any) -> Queue:
        """Make a queue or change one.

        A Queue is taken as it is; with a name, *fields* (those of Queue) are changed and the others kept.
        """
        wanted = queue if isinstance(queue, Queue) else await self._changed_queue(queue, fields)
        made: Queue = await self._caller.call(self._cluster_service.SetQueue, SetQueueRequest(queue=wanted))
        return made

    async def remove_queue(self, name: str) -> None:
        """Take away an empty queue."""
        request = SetQueueRequest(queue=Queue(name=name), remove=True)
        await self._caller.call(self._cluster_service.SetQueue, request)

    async def policy(self) -> Policy:
        """The policy that decides, with its parameters."""
        found: Policy = await self._caller.call(self._cluster_service.GetPolicy, GetPolicyRequest())
        return found

    async def set_policy(self, name: str, parameters: Mapping[str, object] | None = None) -> Policy:
        """Let another policy decide; parameters that are not named take their defaults."""
        texts = {key: str(value) for key, value in (parameters or {}).items()}
        request = SetPolicyRequest(name=name, parameters=texts)
        made: Policy = await self._caller.call(
            self._cluster_service.SetPolicy, request, timeout_s=self._caller.patience.reckoning_s
        )
        return made

    async def reservations(self) -> list[Reservation]:
        """What administrators have reserved, in the order in which it was made."""
        answer: ListReservationsResponse = await self._caller.call(
            self._cluster_service.ListReservations, ListReservationsRequest()
        )
        return list(answer.reservations)

    async def create_reservation(self, reservation: Reservation) -> Reservation:
        """Keep processors for some; what was made, with the instances of a standing one."""
        request = CreateReservationRequest(reservation=reservation)
        # A repeat would find its own name taken.
        made: Reservation = await self._caller.call(
            self._cluster_service.CreateReservation, request, repeat=False
        )
        return made

    async def release_reservation(self, name: str) -> None:
        """Give a reservation up."""
        request = ReleaseReservationRequest(name=name)
        await self._caller.call(self._cluster_service.ReleaseReservation, request, repeat=False)

    async def book(
        self,
        account: str,
        booking: Booking,
        amount: int,
        *,
        reason: str = "",
        job: int = 0,
        new: bool = False,
    ) -> Account:
        """Put processor-seconds into an account, or take them out; the account as it is then."""
        request = BookAccountRequest(
            account=account, booking=booking, amount=amount, reason=reason, job_id=job, open=new
        )
        # A repeat would book it twice.
        made: Account = await self._caller.call(self._cluster_service.BookAccount, request, repeat=False)
        return made

    async def statement(self, account: str = "", limit: int = 0) -> Statement:
        """What was booked last, of one account or of all."""
        request = GetStatementRequest(account=account, limit=limit)
        found: Statement = await self._caller.call(self._cluster_service.GetStatement, request)
        return found

    async def change_maui_parameter(self, name: str, value: str) -> Policy:
        """Change one parameter of Maui's configuration until it is read again; the policy from then on."""
        request = ChangeMauiParameterRequest(name=name, value=value)
        made: Policy = await self._caller.call(self._cluster_service.ChangeMauiParameter, request)
        return made

    async def trace_iteration(self, dry_run: bool = False) -> IterationTrace:
        """One iteration of the policy maui, step by step; with *dry_run* nothing is carried out."""
        request = TraceIterationRequest(dry_run=dry_run)
        made: IterationTrace = await self._caller.call(
            self._cluster_service.TraceIteration, request, timeout_s=self._caller.patience.reckoning_s
        )
        return made

    async def shadow(
        self,
        name: str = "",
        parameters: Mapping[str, str] | None = None,
        *,
        maui_config: str = "",
        period_s: float = 86_400.0,
    ) -> AsyncIterator[ShadowReport]:
        """What another policy would have done differently, period by period, for as long as it is asked for.

        *name* is the running policy where it is empty; *maui_config* is the text of a configuration for the
        policy maui. A lost connection ends the shadow: what it has seen of the present period is gone.
        """
        request = ShadowPolicyRequest(
            name=name, parameters=parameters or {}, maui_config=maui_config, period_s=period_s
        )
        stream = self._cluster_service.ShadowPolicy(request, metadata=self._caller.metadata)
        try:
            async for report in stream:
                yield report
        except grpc.aio.AioRpcError as error:
            raise await self._caller.failure(error) from None
        finally:
            stream.cancel()

    async def report(
        self,
        name: str,
        *,
        job: str = "",
        node: str = "",
        user: str = "",
        group: str = "",
        account: str = "",
        queue: str = "",
        qos: str = "",
        processors: int = 0,
        duration_s: float = 0.0,
        by: str = "",
        partition: str = "",
        features: Iterable[str] = (),
        memory: str = "",
        memory_each_mb: float = 0.0,
        nodes: int = 0,
    ) -> dict[str, Any]:
        """What one of Maui's commands shows, as JSON has it. ``GetReportRequest`` says which reads what."""
        request = GetReportRequest(
            name=name,
            job=job,
            node=node,
            user=user,
            group=group,
            account=account,
            queue=queue,
            qos=qos,
            processors=processors,
            duration_s=duration_s,
            by=by,
            partition=partition,
            features=features,
            memory=memory,
            memory_each_mb=memory_each_mb,
            nodes=nodes,
        )
        answer: SchedulingReport = await self._caller.call(self._cluster_service.GetReport, request)
        found: dict[str, Any] = json.loads(answer.json)
        return found

    async def clock(self) -> Clock:
        """The scheduling clock: its kind, the present instant, its rate."""
        found: Clock = await self._caller.call(self._cluster_service.GetClock, GetClockRequest())
        return found

    async def advance(self, by_s: float) -> Clock:
        """Turn a stepped or virtual clock forward. Not repeated after a lost answer: look at it then."""
        # There may be very many instants on the way.
        return await self._change_clock(ChangeClockRequest(advance_s=by_s), repeat=False, long=True)

    async def set_rate(self, rate: float) -> Clock:
        """Let a scaled clock run *rate* times as fast as real time."""
        return await self._change_clock(ChangeClockRequest(rate=rate))

    async def pause_clock(self) -> Clock:
        """Stop the scheduling clock."""
        return await self._change_clock(ChangeClockRequest(pause=True))

    async def resume_clock(self) -> Clock:
        """Let the scheduling clock go on."""
        return await self._change_clock(ChangeClockRequest(resume=True))

    async def _change_clock(
        self, request: ChangeClockRequest, *, repeat: bool = True, long: bool = False
    ) -> Clock:
        found: Clock = await self._caller.call(
            self._cluster_service.ChangeClock,
            request,
            repeat=repeat,
            timeout_s=self._caller.patience.reckoning_s if long else None,
        )
        return found

    async def _change_nodes(self, names: Iterable[str], state: NodeState, reason: str) -> list[str]:
        request = ChangeNodesRequest(names=names, state=state, reason=reason)
        answer: ChangeNodesResponse = await self._caller.call(self._cluster_service.ChangeNodes, request)
        return list(answer.refusals)

    async def _changed_queue(self, name: str, fields: Mapping[str, Any]) -> Queue:
        new = Queue(name=name, enabled=True, started=True)
        queue = next((queue for queue in await self.queues() if queue.name == name), new)
        for field, value in fields.items():
            if field not in Queue.DESCRIPTOR.fields_by_name:
                raise UnknownName("field of a queue", field, Queue.DESCRIPTOR.fields_by_name)
            queue.ClearField(field)
            put(queue, field, value)
        return queue


def node_state(name: str) -> NodeState:
    """The state called *name*; UnknownName with the nearest one."""
    if name.lower() not in NODE_STATES:
        raise UnknownName("state of a node", name, NODE_STATES)
    return NODE_STATES[name.lower()]
