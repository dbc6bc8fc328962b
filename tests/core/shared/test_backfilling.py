"""Who may pass a job that waits, to the exact instant and the last processor; and who starts by estimate."""

import pytest

from molokini.availability.beside_reserved import next_change
from molokini.availability.profile import profile_of_running
from molokini.cycle.cycle import begin_pass
from molokini.model.decisions import Rule
from molokini.model.reservations import Reservation
from molokini.shared.backfilling import (
    AS_QUEUED,
    SHORTEST,
    WIDEST,
    backfill_beside,
    order_candidates,
    try_behind,
)
from molokini.shared.order import take_first
from molokini.shared.queues import start_in_order
from molokini.tables.reservation_changes import set_reservations
from molokini.tables.tables import NEVER, Tables
from tests.kit.passes import NOW, busy, reason, started, waiting


@pytest.mark.parametrize(
    ("width", "estimate_s", "work_s", "used", "why"),
    [
        (4, 30.0, 0.0, 0, None),
        (4, 31.0, 1.0, 0, None),
        (2, 31.0, 0.0, 2, None),
        (1, 1e6, 0.0, 1, None),
        (3, 31.0, 0.0, 0, Rule.WOULD_DELAY_THE_HEAD),
        (4, 30.5, 0.0, 0, Rule.WOULD_DELAY_THE_HEAD),
        (5, 1.0, 0.0, 0, Rule.NOT_ENOUGH_FREE),
    ],
)
def test_a_job_passes_the_head_if_it_is_over_in_time_or_is_not_missed(
    width: int, estimate_s: float, work_s: float, used: int, why: Rule | None
) -> None:
    """At 50 the head gets eight of ten processors; four are idle."""
    t = busy((6, 50.0))
    head, row = waiting(t, 8, 100.0), waiting(t, width, estimate_s, work_s)
    begin_pass(t, NOW)
    assert try_behind(t, row, head, NOW, 50.0, 2) == used
    assert started(t) == ([row] if why is None else [])
    assert t.machine.idle == 4 - (width if why is None else 0)
    left_s = estimate_s - work_s
    if why is Rule.WOULD_DELAY_THE_HEAD:
        assert reason(t, row) == (why, 50.0, NOW + left_s, head)
    elif why is not None:
        assert reason(t, row) == (why, 4.0, float(width), head)


@pytest.mark.parametrize(
    ("order", "wanted"), [(SHORTEST, [2, 0, 3, 1]), (WIDEST, [1, 3, 2, 0])], ids=["shortest", "widest"]
)
def test_candidates_come_by_what_is_left_or_width_then_in_turn(order: int, wanted: list[int]) -> None:
    t = busy()
    head = waiting(t, 1, 1.0)
    rows = [waiting(t, 1, 50.0), waiting(t, 4, 90.0), waiting(t, 2, 60.0, 15.0), waiting(t, 4, 50.0)]
    count = order_candidates(t, t.queue.head + 1, order)
    assert count == len(rows)
    assert [rows.index(take_first(t, left)) for left in range(count, 0, -1)] == wanted
    assert head not in rows


def reserved(t: Tables, *kept: tuple[float, float, int]) -> None:
    """So many processors from one instant to another, for nobody."""
    found = [Reservation(f"r{k}", width, from_s, until_s) for k, (from_s, until_s, width) in enumerate(kept)]
    set_reservations(t, found, lambda _, name: int(name))


@pytest.mark.parametrize(
    ("at_s", "changes_s"),
    [(20.0, 40.0), (39.0, 40.0), (40.0, 45.0), (45.0, 50.0), (50.0, 60.0), (60.0, NEVER)],
)
def test_the_next_change_is_that_of_the_profile_or_of_a_reservation(at_s: float, changes_s: float) -> None:
    t = busy((3, 40.0), (3, 50.0))
    reserved(t, (45.0, 60.0, 2))
    begin_pass(t, NOW)
    profile_of_running(t, NOW)
    assert next_change(t, at_s) == changes_s


_FEW, _LATE = Rule.NOT_ENOUGH_FREE, Rule.WOULD_DELAY_THE_HEAD


@pytest.mark.parametrize(
    ("order", "wanted", "why"),
    [
        (AS_QUEUED, [1, 3], {2: _FEW, 4: _FEW}),
        (SHORTEST, [3, 4], {1: _FEW, 2: _FEW}),
        (WIDEST, [4, 3], {1: _FEW, 2: _LATE}),
    ],
    ids=["queue", "shortest", "widest"],
)
def test_beside_a_reservation_whoever_spares_the_head_and_what_is_reserved_passes(
    order: int, wanted: list[int], why: dict[int, Rule]
) -> None:
    """Four are idle until 50; three are reserved from 60 to 70, so the head gets its eight at 70.

    The first candidate ends at 61, the second at 71, when two are left beside the head, the others before.
    """
    t = busy((6, 50.0))
    reserved(t, (60.0, 70.0, 3))
    wide = ((8, 100.0), (2, 41.0), (3, 51.0), (1, 30.0), (3, 40.0))
    rows = [waiting(t, width, estimate_s) for width, estimate_s in wide]
    begin_pass(t, NOW)
    backfill_beside(t, t.queue.head, NOW, order)
    assert started(t) == [rows[k] for k in wanted]
    assert {k: reason(t, rows[k])[0] for k in why} == why
    if order == WIDEST:
        assert reason(t, rows[2]) == (_LATE, 70.0, 71.0, rows[0])


@pytest.mark.parametrize("in_front", [False, True])
def test_what_one_has_taken_beside_the_head_the_next_cannot_have(in_front: bool) -> None:
    """At 50 the head gets eight of ten; two long ones take the other two, whether before it or past it."""
    t = busy((6, 50.0))
    reserved(t, (500.0, 510.0, 1))
    first = waiting(t, 2, 100.0) if in_front else -1
    wide = ((8, 100.0), *(() if in_front else ((2, 100.0),)), (1, 100.0), (1, 31.0), (1, 30.0))
    rows = [waiting(t, width, estimate_s) for width, estimate_s in wide]
    begin_pass(t, NOW)
    if in_front:
        assert start_in_order(t) == t.queue.head + 1
    backfill_beside(t, t.queue.head + in_front, NOW, AS_QUEUED)
    assert started(t) == ([first, rows[3]] if in_front else [rows[1], rows[4]])
    assert reason(t, rows[-2]) == (_LATE, 50.0, 51.0, rows[0])
