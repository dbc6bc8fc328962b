"""One connected agent, as the server sees it."""

import asyncio
from collections.abc import Iterable
from math import isfinite

from molokini.proto.v1 import agent_service_pb2 as wire
from molokini.proto.v1 import jobs_pb2
from molokini.server.state.jobs import Element
from molokini.server.state.slices import slicing_of
from molokini.server.state.state import State
from molokini.server.translate import cut_of, slicing_to_wire, spec_to_wire
from molokini.server.turn.command import Command, Draft, RetryNextTurn
from molokini.server.turn.reporting import AcknowledgeReports


class Session:
    """What is sent to an agent, and how far its reports have come."""

    def __init__(self, name: str, boot_id: str, follows_clock: bool, peer: str = "") -> None:
        self.name, self.boot_id, self.follows_clock, self.peer = name, boot_id, follows_clock, peer
        self.outgoing: asyncio.Queue[wire.ServerMessage | None] = asyncio.Queue()
        """None ends the stream."""
        self.heard_s = 0.0
        """The instant of its last message, on the monotonic clock."""
        self.reports: dict[int, tuple[Command, ...]] = {}
        """Reports whose effect is not durable yet, by serial: what each has asked for."""
        self.taken_posted = False
        self.next_s = float("-inf")
        """The next instant at which it has something to report; unknown at first."""
        self.turn_done = -1
        self.memory_not_enforced: set[str] = set()
        """Its nodes on which memory that was asked for is no bound."""
        self.cores: dict[str, int] = {}
        """Of its nodes whose real processes have fewer cores than processors."""
        self.slices: dict[str, jobs_pb2.NodeSlices] = {}
        """What its nodes keep of periods and slices, where it says so."""
        self.told = False
        """Whether it was given something to do since it was asked last what comes next."""

    def send(self, **content: object) -> None:
        """Send one message; it is queued, and lost if the agent is gone (Welcome tells it all again)."""
        self.told = "grant" not in content and (self.told or "acknowledge" not in content)
        self.outgoing.put_nowait(wire.ServerMessage(**content))  # type: ignore[arg-type]

    def grant(self, now_s: float, turn: int) -> None:
        """Let its clock go up to *now_s*: it answers that *turn* is done, and when it has something next."""
        self.send(grant=wire.Grant(now_s=now_s, turn=turn))

    def settled_up_to(self, known: int) -> int:
        """The last serial up to which every report has been checked."""
        while (asked := self.reports.get(known + 1)) is not None and all(one.settled for one in asked):
            known += 1
        return known


class TakenNow(AcknowledgeReports):
    """The reports of a session that this turn has seen, whichever they are when it is checked."""

    def __init__(self, session: Session, known: int) -> None:
        super().__init__(session.name, session.boot_id, known)
        self.session, self.known = session, known

    def check(self, state: State, draft: Draft) -> None:
        self.session.taken_posted = False
        boot_id, known = state.taken.get(self.agent, ("", 0))
        if boot_id != self.boot_id:
            # The name is another's by now, and so is what it says of its reports.
            return
        self.serial = self.session.settled_up_to(known)
        if self.serial > known:
            super().check(state, draft)
        elif known + 1 in self.session.reports:
            # What it asks for was put off to the next turn, and so is this.
            self.session.taken_posted = True
            raise RetryNextTurn


def attempt_of(element: Element) -> wire.AttemptRef:
    """How an attempt is called on the wire."""
    return wire.AttemptRef(job_id=element.job.id, array_index=element.index, attempt=element.attempt)


def limit_of(element: Element, state: State) -> float:
    """Seconds of work after which the agent ends *element*; 0: never. What is divided takes what it takes."""
    over_s = state.site.overrun_s(element.job.queue) if element.cut is None else 0.0
    return element.execution_s + over_s if isfinite(over_s) else 0.0


def launch_of(element: Element, state: State, rate: float) -> wire.Launch:
    """Everything that an agent needs to run the present attempt of *element*."""
    job = element.job
    made = wire.Launch(
        attempt=attempt_of(element),
        user=job.user,
        spec=spec_to_wire(job.spec),
        allocation=allocation_of(element, state),
        start_s=element.start_s or 0.0,
        limit_s=limit_of(element, state),
        rate=rate,
        element_number=element.number,
    )
    if element.queue:
        # The job learns where it runs, by the names of each batch system.
        made.spec.queue = element.queue
        made.spec.ClearField("further_queues")
    if job.load is not None:
        cut = cut_of(element)
        made.division.CopyFrom(
            wire.Division(rule=cut.rule, processors=cut.processors, execution_s=cut.execution_s)
        )
    if job.communicates:
        made.processors_by_cluster.extend(element.parts)
    matrix, row, slicing = state.tables.matrix, element.row, slicing_of(state, element)
    if slicing is not None:
        made.slicing.CopyFrom(slicing_to_wire(slicing))
    elif row >= 0 and (matrix.rows[row] or matrix.turns[row]):
        made.rows.CopyFrom(rows_of(element, state, float(matrix.stall_s[row])))
    return made


def rows_of(element: Element, state: State, stall_s: float) -> wire.Rows:
    """Where *element* stands in the matrix, and what it loses besides."""
    matrix = state.tables.matrix
    return wire.Rows(
        bits=int(matrix.rows[element.row]),
        count=int(matrix.turns[element.row] or matrix.count),
        quantum_s=matrix.quantum_s,
        context_switch=matrix.switch,
        exact=bool(matrix.exact),
        changed=bool(matrix.changed),
        stall_s=stall_s,
    )


def started_launch_of(element: Element, state: State, rate: float) -> wire.Launch:
    """The same for an attempt that starts now: with the work that a checkpoint has kept."""
    launch, work_s = launch_of(element, state, rate), float(state.tables.jobs.work_s[element.row])
    if work_s > 0.0:
        launch.work_s, launch.updated_s = work_s, launch.start_s
    return launch


def resumed_launch_of(element: Element, state: State) -> wire.Launch:
    """The same for an agent that has forgotten: with the work that was done."""
    t, row = state.tables, element.row
    launch = launch_of(element, state, float(t.jobs.rate[row]))
    launch.work_s, launch.updated_s = float(t.jobs.work_s[row]), float(t.jobs.updated_s[row])
    launch.suspended = element.status == "suspended"
    return launch


def allocation_of(element: Element, state: State) -> Iterable[jobs_pb2.Allocation]:
    """The nodes of *element* by name."""
    return [
        jobs_pb2.Allocation(node=node.name, processors=processors, cluster=node.cluster)
        for number, processors in element.nodes
        if (node := state.machine.nodes[number])
    ]
