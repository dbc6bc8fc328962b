"""How jobs wish to be treated by their keeper."""

import pytest

from molokini.keeper import manners


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("12@90:rest", (12, 90.0, "rest")),
        ("10@0:first", (10, 0.0, "first")),
        ("10@60:whoever", (10, 60.0, "all")),
        ("", None),
        ("0@60:all", None),
        ("65@60:all", None),
        ("USR1@60:all", None),
        ("10@soon:all", None),
        ("²@60:all", None),
        ("10@²:all", None),
        ("1" * 5000 + "@60:all", None),
        ("10@" + "9" * 400 + ":all", None),
    ],
)
def test_a_warning_has_a_signal_a_time_and_somebody(said: str, meant: tuple[int, float, str] | None) -> None:
    assert manners.warning({manners.WARNING: said}) == meant


def test_signals_go_to_all_unless_the_job_wishes_else() -> None:
    assert manners.whom({}) == "all"
    assert manners.whom({manners.SIGNALS: "rest"}) == "rest"
    assert manners.whom({manners.SIGNALS: "nobody"}) == "all"


@pytest.mark.parametrize(("asked", "pids"), [("all", [5, 6, 7]), ("rest", [6, 7]), ("first", [5])])
def test_whom_a_signal_reaches(asked: str, pids: list[int]) -> None:
    assert manners.chosen([5, 6, 7], 5, asked) == pids


def test_output_begins_anew_unless_it_is_to_go_on() -> None:
    assert added_to({}) == added_to({manners.OPEN_MODE: "truncate"}) == []
    assert added_to({manners.OPEN_MODE: "append"}) == ["output", "error"]
    assert added_to({manners.OPEN_MODE: "append-output"}) == ["output"]
    assert added_to({manners.OPEN_MODE: "append-error"}) == ["error"]


def added_to(environment: dict[str, str]) -> list[str]:
    return [stream for stream in ("output", "error") if manners.appends(environment, stream)]
