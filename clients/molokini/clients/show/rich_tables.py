"""Tables for people, drawn with Rich. Whatever is shown is in the JSON, too."""

import math
import sys
from collections.abc import Collection, Iterable, Mapping
from typing import Any

from rich.console import Console
from rich.text import Text

from molokini.accounting.record import HOUR_LATER, NOT_UNDERSTOOD, ROUNDED
from molokini.clients.show.text_grid import Grid, wrapped
from molokini.experiments.asked import COPY_SHIFT_S
from molokini.model.decisions import Rule
from molokini.model.site import FILES
from molokini.model.text import (
    counted,
    duration,
    exact,
    figure,
    percent,
    plural,
    printable,
    rules_text,
)
from molokini.workloads.notes import EXTRA_FIELDS


def console() -> Console:
    """Standard output."""
    return Console(file=sys.stdout, highlight=False)


def width(out: Console) -> float:
    """Cells on a line of the terminal; without bound in a pipe, where one row is one line."""
    return out.width if out.is_terminal else math.inf


def table(
    title: str,
    *columns: str,
    words: Collection[int] = (0,),
    keys: int = 1,
    whole: Collection[int] = (),
    prose: float = math.inf,
) -> Grid:
    """An empty table; columns of *words* hold words, the others figures; the first *keys* name a row.

    Cells of *whole* columns are not broken, sentences are where they are wider than *prose*.
    """
    return Grid(printable(title), columns, words, keys, whole=whole, prose=prose)


def row(made: Grid, *cells: str) -> None:
    """Add a row of plain text: nothing in it is markup or obeyed by a terminal."""
    made.rows.append([printable(cell) for cell in cells])


def show(out: Console, made: Grid) -> None:
    """Print a table, as several where the terminal is too narrow for one; an empty line follows each."""
    if made.title:
        for line in wrapped(made.title, width(out)):
            _print(out, line, "bold")
        _print(out, "")
    for part in made.parts(width(out)):
        if made.headed:
            for line in part.header():
                _print(out, line, "bold")
            _print(out, part.rule("-" if out.options.ascii_only else "─"))
        for line in [*part.body(), ""]:
            _print(out, line)


def lines(out: Console, texts: Iterable[str], hang: int = 0) -> None:
    """Print lines of plain text, broken between words on a terminal alone; empty ones are left out.

    What follows a break is indented, by *hang* at least.
    """
    for text in filter(None, texts):
        for line in wrapped(printable(text), width(out), hang):
            _print(out, line)


def _print(out: Console, line: str, style: str = "") -> None:
    # Soft: what does not fit all the same is the terminal's to break, and is not cut off.
    out.print(Text(line, style), soft_wrap=True)


def metric_text(name: str, value: float | int | None) -> tuple[str, str]:
    """A metric's value as a number with its unit, and in words where that helps."""
    if value is None:
        return "-", ""
    if name in ("utilization", "utilization_of_available", "loss_of_capacity", "reject_ratio"):
        return f"{value:.6f}", percent(value, 2)
    if name.endswith("_processor_s"):
        return f"{figure(value)} processor-s", ""
    if name.endswith("_s"):
        return f"{figure(value)} s", duration(value)
    return figure(value), ""


def counts_line(what: str, counts: Mapping[str, int]) -> str:
    """``skipped: 3 (2 not_a_number, 1 ...)``; empty where there is nothing to count."""
    return f"{what} {sum(counts.values()):,} ({counted(dict(counts))})" if counts else ""


_NOTES = {
    "comments_not_kept": (
        "{} comment line among the records is not kept",
        "{} comment lines among the records are not kept",
    ),
    "unsorted_submits": (
        "{} record stood out of order and was sorted",
        "{} records stood out of order and were sorted",
    ),
    "processors_from_allocation": (
        "{} job without requested processors takes those allocated",
        "{} jobs without requested processors take those allocated",
    ),
    "processors_from_descriptor": (
        "{} job takes the processors of the node descriptor at the end of its record",
        "{} jobs take the processors of the node descriptor at the end of their records",
    ),
    "machine_of_nodes": ("", "the header counts nodes, so the machine has {} processors"),
    "processors_from_nodes": (
        "{} job of known nodes has --procs-per-node processors on each",
        "{} jobs of known nodes have --procs-per-node processors on each",
    ),
    "heterogeneous_components": (
        "{} component of a heterogeneous job is replayed as a job of its own",
        "{} components of heterogeneous jobs are replayed as jobs of their own",
    ),
    "constraints_not_replayed": (
        "{} job that asked for features of nodes is replayed on any",
        "{} jobs that asked for features of nodes are replayed on any",
    ),
    "eligible_after_submission": (
        "{} job was eligible after its submission, and arrives then",
        "{} jobs were eligible after their submissions, and arrive then",
    ),
    "estimate_from_run_time": (
        "{} job without an estimate takes its run time for it",
        "{} jobs without an estimate take their run time for it",
    ),
    "processors_above_machine": (
        "{} job is wider than the header's machine",
        "{} jobs are wider than the header's machine",
    ),
}
"""What is counted under the names of a workload's notes, in words: for one, and for several."""

_COUNTS = {"max_jobs_minus_records": "MaxJobs", "max_records_minus_records": "MaxRecords"}
"""The label of the header's count, by the name of the note that tells by how much it differs."""


def workload_lines(part: Mapping[str, Any]) -> list[str]:
    """What was left out of a workload, and what was odd in it."""
    notes = [_note(name, count) for name, count in part["notes"].items()]
    # --jobs takes the first jobs of all that are read.
    whole = " (of the whole file)" if "first_jobs" in part else ""
    return [
        counts_line(f"records skipped{whole}:", part["skipped"]),
        f"notes{whole}: {'; '.join(notes)}" if notes else "",
    ]


def _note(name: str, count: int) -> str:
    if name in _COUNTS:
        # A part of a log keeps the whole log's header: nothing is wrong with it.
        compared = "fewer" if count > 0 else "more"
        return (
            f"the file holds {plural(abs(count), 'record')} {compared} than its header's {_COUNTS[name]} says"
        )
    if name.startswith(EXTRA_FIELDS):
        extra = plural(int(name.removeprefix(EXTRA_FIELDS)), "field")
        return f"{plural(count, 'record')} with {extra} behind the last of SWF's, left out"
    if name.startswith(ROUNDED):
        field = name.removeprefix(ROUNDED)
        return f"{plural(count, 'job')} with a rounded {field} (sacct --noconvert has it whole)"
    if name.startswith(HOUR_LATER):
        field = name.removeprefix(HOUR_LATER)
        return f"{plural(count, 'job')} whose {field} is taken as an hour later, as clocks went back"
    if name.startswith(NOT_UNDERSTOOD):
        field = name.removeprefix(NOT_UNDERSTOOD)
        odd = f"{plural(count, 'job')} with a {field} that is not understood"
        return f"{odd}: taken as not given (--strict shows where)"
    one, several = _NOTES.get(name, (f"{{}} {name}",) * 2)
    return (one if count == 1 else several).format(f"{count:,}")


_SHOWN = (
    "finished_jobs",
    "killed_jobs",
    "mean_wait_s",
    "median_wait_s",
    "p95_wait_s",
    "max_wait_s",
    "mean_response_s",
    "geometric_mean_response_s",
    "mean_slowdown",
    "mean_bounded_slowdown",
    "median_bounded_slowdown",
    "p95_bounded_slowdown",
    "mean_per_processor_slowdown",
    "utilization",
    "loss_of_capacity",
    "makespan_s",
    "mean_queue_length",
    "max_queue_length",
    "throughput_jobs_per_hour",
)


_OF_OUTAGES = ("utilization_of_available", "available_processor_s")
"""Shown last where processors were away for a time."""
_OF_LOADS = ("reject_ratio", "missed_deadlines", "mean_nodes")
"""Shown first where the jobs are divisible loads."""


def show_simulation(found: Mapping[str, Any]) -> None:
    """The main metrics of one replay, with intervals, and what was left out."""
    out, metrics, intervals = console(), found["metrics"], found["intervals"]
    made = table(_heading(found), "metric", "value", "", "95% interval")
    outages = _OF_OUTAGES if found["cluster"].get("outages") else ()
    for name in [*(one for one in _OF_LOADS if one in metrics), *_SHOWN, *outages]:
        value, words = metric_text(name, metrics[name])
        row(made, name, value, words, _interval(intervals.get(name), metrics["overloaded"]))
    show(out, made)
    if "fidelity" in found:
        from molokini.clients.show.fidelity_tables import show_fidelity

        show_fidelity(found["fidelity"])
    if "phases" in found:
        from molokini.clients.show.fidelity_tables import show_phases

        show_phases(found["phases"])
    for by, classes in found["breakdowns"].items():
        show(out, _breakdown(by, classes))
    if "settling" in found:
        from molokini.clients.show.settling_tables import settling_table

        show(out, settling_table(found["settling"]))
    told = [
        *workload_lines(found["workload"]),
        _loads(found["workload"]),
        _copies(found["workload"]["clone"]),
    ]
    # Where nothing ran, that nothing can be said of waiting times needs no words.
    lines(out, [*told, *_remarks(metrics), *(_warnings(intervals) if metrics["finished_jobs"] else [])])
    run = found["run"]
    lines(out, [f"replayed in {run['elapsed_s']:.3f} s ({figure(run['jobs_per_s'], 0)} jobs/s)"])


def _heading(found: Mapping[str, Any]) -> str:
    workload, policy = found["workload"], found["policy"]
    told = ", ".join(f"{name}={parameter_text(value)}" for name, value in policy["parameters"].items())
    name = f"{policy['name']} ({told})" if told else policy["name"]
    configuration = next((policy[key] for key in FILES.values() if key in policy), None)
    if configuration is not None:
        name = f"policy {policy['name']}, configuration {configuration['file']}"
    processors, factor = found["cluster"]["processors"], workload["load_factor"]
    longer, phi = workload["run_time_factor"], workload.get("overestimate")
    size = size_text(workload["jobs"], processors, factor) + lengths_text(longer, phi)
    under = ", " if configuration is not None else " under "
    return f"{workload['file']}{under}{name}: {size}{rules_text(found['options'])}"


def size_text(jobs: int, processors: int, load_factor: float, always: bool = False) -> str:
    """Jobs and processors in words, and the load factor where it is not 1, or *always*."""
    load = f", load factor {load_factor:g}" if always or load_factor != 1 else ""
    return f"{plural(jobs, 'job')}, {plural(processors, 'processor')}{load}"


def lengths_text(factor: float, phi: float | None, always: bool = False) -> str:
    """By how much run times are longer, where they are or *always*, and the share of right estimates."""
    longer = f", run-time factor {factor:g}" if always or factor != 1 else ""
    return longer + (f", estimates by phi {phi:g}" if phi is not None else "")


def parameter_text(value: Any) -> str:
    """A parameter's value as one would type it."""
    return ",".join(map(exact, value)) if isinstance(value, list) else str(value)


def _interval(found: Mapping[str, Any] | None, overloaded: bool) -> str:
    if found is None or found["low"] is None:
        return ""
    doubt = "" if found["converged"] and not overloaded else " (!)"
    return f"{figure(found['low'])} to {figure(found['high'])}{doubt}"


def _loads(part: Mapping[str, Any]) -> str:
    made = part.get("generated", {})
    if "nominal_load" not in made:
        return ""
    nominal, delivered = figure(made["nominal_load"], 4), figure(made["delivered_load"], 4)
    return f"load: {nominal} nominal, {delivered} delivered (sizes of 0 or less are drawn again)"


def _copies(copies: int) -> str:
    return f"each job {copies} times, the copies 1 to {COPY_SHIFT_S} s later" if copies > 1 else ""


def _interruptions(metrics: Mapping[str, Any]) -> str:
    """How often jobs were taken off their processors, and what that cost."""
    told = []
    if metrics["suspensions"]:
        told.append(
            f"{plural(metrics['suspensions'], 'suspension')} of {plural(metrics['suspended_jobs'], 'job')}"
        )
    if metrics["requeues"]:
        kept = f", {metrics['checkpoints']:,} with their work kept" if metrics["checkpoints"] else ""
        told.append(
            f"{plural(metrics['requeues'], 'requeue')} of {plural(metrics['requeued_jobs'], 'job')}{kept}"
        )
        told.append(f"work lost: {figure(metrics['lost_work_processor_s'])} processor-seconds")
    return "; ".join(told)


def overload_text(metrics: Mapping[str, Any]) -> str:
    """That more work came than could be done, and what follows from it; empty where it did not."""
    if not metrics["overloaded"]:
        return ""
    offered, served = percent(metrics["offered_load"], 1), percent(metrics["served_load"], 1)
    return (
        f"overload: the jobs offer {offered} of the processors, and {served} are served while jobs wait: "
        "the queue grows, and means depend on the length of the log"
    )


def _remarks(metrics: Mapping[str, Any]) -> list[str]:
    overload = overload_text(metrics)
    return [
        f"warning: {overload}" if overload else "",
        counts_line("jobs refused:", metrics["refused"]),
        counts_line("jobs that never finished:", metrics["unfinished"]),
        _never_fit(metrics["unfinished"]),
        _interruptions(metrics),
        f"jobs of run time 0 (left out of slowdown): {metrics['zero_run_jobs']:,}"
        if metrics["zero_run_jobs"]
        else "",
    ]


def _never_fit(unfinished: Mapping[str, int]) -> str:
    """What keeps jobs waiting at the end, when nothing else runs: reservations that repeat without end."""
    count = unfinished.get(Rule.RESERVED_FOR_OTHERS.name.lower(), 0)
    if not count:
        return ""
    return (
        f"note: {plural(count, 'job')} never fitted beside what reservations keep for others (SRCFG, "
        "--reservations): too wide, or too long for the time between two of their instances"
    )


def _warnings(intervals: Mapping[str, Any]) -> list[str]:
    return [
        f"warning: {name}: {found['warning']}"
        for name, found in intervals.items()
        if found["warning"] and name in ("mean_wait_s", "mean_bounded_slowdown")
    ]


def _breakdown(by: str, classes: list[Mapping[str, Any]]) -> Grid:
    made = table(
        f"by {by}",
        by,
        "jobs",
        "share_of_jobs",
        "share_of_work",
        "mean_wait_s",
        "p95_wait_s",
        "mean_bounded_slowdown",
    )
    for one in classes:
        shares = (percent(one["share_of_jobs"]), percent(one["share_of_work"]))
        times = (duration(one["mean_wait_s"]), duration(one["p95_wait_s"]))
        row(made, one["name"], figure(one["jobs"]), *shares, *times, figure(one["mean_bounded_slowdown"]))
    return made
