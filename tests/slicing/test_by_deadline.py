"""Jobs that share cores by deadline, with real processes: their slicer goes, or quotas take its place."""

import os
import signal
from pathlib import Path

import pytest

from molokini.model.slicing import Slicing
from molokini.server.translate import slicing_to_wire
from tests.kit.real_jobs import at_work, launch, real_node, rules, until
from tests.slicing.test_sliced import SPIN, computed, slice_job, stopped

pytestmark = pytest.mark.waits


@pytest.mark.quick(one_in=2)
@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGSTOP], ids=["killed", "hangs"])
async def test_jobs_by_deadline_go_on_without_their_slicer(tmp_path: Path, how: signal.Signals) -> None:
    """All that share a core: none is left stopped, and the next slicer gives them the same pairs."""
    pair = Slicing(period_s=3600.0, slice_s=0.001, by_deadline=True)
    async with at_work(tmp_path / "spool") as node:
        for number in (1, 2):
            node.launch(launch(number, *SPIN, folder=tmp_path))
        pids = [await node.pid(number) for number in (1, 2)]
        for number in (1, 2):
            slice_job(node, number, pair)
        await until(lambda: all(map(stopped, pids)))
        first = node.slicer
        os.kill(first, how)
        # Each goes on; the slicer that is started next gives it a slice, and then stops it.
        went = {pid: computed(pid) for pid in pids}
        await until(lambda: all(computed(pid) > before for pid, before in went.items()))
        await until(lambda: node.slicer not in (0, first) and all(map(stopped, pids)))
        for number in (1, 2):
            await node.killed(number)


async def test_a_restarted_agent_keeps_the_slices_of_its_jobs_or_continues_them(tmp_path: Path) -> None:
    """Agent and slicer are killed: all go on; of two the welcome says the pair again, of one none."""
    pair = Slicing(period_s=3600.0, slice_s=0.001, by_deadline=True)
    launches = [launch(number, *SPIN, folder=tmp_path) for number in (1, 2, 3)]
    async with at_work(tmp_path / "spool") as node:
        for one in launches:
            node.launch(one)
        pids = [await node.pid(number) for number in (1, 2, 3)]
        for number in (1, 2, 3):
            slice_job(node, number, pair)
        await until(lambda: all(map(stopped, pids)))
        node.executor.slicer.detach()
        os.kill(node.slicer, signal.SIGKILL)
        await until(lambda: not any(map(stopped, pids)))
    async with real_node(tmp_path / "spool") as node:
        for one in launches[:2]:
            one.slicing.CopyFrom(slicing_to_wire(pair))
        node.welcome(*launches)
        await until(lambda: all(map(stopped, pids[:2])))
        before = computed(pids[2])
        await until(lambda: computed(pids[2]) > before)
        assert not stopped(pids[2])
        # The pair of another that ends moves none of them.
        await node.killed(3)
        assert all(map(stopped, pids[:2]))
        for number in (1, 2):
            await node.killed(number)


async def test_quotas_keep_slices_by_deadline_where_the_agent_says_so(tmp_path: Path) -> None:
    """Over the ordered period, and nothing is stopped."""
    async with real_node(tmp_path / "spool", rules(enforce="quota")) as node:
        if "cpu" not in node.groups:
            pytest.skip("no control group of version 1 for processors can be written")
        node.welcome()
        node.launch(launch(1, "sleep", "1000", folder=tmp_path))
        await node.pid(1)
        await until(lambda: bool(node.spool.supervisor("1-1")))
        group = Path(node.groups["cpu"]) / "1-1"
        for period_s, slice_s in ((0.2, 0.1), (0.05, 0.01), (2.0, 0.5)):
            ordered = Slicing(period_s=period_s, slice_s=slice_s, by_deadline=True, real_time=True)
            slice_job(node, 1, ordered)
            wanted = round(min(1.0, period_s) * 1e6), round(min(1.0, period_s) * 1e6 * ordered.share)

            def found() -> tuple[int, int]:
                files = (group / "cpu.cfs_period_us", group / "cpu.cfs_quota_us")
                return tuple(int(file.read_text()) if file.exists() else 0 for file in files)  # type: ignore[return-value]

            await until(lambda w=wanted: found() == w)  # type: ignore[misc]
        assert not node.slicer
        slice_job(node, 1, None)
        await until(lambda: int((group / "cpu.cfs_quota_us").read_text()) == -1)
        await node.killed(1)
