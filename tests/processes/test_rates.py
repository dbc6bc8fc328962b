"""Rates that programs of jobs tell of themselves, and who is believed."""

import os
import socket
import struct
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from molokini.processes.spool import Spool
from tests.kit.flooding import flooded, python
from tests.kit.real_jobs import RealNode, at_work, launch, real_node, rules, until
from tests.kit.waiting import waited


@pytest.fixture
def folder() -> Iterator[Path]:
    """Other users can reach it, and its path is short enough for a socket."""
    with tempfile.TemporaryDirectory(prefix="mk") as made:
        os.chmod(made, 0o755)
        yield Path(made)


def last(node: RealNode, job: int) -> tuple[int, float]:
    """The iteration and the rate that the server heard of last."""
    found = [one.rate for one in node.rated if one.attempt.job_id == job]
    return (found[-1].iteration, found[-1].per_s) if found else (0, 0.0)


async def test_the_last_iteration_is_told_and_what_cannot_be_is_dropped(folder: Path) -> None:
    text = """
say(job, 1, now - 1000, 5.0)
say(job, 3, now - 500, 6.5)
wait("heard")
say(job, 3, now - 400, 7.0)
say(job, 2, now - 300, 7.0)
say(job, 4, now - 600, 7.0)
say(job, 0, now, 7.0)
say(job, 5, -1, 7.0)
say(job, 5, now + 10**12, 7.0)
wait("heard more")
say(job, 5, now, float("nan"))
say(job, 5, now, float("inf"))
say(job, 5, now, -1.0)
say(job + 1, 5, now, 7.0)
end.sendto(bytes(31), path)
end.sendto(bytes(33), path)
wait("end")
say(job, 6, now, 8.25)
"""
    async with at_work(folder / "spool") as node:
        node.launch(launch(1, *python(text), folder=folder))
        await until(lambda: last(node, 1) == (3, 6.5))
        (folder / "heard").touch()
        await until(lambda: node.executor.rates.refused == 6)
        (folder / "heard more").touch()
        await until(lambda: node.executor.rates.refused == 12)
        assert last(node, 1) == (3, 6.5)
        (folder / "end").touch()
        await node.report(1)
        # Before the end was reported: the server knows of no attempt after it.
        assert last(node, 1) == (6, 8.25)
        ended_s = node.reports[0].at_s
        assert ended_s - 5.0 < node.rated[-1].rate.at_s <= ended_s
        assert node.executor.rates.refused == 12


async def test_nobody_tells_for_the_job_of_another(folder: Path) -> None:
    """Neither a process of no job, nor another job of the same user; the children of a job may."""
    text = """
wait("begin")
for number in (1, 2):
    say(number, 7, now, 1.0)
if not os.fork():
    os.setsid()
    if not os.fork():
        say(job, 9, now + 1, 2.0)
        wait("end")
    os._exit(0)
wait("end")
"""
    async with at_work(folder / "spool") as node:
        node.launch(launch(1, *python("wait('end')"), folder=folder))
        node.launch(launch(2, *python(text), folder=folder))
        await node.pid(1)
        await node.pid(2)
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as outside:
            for number in (1, 2):
                said = struct.pack("<3qd", number, 5, time.monotonic_ns(), 3.0)
                outside.sendto(said, node.executor.rates.path)
        await until(lambda: node.executor.rates.refused == 2)
        (folder / "begin").touch()
        await until(lambda: node.executor.rates.refused == 3 and last(node, 2) == (9, 2.0))
        assert last(node, 1) == (0, 0.0)
        (folder / "end").touch()
        await node.report(1)
        await node.report(2)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can start the jobs of users")
async def test_the_job_of_a_user_is_told_of_by_that_user_alone(folder: Path) -> None:
    text = """
say(job, 1, now - 10, 4.0)
wait("end")
"""
    (folder / "work").mkdir(mode=0o777)
    (folder / "work").chmod(0o777)
    async with at_work(folder / "spool", rules(switches=True, lowest_uid=0, allow_root=True)) as node:
        node.launch(launch(1, *python(text), folder=folder / "work", user="nobody"))
        await until(lambda: last(node, 1) == (1, 4.0))
        started = node.spool.record("1-1").started
        assert started is not None
        assert started["uid"] != 0
        # A process of the job's, as its numbers go, and of another user.
        node.executor.rates._rated["1-1"].own.add(os.getpid())
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as outside:
            outside.sendto(struct.pack("<3qd", 1, 2, time.monotonic_ns(), 3.0), node.executor.rates.path)
        await until(lambda: node.executor.rates.refused == 1)
        (folder / "work" / "end").touch()
        await node.report(1)
        assert last(node, 1) == (1, 4.0)


async def test_the_next_start_of_the_agent_hears_the_same_job(folder: Path) -> None:
    text = """
say(job, 1, now - 10, 4.0)
wait("again")
while not os.path.exists("end"):
    try:
        say(job, 2, now - 5, 5.0)
    except OSError:
        pass
    time.sleep(0.02)
"""
    wanted = launch(1, *python(text), folder=folder)
    async with at_work(folder / "spool") as node:
        node.launch(wanted)
        await until(lambda: last(node, 1) == (1, 4.0))
    (folder / "again").touch()
    async with real_node(folder / "spool") as node:
        node.welcome(wanted)
        await until(lambda: last(node, 1) == (2, 5.0))
        (folder / "end").touch()
        await node.report(1)


async def test_elements_of_an_array_are_told_apart(folder: Path) -> None:
    text = """
index = int(os.environ["MOLOKINI_ARRAY_INDEX"])
say(job, 10 + index, now, 1.0 + index)
wait("end")
"""
    async with at_work(folder / "spool") as node:
        for index in (0, 1):
            wanted = launch(1, *python(text), folder=folder)
            wanted.attempt.array_index = index
            node.launch(wanted)

        def heard() -> dict[int, tuple[int, float]]:
            return {one.attempt.array_index: (one.rate.iteration, one.rate.per_s) for one in node.rated}

        await until(lambda: len(heard()) == 2)
        assert heard() == {0: (10, 1.0), 1: (11, 2.0)}
        (folder / "end").touch()
        await until(lambda: len(node.reports) == 2)


async def test_a_flood_leaves_the_agent_its_time_and_others_the_queue(folder: Path) -> None:
    node, _, lost = await flooded(folder, 6)
    rates = node.executor.rates
    assert rates.floods >= 1
    assert rates.refused == 0
    # One place of the ten may be taken while the first batch of each quarter of a second is read.
    assert lost <= 1
    assert last(node, 2)[0] >= 5


@pytest.mark.deep
@pytest.mark.dear("a flood of 10^5 reports a second for ten seconds")
async def test_a_flood_of_a_hundred_thousand_a_second(folder: Path) -> None:
    since, own_s = time.monotonic(), time.process_time()
    node, rate, lost = await flooded(folder, 30)
    heard = [sum(one.attempt.job_id == job for one in node.rated) for job in (1, 2)]
    print(f"{rate:.0f} reports a second, the server heard {heard[0]}; of 30 others {heard[1]}, {lost} lost")
    assert rate > 1e4
    assert heard[0] <= 4 * (time.monotonic() - since) + 1
    assert lost <= 3
    assert heard[1] >= 27
    assert time.process_time() - own_s < 2.0


async def test_floods_are_stemmed_where_the_kernel_cannot(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After a whole batch nothing is read for a moment, and then the rest is, whoever has sent it."""
    monkeypatch.setattr("molokini.processes.rates._BATCH", 3)
    monkeypatch.setattr("molokini.processes.rates.let_pass", lambda *_: False)
    text = """
open("began", "w")
wait("go")
for k in range(1, 31):
    say(job, k, now - 1000 + k, 1.0)
    if k == 3:
        open("three", "w")
wait("end")
"""
    async with at_work(folder / "spool") as node:
        node.launch(launch(1, *python(text), folder=folder))
        await until((folder / "began").exists)
        (folder / "go").touch()
        # The agent has no turn meanwhile, so that it finds a whole batch.
        waited((folder / "three").exists)
        await until(lambda: last(node, 1) == (30, 1.0))
        assert node.executor.rates.floods >= 1
        (folder / "end").touch()
        await node.report(1)


async def test_a_folder_whose_path_is_too_long_has_no_socket(folder: Path) -> None:
    deep = folder / ("d" * 100)
    async with at_work(deep) as node:
        node.launch(launch(1, "sh", "-c", "echo ${MOLOKINI_RATE_SOCKET-none}", folder=folder))
        await node.report(1)
        assert (folder / "molokini-1.out").read_text() == "none\n"
        assert not (deep / "rate").exists()


async def test_a_socket_that_was_left_gives_way(folder: Path) -> None:
    Spool(folder / "spool").close()
    left = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    left.bind(str(folder / "spool" / "rate"))
    async with at_work(folder / "spool") as node:
        node.launch(launch(1, *python("say(job, 1, now, 2.0)\nwait('end')"), folder=folder))
        await until(lambda: last(node, 1) == (1, 2.0))
        await node.killed(1)
    left.close()
