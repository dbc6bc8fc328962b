"""A cluster inside a test: outcomes, faults, clock, and that nothing of it is left behind."""

import os
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

from molokini.compat.failures import NoServer
from molokini.compat.unix_transport import Gateway
from molokini.model.errors import BadValue, Conflict, UnknownName
from molokini.testing import Cluster, cluster
from molokini.testing.faults import Faults
from tests.kit.waiting import waited


@pytest.fixture
def one(molokini_cluster: Cluster) -> Cluster:
    return molokini_cluster


def submit(one: Cluster, name: str = "", **spec: Any) -> int:
    asked = {"name": name, "estimate_s": 100, **spec}
    return int(one.call("JobService", "Submit", spec=asked)["job_id"])


def ends(one: Cluster, *numbers: int) -> list[tuple[Any, ...]]:
    """State, exit code and seconds of run of each."""
    found = [one.job(number) for number in numbers]
    return [
        (job["state"], job.get("exit_code", 0), job.get("end_s", 0) - job.get("start_s", 0)) for job in found
    ]


def test_commands_are_on_the_path(one: Cluster) -> None:
    done = one.run("sbatch", "--parsable", "--wrap", "true")
    assert (done.returncode, done.stdout, done.stderr) == (0, "1\n", "")
    assert one.job(done.stdout.strip())["state"] == "RUNNING"


def test_the_clock_stands_until_it_is_turned(one: Cluster) -> None:
    number = submit(one)
    start_s = one.clock.now_s
    one.clock.advance(99)
    assert one.job(number)["state"] == "RUNNING"
    assert one.clock.advance(1) == start_s + 100
    assert ends(one, number) == [("COMPLETED", 0, 100)]


def test_outcomes_by_name(one: Cluster) -> None:
    one.outcomes.add(name="align*", exit_code=137, after_s=3)
    one.outcomes.add(name="*", after_s=7)
    numbers = [submit(one, "align-1"), submit(one, "other"), submit(one, "mine", outcome={"run_s": 9})]
    one.clock.advance(1000)
    assert ends(one, *numbers) == [("FAILED", 137, 3), ("COMPLETED", 0, 7), ("COMPLETED", 0, 9)]


def test_outcomes_in_a_sequence(one: Cluster) -> None:
    one.outcomes.add(name="try", sequence=[{"exit_code": 1, "after_s": 1}, {"signal": 9, "after_s": 2}])
    numbers = [submit(one, "try") for _ in range(3)]
    one.clock.advance(1000)
    assert ends(one, *numbers) == [("FAILED", 1, 1), ("FAILED", 0, 2), ("COMPLETED", 0, 100)]


def test_outcomes_by_a_function(one: Cluster) -> None:
    seen = []

    def say(job: Any) -> dict[str, Any] | None:
        seen.append((job.name, job.argv, job.environment))
        return {"exit_code": 3} if job.environment.get("FAIL") else None

    one.outcomes.add(call=say)
    numbers = [submit(one, "a", argv=["x"], environment={"FAIL": "1"}), submit(one, "b")]
    one.clock.advance(1000)
    assert ends(one, *numbers) == [("FAILED", 3, 100), ("COMPLETED", 0, 100)]
    assert seen == [("a", ("x",), {"FAIL": "1"}), ("b", (), {})]


def test_outcomes_that_are_none(one: Cluster) -> None:
    with pytest.raises(
        BadValue, match="outcome: 'exitcode' is not allowed; it must be one of after_s, exit_code"
    ):
        one.outcomes.add(exitcode=3)
    with pytest.raises(BadValue, match="exit_code: 'three' is not allowed"):
        one.outcomes.add(exit_code="three")
    for wrong in ({"exit_code": 256}, {"signal": -1}, {"after_s": float("nan")}, {"node_dies_after_s": -0.5}):
        [(name, value)] = wrong.items()
        with pytest.raises(BadValue, match=f"{name}: {value} is not allowed; it must be from 0 to "):
            one.outcomes.add(sequence=[{}, wrong])
    assert submit(one) == 1
    with pytest.raises(Conflict, match=r"say one of"):
        one.outcomes.add(name="x")
    with pytest.raises(Conflict, match=r"say one of"):
        one.outcomes.add(exit_code=3, call=lambda job: None)


def test_a_listing_that_is_empty_once(one: Cluster) -> None:
    submit(one)
    one.faults.empty("ListJobs")
    assert [len(one.jobs()) for _ in range(3)] == [0, 1, 1]


def test_an_answer_that_goes_astray(one: Cluster) -> None:
    """A client that repeats with its key gets the first one's number; one without a key hears of it."""
    one.faults.lose("Submit", times=2)
    done = one.run("sbatch", "--parsable", "--wrap", "true")
    assert (done.returncode, done.stdout, len(one.jobs())) == (0, "1\n", 1)


def test_a_server_that_is_not_ready(one: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MOLOKINI_TIMEOUT_S", "0.2")
    one.faults.refuse("Submit", "on holiday", times=100)
    with pytest.raises(NoServer, match="on holiday"):
        submit(one)
    assert one.jobs() == []
    one.faults.clear()
    assert submit(one) == 1


def test_accounting_that_lags(one: Cluster) -> None:
    number = submit(one)
    one.faults.accounting_delay_s = 60
    one.clock.advance(100)
    assert one.jobs() == []
    one.clock.advance(60)
    assert [job["id"] for job in one.jobs()] == [number]


@pytest.mark.parametrize("seconds", [-1, float("nan"), float("inf")])
def test_a_lag_that_cannot_be(seconds: float) -> None:
    with pytest.raises(BadValue, match=r"accounting_delay_s: .* a number of seconds from 0"):
        Faults(Path("none")).accounting_delay_s = seconds


def test_an_answer_that_comes_late(one: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MOLOKINI_TIMEOUT_S", "0.3")
    one.faults.delay("Submit", 30)
    done = one.run("sbatch", "--parsable", "--wrap", "true")
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    assert len(one.jobs()) == 1


@pytest.mark.parametrize(("method", "error"), [("Submitt", UnknownName), ("WatchJobs", UnknownName)])
def test_methods_that_there_are_not(one: Cluster, method: str, error: type[Exception]) -> None:
    with pytest.raises(error, match="no method named"):
        one.faults.lose(method)


@pytest.mark.molokini(nodes=2, processors=3, policy="fcfs", systems=["slurm"])
def test_what_cluster_is_said_by_the_mark(one: Cluster) -> None:
    found = one.call("ClusterService", "GetCluster")
    assert (found["nodes"], found["processors"]) == (2, 6)
    assert one.call("ClusterService", "GetPolicy")["name"] == "fcfs"
    assert not (one.bin / "qsub").exists()


@pytest.mark.molokini(mode="process", processors=2)
def test_jobs_that_really_run(one: Cluster, tmp_path: Path) -> None:
    number = submit(
        one, argv=["sh", "-c", "echo here; exit 3"], working_directory=str(tmp_path), stdout_path="out"
    )
    [job] = one.wait(number)
    assert (job["state"], job["exit_code"]) == ("FAILED", 3)
    assert (tmp_path / "out").read_text() == "here\n"


def test_nothing_is_left_behind() -> None:
    with cluster():
        pass  # a process keeps the threads of gRPC and of the host, whatever the number of clusters
    before = set(threading.enumerate())
    with cluster() as one:
        folder, transport = one.folder, Gateway(str(one.folder / "state" / "socket"))
        submit(one)
        assert transport.call("JobService", "ListJobs", {})["jobs"]
    assert not folder.exists()
    with pytest.raises(NoServer):
        transport.call("JobService", "ListJobs", {})
    assert {thread.name for thread in set(threading.enumerate()) - before} == set()


def test_two_clusters_do_not_know_each_other() -> None:
    with cluster() as first, cluster(nodes=1) as second:
        first.outcomes.add(exit_code=9)
        numbers = submit(first), submit(second), submit(second)
        assert numbers == (1, 1, 2)
        first.clock.advance(1000)
        assert first.job(1)["exit_code"] == 9
        assert second.job(1)["state"] == "RUNNING"


def test_a_cluster_goes_where_its_test_fails() -> None:
    with pytest.raises(ZeroDivisionError), cluster() as one:
        raise ZeroDivisionError
    assert not os.path.exists(one.folder)


@pytest.mark.parametrize(
    ("given", "text"),
    [
        ({"mode": "pretend"}, "mode: 'pretend' is not allowed; it must be emulate or process"),
        ({"mode": "process", "clock": "virtual"}, "real jobs take real time; the clock is virtual"),
        ({"mode": "process", "nodes": 3}, "nodes: with mode process this machine is the one node"),
        ({"nodes": 0}, "nodes: 0 is not allowed; it must be from 1 to 10,000"),
        ({"processors": 0}, "processors: 0 is not allowed; it must be from 1 to 1,048,576"),
        ({"policy": "esay"}, "no policy named 'esay'; did you mean 'easy'"),
        ({"limits__brust": 5}, r"no key in \[limits\] named .brust.; did you mean .burst."),
    ],
)
def test_clusters_that_cannot_be(given: dict[str, Any], text: str) -> None:
    with pytest.raises((BadValue, Conflict, UnknownName), match=text), cluster(**given):
        pass


@pytest.mark.deep
def test_a_mark_names_all_that_it_says(tmp_path: Path) -> None:
    """A bare 2 in the mark would mean nothing, and was taken for 2 nodes."""
    text = "import pytest\n\n\n@pytest.mark.molokini(2)\ndef test_one(molokini_cluster):\n    pass\n"
    (tmp_path / "test_bare.py").write_text(text)
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_bare.py"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        env={**os.environ, "PYTEST_ADDOPTS": ""},
    )
    assert (done.returncode, "takes 0 positional arguments but 1 was given" in done.stdout) == (1, True)


@pytest.mark.parametrize("script", ["sleep 602", "trap '' TERM; setsid sleep 602 & sleep 602; wait"])
def test_no_real_job_is_left_behind(tmp_path: Path, script: str) -> None:
    """Also where it takes no notice of a signal, and has a session of its own."""
    mark = f"MARK={tmp_path}"
    with cluster(mode="process", processors=2) as one:
        for _ in range(3):
            submit(one, argv=["env", mark, "sh", "-c", script])
        waited(lambda: len(processes_with(mark)) >= 2)
    assert processes_with(mark) == []


def processes_with(variable: str) -> list[str]:
    """The numbers of all processes that have this in their environment."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if variable.encode() in (process / "environ").read_bytes().split(b"\0"):
                found.append(process.name)
        except OSError:
            continue
    return found
