"""ClusterService: nodes, queues, policy and clock."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import suppress
from dataclasses import replace
from typing import Any

from molokini.compiled.structs import FloatTable
from molokini.model.errors import BadValue
from molokini.model.names import expand
from molokini.model.site import CONFIGURATION
from molokini.proto.v1 import cluster_service_pb2 as wire
from molokini.server.job_counts import Standing, held, standing
from molokini.server.policies import configurable, policy_called
from molokini.server.queries.alternatives import NAME as ALTERNATIVES
from molokini.server.queries.choices import NAME as CHOICES
from molokini.server.queries.choices import choices_now
from molokini.server.queries.iterating import traced
from molokini.server.queries.licenses import licenses_used
from molokini.server.queries.present_state import NAME as STATE
from molokini.server.queries.whatif_process import Ahead
from molokini.server.security.permissions import Action, require
from molokini.server.security.roles import caller
from molokini.server.server import Server
from molokini.server.services.accounts import booked, stated
from molokini.server.services.listing import lines_of_page
from molokini.server.services.report_service import alternatives_reported, reported, state_reported
from molokini.server.services.reservation_service import reservation_from_wire, reservation_to_wire
from molokini.server.services.scheduling_service import scheduling_changed
from molokini.server.services.shadows import report_to_wire, shadow_for
from molokini.server.state.jobs import JobStatus
from molokini.server.state.node_names import NodeRecord, NodeStatus
from molokini.server.state.queues import Queue
from molokini.server.turn.command import Draft
from molokini.server.turn.losing import LoseNodes
from molokini.server.turn.operating import (
    ChangeMauiParameter,
    DrainNodes,
    NoteCommand,
    RemoveQueue,
    SetPolicy,
    SetQueue,
)
from molokini.server.turn.reporting import ReturnNodes
from molokini.server.turn.reserving import MakeReservation, ReleaseReservation
from molokini.server.turn.running_policy import RunningPolicy
from molokini.server.turn.scheduling import ResetStatistics

_STATE_OF = {NodeStatus.UP: wire.UP, NodeStatus.DRAINING: wire.DRAINING, NodeStatus.DOWN: wire.DOWN}
_PERIOD_CHECK_S = 1.0
_KIND_OF = {"real": 1, "scaled": 2, "stepped": 3, "virtual": 4}


class ClusterService:
    """The servicer."""

    def __init__(self, server: Server) -> None:
        self.core = server
        self.ahead = Ahead()

    async def GetCluster(self, request: wire.GetClusterRequest, context: Any) -> wire.Cluster:
        """The whole in numbers."""
        state, t = self.core.state, self.core.state.tables
        made = wire.Cluster(
            name=self.core.settings.name,
            version=self.core.settings.release,
            processors=t.machine.processors_in_all,
            processors_up=t.machine.processors,
            processors_free=t.machine.free,
            nodes=len(state.machine.nodes),
            nodes_up=sum(record.status is NodeStatus.UP for record in state.machine.nodes),
            jobs_ended=state.ended,
            sequence=state.serial,
            epoch=state.epoch,
            jobs_waiting=t.queue.tail - t.queue.head,
            jobs_running=t.queue.running_count,
            jobs_suspended=t.queue.suspended_count,
            deadlines_met=state.deadlines["met"],
            deadlines_missed=state.deadlines["missed"],
            deadlines_refused=state.deadlines["refused"],
            array_elements=self.core.settings.limits.array_elements,
            licenses=state.site.licenses,
            licenses_used=licenses_used(state),
        )
        made.jobs_held = await held(state)
        return made

    # Nodes.

    async def ListNodes(self, request: wire.ListNodesRequest, context: Any) -> wire.ListNodesResponse:
        """A page of nodes in the order in which they joined."""
        size = lines_of_page(request.page_size, self.core.settings.page_size)
        first = _place(request.page_token)
        nodes = self._named(request.names) if request.names else self.core.state.machine.nodes
        made = wire.ListNodesResponse()
        on_nodes = self._jobs_on_nodes()
        for place in range(first, len(nodes)):
            record = nodes[place]
            if request.states and _STATE_OF[record.status] not in request.states:
                continue
            if len(made.nodes) == size:
                made.next_page_token = str(place)
                break
            made.nodes.append(self._node(record, on_nodes.get(record.number, [])))
        return made

    def _named(self, patterns: Any) -> list[NodeRecord]:
        return [self.core.state.machine.node(name) for pattern in patterns for name in expand(pattern)]

    def _jobs_on_nodes(self) -> dict[int, list[int]]:
        found: dict[int, list[int]] = {}
        # Those that run, of which there are few where many wait.
        state = self.core.state
        for row in state.tables.queue.running[: state.tables.queue.running_count].tolist():
            element = state.by_row[row]
            if element.status is JobStatus.RUNNING:
                for number, _ in element.nodes:
                    found.setdefault(number, []).append(element.job.id)
        return found

    def _node(self, record: NodeRecord, jobs: list[int]) -> wire.Node:
        t, machine = self.core.state.tables, self.core.state.machine
        used = _used(t.nodes.total, t.nodes.free, record.number)
        up = record.status is not NodeStatus.DOWN
        made = wire.Node(
            name=record.name,
            state=_STATE_OF[record.status],
            processors=record.processors,
            processors_used=int(used[0]) if up else 0,
            memory_kb=record.memory_kb,
            memory_used_kb=int(used[1]) if up and record.memory_kb else 0,
            features=record.features,
            reason=record.reason,
            job_ids=sorted(set(jobs)),
            agent=record.agent,
            cluster=record.cluster,
        )
        session = self.core.hub.sessions.get(record.agent)
        made.memory_not_enforced = session is not None and record.name in session.memory_not_enforced
        if record.real and (slices := self.core.hub.slices_of(record.name)) is not None:
            made.slices.CopyFrom(slices)
        for name, amount in record.generic.items():
            made.generic[name] = amount
            made.generic_used[name] = int(used[machine.generic(name)]) if up else 0
        return made

    async def ChangeNodes(self, request: wire.ChangeNodesRequest, context: Any) -> wire.ChangeNodesResponse:
        """Drain, resume or take down; all named nodes or none."""
        who = caller()
        require(who, Action.CHANGE_NODES)
        if not request.names:
            raise BadValue("names", [], "one name or pattern, or several")
        if len(request.reason) > 1000 or not (request.reason.isprintable()):
            raise BadValue("reason", request.reason[:40], "at most 1,000 printable characters")
        names = [record.name for record in self._named(request.names)]
        if request.state == wire.DRAINING:
            await self.core.reactor.post(DrainNodes(names, who.name, request.reason))
        elif request.state == wire.UP:
            await self.core.reactor.post(ReturnNodes(names, who.name))
        elif request.state == wire.DOWN:
            await self.core.reactor.post(LoseNodes(names, who.name, request.reason))
        else:
            raise BadValue("state", request.state, "DRAINING, UP or DOWN")
        return wire.ChangeNodesResponse(refusals=[""] * len(request.names))

    # Queues.

    async def ListQueues(self, request: wire.ListQueuesRequest, context: Any) -> wire.ListQueuesResponse:
        """All queues, with how many of their jobs are held, wait and run."""
        counts = await standing(self.core.state)
        return wire.ListQueuesResponse(
            queues=[self._queue(queue, counts) for queue in self.core.state.queues.values()]
        )

    def _queue(self, queue: Queue, counts: Standing) -> wire.Queue:
        return wire.Queue(
            **queue.as_json(),
            jobs_held=counts[queue.name, JobStatus.HELD],
            jobs_waiting=counts[queue.name, JobStatus.WAITING],
            jobs_running=counts[queue.name, JobStatus.RUNNING],
            described=self.core.reactor.running_policy.site.queue_words(queue.name),
        )

    async def SetQueue(self, request: wire.SetQueueRequest, context: Any) -> wire.Queue:
        """Make, change or remove a queue."""
        who = caller()
        if request.remove:
            require(who, Action.DEFINE_QUEUE)
            await self.core.reactor.post(RemoveQueue(request.queue.name, who.name))
            return request.queue
        fields = {
            field.name: getattr(request.queue, field.name)
            for field in request.queue.DESCRIPTOR.fields
            if not field.name.startswith("jobs_") and field.name != "described"
        }
        fields["nodes"] = tuple(name for pattern in request.queue.nodes for name in expand(pattern))
        fields["users"] = tuple(request.queue.users)
        for name in ("default_estimate_s", "default_processors"):
            if not fields[name]:
                del fields[name]
        queue = Queue(**fields)
        present = self.core.state.queues.get(queue.name)
        only_opened = present is not None and queue == replace(
            present, enabled=queue.enabled, started=queue.started
        )
        require(who, Action.OPEN_QUEUE if only_opened else Action.DEFINE_QUEUE)
        await self.core.reactor.post(SetQueue(queue, who.name))
        return self._queue(queue, await standing(self.core.state))

    # Policy.

    async def GetPolicy(self, request: wire.GetPolicyRequest, context: Any) -> wire.Policy:
        """Which policy decides, with every parameter's value."""
        return self._policy()

    def _policy(self) -> wire.Policy:
        running_policy = self.core.reactor.running_policy
        values = {
            name: ",".join(f"{number:g}" for number in value) if isinstance(value, tuple) else str(value)
            for name, value in running_policy.site.values.items()
        }
        declared = running_policy.policy.declaration
        given = {name: text for name, text in running_policy.given.items() if name != CONFIGURATION}
        return wire.Policy(
            name=declared.name,
            parameters=values,
            summary=declared.summary,
            maui_config=running_policy.given.get(CONFIGURATION, ""),
            given=given,
            weighs=running_policy.policy.insight.weighs,
            called={one.name: one.alias for one in declared.parameters if one.alias},
            rows=int(self.core.state.tables.matrix.count),
            compiling=self.core.compiling.what,
            compiling_for_s=self.core.compiling.for_s,
        )

    async def SetPolicy(self, request: wire.SetPolicyRequest, context: Any) -> wire.Policy:
        """Another policy, or other values, from the next pass on."""
        who = caller()
        require(who, Action.SET_POLICY)
        name = policy_called(request.name, self.core.settings.policy_folder, wired=True)
        parameters = dict(request.parameters)
        if CONFIGURATION in parameters:
            raise BadValue(CONFIGURATION, "", "a file that the server's configuration names")
        if configurable(name) and (text := self._maui_config()):
            parameters[CONFIGURATION] = text
        change = SetPolicy(name, parameters, who.name)
        # Compiling takes seconds where it was never done: what is refused now is not compiled before.
        change.check(self.core.state, Draft(self.core.state, self.core.state.now))
        # Meanwhile others are served.
        await self.core.compile_aside(RunningPolicy(name, parameters))
        await self.core.reactor.post(change)
        self.core.reactor.change_policy(name, parameters)
        return self._policy()

    # Reservations.

    async def ListReservations(
        self, request: wire.ListReservationsRequest, context: Any
    ) -> wire.ListReservationsResponse:
        """All of them, with the instances of the standing ones."""
        state = self.core.state
        return wire.ListReservationsResponse(
            reservations=[reservation_to_wire(one, state.instances) for one in state.reservations.values()]
        )

    async def CreateReservation(
        self, request: wire.CreateReservationRequest, context: Any
    ) -> wire.Reservation:
        """Keep processors for some."""
        who = caller()
        require(who, Action.RESERVE)
        asked = reservation_from_wire(request.reservation)
        made = await self.core.reactor.post(MakeReservation(asked, who.name))
        return reservation_to_wire(made, self.core.state.instances)

    async def ReleaseReservation(
        self, request: wire.ReleaseReservationRequest, context: Any
    ) -> wire.ReleaseReservationResponse:
        """Give one up."""
        who = caller()
        require(who, Action.RESERVE)
        await self.core.reactor.post(ReleaseReservation(request.name, who.name))
        return wire.ReleaseReservationResponse()

    def _maui_config(self) -> str:
        """The configuration that a policy with configurations has, or would have; empty: there is none."""
        name, parameters = self.core.state.policy or ("", {})
        if configurable(name):
            return parameters.get(CONFIGURATION, "")
        return self.core.settings.parameters.get(CONFIGURATION, "")

    async def ChangeMauiParameter(
        self, request: wire.ChangeMauiParameterRequest, context: Any
    ) -> wire.Policy:
        """One parameter of the configuration, from the next iteration on."""
        who = caller()
        require(who, Action.SET_POLICY)
        for field, text, most in (("name", request.name, 255), ("value", request.value, 4096)):
            if not 1 <= len(text) <= most:
                raise BadValue(field, text[:60], f"a text of 1 to {most:,} characters")
        change = ChangeMauiParameter(request.name, request.value, who.name)
        changed = await self.core.reactor.post(change)
        self.core.reactor.change_policy(change.policy, changed)
        return self._policy()

    async def TraceIteration(self, request: wire.TraceIterationRequest, context: Any) -> wire.IterationTrace:
        """What an iteration decides now, which is done unless the caller only asks."""
        who = caller()
        require(who, Action.SET_POLICY)
        made = traced(self.core)
        if not request.dry_run:
            self.core.reactor.passes_left += 1
            self.core.reactor.wake_s = -float("inf")
            await self.core.reactor.post(NoteCommand(who.name, "schedule"))
        return made

    async def ShadowPolicy(
        self, request: wire.ShadowPolicyRequest, context: Any
    ) -> AsyncIterator[wire.ShadowReport]:
        """Reports of a policy that looks on, until the caller has enough."""
        require(caller(), Action.SET_POLICY)
        reactor, clock = self.core.reactor, self.core.clock
        shadow = shadow_for(self.core, request)
        # Compiling takes seconds where it was never done: meanwhile others are served.
        await self.core.compile_aside(shadow.running_policy)
        reactor.watching.append(shadow)
        try:
            while True:
                shadow.close_until(max(clock.now(), self.core.state.now))
                while shadow.reports:
                    yield report_to_wire(shadow.reports.popleft())
                # A period may end without anything happening.
                with suppress(TimeoutError):
                    async with asyncio.timeout(_PERIOD_CHECK_S), reactor.turned:
                        await reactor.turned.wait()
        finally:
            reactor.watching.remove(shadow)

    async def GetReport(self, request: wire.GetReportRequest, context: Any) -> wire.SchedulingReport:
        """What one of Maui's commands shows; or the state as a whole."""
        if request.name == STATE:
            return await state_reported(self.core)
        if request.name == CHOICES:
            return wire.SchedulingReport(json=choices_now(self.core))
        if request.name == ALTERNATIVES:
            return await alternatives_reported(self.core, request)
        return reported(self.core, request)

    async def WhatIf(self, request: wire.WhatIfRequest, context: Any) -> wire.WhatIfAnswer:
        """The hours to come, reckoned by a process of its own."""
        return wire.WhatIfAnswer(json=await self.ahead.answered(self.core, request))

    # Scheduling as a whole.

    async def ChangeScheduling(self, request: wire.ChangeSchedulingRequest, context: Any) -> wire.Scheduling:
        """Pause the passes of the policy, at once or after some more, or resume them."""
        who = caller()
        require(who, Action.CHANGE_SCHEDULING)
        return await scheduling_changed(self.core, request, who.name)

    async def ResetStatistics(
        self, request: wire.ResetStatisticsRequest, context: Any
    ) -> wire.ResetStatisticsResponse:
        """Statistics start again from now."""
        who = caller()
        require(who, Action.RESET_STATISTICS)
        return wire.ResetStatisticsResponse(since_s=await self.core.reactor.post(ResetStatistics(who.name)))

    # The bank.

    async def BookAccount(self, request: wire.BookAccountRequest, context: Any) -> wire.Account:
        """Put processor-seconds into an account, or take them out."""
        return await booked(self.core, request)

    async def GetStatement(self, request: wire.GetStatementRequest, context: Any) -> wire.Statement:
        """What was booked last."""
        return stated(self.core, request)

    # Clock.

    async def GetClock(self, request: wire.GetClockRequest, context: Any) -> wire.Clock:
        """The scheduling clock."""
        return self._clock()

    def _clock(self) -> wire.Clock:
        clock = self.core.clock
        return wire.Clock(
            kind=_KIND_OF[clock.kind.value],  # type: ignore[arg-type]
            now_s=max(clock.now(), self.core.state.now),
            rate=clock.rate,
            paused=clock.paused,
        )

    async def ChangeClock(self, request: wire.ChangeClockRequest, context: Any) -> wire.Clock:
        """Turn the clock; an advance answers when everything on the way has happened."""
        who = caller()
        require(who, Action.CHANGE_CLOCK)
        change, clock = request.WhichOneof("change"), self.core.clock
        if change is None:
            raise BadValue("change", None, "one of advance_s, rate, pause, resume")
        if change == "advance_s":
            clock.advance(request.advance_s)
        elif change == "rate":
            clock.set_rate(request.rate)
        elif change == "pause":
            clock.pause()
        else:
            clock.resume()
        await self.core.reactor.post(NoteCommand(who.name, f"clock {change}"))
        if change == "advance_s":
            await self.core.timekeeper.reached(clock.limit_s)
            # A clock goes on from the last fact: with this one, a server that is started again stands here.
            await self.core.reactor.post(NoteCommand(who.name, "clock advanced"))
        return self._clock()


def _place(token: str) -> int:
    if token and not (token.isascii() and token.isdigit() and len(token) < 10):
        raise BadValue("page_token", token[:40], "a next_page_token that the server has given")
    return int(token or 0)


def _used(total: FloatTable, free: FloatTable, number: int) -> list[float]:
    used: list[float] = (total[number] - free[number]).tolist()
    return used
