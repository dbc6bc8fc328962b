"""``simulate --stop-at``: what Maui's commands would show at an instant of a replay."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from molokini.reports import REPORTS
from tests.clients.command_runs import Ran
from tests.kit.maui_file import maui_file

Command = Callable[..., Ran]
LOG = """; MaxProcs: 8
1 0 -1 100 6 -1 -1 6 100 -1 1 5 1 -1 1 -1 -1 -1
2 10 -1 50 8 -1 -1 8 50 -1 1 6 1 -1 1 -1 -1 -1
3 20 -1 30 2 -1 -1 2 30 -1 1 5 1 -1 1 -1 -1 -1
"""


@pytest.fixture
def log(tmp_path: Path) -> Path:
    path = tmp_path / "small.swf"
    path.write_text(LOG)
    return path


def stopped(molokini: Command, log: Path, *more: str) -> dict[str, Any]:
    done = molokini("simulate", log, *more, "--stop-at", 60, "--json", "-")
    assert done.code == 0, done.err
    return dict(json.loads(done.out))


def test_everything_is_told_of_the_instant_by_the_policy_of_a_file(
    molokini: Command, log: Path, tmp_path: Path
) -> None:
    file = maui_file(tmp_path, "USERCFG[6] PRIORITY=9", "FSWEIGHT 0")
    shown = [one for one in REPORTS if one not in ("job", "node", "start", "matrix")]
    shown += ["job:2", "start:2", "start:8@10", "statistics:user"]
    options = [text for name in shown for text in ("--show", name)]
    found = stopped(molokini, log, "--policy", "maui", "--maui-config", str(file), *options)
    assert (found["schema"], found["stopped_at_s"]) == ("molokini.stopped/1", 60.0)
    assert found["policy"]["maui_config"]["names_without_jobs"] == {"user": 2, "group": 1}
    reports = found["reports"]
    assert list(reports) == shown
    assert all(one["now_s"] == 60.0 for one in reports.values())
    assert [one["job"] for one in reports["queue"]["active"]] == ["1"]
    [two] = reports["priorities"]["jobs"]
    assert two["components"]["credential"]["factors"]["user"] == 9.0
    assert (reports["start:2"]["start_s"], reports["start:8@10"]["start_s"]) == (100.0, 150.0)
    assert [one["name"] for one in reports["statistics:user"]["credentials"]] == ["5"]
    assert reports["windows"]["windows"] == [{"processors": 2, "duration_s": 40.0, "until_s": 100.0}]


def test_a_report_of_one_user_by_name(molokini: Command, log: Path, tmp_path: Path) -> None:
    file = maui_file(tmp_path, "USERCFG[5] MAXPROC=8,12")
    options = ["--show", "queue:user=6,by=idle", "--show", "limits:by=user,user=5"]
    reports = stopped(molokini, log, "--policy", "maui", "--maui-config", str(file), *options)["reports"]
    queue, limits = reports["queue:user=6,by=idle"], reports["limits:by=user,user=5"]
    assert ([one["job"] for one in queue["idle"]], "active" in queue) == (["2"], False)
    [five] = limits["credentials"]
    assert five["limits"][0] == {"limit": "MAXPROC", "of": "processors", "soft": 8, "hard": 12, "used": 6}


def test_windows_are_those_of_nodes_that_are_asked_for(molokini: Command, log: Path, tmp_path: Path) -> None:
    file = maui_file(tmp_path, "NODECFG[node002] FEATURES=fast", "NODEALLOCATIONPOLICY FIRSTAVAILABLE")
    asked = "windows:features=fast,nodes=1,duration_s=40"
    options = ["--policy", "maui", "--maui-config", str(file), "--nodes", "2", "--procs-per-node", "4"]
    [found] = stopped(molokini, log, *options, "--show", asked)["reports"][asked]["windows"]
    assert (found["processors"], found["duration_s"], found["nodes"]) == (2, 40.0, 1)


def test_people_get_tables_and_any_policy_has_a_queue(molokini: Command, log: Path) -> None:
    done = molokini("simulate", log, "--policy", "easy", "--stop-at", 60)
    assert done.code == 0, done.err
    assert "6 of    8 Processors Active" in done.out
    shown = [
        name
        for name in REPORTS
        if name not in ("priorities", "fairshare", "limits", "job", "node", "start", "matrix")
    ]
    options = [text for name in (*shown, "job:1", "start:2") for text in ("--show", name)]
    done = molokini(
        "simulate", log, "--policy", "easy", "--nodes", 2, "--procs-per-node", 4, "--stop-at", 60, *options
    )
    assert done.code == 0, done.err
    assert "node001" in done.out


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--show", "queue"), "--stop-at"),
        (("--stop-at", "5", "--show", "quue"), "quue"),
        (("--stop-at", "5", "--show", "blocked:3"), "blocked"),
        (("--stop-at", "5", "--show", "start:3@x"), "start:"),
        (("--stop-at", "5", "--show", "queue:user=ann,job=3"), "names are partition, user, by"),
        (("--stop-at", "5", "--show", "windows:nodes=0"), "nodes=0"),
        (("--stop-at", "5", "--show", "windows:nodes=2"), "only counts processors"),
        (("--stop-at", "5", "--show", "job:17"), "17"),
        (("--stop-at", "5", "--show", "job"), "'job' is not allowed; it must be job:ID"),
        (("--stop-at", "5", "--show", "node:"), "'node:' is not allowed; it must be node:NAME"),
        (("--stop-at", "5", "--show", "start"), "start:ID or start:PROCESSORS@SECONDS"),
        (("--stop-at", "5", "--show", "fairshare"), "maui"),
        (("--stop-at", "5", "--show", "matrix"), "a matrix of rows: gs, bgs"),
        (("--stop-at", "5", "--schedule", "x.csv"), "--schedule"),
    ],
)
def test_what_does_not_go_together_is_said_in_one_line(
    molokini: Command, log: Path, options: tuple[str, ...], words: str
) -> None:
    done = molokini("simulate", log, "--policy", "easy", *options)
    assert done.code == 2
    assert words in done.err
    assert done.err.count("\n") == 1


def test_an_instant_before_the_first_submission_is_said_to_be_one(
    molokini: Command, log: Path, tmp_path: Path
) -> None:
    late = tmp_path / "late.swf"
    late.write_text("; MaxProcs: 8\n1 3600 -1 100 6 -1 -1 6 100 -1 1 5 1 -1 1 -1 -1 -1\n")
    done = molokini("simulate", late, "--policy", "maui", "--stop-at", 60)
    assert done.code == 0
    assert done.err.strip() == (
        "molokini: --stop-at 60 is before the first submission, at 3600 s: there are no jobs yet"
    )
    assert "submission" not in molokini("simulate", log, "--policy", "maui", "--stop-at", 0).err
