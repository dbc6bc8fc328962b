"""``molokini maui``, and ``molokini schedule --once``: what Maui's commands show and do, live."""

from typing import Any

from molokini.client.client import Client
from molokini.client.plain_calls import plain_call
from molokini.client.quantities import job_name, megabytes, whole
from molokini.clients.arguments.cluster import ScheduleArguments
from molokini.clients.arguments.maui import (
    ChangeParamArguments,
    CheckJobArguments,
    CheckNodeArguments,
    DiagnoseArguments,
    ShowGridArguments,
    ShowQueueArguments,
    ShowStartArguments,
    ShowStatisticsArguments,
    ShowWindowsArguments,
    WhoseArguments,
)
from molokini.clients.arguments.shared import JsonArguments
from molokini.clients.live.connection import patience, with_client
from molokini.clients.live.documents import plain
from molokini.clients.live.policy import policy_document
from molokini.clients.show.lines import Column, show_facts, show_json, show_listing
from molokini.clients.show.report_tables import show_report
from molokini.clients.show.rich_tables import console, lines
from molokini.model.errors import BadInput, BadValue
from molokini.model.instants import instant
from molokini.model.spans import seconds
from molokini.model.text import figure
from molokini.proto.v1.cluster_service_pb2 import (
    IterationTrace,
    Policy,
)

_KINDS = ("user", "group", "account", "queue", "qos")
_DIAGNOSED = (
    *("priorities", "fairshare", "nodes", "blocked", "reservations", "partitions"),
    *("jobs", "scheduler", "agents"),
)
"""What diagnose tells beside limits."""
_COMPARISONS = ("", ">=", ">", "==", "=", "<", "<=")
_COLUMNS = (
    Column("step", figures=True),
    Column("job"),
    Column("priority", figures=True),
    Column("decision"),
    Column("why", cut=True),
)


def changeparam(arguments: ChangeParamArguments) -> int:
    """Change one parameter of the configuration in use, and print it."""
    value = " ".join(arguments.value)

    async def work(client: Client) -> Policy:
        return await client.change_maui_parameter(arguments.name, value)

    found = with_client(work)
    if arguments.json:
        show_json("molokini.policy/1", policy_document(found))
    else:
        show_facts({"changed": f"{arguments.name} {value}", "until": "the configuration is read again"})
    return 0


def schedule(arguments: ScheduleArguments) -> int:
    """Have one iteration made, or only computed, and show what each step did."""
    if not arguments.once:
        raise BadInput("use --once to request an extra iteration")

    async def work(client: Client) -> IterationTrace:
        return await client.trace_iteration(dry_run=arguments.dry_run)

    found = with_client(work)
    if arguments.json:
        show_json("molokini.iteration/1", {"dry_run": arguments.dry_run, **_document(found)})
        return 0
    out = console()
    told = "would do" if arguments.dry_run else "does"
    lines(out, [f"what an iteration {told} at {instant(found.now_s)}"])
    for step in found.steps:
        counts = ", ".join(f"{one.count:,} {one.what.replace('-', ' ')}" for one in step.counts)
        lines(out, [f"{step.number}. {step.name}" + (f": {counts}" if counts else "")], hang=3)
    rows = [
        (str(step.number), _job(one.job_id, one.array_index), figure(one.priority), one.decision, one.reason)
        for step in found.steps
        for one in step.jobs
        if one.decision != "weigh"
    ]
    if rows:
        lines(out, [""])
        show_listing(_COLUMNS, rows)
    return 0


def _document(found: IterationTrace) -> dict[str, Any]:
    return {
        "now_s": found.now_s,
        "steps": [
            {
                "number": step.number,
                "name": step.name,
                "counts": {one.what.replace("-", "_"): one.count for one in step.counts},
                "jobs": [
                    {**plain(one), "array_index": one.array_index if one.array_index >= 0 else None}
                    for one in step.jobs
                ],
            }
            for step in found.steps
        ],
    }


def _job(number: int, index: int) -> str:
    return f"{number}[{index}]" if index >= 0 else str(number)


def diagnose(arguments: DiagnoseArguments) -> int:
    """One of the reports, by its flag."""
    wanted = [name for name in (*_DIAGNOSED, *_KINDS) if getattr(arguments, name)]
    if len(wanted) != 1:
        raise BadInput(
            "diagnose takes one of -p (priorities), -f (fairshare), -n (nodes), -q (queue), "
            "-r (reservations), -t (partitions), -j (jobs), -S (scheduler), -R (agents of the nodes), "
            "-u, -g, -a, -c and -Q (limits of users, groups, accounts, classes and QOS)"
        )
    [name] = wanted
    if name in _KINDS:
        asked: dict[str, Any] = {"by": name, name: arguments.name}
        return _report("limits", arguments.json, **asked)
    if name == "partitions":
        return _report(name, arguments.json, partition=arguments.name)
    if name == "jobs":
        if arguments.name:
            job_name(arguments.name, "JOB")
        return _report(name, arguments.json, job=arguments.name)
    if arguments.name:
        raise BadInput(f"a name is allowed only with -u, -g, -a, -c, -Q, -t and -j; omit {arguments.name!r}")
    return _report(name, arguments.json, about="diagnose")


def showq(arguments: ShowQueueArguments) -> int:
    """Active, idle and blocked jobs."""
    wanted = [name for name in ("active", "idle", "blocked") if getattr(arguments, name)]
    if len(wanted) > 1:
        raise BadInput("showq takes one of -r (active), -i (idle) and -b (blocked)")
    asked: dict[str, Any] = {"partition": arguments.partition, "user": arguments.user, "by": "".join(wanted)}
    return _report("queue", arguments.json, wide=arguments.wide, **asked)


def showres(arguments: JsonArguments) -> int:
    """Reservations."""
    return _report("reservations", arguments.json)


def showstart(arguments: ShowStartArguments) -> int:
    """The earliest start of a job, or of PROCS@DURATION."""
    size, at, length = arguments.what.partition("@")
    asked: dict[str, Any] = _for_whom(arguments)
    if not at:
        job_name(arguments.what, "JOB")
        asked["job"] = arguments.what
    elif not size.isdecimal():
        raise BadValue("PROCS@DURATION", arguments.what, "as 8@1:00:00")
    else:
        asked |= {"processors": whole("PROCS", int(size), 1), "duration_s": seconds("DURATION", length)}
    return _report("start", arguments.json, about=arguments.what, **asked)


def showbf(arguments: ShowWindowsArguments) -> int:
    """Backfill windows."""
    length_s = 0.0 if arguments.duration is None else seconds("--duration", arguments.duration)
    asked: dict[str, Any] = {"partition": arguments.partition, **_for_whom(arguments)}
    asked |= {"processors": whole("--processors", arguments.processors), "duration_s": length_s}
    asked |= {
        "nodes": whole("--nodes", arguments.nodes),
        "features": [name for name in arguments.feature.split(":") if name],
        "memory": _memory_wish(arguments.memory),
        "memory_each_mb": megabytes("--memory-each", arguments.memory_each) if arguments.memory_each else 0.0,
    }
    return _report("windows", arguments.json, **asked)


def _memory_wish(text: str) -> str:
    """``>=4G`` as the server reads it: in MB."""
    size = text.lstrip("<>=")
    compare = text[: len(text) - len(size)]
    if compare not in _COMPARISONS:
        raise BadValue("--memory", text, "a size, alone or behind one of >=, >, ==, <, <=: '>=4G'")
    return f"{compare}{megabytes('--memory', size):.6f}" if text else ""


def showstats(arguments: ShowStatisticsArguments) -> int:
    """Statistics."""
    wanted = {name for name in _KINDS if getattr(arguments, name)} | {arguments.by} - {""}
    if len(wanted) > 1:
        raise BadInput("showstats takes one of -u, -g, -a, -c, -q and --by")
    by = next(iter(wanted), "")
    by = "queue" if by == "class" else by
    return _report("statistics", arguments.json, about=by, by=by)


def showgrid(arguments: ShowGridArguments) -> int:
    """A matrix of statistics."""
    return _report("grid", arguments.json, by=arguments.statistic)


def checkjob(arguments: CheckJobArguments) -> int:
    """One job."""
    job_name(arguments.job, "ID")
    return _report("job", arguments.json, wide=arguments.verbose, job=arguments.job)


def checknode(arguments: CheckNodeArguments) -> int:
    """One node."""
    return _report("node", arguments.json, node=arguments.node)


def _report(name: str, as_json: bool, *, wide: bool = False, about: str = "", **asked: Any) -> int:
    found = with_client(lambda client: client.report(name, **asked))
    if as_json:
        schema = found.pop("schema")
        show_json(schema, found)
    else:
        show_report(found, transport=_Live(), wide=wide, about=about)
    return 0


class _Live:
    """The server of this cluster, for what the reports do not have."""

    cluster = ""

    def call(self, service: str, method: str, document: dict[str, Any]) -> dict[str, Any]:
        """What the method answers."""
        return plain_call(service, method, document, patience())


def _for_whom(arguments: WhoseArguments) -> dict[str, str]:
    return {name: getattr(arguments, name) for name in ("user", "group", "account", "queue", "qos")}
