import pytest
from hypothesis import given
from hypothesis import strategies as st

from molokini.maui.times import INFINITY_S, Moment, read_duration, read_moment, write_duration


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("30", 30),
        ("1:30", 90),
        ("1:00:00", 3600),
        ("10:00:00:00", 864_000),
        ("00:00:30", 30),
        ("90:00", 5400),
        ("INFINITY", INFINITY_S),
        ("infinity", INFINITY_S),
        ("-1", -1),
    ],
)
def test_durations(text: str, seconds: int) -> None:
    assert read_duration(text) == seconds


@pytest.mark.parametrize(
    "text", ["", "1:2:3:4:5", "1h", "1::2", ":30", "1.5", "99999999999", "--1", "2140000001", "\u0661"]
)
def test_texts_that_are_no_durations(text: str) -> None:
    with pytest.raises(ValueError, match=r"not a time|longer"):
        read_duration(text)


@given(st.integers(-1, INFINITY_S))
def test_a_duration_comes_back(seconds: int) -> None:
    assert read_duration(write_duration(seconds)) == seconds


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("14:30_06/20", Moment(None, 14, 30, 0, 6, 20)),
        ("9", Moment(None, 9)),
        ("23:59:59_12/31/01", Moment(None, 23, 59, 59, 12, 31, 1)),
        ("8:00_2/29/04", Moment(None, 8, 0, 0, 2, 29, 4)),
        ("8_2", Moment(None, 8, 0, 0, 2)),
        ("+1:00:00", Moment(3600)),
    ],
)
def test_instants(text: str, moment: Moment) -> None:
    assert read_moment(text) == moment
    assert read_moment(str(moment)) == moment


@pytest.mark.parametrize(
    "text", ["24:00", "8:60", "8:00_13/1", "8:00_2/30", "8:00_2/29/05", "8:00_4/31", "+-1", "", "noon"]
)
def test_instants_that_never_come(text: str) -> None:
    with pytest.raises(ValueError, match=r"no such|not an instant|not a time|before"):
        read_moment(text)
