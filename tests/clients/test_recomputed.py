"""Every metric of the JSON that docs/outputs.md says follows from the schedule, from the schedule alone."""

import csv
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.clients.command_runs import EXAMPLE, Ran

Command = Callable[..., Ran]
Floats = NDArray[np.float64]
UNKNOWN = {"killed_jobs", "refused", "unfinished", "refused_jobs", "unfinished_jobs", "reject_ratio"}
"""An empty cell does not tell why."""
BY_INSTANT = {"loss_of_capacity", "served_load", "overloaded"}
"""When a job was suspended stands nowhere."""
HELD = {"utilization", "utilization_of_available", "mean_busy_processors"}
LEFT_OUT = {"suspended": BY_INSTANT, "shared": {*BY_INSTANT, *HELD}}
RUNS: dict[str, tuple[object, ...]] = {
    "easy": (EXAMPLE, "--policy", "easy"),
    "overloaded": (EXAMPLE, "--policy", "sjf", "--clone", 2, "--overrun", "extend", "--tau", 60),
    "suspended": (EXAMPLE, "--policy", "srpt", "--load-factor", 1.3),
    "shared": (EXAMPLE, "--policy", "ps"),
    "refused": (EXAMPLE, "--policy", "sita-e", "--set", "cutoffs=600,7200"),
    "divisible": ("--workload", "divisible", "--set", "time=300000", "--policy", "edf-opr-mn"),
    "equal chunks": ("--workload", "divisible", "--set", "time=300000", "--policy", "edf-epr-an"),
}


@pytest.mark.parametrize("run", RUNS)
def test_metrics_follow_from_the_schedule(molokini: Command, tmp_path: Path, run: str) -> None:
    path = tmp_path / "s.csv"
    jobs = () if "--workload" in RUNS[run] else ("--jobs", 600)
    found = molokini("simulate", *RUNS[run], *jobs, "--schedule", path, "--json", "-").json
    metrics = found["metrics"]
    mine = recomputed(path, found["cluster"]["processors"], metrics["tau_s"])
    left_out = UNKNOWN | LEFT_OUT.get(run, set())
    assert metrics.keys() - mine.keys() <= left_out
    for name in mine.keys() & (metrics.keys() - left_out):
        assert mine[name] == pytest.approx(metrics[name], rel=1e-9, abs=1e-9), name


@pytest.mark.parametrize("policy", ["edf-opr-mn", "edf-opr-an", "fifo-epr-mn", "edf-epr-an"])
def test_deadlines_and_chunks_can_be_audited(molokini: Command, tmp_path: Path, policy: str) -> None:
    path = tmp_path / "s.csv"
    given = ("--workload", "divisible", "--set", "time=300000", "--policy", policy)
    assert molokini("simulate", *given, "--schedule", path).code == 0
    rows = list(csv.DictReader(path.read_text().splitlines()))
    admitted = [row for row in rows if row["end_s"]]
    assert 0 < len(admitted) < len(rows)
    for row in admitted:
        shares = [float(share) for share in row["chunks"].split(";")]
        assert len(shares) == int(row["processors"])
        assert math.fsum(shares) == pytest.approx(1.0, abs=1e-12)
        assert float(row["end_s"]) <= float(row["deadline_s"])
        assert float(row["load"]) > 0
    assert all(row["chunks"] == "" for row in rows if not row["end_s"])


def recomputed(path: Path, processors: int, tau_s: float) -> dict[str, Any]:
    """The metrics, from the columns of the file."""
    rows = list(csv.DictReader(path.read_text().splitlines()))
    column = {
        name: np.array([float(row[name] or "nan") for row in rows])
        for name in rows[0]
        if name not in ("chunks", "status")
    }
    done = np.isfinite(column["end_s"])
    # Nothing is left waiting in these runs: who has not ended was refused.
    ended = {name: values[done] for name, values in column.items()}
    submit_s, start_s, end_s, width = (ended[name] for name in ("submit_s", "start_s", "end_s", "processors"))
    run_s, response_s = ended["run_s"], end_s - submit_s
    ran = run_s > 0
    bounded = np.maximum(1.0, response_s / np.maximum(run_s, tau_s))
    found: dict[str, Any] = {
        "jobs": len(rows),
        "finished_jobs": len(end_s),
        "started_jobs": len(end_s),
        "zero_run_jobs": int((~ran).sum()),
        "geometric_mean_response_s": float(np.exp(np.log(response_s[ran]).mean())),
        "mean_per_processor_slowdown": np.maximum(
            1.0, response_s / (width * np.maximum(run_s, tau_s))
        ).mean(),
        "tau_s": tau_s,
        **spread("wait_s", start_s - submit_s),
        **spread("response_s", response_s),
        **spread("slowdown", response_s[ran] / run_s[ran]),
        **spread("bounded_slowdown", bounded),
        **over_time(ended, processors),
        **interrupted(column),
    }
    if "deadline_s" in ended:
        found["missed_deadlines"] = int((end_s > ended["deadline_s"]).sum())
        found["mean_nodes"] = width.mean()
    return found


def spread(name: str, values: Floats) -> dict[str, float]:
    return {
        f"mean_{name}": values.mean(),
        **{f"{kind}_{name}": np.percentile(values, at) for kind, at in PERCENTS.items()},
    }


PERCENTS = {"median": 50, "p90": 90, "p95": 95, "p99": 99, "max": 100}


def over_time(ended: dict[str, Floats], processors: int) -> dict[str, Any]:
    submit_s, start_s, end_s, width = (ended[name] for name in ("submit_s", "start_s", "end_s", "processors"))
    first_s, last_s = submit_s.min(), end_s.max()
    length_s = last_s - first_s
    wait_s = start_s - submit_s
    held_s = end_s - start_s - ended["suspended_s"]
    mean_gap_s = (submit_s.max() - first_s) / (len(submit_s) - 1)
    found = {
        "first_submit_s": first_s,
        "last_end_s": last_s,
        "makespan_s": length_s,
        "utilization": float(held_s @ width) / processors / length_s,
        "mean_busy_processors": float(held_s @ width) / length_s,
        "mean_queue_length": wait_s.sum() / length_s,
        "mean_waiting_processors": float(wait_s @ width) / length_s,
        "max_queue_length": peak(submit_s, start_s, np.ones(len(width))),
        "max_waiting_processors": peak(submit_s, start_s, width),
        "available_processor_s": processors * length_s,
        "utilization_of_available": float(held_s @ width) / processors / length_s,
        "throughput_jobs_per_hour": len(end_s) * 3600 / length_s,
        "offered_load": float(ended["run_s"] @ width) / processors / (mean_gap_s * len(submit_s)),
    }
    if not ended["suspended_s"].any():
        # When in between somebody was suspended stands nowhere: only what he held in all.
        found["loss_of_capacity"] = empty_while_waiting(ended, processors) / processors / length_s
        found["served_load"] = served(ended, processors)
        found["overloaded"] = (
            found["served_load"] is not None and found["offered_load"] > found["served_load"]
        )
    return found


def changes(times: Floats, values: Floats) -> tuple[Floats, Floats]:
    """A step function: its instants, and its value from each on."""
    instants, at = np.unique(times, return_inverse=True)
    return instants, np.cumsum(np.bincount(at, weights=values))


def peak(since_s: Floats, until_s: Floats, weight: Floats) -> int:
    return int(changes(np.concatenate([since_s, until_s]), np.concatenate([weight, -weight]))[1].max())


def together(ended: dict[str, Floats]) -> tuple[Floats, Floats, Floats, Floats]:
    """At every instant: processors held, jobs that wait, processors wanted by all jobs that are there."""
    submit_s, start_s, end_s, width = (ended[name] for name in ("submit_s", "start_s", "end_s", "processors"))
    none, one = np.zeros(len(width)), np.ones(len(width))
    times = np.concatenate([submit_s, start_s, end_s])
    instants, held = changes(times, np.concatenate([none, width, -width]))
    waiting = changes(times, np.concatenate([one, -one, none]))[1]
    wanted = changes(times, np.concatenate([width, none, -width]))[1]
    return instants, held, waiting, wanted


def empty_while_waiting(ended: dict[str, Floats], processors: int) -> float:
    instants, held, waiting, _ = together(ended)
    return float(np.diff(instants) @ ((processors - held) * (waiting > 0))[:-1])


def served(ended: dict[str, Floats], processors: int) -> float | None:
    instants, held, _, wanted = together(ended)
    until_s = ended["submit_s"].max()
    length_s = np.clip(np.minimum(instants[1:], until_s) - instants[:-1], 0.0, None) * (wanted > held)[:-1]
    if not length_s.sum():
        return None
    return float(length_s @ held[:-1]) / float(length_s.sum()) / processors


def interrupted(column: dict[str, Floats]) -> dict[str, Any]:
    return {
        "suspensions": column["suspensions"].sum(),
        "suspended_jobs": (column["suspensions"] > 0).sum(),
        "requeues": column["requeues"].sum(),
        "requeued_jobs": (column["requeues"] > 0).sum(),
        "checkpoints": column["checkpoints"].sum(),
        "lost_work_processor_s": column["lost_s"] @ column["processors"],
    }
