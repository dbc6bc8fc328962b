"""``molokini slices``: jobs that compute in slices of time, as ordered and as achieved."""

from collections.abc import Iterator, Sequence
from typing import Any

from molokini.client.client import Client
from molokini.client.quantities import job_name
from molokini.client.specs import job_text
from molokini.clients.arguments.slices import SlicesArguments
from molokini.clients.live.connection import with_client
from molokini.clients.live.messages import told
from molokini.clients.live.pace import (
    achieved_document,
    figures,
    ordered_document,
    ordered_text,
    slicing_from,
)
from molokini.clients.show.lines import Column, show_json, show_listing
from molokini.model.errors import BadInput, BadValue, Conflict
from molokini.model.slicing import MOST_ROWS, Slicing
from molokini.proto.v1.job_service_pb2 import SlicedJob

COLUMNS = (
    Column("job"),
    Column("attempt", figures=True),
    Column("ordered"),
    Column("share", figures=True),
    Column("agent"),
    Column("periods", figures=True),
    Column("on", figures=True),
    Column("cpu", figures=True),
    Column("period", figures=True),
    Column("misses", figures=True),
    Column("late_ms", figures=True),
    Column("jitter_ms", figures=True),
    Column("trouble", cut=True),
)


def slices(arguments: SlicesArguments) -> int:
    """List what is sliced, or slice *jobs*."""
    slicing, names = asked(arguments), [job_name(text, "ID") for text in arguments.jobs]
    if slicing is not None or arguments.off:
        if not names:
            raise BadInput("give the jobs whose slices are to be set or removed")
        return told(with_client(lambda client: client.slice(names, slicing)))

    async def work(client: Client) -> list[SlicedJob]:
        return await client.slices()

    wanted = {str(name) for name in names}
    found = [one for one in with_client(work) if not wanted or job_text(one.job) in wanted]
    if arguments.json:
        show_json("molokini.slices/1", {"slices": [_document(one) for one in found]}, rows="slices")
    else:
        show_listing(COLUMNS, [row for one in found for row in _rows(one)])
    missing = wanted - {job_text(one.job) for one in found}
    return told(f"job {name} is not sliced" for name in sorted(missing))


def asked(arguments: SlicesArguments) -> Slicing | None:
    """What the options ask for; None: nothing. Raises BadInput."""
    given = {
        name: value
        for name in ("period", "slice", "rows", "row", "quantum", "origin", "real_time")
        if (value := getattr(arguments, name)) not in (None, (), [], 0.0, False)
    }
    if arguments.off and given:
        raise Conflict("--off", "goes with no other option: the jobs compute all the time again")
    if not given:
        return None
    made = Slicing(
        period_s=arguments.period or 0.0,
        slice_s=arguments.slice or 0.0,
        rows=arguments.rows or 0,
        row=tuple(sorted(_number(text) for text in arguments.row)),
        quantum_s=arguments.quantum or 0.0,
        origin_s=arguments.origin,
        real_time=arguments.real_time,
    )
    try:
        made.check()
    except BadValue as fault:
        raise BadValue(_option(fault.field), fault.value, fault.allowed) from None
    return made


def _number(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) < 4):
        raise BadValue("--row", text, f"a whole number from 0 to {MOST_ROWS - 1}")
    return int(text)


def _option(field: str) -> str:
    return "--" + field.removesuffix("_s").replace("_", "-")


def _rows(one: SlicedJob) -> Iterator[Sequence[str]]:
    ordered = ordered_text(one.slicing) if one.HasField("slicing") else ""
    share = f"{slicing_from(one.slicing).share:.3f}" if ordered else ""
    whose = (job_text(one.job), str(one.attempt or ""), ordered or "ended", share)
    if not one.achieved:
        yield (*whose, *[""] * (len(COLUMNS) - len(whose)))
    for agent, found in sorted(one.achieved.items()):
        yield (*whose, agent, *figures(found), found.trouble)


def _document(one: SlicedJob) -> dict[str, Any]:
    return {
        "job": job_text(one.job),
        "attempt": one.attempt or None,
        "ordered": ordered_document(one.slicing) if one.HasField("slicing") else None,
        "achieved": [
            {"agent": agent, **achieved_document(found)} for agent, found in sorted(one.achieved.items())
        ],
    }
