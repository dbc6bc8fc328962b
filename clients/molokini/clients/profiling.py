"""``molokini workload profile``: what Maui's profiler tells of a trace, of logs and schedules, too."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from molokini.clients.arguments.workloads import ProfileArguments
from molokini.clients.output import STANDARD_OUTPUT, check_outputs, write_json
from molokini.clients.show.rich_tables import console, counts_line, lines, row, show, table
from molokini.model.errors import BadValue, UnknownName
from molokini.model.text import figure, percent, plural
from molokini.workloads.ended import KINDS, NOBODY
from molokini.workloads.ended import profile as profiled
from molokini.workloads.ended_readers import read_ended

SCHEMA = "molokini.profile/1"
_ROWS = 40
"""Lines of a table without ``--rows``: days and users may be thousands."""
_COLUMNS = (
    *("jobs", "used h", "share", "requested h", "avg wait h", "max wait h", "avg XF", "max XF"),
    *("accuracy", "backfilled"),
)


def profile(arguments: ProfileArguments) -> dict[str, Any]:
    """Report the totals of the ended jobs in a file; also returns what the JSON holds."""
    by = [name.strip() for name in (arguments.by or "").split(",") if name.strip()]
    by = list(dict.fromkeys("class" if name == "queue" else name for name in by))
    for name in by:
        if name not in KINDS:
            raise UnknownName("breakdown", name, KINDS)
    if arguments.rows is not None and arguments.rows < 1:
        raise BadValue("--rows", arguments.rows, "a whole number of 1 or more")
    check_outputs({"--json": arguments.json}, [arguments.file])
    jobs = read_ended(
        arguments.file,
        arguments.log,
        strict=arguments.strict,
        form=arguments.input_format,
        per_node=arguments.processors_per_node,
    )
    known = [kind for kind in KINDS if kind in jobs.names and (jobs.names[kind] != NOBODY).any()]
    found = {
        "schema": SCHEMA,
        "file": Path(arguments.file).name,
        "log": None if arguments.log is None else Path(arguments.log).name,
        "calendar": jobs.calendar,
        "skipped": dict(jobs.skipped),
        **profiled(jobs, by or known),
    }
    write_json(found, arguments.json)
    if arguments.json != STANDARD_OUTPUT:
        _show(found, arguments.rows or _ROWS)
    return found


def _show(found: Mapping[str, Any], most: int) -> None:
    out, totals = console(), found["totals"]
    lines(out, [f"{found['file']}: {plural(totals['jobs_completed'], 'ended job')}"])
    for kind, classes in found["by"].items():
        title = f"by {kind} of the end ({found['calendar']})" if kind == "day" else f"by {kind}"
        made = table(title, kind, *_COLUMNS)
        for one in classes[:most]:
            row(made, one["name"] or "none", *_cells(one))
        row(made, "all", *_cells(totals))
        show(out, made)
        if len(classes) > most:
            lines(out, [f"{len(classes) - most:,} more; --rows {len(classes)} shows all"])
    lines(out, [counts_line("records left out:", found["skipped"])])


def _cells(one: Mapping[str, Any]) -> tuple[str, ...]:
    hours = ("mean_queue_hours", "max_queue_hours", "mean_expansion_factor", "max_expansion_factor")
    return (
        figure(one["jobs_completed"]),
        figure(one["dedicated_processor_hours"]),
        percent(one["share_of_processor_hours"]),
        figure(one["requested_processor_hours"]),
        *(figure(one[name]) for name in hours),
        percent(one["mean_estimate_accuracy"]),
        percent(one["backfilled_share"]),
    )
