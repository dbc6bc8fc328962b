"""A spawner of supervisors that stands still: what is asked of it meanwhile is neither lost nor run twice."""

import os
import signal
from pathlib import Path

import pytest

from molokini.processes import spawner
from molokini.proto.v1.agent_service_pb2 import Report
from molokini.supervisor.trees import alive
from tests.kit.real_jobs import RealNode, at_work, launch, until


async def test_a_job_cancelled_before_its_supervisor_begins_is_not_run(
    node: RealNode, tmp_path: Path
) -> None:
    """The supervisor comes late, as on a machine that swaps."""
    spawns = node.executor._spawner._pid
    os.kill(spawns, signal.SIGSTOP)
    node.launch(launch(1, "touch", "ran", folder=tmp_path))
    report = await node.killed(1)
    assert (report.kind, report.signal) == (Report.KILLED, 0)
    os.kill(spawns, signal.SIGCONT)
    assert (await node.run(2, "touch", "later", folder=tmp_path)).exit_code == 0
    assert not (tmp_path / "ran").exists()
    node.executor.acknowledged(node.reports)
    await until(lambda: not node.spool.labels())


async def test_a_spawner_that_stands_still_is_replaced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(spawner, "_LOOK_S", 0.05)
    monkeypatch.setattr(spawner, "_PATIENCE_S", 0.5)
    async with at_work(tmp_path / "spool") as node:
        os.kill(node.executor._spawner._pid, signal.SIGSTOP)
        for number in (1, 2):
            node.launch(launch(number, "sh", "-c", "echo ran >> runs; exit 5", folder=tmp_path))
        assert [(await node.report(number)).exit_code for number in (1, 2)] == [5, 5]
        assert (tmp_path / "runs").read_text() == "ran\n" * 2
    assert "the spawner of supervisors has not answered for 0.5 s: restarting it" in caplog.text


async def test_an_agent_ends_whose_spawner_stands_still(tmp_path: Path) -> None:
    async with at_work(tmp_path / "spool") as node:
        spawns = node.executor._spawner._pid
        os.kill(spawns, signal.SIGSTOP)
    assert not alive(spawns)
