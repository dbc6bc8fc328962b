"""Local policies from files: how they are called, and what is told of those that do what they may not."""

from pathlib import Path

import pytest

from molokini.compiled.compilation import interpreting
from molokini.experiments.local_policies import own_policy, run_own
from molokini.model.errors import BadFile
from molokini.nodes.scenario import US, Scenario
from tests.kit.processes import compute, job

ADMITS = """
from molokini.nodes.verbs import admit
from molokini.nodes.words import Hook


def policy(w, hook, subject, value):
    if hook == Hook.PLACE:
        admit(w, subject)
        return 1
    return 0
"""


def test_a_job_that_is_admitted_and_not_placed_is_told(tmp_path: Path) -> None:
    path = tmp_path / "admits.py"
    path.write_text(ADMITS)
    scenario = Scenario("S", 1, [job("J", (compute(100 * US),), names="A")])
    words = r"admits.py: PLACE at 0ns admitted a job and left A on no CPU"
    with interpreting(), pytest.raises(BadFile, match=words):
        run_own(str(path), scenario, None)


def test_a_file_is_read_once(tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    path.write_text(ADMITS)
    policy = own_policy(str(path))
    path.unlink()
    assert own_policy(str(path)) is policy
