"""Target rates of jobs, as callers ask for them and see them."""

from math import isfinite

from molokini.feedback.deadlines import bounds_of
from molokini.feedback.edf import WHOLE
from molokini.feedback.targets import target_of
from molokini.model.errors import BadValue, Conflict
from molokini.proto.v1 import job_service_pb2 as wire
from molokini.server.link.controlling import controlled
from molokini.server.security.permissions import Action, may
from molokini.server.security.roles import Caller
from molokini.server.server import Server
from molokini.server.turn.aiming import Asked
from molokini.server.turn.aiming_checks import USE_TWICE, rules_asked

_LONGEST = 32


def asked_of(request: wire.SetRatesRequest) -> Asked:
    """What the request asks for. Raises BadInput."""
    if len(request.rate) > _LONGEST:
        raise BadValue("rate", request.rate[:_LONGEST], f"at most {_LONGEST} characters")
    if request.rate and bounds_of("rate", request.rate) is None:
        target_of("rate", request.rate)
    full = request.full_rate
    if not isfinite(full) or not (full == 0 or 1e-9 <= full <= 1e9):
        raise BadValue("full_rate", full, "from 1e-9 to 1e9 iterations a second")
    use = request.full_use
    if not (use == 0 or 0.01 <= use <= 1):
        raise BadValue("full_use", use, "from 0.01 to 1")
    if use and request.measure_full_use:
        raise Conflict("full_use", USE_TWICE)
    rules = rules_asked(request.threshold, request.period_s, request.step_s, request.search)
    return Asked(request.rate, full, rules, round(WHOLE * use), request.measure_full_use)


def rated_jobs(server: Server, request: wire.ListRatesRequest, who: Caller) -> wire.ListRatesResponse:
    """Running jobs with target rates that the caller may see; those that are asked for, or all."""
    state, wanted = server.state, {ref.id for ref in request.jobs}
    made = wire.ListRatesResponse()
    found = {(one.job.id, one.index): one for one in state.by_row.values() if one.status.active}
    for place, element in sorted(found.items()):
        if wanted and place[0] not in wanted:
            continue
        if may(who, Action.VIEW, element.job.user, server.settings.privacy) is not None:
            continue
        known = server.hub.controllers.of(place) if server.hub.controllers is not None else None
        told = controlled(state, element, known)
        if told is not None:
            achieved = server.hub.achieved.of_attempt(place, element.attempt).values()
            told.periods = sum(one.periods for one in achieved)
            told.misses = sum(one.misses for one in achieved)
            made.jobs.append(told)
    return made
