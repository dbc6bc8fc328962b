"""What a program finds is the same whether the starter or a fork has begun it; a fork tells what is wrong."""

import json
import os
import pwd
import shutil
import signal
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import pytest

from molokini.processes.spool import Spool
from molokini.processes.starters import starter_in
from molokini.supervisor import records
from molokini.supervisor.cgroups import bases, remove_bases
from tests.kit.supervisors import attempt
from tests.kit.waiting import DEADLINE_S

TELLS = Path(__file__).parents[1] / "kit" / "programs" / "tells.py"
_KEEP = "import sys; from molokini.supervisor import lifetime; lifetime.keep(*sys.argv[1:])"


@pytest.fixture(scope="module")
def starter(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The starter of this machine."""
    made = starter_in(tmp_path_factory.mktemp("spool"))
    if not made:
        pytest.skip("there is no C compiler")
    return made


def keep(folder: Path, starts: str, *before: str) -> dict[str, Any]:
    """Keep the attempt in *folder*, and the record of its end."""
    command = [*before, sys.executable, "-c", _KEEP, str(folder), starts]
    assert subprocess.run(command, cwd=folder, timeout=DEADLINE_S).returncode == 0
    ended = records.read(str(folder), "1-1").ended
    assert ended is not None
    return ended


def told_by_both(tmp_path: Path, starter: str, *before: str, **more: Any) -> list[dict[str, Any]]:
    """What a program tells of itself, begun by the starter and by a fork, in a folder of the same name."""
    found = []
    for starts in (starter, ""):
        folder = tmp_path / "jobs"
        folder.mkdir()
        attempt(folder, sys.executable, str(TELLS), "an argument", "", "é\n", **more)
        (folder / "in").write_text("given")
        ended = keep(folder, starts, *before)
        assert ended["exit_code"] == 0, ended
        told: dict[str, Any] = json.loads((folder / "out").read_text())
        told["left"] = sorted(path.name for path in folder.iterdir())
        found.append(told)
        shutil.rmtree(folder)
    return found


WAYS: dict[str, dict[str, Any]] = {
    "plain": {},
    "with variables": {"environment": {"A": "b=c", "PATH": "/usr/bin:/bin", "EMPTY": ""}},
    "an input, and errors elsewhere": {"stdin": "in", "stderr": "err-%j"},
    "one file for both": {"stdout": "out", "stderr": "out"},
    "output that is added to": {"environment": {"MOLOKINI_OPEN_MODE": "append"}},
    "errors that are added to": {"stderr": "err", "environment": {"MOLOKINI_OPEN_MODE": "append-error"}},
    "bound to a processor": {"cpus": "0"},
    "errors to nowhere": {"stderr": "/dev/null"},
}


@pytest.mark.quick(one_in=7)
@pytest.mark.parametrize("way", WAYS)
def test_a_program_finds_the_same(tmp_path: Path, starter: str, way: str) -> None:
    by_starter, by_fork = told_by_both(tmp_path, starter, **WAYS[way])
    assert by_starter == by_fork
    assert by_starter["leads"] == [True, True]
    assert by_starter["death"] == signal.SIGKILL
    assert by_starter["status"]["NoNewPrivs"] == ["1"]
    assert by_starter["limits"]["RLIMIT_CORE"][0] == 0
    assert by_starter["umask"] == 0o022
    assert set(by_starter["files"]) == {"0", "1", "2"}
    appended = [number for number, (_, flags) in by_starter["files"].items() if int(flags, 8) & os.O_APPEND]
    assert sorted(appended) == {"output": ["1", "2"], "errors": ["2"]}.get(way.partition(" that")[0], [])


SPAWNS = (
    "import os, sys; pid = os.posix_spawn(sys.argv[1], sys.argv[1:], os.environ)\n"
    "sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))"
)


@pytest.mark.parametrize(
    "ignoring",
    [
        ("sh", "-c", 'trap "" USR1 HUP PIPE; exec "$@"', "sh"),
        # The supervisor ignores the signals of the C library then, as everything does that make begins.
        (sys.executable, "-c", SPAWNS),
    ],
    ids=["by a shell", "by posix_spawn"],
)
def test_no_signal_is_ignored_or_blocked(tmp_path: Path, starter: str, ignoring: tuple[str, ...]) -> None:
    by_starter, by_fork = told_by_both(tmp_path, starter, *ignoring)
    assert by_starter == by_fork
    # Python ignores two by itself.
    kept = 1 << (signal.SIGPIPE - 1) | 1 << (signal.SIGXFSZ - 1)
    assert int(by_starter["status"]["SigIgn"][0], 16) & ~kept == 0
    assert int(by_starter["status"]["SigBlk"][0], 16) == 0


def test_a_program_is_in_its_groups(tmp_path: Path, starter: str) -> None:
    groups = bases(Spool.group_of(tmp_path))
    if not groups:
        pytest.skip("no control group can be written")
    try:
        by_starter, by_fork = told_by_both(tmp_path, starter, groups=groups, most_processes=50)
    finally:
        remove_bases(groups)
    assert by_starter == by_fork
    assert any(f"{Spool.group_of(tmp_path)}/1-1" in line for line in by_starter["groups"])


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can run jobs as other users")
def test_another_user(starter: str) -> None:
    """With its groups, its files, and no way back."""
    nobody = pwd.getpwnam("nobody")
    text = "id; umask; grep -E 'Uid|Gid|Groups|NoNewPrivs' /proc/self/status; touch of-root/x || echo refused"
    told = []
    for starts in (starter, ""):
        with tempfile.TemporaryDirectory() as place:
            folder, theirs = Path(place), Path(place) / "theirs"
            folder.chmod(0o711)
            (folder / "of-root").mkdir()
            theirs.mkdir(0o700)
            os.chown(theirs, nobody.pw_uid, nobody.pw_gid)
            (theirs / "of-root").symlink_to(folder / "of-root")
            attempt(
                folder, "sh", "-c", text, directory=str(theirs), stdout="out", user="nobody", switches=True
            )
            ended = keep(folder, starts)
            assert (ended["how"], ended["exit_code"]) == ("exited", 0), ended
            assert (theirs / "out").owner() == "nobody"
            told.append((theirs / "out").read_text().splitlines())
    assert told[0] == told[1]
    assert told[0][0].startswith(f"uid={nobody.pw_uid}(nobody) gid={nobody.pw_gid}")
    assert f"Uid:\t{nobody.pw_uid}\t{nobody.pw_uid}\t{nobody.pw_uid}\t{nobody.pw_uid}" in told[0]
    assert told[0][-1] == "refused"


REASONS: list[tuple[list[str], dict[str, Any], str]] = [
    (["./missing"], {}, "./missing: No such file or directory"),
    (["true"], {"stdin": "fifo"}, "standard input fifo: a FIFO; a job reads a regular file or /dev/null"),
    (["true"], {"directory": "/no/such"}, "working directory /no/such: No such file or directory"),
    (["a\0b"], {}, "the program cannot be started: embedded null byte"),
    (["true", "x" * 200_000], {}, "true: Argument list too long"),
    (["true"], {}, ""),
]


@pytest.mark.quick(one_in=3)
@pytest.mark.parametrize("made", ["well", "gone", "no program"])
def test_what_is_not_plain_is_said_by_a_fork(tmp_path: Path, starter: str, made: str) -> None:
    """A starter that is no more, or cannot be executed, keeps no job from its start."""
    starts = {"well": starter, "gone": str(tmp_path / "gone"), "no program": str(tmp_path / "none")}[made]
    (tmp_path / "none").write_text("no program")
    (tmp_path / "none").chmod(0o700)
    for argv, more, reason in REASONS:
        folder = tmp_path / "jobs"
        folder.mkdir()
        os.mkfifo(folder / "fifo")
        attempt(folder, *argv, **more)
        ended = keep(folder, starts)
        assert (ended["how"], ended["reason"]) == ("not-started" if reason else "exited", reason)
        shutil.rmtree(folder)


_LATE = """
import os, sys
from molokini.supervisor import lifetime
calls = []
def stay(supervisor):
    calls.append(supervisor._wish.suspended)
    if len(calls) == 1:
        # The starter has given up, and an order to suspend comes before the supervisor hears of that.
        os.waitid(os.P_PID, supervisor._pid, os.WEXITED | os.WNOWAIT)
        supervisor._alive = lambda: supervisor.__dict__.pop("_alive") is not None
    with open("control", "wb", 0) as control:
        control.write(b'{"do": "%s"}' % (b"suspend", b"resume")[len(calls) - 1] + bytes([10]))
    stays(supervisor)
stays, lifetime._Supervisor._stay_with_process = lifetime._Supervisor._stay_with_process, stay
lifetime.keep(*sys.argv[1:])
assert calls == [0, True], calls
"""


@pytest.mark.parametrize("grouped", [True, False])
def test_a_second_start_of_a_suspended_job(tmp_path: Path, starter: str, grouped: bool) -> None:
    """It is not made in a group that stands still, which no process could enter and go on."""
    groups = bases(Spool.group_of(tmp_path)) if grouped else {}
    attempt(tmp_path, "true", stdin="in", groups=groups)
    os.mkfifo(tmp_path / "in")
    try:
        command = [sys.executable, "-c", _LATE, str(tmp_path), starter]
        assert subprocess.run(command, cwd=tmp_path, timeout=DEADLINE_S).returncode == 0
    finally:
        remove_bases(groups)
    ended = records.read(str(tmp_path), "1-1").ended
    assert ended is not None
    assert (ended["how"], "standard input in: a FIFO" in ended["reason"]) == ("not-started", True), ended


_SCARCE = """
import errno, os, sys
from molokini.supervisor import lifetime
def fork():
    raise OSError(errno.EAGAIN, os.strerror(errno.EAGAIN))
os.fork = fork
lifetime.keep(*sys.argv[1:])
"""


def test_a_second_start_for_which_no_process_can_be_made(tmp_path: Path, starter: str) -> None:
    attempt(tmp_path, "./missing")
    command = [sys.executable, "-c", _SCARCE, str(tmp_path), starter]
    assert subprocess.run(command, cwd=tmp_path, timeout=DEADLINE_S).returncode == 0
    ended = records.read(str(tmp_path), "1-1").ended
    assert ended is not None
    reason = "no process can be made: Resource temporarily unavailable"
    assert (ended["how"], ended["reason"]) == ("not-started", reason)
