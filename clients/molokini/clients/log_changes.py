"""``molokini workload select`` and ``scale``."""

from dataclasses import asdict
from typing import Any

from molokini.clients.arguments.workload_tools import ScaleArguments, SelectArguments
from molokini.clients.output import STANDARD_OUTPUT, check_outputs, write_json
from molokini.clients.show.rich_tables import console, lines, row, show, table
from molokini.clients.workload_tools import SCHEMA
from molokini.experiments.spans import span_s
from molokini.experiments.whole_logs import read_whole_log
from molokini.model.text import figure, percent, plural
from molokini.workloads.tools.resizing import resize
from molokini.workloads.tools.selecting import cut
from molokini.workloads.tools.selecting import select as selected
from molokini.workloads.tools.whole import check_name, write_whole


def select(arguments: SelectArguments) -> dict[str, Any]:
    """Show the periods that come closest to the given utilization; also returns what the JSON holds."""
    length_s = span_s("--length", arguments.length)
    if arguments.output is not None:
        check_name("--output", arguments.output)
    check_outputs({"--output": arguments.output, "--json": arguments.json}, [arguments.log])
    log = read_whole_log(arguments.log, form=arguments.input_format, given=arguments.set)
    found = selected(
        log,
        arguments.utilization,
        length_s,
        processors=arguments.processors,
        tolerance=arguments.tolerance,
        most=arguments.count,
    )
    if arguments.output is not None:
        write_whole(cut(log, found.periods[0], found.by), arguments.output)
    document = {
        "schema": SCHEMA,
        "tool": "select",
        "file": log.name,
        "by": found.by,
        "written": arguments.output,
        "periods": [asdict(period) for period in found.periods],
    }
    write_json(document, arguments.json)
    if arguments.json != STANDARD_OUTPUT:
        out = console()
        how = "what ran" if found.by == "waits" else "what was submitted: the log has no wait times"
        made = table(f"{log.name}: utilization by {how}", "from second", "days", "utilization", "jobs")
        for period in found.periods:
            cells = (figure(period.start_s), figure(period.length_s / 86400), percent(period.utilization))
            row(made, *cells, figure(period.jobs))
        show(out, made)
        lines(out, [f"{arguments.output}: the first of them" if arguments.output else ""])
    return document


def scale(arguments: ScaleArguments) -> dict[str, Any]:
    """Write the log for a machine of another size; also returns what the JSON holds."""
    check_name("--output", arguments.output)
    check_outputs({"--output": arguments.output, "--json": arguments.json}, [arguments.log])
    log = read_whole_log(arguments.log, form=arguments.input_format, given=arguments.set)
    result = resize(log, arguments.processors, by=arguments.by, narrow=arguments.narrow, seed=arguments.seed)
    write_whole(result.log, arguments.output)
    document = {
        "schema": SCHEMA,
        "tool": "scale",
        "file": log.name,
        "written": arguments.output,
        "by": arguments.by,
        "processors": [log.machine, arguments.processors],
        "records": [len(log), len(result.log)],
        "offered_load": [result.load_before, result.load_after],
        "gaps_times": result.gaps_times,
    }
    write_json(document, arguments.json)
    if arguments.json != STANDARD_OUTPUT:
        before, after = percent(result.load_before), percent(result.load_after)
        lines(
            console(),
            [
                f"{arguments.output}: {plural(len(result.log), 'record')} for {arguments.processors:,} "
                f"processors (from {len(log):,} for {log.machine or 0:,}), "
                f"offered load {after} (was {before})",
                f"gaps between submits times {result.gaps_times:.4g}" if result.gaps_times != 1 else "",
            ],
        )
    return document
