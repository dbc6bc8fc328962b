"""What is told of the cluster: of all of it, of each node and of each queue, in whole messages."""

from pathlib import Path
from typing import Any

from molokini.client.client import Client
from molokini.proto.v1 import cluster_service_pb2 as wire
from molokini.proto.v1.jobs_pb2 import NodeSlices
from molokini.server.security.roles import Role
from tests.kit.live import nodes
from tests.kit.serving import served
from tests.kit.waiting import eventually

ROOT = ("root", Role.ADMINISTRATOR)
MACHINE = [
    nodes("a[1-2]", 8, memory_kb=1000, generic={"gpu": 2}, features=["fast"], cluster="east"),
    nodes("b[1-2]", 4, cluster="west"),
]


def plain(one: Any) -> dict[str, Any]:
    made = {field.name: getattr(one, field.name) for field, _ in one.ListFields()}
    return {name: _value(value) for name, value in made.items()}


def _value(value: Any) -> Any:
    if isinstance(value, int | float | str):
        return value
    return dict(value) if hasattr(value, "keys") else list(value)


async def asked(client: Client, method: str, request: Any) -> Any:
    return await client._caller.call(getattr(client._cluster_service, method), request)


async def test_all_of_it_is_told_as_it_is(tmp_path: Path) -> None:
    async with served(tmp_path, offers=MACHINE) as one, one.client() as ann, one.client(*ROOT) as root:
        await root.set_queue("night", max_running_per_user=1)
        await root.submit(processors=3, memory_kb=100, generic={"gpu": 1}, estimate_s=100, features=["fast"])
        await ann.submit(processors=8, estimate_s=100, queue="night", outcome={"run_s": 100.0})
        await ann.submit(processors=1, estimate_s=100, queue="night")
        await ann.submit(processors=2, estimate_s=100, outcome={"run_s": 20.0})
        await root.submit(estimate_s=100, held=True)
        stopped = await ann.submit(processors=1, estimate_s=100)
        await ann.submit(processors=20, estimate_s=100)
        await root.suspend([stopped])
        await root.advance(50)
        await root.drain(["b2"], "tired")
        await root.down(["b1"])
        found = await asked(ann, "GetCluster", wire.GetClusterRequest())
        assert plain(found) == {
            "name": "molokini",
            "array_elements": 100_000,
            "version": one.core.settings.release,
            "processors": 24,
            "processors_up": 20,
            # Of eight on each a, eight and three are used; b2 is empty.
            "processors_free": 9,
            "nodes": 4,
            "nodes_up": 2,
            "jobs_held": 2,
            "jobs_waiting": 1,
            "jobs_running": 2,
            "jobs_suspended": 1,
            "jobs_ended": 1,
            "sequence": one.core.state.serial,
            "epoch": 1,
        }
        east = {
            "state": wire.UP,
            "processors": 8,
            "memory_kb": 1000,
            "features": ["fast"],
            "generic": {"gpu": 2},
            "job_ids": [1, 2],
            "agent": "emulated",
            "cluster": "east",
        }
        west = {"processors": 4, "agent": "emulated", "cluster": "west"}
        assert [plain(node) async for node in ann.nodes()] == [
            {**east, "name": "a1", "processors_used": 8, "memory_used_kb": 200, "generic_used": {"gpu": 2}},
            {**east, "name": "a2", "processors_used": 3, "memory_used_kb": 100, "generic_used": {"gpu": 1}},
            {**west, "name": "b1", "state": wire.DOWN},
            {**west, "name": "b2", "state": wire.DRAINING, "reason": "tired"},
        ]
        queue = {"enabled": True, "started": True, "default_estimate_s": 3600.0, "default_processors": 1}
        assert [plain(each) for each in await ann.queues()] == [
            {**queue, "name": "default", "jobs_held": 1, "jobs_waiting": 1, "jobs_running": 1},
            {**queue, "name": "night", "max_running_per_user": 1, "jobs_held": 1, "jobs_running": 1},
        ]


async def test_nodes_come_in_pages_by_state_and_by_name(tmp_path: Path) -> None:
    async with served(tmp_path, offers=MACHINE) as one, one.client(*ROOT) as root:
        await root.drain(["a1", "b2"], "tired")

        async def page(**more: Any) -> tuple[list[str], str]:
            found = await asked(root, "ListNodes", wire.ListNodesRequest(**more))
            return [node.name for node in found.nodes], found.next_page_token

        assert await page(page_size=3) == (["a1", "a2", "b1"], "3")
        assert await page(page_size=3, page_token="3") == (["b2"], "")
        assert await page(page_size=4) == (["a1", "a2", "b1", "b2"], "")
        assert await page(page_size=1, states=[wire.DRAINING]) == (["a1"], "3")
        assert await page(page_size=1, states=[wire.DRAINING], page_token="3") == (["b2"], "")
        assert await page(names=["b[1-2]", "a1"], states=[wire.UP, wire.DRAINING]) == (["b1", "b2", "a1"], "")


async def test_nodes_whose_memory_is_no_bound_are_told_apart(tmp_path: Path) -> None:
    offers = [nodes("a[1-2]", memory_not_enforced=True), nodes("b1", memory_kb=1000)]
    async with served(tmp_path, offers=offers) as one, one.client() as ann:
        # Nodes join before the session is there, which knows this of them.
        await eventually(lambda: bool(one.core.hub.sessions))
        assert [node.memory_not_enforced async for node in ann.nodes()] == [True, True, False]


async def test_what_nodes_keep_of_slices_is_in_their_record(tmp_path: Path) -> None:
    kept = NodeSlices(
        mechanisms=["signals", "deadline"], measured=True, least_period_s=0.02, usable_share=0.8
    )
    offers = [nodes("a1", real=True, slices=kept), nodes("b1", slices=kept)]
    async with served(tmp_path, offers=offers) as one, one.client() as ann:
        await eventually(lambda: bool(one.core.hub.sessions))
        real, emulated = [node async for node in ann.nodes()]
    assert real.slices == kept
    assert not emulated.HasField("slices")
