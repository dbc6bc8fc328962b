"""What is planned in rows of the matrix against a list of one number a second, as long as a server runs."""

from random import Random

import pytest

from molokini.matrix import profiles
from molokini.model.machine import Machine
from molokini.tables.making import make_tables
from molokini.tables.tables import Tables

P, HORIZON, STEPS = 8, 20, 4000


def read(t: Tables, r: int, at: float) -> int:
    return int(t.plans.step_free[r, profiles.step_at(t, r, at)])


@pytest.mark.parametrize("seed", range(8))
def test_a_plan_that_goes_on_for_ever_is_what_was_planned(seed: int) -> None:
    """Jobs are planned, are over, give back and time passes; steps slide to the front again and again."""
    random = Random(f"rows-{seed}")
    t = make_tables(Machine.counted(P), rows=2)
    profiles.clear(t, 0, 0.0)
    now, free, planned = 0, [P] * HORIZON, list[tuple[int, int, int]]()
    slides = 0
    for _ in range(STEPS):
        if random.random() < 0.25:
            now += random.randint(1, 4)
            profiles.forget_past(t, 0, float(now))
            planned = [one for one in planned if one[1] > now]
        elif planned and random.random() < 0.35:
            begin, end, width = planned.pop(random.randrange(len(planned)))
            begin = max(begin, now)
            profiles.plan(t, 0, float(begin), float(end), -width)
        elif len(planned) < 2:
            begin, width = now + random.randint(0, 8), random.randint(1, P // 2)
            end = begin + random.randint(1, 8)
            first = int(t.plans.first[0])
            profiles.plan(t, 0, float(begin), float(end), width)
            slides += int(t.plans.first[0]) < first
            planned.append((begin, end, width))
        free = [P - sum(w for b, e, w in planned if b <= now + k < e) for k in range(HORIZON)]
        assert [read(t, 0, float(now + k)) for k in range(HORIZON)] == free
    assert slides > 3
