"""The end of all jobs of an agent that does not come again."""

import os
import signal
from pathlib import Path

import pytest

from molokini.processes.ending import end_all
from molokini.processes.spool import Spool
from tests.kit.real_jobs import at_work, gone, launch


@pytest.mark.parametrize("stuck", [False, True])
async def test_no_process_of_a_job_is_left(tmp_path: Path, stuck: bool) -> None:
    """Whether its supervisor obeys or stands still, and whatever the job makes of signals."""
    async with at_work(tmp_path / "spool") as node:
        node.launch(launch(1, "sh", "-c", "trap '' TERM; setsid sleep 1000 & wait", folder=tmp_path))
        node.launch(launch(2, "true", folder=tmp_path))
        pids = [await node.pid(1)]
        assert (await node.report(2)).exit_code == 0
        supervisor = node.spool.supervisor("1-1")
        assert supervisor
    if stuck:
        os.kill(supervisor, signal.SIGSTOP)
    spool = Spool(tmp_path / "spool")
    end_all(spool, node.groups, bound_s=0.5 if stuck else 60.0)
    spool.close()
    await gone([*pids, supervisor])
