"""How jobs wish to be treated by their supervisor."""

import pytest

from molokini.supervisor import job_options


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
    assert job_options.warning({job_options.WARNING: said}) == meant


def test_signals_go_to_all_unless_the_job_wishes_else() -> None:
    assert job_options.whom({}) == "all"
    assert job_options.whom({job_options.SIGNALS: "rest"}) == "rest"
    assert job_options.whom({job_options.SIGNALS: "nobody"}) == "all"


@pytest.mark.parametrize(("asked", "pids"), [("all", [5, 6, 7]), ("rest", [6, 7]), ("first", [5])])
def test_whom_a_signal_reaches(asked: str, pids: list[int]) -> None:
    assert job_options.chosen([5, 6, 7], 5, asked) == pids


def test_output_begins_anew_unless_it_is_to_go_on() -> None:
    assert added_to({}) == added_to({job_options.OPEN_MODE: "truncate"}) == []
    assert added_to({job_options.OPEN_MODE: "append"}) == ["output", "error"]
    assert added_to({job_options.OPEN_MODE: "append-output"}) == ["output"]
    assert added_to({job_options.OPEN_MODE: "append-error"}) == ["error"]


def added_to(environment: dict[str, str]) -> list[str]:
    return [stream for stream in ("output", "error") if job_options.appends(environment, stream)]
