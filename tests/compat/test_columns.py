"""Columns of tables, as all batch systems have them."""

import pytest

from molokini.compat.columns import (
    Column,
    end_off,
    fit,
    line,
    plus,
    points_before,
    printable,
    star,
    star_before,
)


@pytest.mark.parametrize(
    ("cuts", "shown"),
    [(end_off, "abcd"), (plus, "abc+"), (star, "abc*"), (star_before, "*efg"), (points_before, "...g")],
)
def test_what_is_cut_off_a_longer_text(cuts: object, shown: str) -> None:
    column = Column("x", 4, cuts=cuts)  # type: ignore[arg-type]
    assert (column.fitted("abcdefg"), column.fitted("abcd"), column.fitted("a")) == (shown, "abcd", "a   ")


def test_widths_and_sides() -> None:
    assert Column("x", 4, right=True).fitted("a") == "   a"
    assert Column("x", None).fitted("as it is") == "as it is"
    assert (Column("x", 0, cuts=plus).fitted("abc"), Column("x", 1, cuts=star_before).fitted("abc")) == (
        "",
        "a",
    )
    assert (fit("abcdef", 4), fit("a", 4)) == ("abc*", "a   ")


def test_a_line() -> None:
    columns = [Column("a", 3), Column("b", 2, right=True)]
    columns[0].suffix = "|"
    assert line(columns, ["1", "2"]) == "1  | 2"
    assert line(columns, ["1", "2"], " ") == "1  |  2"


def test_what_would_steer_a_terminal() -> None:
    assert (printable("plain é"), printable("a\x1b[2J\n")) == ("plain é", "a?[2J?")
