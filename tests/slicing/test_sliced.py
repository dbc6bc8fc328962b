"""Sliced jobs with real processes: what is ordered comes about, and nothing stands still that should not."""

import asyncio
import os
import signal
import time
from pathlib import Path
from typing import Any

import pytest

from molokini.model.slicing import Slicing
from molokini.processes.launch_records import Rules, wish_of
from molokini.proto.v1 import jobs_pb2
from molokini.proto.v1.agent_service_pb2 import Order, Report
from molokini.proto.v1.jobs_pb2 import Sliced
from molokini.supervisor.trees import alive
from tests.kit.real_jobs import RealNode, at_work, gone, launch, real_node, rules, until
from tests.kit.waiting import DEADLINE_S, state

pytestmark = pytest.mark.waits

BOTH = pytest.mark.parametrize("grouped", [True, False], ids=["control group", "descendants"])
SPIN = ("python3", "-c", "while True: pass")


def said(grouped: bool, **more: Any) -> Rules:
    return rules(**more) if grouped else rules(groups={}, **more)


def wired(ordered: Slicing) -> jobs_pb2.Slicing:
    return jobs_pb2.Slicing(**ordered.as_json())


def slice_job(node: RealNode, number: int, ordered: Slicing | None) -> None:
    """Order it, or that the job computes all the time again."""
    if ordered is None:
        node.order(number, Order.SLICE, rate=1.0)
    else:
        node.order(number, Order.SLICE, rate=ordered.share, slicing=wired(ordered))


def standing() -> Slicing:
    """Rows in which a job stands still from now on, for longer than any test takes."""
    return Slicing(rows=2, row=(1,), quantum_s=3600.0, origin_s=time.monotonic() - 1.0)


def computed(pid: int) -> int:
    """Nanoseconds for which the process has had a processor."""
    return int(Path(f"/proc/{pid}/schedstat").read_text().split()[0])


def stopped(pid: int) -> bool:
    return state(pid) == "T"


def still(pid: int) -> bool:
    """Stopped, or a shell that waits for a child which is stopped before it has become a program."""
    return state(pid) in "TD"


def sliced(node: RealNode, number: int) -> Sliced:
    """What was achieved for it so far."""
    found = [one.sliced for one in node.sliced if one.attempt.job_id == number]
    return found[-1] if found else Sliced()


def sliced_trouble(node: RealNode) -> str:
    """What the slicer could not do."""
    return next((one.sliced.trouble for one in node.sliced if one.sliced.trouble), "")


@pytest.mark.quick(one_in=2)
@BOTH
async def test_a_period_with_its_slice(tmp_path: Path, grouped: bool) -> None:
    """The slicer's own record and the time of the processor agree with what was ordered.

    How exactly is the business of ``benchmarks/slicing.py``: here other tests share the processors.
    """
    async with at_work(tmp_path / "spool", said(grouped)) as node:
        node.launch(launch(1, *SPIN, folder=tmp_path))
        pid = await node.pid(1)
        slice_job(node, 1, Slicing(period_s=0.1, slice_s=0.025))
        await until(lambda: sliced(node, 1).periods >= 20)
        found = sliced(node, 1)
        assert found.on_s / found.elapsed_s == pytest.approx(0.25, abs=0.1)
        assert 0 < found.ran_s <= found.on_s
        assert found.elapsed_s / found.periods == pytest.approx(0.1, rel=0.1)
        assert len(found.late_s) == len(found.jitter_s) == 3
        told = len(node.sliced)
        slice_job(node, 1, None)
        await until(lambda: len(node.sliced) > told)
        assert not stopped(pid)
        assert (node.spool.path("1-1") / "state").read_bytes()[:1] == b"r"
        assert (await node.killed(1)).kind == Report.KILLED


@BOTH
async def test_all_processes_of_a_job_stand_still_and_new_ones_too(tmp_path: Path, grouped: bool) -> None:
    program = "setsid sleep 1000 & (sleep 1001 &) & while :; do sleep 0.001; done"
    async with at_work(tmp_path / "spool", said(grouped)) as node:
        node.launch(launch(1, "sh", "-c", program, folder=tmp_path))
        await node.pid(1)
        tree = node.tree("1-1")
        await until(lambda: len(tree.pids()) >= 3)
        slice_job(node, 1, standing())
        await until(lambda: all(map(still, tree.pids())))
        pids = set(tree.pids())
        await asyncio.sleep(0.1)
        assert set(tree.pids()) == pids
        assert all(map(still, pids))
        slice_job(node, 1, None)
        await until(lambda: not any(map(stopped, tree.pids())))
        await node.killed(1)


@pytest.mark.quick(one_in=5)
@BOTH
@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGSTOP])
async def test_a_killed_slicer_leaves_none_stopped(
    tmp_path: Path, grouped: bool, how: signal.Signals
) -> None:
    """Its supervisor continues the job; the agent starts another slicer, which stops it again."""
    async with at_work(tmp_path / "spool", said(grouped)) as node:
        node.launch(launch(1, *SPIN, folder=tmp_path))
        pid = await node.pid(1)
        slice_job(node, 1, standing())
        await until(lambda: stopped(pid))
        first = node.slicer
        os.kill(first, how)
        await until(lambda: not stopped(pid))
        await until(lambda: stopped(pid))
        assert node.slicer != first
        await node.killed(1)


@pytest.mark.quick(one_in=3)
@BOTH
@pytest.mark.parametrize("real_time", [False, True])
async def test_a_late_slicer_stops_what_was_continued(tmp_path: Path, grouped: bool, real_time: bool) -> None:
    """The same slicer, as after a machine that stood still for a moment: not only in the next window.

    The second time as the first.
    """
    async with at_work(tmp_path / "spool", said(grouped)) as node:
        node.launch(launch(1, *SPIN, folder=tmp_path))
        pid = await node.pid(1)
        origin_s = time.monotonic() - 1.0
        first = Slicing(period_s=3600.0, slice_s=0.01, origin_s=origin_s, real_time=True)
        slice_job(node, 1, first if real_time else standing())
        await until(lambda: stopped(pid))
        late = node.slicer
        if real_time:
            await until(lambda: os.sched_getscheduler(pid) == os.SCHED_FIFO or bool(sliced_trouble(node)))
        policy = os.sched_getscheduler(pid)
        # The agent does not look at it meanwhile, or it would start another one.
        node.executor.slicer.detach()
        for _ in range(2):
            os.kill(late, signal.SIGSTOP)
            await until(lambda: not stopped(pid))
            os.kill(late, signal.SIGCONT)
            await until(lambda: stopped(pid))
            assert node.slicer == late
        await until(lambda: os.sched_getscheduler(pid) == policy)
        await node.killed(1)


@BOTH
async def test_a_job_suspended_for_a_moment_stands_between_slices(tmp_path: Path, grouped: bool) -> None:
    """However soon it is resumed: the slicer need not have seen that it was suspended."""
    async with at_work(tmp_path / "spool", said(grouped)) as node:
        node.launch(launch(1, *SPIN, folder=tmp_path))
        pid = await node.pid(1)
        slice_job(node, 1, standing())
        await until(lambda: stopped(pid))
        before = (node.spool.path("1-1") / "state").read_bytes()
        node.order(1, Order.SUSPEND)
        node.order(1, Order.RESUME)
        await until(lambda: (node.spool.path("1-1") / "state").read_bytes() != before)
        await until(lambda: (node.spool.path("1-1") / "state").read_bytes()[:1] == b"r")
        await until(lambda: stopped(pid))
        ran = computed(pid)
        await asyncio.sleep(0.3)
        assert computed(pid) == ran
        await node.killed(1)


@BOTH
async def test_agent_and_slicer_are_killed_together(tmp_path: Path, grouped: bool) -> None:
    async with at_work(tmp_path / "spool", said(grouped)) as node:
        wanted = launch(1, *SPIN, folder=tmp_path)
        node.launch(wanted)
        pid = await node.pid(1)
        ordered = standing()
        slice_job(node, 1, ordered)
        await until(lambda: stopped(pid))
        node.executor.slicer.detach()
        os.kill(node.slicer, signal.SIGKILL)
        await until(lambda: not stopped(pid))
    async with real_node(tmp_path / "spool", said(grouped)) as node:
        # The welcome says how it is sliced, so it is again.
        wanted.slicing.CopyFrom(wired(ordered))
        node.welcome(wanted)
        await until(lambda: stopped(pid))
        await node.killed(1)


async def test_the_jobs_of_a_killed_slicer_go_on_at_once(tmp_path: Path) -> None:
    """By the end of its pipe, and not by its beat, which is over a second later."""
    took_s = []
    async with at_work(tmp_path / "spool") as node:
        node.launch(launch(1, *SPIN, folder=tmp_path))
        pid = await node.pid(1)
        slice_job(node, 1, standing())
        for _ in range(3):
            await until(lambda: node.slicer > 0 and stopped(pid))
            killed_s = time.monotonic()
            os.kill(node.slicer, signal.SIGKILL)
            while stopped(pid):
                assert time.monotonic() < killed_s + DEADLINE_S
                await asyncio.sleep(0.001)
            took_s.append(time.monotonic() - killed_s)
        await node.killed(1)
    # The quickest of three: this machine may be busy.
    assert min(took_s) < 0.1


@pytest.mark.parametrize("hangs", [False, True])
async def test_an_agent_that_ends_lets_its_jobs_go_on(tmp_path: Path, hangs: bool) -> None:
    async with at_work(tmp_path / "spool") as node:
        node.launch(launch(1, *SPIN, folder=tmp_path))
        pid = await node.pid(1)
        slice_job(node, 1, standing())
        await until(lambda: stopped(pid))
        slicer = node.slicer
        if hangs:
            os.kill(slicer, signal.SIGSTOP)
    assert not alive(slicer)
    await until(lambda: not stopped(pid))
    async with at_work(tmp_path / "spool") as node:
        await gone([pid])


@pytest.mark.quick(one_in=2)
@BOTH
async def test_a_suspended_job_is_not_continued_when_its_slicer_goes(tmp_path: Path, grouped: bool) -> None:
    """With its agent; the supervisor, which outlives both, continues jobs that are not suspended."""
    out = tmp_path / "molokini-1.out"
    async with at_work(tmp_path / "spool", said(grouped)) as node:
        node.launch(launch(1, "sh", "-c", "while :; do echo x; sleep 0.01; done", folder=tmp_path))
        pid = await node.pid(1)
        slice_job(node, 1, Slicing(period_s=0.04, slice_s=0.02))
        await until(lambda: sliced(node, 1).periods > 5)
        node.order(1, Order.SUSPEND)
        await until(lambda: (node.spool.path("1-1") / "state").read_bytes()[:1] == b"s")
        await until(lambda: time.time() - out.stat().st_mtime > 1.0)
        size, slicer = out.stat().st_size, node.slicer
    assert not alive(slicer)
    # More than a beat of the slicer, and a look of the supervisor.
    await until(lambda: time.time() - out.stat().st_mtime > 4.0)
    assert out.stat().st_size == size
    async with at_work(tmp_path / "spool", said(grouped)) as node:
        await gone([pid])


@pytest.mark.quick(one_in=2)
@BOTH
async def test_a_suspended_job_is_not_continued_by_its_slices(tmp_path: Path, grouped: bool) -> None:
    async with at_work(tmp_path / "spool", said(grouped)) as node:
        text = "while :; do echo x; sleep 0.01; done"
        node.launch(launch(1, "sh", "-c", text, folder=tmp_path))
        pid = await node.pid(1)
        out = tmp_path / "molokini-1.out"
        slice_job(node, 1, Slicing(period_s=0.04, slice_s=0.02))
        await until(lambda: sliced(node, 1).periods > 5)
        node.order(1, Order.SUSPEND)
        await until(lambda: (node.spool.path("1-1") / "state").read_bytes()[:1] == b"s")
        # The supervisor has written its letter, and stops or freezes next: then nothing is written any more.
        await until(lambda: time.time() - out.stat().st_mtime > 1.0)
        size = out.stat().st_size
        node.order(1, Order.RESUME)
        await until(lambda: out.stat().st_size > size)
        before = sliced(node, 1).periods
        await until(lambda: sliced(node, 1).periods > before + 5)
        # Sliced anew while it is suspended: it goes on when it is resumed, and not before.
        node.order(1, Order.SUSPEND)
        await until(lambda: time.time() - out.stat().st_mtime > 1.0)
        size = out.stat().st_size
        slice_job(node, 1, standing())
        slice_job(node, 1, None)
        await until(lambda: time.time() - out.stat().st_mtime > 2.0)
        assert out.stat().st_size == size
        node.order(1, Order.RESUME)
        await until(lambda: out.stat().st_size > size and not stopped(pid))
        await node.killed(1)


@BOTH
@pytest.mark.parametrize("how", ["order", "limit", "lease"])
async def test_what_is_to_end_is_continued_first(tmp_path: Path, grouped: bool, how: str) -> None:
    """It hears of its end while it stands still between its slices, and has the grace for it."""
    text = "trap 'echo warned; exit 3' TERM; echo ready; while :; do sleep 0.01; done"
    # A grace in which a shell on a busy machine comes to hear of it.
    async with at_work(tmp_path / "spool", said(grouped, grace_s=DEADLINE_S)) as node:
        node.launch(launch(1, "sh", "-c", text, folder=tmp_path, limit_s=1000.0))
        pid = await node.pid(1)
        out = tmp_path / "molokini-1.out"
        await until(lambda: out.exists() and "ready" in out.read_text())
        slice_job(node, 1, standing())
        await until(lambda: still(pid))
        if how == "lease":
            node.spool.lease.ends_s = 0.0
            node.order(1, Order.SIGNAL, signal=signal.SIGWINCH)
        elif how == "limit":
            node.order(1, Order.SET_LIMIT, limit_s=1e-6)
        else:
            node.order(1, Order.KILL)
        report = await node.report(1)
        assert ("warned" in out.read_text()) == (how != "lease")
        assert report.timed_out == (how == "limit")
        assert (report.exit_code, report.signal) == ((0, 9) if how == "lease" else (3, 0))


async def test_work_before_another_rate_counts_at_its_own_rate(node: RealNode, tmp_path: Path) -> None:
    """A limit of 1.2 s of work, of which the first second does nearly nothing."""
    node.launch(launch(1, *SPIN, folder=tmp_path, limit_s=1.2))
    await node.pid(1)
    started = node.spool.record("1-1").started
    assert started is not None
    node.order(1, Order.SET_RATE, rate=0.001)
    await until(lambda: node.unread("1-1") == 0)
    told_s = time.monotonic()
    await until(lambda: time.monotonic() >= told_s + 1.0)
    faster_s = time.monotonic()
    node.order(1, Order.SET_RATE, rate=1.0)
    assert (await node.report(1)).timed_out
    # At most the whole time before the supervisor was told, and a thousandth of the second behind it.
    done_s = told_s - started["at"] + 0.001 * (faster_s - told_s)
    assert time.monotonic() >= faster_s + 1.2 - done_s - 0.05


async def test_the_limit_counts_work_at_the_rate_of_the_slices(node: RealNode, tmp_path: Path) -> None:
    node.launch(launch(1, *SPIN, folder=tmp_path, limit_s=3.0))
    pid = await node.pid(1)
    started = node.spool.record("1-1").started
    assert started is not None
    slice_job(node, 1, Slicing(period_s=0.1, slice_s=0.025))
    # The agent tells the supervisor before the slicer stops the job for the first time.
    await until(lambda: stopped(pid) and node.unread("1-1") == 0)
    told_s = time.monotonic() - started["at"]
    report = await node.report(1)
    assert report.timed_out
    # Three seconds of work: at full speed until the supervisor was told, and then at a quarter of it.
    # Less three periods: the limit falls into a window, and windows are known a little later than the
    # rate.
    assert time.monotonic() - started["at"] > told_s + 4 * (3.0 - told_s) - 0.3


async def test_the_limit_comes_in_a_slice(tmp_path: Path) -> None:
    """By its mean rate each would have ended long before it has had its slices."""
    cycle_s, limit_s = 6.0, 1.5
    async with at_work(tmp_path / "spool", said(True)) as node:
        # Until there is a slicer they would compute all the time.
        node.launch(launch(3, "sleep", "1000", folder=tmp_path))
        slice_job(node, 3, standing())
        sleeper = await node.pid(3)
        await until(lambda: stopped(sleeper))
        origin_s = time.monotonic()
        # The one is sliced when it runs, the other from its start on; both have the second half of a cycle.
        ordered = Slicing(rows=2, row=(1,), quantum_s=cycle_s / 2, origin_s=origin_s)
        node.launch(launch(1, *SPIN, folder=tmp_path, limit_s=0.6))
        slice_job(node, 1, ordered)
        wanted = launch(2, *SPIN, folder=tmp_path, limit_s=limit_s)
        wanted.rate = 0.5
        wanted.slicing.CopyFrom(wired(ordered))
        node.launch(wanted)
        assert wish_of(wanted, node.said, "lease").rate == 1.0
        for job in (1, 2):
            report = await node.report(job)
            assert report.timed_out
        ended_s = time.monotonic() - origin_s
        assert ended_s > cycle_s / 2 + 0.3 > 2 * limit_s
        assert ended_s < cycle_s + 3.0
        await node.killed(3)


async def test_real_time_priority_while_it_is_sliced(node: RealNode, tmp_path: Path) -> None:
    node.launch(launch(1, *SPIN, folder=tmp_path))
    pid = await node.pid(1)
    slice_job(node, 1, Slicing(period_s=0.05, slice_s=0.01, real_time=True))
    await until(lambda: sliced(node, 1).periods > 5)
    if os.sched_getscheduler(pid) != os.SCHED_FIFO:
        assert any("no real-time priority" in one.sliced.trouble for one in node.sliced)
        pytest.skip("no real-time priority is to be had here")
    slice_job(node, 1, None)
    await until(lambda: os.sched_getscheduler(pid) == os.SCHED_OTHER)
    slice_job(node, 1, Slicing(period_s=0.05, slice_s=0.01, real_time=True))
    await until(lambda: os.sched_getscheduler(pid) == os.SCHED_FIFO)
    # Nor is any left when nobody slices it: the supervisor takes it away.
    node.executor.slicer.detach()
    os.kill(node.slicer, signal.SIGKILL)
    await until(lambda: os.sched_getscheduler(pid) == os.SCHED_OTHER and not stopped(pid))
    await node.killed(1)


async def test_orders_that_are_refused_are_told_of(node: RealNode, tmp_path: Path) -> None:
    node.launch(launch(1, *SPIN, folder=tmp_path))
    pid = await node.pid(1)
    slice_job(node, 7, Slicing(period_s=0.1, slice_s=0.05))
    node.order(1, Order.SLICE, attempt=2, slicing=wired(Slicing(period_s=0.1, slice_s=0.05)))
    node.order(1, Order.SLICE, slicing=wired(Slicing(period_s=0.01, slice_s=0.005)))
    node.order(1, Order.SLICE, slicing=wired(Slicing(period_s=0.1, slice_s=0.2)))
    assert [(one.attempt.job_id, one.attempt.attempt, one.sliced.trouble) for one in node.sliced] == [
        (7, 1, "this agent does not run the attempt"),
        (1, 2, "this agent does not run the attempt"),
        (1, 1, "period_s: 0.01 is not allowed; it must be from 0.02 to 86,400 seconds"),
        (1, 1, "slice_s: 0.2 is not allowed; it must be from 0.005 seconds to the whole period"),
    ]
    assert not stopped(pid)
    await node.killed(1)


@BOTH
async def test_a_job_with_a_share_gets_no_more(tmp_path: Path, grouped: bool) -> None:
    """Shares hold where there are control groups; the limit counts work at their rate everywhere."""
    async with at_work(tmp_path / "spool", said(grouped)) as node:
        wanted = launch(1, *SPIN, folder=tmp_path, limit_s=0.5)
        wanted.rate = 0.25
        node.launch(wanted)
        node.launch(launch(2, *SPIN, folder=tmp_path, limit_s=0.5))
        await node.pid(2)
        node.order(2, Order.SET_RATE, rate=0.25)
        began = time.monotonic()
        for number in (1, 2):
            report = await node.report(number)
            assert report.timed_out
            if "cpu" in node.groups or "unified" in node.groups:
                # The second one had its processor for itself until the order came.
                assert report.cpu_s < 0.35 * (time.monotonic() - began) + 0.5
        assert time.monotonic() - began > 1.0


async def test_rates_of_shares_that_change(tmp_path: Path) -> None:
    async with real_node(tmp_path / "spool") as node:
        if "cpu" not in node.groups:
            pytest.skip("no control group of version 1 for processors can be written")
        node.welcome()
        node.launch(launch(1, "sh", "-c", "sleep 1000 & sleep 1001", folder=tmp_path))
        await node.pid(1)
        tree = node.tree("1-1")
        await until(lambda: len(tree.pids()) == 3)
        group = Path(node.groups["cpu"]) / "1-1"
        for rate, quota in ((0.5, 50_000), (0.333, 33_300), (1.0, -1), (0.001, 1_000)):
            node.order(1, Order.SET_RATE, rate=rate)
            quotas = group / "cpu.cfs_quota_us"
            await until(lambda q=quotas, w=quota: q.exists() and int(q.read_text()) == w)  # type: ignore[misc]
        await until(lambda: len((group / "cgroup.procs").read_text().split()) == 3)
        await node.killed(1)
        assert not group.exists()
