"""``molokini sweep``: every point of a file of axes, kept as they come, and what follows from them."""

import dataclasses
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from molokini.clients.arguments.runs import SweepArguments
from molokini.clients.hosting import COMMAND
from molokini.clients.output import STANDARD_OUTPUT, check_outputs, write_json
from molokini.experiments.asked import Grid
from molokini.experiments.result import digits
from molokini.experiments.sweeps.sweep_files import is_sweep_file
from molokini.experiments.sweeps.sweep_runs import swept
from molokini.experiments.sweeps.swept import Swept
from molokini.model.errors import BadValue
from molokini.model.text import plural

_SHOWN = 12


def sweep(arguments: SweepArguments) -> None:
    """Replay what is missing, write table and report, print who is best and what is not certain yet."""
    if not is_sweep_file(arguments.file):
        raise BadValue("FILE", arguments.file, "a TOML file of axes (.toml)")
    check_outputs({"--json": arguments.json}, [arguments.file])
    given = {field.name: getattr(arguments, field.name) for field in dataclasses.fields(arguments)}
    names = {field.name for field in dataclasses.fields(Grid)}
    beside = {name: value for name, value in given.items() if name in names and value is not None}
    try:
        found = swept(Grid(arguments.file, **beside), COMMAND)
    except (KeyboardInterrupt, SystemExit):
        rows = Path(arguments.output) / "rows.journal"
        if rows.exists():
            print(
                f"molokini: interrupted; rows are kept in {rows}: the same command goes on", file=sys.stderr
            )
        raise
    write_json(found.document, arguments.json)
    if arguments.json != STANDARD_OUTPUT:
        _show(found)


def _show(found: Swept) -> None:
    from molokini.clients.show.rich_tables import console, lines, row, show, table

    out, document = console(), found.document
    objectives = document["objectives"]
    made = table(
        f"{plural(document['points'], 'point')}, means over scenarios", "variant", *objectives, "best in"
    )
    for one in document["variants"][:_SHOWN]:
        figures = (digits(one["means"][name]) for name in objectives)
        row(made, one["variant"], *figures, f"{one['wins']:,} of {one['scenarios']:,}")
    show(out, made)
    left = len(document["variants"]) - _SHOWN
    told = [f"and {left:,} more variants"] if left > 0 else []
    told += [f"on the front of both: {', '.join(document['front'][:_SHOWN])}"]
    effects = [one for one in document["effects"] if one["metric"] == objectives[0]]
    told += [_shares(effects)] if effects else []
    told += [f"not yet: {line}" for line in document["not_yet"][:_SHOWN]]
    if document["certain"]:
        told.append("the best variant of each scenario is certain")
    run = document["run"]
    on = f"{run['elapsed_s']:.1f} s on {plural(run['workers'], 'worker')}"
    told.append(f"{run['reused']:,} points from an earlier run; {on}")
    told += [f"{found.folder}/rows.parquet, {found.folder}/report.html"]
    lines(out, told)


def _shares(effects: list[Mapping[str, Any]]) -> str:
    there = [one for one in effects if one["share_of_variance"] is not None]
    there.sort(key=lambda one: -one["share_of_variance"])
    told = ", ".join(f"{one['axis']} {one['share_of_variance']:.1%}" for one in there)
    return f"share of the variance of {effects[0]['metric']}: {told}"
