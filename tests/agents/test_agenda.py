"""The agenda of emulated nodes against a plain list."""

from random import Random

from hypothesis import given
from hypothesis import strategies as st

from molokini.agents.agenda import Agenda, Rank

subjects = st.tuples(st.integers(1, 6), st.integers(-1, 1), st.just(""))
steps = st.lists(
    st.one_of(
        st.tuples(st.just("set"), subjects, st.integers(0, 9), st.sampled_from(Rank)),
        st.tuples(st.just("drop"), subjects),
        st.tuples(st.just("pop"), st.integers(0, 9)),
    ),
    max_size=200,
)


@given(steps)
def test_it_gives_what_a_sorted_list_gives(script: list[tuple]) -> None:  # type: ignore[type-arg]
    agenda, plain = Agenda(), {}
    for step in script:
        if step[0] == "set":
            _, subject, at_s, rank = step
            agenda.set(float(at_s), rank, subject)
            plain[subject] = (float(at_s), rank, subject)
        elif step[0] == "drop":
            agenda.drop(step[1])
            plain.pop(step[1], None)
        else:
            first = min(plain.values(), default=None)
            due = first if first is not None and first[0] <= step[1] else None
            assert agenda.pop_until(float(step[1])) == due
            if due is not None:
                del plain[due[2]]
        assert agenda.first_s() == min((entry[0] for entry in plain.values()), default=None)


def test_moving_one_subject_for_ever_costs_no_memory() -> None:
    agenda = Agenda()
    agenda.set(1.0, Rank.END, (1, -1, ""))
    for k in range(10_000):
        agenda.set(5.0 + k, Rank.END, (2, -1, ""))
    assert len(agenda._heap) < 100


def test_what_is_void_is_never_much_more_than_what_is_valid() -> None:
    agenda = Agenda()
    for k in range(10_000):
        agenda.set(float(k), Rank.END, (k % 300, -1, ""))
        assert len(agenda._heap) <= 2 * 300 + 64


def test_many_that_are_moved_again_and_again_come_in_order() -> None:
    draw, agenda, plain = Random(7), Agenda(), {}
    for _ in range(5):
        for job in draw.sample(range(200), 200):
            subject = (job, -1, "")
            plain[subject] = (float(draw.randrange(1000)), Rank.END, subject)
            agenda.set(plain[subject][0], Rank.END, subject)
    found = [agenda.pop_until(1000.0) for _ in range(len(plain))]
    assert found == sorted(plain.values())


def test_of_one_instant_ends_come_first_then_losses_then_returns() -> None:
    agenda = Agenda()
    agenda.set(5.0, Rank.NODE_RETURNED, (0, 0, "a"))
    agenda.set(5.0, Rank.NODE_LOST, (0, 0, "b"))
    agenda.set(5.0, Rank.END, (9, -1, ""))
    ranks = [happening[1] for _ in range(3) if (happening := agenda.pop_until(5.0)) is not None]
    assert ranks == [Rank.END, Rank.NODE_LOST, Rank.NODE_RETURNED]
