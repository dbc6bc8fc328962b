"""Jobs for people: what a waiting one finds on the nodes, and those that have ended in a matrix."""

from collections.abc import Mapping, Sequence
from typing import Any

from molokini.clients.show.lines import Column, show_listing
from molokini.clients.show.rich_tables import console, lines
from molokini.model.text import duration, figure, plural, printable


def show_node_classes(classes: Sequence[Mapping[str, Any]]) -> None:
    """``3 nodes of 8 processors (old): 2 too little memory for a task; 1 with room for 8 tasks``."""
    several = len({one["component"] for one in classes}) > 1
    for one in classes:
        where = [one["partition"]] if one["partition"] else []
        where += one["features"]
        size = plural(one["processors_each"], "processor")
        if one["memory_mb_each"] is not None:
            size += f" and {figure(one['memory_mb_each'])} MB"
        told = [f"{count:,} {reason}" for reason, count in one["reasons"].items()]
        if one["nodes_with_room"]:
            told.append(f"{one['nodes_with_room']:,} with room for {plural(one['tasks_now'], 'task')} now")
        name = f"component {one['component']}: " if several else ""
        name += f"{plural(one['nodes'], 'node')} of {size}" + (f" ({', '.join(where)})" if where else "")
        lines(console(), [printable(f"{name}: {'; '.join(told)}")], hang=2)


def show_grid(found: Mapping[str, Any]) -> None:
    """A row a size, a column a wall clock limit; a cell has its value, and in brackets its jobs."""
    lines(
        console(),
        [f"{found['statistic']} of ended jobs, by processors and wall clock limit (up to)"],
    )
    columns = [Column("procs", figures=True)]
    columns += [Column(duration(one), figures=True) for one in found["wall_times_s"]]
    rows = [
        (figure(one["processors"]), *map(_cell, one["cells"]), _cell(one["total"])) for one in found["rows"]
    ]
    rows.append(("all", *map(_cell, found["totals"]), _cell(found["total"])))
    show_listing([*columns, Column("all", figures=True)], rows)


def _cell(one: Mapping[str, Any]) -> str:
    return "-" if one["value"] is None else f"{figure(one['value'])} ({one['jobs']:,})"
