"""``molokini submit --whatif`` and ``forecast --alternatives``: when would it start, and what sooner?"""

from collections.abc import Mapping
from typing import Any, Unpack

from molokini.client.client import Client
from molokini.client.cluster_calls import ReportFields
from molokini.clients.arguments.submit import SubmitArguments
from molokini.clients.live.connection import with_client
from molokini.clients.live.submit_fields import wished
from molokini.clients.show.lines import Column, show_json, show_listing
from molokini.model.errors import BadInput
from molokini.model.instants import instant
from molokini.model.text import duration

SCHEMA = "molokini.alternatives/1"
_ASKED = {"processors": "processors", "estimate_s": "duration_s", "queue": "queue", "group": "group"}
"""Fields of a submission that a look ahead takes, and what the report calls them."""
_WITHOUT_MEANING = frozenset({"name", "comment", "requeue", "account"})
_COLUMNS = (
    Column("alternative"),
    Column("procs", figures=True),
    Column("estimate", figures=True),
    Column("queue", cut=True),
    Column("starts"),
    Column("in", figures=True),
    Column("ends by"),
)


def submit_whatif(arguments: SubmitArguments) -> int:
    """Show when the job would start behind all that waits; nothing is submitted."""
    fields = wished(arguments)
    if "nodes" in fields:
        each = fields.pop("processors_per_node", 1)
        fields["processors"] = fields.pop("nodes") * each
    if "further_queues" in fields:
        raise BadInput("--whatif looks at one queue: name each of several in a call of its own")
    for name in fields.keys() - _ASKED.keys() - _WITHOUT_MEANING:
        option = "--" + name.removesuffix("_kb").replace("_", "-")
        raise BadInput(f"{option} does not go with --whatif, which counts processors; leave it out")
    if arguments.array is not None or arguments.after or arguments.hold:
        raise BadInput("--whatif looks at one job that may start at once: no --array, --after, --hold")
    asked: ReportFields = {}
    for name, told in _ASKED.items():
        if name in fields:
            asked[told] = fields[name]  # type: ignore[literal-required]
    return show_alternatives(arguments.json, **asked)


def show_alternatives(as_json: bool, **asked: Unpack[ReportFields]) -> int:
    """Print the starts of what is asked about and of what is like it."""

    async def work(client: Client) -> dict[str, Any]:
        return await client.report("alternatives", **asked)

    found = with_client(work)
    if as_json:
        show_json(SCHEMA, {name: value for name, value in found.items() if name != "schema"})
        return 0
    show_listing(_COLUMNS, [_row(one, found["now_s"]) for one in found["alternatives"]])
    return 0


def _row(one: Mapping[str, Any], now_s: float) -> tuple[str, ...]:
    asked = (
        one["what"],
        f"{one['processors']:,}",
        duration(one["estimate_s"]),
        one["queue"],
    )
    if one["start_s"] is None:
        return (*asked, "not within 30 days", "", "")
    return (
        *asked,
        instant(one["start_s"]),
        duration(max(0.0, one["start_s"] - now_s)),
        instant(one["end_s"]),
    )
