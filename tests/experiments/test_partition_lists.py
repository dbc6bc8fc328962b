"""Jobs that ask for several partitions, in replays: they start in the first that has room for them."""

from pathlib import Path

import pytest

from molokini.experiments import simulate
from molokini.experiments.result import Result

CONF = """ClusterName=x
NodeName=m[1-2] CPUs=4
NodeName=k[1-2] CPUs=4
PartitionName=second Nodes=k[1-2] MaxTime=1:00:00
PartitionName=first Nodes=m[1-2] Default=YES MaxTime=1-0
"""
HEAD = (
    "JobID|User|Account|Partition|QOS|Submit|Start|End|State|ReqCPUS|AllocCPUS|NNodes|TimelimitRaw|SubmitLine"
)
"""Each job runs for ten minutes on a whole node."""


def replayed(folder: Path, rows: list[tuple[str, str, int]], by: str | None = None) -> Result:
    """A replay of jobs by partition, command line and limit in minutes, submitted at once."""
    lines = [
        f"{k}|ann|a|{part}|normal|1000|1000|1600|COMPLETED|4|4|1|{limit}|sbatch {line} x.sh"
        for k, (part, line, limit) in enumerate(rows, 1)
    ]
    (folder / "log").write_text("\n".join([HEAD, *lines]) + "\n", encoding="utf-8")
    (folder / "slurm.conf").write_text(CONF, encoding="utf-8")
    return simulate(str(folder / "log"), policy="slurm", slurm_conf=str(folder / "slurm.conf"), by=by)


def places(found: Result) -> list[tuple[str, str, float]]:
    """Of each job its queue, its nodes and its start."""
    columns = (found.schedule[name].tolist() for name in ("queue", "nodes", "start_s"))
    return [(str(queue), str(nodes), float(at)) for queue, nodes, at in zip(*columns, strict=True)]


def test_a_list_of_partitions_on_the_command_line_leaves_the_choice(tmp_path: Path) -> None:
    both = ("first", "-p first,second", 30)
    found = replayed(tmp_path, [both, ("first", "-p first", 30), ("first", "-p first", 30), both, both])
    assert places(found)[:4] == [
        ("second", "k1:4", 0.0),
        ("first", "m1:4", 0.0),
        ("first", "m2:4", 0.0),
        ("second", "k2:4", 0.0),
    ]
    assert places(found)[4][2] == 600.0


def test_a_job_stays_out_of_a_partition_that_cannot_take_it(tmp_path: Path) -> None:
    # Two hours are too long for one of them.
    found = replayed(tmp_path, [("first", "--partition=second,first", 120)] * 3)
    assert [queue for queue, _, _ in places(found)] == ["first"] * 3
    assert places(found)[2][2] == 600.0


@pytest.mark.parametrize("line", ["-p second", "-p second,third", "", "--partition second,gone"])
def test_what_ran_elsewhere_than_its_list_says_is_of_where_it_ran(line: str, tmp_path: Path) -> None:
    found = replayed(tmp_path, [("first", line, 30)] * 3)
    assert [queue for queue, _, _ in places(found)] == ["first"] * 3


def test_partitions_are_compared_by_where_jobs_ran(tmp_path: Path) -> None:
    found = replayed(tmp_path, [("first", "-pfirst,second", 30)] * 4, by="partition")
    rows = {row["name"]: row["jobs"] for row in found.document["breakdowns"]["partition"]}
    assert rows == {"first": 2, "second": 2}


def test_a_log_may_name_several_in_the_column(tmp_path: Path) -> None:
    # sacct names several of jobs that have not started; logs of other origin may, too.
    found = replayed(tmp_path, [("second,first", "", 30)] * 3)
    assert [queue for queue, _, _ in places(found)] == ["second", "second", "first"]
    lacking = replayed(tmp_path, [("third,first", "", 30)] * 3)
    assert [queue for queue, _, _ in places(lacking)] == ["first"] * 3
    assert any("queue third (3 jobs) not in the configuration" in one for one in lacking.notes)


def test_a_partition_without_jobs_is_never_taken_for_one_that_has_them(tmp_path: Path) -> None:
    # The file begins with the other one.
    assert [queue for queue, _, _ in places(replayed(tmp_path, [("first", "", 120)] * 2))] == ["first"] * 2
