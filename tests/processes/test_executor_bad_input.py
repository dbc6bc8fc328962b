"""What cannot be run has a named end, and the node goes on (bad input, rows B8 to B13, B22 and B24)."""

import os
import pwd
import signal
from pathlib import Path
from typing import Any

import pytest

from molokini.proto.v1.agent_service_pb2 import Order, Report
from molokini.supervisor.trees import alive
from tests.kit.real_jobs import RealNode, at_work, launch, rules, until
from tests.kit.waiting import eventually, state

ROOT = pytest.mark.skipif(os.geteuid() != 0, reason="only root can run jobs as other users")


async def _goes_on(node: RealNode, folder: Path) -> None:
    """The node runs the next job."""
    report = await node.run(99, "true", folder=folder)
    assert (report.kind, report.exit_code) == (Report.ENDED, 0)


@pytest.mark.parametrize(
    ("script", "reason"),
    [
        ("echo hi\n", "the job script does not begin with #! and the program that runs it (#!/bin/sh)"),
        ("\n#!/bin/sh\n", "the job script does not begin with #! and the program that runs it (#!/bin/sh)"),
        ("#!/bin/sh\r\ntrue\r\n", "the first line of the job script ends with CR LF: '#!/bin/sh\\r'"),
        ("#!/no/such/shell\ntrue\n", "the job script names '/no/such/shell': No such file or directory"),
        ("#!\ntrue\n", "the job script names ''"),
        ("\x7fELF" + "x" * 100, "the job script does not begin with #!"),
        ("x" * 100_000, "the job script does not begin with #!"),
    ],
)
async def test_scripts(node: RealNode, tmp_path: Path, script: str, reason: str) -> None:
    report = await node.run(1, folder=tmp_path, script=script)
    assert (report.kind, reason in report.reason) == (Report.NOT_STARTED, True), report.reason
    await _goes_on(node, tmp_path)


async def test_a_script_runs_by_its_first_line(node: RealNode, tmp_path: Path) -> None:
    assert (
        await node.run(1, folder=tmp_path, script="#!/usr/bin/env python3\nprint(6 * 7)\n")
    ).exit_code == 0
    assert (tmp_path / "molokini-1.out").read_text() == "42\n"


@pytest.mark.quick(one_in=3)
@pytest.mark.parametrize(
    ("argv", "spec", "reason"),
    [
        (["./missing"], {}, "./missing: No such file or directory"),
        (["/"], {}, "/: Permission denied"),
        (
            ["true"],
            {"working_directory": "/no/such"},
            "working directory /no/such: No such file or directory",
        ),
        (["true"], {"stdout_path": "no/such/out"}, "standard output no/such/out: No such file or directory"),
        (["true"], {"stdout_path": "%q"}, "%q is no pattern"),
        (["true"], {"stdout_path": "/dev/full"}, "a device"),
        (["true"], {"stdout_path": "fifo"}, "a FIFO"),
        (["true"], {"stdout_path": "folder"}, "a directory"),
        (["true"], {"stdout_path": "link"}, "a symbolic link"),
        (["true"], {"stderr_path": "fifo"}, "standard error fifo: a FIFO"),
        (["true"], {"stdin_path": "fifo"}, "standard input fifo: a FIFO"),
        (["true"], {"stdin_path": "missing"}, "standard input missing: No such file or directory"),
        (["true"], {"stdout_path": "x" * 5000}, "File name too long"),
        ([], {}, "it has no command and no script"),
    ],
)
async def test_paths_and_programs(
    node: RealNode, tmp_path: Path, argv: list[str], spec: dict[str, Any], reason: str
) -> None:
    os.mkfifo(tmp_path / "fifo")
    (tmp_path / "folder").mkdir()
    (tmp_path / "link").symlink_to("/etc/passwd")
    report = await node.run(1, *argv, folder=tmp_path, **spec)
    assert (report.kind, reason in report.reason) == (Report.NOT_STARTED, True), report.reason
    await _goes_on(node, tmp_path)


async def test_a_folder_with_the_jobs_number_may_come_a_little_later(node: RealNode, tmp_path: Path) -> None:
    """A tool that makes it has to be told the number first."""
    node.launch(launch(1, "echo", "here", folder=tmp_path, stdout_path="%j/out", stderr_path="%j/err"))
    await eventually(lambda: any((tmp_path / "spool" / "jobs").glob("1-*")))
    (tmp_path / "1").mkdir()
    assert (await node.report(1)).exit_code == 0
    assert (tmp_path / "1" / "out").read_text() == "here\n"
    report = await node.run(2, "true", folder=tmp_path, stdout_path="%j/out")
    wanted = (Report.NOT_STARTED, "standard output 2/out: No such file or directory")
    assert (report.kind, report.reason) == wanted


async def test_names_and_variables_are_data(tmp_path: Path) -> None:
    """Nothing of a name passes through a shell, and in a path it is one name."""
    for number, name in enumerate(("$(touch x)", "; touch x", "`touch x`", "a/../../b", "..", "-rf"), 1):
        async with at_work(tmp_path / f"spool{number}") as node:
            spec: dict[str, Any] = {
                "name": name,
                "stdout_path": "out-%x",
                "environment": {"EVIL": "$(touch x)\n`touch x`"},
            }
            node.launch(launch(number, "sh", "-c", 'printf %s "$MOLOKINI_JOB_NAME"', folder=tmp_path, **spec))
            assert (await node.report(number)).exit_code == 0
    assert not (tmp_path / "x").exists()
    written = {path.read_text() for path in tmp_path.iterdir() if path.name.startswith("out-")}
    assert written == {"$(touch x)", "; touch x", "`touch x`", "a/../../b", "..", "-rf"}


async def test_the_environment_is_clean_and_the_files_are_three(tmp_path: Path) -> None:
    os.environ["MOLOKINI_TEST_SECRET"] = "secret"
    try:
        async with at_work(tmp_path / "spool") as node:
            program = "env; ls -l /proc/self/fd | wc -l; umask; ulimit -c"
            environment = {"MINE": "1", "MOLOKINI_JOB_ID": "77"}
            assert (
                await node.run(1, "sh", "-c", program, folder=tmp_path, environment=environment)
            ).exit_code == 0
    finally:
        del os.environ["MOLOKINI_TEST_SECRET"]
    text = (tmp_path / "molokini-1.out").read_text()
    assert "secret" not in text
    assert "MINE=1\n" in text
    assert "MOLOKINI_JOB_ID=1\n" in text
    # A line of the total, three files, and the folder that ls reads.
    assert text.endswith("5\n0022\n0\n")


async def test_a_fork_bomb(tmp_path: Path) -> None:
    if "pids" not in rules().groups:
        pytest.skip("no control group for processes can be written")
    async with at_work(tmp_path / "spool", rules(most_processes=30)) as node:
        program = "import os, time\nwhile True:\n    try: os.fork()\n    except OSError: time.sleep(0.01)\n"
        assert (await node.run(1, "python3", "-c", program, folder=tmp_path, limit_s=1.0)).timed_out
        await _goes_on(node, tmp_path)


@ROOT
async def test_a_job_runs_as_its_user_and_cannot_come_back(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    home = tmp_path / "home"
    home.mkdir()
    nobody = pwd.getpwnam("nobody")
    os.chown(home, nobody.pw_uid, nobody.pw_gid)
    _open_to_all(tmp_path)
    async with at_work(tmp_path / "spool", rules(switches=True)) as node:
        back = 'python3 -c "import os; os.setuid(0)" 2>&1 | tail -1'
        program = f"id -u; id -G; {back}; grep NoNewPrivs /proc/self/status"
        assert (await node.run(1, folder=home, script=f"#!/bin/sh\n{program}\n")).kind == Report.ENDED
    lines = (home / "molokini-1.out").read_text().splitlines()
    assert lines[0] == str(nobody.pw_uid)
    assert "0" not in lines[1].split()
    assert "Operation not permitted" in lines[2]
    assert lines[3].split() == ["NoNewPrivs:", "1"]
    assert (home / "molokini-1.out").stat().st_uid == nobody.pw_uid


@ROOT
@pytest.mark.parametrize(
    ("user", "reason"),
    [
        ("root", "jobs of root are refused: start the agent with --allow-root to run them"),
        ("no-such-user", "there is no user 'no-such-user' on this node"),
        ("0", "there is no user '0' on this node"),
        ("daemon", "user 'daemon' is 1 on this node, and jobs run from 1000 on"),
    ],
)
async def test_who_may_not_run_jobs(tmp_path: Path, user: str, reason: str) -> None:
    async with at_work(tmp_path / "spool", rules(switches=True)) as node:
        report = await node.run(1, "touch", "ran", folder=tmp_path, user=user)
        assert (report.kind, report.reason) == (Report.NOT_STARTED, reason)
        assert not (tmp_path / "ran").exists()


@ROOT
async def test_files_are_opened_as_the_user(tmp_path: Path) -> None:
    """Neither a folder of root's nor another user's file is written for a user."""
    _open_to_all(tmp_path)
    (tmp_path / "of-root").write_text("untouched")
    async with at_work(tmp_path / "spool", rules(switches=True)) as node:
        report = await node.run(1, "echo", "hi", folder=Path("/"), stdout_path=str(tmp_path / "of-root"))
        assert (report.kind, report.reason.endswith("Permission denied")) == (Report.NOT_STARTED, True)
    assert (tmp_path / "of-root").read_text() == "untouched"


async def test_a_frozen_job_can_be_ended(node: RealNode, tmp_path: Path) -> None:
    node.launch(launch(1, "sleep", "1000", folder=tmp_path))
    pid = await node.pid(1)
    node.order(1, Order.SUSPEND)
    assert (await node.killed(1)).kind == Report.KILLED
    await until(lambda: not alive(pid))


async def test_a_program_that_stops_itself_is_not_over(node: RealNode, tmp_path: Path) -> None:
    node.launch(launch(1, "sh", "-c", "kill -STOP $$; exit 4", folder=tmp_path))
    pid = await node.pid(1)
    await until(lambda: state(pid) == "T")
    node.order(1, Order.SIGNAL, signal=signal.SIGCONT)
    assert (await node.report(1)).exit_code == 4


def _open_to_all(path: Path) -> None:
    """Let every user reach *path*, which pytest makes for its own user alone."""
    while path != Path("/tmp") and path != path.parent:
        path.chmod(path.stat().st_mode | 0o011)
        path = path.parent
