"""The limit loops start every job when the engine does, so that their ratio compares like with like."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from benchmarks.replays import limit_once, replay_once
from molokini.experiments.choosing import Chosen
from molokini.experiments.replaying import replayed
from molokini.model.machine import Machine
from molokini.policies import load_policy
from molokini.sim.replay import Options, Replay
from molokini.workloads.synthetic import benchmark_workload, hard_workload
from molokini.workloads.workload import Workload
from tests.clients.command_runs import environment

WORKLOADS = [
    benchmark_workload(jobs=3000, load=0.95, seed=2),
    hard_workload(jobs=3000, seed=2),
]


@pytest.mark.quick(one_in=5)
@pytest.mark.parametrize("policy", ["fcfs", "easy", "conservative"])
@pytest.mark.parametrize("workload", WORKLOADS, ids=["benchmark", "hard"])
def test_the_limit_loop_starts_the_same(policy: str, workload: Workload) -> None:
    _, expected = limit_once(workload, 1024, policy)
    _, start_s = replay_once(workload, 1024, policy)
    assert np.array_equal(expected, start_s)
    assert (start_s > workload.submit_s).any(), "nobody waited: the comparison says nothing"


def test_the_benchmark_times_what_the_command_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    calls = []
    run = Replay.run

    def counted(self: Replay, *arguments: object, **options: object) -> bool:
        calls.append(self.policy.name)
        return run(self, *arguments, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(Replay, "run", counted)
    replay_once(WORKLOADS[0], 1024, "easy")
    assert calls == ["easy"]
    policy = load_policy("easy")
    replayed(WORKLOADS[0], Machine.counted(1024), Chosen(policy, policy.declaration.values({})), Options())
    assert calls == ["easy", "easy"]


@pytest.mark.deep
def test_the_whole_benchmark_in_short(tmp_path: Path) -> None:
    output = tmp_path / "bench.json"
    root = Path(__file__).parents[2]
    command = [sys.executable, "-m", "benchmarks", "--jobs", "3000", "--short", "--output", str(output)]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, env=environment())
    assert done.returncode == 0, done.stderr
    results = json.loads(output.read_text())
    assert results["schema"] == "molokini.bench/1"
    assert {row["policy"] for row in results["against_limit"]} == {"fcfs", "easy", "conservative"}
    assert all(row["ratio_to_limit"] > 0 for row in results["against_limit"])
