"""Chunk by chunk is what the closed forms add up."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from molokini.applications.divisible import LEAST, Costs
from molokini.applications.divisible_chunks import chunks, done_at
from molokini.applications.kinds import RULES
from molokini.model.errors import BadValue

some = st.one_of(st.just(0.0), st.floats(LEAST, 10.0))
costs = st.builds(Costs, some, st.floats(0.01, 100.0), some, some)


@given(st.sampled_from(sorted(RULES)), st.floats(0.01, 1e4), st.integers(1, 60), costs)
def test_the_last_chunk_ends_when_the_load_does(rule: str, size: float, nodes: int, costs: Costs) -> None:
    made = chunks(rule, size, nodes, costs)
    whole_s = costs.execution_s(rule, size, nodes)
    assert max(one.computed_s for one in made) == pytest.approx(whole_s, rel=1e-6)
    assert done_at(made, whole_s) == (len(made), len(made))
    assert sum(one.load for one in made) == pytest.approx(size, rel=1e-6)


@given(st.sampled_from(sorted(RULES)), st.integers(1, 60), costs)
def test_one_is_sent_after_the_other_and_then_computed(rule: str, nodes: int, costs: Costs) -> None:
    port_s = 0.0
    for one in chunks(rule, 100.0, nodes, costs):
        assert one.from_s == port_s
        assert one.from_s <= one.sent_s <= one.computed_s
        port_s = one.sent_s


def test_what_is_done_is_counted_at_any_instant() -> None:
    made = chunks("epr", 4.0, 2, Costs(1.0, 10.0))
    assert [(one.sent_s, one.computed_s) for one in made] == [(2.0, 22.0), (4.0, 24.0)]
    assert [done_at(made, at_s) for at_s in (0.0, 2.0, 4.0, 22.0, 24.0)] == [
        (0, 0),
        (1, 0),
        (2, 0),
        (2, 1),
        (2, 2),
    ]


def test_a_load_that_is_none_has_no_chunks() -> None:
    with pytest.raises(BadValue, match="size"):
        chunks("opr", 0.0, 2, Costs(1.0, 1.0))
