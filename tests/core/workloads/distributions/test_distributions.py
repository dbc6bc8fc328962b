"""Named distributions: closed forms, the printed values of the papers, draws against moments, fits."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from molokini.model.errors import BadInput, BadValue
from molokini.workloads.distributions import (
    DISTRIBUTIONS,
    H2,
    H3,
    BoundedPareto,
    Distribution,
    Exponential,
    Gamma,
    HyperErlang,
    HyperGamma,
    LogHyperGamma,
    LogNormal,
    LogUniform,
    Pareto,
    Weibull,
)

EXAMPLES: tuple[Distribution, ...] = (
    Exponential(3.0),
    Gamma(2.5, 3.0),
    Weibull(0.6, 100.0),
    LogNormal(3.0, 1.2),
    Pareto(2.0, 3.5),
    BoundedPareto(1.0, 1e4, 1.1),
    LogUniform((1.0, 10.0, 1000.0), (0.3, 0.7)),
    H2(0.7, 10.0, 500.0),
    H3(0.5, 0.3, 1.0, 100.0, 5000.0),
    HyperErlang(0.3, 0.01, 0.2, 3),
    HyperGamma(0.6, 4.2, 0.94, 312.0, 0.03),
    LogHyperGamma(0.6, 4.2, 0.7, 312.0, 0.03, 12.0),
)
each = pytest.mark.parametrize("one", EXAMPLES, ids=lambda one: one.NAME)


def test_the_table_has_every_example() -> None:
    assert {one.NAME for one in EXAMPLES} == set(DISTRIBUTIONS)


@each
def test_draws_have_the_distribution(one: Distribution) -> None:
    drawn = np.sort(one.sample(np.random.default_rng(1), 40_000))
    steps = np.arange(1, drawn.size + 1) / drawn.size
    assert np.abs(one.cdf(drawn) - steps).max() < 1.63 / math.sqrt(drawn.size)  # Kolmogorov, 1%


@pytest.mark.quick(one_in=5)
@each
def test_moments_are_those_of_the_quantiles(one: Distribution) -> None:
    """E[X^k] is the integral of the k-th power of the quantile function."""
    ranks = (np.arange(20_000) + 0.5) / 20_000
    values = one.quantiles(ranks)
    assert one.moment(0.5) == pytest.approx(np.sqrt(values).mean(), rel=5e-3)
    assert one.mean == pytest.approx(values.mean(), rel=2e-2)
    assert one.moment(0.0) == pytest.approx(1.0)


@pytest.mark.quick(one_in=3)
@each
@given(p=st.floats(0.0001, 0.9999))
def test_a_quantile_inverts_the_distribution(one: Distribution, p: float) -> None:
    at = np.array([one.quantile(p)])
    assert one.cdf(at)[0] == pytest.approx(p, abs=1e-9)
    assert one.survival(at)[0] == pytest.approx(1.0 - p, abs=1e-9)


@each
def test_the_density_is_the_slope_of_the_distribution(one: Distribution) -> None:
    at = one.quantiles(np.array([0.11, 0.35, 0.62, 0.9]))
    step = at * 1e-6
    slope = (one.cdf(at + step) - one.cdf(at - step)) / (2.0 * step)
    assert np.exp(one.log_density(at)) == pytest.approx(slope, rel=1e-4)


@each
def test_the_same_seed_draws_the_same(one: Distribution) -> None:
    first, second = (one.sample(np.random.default_rng(7), 100) for _ in range(2))
    assert (first == second).all()


@pytest.mark.parametrize(
    "one", [one for one in EXAMPLES if one.NAME not in {"log-hyper-gamma"}], ids=lambda one: one.NAME
)
def test_a_fit_is_likely_or_has_the_moments(one: Distribution) -> None:
    data = one.sample(np.random.default_rng(3), 20_000)
    found = type(one).fit(data)
    if isinstance(one, HyperErlang):  # fitted by moments
        moments = [float((data**k).mean()) for k in (1, 2, 3)]
        assert [found.moment(k) for k in (1, 2, 3)] == pytest.approx(moments, rel=1e-9)
    elif isinstance(one, LogUniform):  # of fewer pieces
        assert isinstance(found, LogUniform)
        assert found.bounds == (data.min(), data.max())
    else:  # nothing of the family is likelier than what is found, so the origin is not
        assert found.log_likelihood(data) >= one.log_likelihood(data) - 1e-6 * data.size


def test_a_fit_of_a_bounded_logarithm() -> None:
    data = LogHyperGamma(0.6, 4.2, 0.7, 312.0, 0.03).sample(np.random.default_rng(3), 20_000)
    found = LogHyperGamma.fit(data)
    assert found.logarithm.mean == pytest.approx(float(np.log(data).mean()), rel=1e-6)


def test_likelihood_finds_an_order_that_is_given() -> None:
    one = HyperErlang(0.3, 0.2, 0.01, 3)
    data = one.sample(np.random.default_rng(3), 20_000)
    found = HyperErlang.fit(data, order=3)
    assert found.log_likelihood(data) >= one.log_likelihood(data) - 1e-3
    assert found.rate1 == pytest.approx(0.2, rel=0.05)


def test_pieces_hold_equal_shares() -> None:
    data = LogUniform((1.0, 10.0, 1000.0), (0.5, 0.5)).sample(np.random.default_rng(3), 20_000)
    found = LogUniform.fit(data, pieces=2)
    assert found.shares == pytest.approx((0.5, 0.5), abs=1e-3)
    assert found.bounds[1] == pytest.approx(10.0, rel=0.05)
    assert LogUniform.fit(np.array([1.0] * 50 + [2.0] * 50), pieces=10).bounds[0] == 1.0


def test_bounded_pareto_has_the_printed_values() -> None:
    one = BoundedPareto(1.0, 1e6, 1.1)
    assert one.mean == pytest.approx(8.236927, abs=5e-7)
    assert one.moment(2) / one.mean**2 == pytest.approx(4524.995, abs=5e-4)
    assert one.quantile(0.99) == pytest.approx(65.7918, abs=5e-5)
    middle = BoundedPareto(1.0, 1e6, 1.5)
    assert middle.mean == pytest.approx(2.997000, abs=5e-7)
    assert middle.moment(2) / middle.mean**2 == pytest.approx(333.667, abs=5e-4)
    assert middle.quantile(0.99) == pytest.approx(21.5443, abs=5e-5)
    assert BoundedPareto(1.0, 1e6, 1.0).mean == pytest.approx(13.81552, abs=5e-6)


@pytest.mark.parametrize(
    ("cv", "share", "means"), [(1.5, 0.810087, (74.0661, 315.934)), (2.0, 0.887298, (67.6210, 532.379))]
)
def test_balanced_branches_have_the_printed_values(cv: float, share: float, means: tuple[float, ...]) -> None:
    one = H2.balanced(120.0, cv)
    assert one.share == pytest.approx(share, abs=5e-7)
    assert (one.mean1, one.mean2) == pytest.approx(means, rel=1e-5)
    assert (one.mean, one.cv) == pytest.approx((120.0, cv))


def test_hyper_erlang_from_three_moments() -> None:
    one = HyperErlang.from_moments(67.0, 18_105.0, 7_202_100.0)
    assert (one.share, one.rate1, one.rate2, one.order) == pytest.approx((0.3, 0.01, 0.2, 2))
    with pytest.raises(BadInput, match=r"of order 1 has the moments .*; order 2 is the least that has"):
        HyperErlang.from_moments(67.0, 18_105.0, 7_202_100.0, order=1)


@given(st.floats(0.01, 0.99), st.floats(0.001, 0.4), st.integers(1, 20))
def test_hyper_erlang_has_the_moments_that_it_is_made_of(share: float, rate: float, order: int) -> None:
    origin = HyperErlang(share, rate, 1.0, order)
    moments = [origin.moment(k) for k in (1, 2, 3)]
    found = HyperErlang.from_moments(moments[0], moments[1], moments[2])
    assert found.order <= order
    assert [found.moment(k) for k in (1, 2, 3)] == pytest.approx(moments, rel=1e-6)


@pytest.mark.parametrize(
    ("moments", "words"),
    [((1.0, 1.0, 1.0), "nothing that varies"), ((1.0, 0.5, 1.0), "nothing"), ((1.0, 2.0, 3.9), "nothing")],
)
def test_moments_of_nothing(moments: tuple[float, float, float], words: str) -> None:
    with pytest.raises(BadInput, match=words):
        HyperErlang.from_moments(*moments)


def test_moments_of_what_hardly_varies() -> None:
    with pytest.raises(BadInput, match="above 10,000"):
        HyperErlang.from_moments(1.0, 1.0 + 1e-6, 1.0 + 3.1e-6)


@pytest.mark.parametrize(
    ("kind", "size", "share", "mean_s", "median_s"),
    [
        ("batch", 1, 0.6956, 8686.7, 596.5),
        ("batch", 32, 0.6026, 10_624, 1492),
        ("interactive", 1, 0.9038, 155.0, 11.72),
        ("interactive", 32, 0.538, 533.7, 26.67),
        ("untyped", 1, 0.7746, 3596, 78.6),
        ("untyped", 32, 0.6072, 5718, 274.5),
    ],
)
def test_lublins_run_times(kind: str, size: int, share: float, mean_s: float, median_s: float) -> None:
    pa, pb, a1, b1, a2, b2 = {
        "batch": (-0.003, 0.6986, 6.57, 0.823, 639.1, 0.0156),
        "interactive": (-0.0118, 0.9156, 3.8351, 0.6605, 7.073, 0.6856),
        "untyped": (-0.0054, 0.78, 4.2, 0.94, 312, 0.03),
    }[kind]
    one = LogHyperGamma(pa * size + pb, a1, b1, a2, b2, 12.0)
    assert one.share == pytest.approx(share)
    assert one.mean == pytest.approx(mean_s, rel=3.3e-4)
    assert one.quantile(0.5) == pytest.approx(median_s, rel=8e-4)


def test_means_that_do_not_exist() -> None:
    assert Pareto(1.0, 0.9).mean == math.inf
    assert Pareto(1.0, 1.5).cv == math.inf
    assert Exponential(1.0).moment(-1.0) == math.inf
    assert Gamma(0.5, 1.0).moment(-1.0) == math.inf
    assert Weibull(0.5, 1.0).moment(-1.0) == math.inf
    assert LogHyperGamma(0.5, 4.0, 0.9, 4.0, 1.1).mean == math.inf


@pytest.mark.parametrize(
    ("make", "field"),
    [
        (lambda: Pareto(1.0, 0.0), "alpha"),
        (lambda: BoundedPareto(10.0, 1.0, 1.1), "p"),
        (lambda: Weibull(math.nan, 1.0), "shape"),
        (lambda: LogNormal(math.inf, 1.0), "mu"),
        (lambda: H2(1.5, 1.0, 1.0), "share"),
        (lambda: H3(0.8, 0.8, 1.0, 1.0, 1.0), "share2"),
        (lambda: H2.balanced(1.0, 0.5), "cv"),
        (lambda: LogUniform((2.0, 1.0)), "bounds"),
        (lambda: LogUniform((1.0, 2.0), (0.5, 0.5)), "shares"),
        (lambda: LogUniform((1.0, 2.0), (0.5,)), "shares"),
        (lambda: HyperErlang(0.5, 1.0, 1.0, 0), "order"),
        (lambda: Exponential(1.0).quantile(1.5), "p"),
        (lambda: LogUniform.fit(np.arange(1.0, 50.0), pieces=0), "pieces"),
    ],
)
def test_a_parameter_out_of_its_range_is_named(make: type, field: str) -> None:
    with pytest.raises(BadValue) as refused:
        make()
    assert refused.value.field == field


@pytest.mark.parametrize("one", [one for one in EXAMPLES if one.NAME != "exponential"], ids=lambda o: o.NAME)
@pytest.mark.parametrize(
    ("data", "words"),
    [(range(1, 11), "10 values are too few"), ([5.0] * 100, "all values are 5"), (range(100), "above 0")],
)
def test_data_that_cannot_be_fitted(one: Distribution, data: list[float], words: str) -> None:
    with pytest.raises(BadInput, match=words):
        type(one).fit(np.array(data, dtype=float))


def test_fits_that_no_member_suits() -> None:
    with pytest.raises(BadInput, match="no alpha above 0"):
        BoundedPareto.fit(np.linspace(1.0, 100.0, 100))
    with pytest.raises(BadInput, match="above 1"):
        LogHyperGamma.fit(np.linspace(0.5, 100.0, 100))
    with pytest.raises(BadInput, match="raise it"):
        LogHyperGamma(0.0, 1.0, 1.0, 312.0, 0.03, 0.01)
