"""Lublin and Feitelson's model against what was published and what follows from its formulas."""

from typing import Any

import numpy as np
import pytest

from molokini.model.errors import BadInput
from molokini.workloads.generated import generated
from molokini.workloads.models.lublin import BATCH, INTERACTIVE, UNTYPED, Kindred
from molokini.workloads.workload import Floats, Workload

MODEL = generated("lublin")


def made(seed: int = 1, **given: Any) -> Workload:
    return MODEL.make(MODEL.values({name: str(value) for name, value in given.items()}), seed)


def test_the_mix_is_the_published_one() -> None:
    """Feitelson (JSSPP 2001, Table 2): mean 1668.34, median 18, deviation 6824.61, CV 4.09; ten seeds.

    Types are mixed as their mean gaps imply. By the model's own arrivals the share of batch jobs varies from
    one seed to the next, since few enormous gaps hold much of the time.
    """
    run_s = [made(seed, jobs=100_000, arrivals="poisson").run_s for seed in range(10)]
    mean = np.mean([one.mean() for one in run_s])
    deviation = np.mean([one.std() for one in run_s])
    assert mean == pytest.approx(1668.34, rel=0.03)
    assert np.mean([np.median(one) for one in run_s]) == pytest.approx(18.0, rel=0.03)
    assert deviation == pytest.approx(6824.61, rel=0.03)
    assert deviation / mean == pytest.approx(4.09, rel=0.03)


@pytest.mark.parametrize(
    ("kind", "size", "mean_s", "median_s", "cv"),
    [
        ("batch", 13.91, 9575, 839, 1.49),
        ("interactive", 8.04, 238, 13, 11.2),
        ("untyped", 12.18, 4373, 107, 1.93),
    ],
)
def test_each_type(kind: str, size: float, mean_s: float, median_s: float, cv: float) -> None:
    found = made(jobs=200_000, type=kind)
    assert found.processors.mean() == pytest.approx(size, rel=0.02)
    assert found.run_s.mean() == pytest.approx(mean_s, rel=0.05)
    assert np.median(found.run_s) == pytest.approx(median_s, rel=0.05)
    assert found.run_s.std() / found.run_s.mean() == pytest.approx(cv, rel=0.08)


@pytest.mark.parametrize(("kind", "mean_s"), [(BATCH, 3517.0), (INTERACTIVE, 619.3), (UNTYPED, 911.3)])
def test_the_mean_gap_with_its_cut(kind: Kindred, mean_s: float) -> None:
    assert kind.mean_gap_s() == pytest.approx(mean_s, rel=2e-3)


@pytest.mark.parametrize(("kind", "median_s"), [("batch", 170.7), ("interactive", 56.31), ("untyped", 138.9)])
def test_the_median_gap(kind: str, median_s: float) -> None:
    found = made(jobs=100_000, type=kind, cycle="none", seconds="fractions")
    assert np.median(np.diff(found.submit_s)) == pytest.approx(median_s, rel=0.03)


def test_shares_of_sizes() -> None:
    sizes = made(jobs=100_000, type="batch").processors
    powers = (sizes & (sizes - 1)) == 0
    assert (sizes == 1).mean() == pytest.approx(0.2927, abs=0.01)
    assert powers.mean() >= 0.2927 + 0.6686 - 0.01
    assert sizes.max() == 128


def test_interactive_and_batch_jobs_have_their_queues() -> None:
    found = made(jobs=50_000)
    assert set(found.queue.tolist()) == {0, 1}
    assert (found.queue == 0).mean() == pytest.approx(0.85, abs=0.02)
    assert found.run_s[found.queue == 1].mean() > 20 * found.run_s[found.queue == 0].mean()
    assert set(made(type="untyped").queue.tolist()) == {-1}


def test_sizes_move_with_the_machine() -> None:
    found = made(jobs=50_000, type="batch", processors=1024)
    assert found.processors.max() == 1024
    assert found.processors.mean() > 4 * 13.91


def test_one_attribute_leaves_the_others_alone() -> None:
    """Other sizes choose differently among the same two run times."""

    def both(**given: Any) -> tuple[Floats, Floats]:
        found = made(jobs=3000, type="untyped", pa=0.0, **given)
        return found.run_s, found.submit_s

    (run_s, submit_s), (other_run_s, other_submit_s) = both(), both(serial=0.9, pow2=0.05)
    assert (run_s == other_run_s).all()
    assert (submit_s == other_submit_s).all()
    run_s, other_submit_s = both(barr=0.6)
    assert (run_s == other_run_s).all()
    assert (submit_s != other_submit_s).any()


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"serial": 0.5}, "serial: it belongs to one type of jobs; say type=batch, interactive, untyped"),
        ({"type": "batch", "serial": 0.5, "pow2": 0.9}, "pow2: 0.9 .* at most 1 - serial"),
        ({"type": "batch", "umed": 9}, "umed: 9.0 .* uhi"),
        ({"type": "batch", "a1": 9000, "a2": 9000, "b2": 1}, "below 12"),
        ({"type": "batch", "aarr": 900}, "below 13"),
    ],
)
def test_what_is_refused(given: dict[str, Any], words: str) -> None:
    with pytest.raises(BadInput, match=words):
        made(jobs=100, **given)
