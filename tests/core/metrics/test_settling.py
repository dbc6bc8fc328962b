import numpy as np
import pytest

from molokini.metrics import batch_means
from molokini.metrics.settling import certain_after, coverage, followed, settled, settling
from molokini.model.errors import BadValue
from tests.kit.schedules import Ran, schedule


def test_the_report_by_hand() -> None:
    # Batches of one: narrow after two, wide after three, narrow again in the end, on another mean.
    values = np.array([10.0, 10.0, 20.0, *[20.0] * 200])
    running = followed("x", values, batch_size=1, points=1000)
    found = settled(running, values.size, 0.05)
    assert found.first is not None
    assert found.second is not None
    assert (found.first.completed, found.first.mean) == (2, 10.0)
    assert found.missed[0] == 2, "the mean was to be nearly 20"
    assert found.final_mean == pytest.approx(values.mean())
    assert found.largest_size_after_first == pytest.approx(
        4.302653 * np.std([10, 10, 20], ddof=1) / 3**0.5 / (40 / 3)
    )
    at = found.second.completed
    half = batch_means(values[:at], 1).half_width
    before = batch_means(values[: at - 1], 1).half_width
    assert half is not None
    assert before is not None
    assert half / values[:at].mean() < 0.05 <= before / values[: at - 1].mean()
    assert found.points == 1 + values.size - at + 1


def test_a_geometric_mean_has_the_interval_of_its_logarithm() -> None:
    values = np.array([1.0, 100.0, 1.0, 100.0, 0.0])
    running = followed("x", values, geometric=True, batch_size=1)
    assert running.final == pytest.approx(10.0), "a response of 0 is left out"
    assert running.mean[-1] == pytest.approx(10.0)
    logs = batch_means(np.log(values[:4]), 1)
    assert logs.low is not None
    assert running.low[-1] == pytest.approx(np.exp(logs.low))


def test_every_metric_of_a_schedule() -> None:
    found = settling(schedule(*(Ran(k, k + 1, k + 5 + k % 3) for k in range(40))), 0.3, batch_size=4)
    names = [one.metric for one in found]
    assert len(names) == len(set(names)) == 10
    assert {"geometric_mean_response_s", "mean_per_processor_slowdown_600"} <= set(names)
    assert all(one.values == 40 for one in found)
    for wrong in (0.0, -1.0, 1.0, float("nan")):
        with pytest.raises(BadValue, match="precision"):
            settling(schedule(Ran(0, 1, 2)), wrong)


def test_from_when_on_a_ranking_is_certain() -> None:
    assert certain_after(np.array([5.0, 6.0, 5.5, 5.2]), 1) == 3
    assert certain_after(np.array([5.0, -6.0, 5.5, -5.2]), 1) is None
    # First certain of the contrary.
    turned = np.array([-1.0, -1.1, *[9.0, 9.1] * 40])
    at = certain_after(turned, 1)
    assert at is not None
    assert at > 4
    assert certain_after(np.ones(1), 1) is None


def test_how_often_intervals_hold_the_true_value() -> None:
    found = coverage([(0.0, 1.0)] * 95 + [(2.0, 3.0)] * 5, 0.5)
    assert (found.held, found.share) == (95, 0.95)
    assert 0.88 < found.low < 0.95 < found.high < 0.98
    random = np.random.Generator(np.random.PCG64(1))
    held = [batch_means(random.normal(3.0, 1.0, 400), 20) for _ in range(300)]
    normal = coverage([(one.low or 0.0, one.high or 0.0) for one in held], 3.0)
    assert normal.low <= 0.95 <= normal.high
