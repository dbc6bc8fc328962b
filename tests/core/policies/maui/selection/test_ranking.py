"""The list of waiting jobs by priority: kept from pass to pass, and sorted again at each."""

from itertools import pairwise
from random import Random

import pytest

from molokini.model.machine import Machine
from molokini.policies.maui.knowledge.memory import mine
from molokini.policies.maui.selection.ranking import forget_ranks, ranks_before, refresh_ranks, sort_ranks
from molokini.tables import transitions
from molokini.tables.making import make_tables
from molokini.tables.tables import Tables
from tests.kit.passes import waiting


def listed(t: Tables) -> list[int]:
    return [int(row) for row in t.cycle.ranked[: refresh_ranks(t)]]


def queued(t: Tables) -> list[int]:
    return [int(row) for row in t.queue.waiting[t.queue.head : t.queue.tail]]


def test_who_comes_is_taken_in_and_who_goes_is_dropped_and_the_order_is_kept() -> None:
    t = make_tables(Machine.counted(8), rows=8)
    rows = [waiting(t, 1, 5.0) for _ in range(4)]
    assert listed(t) == rows
    t.cycle.ranked[:4] = rows[::-1]
    transitions.cancel(t, rows[1], 0.0)
    # The new job has the row of the one that is gone.
    new = waiting(t, 1, 5.0)
    assert listed(t) == [rows[3], rows[2], rows[0], new]
    forget_ranks(t)
    assert listed(t) == queued(t)


@pytest.mark.parametrize("seed", range(20))
def test_the_highest_priority_comes_first_and_equal_ones_as_they_wait(seed: int) -> None:
    """However the list was sorted before, and after jobs have come and gone."""
    random, t = Random(seed), make_tables(Machine.counted(8), rows=64)
    for _ in range(4):
        for _ in range(random.randint(0, 12)):
            waiting(t, 1, 5.0)
        for row in queued(t):
            if random.random() < 0.2:
                transitions.cancel(t, row, 0.0)
        for row in queued(t):
            t.cycle.rank_key[row] = random.choice([0.0, 1.0, 2.5, -1.0])
        count = refresh_ranks(t)
        sort_ranks(t, count)
        place = {row: k for k, row in enumerate(queued(t))}
        wanted = sorted(place, key=lambda row: (-t.cycle.rank_key[row], place[row]))
        assert t.cycle.ranked[:count].tolist() == wanted
        assert mine(t).count == count
        for one, other in pairwise(wanted):
            assert ranks_before(t, one, other)
            assert not ranks_before(t, other, one)
