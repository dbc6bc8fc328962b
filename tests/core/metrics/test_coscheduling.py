"""Runs of several seeds: what was not measured in one of them is left out, and seeds stay paired."""

import pytest

from molokini.metrics.coscheduling import Sample, differences, summary

SAMPLES: list[Sample] = [{"a": 1.0, "b": 5}, {"a": 2.0, "b": None}, {"a": 3.0, "b": 7}]
BASE: list[Sample] = [{"a": 0.0, "b": None}, {"a": 1.5, "b": 2}, {"a": 1.0, "b": 4}]


def test_a_mean_is_over_the_seeds_in_which_there_is_a_value() -> None:
    found = summary(SAMPLES)
    assert list(found) == ["a", "b"]
    assert (found["a"]["mean"], found["a"]["seeds"]) == (2.0, 3)
    assert found["a"]["low"] == pytest.approx(2 - 4.302653 / 3**0.5)
    assert found["a"]["high"] == pytest.approx(2 + 4.302653 / 3**0.5)
    assert (found["b"]["mean"], found["b"]["seeds"]) == (6.0, 2)


def test_a_difference_is_less_the_base_seed_by_seed() -> None:
    found = differences(SAMPLES, BASE)
    assert found["a"]["mean"] == pytest.approx(3.5 / 3)
    assert found["a"]["seeds"] == 3
    assert found["b"] == {"mean": 3.0, "low": None, "high": None, "seeds": 1}
    with pytest.raises(ValueError, match="shorter"):
        differences(SAMPLES, BASE[:2])
