"""SERVERMODE SIMULATION in ``molokini simulate``: Maui's traces beside its configuration, in steps."""

from collections.abc import Callable
from pathlib import Path

import pytest

from molokini.workloads.filters import first_jobs
from molokini.workloads.maui_nodes import MauiNode, write_maui_nodes
from molokini.workloads.readers import read_workload, write_workload
from tests.clients.command_runs import ROOT, Ran

Command = Callable[..., Ran]
JOBS = 60


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """A folder with a configuration and both traces."""
    (tmp_path / "traces").mkdir()
    log = first_jobs(read_workload(ROOT / "examples" / "kth-sp2-month.swf.gz"), JOBS)
    write_workload(log, tmp_path / "traces" / "workload.trace")
    nodes = [MauiNode(f"n{k}", processors=8) for k in range(16)]
    write_maui_nodes(
        [*nodes, MauiNode("down", "DEFINED", processors=64)], tmp_path / "traces" / "resource.trace"
    )
    return tmp_path


def configured(site: Path, *lines: str) -> str:
    path = site / "maui.cfg"
    path.write_text("\n".join(["SERVERMODE SIMULATION", "RMPOLLINTERVAL 60", *lines]) + "\n")
    return str(path)


def simulated(molokini: Command, file: str, *more: str) -> Ran:
    return molokini("simulate", *more, "--policy", "maui", "--maui-config", file, "--json", "-")


def test_both_traces_are_beside_the_configuration(molokini: Command, site: Path) -> None:
    done = simulated(molokini, configured(site, "SIMINITIALQUEUEDEPTH 4"))
    assert done.code == 0
    found = done.json
    assert found["stepping"] == {"step_s": 60.0, "entering": "constant-job-depth", "depth": 4, "steps": 0}
    assert found["cluster"]["processors"] == 128
    assert found["metrics"]["finished_jobs"] == JOBS
    assert 1 <= found["metrics"]["max_queue_length"] <= 4
    assert "steps of 60 s" in done.err


def test_jobs_enter_at_their_own_times(molokini: Command, site: Path) -> None:
    file = configured(site, "SIMJOBSUBMISSIONPOLICY NORMAL", "SIMINITIALQUEUEDEPTH 0")
    schedule = site / "found.csv"
    done = simulated(molokini, file, "--schedule", str(schedule))
    assert done.code == 0
    rows = [line.split(",") for line in schedule.read_text().splitlines()]
    column = rows[0].index("submit_s")
    assert all(float(row[column]) % 60 == 0 for row in rows[1:])


def test_nodes_percent_and_the_last_iteration(molokini: Command, site: Path) -> None:
    whole = simulated(molokini, configured(site)).json
    half = simulated(molokini, configured(site, "SIMWCSCALINGPERCENT 50")).json
    assert half["metrics"]["makespan_s"] < 0.8 * whole["metrics"]["makespan_s"]
    few = simulated(molokini, configured(site, "SIMNODECOUNT 13", "SIMEXITITERATION 2")).json
    assert few["cluster"]["processors"] == 104
    assert few["stepping"]["steps"] == 2
    assert few["metrics"]["finished_jobs"] < JOBS


def test_a_log_stands_for_the_trace_of_jobs(molokini: Command, site: Path) -> None:
    log = str(ROOT / "examples" / "kth-sp2-month.swf.gz")
    found = simulated(molokini, configured(site), log, "--jobs", "40", "--procs", "100").json
    assert found["metrics"]["finished_jobs"] == 40
    assert found["cluster"]["processors"] == 100
    (site / "traces" / "resource.trace").unlink()
    assert simulated(molokini, configured(site), log, "--jobs", "40").json["cluster"]["processors"] == 100


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("SIMWORKLOADTRACEFILE absent", "absent"),
        ("SIMRESOURCETRACEFILE absent", "absent"),
        ("RMPOLLINTERVAL 0", "RMPOLLINTERVAL"),
        ("SIMWCSCALINGPERCENT 0", "SIMWCSCALINGPERCENT"),
        ("SERVERMODE NORMAL", "a workload is needed"),
    ],
)
def test_what_cannot_be_simulated(molokini: Command, site: Path, line: str, said: str) -> None:
    done = simulated(molokini, configured(site, line))
    assert done.code == 2
    assert said in done.err
    assert len(done.err.splitlines()) == 1
