"""A launch as the record that a supervisor reads, and a supervisor's record as a report."""

import signal
from pathlib import Path
from typing import Any

import pytest

from molokini.processes.launch_records import wish_of
from molokini.proto.v1.agent_service_pb2 import Report
from tests.kit.real_jobs import RealNode, at_work, launch, rules, until


@pytest.mark.parametrize("code", [0, 3, 255])
async def test_exit_codes_and_output(node: RealNode, tmp_path: Path, code: int) -> None:
    node.launch(
        launch(1, "sh", "-c", f"echo $MOLOKINI_JOB_ID of $MOLOKINI_NODE_LIST; exit {code}", folder=tmp_path)
    )
    report = await node.report(1)
    assert (report.kind, report.exit_code, report.signal) == (Report.ENDED, code, 0)
    assert (tmp_path / "molokini-1.out").read_text() == "1 of here\n"
    node.executor.acknowledged(node.reports)
    await until(lambda: not list((tmp_path / "spool" / "jobs").iterdir()))


async def test_a_signal_that_ends_it(node: RealNode, tmp_path: Path) -> None:
    report = await node.run(1, "sh", "-c", "kill -SEGV $$", folder=tmp_path)
    assert (report.kind, report.exit_code, report.signal) == (Report.ENDED, 0, signal.SIGSEGV)


def test_memory_is_asked_for_by_the_processor(tmp_path: Path) -> None:
    wanted = launch(1, "true", folder=tmp_path, nodes=(("other", 2), ("here", 3)), memory_kb=1000)
    assert wish_of(wanted, rules(groups={}), "lease", "here").memory_kb == 3000


async def test_more_memory_than_was_asked_for(node: RealNode, tmp_path: Path) -> None:
    if "memory" not in rules().groups:
        pytest.skip("no control group for memory can be written")
    program = "import os; x = bytearray(200_000_000)"
    report = await node.run(1, "python3", "-c", program, folder=tmp_path, memory_kb=40_000)
    assert (report.kind, report.signal) == (Report.ENDED, signal.SIGKILL)
    assert report.reason == "out of memory: more than 40000 kB"
    assert report.out_of_memory


KNOWN = """
import os, resource, time

touched = bytearray(b"x") * 50_000_000
with open("written", "wb") as file:
    file.write(os.urandom(4_000_000))
    file.flush()
    os.fsync(file.fileno())
while time.process_time() < 0.5:
    pass
print(resource.getrusage(resource.RUSAGE_SELF).ru_oublock)
"""
"""A program of known use: half a second of a processor, 50 MB, and 4 MB written."""


async def test_what_a_program_of_known_use_has_used(each_node: RealNode, tmp_path: Path) -> None:
    report = await each_node.run(1, "python3", "-c", KNOWN, folder=tmp_path)
    assert (report.kind, report.exit_code) == (Report.ENDED, 0)
    # No less than it used. A busy machine adds some; that no other process is counted is what is bounded.
    assert 0.49 <= report.cpu_s < 3.0
    assert 48_000 < report.memory_kb < 200_000
    assert 0 <= report.read_kb < 200_000
    # Not every file system counts what is written: compared with what the program was told itself.
    counted_kb = int((tmp_path / "molokini-1.out").read_text()) // 2
    assert counted_kb <= report.written_kb < counted_kb + 2000


async def test_each_node_knows_its_place_and_writes_its_own_file(tmp_path: Path) -> None:
    text = (
        "echo $MOLOKINI_NODE_NAME $MOLOKINI_NODE_INDEX of $MOLOKINI_NODES, "
        "$MOLOKINI_FIRST_RANK + $MOLOKINI_NODE_PROCESSORS of $MOLOKINI_PROCESSORS; cat $MOLOKINI_NODE_FILE"
    )
    own = [("there", 3), ("here", 2)]
    async with at_work(tmp_path / "spool") as node:
        node.launch(launch(1, "sh", "-c", text, folder=tmp_path, nodes=own))
        named: dict[str, Any] = {"stdout_path": "out-%j", "stderr_path": "err-%N"}
        node.launch(launch(2, "sh", "-c", "echo two; echo no >&2", folder=tmp_path, nodes=own, **named))
        node.launch(launch(3, "echo", "three", folder=tmp_path, nodes=own[::-1], stdout_path="out-%j"))
        for number in (1, 2, 3):
            assert (await node.report(number)).exit_code == 0
    found = {path.name: path.read_text() for path in tmp_path.iterdir() if path.is_file()}
    assert found == {
        "molokini-1.out.here": "here 1 of 2, 3 + 2 of 5\n" + "there\n" * 3 + "here\n" * 2,
        "out-2.here": "two\n",
        "err-here": "no\n",
        "out-3": "three\n",
    }
