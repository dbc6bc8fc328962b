"""The picture of a matrix: a box for each run of columns of each job in each of its rows."""

from typing import Any

from matplotlib.patches import Rectangle

from molokini.plots import matrix_picture
from molokini.plots.style import colour


def report(columns: int, *jobs: dict[str, Any], active: int | None = None) -> dict[str, Any]:
    return {"columns": columns, "active_row": active, "rows": [{}, {}], "jobs": list(jobs)}


def test_boxes_stand_where_the_columns_are() -> None:
    one = {"job": "17", "home": 1, "rows": [0, 1], "columns": [[0, 1], [4, 6]]}
    two = {"job": "18$x$", "home": 0, "rows": [0], "columns": [[2, 3]]}
    axes = matrix_picture(report(8, one, two, active=1), "a $heading$", "below").axes[0]
    boxes = [patch for patch in axes.patches if isinstance(patch, Rectangle)]
    places = [(box.get_x(), int(box.get_y()), box.get_width(), box.get_hatch() is None) for box in boxes]
    assert places == [(0, 0, 2, False), (4, 0, 3, False), (0, 1, 2, True), (4, 1, 3, True), (2, 0, 2, True)]
    assert [text.get_text() for text in axes.texts] == ["17", "17", "17", "17", "18$x$"]
    assert [label.get_text() for label in axes.get_yticklabels()] == ["0", "1, active"]
    assert len({box.get_facecolor()[:3] for box in boxes}) == 2
    assert colour(0) != colour(1)


def test_columns_that_are_not_in_service_are_grey_and_jobs_keep_theirs() -> None:
    one = {"job": "3", "home": 0, "rows": [0], "columns": [[4, 5]]}
    picture = matrix_picture({**report(6, one), "away": [[2, 3]]}, "heading")
    grey, box = (patch for patch in picture.axes[0].patches if isinstance(patch, Rectangle))
    assert (grey.get_x(), grey.get_width(), grey.get_height()) == (2, 2, 1)
    assert (box.get_x(), box.get_width()) == (4, 2)
    assert [text.get_text() for text in picture.legends[0].get_texts()][-1] == "not in service"


def test_numbers_that_have_no_room_are_left_out() -> None:
    narrow = {"job": "123456", "home": 0, "rows": [0], "columns": [[5, 5]]}
    assert not matrix_picture(report(4000, narrow), "wide").axes[0].texts
    assert not matrix_picture(report(8), "empty").axes[0].patches


def test_a_matrix_that_has_no_rows_just_now() -> None:
    axes = matrix_picture({**report(8), "rows": []}, "nobody runs").axes[0]
    assert not axes.patches
    assert not axes.get_yticklabels()
