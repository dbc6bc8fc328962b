"""What a look ahead is judged by: one number, which is to be small."""

from collections.abc import Callable

import numpy as np

from molokini.compiled.structs import Floats

TAU_S = 10.0
"""Threshold of bounded slowdowns."""

Objective = Callable[[Floats, Floats, Floats], float]
"""Of waits, lengths (s) and widths of the jobs that wait now."""


def _mean_bounded_slowdown(wait_s: Floats, length_s: Floats, width: Floats) -> float:
    """Feitelson, Metrics for parallel job scheduling and their convergence, JSSPP 2001: threshold 10 s."""
    bounded = np.maximum(1.0, (wait_s + length_s) / np.maximum(length_s, TAU_S))
    return float(bounded.mean())


def _mean_wait(wait_s: Floats, length_s: Floats, width: Floats) -> float:
    return float(wait_s.mean())


def _weighted_wait(wait_s: Floats, length_s: Floats, width: Floats) -> float:
    """By the processor-seconds of each job: idle processors cost, and short narrow jobs do not rule."""
    area = np.maximum(length_s, 1.0) * width
    return float((wait_s * area).sum() / area.sum())


def _longest_wait(wait_s: Floats, length_s: Floats, width: Floats) -> float:
    return float(wait_s.max())


OBJECTIVES: dict[str, Objective] = {
    "mean-bounded-slowdown": _mean_bounded_slowdown,
    "mean-wait": _mean_wait,
    "weighted-wait": _weighted_wait,
    "longest-wait": _longest_wait,
}
