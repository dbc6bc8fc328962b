"""Processor equivalents, by the paper's own example and by hand."""

import pytest

from molokini.model.requests import Component, Request
from molokini.model.resources import Resource
from molokini.tables.requests import nodes_of, processor_equivalents, resource_of
from tests.kit.maui import at, maui, nodes, request
from tests.kit.workloads import Job

BLOCKER = Job(0, 100, 8)


@pytest.mark.parametrize(
    ("processors", "memory_mb", "swap_mb", "wanted"),
    [
        (1, 4096, 0, 2.0),
        (1, 2048, 0, 1.0),
        (1, 1024, 0, 1.0),
        (3, 4096, 0, 3.0),
        (1, 16384, 0, 8.0),
        (2, 0, 8192, 2.0),
        (2, 0, 16384, 4.0),
        (4, 6144, 4096, 4.0),
    ],
)
def test_the_largest_share_counts(processors: int, memory_mb: float, swap_mb: float, wanted: float) -> None:
    """8 processors, 16 GB of memory, 32 GB of swap, on one node."""
    jobs = [BLOCKER, Job(1, 10, processors)]
    asked = {1: request(processors, memory_mb, swap_mb=swap_mb)}
    t = at(maui(jobs, machine=nodes(1, 8, 16384, 32768), requests=asked), 1)
    row = int(t.queue.waiting[t.queue.head])
    assert processor_equivalents(t, row) == pytest.approx(wanted, abs=1e-12)


def test_a_job_of_processors_alone_is_as_wide_as_it_is() -> None:
    t = at(maui([BLOCKER, Job(1, 10, 5)]), 1)
    row = int(t.queue.waiting[t.queue.head])
    assert (processor_equivalents(t, row), nodes_of(t, row), resource_of(t, row, 0)) == (5.0, 0, 5.0)


def test_nodes_are_counted_where_they_were_asked_for() -> None:
    jobs = [Job(0, 100, 8), Job(1, 10, 6), Job(1, 10, 6)]
    asked = {1: request(6, 600, nodes=3), 2: request(6, 600)}
    t = at(maui(jobs, machine=nodes(4, 2, 1024), requests=asked), 1)
    first, second = t.queue.waiting[t.queue.head : t.queue.tail].tolist()
    assert (nodes_of(t, first), nodes_of(t, second)) == (3, 0)
    assert resource_of(t, first, 1) == 600 * 1024


def test_a_node_that_is_not_filled_is_one_that_was_asked_for() -> None:
    """5 tasks, 2 a node: 3 nodes."""
    odd = Request((Component(5, {Resource.PROCESSORS: 1.0}, tasks_per_node=2),))
    t = at(maui([BLOCKER, Job(1, 10, 5)], machine=nodes(4, 2), requests={1: odd}), 1)
    assert nodes_of(t, int(t.queue.waiting[t.queue.head])) == 3
