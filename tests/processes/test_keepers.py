"""Keepers that keep one attempt after the other, and what a keeper's end makes of that."""

import os
import signal
from pathlib import Path

from molokini.keeper.trees import alive
from molokini.proto.v1.agent_service_pb2 import Order, Report
from molokini.proto.v1.jobs_pb2 import Slicing
from tests.kit.real_jobs import RealNode, gone, launch, real_node, until


async def _kept_by(node: RealNode, number: int) -> int:
    """The keeper of a job that runs."""
    await node.pid(number)
    keeper = node.spool.keeper(f"{number}-1")
    assert keeper
    return keeper


def _waits(node: RealNode, number: int, folder: Path) -> None:
    """A job that ends when it is told to."""
    text = f"while [ ! -e end{number} ]; do sleep 0.01; done; exit {number}"
    node.launch(launch(number, "sh", "-c", text, folder=folder))


async def test_a_keeper_whose_job_has_ended_keeps_the_next(tmp_path: Path) -> None:
    """With nothing of the one before: no open file, no process."""
    async with real_node(tmp_path / "spool") as node:
        node.welcome()
        keepers, files = set(), set()
        for number in range(1, 6):
            _waits(node, number, tmp_path)
            keeper = await _kept_by(node, number)
            keepers.add(keeper)
            files.add(len(os.listdir(f"/proc/{keeper}/fd")))
            (tmp_path / f"end{number}").touch()
            report = await node.report(number)
            assert (report.kind, report.exit_code) == (Report.ENDED, number)
            assert node.spool.keeper(f"{number}-1") is None
        assert (len(keepers), len(files)) == (1, 1)
        await gone(list(keepers))


async def test_a_keeper_that_was_killed_between_two_jobs_is_replaced(tmp_path: Path) -> None:
    async with real_node(tmp_path / "spool") as node:
        node.welcome()
        _waits(node, 1, tmp_path)
        keeper = await _kept_by(node, 1)
        (tmp_path / "end1").touch()
        await node.report(1)
        os.kill(keeper, signal.SIGKILL)
        await gone([keeper])
        _waits(node, 2, tmp_path)
        assert await _kept_by(node, 2) != keeper
        (tmp_path / "end2").touch()
        assert (await node.report(2)).exit_code == 2


async def test_a_keeper_that_is_killed_in_its_second_job_takes_that_one_alone(tmp_path: Path) -> None:
    async with real_node(tmp_path / "spool") as node:
        node.welcome()
        _waits(node, 1, tmp_path)
        keeper = await _kept_by(node, 1)
        (tmp_path / "end1").touch()
        assert (await node.report(1)).exit_code == 1
        _waits(node, 2, tmp_path)
        assert await _kept_by(node, 2) == keeper
        _waits(node, 3, tmp_path)
        other = await _kept_by(node, 3)
        assert other != keeper
        os.kill(keeper, signal.SIGKILL)
        assert (await node.report(2)).reason == "its keeper was killed, so its processes were ended"
        (tmp_path / "end3").touch()
        assert (await node.report(3)).exit_code == 3


async def test_a_keeper_of_a_sliced_job_keeps_no_other(tmp_path: Path) -> None:
    """The slicer goes by its number until the agent has heard of the end."""
    async with real_node(tmp_path / "spool") as node:
        node.welcome()
        _waits(node, 1, tmp_path)
        keeper = await _kept_by(node, 1)
        node.order(1, Order.SLICE, slicing=Slicing(period_s=0.05, slice_s=0.025))
        await until(lambda: (node.spool.path("1-1") / "state").exists())
        (tmp_path / "end1").touch()
        await node.report(1)
        await gone([keeper])


async def test_keepers_go_on_without_agent_and_spawner_and_then_end(tmp_path: Path) -> None:
    async with real_node(tmp_path / "spool") as node:
        node.welcome()
        _waits(node, 1, tmp_path)
        keeper = await _kept_by(node, 1)
    assert alive(keeper)
    (tmp_path / "end1").touch()
    await gone([keeper])
    async with real_node(tmp_path / "spool") as node:
        node.welcome(launch(1, "sh", "-c", "exit 9", folder=tmp_path))
        assert (await node.report(1)).exit_code == 1
