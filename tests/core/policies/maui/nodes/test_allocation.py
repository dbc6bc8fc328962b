"""Which nodes a job gets, one scenario a policy, worked out by hand. Nodes are n1, n2, ... (0, 1, ...)."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from molokini.availability.node_order import as_numbered, resort_nodes, sort_nodes
from molokini.model.machine import Machine, Node
from molokini.model.requests import Component, Request
from molokini.model.resources import Resource
from molokini.policies.maui.configuration.node_settings import NodeLine, NodeSettings
from molokini.policies.maui.configuration.parameters import parameters
from molokini.policies.maui.configuration.settings import MauiSettings
from molokini.policies.maui.configuration.words import Allocation, NodeTerm
from molokini.sim.replay import Replay
from molokini.tables.making import make_tables
from tests.kit.maui import at, maui, nodes, request
from tests.kit.replays import starts
from tests.kit.workloads import Job


def settings(allocation: Allocation, lines: Mapping[str, NodeLine] | None = None) -> MauiSettings:
    return MauiSettings(nodes=NodeSettings(allocation, lines=lines or {}))


def machine(*offers: tuple[int, int]) -> Machine:
    """Nodes of (processors, memory in MB)."""
    kinds = [
        {Resource.PROCESSORS: float(processors), Resource.MEMORY_KB: memory_mb * 1024.0}
        for processors, memory_mb in offers
    ]
    return Machine.of_nodes([Node(kind) for kind in kinds])


def nodes_of(replay: Replay, number: int) -> list[int]:
    """The nodes of the running job *number*, in order."""
    t = replay.tables
    rows = t.queue.running[: t.queue.running_count]
    row = int(rows[t.jobs.number[rows] == number][0])
    found, entry = [], int(t.jobs.entries[row])
    while entry >= 0:
        found.append(int(t.entries.node[entry]))
        entry = int(t.entries.next[entry])
    return sorted(found)


def placed(
    how: MauiSettings,
    jobs: Sequence[Job],
    offers: Machine,
    until_s: float = 100.0,
    requests: Mapping[int, Request] | None = None,
) -> list[list[int]]:
    """The nodes of each job at *until_s*."""
    replay = maui(jobs, how, machine=offers, requests=dict(requests or {}))
    at(replay, until_s)
    return [nodes_of(replay, number + 1) for number in range(len(jobs))]


LONG = 1000.0


def test_local_is_what_the_machine_is_told() -> None:
    jobs = [Job(0, LONG, 1), Job(1, LONG, 1)]
    for placement, second in (("first-fit", 0), ("worst-fit", 1)):
        replay = maui(jobs, settings(Allocation.LOCAL), machine=nodes(2, 2), placement=placement)
        at(replay, 10)
        assert (nodes_of(replay, 1), nodes_of(replay, 2)) == ([0], [second])


def test_firstavailable_takes_nodes_as_they_are_listed() -> None:
    jobs = [Job(0, LONG, 1), Job(1, LONG, 3)]
    replay = maui(jobs, settings(Allocation.FIRSTAVAILABLE), machine=nodes(3, 2), placement="worst-fit")
    at(replay, 10)
    assert (nodes_of(replay, 1), nodes_of(replay, 2)) == ([0], [0, 1])


GAPS = [Job(0, 500, 2), Job(1, 500, 4), Job(2, 398, 1), Job(3, 900, 1)]
GAP_WISHES = {0: request(2, 4096), 1: request(4, 8192), 2: request(1, 512), 3: request(1, 512)}


def test_lastavailable_takes_the_smallest_gap_before_a_reservation() -> None:
    """Job 2 needs all memory of n2, which is busy up to 500: it is promised to start there at 500.

    Job 3 is over at 400 and goes to n2, whose gap of 100 s is smaller than that of n1, which has no end.
    Job 4 would still be there at 500: it goes to n1.
    """
    offers = machine((4, 1024), (4, 8192))
    parameters = {Allocation.LASTAVAILABLE: [1], Allocation.FIRSTAVAILABLE: [0]}
    for allocation, third in parameters.items():
        replay = maui(GAPS, settings(allocation), machine=offers, requests=GAP_WISHES)
        at(replay, 10)
        assert (nodes_of(replay, 3), nodes_of(replay, 4)) == (third, [0])
        assert replay.run()
        assert starts(replay)[1] == 500.0


def test_lastavailable_takes_the_node_that_is_left_just_as_it_is_needed() -> None:
    """Job 3 is over at 500, when job 2 has n2: no gap is smaller than none."""
    offers = machine((4, 1024), (4, 8192))
    exact = [*GAPS[:2], replace(GAPS[2], run=498), GAPS[3]]
    replay = maui(exact, settings(Allocation.LASTAVAILABLE), machine=offers, requests=GAP_WISHES)
    at(replay, 10)
    assert (nodes_of(replay, 3), nodes_of(replay, 4)) == ([1], [0])
    assert replay.run()
    assert starts(replay)[1] == 500.0


def test_lastavailable_stays_off_nodes_that_are_needed_before_the_end() -> None:
    """The same with the needed node first: there the first one available is in the way, and job 4 waits."""
    offers = machine((4, 8192), (4, 1024))
    for allocation, start_s in ((Allocation.LASTAVAILABLE, 3.0), (Allocation.FIRSTAVAILABLE, 500.0)):
        replay = maui(GAPS, settings(allocation), machine=offers, requests=GAP_WISHES)
        assert replay.run()
        assert starts(replay) == [0.0, 500.0, 2.0, start_s]


def test_minresource_takes_the_least_that_does() -> None:
    offers = machine((4, 4096), (4, 1024), (2, 1024), (4, 2048))
    jobs = [Job(0, LONG, 1), Job(1, LONG, 2), Job(2, LONG, 1)]
    # The least memory, then the fewest processors: n3 before n2; what needs 1,500 MB goes to n4.
    wishes = {2: request(1, 1500)}
    assert placed(settings(Allocation.MINRESOURCE), jobs, offers, requests=wishes) == [[2], [1, 2], [3]]


def test_cpuload_takes_the_most_idle_processors() -> None:
    jobs = [Job(0, LONG, 1), Job(1, LONG, 3), Job(2, LONG, 1), Job(3, LONG, 2)]
    # 4, 6, 2 idle: n2 gives 1 and has 5, gives 3 and has 2; then n1 has 4, gives 1, and 2 more.
    offers = machine((4, 0), (6, 0), (2, 0))
    assert placed(settings(Allocation.CPULOAD), jobs, offers) == [[1], [1], [0], [0]]


def test_cpuload_looks_at_what_is_idle_now() -> None:
    """Nodes are looked at for a job that does not fit; nothing starts until others end, on both nodes."""
    jobs = [Job(0, 100, 3), Job(1, 99, 1), Job(10, LONG, 2)]
    one_node = {0: request(3, nodes=1), 2: request(2, nodes=1)}
    replay = maui(jobs, settings(Allocation.CPULOAD), machine=machine((2, 0), (4, 0)), requests=one_node)
    at(replay, 50)
    assert [nodes_of(replay, number) for number in (1, 2)] == [[1], [0]]
    at(replay, 150)
    assert nodes_of(replay, 3) == [1]


@pytest.mark.parametrize(
    "lines",
    [
        {"n2": NodeLine(speed=3.0), "n3": NodeLine(speed=2.0)},
        {"n2": NodeLine(processor_speed=3.0), "n3": NodeLine(processor_speed=2.0)},
    ],
)
def test_fastest_takes_the_highest_speed(lines: dict[str, NodeLine]) -> None:
    jobs = [Job(0, LONG, 2), Job(1, LONG, 3)]
    assert placed(settings(Allocation.FASTEST, lines), jobs, nodes(3, 2)) == [[1], [0, 2]]


def test_the_slowest_speed_is_above_none() -> None:
    lines = {"n2": NodeLine(processor_speed=0.5)}
    assert placed(settings(Allocation.FASTEST, lines), [Job(0, LONG, 1)], nodes(2, 2)) == [[1]]


def test_speed_goes_before_processor_speed() -> None:
    lines = {
        "n1": NodeLine(processor_speed=3000.0),
        "n2": NodeLine(speed=1.5),
        "DEFAULT": NodeLine(speed=1.0),
    }
    assert placed(settings(Allocation.FASTEST, lines), [Job(0, LONG, 1)], nodes(2, 2)) == [[1]]


def test_contiguous_takes_neighbours_or_waits() -> None:
    jobs = [Job(0, LONG, 2), Job(1, 5, 2), Job(2, LONG, 2), Job(10, LONG, 4), Job(20, LONG, 6)]
    # n1, n2, n3 are taken and n2 is free again: the fourth job needs two neighbours and finds n4 and n5.
    replay = maui(jobs, settings(Allocation.CONTIGUOUS), machine=nodes(5, 2))
    at(replay, 15)
    assert nodes_of(replay, 4) == [3, 4]


class TestPriority:
    def test_of_a_line(self) -> None:
        lines = {"DEFAULT": NodeLine(priority=5), "n1": NodeLine(priority=-1), "n3": NodeLine(priority=7)}
        jobs = [Job(0, LONG, 2), Job(1, LONG, 2), Job(2, LONG, 2)]
        assert placed(settings(Allocation.PRIORITY, lines), jobs, nodes(3, 2)) == [[2], [1], [0]]

    def test_of_an_expression_that_follows_what_runs(self) -> None:
        """SPEED + .01*AMEM - 10*JOBCOUNT.

        n1: 1 + 40.96 = 41.96, n2: 2 + 20.48 = 22.48. Job 1 takes 1,024 MB: n1 has 1 + 30.72 - 10 = 21.72.
        Job 2 takes n2 and 1,024 MB: 2 + 10.24 - 10 = 2.24. Job 3 goes to n1.
        """
        function = {NodeTerm.SPEED: 1.0, NodeTerm.AMEM: 0.01, NodeTerm.JOBCOUNT: -10.0}
        lines = {"DEFAULT": NodeLine(function=function), "n2": NodeLine(speed=2.0)}
        jobs = [Job(0, LONG, 1), Job(0, LONG, 1), Job(1, LONG, 1)]
        wishes = dict.fromkeys(range(3), request(1, 1024))
        how = settings(Allocation.PRIORITY, lines)
        assert placed(how, jobs, machine((4, 4096), (4, 2048)), requests=wishes) == [[0], [1], [0]]

    @pytest.mark.parametrize(
        ("term", "first"),
        [
            (NodeTerm.CPROCS, 0),
            (NodeTerm.CMEM, 1),
            (NodeTerm.CSWAP, 1),
            (NodeTerm.CDISK, 0),
            (NodeTerm.APROCS, 1),
            (NodeTerm.AMEM, 1),
            (NodeTerm.ASWAP, 1),
            (NodeTerm.ADISK, 1),
            (NodeTerm.LOAD, 0),
            (NodeTerm.JOBCOUNT, 0),
            (NodeTerm.PRIORITY, 0),
            (NodeTerm.SPEED, 1),
        ],
    )
    def test_of_each_term(self, term: NodeTerm, first: int) -> None:
        """A job holds 6 processors and all the disk of n1; what the next one prefers."""
        kinds: list[dict[Resource, float]] = [
            {Resource.PROCESSORS: 8.0, Resource.MEMORY_KB: 1e6, Resource.SWAP_KB: 1e6, Resource.DISK_KB: 9e6},
            {Resource.PROCESSORS: 4.0, Resource.MEMORY_KB: 2e6, Resource.SWAP_KB: 2e6, Resource.DISK_KB: 8e6},
        ]
        lines = {
            "DEFAULT": NodeLine(function={term: 1.0}),
            "n1": NodeLine(priority=3, speed=0.5),
            "n2": NodeLine(priority=2),
        }
        held = Component(1, {Resource.PROCESSORS: 6.0, Resource.DISK_KB: 9e6})
        jobs = [Job(0, LONG, 6), Job(1, LONG, 1)]
        offers = Machine.of_nodes([Node(kind) for kind in kinds])
        how = settings(Allocation.PRIORITY, lines)
        found = placed(how, jobs, offers, requests={0: Request((held,))})
        assert found == [[0], [first]]


def test_maxbalance_takes_the_set_of_the_most_equal_speeds() -> None:
    lines = {f"n{k + 1}": NodeLine(speed=speed) for k, speed in enumerate([1.0, 3.0, 1.5, 2.9, 2.0])}
    # Two nodes: 2.9 and 3.0 differ by 0.1. Two more: 1.0, 1.5 and 2.0 are left, in steps of 0.5: the slowest.
    jobs = [Job(0, LONG, 4), Job(1, LONG, 4)]
    assert placed(settings(Allocation.MAXBALANCE, lines), jobs, nodes(5, 2)) == [[1, 3], [0, 2]]


def test_without_a_line_speeds_are_equal() -> None:
    for allocation in (Allocation.FASTEST, Allocation.MAXBALANCE, Allocation.PRIORITY):
        assert placed(settings(allocation), [Job(0, LONG, 3)], nodes(3, 2)) == [[0, 1]]


def test_lastavailable_takes_nodes_as_they_are_listed_where_none_is_needed_any_more() -> None:
    """Job 3 took n2 for its smaller gap; at 1,100 nothing is reserved, and what was before is forgotten."""
    replay = maui(
        [*GAPS[:3], Job(1100, 10, 1)],
        settings(Allocation.LASTAVAILABLE),
        machine=machine((4, 1024), (4, 8192)),
        requests={**GAP_WISHES, 3: request(1, 512)},
    )
    at(replay, 10)
    assert nodes_of(replay, 3) == [1]
    at(replay, 1100)
    assert nodes_of(replay, 4) == [0]


def test_an_order_of_other_settings_leaves_nothing_behind() -> None:
    """By speed n3, n2, n1; then by memory, of which all have as much: as they are numbered."""
    speeds = {f"n{k}": NodeLine(speed=float(k)) for k in (1, 2, 3)}
    replay = maui(
        [Job(0, 10, 2), Job(20, LONG, 2)], settings(Allocation.FASTEST, speeds), machine=nodes(3, 2)
    )
    t = at(replay, 0)
    assert nodes_of(replay, 1) == [2]
    parameters(t).node_allocation = Allocation.MINRESOURCE
    t.cycle.replan = 1
    at(replay, 20)
    assert nodes_of(replay, 2) == [0]


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), min_size=1, max_size=40))
def test_sorting_and_sorting_again(keys: list[tuple[int, int]]) -> None:
    t = make_tables(nodes(len(keys), 1))
    as_numbered(t)
    before, after = zip(*keys, strict=True)
    t.nodes.key[:] = before
    sort_nodes(t)
    assert t.nodes.order.tolist() == np.argsort(-np.array(before), kind="stable").tolist()
    t.nodes.key[:] = after
    resort_nodes(t)
    assert t.nodes.order.tolist() == np.argsort(-np.array(after), kind="stable").tolist()


@given(
    st.lists(st.sampled_from([-np.inf, -1e300, -7.0, -0.0, 0.0, 2.0, 9.0, np.inf]), min_size=1, max_size=12)
)
def test_few_keys_and_infinite_ones_sort_as_any(keys: list[float]) -> None:
    t = make_tables(Machine.uniform(len(keys), 1), rows=1)
    as_numbered(t)
    t.nodes.key[:] = keys
    sort_nodes(t)
    assert t.nodes.order.tolist() == np.argsort(-np.array(keys), kind="stable").tolist()
