"""What ``molokini verify`` takes: parameters, workloads that are made; and what it refuses by name."""

import json
import signal
from collections.abc import Callable
from math import inf
from pathlib import Path

import psutil
import pytest

from molokini.app.verifying import History
from tests.clients.command_runs import Ran, here
from tests.kit.traps import LIVE, SCHEDULE, begun, ended, put_into

Command = Callable[..., Ran]
LOG = Path(__file__).parents[2] / "examples/kth-sp2-month.swf.gz"


@pytest.fixture
def molokini(capsys: pytest.CaptureFixture[str]) -> Command:
    return lambda *arguments: here(capsys, *arguments)


OWN = """
from molokini.model.policy import Policy
from molokini.cycle.verbs import {verb}, start

POLICY = Policy(name="own", summary="in order", promise="none", source="a test")


def schedule(view, now):
    for k in range(view.queue.head, view.queue.tail):
        if view.jobs.width[view.queue.waiting[k]] > view.machine.idle:
            return
        start(view, view.queue.waiting[k])
{more}
"""


@pytest.mark.quick(one_in=4)
@pytest.mark.parametrize(
    ("spec", "more", "label"),
    [
        ("easy?order=shortest", (), "easy?order=shortest"),
        ("easy", ("--set", "order=best-fit"), "easy?order=best-fit"),
        ("easy-depth?depth=2", ("--set", "depth=7"), "easy-depth?depth=2"),
        ("maui?reservation_depth=3", (), "maui?reservation_depth=3"),
    ],
)
def test_parameters_stand_behind_the_name_or_set(
    spec: str, more: tuple[str, ...], label: str, molokini: Command
) -> None:
    ran = molokini("verify", LOG, "--policy", spec, *more, "--jobs", 40)
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.startswith(f"{label}: 40 jobs live and simulated: equal ")


def test_parameters_stand_in_the_results(molokini: Command) -> None:
    found = molokini("verify", LOG, "--policy", "easy?order=shortest", "--jobs", 20, "--json", "-").json
    assert found["policy"] == {"name": "easy", "parameters": {"order": "shortest"}}
    assert found["equal"] is True
    assert found["run"]["seed"] == 0


def test_jobs_may_be_made(molokini: Command) -> None:
    synthetic = ("synthetic:benchmark?jobs=60&load=0.9", "--policy", "easy")
    loads = (
        "--workload",
        "divisible",
        "--policy",
        "edf-opr-k?k=3",
        "--set",
        "time=60000",
        "--set",
        "load=0.8",
    )
    clusters = ("--workload", "das", "--policy", "easy-worstfit", "--set", "jobs=40", "--seed", "7")
    for given in (synthetic, loads, clusters):
        ran = molokini("verify", *given)
        assert (ran.code, ran.err) == (0, ""), given
        assert " equal (largest difference 0 s" in ran.out
    found = molokini("verify", *loads, "--json", "-").json
    assert found["workload"]["generated"]["parameters"]["load"] == 0.8
    assert found["policy"]["parameters"]["k"] == 3


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ((LOG, "--policy", "easy", "--ties", "each"), "--ties: 'each' is not allowed; it must be batch: "),
        (
            (LOG, "--policy", "easy", "--overrun", "extend"),
            "--overrun: 'extend' is not allowed; it must be kill: ",
        ),
        ((LOG, "--policy", "easy?order=none"), "order: 'none' is not allowed"),
        ((LOG, "--policy", "easy?odd=1"), "odd"),
        ((LOG, "--policy", "edf-epr-an?release=each"), "release: 'each' is not allowed"),
        ((LOG, "--policy", "easy", "--workload", "das"), "a workload is needed, and one"),
        (("--policy", "easy"), "a workload is needed, and one"),
        (("--workload", "das", "--policy", "easy", "--procs", 8), "--procs"),
        ((LOG, "--policy", "easy", "--procs", 0), "--procs: 0 is not allowed"),
    ],
)
def test_what_it_cannot_do_is_one_line(given: tuple[object, ...], told: str, molokini: Command) -> None:
    ran = molokini("verify", *given)
    assert (ran.code, ran.out) == (2, "")
    assert told in ran.err
    assert ran.err.count("\n") == 1


@pytest.mark.dear("the policy is compiled for the simulator and for the server")
@pytest.mark.deep
def test_a_policy_of_ones_own(molokini: Command, tmp_path: Path) -> None:
    (tmp_path / "own.py").write_text(OWN.format(verb="wake_at", more=""))
    for given in (("--policy", tmp_path / "own.py"), ("--policy", "own", "--policy-dir", tmp_path)):
        ran = molokini("verify", LOG, *given, "--jobs", 20)
        assert (ran.code, ran.err) == (0, "")
        assert ran.out.startswith("own: 20 jobs live and simulated: equal ")


def test_jobs_that_only_one_run_has_started_are_a_difference_without_a_size(
    molokini: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = History.differences
    monkeypatch.setattr(History, "differences", lambda one, other: {**found(one, other), "start_s": inf})
    ran = molokini("verify", LOG, "--policy", "fcfs", "--jobs", 20, "--json", "-")
    assert ran.code == 1
    report = json.loads(ran.out, parse_constant=pytest.fail)
    assert (report["equal"], report["differences"]["start_s"]) == (False, None)
    said = molokini("verify", LOG, "--policy", "fcfs", "--jobs", 20).out
    assert "DIFFERENT (some jobs ran in one of them only, 0 suspensions" in said


@pytest.mark.deep
def test_what_no_live_cluster_can_decide_is_refused_by_name(molokini: Command, tmp_path: Path) -> None:
    more = "    for k in range(view.queue.running_count):\n        row = view.queue.running[k]\n"
    more += "        if view.jobs.held[row] > 1:\n            give_back(view, row, 1)\n"
    (tmp_path / "own.py").write_text(OWN.format(verb="give_back", more=more))
    ran = molokini("verify", LOG, "--policy", tmp_path / "own.py", "--jobs", 20)
    assert ran.code == 1
    assert "own.py" in ran.err
    assert "Traceback" not in ran.err


@pytest.mark.deep
@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_policy_that_never_returns_is_ended_with_one_line(tmp_path: Path, number: int, code: int) -> None:
    put_into(tmp_path)
    asked = ("--policy", f"trap.py?trap={SCHEDULE}", "--jobs", 60)
    process = begun(tmp_path, "verify", LOG, *asked, told=LIVE)
    files = [Path(one.path) for one in psutil.Process(process.pid).open_files()]
    scratch = [file.parent for file in files if file.suffix == ".sqlite"]
    returned, err = ended(process, number)
    assert (returned, err.count("\n")) == (code, 1), err
    assert "policy trap.py: ended in a pass that had not returned, in the live run" in err
    assert scratch
    assert not any(folder.exists() for folder in scratch)
