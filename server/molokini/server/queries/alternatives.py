"""When a request, or a waiting job, would start: as it is, and asked for otherwise."""

import json
from collections.abc import Callable
from dataclasses import asdict

from molokini.model.errors import BadInput, BadValue
from molokini.proto.v1 import cluster_service_pb2 as wire
from molokini.server.background import GivenUp
from molokini.server.queries.present_state import present_of
from molokini.server.server import Server
from molokini.server.state.jobs import JobStatus
from molokini.server.state.queues import DEFAULT
from molokini.whatif.alternatives import Wanted, alternatives_of
from molokini.whatif.present import Present
from molokini.whatif.scenarios import Scenario

NAME = "alternatives"
"""Under this name ``GetReport`` answers."""
SCHEMA = "molokini.alternatives/1"


def reckoned(server: Server, request: wire.GetReportRequest, user: str) -> Callable[[GivenUp], str]:
    """Copy the state now; what is returned looks ahead from the copy, in another thread. Raises BadInput."""
    now_s = max(server.clock.now(), server.state.now)
    running = server.reactor.running_policy
    present = present_of(server.state, now_s, running.policy.origin, running.given, past=False)
    scenario = Scenario("as it is", running.policy, dict(running.site.values))
    wanted, row = _wanted(server, present, request, user)
    others = _others(server, wanted)
    return lambda _: _answer(present, scenario, wanted, others, row, request.job)


def _wanted(
    server: Server, present: Present, request: wire.GetReportRequest, user: str
) -> tuple[Wanted, int]:
    numbers = {name: number for number, name in enumerate(present.names)}
    if request.job:
        row = _row(server, present, request.job)
        t = present.tables
        credential = t.jobs.credential[row]
        return (
            Wanted(
                int(t.jobs.width[row]),
                float(t.jobs.estimate_s[row]),
                int(t.credentials.user[credential]),
                int(t.credentials.group[credential]),
                int(t.credentials.queue[credential]),
            ),
            row,
        )
    queues = server.state.queues
    name = request.queue or DEFAULT.name
    if name not in queues and request.queue:
        raise BadValue("queue", name, f"one of {', '.join(sorted(queues))}")
    queue = queues.get(name, DEFAULT)
    wanted = Wanted(
        request.processors or queue.default_processors,
        request.duration_s or queue.default_estimate_s,
        numbers.get(request.user or user, -1),
        numbers.get(request.group, -1),
        numbers.get(name, -1),
    )
    return wanted, -1


def _others(server: Server, wanted: Wanted) -> list[str]:
    """Queues that take jobs now, and such a request by their limits."""
    return sorted(
        one.name
        for one in server.state.queues.values()
        if one.enabled
        and one.started
        and not 0 < one.max_processors < wanted.processors
        and not 0 < one.max_estimate_s < wanted.estimate_s
    )


def _row(server: Server, present: Present, name: str) -> int:
    """The row of a waiting job among those of *present*; of an array, that of its next element."""
    waiting = present.jobs[: present.waiting]
    for row, one in enumerate(waiting):
        if one == name or one.startswith(f"{name}["):
            return row
    number = name.partition("[")[0]
    job = server.state.open_jobs.get(int(number)) if number.isdecimal() else None
    status = job.status if job is not None else JobStatus.COMPLETED
    raise BadInput(f"job {name} does not wait for processors ({status}): there is nothing to look ahead to")


def _answer(
    present: Present, scenario: Scenario, wanted: Wanted, queues: list[str], row: int, job: str
) -> str:
    found = alternatives_of(present, scenario, wanted, queues, row)
    return json.dumps(
        {
            "schema": SCHEMA,
            "now_s": present.now_s,
            "policy": present.policy,
            "job": job or None,
            "waiting_jobs": present.waiting,
            "alternatives": [asdict(one) for one in found],
        },
        allow_nan=False,
    )
