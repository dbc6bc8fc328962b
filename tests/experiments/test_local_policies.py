"""Local policies from files: how they are called, and what is told of those that do what they may not."""

import re
from pathlib import Path

import pytest

from molokini.compiled.compilation import interpreted, interpreting
from molokini.experiments.local_policies import own_policy, run_own, why_plain
from molokini.model.errors import BadFile
from molokini.process_sim.scenario import US, Scenario
from tests.kit.processes import compute, job

POLICY = """
from molokini.process_sim.tables import World
from molokini.process_sim.verbs import admit, drop, keep, put, timer, touch_job
from molokini.process_sim.words import Hook


def policy(w: World, hook: int, subject: int, value: int) -> int:
    if hook == Hook.PLACE:
        {}
        return 1
    return -1 if hook == Hook.PICK else 0
"""
MISUSED = {
    "admit(w, subject)": "a job was admitted, and A is on no CPU: put(world, process, cpu) each before admit",
    "admit(w, 7)": "admit(world, 7): there is no job 7; it must be from 0 to 0",
    "admit(w, -1)": "admit(world, -1): there is no job -1; it must be from 0 to 0",
    "put(w, 0, 0); admit(w, 0); admit(w, 0)": "admit(world, 0), J: the job was admitted before",
    "put(w, 0, 1)": "put(world, 0, 1): A cannot be on CPU 1; it must be from 0 to 0",
    "put(w, 0, -1)": "put(world, 0, -1): A cannot be on CPU -1; it must be from 0 to 0",
    "put(w, 1, 0)": "put(world, 1, 0): there is no process 1; it must be from 0 to 0",
    "put(w, -1, 0)": "put(world, -1, 0): there is no process -1; it must be from 0 to 0",
    "put(w, 0, 0); put(w, 0, 0)": "put(world, 0, 0): A is on a CPU already, for good",
    "timer(w, -1, 0)": "timer(world, -1, ...): the instant -1ns is over; it must be world.now or later",
    "keep(w, 1)": "keep(world, 1): there is no job 1; it must be from 0 to 0",
    "keep(w, -1)": "keep(world, -1): there is no job -1; it must be from 0 to 0",
    "keep(w, 0); keep(w, 0)": "keep(world, 0), J: the job is in its queue already",
    "drop(w, 0)": "drop(world, 0), J: the job is in no queue; keep(world, job) puts it there",
    "keep(w, 0); drop(w, 0); drop(w, 0)": "drop(world, 0), J: the job is in no queue",
    "drop(w, 1)": "drop(world, 1): there is no job 1; it must be from 0 to 0",
    "touch_job(w, 1)": "touch_job(world, 1): there is no job 1; it must be from 0 to 0",
}


def one_job() -> Scenario:
    return Scenario("S", 1, [job("J", (compute(100 * US),), names="A")])


@pytest.mark.parametrize("asked", MISUSED)
def test_what_verbs_cannot_do_is_told(tmp_path: Path, asked: str) -> None:
    path = tmp_path / "asks.py"
    path.write_text(POLICY.format(asked))
    with interpreting(), pytest.raises(BadFile) as told:
        run_own(str(path), one_job(), None)
    assert f"asks.py: at 0ns: {MISUSED[asked]}" in str(told.value)


@pytest.mark.deep
def test_what_verbs_cannot_do_is_told_by_a_compiled_policy(tmp_path: Path) -> None:
    """All that is wrong at one instant does no harm, and the first of it is told."""
    path = tmp_path / "asks.py"
    path.write_text(POLICY.format("; ".join(MISUSED)))
    assert interpreted() or why_plain(str(path)) is None
    with pytest.raises(BadFile, match=re.escape("asks.py: at 0ns: a job was admitted, and A is on no CPU")):
        run_own(str(path), one_job(), None)


def test_a_file_is_read_once(tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    path.write_text(POLICY.format("admit(w, subject)"))
    policy = own_policy(str(path))
    path.unlink()
    assert own_policy(str(path)) is policy
