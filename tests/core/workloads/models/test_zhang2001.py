"""The stand-in for the workload of a study of gang scheduling."""

import numpy as np
import pytest

from molokini.model.errors import BadInput
from molokini.workloads.generated import generated
from molokini.workloads.lengths import lengthen
from molokini.workloads.models.zhang2001 import SHARES, gaps, run_times
from molokini.workloads.scaling import offered_load
from molokini.workloads.workload import Workload


def made(seed: int = 1, **given: object) -> Workload:
    model = generated("zhang2001")
    asked = {key.replace("_", "-"): str(value) for key, value in given.items()}
    return model.make(model.values(asked), seed)


def test_what_the_paper_says_of_the_jobs() -> None:
    found = made()
    large = found.processors > 32
    work = found.processors * found.run_s
    assert len(found) == 10_000
    assert found.machine_processors == 320
    assert found.processors.max() == 256
    assert large.mean() == pytest.approx(0.30, abs=0.02)
    assert work[large].sum() / work.sum() > 0.8
    assert offered_load(found, 320) == pytest.approx(0.55, abs=1e-3)
    assert np.median(found.run_s) == pytest.approx(453, rel=0.05)


@pytest.mark.parametrize("place", range(len(SHARES)))
def test_classes_have_their_shares_and_mostly_powers_of_two(place: int) -> None:
    sizes = made(jobs=40_000).processors
    bound = 2**place
    inside = sizes[(sizes <= bound) & (sizes > bound // 2)]
    assert inside.size / sizes.size == pytest.approx(SHARES[place], abs=0.012)
    assert (inside == bound).mean() >= 0.73


@pytest.mark.parametrize("factor", [1.0, 1.3, 1.8])
def test_a_factor_makes_run_times_longer_at_the_same_gaps(factor: float) -> None:
    base, longer = made(seconds="fractions"), made(seconds="fractions", factor=factor)
    assert np.allclose(longer.submit_s, base.submit_s, rtol=1e-6)
    assert np.allclose(longer.run_s, lengthen(base, factor).run_s)
    assert offered_load(longer, 320) == pytest.approx(0.55 * factor, rel=1e-3)


@pytest.mark.parametrize(("mean", "cv"), [(4.0, 2.0), (5.0, 2.0), (6.0, 3.0)])
def test_run_times_have_the_median_the_mean_and_the_variation(mean: float, cv: float) -> None:
    law = run_times(453.0, mean, cv)
    assert law.order == 1
    assert law.mean == pytest.approx(453.0 * mean)
    assert law.cv == pytest.approx(cv)
    assert law.quantile(0.5) == pytest.approx(453.0)


def test_gaps_have_three_moments_of_a_gamma_distribution() -> None:
    law = gaps(100.0, 1.7)
    assert law.mean == pytest.approx(100.0)
    assert law.cv == pytest.approx(1.7)
    square = 1.7**2
    assert law.moment(3) == pytest.approx(1e6 * (1 + square) * (1 + 2 * square))


def test_a_mean_and_a_variation_that_no_distribution_has_are_refused() -> None:
    with pytest.raises(BadInput, match="no distribution has a mean of 5 medians"):
        made(run_cv=1.2)
