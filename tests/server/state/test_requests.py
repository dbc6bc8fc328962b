"""What a job asks for, in each way to say it, as tasks and what each takes of its node."""

import re
from typing import Any

import pytest

from molokini.model.errors import MolokiniError
from molokini.model.job_specs import Resources
from molokini.model.resources import Resource
from molokini.server.state.requests import request_of
from tests.kit.live import live, nodes
from tests.kit.live_picture import assert_kept

MACHINE = [
    nodes("a[1-4]", 4, memory_kb=1000, generic={"gpu": 2}, features=["fast"], cluster="east"),
    nodes("b[1-4]", 4, memory_kb=1000, cluster="west"),
]
ONE: dict[Resource, float] = {Resource.PROCESSORS: 1.0}
MORE = {Resource.MEMORY_KB: 10.0, Resource.GENERIC_0: 1.0}
"""Memory is asked for by processor, generic resources by task."""


@pytest.mark.parametrize(
    ("asked", "components"),
    [
        ({"processors": 6}, [(6, 0, ONE)]),
        ({"nodes": 2}, [(2, 1, ONE)]),
        ({"nodes": 2, "processors_per_node": 3}, [(2, 1, {Resource.PROCESSORS: 3.0})]),
        ({"nodes": 2, "processors_per_node": 3, "processors": 6}, [(2, 1, {Resource.PROCESSORS: 3.0})]),
        ({"nodes": 3, "processors": 6}, [(3, 1, {Resource.PROCESSORS: 2.0})]),
        ({"processors": 6, "processors_per_node": 2}, [(3, 1, {Resource.PROCESSORS: 2.0})]),
        ({"processors_per_node": 3}, [(1, 1, {Resource.PROCESSORS: 3.0})]),
        ({"processors": 6, "memory_kb": 10, "generic": {"gpu": 1}}, [(6, 0, {**ONE, **MORE})]),
        (
            {"nodes": 2, "processors_per_node": 3, "memory_kb": 10, "generic": {"gpu": 1}},
            [(2, 1, {**MORE, Resource.PROCESSORS: 3.0, Resource.MEMORY_KB: 30.0})],
        ),
        ({"processors": 6, "memory_kb": 0, "generic": {"gpu": 0}}, [(6, 0, ONE)]),
        (
            {"components": [3, 2], "request": "UNORDERED", "memory_kb": 10, "generic": {"gpu": 1}},
            [(3, 0, {**ONE, **MORE}), (2, 0, {**ONE, **MORE})],
        ),
    ],
    ids=str,
)
async def test_each_way_to_ask(asked: Resources, components: list[Any]) -> None:
    async with live("firstfit", MACHINE) as story:
        for features, bits in ([], 0), (["fast"], 1):
            found = request_of({**asked, "features": features}, 4, story.state.machine)
            made = [(one.tasks, one.tasks_per_node, dict(one.need)) for one in found.components]
            assert made == components
            assert {one.features for one in found.components} == {4 | bits}
            assert found.processors == sum(n * int(need[Resource.PROCESSORS]) for n, _, need in components)


async def test_a_job_does_not_take_what_one_before_it_in_the_same_row_asked_for() -> None:
    """The one graphics processor and all of the memory are left to the last."""
    machine = [nodes("a1", 4, memory_kb=1000, generic={"gpu": 1})]
    async with live("firstfit", machine) as story:
        first = await story.submit(processors_per_node=1, memory_kb=500, generic={"gpu": 1}, run_s=10.0)
        await story.advance(10.0)
        assert story.status(first) == "completed"
        modest = await story.submit(processors_per_node=1, run_s=100.0)
        last = await story.submit(processors_per_node=1, memory_kb=1000, generic={"gpu": 1}, run_s=10.0)
        assert [story.status(job) for job in (modest, last)] == ["running", "running"]


FEATURED = [
    nodes("a[1-2]", 4, features=["fast", "amd"]),
    nodes("b[1-2]", 4, features=["fast", "intel"]),
    nodes("c[1-2]", 4, features=["slow", "intel"]),
]


@pytest.mark.parametrize(
    ("constraint", "components"),
    [
        # Tasks, all features, one of each of these, one that all share.
        ("fast", [(4, ["fast"], [], [])]),
        ("fast&intel", [(4, ["fast", "intel"], [], [])]),
        ("amd|slow", [(4, [], [["amd", "slow"]], [])]),
        ("[fast|slow]&intel", [(4, ["intel"], [], ["fast", "slow"])]),
        ("amd*1", [(1, ["amd"], [], []), (3, [], [], [])]),
        ("amd*9", [(4, ["amd"], [], [])]),
        (
            "fast&amd*1&slow*2",
            [(1, ["amd", "fast"], [], []), (2, ["fast", "slow"], [], []), (1, ["fast"], [], [])],
        ),
    ],
)
async def test_a_constraint(
    constraint: str, components: list[tuple[int, list[str], list[list[str]], list[str]]]
) -> None:
    async with live("fcfs", FEATURED) as story:
        machine = story.state.machine

        def bits(names: list[str]) -> int:
            return sum(machine.feature(name) for name in names)

        found = request_of({"nodes": 4, "constraint": constraint}, 0, machine).components
        assert [(one.tasks, one.features, one.any_of, one.one_of) for one in found] == [
            (tasks, bits(features), tuple(map(bits, any_of)), bits(one_of))
            for tasks, features, any_of, one_of in components
        ]
        assert all(one.apart for one in found) == ("*" in constraint)


@pytest.mark.parametrize(
    ("asked", "why"),
    [
        ({"nodes": 2, "constraint": "amd*2&slow*1"}, "no more than the job's 2 nodes"),
        ({"processors": 2, "constraint": "amd*2"}, "only where nodes are asked for"),
        ({"nodes": 2, "constraint": "amd|odd"}, "no feature named 'odd'"),
        ({"nodes": 2, "constraint": "(amd"}, "balanced"),
        ({"components": [1, 1], "constraint": "amd"}, "unset where components or request is set"),
        ({"nodes": 20, "constraint": "&".join(["amd*1"] * 17)}, "at most 15 numbers of nodes"),
    ],
)
async def test_what_is_no_constraint(asked: Resources, why: str) -> None:
    async with live("fcfs", FEATURED) as story:
        with pytest.raises(MolokiniError, match=re.escape(why)):
            request_of(asked, 0, story.state.machine)


@pytest.mark.usefixtures("interpreted")
async def test_jobs_with_constraints_come_back_from_the_journal() -> None:
    async with live("easy", FEATURED) as story:
        for constraint in ("[amd|slow]", "amd*1&slow*1", "amd|slow", "(fast&intel)|amd"):
            await story.submit(nodes=2, processors_per_node=3, run_s=10.0, constraint=constraint)
        await assert_kept(story, by_snapshot=True)
        names = [
            [story.state.machine.nodes[number].name for number, _ in story.run(k).nodes] for k in (1, 2, 3)
        ]
        assert names == [["a1", "a2"], [], ["c1", "c2"]]
        await story.advance(15.0)
        await assert_kept(story, by_snapshot=True)
        assert [story.state.machine.nodes[number].name for number, _ in story.run(2).nodes] == ["a1", "c1"]
        await story.advance(100.0)
        assert [story.status(k) for k in (1, 2, 3, 4)] == ["completed"] * 4
