"""Tables for people, drawn with Rich. Whatever is shown is in the JSON, too."""

import sys
from collections.abc import Iterable, Mapping
from shutil import get_terminal_size
from typing import Any

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from molokini.clients.text import counted, duration, figure, percent, printable

_PIPE_WIDTH = 200
_NARROW = 100


def console() -> Console:
    """Standard output; in a pipe as wide as a table may want to be."""
    width = None if sys.stdout.isatty() else _PIPE_WIDTH
    return Console(file=sys.stdout, width=width, highlight=False, soft_wrap=False)


def table(title: str, *columns: str, left: int = 1) -> Table:
    """An empty table; the first *left* columns hold words, the others figures."""
    gap = 0 if sys.stdout.isatty() and get_terminal_size().columns < _NARROW else 1
    made = Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, gap), show_header=any(columns))
    if title:
        made.title, made.title_justify, made.title_style = Text(printable(title)), "left", "bold"
    for at, column in enumerate(columns):
        made.add_column(Text(column), justify="left" if at < left else "right", overflow="fold")
    return made


def row(made: Table, *cells: str) -> None:
    """Add a row of plain text: nothing in it is markup or obeyed by a terminal."""
    made.add_row(*(Text(printable(cell)) for cell in cells))


def lines(out: Console, texts: Iterable[str]) -> None:
    """Print lines of plain text, which only a terminal breaks; empty ones are left out."""
    for text in filter(None, texts):
        out.print(Text(printable(text)), soft_wrap=True)


def metric_text(name: str, value: float | int | None) -> tuple[str, str]:
    """A metric's value as a number with its unit, and in words where that helps."""
    if value is None:
        return "-", ""
    if name in ("utilization", "loss_of_capacity"):
        return f"{value:.6f}", percent(value, 2)
    if name.endswith("_s"):
        return f"{figure(value)} s", duration(value)
    return figure(value), ""


def counts_line(what: str, counts: Mapping[str, int]) -> str:
    """``skipped: 3 (2 not_a_number, 1 ...)``; empty where there is nothing to count."""
    return f"{what} {sum(counts.values()):,} ({counted(dict(counts))})" if counts else ""


_NOTES = {
    "comments_not_kept": "{} comment lines among the records are not kept",
    "max_jobs_minus_records": "the header's MaxJobs minus the records is {}",
    "max_records_minus_records": "the header's MaxRecords minus the records is {}",
    "unsorted_submits": "{} records stood out of order and were sorted",
    "processors_from_allocation": "{} jobs without requested processors take those allocated",
    "estimate_from_run_time": "{} jobs without an estimate take their run time for it",
    "processors_above_machine": "{} jobs are wider than the header's machine",
}
"""What is counted under the names of a workload's notes, in words."""


def workload_lines(part: Mapping[str, Any]) -> list[str]:
    """What was left out of a workload, and what was odd in it."""
    notes = [_NOTES.get(name, f"{{}} {name}").format(f"{count:,}") for name, count in part["notes"].items()]
    return [
        counts_line("records skipped:", part["skipped"]),
        f"notes: {'; '.join(notes)}" if notes else "",
    ]


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


def show_simulation(found: Mapping[str, Any]) -> None:
    """The main metrics of one replay, with intervals, and what was left out."""
    out, metrics, intervals = console(), found["metrics"], found["intervals"]
    made = table(_heading(found), "metric", "value", "", "95% interval")
    for name in _SHOWN:
        value, words = metric_text(name, metrics[name])
        row(made, name, value, words, _interval(intervals.get(name)))
    out.print(made)
    for by, classes in found["breakdowns"].items():
        out.print(_breakdown(by, classes))
    lines(out, [*workload_lines(found["workload"]), *_remarks(metrics), *_warnings(intervals)])
    run = found["run"]
    lines(out, [f"replayed in {run['elapsed_s']:.3f} s ({figure(run['jobs_per_s'], 0)} jobs/s)"])


def _heading(found: Mapping[str, Any]) -> str:
    workload, policy = found["workload"], found["policy"]
    told = ", ".join(f"{name}={parameter_text(value)}" for name, value in policy["parameters"].items())
    name = f"{policy['name']} ({told})" if told else policy["name"]
    processors = found["cluster"]["processors"]
    return f"{workload['file']} under {name}: {workload['jobs']:,} jobs, {processors:,} processors"


def parameter_text(value: Any) -> str:
    """A parameter's value as one would type it."""
    return ",".join(f"{number:g}" for number in value) if isinstance(value, list) else str(value)


def _interval(found: Mapping[str, Any] | None) -> str:
    if found is None or found["low"] is None:
        return ""
    doubt = "" if found["converged"] else " (!)"
    return f"{figure(found['low'])} to {figure(found['high'])}{doubt}"


def _remarks(metrics: Mapping[str, Any]) -> list[str]:
    unfinished = metrics["unfinished_jobs"]
    return [
        counts_line("jobs refused:", metrics["refused"]),
        f"jobs that never finished: {unfinished:,}" if unfinished else "",
        f"jobs of run time 0 (left out of slowdown): {metrics['zero_run_jobs']:,}"
        if metrics["zero_run_jobs"]
        else "",
    ]


def _warnings(intervals: Mapping[str, Any]) -> list[str]:
    return [
        f"warning: {name}: {found['warning']}"
        for name, found in intervals.items()
        if found["warning"] and name in ("mean_wait_s", "mean_bounded_slowdown")
    ]


def _breakdown(by: str, classes: list[Mapping[str, Any]]) -> Table:
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
        row(made, one["class"], figure(one["jobs"]), *shares, *times, figure(one["mean_bounded_slowdown"]))
    return made
