"""What ``molokini whatif`` prints for people."""

from collections.abc import Callable, Mapping
from operator import itemgetter
from typing import Any

from molokini.clients.show.lines import Column, show_things
from molokini.clients.show.rich_tables import console, lines
from molokini.model.instants import instant
from molokini.model.text import duration, plural


def _number(value: float) -> str:
    return f"{value:,.0f}"


def _band(band: Mapping[str, float], shown: Callable[[float], str]) -> str:
    middle = shown(band["middle"])
    if band["low"] == band["high"]:
        return middle
    return f"{middle} ({shown(band['low'])} to {shown(band['high'])})"


def _mean(jobs: float) -> str:
    """Jobs on average over the draws."""
    return f"{jobs:,.1f}".removesuffix(".0")


def _signed(change_s: float) -> str:
    return f"{duration(abs(change_s))} {'longer' if change_s > 0 else 'shorter'}" if change_s else "same"


def _figure(name: str, key: str, shown: Callable[[float], str]) -> Column:
    return Column(name, figures=True, of=lambda one: _band(one["figures"][key], shown))


_COLUMNS = (
    Column("scenario", cut=True, of=itemgetter("name")),
    _figure("started", "started_jobs", _number),
    _figure("ended", "ended_jobs", _number),
    _figure("waiting", "waiting_jobs", _number),
    _figure("mean wait", "mean_wait_s", duration),
    _figure("slowdown", "mean_bounded_slowdown", "{:,.1f}".format),
    _figure("utilization", "utilization", "{:.1%}".format),
)
_CHANGES = (
    Column("by", of=itemgetter("by")),
    Column("name", cut=True, of=itemgetter("name")),
    Column("jobs", figures=True, of=lambda one: _mean(one["jobs"])),
    Column("mean wait", figures=True, of=lambda one: duration(one["mean_wait_s"])),
    Column("change", figures=True, of=lambda one: _signed(one["mean_change_s"])),
    Column("sooner", figures=True, of=lambda one: _mean(one["sooner_jobs"])),
    Column("later", figures=True, of=lambda one: _mean(one["later_jobs"])),
)
_MOVED = (
    Column("job", of=itemgetter("job")),
    Column("user", cut=True, of=itemgetter("user")),
    Column("procs", figures=True, of=lambda one: f"{one['processors']:,}"),
    Column("change", figures=True, of=lambda one: _signed(one["change_s"])),
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
    show_things(_COLUMNS, document["scenarios"])
    for one in document["scenarios"][1:]:
        lines(console(), ["", f"{one['name']}, against the first scenario:"])
        if one["refused_jobs"]:
            lines(console(), [f"it refuses {one['refused_jobs']:g} jobs"])
        changed = [each for each in one["changes"] if each["mean_change_s"] or each["later_jobs"]]
        if not changed:
            lines(console(), ["no start differs"])
            continue
        if one["moved_before_jobs"]:
            jobs, begins = _mean(one["moved_before_jobs"]), instant(document["begins_s"])
            lines(
                console(),
                [
                    f"starts before {begins}, when it begins, that differ: {jobs}; a job that would run into "
                    "it waits, and others go first"
                ],
            )
        show_things(_CHANGES, changed[:most])
        if len(changed) > most:
            lines(console(), [f"and {len(changed) - most:,} more (--json)"])
        if one["moved"]:
            lines(console(), [""])
            show_things(_MOVED, one["moved"][:most])
            if len(one["moved"]) > most:
                lines(console(), [f"and {plural(len(one['moved']) - most, 'job')} more (--json)"])
