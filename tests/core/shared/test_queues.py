"""The queue from its head, or by estimates, until one job does not fit."""

import pytest

from molokini.cycle.cycle import begin_pass
from molokini.model.decisions import Rule
from molokini.shared.queues import explain_blocked, start_by_estimate, start_in_order
from tests.kit.passes import NOW, busy, reason, started, waiting


@pytest.mark.parametrize(("sign", "begin"), [(1.0, [1, 3]), (-1.0, [2])], ids=["shortest", "longest"])
def test_by_estimate_nobody_passes_the_first_that_does_not_fit(sign: float, begin: list[int]) -> None:
    """Equal ones as they wait; who is next finds too little idle, and the others stand behind it."""
    t = busy()
    rows = [waiting(t, 8, 30.0), waiting(t, 3, 10.0), waiting(t, 5, 90.0), waiting(t, 2, 10.0)]
    blocked, front = (rows[0], rows[3]) if sign > 0 else (rows[0], rows[2])
    begin_pass(t, NOW)
    start_by_estimate(t, sign)
    assert started(t) == [rows[k] for k in begin]
    idle = 5.0
    assert reason(t, blocked) == (Rule.NOT_ENOUGH_FREE, idle, 8.0, front)
    for k, row in enumerate(rows):
        if row != blocked and k not in begin:
            width = float(t.jobs.width[row])
            assert reason(t, row) == (Rule.BEHIND_THE_HEAD, idle, width, blocked)


def test_in_order_nobody_passes_the_first_that_does_not_fit() -> None:
    t = busy((4, 50.0))
    rows = [waiting(t, 2, 30.0), waiting(t, 4, 10.0), waiting(t, 1, 90.0), waiting(t, 1, 10.0)]
    begin_pass(t, NOW)
    assert start_in_order(t) - t.queue.head == 2
    assert started(t) == rows[:2]
    explain_blocked(t, t.queue.head + 2)
    assert reason(t, rows[2]) == (Rule.NOT_ENOUGH_FREE, 0.0, 1.0, -1)
    assert reason(t, rows[3]) == (Rule.BEHIND_THE_HEAD, 0.0, 1.0, rows[2])
