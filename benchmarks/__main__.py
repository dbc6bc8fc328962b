"""``make bench``: every figure that is promised, measured, printed and written as JSON.

``python -m benchmarks [--jobs N] [--short] [--output FILE]``; fewer jobs make a quick look, no figure to
quote.
"""

import argparse
import json
import os
import platform
import sys
from importlib.metadata import version
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from benchmarks import (
    batch_commands,
    coallocation,
    coscheduling,
    divisible,
    engine_before,
    forecasts,
    gang,
    gateway,
    history,
    journal,
    live,
    log_tools,
    maui,
    message_driven,
    page,
    passes,
    real_jobs,
    replays,
    slicing,
    slurm_pass,
    startup,
    sweeps,
    tails,
    target_rates,
    target_rates_simulated,
    testing,
    twin,
    verified,
    workloads,
)

TITLES = {
    "against_limit": "Against hand-written loops (best of 9 each, conservative of 3; in turn, one process)",
    "hard_trace": "The hard trace (1% of jobs want the whole machine)",
    "real_logs": "Real logs",
    "logs": "Tools for logs (commands, from the shell; best of 3)",
    "divisible": "Divisible loads: 10,000,000 time units at load 1.0 (CPU s, jobs made and replayed)",
    "divisible_study": "The whole study of divisible loads on two cores (reckoned from a sample of its runs)",
    "coallocation": "Jobs over several clusters: 100,000 made and replayed (CPU s)",
    "coscheduling": "The process-level engine",
    "engine_before": "The process-level engine beside an older one (both in turn, in one run)",
    "gang": "Gang scheduling: 10,000 jobs on 320 processors at load 0.9, five rows (CPU s)",
    "gang_table": "All of Table 1 of the study of gang scheduling on two cores (from one seed of ten)",
    "maui": "The policy maui with six components, fairshare, limits and BESTFIT (CPU ms)",
    "slurm": "The policy slurm (CPU ms)",
    "workloads": "A million jobs of each model (CPU s, one core)",
    "tails": "Heavy tails and memory (CPU s, one core)",
    "sweeps": "Sweeps: by one process, two, and two workers of Dask, in one run",
    "start_up": "From the shell",
    "memory": "Memory",
    "live": "The live server (SQLite, full sync; server and client on these cores)",
    "gateway": "The JSON gateway on a Unix socket (a client of the standard library; on these cores, too)",
    "page": "The page (Chromium without a window; server and readers on these cores, too)",
    "processes": "Real jobs on this machine",
    "batch-commands": "Commands of PBS, LSF and Slurm, from the shell and back (emulated nodes)",
    "testing": "A cluster inside a test",
    "slicing": "Time slices of real jobs (one busy loop with real-time priority)",
    "target_rates_simulated": "Target rates, simulated (sums of shares up to a whole CPU; one process)",
    "target_rates": "Target rates of real programs (two agents with a core each; one run)",
    "message_driven": "Jobs of two real nodes, coscheduled by messages, and left to the kernel (in one run)",
    "history": "The live server after a long life",
    "twin": "Looking ahead: adaptive and whatif (in process)",
    "forecasts": "A forecast behind a long queue (in process)",
    "passes": "A pass over a long queue (in process)",
    "journal": "The journal by itself (SQLite)",
    "verified": "Every policy live and simulated (seconds of both; journal not synced)",
}


def main() -> int:
    """Measure, print, write; exit code 0 even where a figure is not reached: it is printed as such."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks")
    parser.add_argument("--jobs", type=int, default=replays.JOBS, help="jobs of the synthetic workload")
    parser.add_argument("--output", type=Path, default=Path("bench-output/bench.json"))
    parser.add_argument("--short", action="store_true", help="only the limit loops and the hard trace")
    arguments = parser.parse_args()
    # Commands are measured as users have them, whose Python keeps bytecode.
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    console = Console(width=max(110, Console().width))
    results: dict[str, Any] = {
        "schema": "molokini.bench/1",
        "machine": {
            "cores": os.cpu_count(),
            "processor": platform.machine(),
            "python": platform.python_version(),
            "numba": version("numba"),
            "numpy": version("numpy"),
        },
    }
    console.print(results["machine"])
    measured = {
        # A child's peak counts what its parent held when it was started: memory before anything large.
        "memory": startup.memory,
        "start_up": startup.start_up,
        "against_limit": lambda: replays.against_limit(arguments.jobs),
        "hard_trace": replays.hard_trace,
        "real_logs": replays.real_logs,
        "logs": log_tools.rows,
        "divisible": divisible.base_setting,
        "divisible_study": divisible.whole_study,
        "coallocation": coallocation.points,
        "coscheduling": coscheduling.rows,
        "engine_before": engine_before.rows,
        "gang": gang.rows,
        "gang_table": gang.table_1,
        "maui": maui.rows,
        "slurm": slurm_pass.rows,
        "workloads": workloads.rows,
        "tails": tails.rows,
        "sweeps": sweeps.rows,
        "live": live.rows,
        "gateway": gateway.rows,
        "page": page.rows,
        "processes": real_jobs.rows,
        "batch-commands": batch_commands.rows,
        "testing": testing.rows,
        "slicing": slicing.rows,
        "target_rates_simulated": target_rates_simulated.rows,
        "target_rates": target_rates.rows,
        "message_driven": message_driven.rows,
        "history": history.rows,
        "twin": twin.rows,
        "forecasts": forecasts.rows,
        "passes": passes.rows,
        "journal": journal.journal,
        "verified": verified.rows,
    }
    wanted = ("against_limit", "hard_trace") if arguments.short else tuple(measured)
    arguments.output.parent.mkdir(parents=True, exist_ok=True)
    for name, measure in ((name, measured[name]) for name in wanted):
        results[name] = measure()
        _show(console, TITLES[name], results[name])
        # After each: what was measured in a quarter of an hour is not lost with what fails after it.
        arguments.output.write_text(json.dumps(results, indent=2) + "\n")
    console.print(f"written to {arguments.output}")
    return 0


def _show(console: Console, title: str, rows: list[dict[str, Any]]) -> None:
    table = Table(title=title, title_justify="left")
    for name in rows[0]:
        table.add_column(
            name.replace("_", " "), justify="left" if isinstance(rows[0][name], str) else "right"
        )
    for row in rows:
        table.add_row(*(_cell(value) for value in row.values()))
    console.print(table)


def _cell(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "NO"
    return f"{value:,}" if isinstance(value, int) else str(value)


if __name__ == "__main__":
    sys.exit(main())
