"""Work is counted with the same floating-point operations everywhere."""

import math

from hypothesis import given
from hypothesis import strategies as st

from molokini.applications.work import end_of, work_after
from molokini.tables import transitions

seconds = st.floats(0.0, 1e9)
rates = st.floats(1e-3, 4.0)


@given(seconds, seconds, st.one_of(st.just(1.0), rates))
def test_an_end_is_the_transitions_end_to_the_last_bit(now: float, work_s: float, rate: float) -> None:
    assert end_of(now, work_s, rate) == transitions.end_of(now, work_s, rate)


@given(seconds, seconds)
def test_at_full_rate_nothing_is_divided(now: float, work_s: float) -> None:
    assert end_of(now, work_s, 1.0) == now + work_s


@given(seconds, seconds)
def test_at_no_rate_it_never_ends(now: float, work_s: float) -> None:
    assert end_of(now, work_s, 0.0) == transitions.end_of(now, work_s, 0.0) == math.inf


def test_at_half_rate_it_takes_twice_as_long() -> None:
    assert end_of(100.0, 10.0, 0.5) == 120.0
    assert work_after(3.0, 0.5, 100.0, 120.0) == 13.0


@given(st.floats(0.0, 1e6), rates, st.floats(0.0, 1e6), st.floats(0.0, 1e6))
def test_work_grows_with_time(work_s: float, rate: float, since_s: float, for_s: float) -> None:
    assert work_after(work_s, rate, since_s, since_s) == work_s
    assert work_after(work_s, rate, since_s, since_s + for_s) >= work_s


def test_numba_compiles_both() -> None:
    from numba import njit

    assert njit(end_of)(0.3, 0.1, 0.7) == end_of(0.3, 0.1, 0.7)
    assert njit(work_after)(0.3, 0.7, 0.1, 0.9) == work_after(0.3, 0.7, 0.1, 0.9)
