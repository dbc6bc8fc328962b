"""The model of heavy-tailed jobs."""

import numpy as np
import pytest

from molokini.model.errors import BadInput
from molokini.workloads.generated import generated
from molokini.workloads.scaling import offered_load
from molokini.workloads.workload import Workload


def made(seed: int = 1, **given: object) -> Workload:
    model = generated("heavy")
    return model.make(
        model.values(
            {"jobs": "20000", "processors": "1", **{key: str(value) for key, value in given.items()}}
        ),
        seed,
    )


def test_sizes_arrivals_and_load() -> None:
    found = made(load=0.8, alpha=1.5, k=2, p=2000)
    assert offered_load(found, 1) == pytest.approx(0.8, rel=1e-6)
    assert found.run_s.min() >= 2.0
    assert found.run_s.max() <= 2000.0
    assert np.array_equal(found.run_s, found.estimate_s)
    assert np.quantile(found.run_s, 0.9) == pytest.approx(2 * 0.1 ** (-1 / 1.5), rel=0.05)
    gaps = np.diff(found.submit_s)
    assert gaps.std() / gaps.mean() == pytest.approx(1.0, abs=0.03), "Poisson"
    assert (found.processors == 1).all()
    assert made(load=0.8).records.tobytes() == made(load=0.8).records.tobytes()
    assert np.array_equal(made(load=0.5).run_s, made(load=0.9).run_s)


def test_other_distributions_and_widths() -> None:
    found = made(distribution="exponential:scale=10", widths="powers", processors=8)
    assert found.run_s.mean() == pytest.approx(10, rel=0.05)
    assert set(np.unique(found.processors)) == {1, 2, 4, 8}
    for text, words in (
        ("pareto:k=1;alpha=0.9", "its mean is infinite"),
        ("nothing:x=1", "no distribution"),
    ):
        with pytest.raises(BadInput, match=words):
            made(distribution=text)
    with pytest.raises(BadInput, match="above k"):
        made(k=10, p=5)
