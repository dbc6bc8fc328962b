"""``molokini maui``, and ``molokini schedule --once``: what Maui's commands show and do, live."""

from itertools import count
from typing import Any

from molokini.clients.live.arguments import (
    ChangeParamArguments,
    CheckNodeArguments,
    DeleteReservationArguments,
    DiagnoseArguments,
    OneJobArguments,
    ReportArguments,
    ScheduleArguments,
    SetResArguments,
    ShowQueueArguments,
    ShowStartArguments,
    ShowStatisticsArguments,
    ShowWindowsArguments,
    WhoseArguments,
)
from molokini.clients.live.client import Client
from molokini.clients.live.documents import plain
from molokini.clients.live.lines import Column, show_facts, show_json, show_listing
from molokini.clients.live.policy import policy_document
from molokini.clients.live.quantities import job_name, seconds, whole
from molokini.clients.live.running import with_client
from molokini.clients.reports import show_report
from molokini.clients.tables import console, lines
from molokini.clients.text import figure, printable
from molokini.model.errors import BadInput, BadValue
from molokini.model.instants import instant
from molokini.proto.v1.cluster_service_pb2 import (
    IterationTrace,
    Policy,
    Reservation,
    ReservationAccess,
)

_COLUMNS = (
    Column("STEP", figures=True),
    Column("JOB"),
    Column("PRIORITY", figures=True),
    Column("DECISION"),
    Column("WHY", cut=True),
)


def changeparam(arguments: ChangeParamArguments) -> int:
    """Change one parameter of the configuration in force, and tell it."""
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
    """Have one iteration made, or only told, and show what each step did."""
    if not arguments.once:
        raise BadInput("the server makes iterations by itself; one more is asked for with --once")

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
    names = ("priorities", "fairshare", "nodes", "blocked", "reservations")
    wanted = [name for name in names if getattr(arguments, name)]
    if len(wanted) != 1:
        raise BadInput("diagnose takes one of -p (priorities), -f (fairshare), -n (nodes), -q (queue), -r")
    return _report(wanted[0], arguments.json)


def showq(arguments: ShowQueueArguments) -> int:
    """Active, idle and blocked jobs."""
    return _report("queue", arguments.json, partition=arguments.partition)


def showres(arguments: ReportArguments) -> int:
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
    return _report("start", arguments.json, **asked)


def showbf(arguments: ShowWindowsArguments) -> int:
    """Backfill windows."""
    length_s = 0.0 if arguments.duration is None else seconds("--duration", arguments.duration)
    processors = whole("--processors", arguments.processors)
    asked = {"processors": processors, "duration_s": length_s, "partition": arguments.partition}
    return _report("windows", arguments.json, **asked, **_for_whom(arguments))


def showstats(arguments: ShowStatisticsArguments) -> int:
    """Statistics."""
    return _report("statistics", arguments.json, by=arguments.by)


def checkjob(arguments: OneJobArguments) -> int:
    """One job."""
    job_name(arguments.job, "ID")
    return _report("job", arguments.json, job=arguments.job)


def checknode(arguments: CheckNodeArguments) -> int:
    """One node."""
    return _report("node", arguments.json, node=arguments.node)


def setres(arguments: SetResArguments) -> int:
    """Reserve, and show what was reserved."""
    if arguments.end is not None and arguments.duration is not None:
        raise BadInput("give --duration or --end, not both")
    length_s = None if arguments.duration is None else seconds("--duration", arguments.duration)
    access = [
        ReservationAccess(kind=kind, name=name)
        for kind in ("user", "group", "account", "queue")
        for name in getattr(arguments, kind).split(":")
        if name
    ]

    async def work(client: Client) -> Reservation:
        now_s = (await client.clock()).now_s
        made = Reservation(access=access, start_s=_instant("--start", arguments.start or "+0", now_s))
        if length_s is not None:
            made.end_s = made.start_s + length_s
        elif arguments.end is not None:
            made.end_s = _instant("--end", arguments.end, now_s)
        made.processors = await _how_many(client, arguments.what)
        known = {one.name for one in await client.reservations()}
        made.name = arguments.name or _free_name(access[0].name if access else "SYSTEM", known)
        return await client.create_reservation(made)

    found = with_client(work)
    if arguments.json:
        show_json("molokini.reservations/1", {"reservations": [plain(found)]}, rows="reservations")
    else:
        lines(console(), [printable(f"reservation '{found.name}' created ({found.processors} processors)")])
    return 0


def releaseres(arguments: DeleteReservationArguments) -> int:
    """Give reservations up, one after the other."""

    async def work(client: Client) -> None:
        for name in arguments.names:
            await client.release_reservation(name)

    with_client(work)
    lines(console(), [printable(f"released User reservation '{name}'") for name in arguments.names])
    return 0


def _report(name: str, as_json: bool, **asked: Any) -> int:
    found = with_client(lambda client: client.report(name, **asked))
    if as_json:
        schema = found.pop("schema")
        show_json(schema, found)
    else:
        show_report(found)
    return 0


def _for_whom(arguments: WhoseArguments) -> dict[str, str]:
    return {name: getattr(arguments, name) for name in ("user", "group", "account", "queue", "qos")}


def _instant(option: str, text: str, now_s: float) -> float:
    if text.startswith("+"):
        return now_s + seconds(option, text.removeprefix("+"))
    return seconds(option, text)


async def _how_many(client: Client, what: str) -> int:
    if what == "ALL":
        return int((await client.cluster()).processors)
    tasks = what.removeprefix("TASKS==").removeprefix("TASKS>=")
    if tasks == what or not tasks.isdecimal():
        raise BadValue("what is reserved", what, "ALL or TASKS==N; a live cluster reserves no hosts by name")
    return whole("TASKS", int(tasks), 1)


def _free_name(first: str, known: set[str]) -> str:
    """*first* and the first number that makes it another name than all *known*."""
    return next(name for number in count(1) if (name := f"{first}.{number}") not in known)
