"""Clusters of tests that pytest-xdist runs at once: none sees another's jobs, and nothing stays behind."""

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.kit.waiting import DEADLINE_S
from tests.torture.real_processes import ROOTS

HELPER = """\
import os, time
from pathlib import Path

import pytest

MEETING, DEADLINE_S = Path({meeting!r}), {deadline_s}


def meet(word):
    '''Come back when both workers have said this word: their clusters live at the same time.'''
    (MEETING / f"{{word}}-{{os.environ['PYTEST_XDIST_WORKER']}}").touch()
    ends = time.monotonic() + DEADLINE_S
    while len(list(MEETING.glob(f"{{word}}-*"))) < 2:
        assert time.monotonic() < ends, f"alone at {{word}}"
        time.sleep(0.01)


def told(one, text):
    '''Keep for the outer test what was there.'''
    (MEETING / f"told-{{os.getpid()}}-{{text}}").write_text(str(one.folder))
"""

ALIKE = """\
import pytest
from helper import meet, told


def test_own_jobs_alone(molokini_cluster):
    one = molokini_cluster
    told(one, "emulated")
    one.outcomes.add(exit_code=OURS, after_s=OURS)
    meet("up")
    names = [one.run(*words).stdout.strip() for words in SUBMIT]
    assert names == ["1", "2.molokini"]
    meet("submitted")
    assert [job["id"] for job in one.jobs()] == [1, 2]
    assert one.clock.advance(OURS) - one.job(1)["start_s"] == OURS
    assert [job["exit_code"] for job in one.jobs()] == [OURS, OURS]
    meet("seen")


@pytest.mark.molokini(mode="process", processors=1)
def test_a_job_that_still_runs(molokini_cluster):
    molokini_cluster.run("sbatch", "--wrap", "sleep 601.OURS")
    told(molokini_cluster, "process")
    meet("running")


def test_that_fails(molokini_cluster):
    told(molokini_cluster, "failed")
    meet("failing")
    assert molokini_cluster.run("sbatch", "--wrap", "true").returncode == OURS


SUBMIT = [("sbatch", "--parsable", "--wrap", "true"), ("qsub", "--", "true")]
"""


def left_of(folder: Path) -> list[str]:
    """Command lines of processes, and sockets, that name *folder* or the jobs of the tests."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            words = (process / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
        except OSError:
            continue
        if str(folder) in words or "sleep 601." in words:
            found.append(words)
    sockets = Path("/proc/net/unix").read_text().splitlines()
    return found + [line for line in sockets if str(folder) in line]


@pytest.mark.dear("pytest runs in pytest, with two workers and a cluster each")
@pytest.mark.deep
def test_two_workers(tmp_path: Path) -> None:
    tests, meeting, scratch = (tmp_path / name for name in ("tests", "meeting", "scratch"))
    for folder in (tests, meeting, scratch):
        folder.mkdir()
    (tests / "helper.py").write_text(HELPER.format(meeting=str(meeting), deadline_s=DEADLINE_S))
    for ours in (3, 5):
        (tests / f"test_{ours}.py").write_text(ALIKE.replace("OURS", str(ours)))
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-n", "2", "--dist", "loadfile", "-p", "no:cacheprovider"],
        cwd=tests,
        env={**inherited, "PYTHONPATH": f"{ROOTS}{os.pathsep}{tests}", "TMPDIR": str(scratch)},
        capture_output=True,
        text=True,
        timeout=4 * DEADLINE_S,
    )
    assert "2 failed, 4 passed" in done.stdout, done.stdout
    for ours in (3, 5):
        assert f"FAILED test_{ours}.py::test_that_fails - AssertionError: assert 0 == {ours}\n" in done.stdout
    folders = [Path(file.read_text()) for file in meeting.glob("told-*")]
    assert len(set(folders)) == 6
    assert {one.parent for one in folders} == {scratch}
    assert [one for one in scratch.iterdir() if not one.name.startswith("pytest-of-")] == []
    # A process that was killed is in the list for an instant more.
    deadline_s = time.monotonic() + DEADLINE_S
    while left_of(scratch) and time.monotonic() < deadline_s:
        time.sleep(0.01)
    assert left_of(scratch) == []
