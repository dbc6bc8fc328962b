"""The same decisions, shown: live and simulated, killed or not, to the last bit."""

import asyncio
import os
import subprocess
import sys
from pathlib import Path

import pytest

from molokini.app.verifying import history_of, live_run, simulated_history
from molokini.workloads.readers import read_workload
from molokini.workloads.workload import Workload
from tests.kit.waiting import DEADLINE_S

ROOT = Path(__file__).parents[2]
LOGS = [ROOT.parent / "shared/data/KTH-SP2-1996-2.1-cln.swf.gz", ROOT / "examples/kth-sp2-month.swf.gz"]
LOG = next(log for log in LOGS if log.exists())
JOBS = 2000
SHORT = 150
LONG = 1300


@pytest.fixture(scope="module")
def workload() -> Workload:
    return read_workload(LOG)


def first(workload: Workload, jobs: int) -> tuple[Workload, int]:
    processors = workload.machine_processors
    assert processors is not None
    return workload.take(slice(0, jobs)), int(processors)


@pytest.mark.dear("jobs of a log go through a whole live server")
@pytest.mark.quick("easy")
@pytest.mark.parametrize("policy", ["fcfs", "easy", "conservative", "srpt"])
def test_jobs_of_a_log_start_and_end_as_simulated(policy: str, workload: Workload, tmp_path: Path) -> None:
    work, processors = first(workload, JOBS)
    asyncio.run(live_run(work, processors, policy, tmp_path / "state"))
    live = asyncio.run(history_of(tmp_path / "state", len(work)))
    differences = live.differences(simulated_history(work, processors, policy))
    assert set(differences.values()) == {0.0}
    assert live.facts >= 3 * len(work)
    if policy == "srpt":
        assert live.changes, "nothing was suspended, so nothing was shown"


def verify(state: Path, jobs: int, policy: str, crash_at: str = "") -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "molokini.clients.command", "verify", str(LOG)]
    roots = os.pathsep.join(
        str(ROOT / name)
        for name in ("core", "maui", "parallel", "experiments", "proto", "server", "agents", "clients", "app")
    )
    return subprocess.run(
        [*command, "--policy", policy, "--jobs", str(jobs), "--state", str(state)],
        env={**os.environ, "PYTHONPATH": roots, "MOLOKINI_CRASH_AT": crash_at},
        capture_output=True,
        text=True,
        timeout=DEADLINE_S,
        check=False,
    )


@pytest.mark.dear("a server process is killed and recovers in the middle of a log")
@pytest.mark.deep
@pytest.mark.parametrize("policy", ["conservative"])
def test_killed_and_recovered_it_decides_the_same(policy: str, tmp_path: Path) -> None:
    killed = verify(tmp_path / "state", LONG, policy, "after-commit/JobStarted:1000")
    assert killed.returncode == 137, killed.stderr
    done = verify(tmp_path / "state", LONG, policy)
    assert done.returncode == 0, done.stderr
    assert "equal" in done.stdout
    assert "DIFFERENT" not in done.stdout


@pytest.mark.dear("a server process is killed and recovers in the middle of a log")
@pytest.mark.quick(one_in=7)
@pytest.mark.parametrize(
    ("point", "policy"),
    [
        ("before-commit:100", "conservative"),
        ("after-commit/JobsSubmitted:50", "conservative"),
        ("after-commit/JobEnded:40", "conservative"),
        ("before-answer:100", "easy"),
        ("before-send:60", "srpt"),
        ("before-snapshot:2", "conservative"),
        ("after-snapshot:2", "srpt"),
    ],
)
def test_killed_at_a_named_point_the_decisions_are_the_same(point: str, policy: str, tmp_path: Path) -> None:
    killed = verify(tmp_path / "state", SHORT, policy, point)
    assert killed.returncode == 137, killed.stderr
    done = verify(tmp_path / "state", SHORT, policy)
    assert done.returncode == 0, done.stderr
    assert "equal" in done.stdout


@pytest.mark.dear("jobs of a log go through a whole live server")
@pytest.mark.deep
def test_a_difference_is_a_failure(tmp_path: Path) -> None:
    # The state of another policy's run, which has already ended: nothing is left to decide.
    assert verify(tmp_path / "state", SHORT, "fcfs").returncode == 0
    other = verify(tmp_path / "state", SHORT, "srpt")
    assert other.returncode == 1
    assert "differ" in other.stderr
