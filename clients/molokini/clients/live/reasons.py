"""``molokini explain`` and ``molokini forecast``."""

from molokini.client.client import Client
from molokini.client.quantities import job_name
from molokini.clients.arguments.jobs import ForecastArguments, OneJobArguments
from molokini.clients.live.alternatives import show_alternatives
from molokini.clients.live.connection import with_client
from molokini.clients.live.documents import plain
from molokini.clients.live.waiting_told import told_of_compiling
from molokini.clients.show.lines import Column, show_facts, show_json, show_listing
from molokini.clients.show.rich_tables import console, lines
from molokini.model.instants import instant
from molokini.model.text import duration, figure, plural
from molokini.proto.v1.job_service_pb2 import Explanation, Forecast

_LIMITS_BY_NAME = frozenset({"over-soft-limit", "over-hard-limit", "over-idle-limit", "deferred", "kept-out"})
"""Rules whose figures stand for words, which the sentence has: the number of a limit, or of a cause."""


def explain(arguments: OneJobArguments) -> int:
    """Show why a job waits."""
    name = job_name(arguments.job, "ID")
    found = with_client(lambda client: client.explain(name))
    if arguments.json:
        parts = [plain(part) for part in found.priority_parts]
        show_json("molokini.explain/1", {**plain(found), "priority_parts": parts})
    else:
        show_facts(_reason(found))
        if found.priority_parts:
            lines(console(), [""])
            show_listing(_PARTS, _weighed(found))
            lines(console(), [""])
        lines(console(), (f"what would help: {text}" for text in found.what_would_help), hang=2)
    return 0


def forecast(arguments: ForecastArguments) -> int:
    """Show when a job is expected to start."""
    name = job_name(arguments.job, "ID")
    if arguments.alternatives:
        return show_alternatives(arguments.json, job=arguments.job)

    async def work(client: Client) -> tuple[Forecast, float]:
        made = await told_of_compiling(client, client.forecast(name))
        return made, (await client.clock()).now_s

    found, now_s = with_client(work)
    if arguments.json:
        show_json("molokini.forecast/1", {**plain(found), "now_s": now_s})
    elif found.started and found.start_s <= now_s:
        ago = duration(now_s - found.start_s)
        show_facts({"started": f"{ago} ago (at {instant(found.start_s)})"})
    elif found.possible:
        show_facts(
            {
                "starts": _when(found.start_s, now_s),
                "earliest": _when(found.earliest_s, now_s),
                "latest": _when(found.latest_s, now_s),
                "because": found.reason,
                "planned": _planned(found),
            }
        )
    else:
        show_facts({"starts": "not as things are", "because": found.reason})
    return 0


def _planned(found: Forecast) -> str:
    """How coarse the forecast is; nothing where every waiting job was planned."""
    if found.planned_jobs >= found.waiting_jobs:
        return ""
    return f"{found.planned_jobs:,} of {found.waiting_jobs:,} waiting jobs, so these times are estimates"


_PARTS = (
    Column("component"),
    Column("component weight", figures=True),
    Column("subcomponent"),
    Column("weight", figures=True),
    Column("factor", figures=True),
    Column("product", figures=True),
)


def _weighed(found: Explanation) -> list[tuple[str, ...]]:
    """The parts of a priority, those that give most first."""
    parts = sorted(found.priority_parts, key=lambda part: -abs(part.product))
    rows = [
        (
            part.component,
            f"{part.component_weight:g}",
            part.subcomponent,
            f"{part.weight:g}",
            figure(part.factor),
            figure(part.product),
        )
        for part in parts
    ]
    return [*rows, ("priority", "", "", "", "", figure(found.priority))]


def _reason(found: Explanation) -> dict[str, str]:
    shown = [str(number) for number in found.in_front]
    more = found.in_front_count - len(shown)
    most = f"{more:,} more, " if more > 0 else ""
    figures = (found.limit or found.value) and found.rule not in _LIMITS_BY_NAME
    return {
        "because": found.text,
        "rule": found.rule,
        "limit": figure(found.limit) if figures else "",
        "value": figure(found.value) if figures else "",
        "priority": figure(found.priority) if found.priority_parts else "",
        "reservation": f"at {instant(found.reserved_s)}" if found.HasField("reserved_s") else "",
        "ahead in the queue": f"{plural(found.in_front_count, 'job')} ({most}{', '.join(shown)})"
        if shown
        else "",
    }


def _when(at_s: float, now_s: float) -> str:
    return f"in {duration(max(at_s - now_s, 0))} (at {instant(at_s)})"
