"""The queue for people: jobs that run, that may start, and that may not, as ``showq`` lists them."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from molokini.clients.show.lines import Column, show_listing
from molokini.clients.show.rich_tables import console, lines
from molokini.model.instants import instant
from molokini.model.text import duration, figure

_Found = Mapping[str, Any]
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
REMAINING = ("remaining", "remaining_s", "start_s")
"""Of jobs that run: what the column of lengths is called, its value, and which instant stands behind it."""
_LIMIT = ("wclimit", "estimate_s", "submitted_s")


def show_queue(found: _Found, wide: bool = False) -> None:
    """The lists that *found* has; with all columns where it is *wide*, or of one list alone."""
    wide, totals = wide or bool(found.get("by")), found["totals"]
    out = console()
    if "active" in found:
        lines(out, ["active jobs"])
        show_jobs(found, found["active"], REMAINING, wide)
        told = f"{totals['active']} active, {totals['processors_active']} of {totals['processors']}"
        told += " processors in use"
        if totals["nodes"] is not None:
            told += f", {totals['nodes_active']} of {totals['nodes']} nodes"
        lines(out, [told])
    if "idle" in found:
        lines(out, ["idle jobs"])
        show_jobs(found, found["idle"], _LIMIT, wide)
    if "blocked" in found:
        lines(out, ["blocked jobs"])
        show_blocked(found["blocked"], wide)
    lines(out, [f"{totals['active']} active, {totals['idle']} idle, {totals['blocked']} blocked"])


def show_jobs(found: _Found, jobs: Sequence[_Found], timed: tuple[str, str, str], wide: bool = False) -> None:
    """A line a job, with its group, account, class and QOS where it is *wide*."""
    length, length_s, at_s = timed
    columns = [Column("job"), Column("user"), *_whose(wide), Column("state"), Column("procs", figures=True)]
    columns += [Column("priority", figures=True)]
    columns += [Column("XFctr", figures=True)] * wide
    columns += [Column(length, figures=True), Column(at_s.removesuffix("_s"))]
    columns += [Column("reserved")] * (wide and timed is _LIMIT)
    show_listing(
        columns,
        [
            (
                one["job"],
                one["user"],
                *_names(one, wide),
                one["state"],
                str(one["processors"]),
                _number(one["priority"]),
                *([_number(one["expansion_factor"])] * wide),
                duration(one[length_s]),
                day(found, one[at_s]),
                *([day(found, one["reserved_s"])] * (wide and timed is _LIMIT)),
            )
            for one in jobs
        ],
    )


def show_blocked(jobs: Sequence[_Found], wide: bool = False) -> None:
    """A line a job, with the rule that keeps it out."""
    show_listing(
        (
            Column("job"),
            Column("user"),
            *_whose(wide),
            Column("procs", figures=True),
            Column("rule"),
            Column("why", cut=True),
        ),
        [
            (
                one["job"],
                one["user"],
                *_names(one, wide),
                str(one["processors"]),
                one["rule"],
                one["reason"],
            )
            for one in jobs
        ],
    )


def day(found: _Found, value_s: float | None) -> str:
    """An instant: ``Tue Nov 22 10:04`` where the clock of the report goes by the calendar, else seconds."""
    if value_s is None:
        return ""
    zero_s = found.get("calendar_zero_s")
    if zero_s is None:
        return instant(value_s)
    return f"{_EPOCH + timedelta(seconds=zero_s + value_s):%a %b %d %H:%M}"


def _whose(wide: bool) -> list[Column]:
    return [Column(name) for name in ("group", "account", "class", "QOS")] if wide else []


def _names(one: _Found, wide: bool) -> tuple[str, ...]:
    return (one["group"], one["account"], one["queue"], one["qos"]) if wide else ()


def _number(value: float | int | None) -> str:
    return "" if value is None else figure(value)
