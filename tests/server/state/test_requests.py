"""What a job asks for, in each way to say it, as tasks and what each takes of its node."""

from typing import Any

import pytest

from molokini.model.job_specs import Resources
from molokini.model.resources import Resource
from molokini.server.state.requests import request_of
from tests.kit.live import live, nodes

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
