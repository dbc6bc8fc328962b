"""Section 5.2.2 to the digit: Tables 1 and 2, and the bound that is tighter."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from molokini.applications.divisible import Costs
from molokini.applications.divisible_ranges import common, lemma_applies, ranges
from molokini.model.errors import BadValue

BASE = Costs(1.0, 100.0)
TABLE_1 = {1: (1263, 1359), 2: (1269, 1359), 4: (1282, 1359), 8: (1307, 1359)}
TABLE_2 = {
    1: (316, 425),
    2: (318, 425),
    3: (335, 425),
    4: (321, 425),
    5: (350, 425),
    6: (357, 425),
    7: (366, 425),
    8: (327, 425),
}


@pytest.mark.parametrize(("nodes", "table"), [(16, TABLE_1), (64, TABLE_2)])
def test_the_tables_of_the_paper(nodes: int, table: dict[int, tuple[int, int]]) -> None:
    assert {one.k: one.bounds for one in ranges(BASE, 200.0, nodes, table)} == table


def test_the_tight_bound_beside_them() -> None:
    tight = [one.tight_bounds[0] for one in ranges(BASE, 200.0, 64, TABLE_2)]
    assert tight == [316, 318, 324, 321, 344, 346, 331, 327]


def test_what_the_eight_ranges_share() -> None:
    assert common(ranges(BASE, 200.0, 64, TABLE_2)) == (366, 425)
    assert common(ranges(BASE, 200.0, 16, [8, 16])) is None
    assert common([]) is None


@given(st.integers(1, 64), st.data())
def test_the_tight_bound_is_never_above_the_printed_one(nodes: int, data: st.DataObject) -> None:
    k = data.draw(st.integers(1, nodes))
    one = ranges(BASE, 200.0, nodes, [k])[0]
    assert one.divides == (nodes % k == 0)
    # floor(N / K) >= (N - K) / K, with equality nowhere but where the remainder would be K.
    assert one.tight_s <= one.printed_s
    assert one.lower_s == (one.tight_s if one.divides else one.printed_s)


def test_all_nodes_are_no_better_than_themselves() -> None:
    one = ranges(BASE, 200.0, 16, [16])[0]
    assert one.tight_s == one.upper_s
    assert math.isinf(one.printed_s)


@pytest.mark.parametrize("k", [0, 17, -1])
def test_a_k_that_is_no_number_of_the_nodes_is_refused(k: int) -> None:
    with pytest.raises(BadValue, match="from 1 to the 16 nodes"):
        ranges(BASE, 200.0, 16, [k])


def test_the_condition_of_the_lemma() -> None:
    assert lemma_applies(BASE, 64)
    assert not lemma_applies(Costs(2.0, 100.0), 64)
