"""A copy for a pass, in pieces: what lasts is in it, and every policy decides the same over it."""

from itertools import islice

import numpy as np
import pytest

from molokini.cycle.dry_run import decide_on, dry_run
from molokini.policies import policy_names
from molokini.tables import copying
from molokini.tables.declared import Nature
from molokini.tables.making import grow
from molokini.tables.tables import Tables
from tests.core.tables.test_excerpts import stopped


@pytest.fixture(autouse=True)
def _small_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(copying, "PIECE_WORDS", 50)


def assert_lasting_parts_equal(twin: Tables, t: Tables) -> None:
    for leaf in Tables.leaves():
        if leaf.column.nature is Nature.PASS and not leaf.kind.recorded:
            continue
        used = leaf.owner(t).in_use(leaf.name)
        np.testing.assert_array_equal(leaf.of(twin)[used], leaf.of(t)[used], leaf.path)
    for name, part in t.each_child():
        for scalar in part.scalars():
            assert getattr(getattr(twin, name), scalar) == getattr(part, scalar)


@pytest.mark.quick("easy", "conservative", "maui", "mgs", "srpt")
@pytest.mark.parametrize("policy", policy_names())
def test_a_pass_over_the_copy_says_and_decides_the_same(policy: str) -> None:
    replay = stopped(policy)
    t, now = replay.tables, replay.agenda.now
    assert_lasting_parts_equal(copying.copied(t), t)
    whole = t.copy()
    whole.cycle.explain = 1
    decide_on(whole, replay.policy.begin, replay.policy.schedule, now)
    told = dry_run(t, replay.policy.begin, replay.policy.schedule, now)
    assert told.cycle.decided == whole.cycle.decided
    decided = slice(told.cycle.decided)
    np.testing.assert_array_equal(told.cycle.decisions[decided], whole.cycle.decisions[decided])
    waiting = t.queue.waiting[t.queue.head : t.queue.tail]
    for name in ("rule", "limit", "value", "front", "narrower"):
        np.testing.assert_array_equal(
            getattr(told.reasons, name)[waiting], getattr(whole.reasons, name)[waiting], name
        )


def test_it_comes_in_pieces_and_changes_nothing_of_the_original() -> None:
    t = stopped("conservative").tables
    before = t.copy()
    pieces = list(copying.copying(t))
    assert len(pieces) > 50
    assert len({id(one) for one in pieces}) == 1
    assert_lasting_parts_equal(t, before)
    pieces[0].jobs.state[:] = -1
    assert_lasting_parts_equal(t, before)


@pytest.mark.parametrize("so_far", [1, 20, 45])
def test_a_copy_that_was_begun_is_written_over(so_far: int) -> None:
    replay = stopped("conservative")
    *_, begun = islice(copying.copying(replay.tables), so_far)
    replay.run(until_s=400.0)
    again = copying.copied(replay.tables, begun)
    assert again is begun
    assert_lasting_parts_equal(again, replay.tables)


def test_where_the_tables_have_grown_it_begins_in_other_memory() -> None:
    t = stopped("easy").tables
    *_, begun = islice(copying.copying(t), 30)
    grow(t)
    again = copying.copied(t, begun)
    assert again is not begun
    assert again.sizes() == t.sizes()
    assert_lasting_parts_equal(again, t)
