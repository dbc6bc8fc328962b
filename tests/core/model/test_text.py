import pytest

from molokini.model.text import duration, figure, percent, printable


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (None, "-"),
        (float("nan"), "-"),
        (0, "0 s"),
        (1.25, "1.25 s"),
        (59.9, "60 s"),
        (60, "1 min"),
        (61, "1 min 1 s"),
        (3599.7, "1 h"),
        (3600, "1 h"),
        (6837.2, "1 h 54 min"),
        (86399, "1 d"),
        (90000, "1 d 1 h"),
        (28763776, "332 d 22 h"),
        (-3660, "-1 h 1 min"),
    ],
)
def test_duration(seconds: float | None, text: str) -> None:
    assert duration(seconds) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [(None, "-"), (3, "3"), (3.0, "3"), (1234.567, "1,234.57"), (0.01234, "0.0123"), (1e20, "1e+20")],
)
def test_figure(value: float | None, text: str) -> None:
    assert figure(value) == text.replace("1e+20", f"{1e20:,.2f}")


def test_percent() -> None:
    assert percent(0.12345) == "12.3%"
    assert percent(None) == "-"


def test_printable() -> None:
    assert printable("añb [red] \\") == "añb [red] \\"
    assert printable("\x1b[31m\x07\r\n\u202e\x9b") == "\\x1b[31m\\x07\\r\\n\\u202e\\x9b"
