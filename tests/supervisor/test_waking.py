"""Cores that are kept from sleeping while a job is held at a rate, or reports what its full rate is."""

import os
import struct
import sys
from pathlib import Path

import pytest

from molokini.model.slicing import Slicing
from molokini.supervisor.waking import DEVICE, Waking
from tests.kit.real_jobs import at_work, launch, real_node, rules, until
from tests.slicing.test_sliced import SPIN, slice_job

REPORTS = """import os, socket, struct, time
to = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
said = struct.pack("<3qd", int(os.environ["MOLOKINI_JOB_ID"]), 1, time.monotonic_ns(), 1.0)
to.sendto(said, os.environ["MOLOKINI_RATE_SOCKET"])
time.sleep(1000)"""
can_write = pytest.mark.skipif(not os.access(DEVICE, os.W_OK), reason=f"{DEVICE} cannot be written here")


def test_it_is_asked_for_while_a_job_needs_it(tmp_path: Path) -> None:
    """Four bytes, the latency that is allowed."""
    device = tmp_path / "latency"
    device.write_bytes(b"")
    waking = Waking(str(device))
    assert waking.need("1-1") == waking.need("2-1") == waking.need("1-1") == ""
    assert device.read_bytes() == struct.pack("=i", 0)
    waking.over("1-1")
    waking.over("3-1")
    assert held(str(device)) == 1
    waking.over("2-1")
    assert held(str(device)) == 0


def test_why_it_cannot_be_is_said_once_while_jobs_need_it(tmp_path: Path) -> None:
    waking = Waking(str(tmp_path / "none"))
    for _ in range(2):
        assert waking.need("1-1") == f"{tmp_path / 'none'}: No such file or directory"
        assert waking.need("2-1") == ""
        waking.over("1-1")
        waking.over("2-1")


@pytest.mark.waits
@can_write
async def test_an_agent_asks_for_it_for_jobs_by_deadline(tmp_path: Path) -> None:
    """Jobs on a grid, as rows of a gang are, leave cores to sleep."""
    async with at_work(tmp_path / "spool") as node:
        for number in (1, 2):
            node.launch(launch(number, *SPIN, folder=tmp_path))
            await node.pid(number)
        slice_job(node, 1, Slicing(period_s=0.2, slice_s=0.05))
        await until(lambda: bool(node.slicer))
        assert held(DEVICE) == 0
        slice_job(node, 2, Slicing(period_s=0.2, slice_s=0.05, by_deadline=True))
        await until(lambda: held(DEVICE) == 1)
        await node.killed(2)
        await until(lambda: held(DEVICE) == 0)
        await node.killed(1)


@pytest.mark.waits
@can_write
@pytest.mark.parametrize("may_sleep", [False, True])
async def test_an_agent_asks_for_it_for_jobs_that_report(tmp_path: Path, may_sleep: bool) -> None:
    """What they do alone is measured as what they do under a target."""
    async with real_node(tmp_path / "spool", rules(may_sleep=may_sleep)) as node:
        node.welcome()
        node.launch(launch(1, sys.executable, "-c", REPORTS, folder=tmp_path))
        await until(lambda: bool(node.rated))
        assert held(DEVICE) == (not may_sleep)
        await node.killed(1)
        await until(lambda: held(DEVICE) == 0)


def held(path: str) -> int:
    """How many descriptors of this process, where the agent is, are of this file."""
    found = 0
    for one in Path("/proc/self/fd").iterdir():
        try:
            found += os.readlink(one) == path
        except FileNotFoundError:
            # The one of this listing.
            continue
    return found
