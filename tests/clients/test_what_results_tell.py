"""What a result tells beside its means: who did not finish and why, interruptions, overload, leftovers."""

from collections.abc import Callable
from pathlib import Path

import pytest

from molokini.model.errors import BadFile
from molokini.workloads.atomic import atomic_path
from tests.clients.command_runs import EXAMPLE, Ran
from tests.core.workloads.builders import log, record

Command = Callable[..., Ran]
NEVER = '''"""Starts nobody."""
from molokini.model.policy import Policy
from molokini.tables.tables import View

POLICY = Policy(name="never", summary="starts nobody", promise="none", source="a test")


def schedule(view: View, now: float) -> None:
    names = {1: "plain Python: nothing to compile"}
    sorted(names, key=lambda one: names[one])
'''


def test_a_policy_that_starts_nobody_is_not_a_success(molokini: Command, small: Path, tmp_path: Path) -> None:
    policy = tmp_path / "never.py"
    policy.write_text(NEVER)
    ran = molokini("simulate", small, "--policy", policy, "--json", tmp_path / "r.json")
    assert ran.code == 2
    assert ran.err == f"molokini: policy {policy} started none of 4 jobs: 4 no_reason_given\n"
    assert "jobs that never finished: 4 (4 no_reason_given)" in ran.out


def test_jobs_that_never_finish_are_counted_by_rule(molokini: Command, tmp_path: Path) -> None:
    jobs = [record(k, k, 10, 2 if k < 4 else 4, requested_s=10, user=1) for k in range(1, 7)]
    given = log(tmp_path, "; MaxProcs: 8", *jobs, name="over.swf")
    config = tmp_path / "maui.cfg"
    config.write_text("USERCFG[DEFAULT] MAXPROC=3\n")
    asked = ("simulate", given, "--policy", "maui", "--maui-config", config)
    metrics = molokini(*asked, "--json", "-").json["metrics"]
    assert metrics["finished_jobs"] == 3
    assert metrics["unfinished"] == {"over_hard_limit": 3}
    assert "jobs that never finished: 3 (3 over_hard_limit)" in molokini(*asked).out


def test_jobs_that_never_fit_beside_a_daily_reservation_are_named(molokini: Command, tmp_path: Path) -> None:
    hour_s = 3600
    # 40 of 100 processors are free at all times, the others from 16:00 to 8:00: 16 hours, and not 17.
    jobs = [record(k, k, 10, 80, requested_s=length * hour_s) for k, length in ((1, 16), (2, 17), (3, 17))]
    given = log(tmp_path, "; MaxProcs: 100", *jobs, name="daily.swf")
    config = tmp_path / "maui.cfg"
    config.write_text("SRCFG[d] USERLIST=nobody TASKCOUNT=60 STARTTIME=8:00:00 ENDTIME=16:00:00\n")
    ran = molokini("simulate", given, "--policy", "maui", "--maui-config", config)
    assert "jobs that never finished: 2 (2 reserved_for_others)" in ran.out
    assert "note: 2 jobs never fitted beside what reservations keep for others" in ran.out


def test_interruptions_are_counted_and_the_work_that_is_lost(molokini: Command, small: Path) -> None:
    ran = molokini("simulate", small, "--policy", "srpt", "--json", "-").json["metrics"]
    assert ran["suspensions"] >= ran["suspended_jobs"] >= 1
    assert (ran["requeues"], ran["checkpoints"], ran["lost_work_processor_s"]) == (0, 0, 0.0)
    none = molokini("simulate", small, "--policy", "easy", "--json", "-").json["metrics"]
    assert (none["suspensions"], none["suspended_jobs"], none["requeued_jobs"]) == (0, 0, 0)
    assert "suspension" in molokini("simulate", small, "--policy", "srpt").out


def test_overload_is_named_and_its_means_are_marked(molokini: Command) -> None:
    asked = ("simulate", EXAMPLE, "--jobs", 1500, "--policy", "easy")
    calm = molokini(*asked, "--json", "-").json["metrics"]
    assert calm["overloaded"] is False
    assert calm["offered_load"] < calm["served_load"] <= 1
    ran = molokini(*asked, "--clone", 3)
    assert "warning: overload: the jobs offer " in ran.out
    marked = next(line for line in ran.out.splitlines() if line.strip().startswith("mean_wait_s"))
    assert marked.endswith("(!)")
    assert "overload" not in molokini(*asked).out


@pytest.mark.deep
def test_a_policy_that_is_overloaded_at_several_factors_has_one_line_for_all(molokini: Command) -> None:
    asked = ("compare", "benchmark?jobs=300&processors=16&load=0.9", "--policy", "fcfs", "--policy", "easy")
    out = molokini(*asked, "--run-time-factor", "2:4:1").out
    warned = [line for line in out.splitlines() if "overload" in line]
    assert [line.split(":")[1].split()[0] for line in warned] == ["fcfs", "easy"]
    for line in warned:
        assert line.endswith("run-time factor 2; run-time factor 3; run-time factor 4")
    one = [line for line in molokini(*asked, "--run-time-factor", "3").out.splitlines() if "overload" in line]
    assert len(one) == 2
    assert all("are served while jobs wait" in line for line in one)


def test_sita_says_what_is_never_used(molokini: Command, small: Path) -> None:
    note = "sita-e: 3 equal partitions of 1 processors each; 1 of the 4 processors are never used"
    ran = molokini("simulate", small, "--policy", "sita-e", "--set", "cutoffs=50,100", "--json", "-")
    assert ran.json["notes"] == [note]
    assert ran.err == f"molokini: {note}\n"
    assert molokini("simulate", small, "--policy", "sita-e", "--json", "-").json["notes"] == []
    assert "P mod h processors are never used" in molokini("policies", "sita-e").out


def test_contiguous_nodes_need_a_policy_that_chooses_nodes(molokini: Command, small: Path) -> None:
    nodes = ("--nodes", 4, "--procs-per-node", 4, "--placement", "contiguous")
    ran = molokini("simulate", small, "--policy", "conservative", *nodes)
    assert ran.code == 2
    assert "under conservative, which counts processors and chooses no nodes" in ran.err


def test_the_list_of_models_names_the_command_that_lists_their_parameters(molokini: Command) -> None:
    assert "(molokini workload models divisible lists them)" in molokini("workload", "models").out


def test_what_is_skipped_is_said_to_be_of_the_whole_file(molokini: Command, tmp_path: Path) -> None:
    jobs = [record(k, k, 10, 1) for k in range(1, 5)]
    given = log(tmp_path, "; MaxProcs: 8", *jobs, record(9, 9, -1, 1), name="part.swf")
    assert (
        "records skipped (of the whole file): 1"
        in molokini("simulate", given, "--policy", "fcfs", "--jobs", 2).out
    )
    assert "records skipped: 1" in molokini("simulate", given, "--policy", "fcfs").out


def test_a_full_disk_is_said_in_the_systems_words(tmp_path: Path) -> None:
    def full() -> None:
        with atomic_path(tmp_path / "s.parquet"):
            raise OSError(28, "Error writing bytes to file. Detail: [errno 28] No space left on device")

    with pytest.raises(BadFile, match=r"s\.parquet: No space left on device$"):
        full()
    assert list(tmp_path.iterdir()) == []
