"""Tables of how near a replay came to the log."""

from typing import Any

import pytest

from molokini.clients.show.fidelity_tables import show_fidelity

DISTANCES = {"median_size": 1.0, "p95_size": 2.0, "p5": -1.0, "p50": 0.0, "p95": 1.0}


def found_of(days: int) -> dict[str, Any]:
    one = {"jobs": 5, "simulated": 1.0, "recorded": 2.0, "relative": -0.5}
    rows = [
        {"name": f"2026-11-{day + 1:02}", **one, "within_interval": 0.9, "kendall_tau": 0.5}
        for day in range(days)
    ]
    return {
        "jobs": 5 * days,
        "mean_wait_s": one,
        "mean_bounded_slowdown": one,
        "start_difference_s": DISTANCES,
        "within_interval": {"interval_s": 30.0, "share": 0.9},
        "kendall_tau": 0.5,
        "started_by": {"recorded": None},
        "timers": {"backfill": None},
        "priorities": None,
        "queue": rows[:2],
        "day": rows,
        "unexplained": {"jobs": 0, "marks": {}},
    }


@pytest.mark.parametrize(
    ("days", "head"), [(12, "mean wait by day\n"), (13, "mean wait by day (the 12 with")]
)
def test_a_table_says_whether_it_has_all_rows(
    days: int, head: str, capsys: pytest.CaptureFixture[str]
) -> None:
    show_fidelity(found_of(days))
    shown = capsys.readouterr().out
    assert head in shown
    assert "mean wait by queue\n" in shown
    assert shown.count("2026-11-") == 12 + 2
