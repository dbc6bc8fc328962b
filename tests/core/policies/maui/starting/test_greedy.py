"""The set of candidates that together make most of a window."""

from itertools import combinations
from random import Random

import numpy as np
import pytest

from molokini.model.machine import Machine
from molokini.policies.maui.configuration.settings import MauiSettings
from molokini.policies.maui.configuration.vector import vector_of
from molokini.policies.maui.configuration.words import BackfillMetric
from molokini.policies.maui.knowledge.memory import mine
from molokini.policies.maui.starting.greedy import best_set
from molokini.tables.making import make_tables
from molokini.tables.tables import Tables
from tests.kit.maui import number_of


def candidates(widths: list[int], metrics: list[float], **chosen: float) -> Tables:
    """Candidates in this order of priority, row after row."""
    t = make_tables(Machine.counted(99), rows=max(2, len(widths)))
    vector = vector_of(MauiSettings(chosen=chosen), number_of)
    t.bind("parameters", np.array(vector))
    for k, (width, metric) in enumerate(zip(widths, metrics, strict=True)):
        t.cycle.ranked[k], t.cycle.order[k] = k, k
        t.jobs.width[k], t.cycle.order_key[k] = width, metric
    return t


def chosen(t: Tables, found: int, width: int) -> list[int]:
    return [int(mine(t).best_set[k]) for k in range(best_set(t, found, width))]


@pytest.mark.parametrize("seed", range(20))
def test_no_set_that_fits_is_worth_more_and_of_equal_ones_the_first_is_taken(seed: int) -> None:
    random = Random(seed)
    count, width = random.randint(0, 7), random.randint(1, 9)
    widths = [random.randint(1, 6) for _ in range(count)]
    metrics = [float(random.randint(1, 5)) for _ in range(count)]
    t = candidates(widths, metrics, backfill_metric=BackfillMetric.SECONDS)
    fitting = [
        one
        for size in range(count + 1)
        for one in combinations(range(count), size)
        if sum(widths[k] for k in one) <= width
    ]
    most = max(sum(metrics[k] for k in one) for one in fitting)
    found = chosen(t, count, width)
    assert found == list(min(one for one in fitting if sum(metrics[k] for k in one) == most))


def test_a_set_that_fills_the_window_ends_the_search_where_processors_count() -> None:
    widths = [2, 4, 1, 3]
    t = candidates(widths, [float(width) for width in widths], backfill_metric=BackfillMetric.PROCESSORS)
    assert chosen(t, 4, 6) == [0, 1]


@pytest.mark.parametrize(("looked", "wanted"), [(1, [0]), (2, [0, 1]), (3, [0, 1]), (99, [2])])
def test_only_so_many_sets_are_compared(looked: int, wanted: list[int]) -> None:
    """In order of priority, depth first: {0}, {0, 1}, {1}, {2}."""
    t = candidates([1, 2, 3], [1.0, 2.0, 9.0], backfill_metric=BackfillMetric.SECONDS, max_schedules=looked)
    assert chosen(t, 3, 3) == wanted
