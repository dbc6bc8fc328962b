"""The least room from an instant on: as far as it is known, and for one profile and pass alone."""

from hypothesis import given
from hypothesis import strategies as st

from molokini.availability.profile import clear_profile, plan
from molokini.availability.reservation_cache.minimum import least_of, less_than, note_least
from molokini.model.machine import Machine
from molokini.tables.making import make_tables
from molokini.tables.sizes import LEAST_STEPS, MOST_LEASTS
from molokini.tables.tables import Tables


def empty() -> Tables:
    t = make_tables(Machine.uniform(2, 4), rows=4)
    clear_profile(t, 0.0, 8)
    return t


@given(
    left=st.lists(st.integers(0, 8), min_size=1, max_size=20),
    width=st.integers(1, 9),
    until_s=st.integers(0, 22),
)
def test_less_is_left_if_it_was_at_some_second_before(left: list[int], width: int, until_s: int) -> None:
    t = empty()
    k = least_of(t, 1, 0.0)
    for at_s, processors in enumerate(left):
        assert note_least(t, k, float(at_s), processors)
    assert less_than(t, k, width, float(until_s)) == any(one < width for one in left[:until_s])


def test_what_is_known_holds_for_one_instant_one_pass_and_one_profile() -> None:
    t = empty()
    for _ in range(2):
        k = least_of(t, 1, 0.0)
        assert (k, t.least.steps[k]) == (0, 0)
        note_least(t, k, 0.0, 2)
        assert t.least.steps[least_of(t, 1, 0.0)] == 1, "remembered"
        assert t.least.steps[least_of(t, 2, 0.0)] == 0, "of other reservations"
        assert t.least.steps[least_of(t, 1, 5.0)] == 0, "from another instant on"
        note_least(t, least_of(t, 1, 5.0), 5.0, 2)
        plan(t, 0.0, 5.0, 1)
        assert t.least.steps[least_of(t, 1, 5.0)] == 0, "of another profile"
        note_least(t, least_of(t, 1, 5.0), 5.0, 2)
        t.cycle.start_epoch += 1


def test_there_is_an_end_to_what_is_remembered() -> None:
    t = empty()
    assert least_of(t, -1, 0.0) == -1, "too many reservations for bits"
    k = least_of(t, 1, 0.0)
    assert all(note_least(t, k, float(step), 1000 - step) for step in range(LEAST_STEPS))
    assert not note_least(t, k, 1e3, 1)
    assert note_least(t, k, 1e3, 1000), "no less than before: nothing to note"
    found = [least_of(t, mask, 0.0) for mask in range(1, MOST_LEASTS + 2)]
    assert found == [*range(MOST_LEASTS), -1]
