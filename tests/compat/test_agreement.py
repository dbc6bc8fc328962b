"""Whatever is done to jobs, and by whichever batch system: every batch system lists them, and all agree.

A job is listed from the moment that its id is printed until the retention ends that each batch system states.
"""

import contextlib
import getpass
import io
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from molokini.compat.lsf.selecting import CLEAN_PERIOD_S
from molokini.compat.pbs.dialect import KEEP_COMPLETED_S
from molokini.compat.slurm.configuration import MIN_JOB_AGE_S
from molokini.compat.tool import ended
from molokini.testing import Cluster, cluster

PROCESSORS = 4
OPEN = ("runs", "waits", "held", "stopped")
ALWAYS = float("inf")


@pytest.fixture(scope="module")
def one() -> Iterator[Cluster]:
    """One for all examples: each has jobs of its own."""
    with (
        cluster(nodes=1, processors=PROCESSORS, policy="fcfs") as made,
        pytest.MonkeyPatch.context() as patch,
    ):
        for name, value in made.variables("").items():
            patch.setenv(name, value)
        patch.setenv("MOLOKINI_PBS_DIALECT", "pro")
        yield made


def said(system: str, command: str, *words: object) -> str:
    """What a command prints, run in this process."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = ended(system, command, [str(word) for word in words])
    assert code == 0, (command, words, code, err.getvalue())
    return out.getvalue()


# Submitting: a name of the job as it is printed, made its number.


def sbatch(processors: int, seconds: int) -> int:
    words = ("-n", processors, "-t", f"0:{seconds // 60:02}:{seconds % 60:02}", "--wrap", "true")
    return int(said("slurm", "sbatch", "--parsable", *words))


def qsub(processors: int, seconds: int) -> int:
    words = ("-l", f"select=1:ncpus={processors},walltime={seconds}", "--", "true")
    return int(said("pbs", "qsub", *words).partition(".")[0])


def bsub(processors: int, seconds: int) -> int:
    printed = said("lsf", "bsub", "-n", processors, "-W", max(1, seconds // 60), "true")
    return int(printed.partition("<")[2].partition(">")[0])


SUBMIT: dict[str, Callable[[int, int], int]] = {"sbatch": sbatch, "qsub": qsub, "bsub": bsub}
CHANGE: dict[str, list[tuple[str, ...]]] = {
    "hold": [("slurm", "scontrol", "hold"), ("pbs", "qhold"), ("maui", "sethold", "user")],
    "release": [("slurm", "scontrol", "release"), ("pbs", "qrls"), ("maui", "releasehold", "-a")],
    "stop": [("slurm", "scontrol", "suspend"), ("lsf", "bstop")],
    "resume": [("slurm", "scontrol", "resume"), ("lsf", "bresume")],
    "cancel": [("slurm", "scancel"), ("pbs", "qdel"), ("lsf", "bkill"), ("maui", "canceljob")],
}
BEARS = {"hold": "waits", "release": "held", "stop": "runs", "resume": "stopped"}
"""By change, the state that a job has to be in for it; any open one may be cancelled."""

# Listings: the state of each job by its number. ``over`` is all that such a listing tells.

SLURM = {"R": "runs", "PD": "waits", "S": "stopped", "CD": "done", "CA": "cancelled", "TO": "late"}
PBS = {"R": "runs", "Q": "waits", "H": "held", "S": "stopped", "F": "over", "C": "over"}
LSF = {"RUN": "runs", "PEND": "waits", "PSUSP": "held", "USUSP": "stopped", "DONE": "done", "EXIT": "ended"}
MAUI = {"Running": "runs", "Idle": "waits", "Suspended": "stopped", "Hold": "held"}


def squeue() -> dict[int, str]:
    rows = [
        line.split("|") for line in said("slurm", "squeue", "-h", "-t", "all", "-o", "%i|%t|%r").splitlines()
    ]
    held = {"JobHeldUser", "JobHeldAdmin"}
    return {int(row[0]): "held" if row[2] in held else SLURM[row[1]] for row in rows}


def sacct() -> dict[int, str]:
    rows = [
        line.split("|")
        for line in said("slurm", "sacct", "-anXPS", "2000-01-01", "-o", "JobID,State").splitlines()
    ]
    words = {
        "RUNNING": "runs",
        "PENDING": "pends",
        "SUSPENDED": "stopped",
        "COMPLETED": "done",
        "TIMEOUT": "late",
    }
    return {int(number): words.get(state, state.split()[0].lower()) for number, state in rows}


def qstat(*words: str) -> dict[int, str]:
    rows = [line.split() for line in said("pbs", "qstat", *words).splitlines()[2:]]
    return {int(row[0].partition(".")[0]): PBS[row[4]] for row in rows}


def torque() -> dict[int, str]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MOLOKINI_PBS_DIALECT", "torque")
        return qstat()


def bjobs(*words: str) -> dict[int, str]:
    given = ("-u", "all", "-noheader", "-o", "jobid stat", *words)
    rows = [line.split() for line in said("lsf", "bjobs", *given).splitlines() if line[:1].isdigit()]
    return {int(number): LSF[state] for number, state in rows}


def showq() -> dict[int, str]:
    rows = [words for line in said("maui", "showq").splitlines() if len(words := line.split()) > 4]
    me = getpass.getuser()
    return {int(row[0]): MAUI.get(row[2], "held") for row in rows if row[0].isdigit() and row[1] == me[:9]}


LISTINGS: list[tuple[Callable[[], dict[int, str]], float]] = [
    (squeue, MIN_JOB_AGE_S),
    (sacct, ALWAYS),
    (qstat, 0.0),
    (lambda: qstat("-x"), ALWAYS),
    (torque, KEEP_COMPLETED_S),
    (bjobs, 0.0),
    (lambda: bjobs("-a"), CLEAN_PERIOD_S),
    (showq, 0.0),
]
"""Each with how many seconds after its end a job is in it."""
SAME = {
    "pends": {"waits", "held"},
    "over": {"done", "cancelled", "late"},
    "ended": {"cancelled", "late"},
    "timeout": {"late"},
}
"""What a word of one listing may be in another."""


@dataclass
class Known:
    """A job as this test knows it: by the server's own words."""

    state: str
    end_s: float | None


OURS = {"RUNNING": "runs", "WAITING": "waits", "HELD": "held", "SUSPENDED": "stopped", "COMPLETED": "done"}
OURS |= {"CANCELLED": "cancelled", "TIMEOUT": "late"}


class Story:
    """What is done in one example, and what all listings must say then."""

    def __init__(self, one: Cluster) -> None:
        self._one = one
        self._first = len(one.jobs()) + 1
        self._numbers: list[int] = []

    def submit(self, command: str, processors: int, minutes: int) -> None:
        number = SUBMIT[command](processors, 60 * minutes)
        self._numbers.append(number)
        # Before anything else is asked: an id that is printed is known.
        listed = [list_jobs() for list_jobs, _ in LISTINGS]
        assert [number for found in listed if number not in found] == []
        self.look()

    def change(self, which: int, how: int) -> None:
        """One of all changes that some job bears."""
        able = [
            (what, number)
            for what in sorted(CHANGE)
            for number, job in self._known().items()
            if job.state == BEARS.get(what) or (what == "cancel" and job.state in OPEN)
        ]
        if able:
            what, number = able[which % len(able)]
            said(*CHANGE[what][how % len(CHANGE[what])], number)
        self.look()

    def wait(self, seconds: int) -> None:
        self._one.clock.advance(seconds)
        self.look()

    def look(self) -> None:
        # A command is answered before the policy has made its pass.
        self._one.clock.advance(0)
        known, now_s = self._known(), self._one.clock.now_s
        for list_jobs, kept_s in LISTINGS:
            found = {number: state for number, state in list_jobs().items() if number >= self._first}
            wanted = {
                number: job.state
                for number, job in known.items()
                if job.end_s is None or (kept_s and now_s - job.end_s <= kept_s)
            }
            assert found.keys() == wanted.keys()
            for number, state in found.items():
                assert wanted[number] in SAME.get(state, {state}), (number, state, wanted[number])

    def over(self) -> None:
        """Nothing of this example is in the way of the next one."""
        left = [number for number, job in self._known().items() if job.state in OPEN]
        if left:
            said("slurm", "scancel", *left)
        self._one.clock.advance(100_000)

    def _known(self) -> dict[int, Known]:
        jobs = self._one.jobs(job_ids=self._numbers) if self._numbers else []
        return {job["id"]: Known(OURS[job["state"]], job.get("end_s")) for job in jobs}


SUBMISSIONS = st.tuples(
    st.just("submit"), st.sampled_from(sorted(SUBMIT)), st.integers(1, PROCESSORS), st.integers(1, 20)
)
CHANGES = st.tuples(st.just("change"), st.integers(0, 11), st.integers(0, 3))
WAITS = st.tuples(st.just("wait"), st.sampled_from([1, 59, 60, 299, 301, 1200, 3601]))
Steps = list[tuple[Any, ...]]


@settings(max_examples=15)
@given(
    st.lists(SUBMISSIONS, min_size=1, max_size=3),
    st.lists(st.one_of(CHANGES, SUBMISSIONS, WAITS), min_size=2, max_size=8),
)
def test_every_system_lists_a_job_while_it_says_so_and_all_agree(
    one: Cluster, first: Steps, then: Steps
) -> None:
    story = Story(one)
    try:
        for what, *how in first + then:
            getattr(story, what)(*how)
    finally:
        story.over()
