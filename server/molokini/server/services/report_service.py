"""Reports by name: which callers may ask for which, and the request as the core understands it."""

import json
from functools import partial

from molokini.model.errors import BadInput, BadValue
from molokini.proto.v1 import cluster_service_pb2 as wire
from molokini.reports import REPORTS, report
from molokini.reports.snapshot import ReportRequest
from molokini.server.queries.alternatives import reckoned
from molokini.server.queries.present_state import encoded
from molokini.server.queries.state_snapshot import picture_of
from molokini.server.security.permissions import Action, NoSuchJob, NotAllowed, require
from molokini.server.security.roles import Role, caller
from molokini.server.server import Server
from molokini.server.services.accounts import accounts_seen
from molokini.server.state.node_names import MOST_FEATURES

_OPERATORS = frozenset(
    {
        *("priorities", "fairshare", "statistics", "blocked", "limits", "grid"),
        *("jobs", "scheduler", "agents"),
    }
)
"""What Maui shows to its administrators of the third level alone."""
_PRIVATE = frozenset({"windows", "start", "job", "balances"})
"""What users may ask for even where the jobs of others are private."""


async def state_reported(server: Server) -> wire.SchedulingReport:
    """The whole state, to go on from elsewhere. Raises NotAllowed."""
    who = caller()
    if not who.is_at_least(Role.OPERATOR):
        raise NotAllowed(f"{who.name} has the role {who.role}; the state needs the role {Role.OPERATOR}")
    return wire.SchedulingReport(json=await server.background.run(partial(encoded, server)))


async def alternatives_reported(server: Server, request: wire.GetReportRequest) -> wire.SchedulingReport:
    """When a request would start, and what would start sooner. Raises NotAllowed, NoSuchJob, BadInput."""
    _allow(server, request)
    work = partial(reckoned, server, request, caller().name)
    return wire.SchedulingReport(json=await server.background.run(work))


def reported(server: Server, request: wire.GetReportRequest) -> wire.SchedulingReport:
    """The report that *request* asks for. Raises NotAllowed, NoSuchJob, UnknownName, BadValue, BadInput."""
    _allow(server, request)
    asked = ReportRequest(
        job=request.job,
        node=request.node,
        user=request.user,
        group=request.group,
        account=request.account,
        queue=request.queue,
        qos=request.qos,
        processors=request.processors,
        duration_s=request.duration_s,
        by=request.by,
        partition=request.partition,
        features=tuple(request.features),
        memory=request.memory,
        memory_each_mb=request.memory_each_mb,
        nodes=request.nodes,
    )
    found = report(request.name, picture_of(server), asked)
    if request.name == "balances":
        seen = accounts_seen(server)
        found["accounts"] = [one for one in found["accounts"] if one["account"] in seen]
    return wire.SchedulingReport(json=json.dumps(found, allow_nan=False))


def _allow(server: Server, request: wire.GetReportRequest) -> None:
    who, privacy = caller(), server.settings.privacy
    if not 0.0 <= request.duration_s < float("inf"):
        raise BadValue("duration_s", request.duration_s, "0 or more")
    if request.processors < 0:
        raise BadValue("processors", request.processors, "0 or more")
    if len(request.features) > MOST_FEATURES:
        raise BadValue("features", len(request.features), f"at most {MOST_FEATURES}")
    closed = request.name in _OPERATORS or (privacy and request.name not in _PRIVATE)
    if request.name in REPORTS and closed and not who.is_at_least(Role.OPERATOR):
        raise NotAllowed(
            f"{who.name} has the role {who.role}; the report {request.name} needs the role {Role.OPERATOR}"
        )
    if request.job:
        number = request.job.partition("[")[0]
        job = server.state.open_jobs.get(int(number)) if number.isdecimal() else None
        if job is None:
            known = server.state.known(int(number)) if number.isdecimal() else None
            if known is None or not known.over:
                raise NoSuchJob(int(number) if number.isdecimal() else 0)
            require(who, Action.VIEW, known.user, privacy, int(number))
            status = getattr(known, "status", "")
            how = f" ({status})" if status else ""
            raise BadInput(f"job {number} has ended{how}; 'molokini job {number}' tells what became of it")
        require(who, Action.VIEW, job.user, privacy, job.id)
