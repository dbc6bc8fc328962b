import gzip
import json
from collections.abc import Callable
from pathlib import Path

import pyarrow.parquet
import pytest

from molokini.workloads.readers import read_workload
from tests.clients.command_runs import EXAMPLE, Ran, shell, without_run
from tests.core.workloads.builders import log, record

Command = Callable[..., Ran]


def test_json_alone_on_standard_output(molokini: Command, small: Path) -> None:
    ran = molokini("simulate", small, "--policy", "easy", "--json", "-")
    assert (ran.code, ran.err) == (0, "")
    found = ran.json
    assert next(iter(found)) == "schema"
    assert found["schema"] == "molokini.simulate/1"
    assert set(found) == {
        "schema",
        "workload",
        "cluster",
        "policy",
        "options",
        "notes",
        "metrics",
        "intervals",
        "breakdowns",
        "run",
    }
    assert found["workload"]["file"] == "small.swf"
    assert found["workload"]["jobs"] == 4
    assert found["cluster"] == {"processors": 4, "nodes": None, "placement": None}
    assert found["policy"] == {"name": "easy", "parameters": {"order": "queue"}}
    assert set(found["run"]) == {"elapsed_s", "jobs_per_s", "seed", "version"}


def test_metrics_of_a_schedule_known_by_hand(molokini: Command, small: Path) -> None:
    # 1 at 0; 3 passes at 20, ends at 50; 4 would delay 2 (shadow time 100), so 2 at 100 and 4 at 150,
    # where it is killed after 200 s.
    metrics = molokini("simulate", small, "--policy", "easy", "--json", "-").json["metrics"]
    assert metrics["mean_wait_s"] == (0 + 90 + 0 + 120) / 4
    assert metrics["makespan_s"] == 350
    assert metrics["killed_jobs"] == 1
    assert metrics["utilization"] == (300 + 200 + 30 + 200) / (4 * 350)
    assert metrics["tau_s"] == 10


def test_undefined_metrics_are_null(molokini: Command, tmp_path: Path) -> None:
    refused = log(tmp_path, "; MaxProcs: 2", record(1, 0, 10, 3))
    ran = molokini("simulate", refused, "--policy", "fcfs", "--json", "-")
    assert ran.json["metrics"]["mean_wait_s"] is None
    assert ran.json["metrics"]["refused"] == {"wider_than_machine": 1}
    assert "NaN" not in ran.out


def test_where_no_job_can_run_it_is_told_and_the_exit_code_is_2(molokini: Command, tmp_path: Path) -> None:
    wide = log(tmp_path, "; MaxProcs: 2", record(1, 0, 10, 3), record(2, 0, 10, 4))
    ran = molokini("simulate", wide, "--policy", "fcfs", "--json", tmp_path / "found.json")
    told = "no job can run here: 2 wider_than_machine; give another machine (--procs, --nodes) or --policy"
    assert (ran.code, ran.err) == (2, f"molokini: {told}\n")
    assert "jobs refused: 2 (2 wider_than_machine)" in ran.out
    assert "warning" not in ran.out
    found = json.loads((tmp_path / "found.json").read_text())
    assert found["metrics"]["refused"] == {"wider_than_machine": 2}


def test_a_policy_that_takes_no_job_of_the_workload_is_told(molokini: Command) -> None:
    ran = molokini("simulate", "--workload", "das", "--set", "jobs=20", "--policy", "conservative")
    assert ran.code == 2
    assert "no job can run here: 20 needs_nodes; " in ran.err


def test_that_every_deadline_is_refused_is_a_result(molokini: Command) -> None:
    tight = ["--set", "dcratio=0.01", "--set", "time=1e5", "--procs", "1"]
    ran = molokini("simulate", "--workload", "divisible", *tight, "--policy", "edf-opr-an", "--json", "-")
    assert (ran.code, ran.json["metrics"]["reject_ratio"]) == (0, 1.0)


def test_table_says_what_matters(molokini: Command, small: Path) -> None:
    ran = molokini("simulate", small, "--policy", "easy", "--by", "size,user,queue,run_time")
    assert ran.code == 0
    for text in ("mean_wait_s", "52.50 s", "utilization", "by size", "by user", "by queue", "no interval"):
        assert text in ran.out


def test_every_number_of_the_table_is_in_the_json(molokini: Command, small: Path, tmp_path: Path) -> None:
    from molokini.clients.show.rich_tables import _SHOWN

    found = molokini("simulate", small, "--policy", "easy", "--json", "-").json
    assert set(_SHOWN) <= set(found["metrics"])


def test_refused_and_skipped_are_told(molokini: Command, tmp_path: Path) -> None:
    lines = [record(1, 0, 10, 3), record(2, 0, 10, 1), "1 2 3", record(3, 5, -1, 1)]
    path = log(tmp_path, "; MaxProcs: 2", *lines)
    ran = molokini("simulate", path, "--policy", "fcfs")
    assert "jobs refused: 1 (1 wider_than_machine)" in ran.out
    assert "records skipped: 2 (1 wrong_field_count, 1 run_time_negative)" in ran.out


def test_schedule_as_csv(molokini: Command, small: Path, tmp_path: Path) -> None:
    ran = molokini("simulate", small, "--policy", "easy", "--schedule", tmp_path / "s.csv")
    assert ran.code == 0
    assert (tmp_path / "s.csv").read_text().splitlines() == [
        "job,submit_s,start_s,end_s,processors,estimate_s,run_s,"
        "suspended_s,suspensions,requeues,checkpoints,lost_s,user,group,queue,status",
        "1,0,0,100,3,100,100,0,0,0,0,0,1,-1,1,completed",
        "2,10,100,150,4,60,50,0,0,0,0,0,2,-1,1,completed",
        "3,20,20,50,1,40,30,0,0,0,0,0,1,-1,2,completed",
        "4,30,150,350,1,200,200,0,0,0,0,0,2,-1,2,killed",
    ]


def test_a_refused_job_has_empty_cells(molokini: Command, tmp_path: Path) -> None:
    path = log(tmp_path, "; MaxProcs: 2", record(1, 0, 10, 3), record(2, 0.5, 0.25, 1))
    for name in ("s.csv", "s.csv.gz", "s.parquet", "s.swf"):
        assert molokini("simulate", path, "--policy", "fcfs", "--schedule", tmp_path / name).code == 0
    text = (tmp_path / "s.csv").read_text()
    assert text.splitlines()[1:] == [
        "1,0,,,3,10,,,0,0,0,0,-1,-1,-1,refused",
        "2,0.5,0.5,0.75,1,0.25,0.25,0,0,0,0,0,-1,-1,-1,completed",
    ]
    assert gzip.decompress((tmp_path / "s.csv.gz").read_bytes()).decode() == text
    rows = pyarrow.parquet.read_table(tmp_path / "s.parquet").to_pylist()
    assert rows[0]["start_s"] is None
    assert rows[0]["job"] == 1
    assert rows[1]["end_s"] == 0.75
    assert (tmp_path / "s.swf").read_text().splitlines()[-2].split()[:5] == ["1", "0", "-1", "-1", "-1"]


def test_schedule_as_swf_is_a_log(molokini: Command, small: Path, tmp_path: Path) -> None:
    path = tmp_path / "s.swf.gz"
    assert molokini("simulate", small, "--policy", "easy", "--schedule", path).code == 0
    again = read_workload(path, strict=True)
    assert again.header.first("MaxProcs") == "4"
    assert "policy easy" in again.header.lines[-1]
    assert again.records[:, 2].tolist() == [0, 90, 0, 120]  # wait
    assert again.records[:, 3].tolist() == [100, 50, 30, 200]  # run time
    assert again.records[:, 10].tolist() == [1, 1, 1, 0]  # status: the last was killed


def test_wait_and_run_time_of_a_preempted_job_reach_its_end(
    molokini: Command, small: Path, tmp_path: Path
) -> None:
    for name in ("s.swf", "s.csv"):
        assert molokini("simulate", small, "--policy", "ps", "--schedule", tmp_path / name).code == 0
    ends = [float(line.split(",")[3]) for line in (tmp_path / "s.csv").read_text().splitlines()[1:]]
    records = read_workload(tmp_path / "s.swf", strict=True).records
    assert (records[:, 1] + records[:, 2] + records[:, 3]).tolist() == pytest.approx(ends)


@pytest.mark.parametrize("name", ["s.csv", "s.csv.gz", "s.swf.gz", "s.parquet"])
def test_same_command_same_bytes(molokini: Command, tmp_path: Path, name: str) -> None:
    contents = []
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        path = tmp_path / folder / name
        assert molokini("simulate", EXAMPLE, "--policy", "easy", "--jobs", 300, "--schedule", path).code == 0
        contents.append(path.read_bytes())
    assert contents[0] == contents[1]


def test_nodes_are_a_machine_too(molokini: Command, small: Path) -> None:
    arguments = ("--nodes", 2, "--procs-per-node", 2, "--placement", "worst-fit", "--json", "-")
    found = molokini("simulate", small, "--policy", "easy", *arguments).json
    assert found["cluster"] == {"processors": 4, "nodes": 2, "placement": "worst-fit"}
    counted = molokini("simulate", small, "--policy", "easy", "--json", "-").json
    assert found["metrics"] == counted["metrics"]


def test_options_reach_the_replay(molokini: Command, small: Path) -> None:
    def mean_wait(*options: object) -> float:
        found = molokini("simulate", small, "--policy", "easy", "--json", "-", *options).json
        return float(found["metrics"]["mean_wait_s"])

    base = mean_wait()
    assert mean_wait("--load-factor", 0.01) < base
    assert mean_wait("--procs", 16) == 0
    assert mean_wait("--jobs", 1) == 0
    extended = molokini("simulate", small, "--policy", "easy", "--overrun", "extend", "--json", "-").json
    assert extended["metrics"]["killed_jobs"] == 0
    assert extended["metrics"]["last_end_s"] == 650
    assert molokini("simulate", small, "--policy", "easy", "--ties", "each").code == 0


def test_parameters_by_set_and_in_the_name(molokini: Command, small: Path) -> None:
    by_set = molokini("simulate", small, "--policy", "easy", "--set", "order=shortest", "--json", "-").json
    in_name = molokini("simulate", small, "--policy", "easy?order=shortest", "--json", "-").json
    assert by_set["policy"]["parameters"] == {"order": "shortest"}
    assert without_run(by_set) == without_run(in_name)
    cutoffs = molokini("simulate", small, "--policy", "sita-e", "--set", "cutoffs=50,100", "--json", "-").json
    assert cutoffs["policy"]["parameters"] == {"cutoffs": [50, 100]}


def test_generated_workloads(molokini: Command) -> None:
    spec = "synthetic:benchmark?jobs=300&load=0.9&processors=64"
    first = molokini("simulate", spec, "--policy", "easy", "--json", "-").json
    assert first["workload"]["jobs"] == 300
    assert first["cluster"]["processors"] == 64
    again = molokini("simulate", spec, "--policy", "easy", "--json", "-").json
    assert without_run(first) == without_run(again)
    other = molokini("simulate", spec, "--policy", "easy", "--seed", 5, "--json", "-").json
    assert other["metrics"] != first["metrics"]


@pytest.mark.quick(one_in=2)
@pytest.mark.parametrize("ending", ["png", "svg"])
def test_picture(molokini: Command, small: Path, tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"p.{ending}"
    assert molokini("simulate", small, "--policy", "easy", "--plot", path).code == 0
    assert path.read_bytes()[:4] in (b"\x89PNG", b"<?xm")


def test_copies_of_each_job(molokini: Command, small: Path, tmp_path: Path) -> None:
    path = tmp_path / "s.parquet"
    arguments = ("simulate", small, "--policy", "easy", "--clone", 3, "--load-factor", 100)
    found = molokini(*arguments, "--schedule", path, "--json", "-").json
    assert (found["workload"]["jobs"], found["workload"]["clone"]) == (12, 3)
    submits = {row["job"]: row["submit_s"] for row in pyarrow.parquet.read_table(path).to_pylist()}
    assert sorted(submits) == list(range(1, 13))
    for job in range(1, 5):
        # The load factor moves the jobs of the log; a copy follows its job by whole seconds.
        assert submits[job] == (job - 1) / 10
        later = [submits[job + step] - submits[job] for step in (4, 8)]
        assert all(1 <= gap <= 600 and gap == pytest.approx(round(gap)) for gap in later)
    other = molokini(*arguments, "--seed", 1, "--json", "-").json
    assert other["metrics"] != found["metrics"]
    assert without_run(molokini(*arguments, "--json", "-").json) == without_run(found)
    shown = molokini(*arguments).out
    assert "12 jobs" in shown
    assert "each job 3 times, the copies 1 to 600 s later" in shown


def test_one_copy_is_the_log_as_it_is(molokini: Command, small: Path) -> None:
    once = molokini("simulate", small, "--policy", "easy", "--clone", 1, "--json", "-").json
    assert without_run(once) == without_run(
        molokini("simulate", small, "--policy", "easy", "--json", "-").json
    )


def test_unusual_rules_are_told(molokini: Command, small: Path) -> None:
    usual = molokini("simulate", small, "--policy", "easy").out.splitlines()[0]
    assert usual.endswith("4 processors")
    rules = ("--overrun", "extend", "--ties", "each")
    for more in (("simulate", small), ("compare", small, "--policy", "fcfs")):
        told = molokini(*more, "--policy", "easy", *rules).out.splitlines()[0]
        assert told.endswith("4 processors, overrun extend, a pass for each event")


@pytest.mark.deep
@pytest.mark.parametrize("ending", ["png", "svg"])
def test_convergence(molokini: Command, small: Path, tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"c.{ending}"
    arguments = ("--batch-size", 2, "--tau", 5, "--convergence", path, "--plot", tmp_path / "p.png")
    assert molokini("simulate", small, "--policy", "easy", *arguments).code == 0
    assert path.read_bytes()[:4] in (b"\x89PNG", b"<?xm")
    assert (tmp_path / "p.png").exists()


def test_a_header_full_of_shell_and_terminal_signs(molokini: Command, tmp_path: Path) -> None:
    hostile = "$(rm -rf ~) `id` \"'|;&<>\\ [red]x[/red] $x^2$ \x1b]0;title\x07\x1b[31m \u202etxt"
    name = "evil [b]$(x)\x1b[31m.swf"
    path = log(tmp_path, f"; Computer: {hostile}", "; MaxProcs: 4", record(1, 0, 10, 2), name=name)
    plot = tmp_path / "p.svg"
    ran = molokini("simulate", path, "--policy", "easy", "--json", tmp_path / "r.json", "--plot", plot)
    assert ran.code == 0
    assert "\x1b" not in ran.out
    assert "evil [b]$(x)\\x1b[31m.swf" in ran.out
    assert plot.stat().st_size > 0
    text = (tmp_path / "r.json").read_text()
    assert all(" " <= sign < "\x7f" or sign == "\n" for sign in text)
    found = json.loads(text)
    assert found["workload"]["header"][0] == {"label": "Computer", "value": hostile}
    assert found["workload"]["file"] == name
    shown = molokini("workload", "info", path)
    assert "$(rm -rf ~) `id`" in shown.out
    assert "\x1b" not in shown.out
    assert "\u202e" not in shown.out
    assert molokini("workload", "info", path, "--json", "-").json["header"] == found["workload"]["header"]


def test_in_a_shell_of_its_own(small: Path) -> None:
    ran = shell("simulate", small, "--policy", "fcfs", "--json", "-", LANG="C", LC_ALL="C")
    assert (ran.code, ran.err) == (0, "")
    assert ran.json["metrics"]["finished_jobs"] == 4
