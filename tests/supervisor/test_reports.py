"""LSF's report of a job that has ended: its lines, who gets one, and where it is written."""

import os
import pwd
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from molokini.supervisor import reports
from molokini.supervisor.launch_record import LaunchRecord
from molokini.supervisor.records import RECORD
from molokini.supervisor.reports import Ending
from molokini.supervisor.starting import Program, account_of
from tests.kit.supervisors import attempt, wish
from tests.kit.waiting import DEADLINE_S

LSF = {
    "MOLOKINI_FLAVOUR": "lsf",
    "MOLOKINI_LSF_REPORT": "site",
    "MOLOKINI_OPEN_MODE": "append",
    "LSB_SUB_HOST": "login",
}
KEEP = "import sys; from molokini.supervisor import lifetime; lifetime.keep(sys.argv[1])"
WHOLE = """
------------------------------------------------------------
Sender: LSF System <agent@n1>
Subject: Job 7[3]: <x[3]> in cluster <site> Exited

Job <x[3]> was submitted from host <login> by user <ann> in cluster <site>.
Job was executed on host(s) <4*n1>, in queue <q>, as user <{me}> in cluster <site>.
                            <n2>
<{home}> was used as the home directory.
</work> was used as the working directory.
Started at Sun Sep  9 01:46:40 2001
Terminated at Sun Sep  9 01:46:42 2001
Results reported at Sun Sep  9 01:46:43 2001

Your job looked like:

------------------------------------------------------------
# LSBATCH: User input
sleep 5
------------------------------------------------------------

TERM_RUNLIMIT: job killed after reaching LSF run time limit.
Exited with exit code 140.

Resource usage summary:

    CPU time   :      1.20 sec.
    Max Memory :        12 MB
    Max Swap   :         -

    Max Processes  :         -
    Run time       :         2 sec.

The output (if any) is above this job summary.

"""


@pytest.fixture
def utc(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    with monkeypatch.context() as patch:
        patch.setenv("TZ", "UTC")
        time.tzset()
        yield
    time.tzset()


def program(folder: Path, made: LaunchRecord) -> Program:
    return Program(made, str(folder), account_of(made))


def ending(how: str = "exited", code: int = 0, number: int = 0) -> Ending:
    return Ending(how, code << 8 | number, 1e9, 1e9 + 2, {"cpu_s": 1.2, "memory_kb": 12 << 10})


@pytest.mark.usefixtures("utc")
def test_the_lines_of_a_report(tmp_path: Path) -> None:
    made = wish(
        tmp_path,
        "script",
        job=7,
        index=3,
        name="x",
        user="ann",
        queue="q",
        directory="/work",
        nodes=[("n1", 4), ("n2", 1)],
        environment=LSF,
    )
    script = "#!/bin/sh\n# LSBATCH: User input\nsleep 5\n"
    found = reports.report(program(tmp_path, made), script, ending("limit", number=15), "agent", 1e9 + 3)
    account = account_of(made)
    assert found == WHOLE.format(me=account.name, home=account.home)


@pytest.mark.parametrize(
    ("how", "code", "number", "says"),
    [
        ("exited", 0, 0, ["Successfully completed."]),
        ("exited", 3, 0, ["Exited with exit code 3."]),
        ("exited", 0, 9, ["Exited with signal termination: Killed."]),
        ("killed", 0, 0, ["TERM_OWNER: job killed by owner.", "Exited with exit code 130."]),
        ("killed", 0, 15, ["TERM_OWNER: job killed by owner.", "Exited with exit code 143."]),
        (
            "out-of-memory",
            0,
            9,
            [
                "TERM_MEMLIMIT: job killed after reaching LSF memory usage limit.",
                "Exited with exit code 137.",
            ],
        ),
    ],
)
def test_how_it_has_ended(how: str, code: int, number: int, says: list[str]) -> None:
    found = ending(how, code, number)
    assert found.sentences() == says
    assert found.done == (says == ["Successfully completed."])


def test_of_a_long_script_its_beginning(tmp_path: Path) -> None:
    lines = [f"echo {k}" for k in range(200)]
    made = program(tmp_path, wish(tmp_path, "script", environment=LSF))
    found = reports.report(made, "\n".join(["#!/bin/bash", *lines]), ending(), "agent", 1e9)
    assert "\n#!/bin/bash\necho 0\n" in found
    assert "\necho 48\n" + "-" * 60 in found


def test_who_gets_a_report_or_a_line() -> None:
    slurm = {**LSF, "MOLOKINI_FLAVOUR": "slurm"}
    assert reports.wanted(LSF, "exited")
    assert not reports.wanted({}, "limit")
    assert not reports.wanted({**LSF, "MOLOKINI_LSF_REPORT": ""}, "limit")
    assert [reports.wanted(slurm, how) for how in ("exited", "limit", "killed", "lease")] == [
        False,
        True,
        True,
        False,
    ]


@pytest.mark.usefixtures("utc")
@pytest.mark.parametrize(("how", "why"), [("limit", " DUE TO TIME LIMIT"), ("killed", "")])
def test_the_line_of_slurm(tmp_path: Path, how: str, why: str) -> None:
    made = wish(tmp_path, "script", job=7, nodes=[("n1", 4)], environment={"MOLOKINI_FLAVOUR": "slurm"})
    found = reports.line(program(tmp_path, made), ending(how, number=15))
    assert found == f"slurmstepd-n1: error: *** JOB 7 ON n1 CANCELLED AT 2001-09-09T01:46:42{why} ***\n"


def kept(folder: Path, shell: str, keep: str = KEEP, **more: object) -> str:
    """What is in the job's file of output when its supervisor has kept it."""
    attempt(folder, "sh", "-c", shell, environment=LSF, **more)
    with subprocess.Popen([sys.executable, "-c", keep, str(folder)]) as supervisor:
        assert supervisor.wait(DEADLINE_S) == 0
    assert '"kind": "ended"' in (folder / RECORD).read_text()
    return (folder / "out").read_text() if (folder / "out").exists() else ""


def test_it_stands_behind_the_output(tmp_path: Path) -> None:
    (tmp_path / "out").write_text("before\n")
    found = kept(tmp_path, "echo within; exit 4")
    assert found.startswith("before\nwithin\n\n" + "-" * 60 + "\nSender: LSF System <")
    assert "\nExited with exit code 4.\n" in found
    assert found.endswith("\nThe output (if any) is above this job summary.\n\n")


@pytest.mark.skipif(os.geteuid() != 0, reason="only root becomes another user")
def test_the_jobs_user_writes_it_and_the_agent_is_the_sender() -> None:
    """In a folder that is the user's alone, which those of tests are not."""
    with tempfile.TemporaryDirectory() as place:
        folder, theirs = Path(place), Path(place) / "theirs"
        folder.chmod(0o711)
        theirs.mkdir(0o700)
        account = pwd.getpwnam("nobody")
        os.chown(theirs, account.pw_uid, account.pw_gid)
        out = theirs / "made"
        kept(
            folder,
            "rm made; id -un > name",
            stdout="made",
            directory=str(theirs),
            user="nobody",
            switches=True,
        )
        assert (theirs / "name").read_text() == "nobody\n"
        assert out.stat().st_uid == account.pw_uid
        assert "\nSender: LSF System <root@here>\n" in out.read_text()
        assert ", as user <nobody> in cluster <site>.\n" in out.read_text()


def test_elements_that_share_a_file_leave_each_others_lines(tmp_path: Path) -> None:
    """The job's own output is added to the file, too, wherever that ends meanwhile."""
    assert "first\nother\nlast\n\n---" in kept(tmp_path, "echo first; echo other >> out; echo last")


def test_a_job_that_never_began_has_none(tmp_path: Path) -> None:
    assert kept(tmp_path, "true", directory=str(tmp_path / "none")) == ""


def test_a_report_that_cannot_be_written_changes_nothing(tmp_path: Path) -> None:
    """Its folder has become a file, of which the report would be below."""
    (tmp_path / "d").mkdir()
    assert kept(tmp_path, "rm d/out; rmdir d; touch d; exit 5", stdout=str(tmp_path / "d" / "out")) == ""
    assert '"exit_code": 5' in (tmp_path / RECORD).read_text()


def test_no_report_is_waited_for_for_ever(tmp_path: Path) -> None:
    """As on a file system that does not answer: the writer is ended, and the end of the job is noted."""
    slow = (
        "import sys, time; from molokini.supervisor import lifetime, reports; "
        "reports.LONGEST_S = 0.1; reports.report = lambda *given: time.sleep(1000); "
        "lifetime.keep(sys.argv[1])"
    )
    assert kept(tmp_path, "echo within", keep=slow) == "within\n"
    assert '"exit_code": 0' in (tmp_path / RECORD).read_text()
