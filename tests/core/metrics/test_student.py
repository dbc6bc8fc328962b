import math

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from scipy.special import stdtr

from molokini.metrics.student import t_quantile
from molokini.model.errors import BadValue


@pytest.mark.parametrize(
    ("probability", "degrees", "tabulated"),
    [
        (0.975, 1, 12.7062),
        (0.975, 2, 4.3027),
        (0.95, 5, 2.0150),
        (0.975, 9, 2.2622),
        (0.95, 10, 1.8125),
        (0.975, 19, 2.0930),
        (0.995, 5, 4.0321),
        (0.995, 30, 2.7500),
        (0.975, 120, 1.9799),
        (0.9995, 3, 12.9240),
    ],
)
def test_against_the_printed_table(probability: float, degrees: float, tabulated: float) -> None:
    assert t_quantile(probability, degrees) == pytest.approx(tabulated, abs=5.1e-5)


@pytest.mark.parametrize("probability", [0.6, 0.9, 0.975, 0.9999])
def test_one_and_two_degrees_have_closed_forms(probability: float) -> None:
    assert t_quantile(probability, 1) == pytest.approx(math.tan(math.pi * (probability - 0.5)), rel=1e-11)
    spread = 2 * probability - 1
    two = spread * math.sqrt(2 / (1 - spread * spread))
    assert t_quantile(probability, 2) == pytest.approx(two, rel=1e-11)


def test_many_degrees_are_the_normal_distribution() -> None:
    assert t_quantile(0.975, 1e7) == pytest.approx(1.959964, abs=1e-6)


@given(st.floats(0.001, 0.999), st.integers(1, 2000))
@example(0.4992484441846993, 1184)
@example(0.5000001, 2000)
def test_the_quantile_inverts_the_distribution(probability: float, degrees: int) -> None:
    assert stdtr(degrees, t_quantile(probability, degrees)) == pytest.approx(probability, abs=1e-11)


def test_the_middle_is_zero_and_the_sides_are_mirrors() -> None:
    assert t_quantile(0.5, 7) == 0
    assert t_quantile(0.1, 7) == pytest.approx(-t_quantile(0.9, 7), rel=1e-12)


@pytest.mark.parametrize(("probability", "degrees"), [(0, 5), (1, 5), (0.9, 0), (0.9, float("nan"))])
def test_out_of_range(probability: float, degrees: float) -> None:
    with pytest.raises(BadValue):
        t_quantile(probability, degrees)
