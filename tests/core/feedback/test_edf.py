"""The local rules of (period, slice) schedules."""

import ast
from pathlib import Path

from molokini.feedback import edf


def test_rules() -> None:
    assert edf.slice_of(200_000_000, 333_333) == 66_666_600
    assert edf.periods_over(199, 0, 100) == 1
    assert edf.periods_over(5, 10, 100) == 0
    assert edf.goes_before(10, 2, 11, 1)
    assert edf.goes_before(10, 1, 10, 2)
    assert not edf.goes_before(10, 2, 10, 1)
    assert edf.has_room(500_000, 400_000, 900_000)
    assert not edf.has_room(500_000, 400_001, 900_000)
    assert edf.has_missed(2, 1)


def test_a_task_that_wakes_up_late_in_its_period_begins_another() -> None:
    assert edf.begins_anew(50, 100, 60, 50, 100)
    assert not edf.begins_anew(20, 100, 60, 50, 100)
    assert edf.begins_anew(0, 100, 100, 50, 100)


def test_the_slicer_can_load_the_rules_alone() -> None:
    tree = ast.parse(Path(edf.__file__).read_text())
    assert not [node for node in ast.walk(tree) if isinstance(node, ast.Import | ast.ImportFrom)]
