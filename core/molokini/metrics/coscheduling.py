"""Runs of the process-level engine compared: means over seeds, and differences seed by seed."""

from collections.abc import Mapping, Sequence
from typing import Any

from molokini.metrics.intervals import aggregate

Sample = Mapping[str, float | int | None]


def summary(samples: Sequence[Sample]) -> dict[str, dict[str, float | None]]:
    """For each metric its mean and 95% interval over the seeds in which it was measured."""
    found = {}
    for metric in samples[0]:
        values = [float(value) for sample in samples if (value := sample[metric]) is not None]
        found[metric] = _interval(values)
    return found


def differences(samples: Sequence[Sample], base: Sequence[Sample]) -> dict[str, dict[str, float | None]]:
    """For each metric the mean of *samples* less *base*, seed by seed, with its 95% interval."""
    found = {}
    for metric in samples[0]:
        pairs = [(one[metric], other[metric]) for one, other in zip(samples, base, strict=True)]
        found[metric] = _interval(
            [one - other for one, other in pairs if one is not None and other is not None]
        )
    return found


def _interval(values: Sequence[float]) -> dict[str, Any]:
    made = aggregate(values)
    return {"mean": made.mean, "low": made.low, "high": made.high, "seeds": len(values)}
