"""Tables fit the width they are given, and lose nothing on the way."""

import pytest
from rich.cells import cell_len

from molokini.clients.show.text_grid import Grid, Part, wrapped

MEANS = Grid(
    "",
    ("policy", "mean wait", "median wait", "mean bounded slowdown", "utilization"),
    rows=[
        ("fcfs", "18 h 19 min", "11 h 54 min", "1,515.45", "62.50%"),
        ("easy (order=shortest)", "2 h 14 min", "0 s", "117.67", "66.72%"),
    ],
)
AGAINST = Grid(
    "",
    ("policy", "metric", "difference", "95% interval", "verdict"),
    words=(0, 1, 4),
    keys=2,
    rows=[("easy", "mean bounded slowdown", "-1,397.78", "-2,522.90 to -272.66", "no clear difference")],
)
SPARSE = Grid("", ("metric", "value", "interval"), rows=[("a", "1" * 20, ""), ("b", "2" * 20, "3" * 20)])


def text_of(part: Part) -> str:
    return "\n".join([*part.header(), part.rule("-"), *part.body()])


def test_where_there_is_room_a_row_is_a_line() -> None:
    [part] = MEANS.parts()
    assert text_of(part).splitlines() == [
        " policy                    mean wait   median wait   mean bounded slowdown   utilization",
        " ---------------------------------------------------------------------------------------",
        " fcfs                    18 h 19 min   11 h 54 min                1,515.45        62.50%",
        " easy (order=shortest)    2 h 14 min           0 s                  117.67        66.72%",
    ]


def test_names_of_columns_are_broken_first() -> None:
    [part] = MEANS.parts(75)
    assert text_of(part).splitlines() == [
        "                                                 mean bounded",
        "policy                   mean wait  median wait      slowdown  utilization",
        "-" * 74,
        "fcfs                   18 h 19 min  11 h 54 min      1,515.45       62.50%",
        "easy (order=shortest)   2 h 14 min          0 s        117.67       66.72%",
    ]


def test_then_columns_are_stacked_each_part_with_the_keys() -> None:
    upper, lower = MEANS.parts(52)
    assert [list(part.columns) for part in (upper, lower)] == [[0, 1, 2], [0, 3, 4]]
    assert text_of(lower).splitlines() == [
        "                       mean bounded",
        "policy                     slowdown  utilization",
        "-" * 48,
        "fcfs                       1,515.45       62.50%",
        "easy (order=shortest)        117.67       66.72%",
    ]


@pytest.mark.parametrize("grid", [MEANS, AGAINST, SPARSE])
@pytest.mark.parametrize("width", range(38, 100))
def test_nothing_is_wider_than_asked_and_no_figure_is_broken(grid: Grid, width: int) -> None:
    parts = grid.parts(width)
    shown = "\n".join(map(text_of, parts))
    lines = shown.splitlines()
    assert max(map(cell_len, lines)) <= width
    assert [line for line in lines if line != line.rstrip()] == []
    figures = [
        piece.strip()
        for cells in grid.rows
        for column, cell in enumerate(cells)
        if column not in grid.words
        for piece in cell.replace(" to ", " to|").split("|")
    ]
    assert all(figure in shown for figure in figures)
    assert sorted({column for part in parts for column in part.columns}) == list(range(len(grid.columns)))
    assert all(set(range(grid.keys)) < set(part.columns) for part in parts)


def test_a_row_without_anything_to_say_is_left_out_where_columns_are_stacked() -> None:
    upper, lower = SPARSE.parts(40)
    assert (len(upper.body()), len(lower.body())) == (2, 1)
    [whole] = SPARSE.parts()
    assert len(whole.body()) == 2


def test_wide_signs_count_twice_and_endless_words_are_folded() -> None:
    grid = Grid("", ("policy", "wait"), rows=[("日本" * 20, "1 s"), ("x" * 90, "2 s")])
    [part] = grid.parts(40)
    assert max(map(cell_len, part.body())) <= 40
    assert "".join(line[:36].strip() for line in part.body()[-3:]).count("x") == 90


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("short", ["short"]),
        ("  Computer: IBM SP2 of a long name", ["  Computer: IBM SP2", "    of a long name"]),
        ("give --set cutoffs=1,2,3,4,5,6,7,8,9", ["give --set", "  cutoffs=1,2,3,4,5,6,7,8,9"]),
        ("blank at the end  ", ["blank at the end"]),
    ],
)
def test_lines_are_broken_between_words(text: str, lines: list[str]) -> None:
    assert wrapped(text, 20) == lines


def test_what_follows_hangs_below() -> None:
    assert wrapped("easy  the head has a promise", 18, 6) == ["easy  the head has", "      a promise"]


def test_the_word_after_a_folded_one_keeps_its_distance() -> None:
    long = Grid("", ("name", "meaning"), words=(0, 1), rows=[("a", f"{'LONG' * 7}: what a job may be")])
    [part] = long.parts(22)
    assert "LONG: what" in text_of(part)
