"""The closed forms of divisible loads against a timeline of every transmission."""

import math
import sys
from itertools import pairwise

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from molokini.applications import divisible
from molokini.applications.divisible import Costs, best_nodes, fractions, least_nodes, useful_nodes
from molokini.applications.kinds import RULES
from molokini.model.errors import BadValue
from tests.kit.divisible_worlds import ends

sizes = st.floats(1e-3, 1e6)
nodes = st.integers(1, 100)
rules = st.sampled_from(["opr", "epr"])
unset = st.builds(Costs, st.floats(1e-3, 100.0), st.floats(1e-3, 1e5))
costly = st.builds(
    Costs,
    st.one_of(st.just(0.0), st.floats(1e-3, 100.0)),
    st.floats(1e-3, 1e5),
    st.one_of(st.just(0.0), st.floats(1e-3, 1e3)),
    st.one_of(st.just(0.0), st.floats(1e-3, 1e3)),
)
BASE = Costs(1.0, 100.0)
EPSILON = sys.float_info.epsilon


@given(sizes, nodes, costly)
def test_under_opr_nodes_end_together_as_the_closed_form_says(size: float, n: int, costs: Costs) -> None:
    """To rounding, which is of the magnitude of the whole execution time: a chunk is what remains of it after
    set-ups that may be 10^9 times the chunk itself.

    E is a sum of *useful* + 8 rounded terms, none negative; each chunk takes the error on (its own share of
    it less, so it never grows) and adds three roundings; the chunks add up at the port.
    """
    shares = fractions("opr", size, n, costs)
    expected = costs.execution_s("opr", size, n)
    useful = useful_of(size, n, costs)
    a_chunk_s = (4 * useful + 8) * EPSILON * expected
    a_share = a_chunk_s / (size * (costs.send_s + costs.compute_s))
    assert math.fsum(shares) == pytest.approx(1.0, rel=0.0, abs=useful * (a_share + EPSILON))
    assert min(shares) >= -a_share
    found = ends(shares, size, costs)
    # A share may be too small for a number.
    assert 1 <= len(found) <= useful
    assert found == pytest.approx([expected] * len(found), rel=0.0, abs=(useful + 1) * a_chunk_s)


def test_a_node_whose_chunk_would_be_empty_takes_no_part() -> None:
    # With a growth of 2 and a step of 1 the chunks of 2, 3, 4 nodes need loads above 1, 4 and 11.
    costs = Costs(1.0, 1.0, 1.0)
    found = [useful_of(size, 8, costs) for size in (1.0, 1.5, 4.0, 4.5, 11.0)]
    assert found == [1, 2, 2, 3, 3]


def useful_of(size: float, n: int, costs: Costs) -> int:
    return useful_nodes(size, n, costs.send_s, costs.compute_s, costs.setup_send_s)


@given(sizes, nodes, costly)
def test_under_epr_the_last_node_ends_as_the_closed_form_says(size: float, n: int, costs: Costs) -> None:
    found = ends(fractions("epr", size, n, costs), size, costs)
    assert found[-1] == max(found) == pytest.approx(costs.execution_s("epr", size, n), rel=1e-9)


@given(sizes, nodes, costly)
def test_no_cut_beats_opr(size: float, n: int, costs: Costs) -> None:
    opr, epr = (costs.execution_s(rule, size, n) for rule in ("opr", "epr"))
    assert opr <= epr * (1 + 1e-12)


@given(sizes, st.integers(2, 50), unset, st.data())
def test_moved_load_ends_no_earlier(size: float, n: int, costs: Costs, data: st.DataObject) -> None:
    shares = fractions("opr", size, n, costs)
    giver, taker = data.draw(st.permutations(range(n)))[:2]
    moved = data.draw(st.floats(0.0, 1.0)) * shares[giver]
    shares[giver] -= moved
    shares[taker] += moved
    assert max(ends(shares, size, costs)) >= costs.execution_s("opr", size, n) * (1 - 1e-9)


@given(sizes, nodes, unset)
def test_one_node_sends_all_and_computes_all(size: float, n: int, costs: Costs) -> None:
    alone = size * (costs.send_s + costs.compute_s)
    assert costs.execution_s("opr", size, 1) == pytest.approx(alone, rel=1e-12)
    assert costs.execution_s("epr", size, 1) == pytest.approx(alone, rel=1e-12)
    # Theorem 5.1.
    assert alone <= n * costs.execution_s("opr", size, n) * (1 + 1e-12)


def test_the_figures_of_the_paper() -> None:
    assert BASE.execution_s("opr", 200, 16) == pytest.approx(1358.9, abs=0.05)
    beta = 100 / 101
    printed = (1 - beta) / (1 - beta**16) * 200 * 101
    assert BASE.execution_s("opr", 200, 16) == pytest.approx(printed, rel=1e-13)
    assert BASE.execution_s("epr", 200, 16) == 200 + 200 * 100 / 16


def test_with_set_up_costs_the_printed_form_of_alpha_1_holds_with_n_transmissions() -> None:
    """(6.22): B(n), with E = ST + SC + sigma (C_ms + C_ps) B(n); the last of n nodes waited n times ST."""
    costs, size, n = Costs(1.0, 100.0, 5.0, 7.0), 200.0, 8
    beta, phi = 100 / 101, 5.0 / (size * 101)
    b = (1 - beta) / (1 - beta**n) + n * phi / (1 - beta**n) - phi / (1 - beta)
    assert costs.execution_s("opr", size, n) == pytest.approx(5 + 7 + size * 101 * b, rel=1e-12)
    last = fractions("opr", size, n, costs)[-1]
    waited = n * 5.0 + size * 1.0
    assert costs.execution_s("opr", size, n) == pytest.approx(waited + 7 + last * size * 100, rel=1e-12)


def test_nodes_that_cost_more_than_they_do_get_nothing() -> None:
    costs = Costs(1.0, 10.0, 100.0)
    shares = fractions("opr", 50.0, 16, costs)
    useful = sum(share > 0 for share in shares)
    assert 1 < useful < 16
    assert costs.execution_s("opr", 50.0, 16) == costs.execution_s("opr", 50.0, useful)


@given(sizes, costly)
def test_more_nodes_never_take_longer_under_opr(size: float, costs: Costs) -> None:
    times = [costs.execution_s("opr", size, n) for n in range(1, 30)]
    assert all(after <= before * (1 + 1e-12) for before, after in pairwise(times))


@given(rules, sizes, costly, st.floats(0.0, 1e6), st.floats(0.3, 1.2), st.integers(1, 60), nodes)
def test_the_fewest_nodes_are_enough_and_no_fewer_are(
    rule: str, size: float, costs: Costs, start_s: float, share: float, most: int, n: int
) -> None:
    """Against trying every number, deadlines at and around what *n* nodes need."""
    deadline_s = start_s + share * costs.execution_s(rule, size, n)
    number = RULES[rule]
    fit = [
        k
        for k in range(1, most + 1)
        if start_s + divisible.execution_s(number, size, k, *costs.numbers) <= deadline_s
    ]
    found = least_nodes(number, size, start_s, deadline_s, most, *costs.numbers)
    assert found == (fit[0] if fit else 0)


@given(rules, sizes, costly, st.integers(1, 12))
@example("epr", 1.0, Costs(1e-9, 3.0, 1.0), 2)
@example("epr", 9.0, Costs(0.0, 1.0, 1.0), 3)
def test_the_best_number_of_nodes_takes_least_time(rule: str, size: float, costs: Costs, most: int) -> None:
    """All that there are may be the best."""
    found = best_nodes(RULES[rule], size, most, costs.send_s, costs.compute_s, costs.setup_send_s)
    times = [costs.execution_s(rule, size, n) for n in range(1, most + 1)]
    assert 1 <= found <= most
    assert times[found - 1] <= min(times) * (1 + 1e-9)


@given(rules, sizes, costly, nodes)
def test_a_deadline_that_is_exactly_met_is_met(rule: str, size: float, costs: Costs, n: int) -> None:
    needed = costs.execution_s(rule, size, n)
    found = costs.least_nodes(rule, size, needed, 200)
    assert 1 <= found <= n
    assert costs.execution_s(rule, size, found) <= needed


@pytest.mark.parametrize("cost", [-1.0, math.nan, math.inf])
@pytest.mark.parametrize("field", ["send_s", "compute_s", "setup_send_s", "setup_compute_s"])
def test_a_cost_that_is_none_is_refused(field: str, cost: float) -> None:
    with pytest.raises(BadValue, match="finite number of 0 or more"):
        Costs(**{"send_s": 1.0, "compute_s": 1.0, field: cost})


@pytest.mark.parametrize("size", [0.0, -1.0, math.nan, math.inf])
def test_a_size_that_is_none_is_refused(size: float) -> None:
    with pytest.raises(BadValue, match="size"):
        BASE.execution_s("opr", size, 4)


def test_no_nodes_no_rule_no_costs_are_refused() -> None:
    with pytest.raises(BadValue, match="nodes"):
        BASE.execution_s("opr", 1.0, 0)
    with pytest.raises(BadValue, match="one of opr, epr"):
        BASE.execution_s("mpr", 1.0, 1)
    with pytest.raises(BadValue, match="costs nothing"):
        Costs(0.0, 0.0)


@given(sizes, nodes)
def test_free_computing_needs_one_node(size: float, n: int) -> None:
    costs = Costs(2.0, 0.0, 1.0, 3.0)
    assert costs.execution_s("opr", size, n) == pytest.approx(1.0 + 3.0 + 2.0 * size)
    assert fractions("opr", size, n, costs) == [1.0] + [0.0] * (n - 1)
