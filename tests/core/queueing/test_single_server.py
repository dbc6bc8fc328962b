"""Closed forms of one server against printed values, simulations, and what must hold."""

import math

import numpy as np
import pytest

from molokini.model.errors import BadInput, BadValue
from molokini.model.machine import Machine
from molokini.policies import load_policy
from molokini.queueing.single_server import against_sharing, fcfs, pollaczek_khinchin, srpt, srpt_of_jobs
from molokini.queueing.sizes import Sizes, expected_beyond
from molokini.sim.replay import Replay
from molokini.workloads.distributions import BoundedPareto, Distribution, Exponential, Pareto
from molokini.workloads.distributions.named import distribution_of
from molokini.workloads.generated import generated

_PARETO_11, _PARETO_15 = BoundedPareto(1, 1e6, 1.1), BoundedPareto(1, 1e6, 1.5)
_PARETO_10 = BoundedPareto(1, 1e6, 1.0)

# Distribution, load: mean response in means, mean slowdown, ratio of the largest to sharing.
_VALUES: list[tuple[Distribution, float, float, float, float | None]] = [
    (Exponential(1.0), 0.5, 1.42537, 1.22512, None),
    (Exponential(1.0), 0.7, 1.87457, 1.41169, None),
    (Exponential(1.0), 0.8, 2.35277, 1.57785, None),
    (Exponential(1.0), 0.9, 3.55213, 1.91726, None),
    (Exponential(1.0), 0.99, 17.6269, 4.34970, None),
    (Exponential(1.0), 0.999, 115.933, 15.5406, None),
    (_PARETO_11, 0.5, 1.38954, 1.07826, 0.9841),
    (_PARETO_11, 0.7, 1.73131, 1.11643, 0.9696),
    (_PARETO_11, 0.8, 2.03542, 1.13760, 0.9590),
    (_PARETO_11, 0.9, 2.62623, 1.16052, 0.9577),
    (_PARETO_11, 0.95, 3.32909, 1.17277, 1.0235),
    (_PARETO_11, 0.99, 5.98694, 1.18305, None),
    (_PARETO_11, 0.999, 24.2242, 1.18559, None),
    (_PARETO_15, 0.5, 1.40141, 1.19935, 0.9995),
    (_PARETO_15, 0.7, 1.76875, 1.32738, 0.9989),
    (_PARETO_15, 0.9, 2.75284, 1.52663, 0.9960),
    (_PARETO_15, 0.95, 3.48916, 1.60127, 0.9924),
    (_PARETO_10, 0.9, 2.67274, 1.09649, 1.0023),
    (_PARETO_10, 0.95, 3.48754, 1.10307, 1.2219),
]


def _digits(value: float, printed: float) -> bool:
    """Whether *value* rounds to *printed*; the grid is off by two millionths at most."""
    text = f"{printed:.10g}"
    decimals = len(text.partition(".")[2])
    return abs(value - printed) <= 0.51 * 10.0**-decimals + 2e-6 * printed


@pytest.mark.parametrize(("law", "load", "response", "slowdown", "largest"), _VALUES)
def test_printed_values(
    law: Distribution, load: float, response: float, slowdown: float, largest: float | None
) -> None:
    sizes = Sizes(law)
    found = against_sharing(sizes, load)
    assert _digits(found.srpt.mean_response / sizes.mean, response)
    assert _digits(found.srpt.mean_slowdown, slowdown)
    assert largest is None or abs(found.ratio_of_largest - largest) < 6e-5
    assert found.ps.mean_slowdown == pytest.approx(1 / (1 - load))


@pytest.mark.parametrize(
    ("load", "ratio", "at", "better"),
    [(0.7, 1.0234, 8.20, 0.99658), (0.8, 1.1508, 7.24, 0.98959), (0.9, 1.6115, 7.44, 0.98671)],
)
def test_who_loses_among_exponential_sizes(load: float, ratio: float, at: float, better: float) -> None:
    found = against_sharing(Sizes(Exponential(1.0)), load)
    assert found.largest_ratio == pytest.approx(ratio, abs=6e-5)
    assert found.largest_at == pytest.approx(at, abs=6e-3)
    assert found.share_better == pytest.approx(better, abs=6e-6)


@pytest.mark.parametrize(
    ("law", "slowdown"), [(_PARETO_11, 1.1522), (_PARETO_15, 1.4957), (Exponential(1.0), 1.7989)]
)
def test_the_smaller_99_percent(law: Distribution, slowdown: float) -> None:
    assert against_sharing(Sizes(law), 0.9).small_slowdown == pytest.approx(slowdown, abs=1.1e-4)


def test_first_come_first_served() -> None:
    for law, response in ((_PARETO_11, 20363.5), (_PARETO_15, 1502.5), (Exponential(1.0), 10.0)):
        sizes = Sizes(law)
        assert fcfs(sizes, 0.9).mean_response / sizes.mean == pytest.approx(response, abs=0.06)
    assert math.isinf(fcfs(Sizes(Exponential(1.0)), 0.5).mean_slowdown), "E[1/X] is infinite"
    assert math.isinf(fcfs(Sizes(Pareto(1, 1.5)), 0.5).mean_response), "so is the second moment"
    assert math.isinf(pollaczek_khinchin(1.0, 1.0, 2.0)), "at a load of 1"


def test_what_a_formula_needs() -> None:
    for load in (0.0, 1.0, 1.5, math.nan):
        with pytest.raises(BadValue, match="the queue grows without end"):
            srpt(Sizes(Exponential(1.0)), load)
    with pytest.raises(BadInput, match="its mean is infinite"):
        Sizes(Pareto(1, 0.9))


def test_the_expectation_paradox() -> None:
    at = np.array([1.0, 2.0, 10.0, 1000.0])
    assert expected_beyond(Pareto(1, 2.5), at) / at == pytest.approx(2.5 / 1.5, rel=1e-5)
    assert expected_beyond(Pareto(1, 1.5), at) / at == pytest.approx(3.0, rel=1e-5)
    few = np.array([0.5, 1.0, 5.0])
    assert expected_beyond(Exponential(2.0), few) == pytest.approx(few + 2.0, rel=1e-5)
    assert expected_beyond(distribution_of("scipy.uniform"), np.array([0.5])) == pytest.approx(
        [0.75], rel=1e-5
    )


def test_distributions_by_name() -> None:
    assert distribution_of("bounded-pareto:k=1;p=1e6;alpha=1.1") == _PARETO_11
    assert distribution_of("log-uniform?bounds=1,10,100&shares=.5,.5").support == (1.0, 100.0)
    lognormal = distribution_of("scipy.lognorm?s=1")
    assert lognormal.mean == pytest.approx(math.exp(0.5))
    assert math.isinf(distribution_of("scipy.pareto?b=1.5").moment(2))
    assert math.isinf(distribution_of("scipy.expon").moment(-1))
    for text, words in (
        ("pareto?k=1", "needs alpha=NUMBER"),
        ("paretto?k=1", "did you mean 'pareto'"),
        ("pareto?k=1&alpha=x", "a number"),
        ("pareto?k=1&alfa=1", "did you mean 'alpha'"),
        ("scipy.lognorm", "its parameters are s, loc, scale"),
        ("scipy.norm", "sizes are above 0"),
        ("scipy.nothing", "no distribution of scipy.stats"),
    ):
        with pytest.raises(BadInput, match=words):
            distribution_of(text)


def test_the_formula_of_the_jobs_that_were_drawn() -> None:
    sizes = BoundedPareto(1, 100, 1.5).quantiles((np.arange(50_000) + 0.5) / 50_000)
    exact = Sizes(BoundedPareto(1, 100, 1.5))
    found = srpt_of_jobs(sizes, 0.8)
    assert found.mean() == pytest.approx(srpt(exact, 0.8).mean_response, rel=1e-3)
    shuffled = np.random.Generator(np.random.PCG64(1)).permutation(sizes.size)
    assert srpt_of_jobs(sizes[shuffled], 0.8) == pytest.approx(found[shuffled])
    # Equal sizes are served together: as many jobs of one size.
    assert srpt_of_jobs(np.ones(4), 0.5) == pytest.approx(1.0 + 0.25 / 0.25)


@pytest.mark.dear("200,000 jobs of two policies: the simulator is held to the formula")
def test_simulations_lie_on_the_formula() -> None:
    model = generated("heavy")
    workload = model.make(
        model.values({"processors": "1", "jobs": "100000", "load": "0.8", "p": "1000", "alpha": "1.5"}), 1
    )
    for name in ("srpt", "ps"):
        policy = load_policy(name)
        replay = Replay(workload, Machine.counted(1), policy, policy.declaration.values({}))
        replay.run()
        response = replay.schedule().end_s - workload.submit_s
        sizes = workload.run_s
        expected = srpt_of_jobs(sizes, 0.8) if name == "srpt" else sizes / 0.2
        small = sizes < np.quantile(sizes, 0.9)
        for rows, close in ((small, 0.02), (~small, 0.08)):
            assert response[rows].mean() == pytest.approx(
                expected[rows].mean(), rel=close if name == "srpt" else 0.1
            )
