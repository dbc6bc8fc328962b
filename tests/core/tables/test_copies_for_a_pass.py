"""A copy for a pass: under every policy it decides, and gives reasons, as a pass over a whole copy does."""

import numpy as np
import pytest

from molokini.compiled.compilation import interpreting
from molokini.cycle.dry_run import decide_on
from molokini.policies import policy_names
from molokini.tables.declared import Nature
from molokini.tables.tables import Tables
from molokini.tables.transitions import end
from tests.core.tables.test_excerpts import NOTHING_WAITS, stopped


@pytest.mark.parametrize("policy", policy_names())
def test_what_it_leaves_out_is_not_read(policy: str) -> None:
    with interpreting():
        replay = stopped(policy)
        t, now = replay.tables, replay.agenda.now
        # There is something to decide, and the caches of earlier passes are of other numbers.
        for row in t.queue.running[: max(1, t.queue.running_count - 1)].tolist():
            end(t, row, now)
        whole, part = t.copy(), t.copy_for_a_pass(t.sizes())
        for tables in (whole, part):
            tables.cycle.explain = 1
            decide_on(tables, replay.policy.begin, replay.policy.schedule, now + 1.0)
    assert part.cycle.decided == whole.cycle.decided
    assert part.cycle.decided or policy in NOTHING_WAITS
    rows = t.queue.waiting[t.queue.head : t.queue.tail]
    for leaf in Tables.leaves():
        mine, theirs = leaf.of(part), leaf.of(whole)
        if leaf.struct == ("reasons",):
            mine, theirs = mine[rows], theirs[rows]
        elif leaf.name == "decisions":
            # The last word of a start is one that nothing reads.
            mine, theirs = mine[: part.cycle.decided, :3], theirs[: part.cycle.decided, :3]
        elif leaf.column.nature not in (Nature.TRUTH, Nature.TENTATIVE) or leaf.column.used:
            continue
        assert np.array_equal(mine, theirs), leaf.path
