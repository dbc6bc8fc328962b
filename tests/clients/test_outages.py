"""``--node-events`` of every command that replays: from the file to the table, the JSON and the picture."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.clients.command_runs import Ran

Command = Callable[..., Ran]
LOG = """\
; UnixStartTime: 1767603600
; TimeZoneString: Europe/Berlin
; MaxProcs: 8
1 0 -1 3600 4 -1 -1 4 3600 -1 1 1 1 -1 1 -1 -1 -1
2 10 -1 3600 4 -1 -1 4 3600 -1 1 1 1 -1 1 -1 -1 -1
3 20 -1 3600 8 -1 -1 8 3600 -1 1 1 1 -1 1 -1 -1 -1
"""
SACCTMGR = """\
Cluster|NodeName|TimeStart|TimeEnd|State|Reason|User
hpc|node002|2026-01-05T10:30:00|2026-01-05T11:30:00|DOWN|power|root(0)
hpc||2026-01-05T10:30:00|Unknown||Cluster Registered TRES|slurm
"""
NODES = ("--policy", "easy", "--nodes", 2, "--procs-per-node", 4)


@pytest.fixture
def log(tmp_path: Path) -> Path:
    (tmp_path / "log.swf").write_text(LOG)
    (tmp_path / "events.txt").write_text(SACCTMGR)
    (tmp_path / "counted.csv").write_text("time,processors,state\n1800,4,down\n5400,4,up\n")
    return tmp_path / "log.swf"


def test_a_lost_node_in_table_json_and_picture(molokini: Command, log: Path) -> None:
    events, picture = log.with_name("events.txt"), log.with_name("g.svg")
    found = molokini("simulate", log, *NODES, "--node-events", events, "--plot", picture)
    assert "utilization_of_available" in found.out
    assert "72,000 processor-s" in found.out
    assert f"{events}: 1 outage of 1 node, the first from 2026-01-05 10:30 CET, 4 proc" in found.err
    assert "1 event of the cluster, and of no node: left out" in found.err
    assert "drain" not in found.err
    assert "down" in picture.read_text()
    told = molokini("simulate", log, *NODES, "--node-events", events, "--json", "-").json
    outage = {"node": "node002", "processors": 4, "start_s": 1800.0, "end_s": 5400.0, "reason": "power"}
    assert told["cluster"]["outages"] == [outage]
    assert told["metrics"]["requeues"] == 1
    assert told["metrics"]["makespan_s"] == 3 * 3600


def test_jobs_of_a_drained_node_go_on(molokini: Command, log: Path) -> None:
    events = log.with_name("events.txt")
    events.write_text(events.read_text().replace("|DOWN|", "|DRAIN|"))
    found = molokini("simulate", log, *NODES, "--node-events", events, "--json", "-")
    assert "1 drain: its jobs go on, and it takes no new ones" in found.err
    assert found.json["metrics"]["requeues"] == 0


def test_an_outage_may_have_no_end(molokini: Command, log: Path) -> None:
    events = log.with_name("open.csv")
    events.write_text("time,processors,state\n1800,4,down\n")
    found = molokini("simulate", log, "--policy", "easy", "--node-events", events, "--json", "-")
    assert f"{events}: 1 outage, the first from 2026-01-05 10:30 CET, 1 without an end\n" in found.err
    assert found.json["metrics"]["unfinished_jobs"] == 1, "the job of 8 processors waits for the rest"


@pytest.mark.deep
def test_compare_says_what_outages_cost(molokini: Command, log: Path) -> None:
    given = ("--policy", "easy", "--policy", "fcfs", "--node-events", log.with_name("counted.csv"))
    found = molokini("compare", log, *given, "--free-baseline", "--json", "-").json
    assert [one["label"] for one in found["policies"]] == ["easy on the free machine", "easy", "fcfs"]
    spans = [one["metrics"]["makespan_s"] for one in found["results"]]
    assert spans == [2 * 3600 + 10, 3 * 3600, 3 * 3600]
    assert found["workloads"][0]["cluster"]["outages"][0]["processors"] == 4
    picture, folder = log.with_name("d.svg"), log.with_name("schedules")
    files = ("--difference", picture, "--schedules", folder)
    one = ("--policy", "easy", "--node-events", log.with_name("counted.csv"))
    assert molokini("compare", log, *one, "--free-baseline", *files).code == 0
    assert sorted(file.name for file in folder.iterdir()) == ["easy.csv", "easy_on_the_free_machine.csv"]
    assert picture.exists()


def test_an_output_is_no_input(molokini: Command, log: Path) -> None:
    events = log.with_name("counted.csv")
    before = events.read_text()
    given = ("--policy", "easy", "--node-events", events, "--json", events)
    for command in ("simulate", "compare", "capacity", "matrix"):
        assert molokini(command, log, *given).code == 2
    assert events.read_text() == before


def test_the_matrix_has_columns_that_are_away(molokini: Command, log: Path) -> None:
    gang = ("--policy", "gs", "--nodes", 2, "--procs-per-node", 4, "--set", "mpl=2")
    given = (*gang, "--node-events", log.with_name("events.txt"), "--at", 2000)
    found = molokini("matrix", log, *given)
    assert f"{log.with_name('events.txt')}: 1 outage of 1 node" in found.err
    told = molokini("matrix", log, *given, "--json", "-").json
    assert told["cluster"]["outages"][0]["node"] == "node002"
    assert told["instants"][0]["away"] == [[4, 7]]
    assert molokini("matrix", "--node-events", log).code == 2, "a live cluster has outages of its own"


@pytest.mark.deep
def test_capacity_with_half_of_the_machine_for_half_of_the_time(molokini: Command, tmp_path: Path) -> None:
    """Jobs have one processor each, so that none is idle; the figure counts work that is lost."""
    jobs = [f"{k} {10 * k} -1 20 1 -1 -1 1 20 -1 1 1 1 -1 1 -1 -1 -1" for k in range(1, 401)]
    (tmp_path / "log.swf").write_text("\n".join(["; MaxProcs: 8", *jobs, ""]))
    changes = [f"{at},4,down\n{at + 50},4,up" for at in range(0, 4000, 100)]
    (tmp_path / "half.csv").write_text("\n".join(["time,processors,state", *changes, ""]))
    (tmp_path / "open.csv").write_text("time,processors,state\n0,4,down\n")
    capacity = ("capacity", tmp_path / "log.swf", "--policy", "fcfs", "--json", "-")
    for file, share in {"half.csv": 0.75, "open.csv": 0.5}.items():
        for way in (("--full-queue",), ()):
            found = molokini(*capacity, "--node-events", tmp_path / file, *way)
            assert found.json["capacity"]["utilization"]["mean"] == pytest.approx(share, abs=0.015)
            assert found.json["cluster"]["outages"][0]["processors"] == 4
            assert f"{tmp_path / file}: " in found.err


@pytest.mark.parametrize(
    ("command", "given", "why"),
    [
        ("simulate", ("--node-events", "none.csv"), "none.csv: No such file"),
        ("simulate", ("--node-events", "events.txt"), "events.txt:2: node 'node002': .*give --nodes N"),
        ("compare", ("--node-events", "events.txt"), "events.txt:2: node 'node002': .*give --nodes N"),
        ("capacity", ("--node-events", "events.txt"), "events.txt:2: node 'node002': .*give --nodes N"),
        (
            "matrix",
            ("--node-events", "events.txt", "--at", "20"),
            "events.txt:2: node 'node002': .*give --nodes N",
        ),
        ("compare", ("--free-baseline",), "--free-baseline leaves out --reservations and --node-events"),
    ],
)
def test_what_cannot_be_used_is_one_line(
    molokini: Command, log: Path, monkeypatch: pytest.MonkeyPatch, command: str, given: list[str], why: str
) -> None:
    monkeypatch.chdir(log.parent)
    found = molokini(command, log, "--policy", "easy", *given)
    assert (found.code, found.out, found.err.count("\n")) == (2, "", 1)

    assert re.search(why, found.err), found.err
