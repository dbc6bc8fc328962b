"""Limits of credentials beside what they use, and partitions, for people."""

from collections.abc import Mapping
from typing import Any

from molokini.clients.show.lines import Column, show_listing
from molokini.clients.show.rich_tables import console, lines
from molokini.model.text import duration, figure

_Found = Mapping[str, Any]
_UNITS = {
    "jobs": "jobs",
    "processors": "processors",
    "nodes": "nodes",
    "processor-equivalents": "processor equivalents",
    "processor-seconds": "processor-seconds",
    "memory": "MB",
}
_WALL_TIME = "wall-time"
_SUFFIXES = {"floor": "+", "ceiling": "-", "cap": "~", "absolute-cap": "^"}


def show_limits(found: _Found) -> None:
    """A line a credential, its limits last: ``8 of 12 processors, hard 16 (MAXPROC)``."""
    told = found["credentials"]
    if not told:
        lines(console(), ["no credential has limits or jobs"])
        return
    several = not found["by"]
    columns = (
        *([Column("type")] if several else ()),
        Column("name"),
        *(
            Column(name, figures=True)
            for name in ("priority", "target", "active", "procs", "idle", "blocked")
        ),
        Column("limits", cut=True),
    )
    show_listing(columns, [_row(one, several) for one in told])


def _row(one: _Found, several: bool) -> tuple[str, ...]:
    pair = f" x {one['pair_type']} {one['pair_name']}" if one["pair_name"] is not None else ""
    target = "" if one["target"] is None else figure(one["target"]) + _SUFFIXES.get(one["target_kind"], "")
    keys = ("jobs_active", "processors_active", "jobs_idle", "jobs_blocked")
    more = [f"QDEF {one['qos_default']}"] if one["qos_default"] else []
    more += [f"flags {' '.join(one['flags'])}"] if one["flags"] else []
    return (
        *([one["type"]] if several else ()),
        (one["name"] or "none") + pair,
        figure(one["priority"]),
        target,
        *(figure(one[key]) for key in keys),
        "; ".join([*map(limit_in_words, one["limits"]), *more]),
    )


def limit_in_words(one: _Found) -> str:
    """A limit with its use: ``8 of 12 processors, hard 16 (MAXPROC)``."""
    soft, hard = one["soft"], one["hard"]
    # A limit of one number is both.
    least, most = (soft or hard), (hard if soft and hard != soft else None)
    used = "" if one["used"] is None else f"{_amount(one, one['used'])} of "
    unit = "" if one["of"] == _WALL_TIME else f" {_UNITS[one['of']]}"
    beyond = f", hard {_amount(one, most)}" if most else ""
    return f"{used}{_amount(one, least)}{unit}{beyond} ({one['limit']})"


def _amount(one: _Found, value: float) -> str:
    return duration(value) if one["of"] == _WALL_TIME else figure(value)


def show_partitions(found: _Found) -> None:
    """A line a partition."""
    names = (
        "nodes",
        "nodes_up",
        "processors",
        "processors_up",
        "processors_free",
        "jobs_active",
        "jobs_waiting",
    )
    heads = ("nodes", "up", "procs", "procs up", "procs free", "active jobs", "waiting jobs")
    columns = (Column("partition"), *(Column(head, figures=True) for head in heads))
    rows = [
        (one["partition"], *("" if one[name] is None else figure(one[name]) for name in names))
        for one in found["partitions"]
    ]
    show_listing(columns, rows)
