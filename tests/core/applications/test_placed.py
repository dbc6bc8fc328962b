"""The one call that says how long a placed job runs: what it gives for each kind, compiled and as it is."""

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from numba.core import types

from molokini.applications.communicating import extension_s
from molokini.applications.divisible import Costs
from molokini.applications.divisible_chunks import chunks as chunks_of_load
from molokini.applications.kinds import PATTERNS, RULES, JobKind
from molokini.applications.placed import FREE, Place, chunks, over, run_s, together
from molokini.compiled.compilation import FLOAT, INT, compile_entry, interpreted
from molokini.shared import placed_kernels as kernels

kinds = st.sampled_from(JobKind)
amounts = st.floats(0.01, 1e4)
parts_of_a_job = st.lists(st.integers(1, 12), min_size=1, max_size=5)
some = st.one_of(st.just(0.0), st.floats(1e-3, 10.0))
costs = st.tuples(some, st.floats(0.01, 100.0), some, some)


def of_numbers(
    kind: int, amount: float, place: tuple[int, int, int], costs: tuple[float, float, float, float]
) -> float:
    """The kernel, entered from Python."""
    return kernels.run_s(kind, amount, kernels.Place(place[0], place[1], place[2]), costs)


@pytest.fixture(scope="module")
def compiled() -> Callable[..., float]:
    if interpreted():
        pytest.skip("nothing is compiled")
    entry: Any = compile_entry(
        of_numbers, FLOAT(INT, FLOAT, types.UniTuple(INT, 3), types.UniTuple(FLOAT, 4))
    )
    return lambda *arguments: float(entry(*arguments))


@given(amounts, parts_of_a_job, costs)
def test_rigid_jobs_run_their_work(
    amount: float, parts: list[int], costs: tuple[float, float, float, float]
) -> None:
    assert run_s(JobKind.RIGID, amount, over(parts), costs) == amount


@given(st.sampled_from(sorted(RULES)), amounts, st.integers(1, 60), costs)
def test_a_load_takes_what_its_closed_form_says(
    rule: str, size: float, nodes: int, numbers: tuple[float, float, float, float]
) -> None:
    of_load = Costs(*numbers)
    assert run_s(RULES[rule], size, together(nodes), numbers) == of_load.execution_s(rule, size, nodes)
    assert chunks(RULES[rule], size, together(nodes), numbers) == chunks_of_load(rule, size, nodes, of_load)


@given(st.sampled_from(sorted(PATTERNS)), amounts, parts_of_a_job, some, some)
def test_tasks_that_communicate_take_their_computation_and_their_messages(
    name: str, alone_s: float, parts: list[int], inside_s: float, between_s: float
) -> None:
    kind, shape = PATTERNS[name], (sum(parts), min(parts), max(parts))
    found = run_s(kind, alone_s, over(parts), (inside_s, between_s, 0.0, 0.0))
    assert found == alone_s + extension_s(kind, alone_s, *shape, inside_s, between_s)


@given(st.sampled_from([kind for kind in JobKind if kind not in RULES.values()]), parts_of_a_job)
def test_no_other_kind_comes_in_chunks(kind: JobKind, parts: list[int]) -> None:
    assert chunks(kind, 7.0, over(parts), (1.0, 2.0, 0.0, 0.0)) == ()


def test_a_place_is_its_tasks_and_the_extremes_of_its_clusters() -> None:
    assert over([3, 5]) == Place(8, 3, 5)
    assert over([4]) == together(4) == Place(4, 4, 4)


@pytest.mark.parametrize("kind", [kind for kind in JobKind if kind is not JobKind.RIGID])
def test_every_other_kind_takes_another_time_than_its_amount(kind: JobKind) -> None:
    """A kind without a branch would be taken for one that adds nothing."""
    costs = (0.5, 4.0, 0.0, 0.0)
    assert run_s(kind, 90.0, over([3, 4]), costs) != run_s(kind, 90.0, over([3, 4]), FREE)
    assert run_s(kind, 90.0, over([3, 4]), costs) != 90.0


@given(kinds, amounts, parts_of_a_job, costs)
def test_compiled_it_gives_the_same_to_the_last_bit(
    compiled: Callable[..., float],
    kind: JobKind,
    amount: float,
    parts: list[int],
    numbers: tuple[float, float, float, float],
) -> None:
    """Agents call it as it is, the engine as machine code: their ends have to be equal."""
    place = over(parts)
    assert compiled(int(kind), amount, tuple(place), numbers) == run_s(kind, amount, place, numbers)
