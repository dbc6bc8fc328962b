"""When a job will start, and a band around it.

The early edge of the band is what comes out when all remaining times are shorter, the late one when jobs like
those that wait arrive once more.
"""

import time
from collections.abc import Callable
from functools import partial

from molokini.proto.v1 import job_service_pb2 as wire
from molokini.server.background import GivenUp
from molokini.server.queries.explanations import NOT_READY
from molokini.server.queries.looking_ahead import Ahead, look_ahead, start_of
from molokini.server.server import Server
from molokini.server.state.jobs import Element, Job, JobStatus
from molokini.server.translate import counts_of
from molokini.tables.tables import NEVER

MOST_PLANNED = 4_000
"""So many waiting jobs are planned one by one."""
FEWEST_PLANNED = 250
"""With so many it is taken as long as it takes."""
EDGE_S = 1.0
"""How long an edge of the band may take; with a quarter of the jobs it is tried again."""
_SHORTER = 0.1
"""Of what estimates leave, how much is used at the early edge of the band."""


async def forecast(server: Server, job: Job, element: Element | None) -> wire.Forecast:
    """The forecast for one job; for an array, of its next element.

    It may take seconds: others are served meanwhile.
    """
    known = _known(job, element)
    if known is not None:
        return known
    policy = server.reactor.running_policy.policy.declaration.name
    with server.compiling.told(f"the forecasts of policy {policy}"):
        return await server.background.run(partial(_reckoning, server, job, element))


def _known(job: Job, element: Element | None) -> wire.Forecast | None:
    """What is to be said without any reckoning; None where there is something to reckon."""
    made = wire.Forecast(job_id=job.id)
    element = _next_of(job, element)
    status = element.status if element is not None else job.status
    if element is not None and element.start_s is not None and not status.over:
        made.start_s = made.earliest_s = made.latest_s = element.start_s
        made.possible, made.started, made.reason = True, True, "it has started"
        return made
    unready = element is not None and element.row < 0 and status is JobStatus.WAITING
    behind = element is None and job.array is not None and counts_of(job).get(JobStatus.WAITING)
    if unready or behind:
        made.reason = NOT_READY  # of an array as a whole: those that may run do so, and others wait for them
        return made
    if element is None or status is not JobStatus.WAITING:
        made.reason = f"it does not wait ({status})"
        return made
    return None


def _next_of(job: Job, element: Element | None) -> Element | None:
    if element is not None:
        return element
    return next((one for one in job.known_elements() if one.status is JobStatus.WAITING), None)


def _reckoning(server: Server, job: Job, element: Element | None) -> Callable[[GivenUp], wire.Forecast]:
    """What is to be done elsewhere; it has a copy of the present state for itself."""
    known = _known(job, element)
    waiting = _next_of(job, element)
    if known is not None or waiting is None:
        return lambda _: known or wire.Forecast(job_id=job.id)
    running_policy, now = server.reactor.running_policy, max(server.clock.now(), server.state.now)
    ahead = look_ahead(
        server.state.tables,
        waiting.row,
        now,
        running_policy.policy,
        dict(running_policy.site.values),
        MOST_PLANNED,
    )
    return partial(_filled, wire.Forecast(job_id=job.id), ahead)


def _filled(made: wire.Forecast, ahead: Ahead, given_up: GivenUp) -> wire.Forecast:
    found, (earliest_s, start_s, latest_s) = band(ahead, given_up)
    made.planned_jobs, made.waiting_jobs = found.planned, found.waiting
    made.possible = start_s < NEVER
    if made.possible:
        made.start_s, made.earliest_s, made.latest_s = start_s, earliest_s, latest_s
    else:
        made.reason = "it cannot start with the processors in service"
    return made


class _NobodyWaits(Exception):
    """The caller is gone."""


class _TooLong(Exception):
    """With so many jobs an edge of the band takes too long."""


def band(ahead: Ahead, given_up: GivenUp) -> tuple[Ahead, tuple[float, float, float]]:
    """What was planned in the end; and the earliest start, the likely one (NEVER: none) and the latest."""
    while True:
        try:
            likely_s = _edge(ahead, 1.0, False, given_up)
            others_s = _edge(ahead, _SHORTER, False, given_up), _edge(ahead, 1.0, True, given_up)
        except _TooLong:
            ahead = ahead.thinner()
            continue
        known_s = [start_s for start_s in (likely_s, *others_s) if start_s < NEVER]
        return ahead, (min(known_s, default=NEVER), likely_s, max(known_s, default=NEVER))


def _edge(ahead: Ahead, share: float, crowd: bool, given_up: GivenUp) -> float:
    until_s = time.monotonic() + EDGE_S

    def ask() -> None:
        if given_up():
            raise _NobodyWaits
        if time.monotonic() > until_s and ahead.planned > FEWEST_PLANNED:
            raise _TooLong

    return start_of(ahead, share, crowd, ask)
