"""Supervisors that keep one attempt after the other, and what a supervisor's end makes of that."""

import os
import signal
from pathlib import Path

from molokini.proto.v1.agent_service_pb2 import Order, Report
from molokini.proto.v1.jobs_pb2 import Slicing
from molokini.supervisor.trees import alive
from tests.kit.real_jobs import RealNode, at_work, gone, launch, real_node, until


async def _kept_by(node: RealNode, number: int) -> int:
    """The supervisor of a job that runs."""
    await node.pid(number)
    supervisor = node.spool.supervisor(f"{number}-1")
    assert supervisor
    return supervisor


def _waits(node: RealNode, number: int, folder: Path) -> None:
    """A job that ends when it is told to."""
    text = f"while [ ! -e end{number} ]; do sleep 0.01; done; exit {number}"
    node.launch(launch(number, "sh", "-c", text, folder=folder))


async def test_a_supervisor_whose_job_has_ended_keeps_the_next(node: RealNode, tmp_path: Path) -> None:
    """With nothing of the one before: no open file, no process."""
    supervisors, files = set(), set()
    for number in range(1, 6):
        _waits(node, number, tmp_path)
        supervisor = await _kept_by(node, number)
        supervisors.add(supervisor)
        files.add(len(os.listdir(f"/proc/{supervisor}/fd")))
        (tmp_path / f"end{number}").touch()
        report = await node.report(number)
        assert (report.kind, report.exit_code) == (Report.ENDED, number)
        assert node.spool.supervisor(f"{number}-1") is None
    assert (len(supervisors), len(files)) == (1, 1)
    await gone(list(supervisors))


async def test_a_supervisor_killed_between_two_jobs_is_replaced(node: RealNode, tmp_path: Path) -> None:
    _waits(node, 1, tmp_path)
    supervisor = await _kept_by(node, 1)
    (tmp_path / "end1").touch()
    await node.report(1)
    os.kill(supervisor, signal.SIGKILL)
    await gone([supervisor])
    _waits(node, 2, tmp_path)
    assert await _kept_by(node, 2) != supervisor
    (tmp_path / "end2").touch()
    assert (await node.report(2)).exit_code == 2


async def test_a_supervisor_killed_in_its_second_job_ends_it_alone(node: RealNode, tmp_path: Path) -> None:
    _waits(node, 1, tmp_path)
    supervisor = await _kept_by(node, 1)
    (tmp_path / "end1").touch()
    assert (await node.report(1)).exit_code == 1
    _waits(node, 2, tmp_path)
    assert await _kept_by(node, 2) == supervisor
    _waits(node, 3, tmp_path)
    other = await _kept_by(node, 3)
    assert other != supervisor
    os.kill(supervisor, signal.SIGKILL)
    assert (await node.report(2)).reason == "its supervisor was killed, so its processes were ended"
    (tmp_path / "end3").touch()
    assert (await node.report(3)).exit_code == 3


async def test_a_supervisor_of_a_sliced_job_keeps_no_other(node: RealNode, tmp_path: Path) -> None:
    """The slicer goes by its number until the agent has heard of the end."""
    _waits(node, 1, tmp_path)
    supervisor = await _kept_by(node, 1)
    node.order(1, Order.SLICE, slicing=Slicing(period_s=0.05, slice_s=0.025))
    await until(lambda: (node.spool.path("1-1") / "state").exists())
    (tmp_path / "end1").touch()
    await node.report(1)
    await gone([supervisor])


async def test_supervisors_go_on_without_agent_and_spawner_and_then_end(tmp_path: Path) -> None:
    async with at_work(tmp_path / "spool") as node:
        _waits(node, 1, tmp_path)
        supervisor = await _kept_by(node, 1)
    assert alive(supervisor)
    (tmp_path / "end1").touch()
    await gone([supervisor])
    async with real_node(tmp_path / "spool") as node:
        node.welcome(launch(1, "sh", "-c", "exit 9", folder=tmp_path))
        assert (await node.report(1)).exit_code == 1
