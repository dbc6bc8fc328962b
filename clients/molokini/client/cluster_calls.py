"""What operators and administrators do: nodes, queues, policy and clock."""

import json
from collections.abc import AsyncIterator, Iterable, Mapping
from typing import Any, TypedDict, Unpack

import grpc

from molokini.client.calls import Caller
from molokini.client.specs import put
from molokini.model.errors import UnknownName
from molokini.proto.v1 import cluster_service_pb2 as wire

NODE_STATES = {"up": wire.NodeState.UP, "draining": wire.NodeState.DRAINING, "down": wire.NodeState.DOWN}


class ReportFields(TypedDict, total=False):
    """What a report is asked about, as keyword arguments: the fields of GetReportRequest."""

    job: str
    node: str
    user: str
    group: str
    account: str
    queue: str
    qos: str
    processors: int
    duration_s: float
    by: str
    partition: str
    features: Iterable[str]
    memory: str
    memory_each_mb: float
    nodes: int


class WhatIfFields(TypedDict, total=False):
    """What is asked about the hours to come, as keyword arguments: the fields of WhatIfRequest."""

    policies: Iterable[str]
    maui_configs: Iterable[str]
    drain: str
    reserve: str
    access: Iterable[str]
    nodes: Iterable[int]
    from_when: str
    for_time: str
    resampled: bool
    seeds: int


class ClusterCalls:
    """The calls of ClusterService."""

    _caller: Caller

    def __init__(self, caller: Caller) -> None:
        self._caller = caller
        self._cluster_service = caller.methods("ClusterService")

    async def cluster(self) -> wire.Cluster:
        """The whole in figures: processors, nodes, jobs by state."""
        return await self._caller.call(self._cluster_service.GetCluster, wire.GetClusterRequest())

    async def nodes(
        self, *, names: Iterable[str] = (), states: Iterable[str] = (), page_size: int = 1000
    ) -> AsyncIterator[wire.Node]:
        """Nodes, page by page; *names* may be patterns ("node[001-064]"), *states* up, draining, down."""
        wanted = [node_state(state) for state in states]
        request = wire.ListNodesRequest(names=names, states=wanted, page_size=page_size)
        while True:
            page: wire.ListNodesResponse = await self._caller.call(self._cluster_service.ListNodes, request)
            for node in page.nodes:
                yield node
            if not page.next_page_token:
                return
            request.page_token = page.next_page_token

    async def drain(self, names: Iterable[str], reason: str = "") -> list[str]:
        """Let no new jobs start on these nodes; refusals, one a name, empty where it was done."""
        return await self._change_nodes(names, wire.NodeState.DRAINING, reason)

    async def resume_nodes(self, names: Iterable[str], reason: str = "") -> list[str]:
        """Let these nodes take work again."""
        return await self._change_nodes(names, wire.NodeState.UP, reason)

    async def down(self, names: Iterable[str], reason: str = "") -> list[str]:
        """Give these nodes up, with what runs there."""
        return await self._change_nodes(names, wire.NodeState.DOWN, reason)

    async def queues(self) -> list[wire.Queue]:
        """All queues."""
        answer: wire.ListQueuesResponse = await self._caller.call(
            self._cluster_service.ListQueues, wire.ListQueuesRequest()
        )
        return list(answer.queues)

    async def set_queue(self, queue: wire.Queue | str, /, **fields: Any) -> wire.Queue:
        """Make a queue or change one.

        A Queue is taken as it is; with a name, *fields* (those of Queue) are changed and the others kept.
        """
        wanted = queue if isinstance(queue, wire.Queue) else await self._changed_queue(queue, fields)
        return await self._caller.call(self._cluster_service.SetQueue, wire.SetQueueRequest(queue=wanted))

    async def remove_queue(self, name: str) -> None:
        """Take away an empty queue. Not repeated after a lost answer."""
        request = wire.SetQueueRequest(queue=wire.Queue(name=name), remove=True)
        await self._caller.call(self._cluster_service.SetQueue, request)

    async def policy(self) -> wire.Policy:
        """The policy that decides, with its parameters."""
        return await self._caller.call(self._cluster_service.GetPolicy, wire.GetPolicyRequest())

    async def set_policy(self, name: str, parameters: Mapping[str, object] | None = None) -> wire.Policy:
        """Let another policy decide; parameters that are not named take their defaults."""
        texts = {key: str(value) for key, value in (parameters or {}).items()}
        request = wire.SetPolicyRequest(name=name, parameters=texts)
        return await self._caller.call(
            self._cluster_service.SetPolicy, request, timeout_s=self._caller.patience.reckoning_s
        )

    async def reservations(self) -> list[wire.Reservation]:
        """What administrators have reserved, in the order in which it was made."""
        answer: wire.ListReservationsResponse = await self._caller.call(
            self._cluster_service.ListReservations, wire.ListReservationsRequest()
        )
        return list(answer.reservations)

    async def create_reservation(self, reservation: wire.Reservation) -> wire.Reservation:
        """Keep processors for some; what was made, with the instances of a standing one."""
        request = wire.CreateReservationRequest(reservation=reservation)
        return await self._caller.call(self._cluster_service.CreateReservation, request)

    async def release_reservation(self, name: str) -> None:
        """Give a reservation up."""
        request = wire.ReleaseReservationRequest(name=name)
        await self._caller.call(self._cluster_service.ReleaseReservation, request)

    async def book(
        self,
        account: str,
        booking: wire.Booking,
        amount: int,
        *,
        reason: str = "",
        job: int = 0,
        new: bool = False,
    ) -> wire.Account:
        """Put processor-seconds into an account, or take them out; the account as it is then."""
        request = wire.BookAccountRequest(
            account=account, booking=booking, amount=amount, reason=reason, job_id=job, open=new
        )
        return await self._caller.call(self._cluster_service.BookAccount, request)

    async def statement(self, account: str = "", limit: int = 0) -> wire.Statement:
        """What was booked last, of one account or of all."""
        request = wire.GetStatementRequest(account=account, limit=limit)
        return await self._caller.call(self._cluster_service.GetStatement, request)

    async def change_maui_parameter(self, name: str, value: str) -> wire.Policy:
        """Change one parameter of Maui's configuration until it is read again; the policy from then on."""
        request = wire.ChangeMauiParameterRequest(name=name, value=value)
        return await self._caller.call(self._cluster_service.ChangeMauiParameter, request)

    async def trace_iteration(self, dry_run: bool = False) -> wire.IterationTrace:
        """One iteration of the policy maui, step by step; with *dry_run* nothing is carried out.

        One that is carried out is not repeated after a lost answer.
        """
        request, reckoning_s = wire.TraceIterationRequest(dry_run=dry_run), self._caller.patience.reckoning_s
        return await self._caller.call(self._cluster_service.TraceIteration, request, timeout_s=reckoning_s)

    async def shadow(
        self,
        name: str = "",
        parameters: Mapping[str, str] | None = None,
        *,
        maui_config: str = "",
        period_s: float = 86_400.0,
    ) -> AsyncIterator[wire.ShadowReport]:
        """What another policy would have done differently, period by period, for as long as it is asked for.

        *name* is the running policy where it is empty; *maui_config* is the text of a configuration for the
        policy maui. A lost connection ends the shadow: what it has seen of the present period is gone.
        """
        request = wire.ShadowPolicyRequest(
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

    async def report(self, name: str, **wanted: Unpack[ReportFields]) -> dict[str, Any]:
        """What one of Maui's commands shows, as JSON has it. ``GetReportRequest`` says which reads what."""
        request = wire.GetReportRequest(name=name, **wanted)
        answer: wire.SchedulingReport = await self._caller.call(self._cluster_service.GetReport, request)
        found: dict[str, Any] = json.loads(answer.json)
        return found

    async def what_if(self, hours: float, **wanted: Unpack[WhatIfFields]) -> dict[str, Any]:
        """What may come of the present state in so many hours, as JSON has it (``molokini.whatif/1``)."""
        request = wire.WhatIfRequest(hours=hours, **wanted)
        answer: wire.WhatIfAnswer = await self._caller.call(self._cluster_service.WhatIf, request)
        found: dict[str, Any] = json.loads(answer.json)
        return found

    async def clock(self) -> wire.Clock:
        """The scheduling clock: its kind, the present instant, its rate."""
        return await self._caller.call(self._cluster_service.GetClock, wire.GetClockRequest())

    async def pause_scheduling(
        self, after: int = 0, at_once: bool = False, reason: str = ""
    ) -> wire.Scheduling:
        """Let the policy make *after* more passes, now if *at_once*, and none after them. Not repeated."""
        request = wire.ChangeSchedulingRequest(pause_after=after, at_once=at_once, reason=reason)
        return await self._caller.call(self._cluster_service.ChangeScheduling, request)

    async def resume_scheduling(self) -> wire.Scheduling:
        """Let the policy make passes again."""
        request = wire.ChangeSchedulingRequest(resume=True)
        return await self._caller.call(self._cluster_service.ChangeScheduling, request)

    async def reset_statistics(self) -> float:
        """Let statistics count what ends from now on; that instant."""
        request = wire.ResetStatisticsRequest()
        answer: wire.ResetStatisticsResponse = await self._caller.call(
            self._cluster_service.ResetStatistics, request
        )
        return answer.since_s

    async def advance(self, by_s: float) -> wire.Clock:
        """Turn a stepped or virtual clock forward. Not repeated after a lost answer: look at it then."""
        # There may be very many instants on the way.
        return await self._change_clock(wire.ChangeClockRequest(advance_s=by_s), long=True)

    async def set_rate(self, rate: float) -> wire.Clock:
        """Let a scaled clock run *rate* times as fast as real time."""
        return await self._change_clock(wire.ChangeClockRequest(rate=rate))

    async def pause_clock(self) -> wire.Clock:
        """Stop the scheduling clock."""
        return await self._change_clock(wire.ChangeClockRequest(pause=True))

    async def resume_clock(self) -> wire.Clock:
        """Let the scheduling clock go on."""
        return await self._change_clock(wire.ChangeClockRequest(resume=True))

    async def _change_clock(self, request: wire.ChangeClockRequest, *, long: bool = False) -> wire.Clock:
        return await self._caller.call(
            self._cluster_service.ChangeClock,
            request,
            timeout_s=self._caller.patience.reckoning_s if long else None,
        )

    async def _change_nodes(self, names: Iterable[str], state: wire.NodeState, reason: str) -> list[str]:
        request = wire.ChangeNodesRequest(names=names, state=state, reason=reason)
        answer: wire.ChangeNodesResponse = await self._caller.call(self._cluster_service.ChangeNodes, request)
        return list(answer.refusals)

    async def _changed_queue(self, name: str, fields: Mapping[str, Any]) -> wire.Queue:
        new = wire.Queue(name=name, enabled=True, started=True)
        queue = next((queue for queue in await self.queues() if queue.name == name), new)
        for field, value in fields.items():
            if field not in wire.Queue.DESCRIPTOR.fields_by_name:
                raise UnknownName("field of a queue", field, wire.Queue.DESCRIPTOR.fields_by_name)
            queue.ClearField(field)
            put(queue, field, value)
        return queue


def node_state(name: str) -> wire.NodeState:
    """The state called *name*; UnknownName with the nearest one."""
    if name.lower() not in NODE_STATES:
        raise UnknownName("state of a node", name, NODE_STATES)
    return NODE_STATES[name.lower()]
