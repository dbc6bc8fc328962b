"""What ``molokini whatif`` prints for people."""

from collections.abc import Mapping
from typing import Any

from molokini.clients.show.lines import Column, show_listing
from molokini.clients.show.rich_tables import console, lines
from molokini.model.instants import instant
from molokini.model.text import duration, plural

_COLUMNS = (
    Column("scenario", cut=True),
    Column("started", figures=True),
    Column("ended", figures=True),
    Column("waiting", figures=True),
    Column("mean wait", figures=True),
    Column("slowdown", figures=True),
    Column("utilization", figures=True),
)
_CHANGES = (
    Column("by"),
    Column("name", cut=True),
    Column("jobs", figures=True),
    Column("mean wait", figures=True),
    Column("change", figures=True),
    Column("sooner", figures=True),
    Column("later", figures=True),
)
_MOVED = (
    Column("job"),
    Column("user", cut=True),
    Column("procs", figures=True),
    Column("change", figures=True),
)


def show_whatif(document: Mapping[str, Any], most: int) -> None:
    """Figures of each scenario, then who gains and who loses by it."""
    held, draws = document["left_out_jobs"], document["seeds"]
    running = plural(document["running_jobs"], "job")
    how = f"{draws:,} draws: middle (lowest to highest)" if draws else "by estimates"
    lines(
        console(),
        [
            f"from {instant(document['now_s'])} to {instant(document['until_s'])}, "
            f"{running} running, {document['waiting_jobs']:,} waiting; policy {document['policy']}; "
            f"arrivals: {document['arrivals']}; {how}",
            f"{plural(held, 'job')} held or not ready: left out" if held else "",
            "",
        ],
    )
    show_listing(_COLUMNS, [_row(one) for one in document["scenarios"]])
    for one in document["scenarios"][1:]:
        lines(console(), ["", f"{one['name']}, against the first scenario:"])
        if one["refused_jobs"]:
            lines(console(), [f"it refuses {one['refused_jobs']:g} jobs"])
        changed = [each for each in one["changes"] if each["mean_change_s"] or each["later_jobs"]]
        if not changed:
            lines(console(), ["no start differs"])
            continue
        show_listing(_CHANGES, [_change(each) for each in changed[:most]])
        if len(changed) > most:
            lines(console(), [f"and {len(changed) - most:,} more (--json)"])
        if one["moved"]:
            lines(console(), [""])
            show_listing(_MOVED, [_moved(each) for each in one["moved"][:most]])
            if len(one["moved"]) > most:
                lines(console(), [f"and {plural(len(one['moved']) - most, 'job')} more (--json)"])


def _row(one: Mapping[str, Any]) -> tuple[str, ...]:
    figures = one["figures"]
    return (
        one["name"],
        _band(figures["started_jobs"], _number),
        _band(figures["ended_jobs"], _number),
        _band(figures["waiting_jobs"], _number),
        _band(figures["mean_wait_s"], duration),
        _band(figures["mean_bounded_slowdown"], "{:,.1f}".format),
        _band(figures["utilization"], "{:.1%}".format),
    )


def _number(value: float) -> str:
    return f"{value:,.0f}"


def _band(band: Mapping[str, float], shown: Any) -> str:
    middle = str(shown(band["middle"]))
    if band["low"] == band["high"]:
        return middle
    return f"{middle} ({shown(band['low'])} to {shown(band['high'])})"


def _change(one: Mapping[str, Any]) -> tuple[str, ...]:
    return (
        one["by"],
        one["name"],
        f"{one['jobs']:,.1f}".removesuffix(".0"),
        duration(one["mean_wait_s"]),
        _signed(one["mean_change_s"]),
        f"{one['sooner_jobs']:,.1f}".removesuffix(".0"),
        f"{one['later_jobs']:,.1f}".removesuffix(".0"),
    )


def _moved(one: Mapping[str, Any]) -> tuple[str, ...]:
    return one["job"], one["user"], f"{one['processors']:,}", _signed(one["change_s"])


def _signed(change_s: float) -> str:
    return f"{duration(abs(change_s))} {'longer' if change_s > 0 else 'shorter'}" if change_s else "same"
