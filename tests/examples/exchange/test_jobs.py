"""The example as a real job: a task for each of its processors, reports to the agent, a suspend."""

from pathlib import Path

from exchange.work import sequential
from molokini.proto.v1.agent_service_pb2 import Order, Report
from tests.kit.exchanging import COMMAND, SMALL, one_line
from tests.kit.real_jobs import gone, launch, real_node, until
from tests.kit.waiting import children_of


async def test_a_job_runs_to_its_end_and_reports(tmp_path: Path) -> None:
    said = ("--pattern", "all-to-all", "--iterations", "300", *SMALL)
    async with real_node(tmp_path / "spool") as node:
        node.welcome()
        wanted = launch(41, *COMMAND, *said, folder=tmp_path)
        wanted.allocation[0].processors = 3
        node.launch(wanted)
        report = await node.report(41)
    assert (report.kind, report.exit_code, report.signal) == (Report.ENDED, 0, 0)
    found = one_line((tmp_path / "molokini-41.out").read_text())
    assert (found["job"], found["tasks"]) == (41, 3)
    assert found["checksum"] == sequential(3, "all-to-all", seed=1, rounds=300, units=3, words=5000)
    assert found["reports_sent"] + found["reports_lost"] == 300


async def test_an_agent_hears_how_fast_a_job_is_while_it_runs(tmp_path: Path) -> None:
    async with real_node(tmp_path / "spool") as node:
        node.welcome()
        node.launch(launch(42, *COMMAND, "--iterations", "1000000000", *SMALL, folder=tmp_path))
        await until(lambda: bool(node.rated) and node.rated[-1].rate.iteration > 300)
        first = node.rated[-1]
        assert (first.attempt.job_id, first.rate.per_s > 0.0) == (42, True)
        await until(lambda: node.rated[-1].rate.iteration > first.rate.iteration)
        node.order(42, Order.KILL)
        assert (await node.report(42)).kind == Report.KILLED


async def test_a_job_that_is_suspended_goes_on_and_ends_with_all_its_tasks(tmp_path: Path) -> None:
    said = ("--iterations", "1000000000", *SMALL)
    async with real_node(tmp_path / "spool") as node:
        node.welcome()
        wanted = launch(1, *COMMAND, *said, folder=tmp_path)
        wanted.allocation[0].processors = 2
        node.launch(wanted)
        for _ in range(3):
            # Later than all that had been told when the one before was suspended.
            await until(lambda: bool(node.rated))
            node.order(1, Order.SUSPEND)
            node.order(1, Order.RESUME)
            node.rated.clear()
        await until(lambda: bool(node.rated))
        pid = await node.pid(1)
        tasks = children_of(pid)
        assert len(tasks) == 2
        node.order(1, Order.KILL)
        assert (await node.report(1)).kind == Report.KILLED
        await gone([pid, *tasks])
