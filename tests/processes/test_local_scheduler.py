"""Message-driven coscheduling of real processes: who is served, who is refused, and who gets which share."""

import asyncio
import logging
import os
import socket
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from molokini.process_sim.node_daemon import Asked, NodeDaemon, serve_again
from molokini.process_sim.policies.message_driven import NEEDS
from molokini.processes.local_scheduler import ANSWER, REFUSED, REQUEST, Code
from tests.kit.depth import deep
from tests.kit.real_jobs import RealNode, at_work, launch, rules, until

pytestmark = pytest.mark.waits

BUSY = """
import mmap, os, socket, struct, sys, time
path, job = os.environ.get("MOLOKINI_LOCAL_SOCKET"), int(os.environ["MOLOKINI_JOB_ID"])
if not path:
    while not os.path.exists("end"):
        pass
    sys.exit()
end = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
end.connect(path)
def ask(code):
    end.send(struct.pack("<qq", code, job))
    return struct.unpack("<qq", end.recv(16))
answer, word = ask(1)
status = mmap.mmap(os.open(os.path.dirname(path) + "/status", os.O_RDONLY), 0, prot=mmap.PROT_READ)
open(f"registered {job}", "w").write(f"{answer} {os.getpid()}")
while not os.path.exists("end"):
    if os.path.exists(f"ask {job}"):
        os.unlink(f"ask {job}")
        answer, _ = ask(3)
        open(f"answer {job}", "w").write(f"{answer} {status[word]}")
    until = time.monotonic() + 0.01
    while time.monotonic() < until:
        pass
"""


@pytest.fixture
def folder() -> Iterator[Path]:
    """Other users can reach it, and its path is short enough for a socket."""
    with tempfile.TemporaryDirectory(prefix="mk") as made:
        os.chmod(made, 0o755)
        yield Path(made)


def decider(**values: object) -> NodeDaemon:
    return NodeDaemon(NEEDS.values("test", values))


def busy(number: int, folder: Path) -> Any:
    python = sys.executable if os.geteuid() else "/usr/bin/python3"
    return launch(number, python, "-c", BUSY, folder=folder)


async def said(path: Path) -> list[int]:
    """The numbers that a job has written."""
    await until(lambda: path.exists() and bool(path.read_text()))
    return list(map(int, path.read_text().split()))


def cpu_s(pid: int) -> float:
    """The CPU clock of a process: what it has had, by the kernel's own account."""
    return time.clock_gettime((~pid << 3) | 2)


async def shares(node: RealNode, folder: Path, seconds: float) -> list[float]:
    """The part of a processor that each of two busy jobs has, by their CPU clocks."""
    for number in (1, 2):
        node.launch(busy(number, folder))
    if node.executor.local is not None:
        pids = [(await said(folder / f"registered {number}"))[1] for number in (1, 2)]
    else:
        pids = [await node.pid(number) for number in (1, 2)]
    began, before = time.monotonic(), [cpu_s(pid) for pid in pids]
    await asyncio.sleep(seconds)
    took = time.monotonic() - began
    found = [(cpu_s(pid) - start) / took for pid, start in zip(pids, before, strict=True)]
    (folder / "end").touch()
    for number in (1, 2):
        await node.report(number)
    return found


def is_bound(found: Sequence[float], share: float) -> bool:
    """Whether one of the jobs has *share* of a processor, within five points."""
    return abs(min(found) - share) <= 0.05


@pytest.mark.parametrize("groups", [True, False], ids=["quotas", "slices"])
async def test_a_bound_job_has_its_share(folder: Path, groups: bool) -> None:
    said_rules = rules() if groups else rules(groups={})
    if groups and {"cpu", "unified"}.isdisjoint(said_rules.groups):
        pytest.skip("no control group of processor time can be written here")
    async with at_work(folder / "spool", said_rules) as node:
        node.executor.coschedule(decider(unscheduled=10, slice="60s"), 60.0)
        found = await shares(node, folder, 30.0 if deep() else 6.0)
    assert is_bound(found, 0.1), found
    assert max(found) <= 0.95


async def test_without_the_scheduler_it_has_not(folder: Path) -> None:
    """The same two jobs and the same clocks; neither is bound, and none has a tenth of a processor."""
    async with at_work(folder / "spool") as node:
        found = await shares(node, folder, 30.0 if deep() else 6.0)
    if sum(found) < 0.5:
        pytest.skip(f"this machine has no half of a processor for two jobs: they had {found}")
    assert not is_bound(found, 0.1), found


async def test_requests_are_decided_by_the_simulated_policy(folder: Path) -> None:
    asked: list[Asked] = []
    local = decider(gmet="1s", slice="30s", unscheduled=20)
    local.record = asked.append
    async with at_work(folder / "spool") as node:
        node.executor.coschedule(local, 30.0)
        for number in (1, 2):
            node.launch(busy(number, folder))
            await said(folder / f"registered {number}")
        served = node.executor.local
        assert served is not None
        assert local.scheduled == "1-1"
        await until(lambda: time.monotonic_ns() - asked[0].at_ns > 1_000_000_000)
        (folder / "ask 2").touch()
        assert await said(folder / "answer 2") == [1, 1]
        (folder / "ask 1").touch()
        assert (await said(folder / "answer 1"))[0] == 2
        assert local.scheduled == "2-1"
        (folder / "end").touch()
        for number in (1, 2):
            await node.report(number)
        await until(lambda: not local.jobs)
        late = sorted(served.served_ns)
        assert late[int(0.99 * (len(late) - 1))] < 50_000_000
    assert [one.request for one in asked[:4]] == ["register", "register", "schedule", "schedule"]
    assert (
        serve_again(asked, NEEDS.values("test", {"gmet": "1s", "slice": "30s", "unscheduled": 20})) == asked
    )


def ask_from_outside(path: str, code: int, job: int) -> int:
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as end:
        end.settimeout(10.0)
        end.connect(path)
        end.send(REQUEST.pack(code, job))
        return int(ANSWER.unpack(end.recv(ANSWER.size))[0])


async def test_others_are_refused_and_the_node_goes_on(
    folder: Path, caplog: pytest.LogCaptureFixture
) -> None:
    local = decider(slice="60s")
    async with at_work(folder / "spool") as node:
        node.executor.coschedule(local, 60.0)
        node.launch(busy(1, folder))
        await said(folder / "registered 1")
        served = node.executor.local
        assert served is not None
        with caplog.at_level(logging.WARNING):
            for code in (Code.REGISTER, Code.SCHEDULE, 4, 5, 99):
                # This process belongs to no job.
                answer = await asyncio.to_thread(ask_from_outside, served.path, code, 1)
                assert answer == REFUSED
            assert served.refused == 5
            assert "whose process it is not" in caplog.text
            # Somebody writes a status word.
            status = folder / "spool" / "status"
            right = status.read_bytes()
            assert sum(right) == 1
            status.write_bytes(bytes(len(right)))
            (folder / "ask 1").touch()
            assert await said(folder / "answer 1") == [3, 1]
            assert "tampered" in caplog.text
        assert status.read_bytes() == right
        assert status.stat().st_mode & 0o022 == 0
        (folder / "end").touch()
        await node.report(1)
        await until(lambda: not local.jobs)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root has processes of other users")
async def test_a_process_of_another_user_is_refused_though_the_job_began_it(
    folder: Path, caplog: pytest.LogCaptureFixture
) -> None:
    code = """
import os, socket, struct, sys, time
path, job = os.environ["MOLOKINI_LOCAL_SOCKET"], int(os.environ["MOLOKINI_JOB_ID"])
os.setuid(65534)
end = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
end.connect(path)
end.send(struct.pack("<qq", 1, job))
print(struct.unpack("<qq", end.recv(16))[0], flush=True)
"""
    async with at_work(folder / "spool") as node:
        os.chmod(folder / "spool", 0o755)
        node.executor.coschedule(decider(slice="60s"), 60.0)
        with caplog.at_level(logging.WARNING):
            await node.run(1, "/usr/bin/python3", "-c", code, folder=folder)
        assert (folder / "molokini-1.out").read_text().split() == [str(REFUSED)]
        assert "of user 65534: to register with job 1, whose process it is not" in caplog.text
        assert node.executor.local is not None
        assert node.executor.local.refused == 1
