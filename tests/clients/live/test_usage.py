"""``--usage`` of ``molokini job`` and ``molokini jobs``: tables and JSON."""

from collections.abc import Callable
from typing import Any

from molokini.proto.v1.jobs_pb2 import Job, JobState, Rate, Sliced, Slicing
from tests.clients.command_runs import Ran
from tests.kit.fake_server import FakeServer

Command = Callable[..., Ran]
GB = 1 << 20


def ended(server: FakeServer, number: int, state: JobState = JobState.COMPLETED, **more: Any) -> None:
    """Ten minutes on four processors, three of them busy."""
    used = {"cpu_s": 1800.5, "memory_used_kb": 1 << 20, "read_kb": 0, "written_kb": 4096}
    times = {"start_s": 100.0, "end_s": 700.0, "elapsed_s": 600.0, "attempt": 1}
    server.change(number, state, **{**used, **times, **more})
    server.state.jobs[number].allocation.add(node="n1", processors=4)


def submit(molokini: Command, *more: str) -> None:
    molokini("submit", "--processors", "4", "--memory", "1G", "--estimate", "1:00:00", *more, "--", "true")


def test_one_job(molokini: Command, server: FakeServer) -> None:
    submit(molokini)
    ended(server, 1)
    assert molokini("job", 1, "--usage").out == (
        "job                1\n"
        "user               ann\n"
        "state              completed\n"
        "processors         4\n"
        "elapsed            0:10:00\n"
        "cpu used           1,800.50 s\n"
        "memory used        1G\n"
        "read               0K\n"
        "written            4M\n"
        "cpu efficiency     75.0%\n"
        "memory efficiency  25.0%\n"
        "time efficiency    16.7%\n"
        "suggested          --processors 3 --memory 410M --estimate 0:12:00\n"
        "margin             memory and time: 20% more than was used, at most what was asked for; "
        "processors: as many as were busy, rounded up\n"
    )
    shown = molokini("job", 1).out
    for line in ("cpu used     1,800.50 s", "memory used  1G", "read         0K", "written      4M"):
        assert f"{line}\n" in shown


def test_json(molokini: Command, server: FakeServer) -> None:
    submit(molokini)
    submit(molokini)
    ended(server, 1)
    found = molokini("job", 1, "--usage", "--json").json
    assert found["schema"] == "molokini.job/1"
    assert [found[name] for name in ("cpu_s", "memory_used_kb", "read_kb", "written_kb")] == [
        1800.5,
        GB,
        0,
        4096,
    ]
    usage = {
        "elements": None,
        "known_of": 1,
        "elapsed_s": 600.0,
        "cpu_s": 1800.5,
        "memory_used_kb": GB,
        "read_kb": 0,
        "written_kb": 4096,
        "cpu_efficiency": 1800.5 / 2400,
        "memory_efficiency": 0.25,
        "time_efficiency": 1 / 6,
        "suggested": {
            "processors": 3,
            "memory_kb": 410 << 10,
            "estimate_s": 720.0,
            "ran_out_of": [],
            "margin": 0.2,
        },
    }
    assert found["usage"] == {**usage, "rates": [], "slices": None, "achieved": []}
    first, second = molokini("jobs", "--all", "--usage", "--json").json["jobs"]
    assert first["usage"] == usage
    assert (second["usage"]["known_of"], second["usage"]["suggested"]) == (0, None)
    assert (second["cpu_s"], second["read_kb"], second["written_kb"]) == (None, None, None)
    assert "usage" not in molokini("jobs", "--json").json["jobs"][0]


def test_listing(molokini: Command, server: FakeServer) -> None:
    submit(molokini, "--name", "first")
    submit(molokini)
    ended(server, 1)
    header, first, second = molokini("jobs", "--all", "--usage").out.splitlines()
    words = "job name user state procs elapsed cpu used memory used read written"
    assert header.split()[:12] == words.split()
    assert first.split()[4:] == [
        *("4", "0:10:00", "1,800.50", "s", "1G", "0K", "4M"),
        "75.0%",
        "25.0%",
        "16.7%",
    ]
    assert second.split() == ["2", "ann", "waiting", "4"]


def test_what_is_not_known_is_said(molokini: Command, server: FakeServer) -> None:
    for _ in range(4):
        submit(molokini)
    server.change(1, JobState.RUNNING, attempt=1, start_s=1.0, elapsed_s=5.0)
    assert molokini("job", 1, "--usage").out.endswith(
        "nothing yet: what a job used is known when it has ended\n"
    )
    ended(server, 2, JobState.FAILED, exit_code=1)
    assert molokini("job", 2, "--usage").out.endswith(
        "nothing: only jobs that completed, or ran out of time or memory, tell\n"
    )
    # Refused, or cancelled before a start: it has used nothing.
    server.change(3, JobState.CANCELLED)
    assert "efficiency" not in molokini("job", 3, "--usage").out
    # As of an emulated job: memory alone is known.
    ended(server, 4, cpu_s=0.0, written_kb=0)
    shown = molokini("job", 4, "--usage").out
    assert "cpu" not in shown
    assert "memory used        1G\n" in shown
    assert "suggested          --memory 308M --estimate 0:12:00\n" in shown


def test_jobs_that_ran_out(molokini: Command, server: FakeServer) -> None:
    for _ in range(2):
        submit(molokini)
    ended(server, 1, JobState.TIMED_OUT)
    shown = molokini("job", 1, "--usage").out
    assert "suggested          --estimate 2:00:00\n" in shown
    assert shown.endswith("time: 2 times what was asked for, as it ran out\n")
    ended(server, 2, JobState.FAILED, signal=9, cause=Job.OUT_OF_MEMORY)
    assert "suggested          --memory 2G\n" in molokini("job", 2, "--usage").out


def test_an_array_is_its_elements_together(molokini: Command, server: FakeServer) -> None:
    submit(molokini, "--array", "1-3")
    whole = server.state.jobs[1]
    whole.elements.update({"completed": 2, "running": 1})
    for index, cpu_s in ((1, 1800.0), (2, 600.0), (3, 0.0)):
        element = Job()
        element.CopyFrom(whole)
        element.elements.clear()
        element.array_index = index
        element.state = JobState.COMPLETED if cpu_s else JobState.RUNNING
        element.cpu_s, element.memory_used_kb, element.written_kb = cpu_s, int(cpu_s) * 1024, 1024
        element.elapsed_s, element.attempt = 600.0, 1
        server.state.elements.append(element)
    for shown in (molokini("job", 1, "--usage").out, molokini("job", "1[]", "--usage").out):
        facts = dict(line.split("  ", 1) for line in shown.splitlines())
        facts = {name: value.strip() for name, value in facts.items()}
        assert facts["known of"] == "2 of 3 elements"
        assert (facts["cpu used"], facts["memory used"], facts["written"]) == ("2,400 s", "1800M", "2M")
        assert (facts["cpu efficiency"], facts["memory efficiency"]) == ("50.0%", "43.9%")
        assert facts["suggested"] == "--processors 3 --memory 720M --estimate 0:12:00"
    [line] = molokini("jobs", "--usage", "--json").json["jobs"]
    assert (line["usage"]["elements"], line["usage"]["known_of"], line["usage"]["cpu_s"]) == (3, 2, 2400.0)
    rows = molokini("jobs", 1, "--usage", "--elements").out.splitlines()
    assert [row.split()[0] for row in rows] == ["job", "1[1]", "1[2]", "1[3]"]


def test_how_a_running_job_goes(molokini: Command, server: FakeServer) -> None:
    submit(molokini)
    server.change(1, JobState.RUNNING, attempt=1, start_s=1.0, elapsed_s=5.0)
    job = server.state.jobs[1]
    job.rates["one"].CopyFrom(Rate(iteration=1234, per_s=15.25, at_s=99.0))
    job.slicing.CopyFrom(Slicing(rows=2, row=[0], quantum_s=0.2))
    figures = Sliced(
        periods=10,
        elapsed_s=4.0,
        on_s=2.0,
        ran_s=3.0,
        misses=1,
        late_s=[0.0001, 0.0002, 0.001],
        jitter_s=[0.0, 0.0, 0.002],
    )
    job.achieved["one"].CopyFrom(figures)
    job.achieved["two"].CopyFrom(Sliced(trouble="no room"))
    job.achieved["zoo"].CopyFrom(Sliced())
    lines = molokini("job", 1, "--usage").out.splitlines()
    assert [line.split("  ")[-1] for line in lines[-3:]] == [
        "1,234 done, the last at 15.25 a second, as one heard",
        "row 0 of 2, 0.2 s each",
        "one: on 0.500, cpu 0.750, 10 periods of 0.4 s, misses 1, late 0.10/0.20/1.00 ms, "
        "jitter 0.00/0.00/2.00 ms; two: no room; zoo: nothing is known yet",
    ]
    usage = molokini("job", 1, "--usage", "--json").json["usage"]
    assert usage["rates"] == [{"agent": "one", "iteration": 1234, "iterations_per_s": 15.25, "at_s": 99.0}]
    assert (usage["slices"]["row"], usage["slices"]["share"]) == ([0], 0.5)
    assert [(one["agent"], one["share"]) for one in usage["achieved"]] == [
        ("one", 0.5),
        ("two", None),
        ("zoo", None),
    ]
