"""GPUs and other generic resources that jobs of a log asked for: replays give them out, too."""

from pathlib import Path
from typing import Any

import pytest

from molokini.experiments import simulate
from molokini.experiments.result import Result

CONF = """\
SchedulerParameters=bf_interval=10,batch_sched_delay=0
SelectTypeParameters=CR_CPU
NodeName=n1 CPUs=8 Gres=gpu:a100:2(S:0-1),shard:8
NodeName=n2 CPUs=8 Gres=gpu:2
PartitionName=batch Nodes=n[1-2] Default=YES
"""
COLUMNS = "JobID|Submit|Start|End|ElapsedRaw|Timelimit|State|ReqCPUS|AllocCPUS|ReqNodes|ReqTRES|Constraints"


def replayed(folder: Path, asked: list[tuple[int, int, str]], policy: str = "slurm", **more: Any) -> Result:
    """A hundred seconds each, all submitted at once: CPUs, nodes, and what stands in ReqTRES."""
    lines = [
        f"{k}|1000|1000|1100|100|00:02:00|COMPLETED|{cpus}|{cpus}|{nodes}|cpu={cpus},node={nodes}{tres}|a&b"
        for k, (cpus, nodes, tres) in enumerate(asked, 1)
    ]
    (folder / "log").write_text("\n".join([COLUMNS, *lines]) + "\n", encoding="utf-8")
    (folder / "slurm.conf").write_text(CONF, encoding="utf-8")
    return simulate(str(folder / "log"), policy=policy, slurm_conf=str(folder / "slurm.conf"), **more)


def starts(result: Result) -> list[float]:
    """When the jobs have started."""
    return list(result.schedule["start_s"])


@pytest.mark.parametrize("policy", ["slurm", "easy"])
def test_a_job_waits_for_gpus_under_every_policy(policy: str, tmp_path: Path) -> None:
    asked = [(1, 1, ",gres/gpu:a100=1,gres/gpu=1")] * 5 + [(1, 1, "")]
    found = starts(replayed(tmp_path, asked, policy))
    assert found[:4] == [0.0] * 4
    assert found[4] >= 100.0
    assert found[5] <= 10.0


def test_each_node_gives_its_part(tmp_path: Path) -> None:
    """A GPU on each of two nodes; what is left has room for one more such job, and for nothing else."""
    found = starts(replayed(tmp_path, [(4, 2, ",gres/gpu=2"), (4, 2, ",gres/gpu=2"), (1, 1, ",gres/gpu=1")]))
    assert found[:2] == [0.0, 0.0]
    assert found[2] >= 100.0


def test_more_than_a_node_has_is_taken_from_several(tmp_path: Path) -> None:
    found = replayed(tmp_path, [(4, 1, ",gres/gpu=4"), (1, 1, ",gres/gpu=9")])
    assert starts(found)[0] == 0.0
    assert found.metrics["refused"] == {"never_placeable": 1}


def test_what_no_node_has_is_told(tmp_path: Path) -> None:
    found = replayed(tmp_path, [(1, 1, ",gres/mps=50"), (1, 1, ",gres/shard=1")])
    notes = [one for one in found.notes if "resource" in one]
    assert notes == ["log: resource gres/mps (1 jobs) not in the configuration: not counted"]
    assert found.document["workload"]["notes"]["constraints_not_replayed"] == 2
