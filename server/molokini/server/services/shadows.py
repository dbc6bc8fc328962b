"""Shadow policies on the wire."""

from molokini.model.errors import BadInput, BadValue, Conflict
from molokini.model.site import CONFIGURABLE, CONFIGURATION
from molokini.proto.v1 import cluster_service_pb2 as wire
from molokini.server.policies import configurable, configuration_in, policy_called
from molokini.server.queries.shadowing import Period, Shadow
from molokini.server.server import Server

DAY_S = 86_400.0
MOST = 4
"""Shadows at a time: each takes about as long as the running policy."""


def shadow_for(server: Server, request: wire.ShadowPolicyRequest) -> Shadow:
    """What *request* asks for. Raises BadInput."""
    running = server.reactor.running_policy
    name = running.policy.name if not running.policy.from_file else running.policy.origin
    if request.name:
        name = policy_called(request.name, server.settings.policy_folder, wired=True)
    if len(server.reactor.watching) >= MOST:
        raise BadInput(f"{MOST} shadow policies run already; end one of them first")
    parameters = dict(request.parameters)
    if CONFIGURATION in parameters:
        allowed = f"the names of a policy's parameters; say it as {CONFIGURATION}"
        raise BadValue("parameters", CONFIGURATION, allowed)
    if request.maui_config:
        if not configurable(name):
            raise Conflict(CONFIGURATION, f"policy {name} has no such file; {CONFIGURABLE} has one")
        parameters[CONFIGURATION] = configuration_in(name, request.maui_config)
    now = max(server.clock.now(), server.state.now)
    shadow = Shadow(name, parameters, server.state, now, request.period_s or DAY_S)
    shadow.running_policy.bound = server.reactor.bound
    return shadow


def report_to_wire(period: Period) -> wire.ShadowReport:
    """A period as callers read it."""
    made = wire.ShadowReport(
        from_s=period.from_s,
        to_s=period.to_s,
        looks=period.looks,
        failures=period.failures,
        last_failure=period.last_failure,
        started=period.started,
        same=period.same,
        sooner=period.sooner,
        sooner_s=period.sooner_s,
        not_yet=period.not_yet,
        waiting=period.waiting,
    )
    for line in period.lines:
        made.jobs.add(
            job_id=line.job,
            array_index=line.index,
            user=line.user,
            processors=line.processors,
            wished_s=line.wished_s,
            started_s=line.started_s,
        )
    return made
