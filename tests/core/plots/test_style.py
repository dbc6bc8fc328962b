import matplotlib
import pytest

from molokini.plots.style import head, ink_on, literal, new_figure, ordered_colours, styled, title


def test_hostile_text_is_drawn_to_the_letter() -> None:
    with styled():
        figure = new_figure(3, 2)
        axes = figure.subplots()
        title(axes, "`;`$x_ \\frac $a$")
        head(figure, "$x_$")
    assert axes.get_title(loc="left") == "`;`$x_ \\frac $a$"
    texts = [axes._left_title, figure._suptitle]  # type: ignore[attr-defined]
    assert [text.get_parse_math() for text in texts] == [False, False]


@pytest.mark.parametrize(
    ("text", "drawn"),
    [
        ("a\nb\tc", "a b c"),
        ("bell\x07", "bell\ufffd"),
        ("日", "\ufffd"),
        ("x" * 200, "x" * 109 + "…"),
        ("\udc80name", "\ufffdname"),
    ],
)
def test_what_cannot_be_drawn_is_shown_as_such(text: str, drawn: str) -> None:
    assert literal(text) == drawn


def test_the_users_settings_come_back() -> None:
    before = matplotlib.rcParams["svg.hashsalt"]
    with styled():
        assert matplotlib.rcParams["svg.hashsalt"] == "molokini"
    assert matplotlib.rcParams["svg.hashsalt"] == before


def test_ink_can_be_read() -> None:
    assert ink_on("#000000") == "white"
    assert ink_on("#ffff00") == "black"


@pytest.mark.parametrize("count", [1, 2, 8])
def test_ordered_colours_differ(count: int) -> None:
    assert len(set(ordered_colours(count))) == count
