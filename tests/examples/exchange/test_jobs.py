"""The example as a real job: a task for each of its processors, reports to the agent's socket, a suspend."""

from pathlib import Path

from exchange.work import sequential
from molokini.proto.v1.agent_service_pb2 import Order, Report
from tests.examples.exchange.test_reports import reader, received
from tests.kit.exchanging import COMMAND, SMALL, one_line
from tests.kit.real_jobs import gone, launch, real_node, until
from tests.kit.waiting import children_of


async def test_a_job_runs_to_its_end_and_reports(tmp_path: Path) -> None:
    said = ("--pattern", "all-to-all", "--iterations", "9", *SMALL)
    with reader(tmp_path / "rate") as end:
        async with real_node(tmp_path / "spool") as node:
            node.welcome()
            rates = {"MOLOKINI_RATE_SOCKET": str(tmp_path / "rate")}
            wanted = launch(41, *COMMAND, *said, folder=tmp_path, environment=rates)
            wanted.allocation[0].processors = 3
            node.launch(wanted)
            report = await node.report(41)
        reports = received(end)
    assert (report.kind, report.exit_code, report.signal) == (Report.ENDED, 0, 0)
    found = one_line((tmp_path / "molokini-41.out").read_text())
    assert (found["job"], found["tasks"]) == (41, 3)
    assert found["checksum"] == sequential(3, "all-to-all", seed=1, rounds=9, units=3, words=5000)
    assert [one[:3] for one in reports] == [(41, 0, count) for count in range(1, 10)]


async def test_a_job_that_is_suspended_goes_on_and_ends_with_all_its_tasks(tmp_path: Path) -> None:
    said = ("--iterations", "1000000000", *SMALL)
    with reader(tmp_path / "rate") as end:
        async with real_node(tmp_path / "spool") as node:
            node.welcome()
            rates = {"MOLOKINI_RATE_SOCKET": str(tmp_path / "rate")}
            wanted = launch(1, *COMMAND, *said, folder=tmp_path, environment=rates)
            wanted.allocation[0].processors = 2
            node.launch(wanted)
            for _ in range(3):
                # Later than all that had been sent when the one before was suspended.
                await until(lambda: bool(received(end)))
                node.order(1, Order.SUSPEND)
                node.order(1, Order.RESUME)
                received(end)
            await until(lambda: bool(received(end)))
            pid = await node.pid(1)
            tasks = children_of(pid)
            assert len(tasks) == 2
            node.order(1, Order.KILL)
            assert (await node.report(1)).kind == Report.KILLED
            await gone([pid, *tasks])
