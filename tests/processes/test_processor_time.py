"""Processor time that an agent tells with the reports of programs."""

import os
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from molokini.processes.launch_records import Rules
from molokini.processes.processor_time import ProcessorTime
from molokini.proto.v1.jobs_pb2 import Rate
from tests.kit.flooding import python
from tests.kit.real_jobs import at_work, launch, rules, until

BURNS = """
def burn(seconds):
    until = time.process_time() + seconds
    while time.process_time() < until:
        pass
burn(0.2)
say(job, 1, time.monotonic_ns(), 1.0)
wait("heard")
burn(0.3)
if not os.fork():
    burn(0.4)
    os._exit(0)
os.wait()
say(job, 2, time.monotonic_ns(), 1.0)
print(os.getpid(), flush=True)
wait("end")
"""


@pytest.fixture
def folder() -> Iterator[Path]:
    """Its path is short enough for a socket."""
    with tempfile.TemporaryDirectory(prefix="mk") as made:
        os.chmod(made, 0o755)
        yield Path(made)


async def told(folder: Path, said: Rules) -> tuple[Rate, Rate, int]:
    """The two reports of a job that burns 0.3 s between them, and 0.4 s in a child; and its process."""
    async with at_work(folder / "spool", said) as node:
        node.launch(launch(1, *python(BURNS), folder=folder))
        await until(lambda: len(node.rated) == 1)
        (folder / "heard").touch()
        await until(lambda: len(node.rated) == 2)
        first, second = (one.rate for one in node.rated)
        output = folder / "molokini-1.out"
        await until(lambda: output.exists() and output.read_text().endswith("\n"))
        (folder / "end").touch()
        await node.report(1)
        return first, second, int(output.read_text())


async def test_processor_time_of_the_process_that_reports_and_of_its_job(folder: Path) -> None:
    if not (said := rules()).groups:
        pytest.skip("no control group can be written")
    first, second, process = await told(folder, said)
    assert first.process == second.process == process
    assert 0.3 <= second.process_cpu_s - first.process_cpu_s < 0.39
    # The child counts, too; the kernel may count up to a tick late.
    assert 0.68 <= second.node_cpu_s - first.node_cpu_s < 0.85
    assert 0.2 <= first.process_cpu_s < 0.4


async def test_without_control_groups_the_process_alone_is_told_of(folder: Path) -> None:
    first, second, process = await told(folder, rules(groups={}))
    assert first.process == second.process == process
    assert 0.3 <= second.process_cpu_s - first.process_cpu_s < 0.39
    assert not second.HasField("node_cpu_s")


@pytest.mark.parametrize(
    ("groups", "name", "text", "seconds"),
    [
        ("cpuacct", "cpuacct.usage", "2500000000\n", 2.5),
        ("unified", "cpu.stat", "usage_usec 2500000\nuser_usec 2000000\nsystem_usec 500000\n", 2.5),
        ("unified", "cpu.stat", "", None),
        ("unified", "other", "1\n", None),
        ("memory", "cpuacct.usage", "1\n", None),
    ],
)
def test_counts_of_control_groups(
    tmp_path: Path, groups: str, name: str, text: str, seconds: float | None
) -> None:
    (tmp_path / "1-1").mkdir()
    (tmp_path / "1-1" / name).write_text(text)
    clock = ProcessorTime({groups: str(tmp_path)}, "1-1")
    before = time.process_time()
    found = clock.spent(os.getpid())
    clock.close()
    assert found.node_s == seconds
    assert found.process_s is not None
    assert before <= found.process_s <= time.process_time()
    assert clock.spent(os.getpid()).node_s is None


def test_a_process_that_is_gone_has_no_processor_time() -> None:
    pid = os.fork()
    if not pid:
        os._exit(0)
    os.waitpid(pid, 0)
    rate = Rate()
    found = ProcessorTime({}, "1-1").spent(pid)
    assert (found.process_s, found.node_s) == (None, None)
    found.write(rate)
    assert (rate.process, rate.HasField("process_cpu_s"), rate.HasField("node_cpu_s")) == (pid, False, False)
