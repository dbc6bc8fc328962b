"""What is planned in rows of the matrix against a list of one number a second, as long as a server runs."""

from itertools import pairwise
from random import Random

import pytest

from molokini.matrix import profiles
from molokini.model.machine import Machine
from molokini.tables.making import make_tables
from molokini.tables.rows import open_matrix
from molokini.tables.tables import NEVER, Tables

P, HORIZON, STEPS = 8, 20, 4000


def read(t: Tables, r: int, at: float) -> int:
    return int(t.plans.step_free[r, profiles.step_at(t, r, at)])


@pytest.mark.quick(one_in=11)
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
        steps = t.plans.step_free[0, int(t.plans.first[0]) : int(t.plans.last[0])].tolist()
        assert all(one != other for one, other in pairwise(steps)), "two steps are one"
    assert slides > 3


def drawn(random: Random) -> tuple[Tables, list[int], list[tuple[int, int, int]]]:
    """A row in which jobs are planned (begin, end, width), and what is free second by second."""
    t = make_tables(Machine.counted(P), rows=2)
    profiles.clear(t, 0, 0.0)
    free, planned = [P] * HORIZON, list[tuple[int, int, int]]()
    for _ in range(random.randint(0, 12)):
        begin, width = random.randint(0, HORIZON - 2), random.randint(1, P)
        end = min(HORIZON, begin + random.choice([1, 2, 2, 3, 5, HORIZON]))
        if min(free[begin:end]) >= width:
            profiles.plan(t, 0, float(begin), NEVER if end == HORIZON else float(end), width)
            planned.append((begin, end, width))
            free[begin:end] = [one - width for one in free[begin:end]]
    return t, free, planned


def room(free: list[int], width: int, at: int, length: int) -> bool:
    """Whether so many stay free, at least at that very second; what is free in the last one stays so."""
    there = free[at : at + max(1, length)]
    return min(there) >= width and (at + length <= HORIZON or free[-1] >= width)


@pytest.mark.parametrize("seed", range(40))
def test_what_a_plan_has_room_for_is_what_its_seconds_say(seed: int) -> None:
    random = Random(f"room-{seed}")
    t, free, planned = drawn(random)
    for _ in range(60):
        width, length = random.randint(1, P), random.choice([0, 1, 2, 3, 5, 30])
        at, limit = random.randint(0, HORIZON - 1), random.choice([NEVER, float(random.randint(0, HORIZON))])
        if at + length > at:
            assert profiles.fits(t, 0, width, float(at), float(at + length)) == room(free, width, at, length)
        until = random.randint(at + 1, HORIZON)
        assert profiles.most_free(t, 0, float(at), float(until)) == max(free[at:until])
        found = next((float(k) for k in range(at, HORIZON) if room(free, width, k, length)), NEVER)
        # An instant before which there was no room is found only in front of the limit.
        wanted = found if found == at or found < limit else limit
        assert profiles.earliest(t, 0, width, float(length), float(at), limit) == wanted
    for begin, end, width in planned:
        # Its own room is enough from its start on.
        without = [one + width if begin <= k < end else one for k, one in enumerate(free)]
        now, length = random.randint(0, begin), end - begin if end < HORIZON else 1000
        found = next(k for k in range(now, HORIZON) if room(without, width, k, length))
        assert profiles.earlier(t, 0, width, float(length), float(now), float(begin)) == found
    if free[-1] < P:
        # A job that is planned for no instant stays so while there is no room for it.
        assert profiles.earlier(t, 0, P, 1000.0, 0.0, NEVER) == NEVER


def test_room_that_is_left_is_offered_from_the_first_to_the_last_of_it() -> None:
    t = make_tables(Machine.counted(P), rows=2)
    open_matrix(t, 2, 100.0, 0.0, False)

    def spans() -> list[tuple[float, float, float, float]]:
        p = t.plans
        columns = (p.left_from_s, p.left_until_s, p.later_from_s, p.later_until_s)
        return [
            (float(a[r]), float(b[r]), float(c[r]), float(d[r])) for r in range(2) for a, b, c, d in [columns]
        ]

    profiles.note_left(t, 0, 20.0, 30.0)
    profiles.note_left(t, 0, 25.0, 27.0)
    assert spans() == [(20.0, 30.0, 0.0, 0.0), (0.0, 0.0, 0.0, 0.0)]
    profiles.note_left(t, 0, 5.0, 8.0)
    profiles.note_left(t, 0, 40.0, 40.0)
    profiles.note_left(t, 1, 50.0, 60.0)
    assert spans() == [(5.0, 30.0, 0.0, 0.0), (50.0, 60.0, 0.0, 0.0)]
    profiles.note_later(t, 1, 20.0, 30.0)
    profiles.note_later(t, 1, 25.0, 40.0)
    profiles.note_later(t, 1, 15.0, 18.0)
    profiles.note_later(t, 1, 90.0, 90.0)
    assert spans() == [(5.0, 30.0, 0.0, 0.0), (50.0, 60.0, 15.0, 40.0)]
    profiles.turn_to_later(t)
    assert spans() == [(0.0, 0.0, 0.0, 0.0), (15.0, 40.0, 0.0, 0.0)]
    profiles.turn_to_later(t)
    assert spans() == [(0.0, 0.0, 0.0, 0.0)] * 2


def test_a_plan_that_begins_never_or_is_empty_is_none() -> None:
    t = make_tables(Machine.counted(P), rows=2)
    profiles.clear(t, 0, 0.0)
    for begin, end in ((NEVER, NEVER), (5.0, 5.0), (5.0, 4.0)):
        profiles.plan(t, 0, begin, end, 3)
    assert (int(t.plans.first[0]), int(t.plans.last[0]), read(t, 0, 5.0)) == (0, 1, P)
