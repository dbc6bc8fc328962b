"""Real jobs that stand still: all processes, those that are made meanwhile too, and what ends them then."""

import asyncio
import json
import os
import time
from functools import partial
from pathlib import Path

import pytest

from molokini.proto.v1.agent_service_pb2 import Order, Report
from molokini.supervisor.records import CONTROL
from tests.kit.real_jobs import RealNode, gone, launch, real_node, rules, until
from tests.kit.waiting import state

BOTH = pytest.mark.parametrize("grouped", [True, False], ids=["control group", "descendants"])


async def test_a_suspended_job_stands_still_and_its_limit_too(each_node: RealNode, tmp_path: Path) -> None:
    # No shell: one that waits for a child which is to begin, and is stopped, does not count as stopped.
    text = "import time\nwhile True: print('x', flush=True), time.sleep(0.01)"
    each_node.launch(launch(1, "python3", "-c", text, folder=tmp_path, limit_s=3.0))
    out = tmp_path / "molokini-1.out"
    await until(lambda: out.exists() and out.stat().st_size > 4)
    each_node.order(1, Order.SUSPEND)
    pid = await each_node.pid(1)
    await until(lambda: _stopped(pid, each_node.groups.get("freezer", "")))
    before = out.stat().st_size
    await until(lambda: _passed(out, 3.2))
    assert out.stat().st_size == before
    assert each_node.reports == []
    each_node.order(1, Order.RESUME)
    assert (await each_node.report(1)).timed_out
    assert out.stat().st_size > before


async def test_a_supervisor_killed_while_its_job_is_suspended(each_node: RealNode, tmp_path: Path) -> None:
    """What stands still does not die before it goes on."""
    each_node.launch(launch(1, "sh", "-c", "setsid sleep 1000 & exec sleep 1001", folder=tmp_path))
    pid = await each_node.pid(1)
    await until(lambda: len(each_node.tree("1-1").pids()) == 2)
    all_of_them = each_node.tree("1-1").pids()
    each_node.order(1, Order.SUSPEND)
    await until(lambda: _stopped(pid, each_node.groups.get("freezer", "")))
    each_node.kill_supervisor()
    report = await each_node.report(1)
    assert report.reason == "its supervisor was killed, so its processes were ended"
    await gone(all_of_them)
    assert not [path for path in each_node.groups.values() if Path(path, "1-1").exists()]


async def test_a_job_that_makes_processes_all_the_time_stands_still(tmp_path: Path) -> None:
    async with real_node(tmp_path / "spool", rules(most_processes=400)) as node:
        if "freezer" not in node.groups:
            pytest.skip("no control group of a freezer can be written")
        node.welcome()
        text = "while :; do (sleep 0.05; echo x >> made) & sleep 0.001; done"
        node.launch(launch(1, "sh", "-c", text, folder=tmp_path))
        await until(lambda: (tmp_path / "made").exists() and len(node.tree("1-1").pids()) > 10)
        freezer = Path(node.groups["freezer"], "1-1")
        for _ in range(5):
            node.order(1, Order.SUSPEND)
            # Nothing computes any more. Where the kernel overlooks a process that waits for its child by
            # vfork while the group freezes, it does not say FROZEN.
            await until(lambda: _passed(tmp_path / "made", 0.5))
            before = set(node.tree("1-1").pids())
            assert set(map(int, (freezer / "cgroup.procs").read_text().split())) == before
            size = (tmp_path / "made").stat().st_size
            await until(lambda: _passed(tmp_path / "made", 1.0))
            assert (set(node.tree("1-1").pids()), (tmp_path / "made").stat().st_size) == (before, size)
            node.order(1, Order.RESUME)
            await until(partial(_longer, tmp_path / "made", size))
        assert (await node.killed(1)).kind == Report.KILLED


async def test_orders_before_a_supervisor_listens_are_heard_in_their_order(
    each_node: RealNode, tmp_path: Path
) -> None:
    """Of many rates the last one counts."""
    each_node.launch(launch(1, "sleep", "1000", folder=tmp_path))
    await each_node.pid(1)
    control = each_node.spool.path("1-1") / CONTROL
    aside = control.rename(control.with_name("aside"))
    rates = [0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2, 0.1]
    for rate in rates:
        each_node.order(1, Order.SET_RATE, rate=rate)
        await asyncio.sleep(0.003)
    os.mkfifo(control)
    with open(os.open(control, os.O_RDWR | os.O_NONBLOCK), "rb", buffering=0) as heard:
        found = b""
        while found.count(b"\n") < len(rates):
            await until(lambda: each_node.unread("1-1") > 0)
            found += heard.read()
    assert [json.loads(line)["rate"] for line in found.splitlines()] == rates
    aside.rename(control)
    assert (await each_node.killed(1)).kind == Report.KILLED


def _stopped(pid: int, freezer: str) -> bool:
    if freezer:
        return Path(freezer, "1-1", "freezer.state").read_text() == "FROZEN\n"
    return state(pid) == "T"


def _longer(out: Path, size: int) -> bool:
    return out.stat().st_size > size


def _passed(out: Path, seconds: float) -> bool:
    """Whether nothing has been written for so long."""
    return time.time() - out.stat().st_mtime >= seconds
