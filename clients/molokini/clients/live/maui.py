"""``molokini maui changeparam`` and ``molokini schedule --once``."""

from typing import Any

from molokini.clients.live.arguments import ChangeParamArguments, ScheduleArguments
from molokini.clients.live.client import Client
from molokini.clients.live.documents import plain
from molokini.clients.live.lines import Column, show_facts, show_json, show_listing
from molokini.clients.live.policy import policy_document
from molokini.clients.live.quantities import instant
from molokini.clients.live.running import with_client
from molokini.clients.tables import console, lines
from molokini.clients.text import figure
from molokini.model.errors import BadInput
from molokini.proto.v1.cluster_service_pb2 import IterationTrace, Policy

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
