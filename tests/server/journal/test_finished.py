"""Stored records of finished jobs that are no longer what they were."""

from typing import Any

import pytest

from molokini.server.journal.finished import finished_rows, opened_rows, opened_runs, runs_rows
from molokini.server.journal.port import Finished, Runs, StateDamaged

JOB = finished_rows([Finished(7, "ann", "batch", "a", 1, "{}")])[0]
PART = runs_rows([Runs(7, 3, 1, "{}")])[0]


@pytest.mark.parametrize("place", range(len(JOB)))
@pytest.mark.parametrize("value", [None, b"\xff", "x", 2**80, 0.5])
def test_any_column_that_holds_something_else_is_damage(place: int, value: Any) -> None:
    assert [one.number for one in opened_rows([JOB], "here")] == [7]
    with pytest.raises(StateDamaged, match=r"^here: the record of finished job"):
        list(opened_rows([(*JOB[:place], value, *JOB[place + 1 :])], "here"))


@pytest.mark.parametrize("place", range(len(PART)))
@pytest.mark.parametrize("value", [None, b"\xff", "x", 2**80, 0.5])
def test_any_column_of_a_part_that_holds_something_else_is_damage(place: int, value: Any) -> None:
    assert opened_runs(PART, "here") == Runs(7, 3, 1, "{}")
    with pytest.raises(StateDamaged, match=r"^here: the record of elements of finished job"):
        opened_runs((*PART[:place], value, *PART[place + 1 :]), "here")
