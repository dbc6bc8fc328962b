"""The snapshot of the live state from which reports are made."""

from collections import Counter

import numpy as np

from molokini.model.facts import NO_INDEX
from molokini.model.site import CONFIGURATION
from molokini.reports.snapshot import AgentText, Blocked, ClusterSnapshot, Finished, Link, NodeText, Scheduler
from molokini.reports.stopped import node_texts
from molokini.server.queries.explanations import not_waiting, reservations_of
from molokini.server.server import Server
from molokini.server.state.jobs import Element, Job, JobStatus
from molokini.server.state.node_names import NodeStatus
from molokini.server.state.state import State
from molokini.server.translate import counts_of

UNKNOWN = -2
MOST_BLOCKED = 10_000
"""Most jobs that are held, or not ready, in one snapshot."""


def picture_of(server: Server) -> ClusterSnapshot:
    """The state as it is now, after a pass of which nothing comes but its reasons."""
    state = server.state
    now = max(server.clock.now(), state.now)
    tables = server.reactor.running_policy.dry_run(state, now)
    names = list(state.rows.names)
    site = server.reactor.running_policy.site
    numbers = state.rows.names
    return ClusterSnapshot(
        tables=tables,
        now=now,
        policy=server.reactor.running_policy.policy.name,
        insight=server.reactor.running_policy.policy.insight,
        job=lambda row: _called(state.by_row[row]),
        name=lambda kind, number: names[number] if 0 <= number < len(names) else "",
        number=lambda kind, name: numbers.get(name, UNKNOWN),
        nodes=node_texts([NodeText(one.name, one.reason, one.features) for one in state.machine.nodes], site),
        clusters=tuple(state.machine.clusters),
        partitions=site.partitions,
        blocked=tuple(_blocked(server)),
        reservations=reservations_of(state),
        finished=_finished(state, names),
        scheduler=_scheduler(server),
        link=_link(server),
    )


def _scheduler(server: Server) -> Scheduler:
    reactor, clock = server.reactor, server.clock
    return Scheduler(
        mode="live",
        iterations=reactor.passes,
        next_s=reactor.wake_s,
        clock=str(clock.kind),
        rate=clock.rate,
        paused=clock.paused,
        release=server.settings.release,
        starts=server.state.epoch,
        given={name: text for name, text in reactor.running_policy.given.items() if name != CONFIGURATION},
        failures=reactor.policy_failures,
        last_failure=reactor.last_policy_error if reactor.policy_failures else "",
        troubled=reactor.troubled,
        scheduling_paused=server.state.paused,
        paused_because=server.state.paused_because,
        passes_left=reactor.passes_left if server.state.paused else 0,
    )


def _link(server: Server) -> Link:
    hub, nodes = server.hub, server.state.machine.nodes
    up = Counter(one.agent for one in nodes if one.status is NodeStatus.UP)
    processors = Counter[str]()
    for one in nodes:
        processors[one.agent] += one.processors
    return Link(
        agents=tuple(
            AgentText(
                agent=one.name,
                connected=one.connected,
                peer=one.peer,
                nodes=one.nodes,
                nodes_up=up[one.name],
                processors=processors[one.name],
                attempts=one.attempts,
                silent_s=one.silent_s if one.HasField("silent_s") else None,
                held_s=one.held_s,
            )
            for one in hub.agents()
        ),
        heartbeat_s=hub.heartbeat_s,
        lease_s=hub.lease_s,
        margin_s=hub.margin_s,
    )


def _called(element: Element) -> str:
    return name_of(element.job.id, element.index)


def name_of(number: int, index: int) -> str:
    """What a job, or an element of an array, is called."""
    return str(number) if index == NO_INDEX else f"{number}[{index}]"


def _blocked(server: Server) -> list[Blocked]:
    """Jobs that are no candidates; of an array those elements that never were rows in one line."""
    found: list[Blocked] = []
    for job in server.state.open_jobs.values():
        if len(found) >= MOST_BLOCKED:
            break
        for element in job.known_elements():
            if element.status is JobStatus.HELD or (element.status is JobStatus.WAITING and element.row < 0):
                found.append(_line(server, job, element, _called(element), 1))
        array = job.array
        if array is not None and array.made < array.size:
            found.append(_line(server, job, None, f"{job.id}[]", array.size - array.made))
    return found


def _line(server: Server, job: Job, element: Element | None, name: str, count: int) -> Blocked:
    status = element.status if element is not None else job.status
    if element is None and counts_of(job).get(JobStatus.HELD, 0) >= count:
        status = JobStatus.HELD
    state, reason = "not-ready", "it becomes a candidate when others of its array have ended"
    if status is JobStatus.HELD:
        state, reason = not_waiting(server, job, element, status)
    spec = job.spec
    return Blocked(
        job=name,
        state=state,
        reason=reason,
        user=job.user,
        group=str(spec.get("group", "")),
        account=job.account,
        queue=job.queue,
        qos=str(spec.get("qos", "")),
        processors=job.request.processors,
        estimate_s=job.estimate_s,
        submit_s=job.submitted_s,
        count=count,
        credential=job.credential,
    )


def _finished(state: State, names: list[str]) -> Finished:
    """Jobs that have ended and are still in the memory."""
    rows: list[tuple[float, float, float, int, float, int]] = []
    owners: list[tuple[str, str, str, str, str]] = []
    for number in state.finished:
        job = state.jobs[number]
        owner = _whose(state, names, job)
        for element in job.known_elements():
            if element.end_s is None or element.status is JobStatus.REFUSED:
                continue
            if element.end_s <= state.statistics_since_s > 0:
                continue
            start_s = float("nan") if element.start_s is None else element.start_s
            well = int(element.status is JobStatus.COMPLETED)
            width = job.request.processors
            rows.append((job.submitted_s, start_s, element.end_s, width, job.estimate_s, well))
            owners.append(owner)
    table = np.array(rows, dtype=np.float64).reshape(len(rows), 6)
    columns = [table[:, k].copy() for k in range(6)]
    return Finished(
        submit_s=columns[0],
        start_s=columns[1],
        end_s=columns[2],
        processors=columns[3].astype(np.int64),
        estimate_s=columns[4],
        well=columns[5].astype(np.int64),
        whose=tuple(owners),
        since_s=state.statistics_since_s or None,
    )


def _whose(state: State, names: list[str], job: Job) -> tuple[str, str, str, str, str]:
    t = state.tables
    columns = (t.credentials.user, t.credentials.group, t.credentials.account, t.credentials.queue)
    user, group, account, queue, qos = (
        names[number] if 0 <= (number := int(column[job.credential])) < len(names) else ""
        for column in (*columns, t.credentials.qos)
    )
    return user, group, account, queue, qos
