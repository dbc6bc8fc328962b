"""``molokini slices``: jobs that compute in slices of time, as ordered and as achieved."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from molokini.client.client import Client
from molokini.client.quantities import job_name
from molokini.client.specs import job_text
from molokini.clients.arguments.slices import SlicesArguments
from molokini.clients.live.running import with_client
from molokini.clients.live.telling import told
from molokini.clients.show.lines import Column, show_json, show_listing
from molokini.model.errors import BadInput, BadValue, Conflict
from molokini.model.slicing import MOST_ROWS, Slicing
from molokini.proto.v1.job_service_pb2 import SlicedJob
from molokini.proto.v1.jobs_pb2 import Sliced

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
            raise BadInput("name the jobs that are to be sliced, or that are not to be any more")
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
    ordered = _ordered(one)
    share = f"{_slicing(one).share:.3f}" if ordered else ""
    whose = (job_text(one.job), str(one.attempt or ""), ordered or "ended", share)
    if not one.achieved:
        yield (*whose, *[""] * (len(COLUMNS) - len(whose)))
    for agent, found in sorted(one.achieved.items()):
        yield (*whose, agent, *_figures(found), found.trouble)


def _figures(found: Sliced) -> Sequence[str]:
    if not found.periods:
        return ("0", "", "", "", "", "", "")
    return (
        str(found.periods),
        f"{found.on_s / found.elapsed_s:.3f}",
        f"{found.ran_s / found.elapsed_s:.3f}",
        f"{found.elapsed_s / found.periods:.4g}",
        str(found.misses),
        _three(found.late_s),
        _three(found.jitter_s),
    )


def _three(values: Sequence[float]) -> str:
    """Median, 99 of a hundred, and the largest: milliseconds."""
    return "/".join(f"{1000 * value:.2f}" for value in values)


def _slicing(one: SlicedJob) -> Slicing:
    ordered = one.slicing
    fields = {field.name: getattr(ordered, field.name) for field in ordered.DESCRIPTOR.fields}
    return Slicing.from_json(fields)


def _ordered(one: SlicedJob) -> str:
    if not one.HasField("slicing"):
        return ""
    slicing = _slicing(one)
    if slicing.rows:
        return f"row {','.join(map(str, slicing.row))} of {slicing.rows}, {slicing.quantum_s:g} s each"
    first = "real-time " if slicing.real_time else ""
    return f"{first}{slicing.slice_s:g} of {slicing.period_s:g} s"


def _document(one: SlicedJob) -> dict[str, Any]:
    ordered = {**_slicing(one).as_json(), "share": _slicing(one).share} if one.HasField("slicing") else None
    return {
        "job": job_text(one.job),
        "attempt": one.attempt or None,
        "ordered": ordered,
        "achieved": [{"agent": agent, **_achieved(found)} for agent, found in sorted(one.achieved.items())],
    }


def _achieved(found: Sliced) -> Mapping[str, Any]:
    """Shares are of the time of whole periods; the processor's counts each processor."""
    known = found.periods > 0
    return {
        "periods": found.periods,
        "elapsed_s": found.elapsed_s,
        "period_s": found.elapsed_s / found.periods if known else None,
        "slice_s": found.on_s / found.periods if known else None,
        "share": found.on_s / found.elapsed_s if known else None,
        "cpu_share": found.ran_s / found.elapsed_s if known else None,
        "cpu_s": found.ran_s,
        "waited_s": found.waited_s,
        "misses": found.misses,
        "late_s": list(found.late_s),
        "jitter_s": list(found.jitter_s),
        "trouble": found.trouble,
    }
