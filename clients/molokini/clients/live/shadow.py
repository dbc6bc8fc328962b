"""``molokini shadow``: a policy beside the running one, with its hands tied."""

from typing import Any

from molokini.client.client import Client
from molokini.client.quantities import whole
from molokini.clients.arguments.cluster import ShadowArguments
from molokini.clients.live.connection import with_client
from molokini.clients.live.settings import settings
from molokini.clients.show.lines import Column, show_json, show_listing
from molokini.clients.show.rich_tables import console, lines
from molokini.model.errors import BadInput
from molokini.model.instants import instant
from molokini.model.site import CONFIGURABLE
from molokini.model.spans import seconds
from molokini.model.text import duration, plural
from molokini.proto.v1.cluster_service_pb2 import ShadowJob, ShadowReport

SCHEMA = "molokini.shadow/1"
_SHOWN = 20
"""Jobs that a report for people names."""
_COLUMNS = (
    Column("job"),
    Column("user", cut=True),
    Column("procs", figures=True),
    Column("would start"),
    Column("started"),
    Column("difference", cut=True),
)


def shadow(arguments: ShadowArguments) -> int:
    """Print a report a period until the caller has enough."""
    if arguments.count is not None:
        whole("--count", arguments.count, 1)
    every_s = seconds("--every", arguments.every)
    parameters = settings("--set", arguments.set)
    name, config = arguments.policy or "", ""
    if arguments.maui_config is not None:
        if name not in ("", CONFIGURABLE):
            raise BadInput(f"--maui-config configures the policy {CONFIGURABLE}, not {name}")
        # Only here is its format read, which takes a while to load.
        from molokini.clients.maui.config import text_of

        name, config = CONFIGURABLE, text_of(arguments.maui_config)

    async def work(client: Client) -> int:
        seen = 0
        async for report in client.shadow(name, parameters, maui_config=config, period_s=every_s):
            if arguments.json:
                show_json(SCHEMA, document(report))
            else:
                _show(report)
            seen += 1
            if seen == arguments.count:
                break
        return 0

    return with_client(work)


def document(report: ShadowReport) -> dict[str, Any]:
    """What ``molokini.shadow/1`` says."""
    return {
        "from_s": report.from_s,
        "to_s": report.to_s,
        "looks": report.looks,
        "failures": report.failures,
        "last_failure": report.last_failure,
        "started": report.started,
        "same": report.same,
        "sooner": report.sooner,
        "sooner_s": report.sooner_s,
        "not_yet": report.not_yet,
        "waiting": report.waiting,
        "jobs": [_job(one) for one in report.jobs],
    }


def _job(one: ShadowJob) -> dict[str, Any]:
    return {
        "job_id": one.job_id,
        "array_index": one.array_index if one.array_index >= 0 else None,
        "user": one.user,
        "processors": one.processors,
        "wished_s": one.wished_s if one.HasField("wished_s") else None,
        "started_s": one.started_s if one.HasField("started_s") else None,
    }


def _show(report: ShadowReport) -> None:
    mean = f", {duration(report.sooner_s / report.sooner)} on average" if report.sooner else ""
    lines(
        console(),
        [
            f"{instant(report.from_s)} to {instant(report.to_s)}: {plural(report.started, 'job')} started; "
            f"it would have started {report.same:,} at the same instant, {report.sooner:,} sooner{mean}, and "
            f"{report.not_yet:,} not yet; {report.waiting:,} wait that it would have started",
            f"it failed at {report.failures:,} of {plural(report.looks, 'look')}: {report.last_failure}"
            if report.failures
            else "",
        ],
        hang=2,
    )
    if report.jobs:
        show_listing(_COLUMNS, [_row(one, report.to_s) for one in report.jobs[:_SHOWN]])
        more = len(report.jobs) - _SHOWN
        lines(console(), [f"and {plural(more, 'job')} more (--json)" if more > 0 else "", ""])


def _row(one: ShadowJob, until_s: float) -> tuple[str, ...]:
    name = f"{one.job_id}[{one.array_index}]" if one.array_index >= 0 else str(one.job_id)
    wished = instant(one.wished_s) if one.HasField("wished_s") else "-"
    started = instant(one.started_s) if one.HasField("started_s") else "-"
    if not one.HasField("wished_s"):
        told = "it would wait"
    elif one.HasField("started_s"):
        told = f"{duration(one.started_s - one.wished_s)} sooner"
    else:
        told = f"{duration(until_s - one.wished_s)} sooner so far"
    return name, one.user, f"{one.processors:,}", wished, started, told
