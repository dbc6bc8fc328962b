"""Runs of numbers: the same answers as a dictionary gives."""

import json

from hypothesis import given
from hypothesis import strategies as st

from molokini.server.state.element_numbers import ElementNumbers


@given(st.lists(st.tuples(st.integers(1, 3), st.integers(1, 2), st.integers(0, 4)), max_size=40))
def test_it_answers_as_a_dictionary(steps: list[tuple[int, int, int]]) -> None:
    numbers, known, number = ElementNumbers(), dict[int, tuple[int, int]](), 0
    for gap, job, index in steps:
        number += gap
        numbers.add(number, job, index)
        known[number] = (job, index)
    again = ElementNumbers()
    again.restore(json.loads(json.dumps(numbers.kept())))
    for one in range(number + 2):
        assert numbers.get(one) == again.get(one) == known.get(one)


def test_neighbours_are_one_run() -> None:
    numbers = ElementNumbers()
    for index in range(1000):
        numbers.add(7 + index, 6, index)
    assert numbers.kept() == {"firsts": [7], "runs": [[1000, 6, 0]]}
