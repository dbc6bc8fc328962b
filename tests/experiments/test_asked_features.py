"""Features that jobs of a log asked of nodes: replays keep the jobs to such nodes."""

from pathlib import Path
from typing import Any

import pytest

from molokini.experiments import compare, simulate
from molokini.experiments.result import Result

CONF = """\
SchedulerParameters=bf_interval=10,batch_sched_delay=0
SelectTypeParameters=CR_CPU
NodeName=n1 CPUs=8 Features=intel,ib
NodeName=n2 CPUs=8 Features=amd,ib
NodeName=n3 CPUs=8 Features=amd
PartitionName=batch Nodes=n[1-3] Default=YES
"""
PLAIN = CONF.replace(" Features=intel,ib", "").replace(" Features=amd,ib", "").replace(" Features=amd", "")
COLUMNS = "JobID|Submit|Start|End|ElapsedRaw|Timelimit|State|ReqCPUS|AllocCPUS|ReqNodes|Constraints"
NOTE = "constraints_not_replayed"
Asked = list[tuple[int, str]]


def written(folder: Path, asked: Asked, conf: str = CONF) -> dict[str, Any]:
    """A hundred seconds each, all submitted at once: so many whole nodes, and what they must have."""
    lines = []
    for k, (nodes, constraint) in enumerate(asked, 1):
        cells = f"{k}|1000|1000|1100|100|00:02:00|COMPLETED|{8 * nodes}|{8 * nodes}|{nodes}"
        # As packs have it: what parts alternatives parts cells, too.
        lines.append(f"{cells}|{constraint.replace('|', '/')}")
    (folder / "log").write_text("\n".join([COLUMNS, *lines]) + "\n", encoding="utf-8")
    (folder / "slurm.conf").write_text(conf, encoding="utf-8")
    return {"log": str(folder / "log"), "slurm_conf": str(folder / "slurm.conf")}


def replayed(folder: Path, asked: Asked, policy: str = "slurm", conf: str = CONF, **more: Any) -> Result:
    given = written(folder, asked, conf)
    return simulate(given["log"], policy=policy, slurm_conf=given["slurm_conf"], **more)


def rounds(result: Result) -> list[int]:
    """Whether each job has started at once (0), after those (1), and so on."""
    return [int(start_s // 100) for start_s in result.schedule["start_s"]]


@pytest.mark.parametrize("policy", ["slurm", "easy", "fcfs"])
@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        # n1 alone is intel, and n2 and n3 are amd.
        ([(1, "amd"), (1, "amd"), (1, "intel"), (1, "intel")], [0, 0, 0, 1]),
        # n2 alone is both.
        ([(1, "amd&ib"), (1, "intel"), (1, "amd&ib")], [0, 0, 1]),
        ([(1, "intel|amd"), (1, "intel|amd"), (1, "intel|amd"), (1, "intel|amd")], [0, 0, 0, 1]),
        # n1 and n2; n3 is left to the last but one.
        ([(1, "(intel|amd)&ib"), (1, "(intel|amd)&ib"), (1, "amd"), (1, "ib")], [0, 0, 0, 1]),
        # Two alike are n2 and n3.
        ([(2, "[intel|amd]"), (1, "intel"), (1, "amd")], [0, 0, 1]),
        # n1 and n2, so n3 is left, which has no ib.
        ([(2, "intel*1&ib*1"), (1, "amd"), (1, "ib")], [0, 0, 1]),
        ([(2, "ib*2"), (1, ""), (1, "ib|amd")], [0, 0, 1]),
        # Who asks for nothing goes anywhere.
        ([(1, ""), (1, ""), (1, ""), (1, "intel")], [0, 0, 0, 1]),
    ],
)
def test_jobs_run_on_nodes_that_have_what_they_ask_for(
    policy: str, asked: Asked, expected: list[int], tmp_path: Path
) -> None:
    found = replayed(tmp_path, asked, policy)
    assert rounds(found) == expected
    assert NOTE not in found.document["workload"]["notes"]


@pytest.mark.parametrize("policy", ["slurm", "easy"])
def test_what_no_node_has_is_counted_and_told(policy: str, tmp_path: Path) -> None:
    """Names that no node has, an expression that means nothing, more numbers of nodes than nodes."""
    asked = [(1, "gone"), (1, "intel&gone"), (1, "amd&&ib"), (2, "amd*2&ib*1"), (1, "gone"), (1, "intel")]
    found = replayed(tmp_path, asked, policy)
    assert found.document["workload"]["notes"][NOTE] == 5
    [told] = [note for note in found.notes if "constraint" in note]
    assert told == (
        "log: constraint gone, intel&gone, amd&&ib and 1 more (5 jobs) cannot be met by nodes of the "
        "configuration: replayed on any"
    )
    assert not found.metrics["refused"]


def test_more_nodes_than_have_it_is_refused(tmp_path: Path) -> None:
    found = replayed(tmp_path, [(2, "intel"), (1, "amd")], "easy")
    assert found.metrics["refused"] == {"never_placeable": 1}


@pytest.mark.parametrize("policy", ["slurm", "easy"])
def test_nodes_without_features_change_nothing(policy: str, tmp_path: Path) -> None:
    """Counted as ever: no node of the file has any, or none is asked for."""
    asked = [(1, "amd"), (1, "amd"), (1, "amd"), (1, "")]
    found = replayed(tmp_path, asked, policy, PLAIN)
    assert rounds(found) == [0, 0, 0, 1]
    assert found.document["workload"]["notes"][NOTE] == 3
    assert not [note for note in found.notes if "constraint" in note]
    nothing = [
        {**replayed(tmp_path, [(1, "")] * 4, policy, conf).document, "run": None, "policy": None}
        for conf in (PLAIN, CONF)
    ]
    assert nothing[0] == nothing[1]


def test_a_policy_that_counts_processors_heeds_none(tmp_path: Path) -> None:
    found = replayed(tmp_path, [(1, "intel"), (1, "intel"), (1, "amd")], "conservative")
    assert found.document["workload"]["notes"][NOTE] == 3
    assert not found.metrics["refused"]


def test_a_comparison_counts_what_is_left(tmp_path: Path) -> None:
    given = written(tmp_path, [(1, "intel"), (1, "intel"), (1, "gone")])
    found = compare(given["log"], policies=["easy", "slurm"], slurm_conf=given["slurm_conf"])
    assert found.document["workloads"][0]["notes"][NOTE] == 1
    ends = [row["metrics"]["makespan_s"] for row in found.document["results"]]
    assert len(ends) == 3
    assert all(end_s >= 200.0 for end_s in ends)


def test_only_so_many_features_as_a_word_has_bits(tmp_path: Path) -> None:
    """The first sixty-two that jobs ask for."""
    names = [f"f{k}" for k in range(70)]
    conf = CONF.replace("intel,ib", ",".join(names))
    found = replayed(tmp_path, [(1, name) for name in names], "easy", conf)
    assert found.document["workload"]["notes"][NOTE] == 8
