"""The live commands as the shell runs them: what they load, how they end, what a terminal gets."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from molokini.proto.v1.jobs_pb2 import Job, JobSpec, JobState
from tests.clients.command_runs import command, environment, shell, terminal
from tests.kit.fake_server import FakeServer
from tests.kit.waiting import DEADLINE_S, INTERRUPTIBLE, waited

HEAVY = ("grpc", "google.protobuf", "rich", "asyncio", "molokini.proto")
NASTY = "\x1b[31mred\x07\u202e\r\nnext"


@pytest.fixture(autouse=True)
def _roots(monkeypatch: pytest.MonkeyPatch, server: FakeServer) -> None:
    monkeypatch.setenv("MOLOKINI_SERVER", server.target)


def variables(**more: str) -> dict[str, str]:
    """An environment in which the roots that talk to a server are found, too."""
    roots = environment()["PYTHONPATH"].split(os.pathsep)
    proto = str(Path(roots[0]).parent / "proto")
    return {**environment(**more), "PYTHONPATH": os.pathsep.join([*roots, proto])}


def ran(*arguments: object, **more: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command(*arguments), capture_output=True, text=True, env=variables(**more), timeout=DEADLINE_S
    )


@pytest.mark.quick(one_in=5)
@pytest.mark.parametrize(
    "arguments", [["submit", "--help"], ["clock", "--help"], ["jobs", "--bogus"], ["up", "--help"], ["wait"]]
)
def test_nothing_heavy_is_loaded_before_arguments_are_parsed(arguments: list[str]) -> None:
    code = (
        "import sys; from molokini.clients.command import run; "
        f"run({arguments!r}); sys.exit(','.join(m for m in {HEAVY!r} if m in sys.modules) or 0)"
    )
    done = subprocess.run([sys.executable, "-c", code], env=variables(), capture_output=True, text=True)
    assert (done.returncode, done.stderr.splitlines()[1:]) == (0, [])


@pytest.mark.parametrize("arguments", [["jobs"], ["jobs", "--json"], ["submit", "--json", "--", "true"]])
def test_what_scripts_call_most_loads_little(arguments: list[str]) -> None:
    unwanted = ("typer", "pydantic", "rich", "molokini.proto.v1.agent_service_pb2", "numpy")
    code = (
        "import sys; from molokini.clients.command import run; code = run(sys.argv[1:]); "
        f"sys.exit(','.join(m for m in {unwanted!r} if m in sys.modules) or code)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments], env=variables(), capture_output=True, text=True
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_a_job_through_the_shell(server: FakeServer) -> None:
    done = ran("submit", "--processors", 2, "--", "sleep", "5")
    assert (done.returncode, done.stdout, done.stderr) == (0, "1\n", "")
    server.end(1, exit_code=2)
    done = ran("wait", 1)
    assert (done.returncode, done.stdout, done.stderr) == (1, "", "molokini: job 1 failed with exit code 2\n")


def test_an_answer_that_is_lost_makes_one_job(server: FakeServer) -> None:
    server.faults.lose_answers("Submit", times=2)
    done = ran("submit", "--", "true")
    assert (done.returncode, done.stdout, done.stderr) == (0, "1\n", "")
    assert list(server.state.jobs) == [1]


@pytest.mark.quick(one_in=2)
@pytest.mark.parametrize("language", ["C", "C.UTF-8"])
def test_a_terminal_obeys_nothing_in_a_name(server: FakeServer, language: str) -> None:
    spec = JobSpec(name=NASTY, queue=NASTY, argv=[NASTY], comment=NASTY)
    server.state.jobs[1] = Job(id=1, user=NASTY, spec=spec, state=JobState.WAITING, reason=NASTY)
    for arguments in (["jobs"], ["job", 1], ["jobs", "--json"], ["job", 1, "--json"]):
        shown = terminal(300, *arguments, LC_ALL=language, PYTHONPATH=variables()["PYTHONPATH"])
        assert (shown.code, shown.err) == (0, "")
        assert "\\x1b[31mred" in shown.out or "\\u001b[31mred" in shown.out
        assert not {"\x1b", "\x07", "\u202e", "\r"} & set(shown.out)


def test_a_listing_fits_eighty_columns(server: FakeServer) -> None:
    for n in range(1, 4):
        spec = JobSpec(name="a_name_that_is_quite_long_for_a_job", queue="some-long-queue", estimate_s=90000)
        spec.resources.processors = 1024
        reason = "not_enough_free: 1024 processors are needed, 3 are free"
        server.state.jobs[n] = Job(
            id=100000 + n, user="somebody-else", spec=spec, state=JobState.SUSPENDED, reason=reason
        )
    shown = terminal(80, "jobs", PYTHONPATH=variables()["PYTHONPATH"])
    lines = shown.out.splitlines()
    assert max(map(len, lines)) <= 80
    # Times go below in a second table, whose rows begin with the job again; no cell is lost or broken.
    jobs = [str(100000 + n) for n in range(1, 4)]
    assert [line[:6] for line in lines if line.startswith("10000")] == jobs + jobs
    for job in jobs:
        text = " ".join(line for line in lines if line.startswith(job))
        assert all(cell in text for cell in ("suspended", "1024", "1-01:00:00"))
    # The sentence in the last column goes on in further lines.
    assert all(
        "".join(lines).count(word) == 3 for word in ("not_enough_free:", "processors", "needed,", " free")
    )
    assert "a_name_that_is_quite_long_for_a_job" in ran("jobs").stdout  # nothing is cut off in a pipe


@pytest.mark.deep
@pytest.mark.parametrize("arguments", [["jobs", "--all"], ["jobs", "--json"], ["watch", "--after", 0]])
def test_a_reader_that_goes_away(server: FakeServer, arguments: list[object]) -> None:
    for n in range(1, 5000):
        server.state.jobs[n] = Job(id=n, spec=JobSpec(name="x" * 50), state=JobState.WAITING)
        server.run(server.state.change(n, JobState.WAITING))
    process = subprocess.Popen(
        command(*arguments), stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=variables()
    )
    assert process.stdout is not None
    assert process.stderr is not None
    assert process.stdout.readline()
    process.stdout.close()
    assert process.stderr.read() == b""
    process.stderr.close()
    assert process.wait(30) == 1


@pytest.mark.quick(one_in=3)
@pytest.mark.parametrize("arguments", [["wait", "1"], ["watch", "--after", "0"], ["jobs"]])
def test_an_interrupt(server: FakeServer, arguments: list[str]) -> None:
    server.state.jobs[1] = Job(id=1, state=JobState.RUNNING)
    server.faults.delay("ListJobs", 60)
    method = {"wait": "WaitJobs", "watch": "WatchJobs", "jobs": "ListJobs"}[arguments[0]]
    process = subprocess.Popen(
        [*INTERRUPTIBLE, *command(*arguments)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=variables(),
    )
    waited(lambda: bool(server.faults.calls[method]))
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=DEADLINE_S)
    assert (process.returncode, out, err) == (130, b"", b"")


def test_no_server(server: FakeServer) -> None:
    server.stop()
    start_s = time.monotonic()
    done = ran("jobs")
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (1, "", 1)
    assert f"{server.target}: no server can be reached" in done.stderr
    assert time.monotonic() - start_s < 60


def test_no_server_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("MOLOKINI_SERVER")
    done = ran("jobs")
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "no server is named: set MOLOKINI_SERVER to HOST:PORT" in done.stderr


def test_the_state_folder_names_server_and_token(
    server: FakeServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("MOLOKINI_SERVER")
    state = tmp_path / "molokini-state"
    state.mkdir()
    (state / "endpoint").write_text(server.target + "\n")
    (state / "token").write_text("secret\n")
    done = ran("jobs", "--json")
    assert (done.returncode, json.loads(done.stdout)["jobs"]) == (0, [])
    assert server.faults.metadata["authorization"] == "Bearer secret"


@pytest.mark.deep
def test_what_the_composing_commands_take(tmp_path: Path) -> None:
    """They hand their arguments to ``molokini.app``, found by name."""
    package = tmp_path / "molokini" / "app"
    package.mkdir(parents=True)
    (package / "__init__.py").touch()
    for name in ("up", "serve", "agent", "verify"):
        (package / f"{name}.py").write_text("def run(arguments):\n    print(arguments)\n    return 3\n")
    for arguments, shown in (
        (
            ["up", "--nodes", 64, "--procs-per-node", 16, "--clock", "virtual"],
            "UpArguments(nodes=64, procs_per",
        ),
        (["serve", "--config", "x.toml"], "ServeArguments(config='x.toml', "),
        (
            ["agent", "--server", "h:1", "--nodes", 1000],
            "AgentArguments(server='h:1', mode='emulate', nodes=1000, ",
        ),
        (
            ["verify", "a.swf", "--policy", "easy", "--jobs", 9],
            "VerifyArguments(log='a.swf', policy='easy', workload=None, set=[], policy_dir=[], jobs=9, ",
        ),
    ):
        roots = f"{tmp_path}{os.pathsep}{variables()['PYTHONPATH']}"
        # Without -m: an installed molokini.app must not be found first.
        code = "import sys; from molokini.clients.command import main; main()"
        done = subprocess.run(
            [sys.executable, "-c", code, *map(str, arguments)],
            capture_output=True,
            text=True,
            env={**variables(), "PYTHONPATH": roots},
        )
        assert (done.returncode, done.stderr) == (3, "")
        assert shown in done.stdout
    assert shell("agent").code == 2
