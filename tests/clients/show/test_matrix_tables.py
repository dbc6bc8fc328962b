"""The matrix on a terminal: every width shows whole rows, and who has most of a group of processors."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from molokini.clients.show.matrix_tables import CellRun, Scale, runs_of, scale_for, show_matrix


def job(name: str, home: int, rows: list[int], *columns: list[int]) -> dict[str, Any]:
    width = sum(last + 1 - first for first, last in columns)
    return {
        "job": name,
        "processors": width,
        "home": home,
        "rows": rows,
        "columns": list(columns),
        "rate": len(rows) / 2,
        "stall_s": 0.0,
        "start_s": 1500000.0,
        "expected_end_s": None,
    }


def report(columns: int, *jobs: dict[str, Any], active: int | None = None) -> dict[str, Any]:
    return {
        "policy": "bgs",
        "now_s": 60.0,
        "calendar_zero_s": None,
        "columns": columns,
        "quantum_s": 200.0,
        "mode": "rate" if active is None else "exact",
        "active_row": active,
        "occupied": 0.5,
        "waiting": 3,
        "rows": [{"row": 0}, {"row": 1}],
        "jobs": list(jobs),
    }


FEW = report(4, job("17", 0, [0, 1], [0, 0], [2, 3]), job("1234567", 1, [1], [1, 1]), active=1)


@pytest.mark.parametrize(
    ("columns", "room", "scale"),
    [
        (4, 80, Scale(1, 6)),
        (20, 80, Scale(1, 4)),
        (80, 80, Scale(1, 1)),
        (81, 80, Scale(2, 1)),
        (9000, 80, Scale(113, 1)),
        (3, 0, Scale(3, 1)),
    ],
)
def test_processors_share_signs_where_there_are_too_many(columns: int, room: int, scale: Scale) -> None:
    assert scale_for(columns, room) == scale


@given(columns=st.integers(1, 5000), room=st.integers(1, 300), data=st.data())
def test_every_row_is_as_long_as_the_others_and_fits(columns: int, room: int, data: st.DataObject) -> None:
    end = data.draw(st.integers(0, columns - 1))
    found = report(columns, job("1", 0, [0], [end // 2, end]))
    scale = scale_for(columns, room)
    signs = {sum(run.signs for run in runs_of(found, r, scale)) for r in (0, 1)}
    assert signs == {-(-columns // scale.processors) * scale.signs}
    assert signs.pop() <= room


def test_a_sign_of_several_processors_is_of_who_has_most_of_them() -> None:
    found = report(7, job("1", 0, [0], [0, 0]), job("2", 0, [0], [1, 4]))
    assert runs_of(found, 0, Scale(3, 1)) == [CellRun(1, 2), CellRun(-1, 1)]
    assert runs_of(found, 0, Scale(1, 2)) == [CellRun(0, 2), CellRun(1, 8), CellRun(-1, 4)]


def test_numbers_stand_where_they_have_room(capsys: pytest.CaptureFixture[str]) -> None:
    show_matrix(FEW, "small.swf")
    shown = capsys.readouterr().out.splitlines()
    assert shown[0] == ("small.swf, bgs at 60 s: 2 rows of 4 processors, quantum 3 min 20 s, mode exact")
    assert shown[1:3] == [" 0 |17====......17==========|", ">1 |17----######17----------|"]
    assert shown[3].startswith(
        "2 jobs in the matrix, 3 jobs waiting, 50.0% of the matrix occupied; row 1 has"
    )
    assert "6 signs are a processor" in shown[4]
    assert shown[-2].split() == ["1234567", "1", "1", "1", "0.500", "1500000", "1"]


def test_of_very_many_jobs_some_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    many = report(100, *(job(str(at), 0, [0], [at, at]) for at in range(50)))
    show_matrix(many, "many")
    shown = capsys.readouterr().out
    assert "10 more jobs: see --json" in shown
    assert report(100)["jobs"] == []


def test_a_matrix_that_has_no_rows_just_now(capsys: pytest.CaptureFixture[str]) -> None:
    show_matrix({**report(8), "rows": [], "quantum_s": None})
    first, state, *_ = capsys.readouterr().out.splitlines()
    assert first == "matrix, bgs at 60 s: 0 rows in use of 8 processors, evenly shared"
    assert state.startswith("0 jobs in the matrix")
