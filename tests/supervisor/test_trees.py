"""All processes of a job, wherever they have gone, end with it."""

from pathlib import Path

from molokini.proto.v1.agent_service_pb2 import Report
from tests.kit.real_jobs import RealNode, gone, launch, sleeping, until


async def test_an_order_ends_all_processes_whatever_they_do(each_node: RealNode, tmp_path: Path) -> None:
    """One ignores signals, one has a session of its own, one is a daemon."""
    text = "trap '' TERM; setsid sleep 1000 & (sleep 1001 &) & echo started; sleep 1002"
    each_node.launch(launch(1, "sh", "-c", text, folder=tmp_path))
    pid = await each_node.pid(1)
    await until(lambda: len(sleeping(tmp_path / "spool")) == 3)
    all_of_them = [pid, *sleeping(tmp_path / "spool")]
    assert (await each_node.killed(1)).kind == Report.KILLED
    await gone(all_of_them)


async def test_what_a_job_leaves_behind_ends_with_it(each_node: RealNode, tmp_path: Path) -> None:
    text = "setsid sleep 1000 & echo $! > left; exit 0"
    assert (await each_node.run(1, "sh", "-c", text, folder=tmp_path)).exit_code == 0
    await gone([int((tmp_path / "left").read_text())])
