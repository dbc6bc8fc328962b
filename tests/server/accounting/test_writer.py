"""Accounting as it happens: each end once and in order, whatever the server and its disk go through."""

import errno
import json
import os
import shutil
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from molokini.accounting import sacct
from molokini.model.errors import BadFile
from molokini.server.accounting import writer
from molokini.server.accounting.books import MARK, Books
from molokini.server.readers import Readers
from molokini.workloads.readers import read_workload
from tests.kit.live import MemoryJournal, Story, live, nodes
from tests.kit.waiting import DEADLINE_S

DAY_S = 86_400.0


@pytest.fixture(autouse=True)
def _utc() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as changed:
        changed.setenv("TZ", "UTC")
        time.tzset()
        yield
    time.tzset()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "state").mkdir()
    return tmp_path


def keep(story: Story, folder: Path, form: str = "pbs") -> None:
    story.core.keep_accounts(Books(folder / "acct", folder / "state"), form)


async def kept(story: Story) -> None:
    """Wait until all that has happened is in the files."""
    accounts = story.core.accounts
    assert accounts is not None
    await story.until(lambda: accounts._books.mark.serial >= story.state.serial)


def records(folder: Path) -> list[tuple[str, str]]:
    """Type and job of the records of PBS, in the order of the files."""
    lines = [line for path in files(folder) for line in path.read_text().splitlines()]
    return [(line.split(";")[1], line.split(";")[2].partition(".")[0]) for line in lines]


def files(folder: Path) -> list[Path]:
    return sorted((folder / "acct").iterdir())


async def lived(story: Story) -> None:
    """Jobs of several endings over three days: one requeued, one cancelled in time, an array cut short."""
    await story.submit(estimate_s=100, processors=4, outcome={"run_s": 60})
    await story.submit(estimate_s=100, processors=4, outcome={"run_s": 90, "exit_code": 3})
    await story.advance(10)
    await story.requeue(1)
    await story.submit(estimate_s=100, held=True)
    await story.cancel(3)
    await story.advance(DAY_S)
    await story.submit(estimate_s=100, processors=2, array={"first": 0, "last": 9}, outcome={"run_s": 50})
    await story.advance(60)
    await story.cancel(4)
    await story.advance(DAY_S)


async def test_records_come_in_order_in_a_file_a_day(folder: Path) -> None:
    async with live() as story:
        keep(story, folder)
        await lived(story)
        await kept(story)
        assert [path.name for path in files(folder)] == ["19700101", "19700102"]
        found = records(folder)
        assert found[:5] == [("Q", "1"), ("S", "1"), ("Q", "2"), ("S", "2"), ("R", "1")]
        assert found.count(("E", "1")) == found.count(("E", "2")) == found.count(("D", "3")) == 1
        assert found.count(("Q", "4[]")) == found.count(("D", "4[]")) == 1
        ended = [index for kind, index in found if kind == "E" and index.startswith("4[")]
        assert len(ended) == len(set(ended)) == found.count(("E", "4[0]")) * len(ended) > 3
    log = read_workload(folder / "acct", strict=True)
    assert len(log) == 2 + len(ended)


async def test_an_attempt_has_the_limit_with_which_it_started(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It gets three minutes of the ten that it asks for, and waits again when its start is written."""
    plans = {"bf_interval_s": "10", "batch_sched_delay_s": "0", "completing_s": "0"}
    real, gone_on = Books.add, threading.Event()

    def late(self: Books, *given: Any) -> None:
        assert gone_on.wait(DEADLINE_S)
        real(self, *given)

    monkeypatch.setattr(Books, "add", late)
    async with live("slurm", offers=[nodes("n[1-4]", processors=1)], parameters=plans) as story:
        keep(story, folder)
        await story.submit(processors=3, run_s=25.0, estimate_s=240.0)
        await story.submit(processors=4, run_s=10.0, estimate_s=300.0)
        job = await story.submit(processors=1, run_s=1000.0, estimate_s=600.0, least_estimate_s=60.0)
        await story.advance(15.0)
        assert story.run(job).limit_s == 180.0
        await story.requeue(job)
        assert (story.status(job), story.run(job).limit_s) == ("waiting", 0.0)
        gone_on.set()
        await kept(story)
    lines = [line for path in files(folder) for line in path.read_text().splitlines()]
    [start] = [line for line in lines if f";S;{job}." in line]
    assert "Resource_List.walltime=00:03:00" in start.split()


@pytest.mark.parametrize(("form", "names"), [("lsf", "lsb.acct."), ("sacct", "sacct.")])
async def test_other_formats_have_ends_alone(folder: Path, form: str, names: str) -> None:
    async with live() as story:
        keep(story, folder, form)
        await lived(story)
        await kept(story)
    assert [path.name for path in files(folder)] == [f"{names}19700101", f"{names}19700102"]
    for path in files(folder):
        lines = path.read_text().splitlines()
        assert (lines[0] == sacct.header()) is (form == "sacct")
        assert lines.count(sacct.header()) == (form == "sacct")
    log = read_workload(folder / "acct", strict=True)
    assert len(log) > 5
    assert log.skipped["never_started"] == 2


async def test_accounting_that_is_wanted_later_begins_then(folder: Path) -> None:
    async with live() as story:
        await story.submit(estimate_s=10)
        await story.advance(20)
        keep(story, folder)
        await story.submit(estimate_s=10)
        await story.advance(20)
        await kept(story)
    assert records(folder) == [("Q", "2"), ("S", "2"), ("E", "2")]


async def test_a_stop_writes_what_there_is(folder: Path) -> None:
    async with live() as story:
        keep(story, folder)
        await story.submit(estimate_s=10)
        await story.advance(20)
    assert records(folder) == [("Q", "1"), ("S", "1"), ("E", "1")]


def told(folder: Path) -> dict[str, list[str]]:
    """All lines by file; of records about a job that is not over what will not be known better later."""
    return {
        path.name: [
            line if not line.startswith("01/0") or ";E;" in line else line.partition(".")[0]
            for line in path.read_text().split("\n")
        ]
        for path in files(folder)
    }


@pytest.mark.quick(one_in=3)
@pytest.mark.parametrize("form", list(writer.KINDS))
async def test_a_crash_between_lines_and_mark_loses_and_doubles_nothing(
    folder: Path, form: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every mark that there ever was, with files that have gone on since, leads to the same files."""
    monkeypatch.setattr(writer, "FACTS", 3)
    journal, marks = MemoryJournal(), list[bytes]()
    real = Books._keep_mark

    def noted(self: Books, mark: Any) -> None:
        real(self, mark)
        marks.append((folder / "state" / MARK).read_bytes())

    monkeypatch.setattr(Books, "_keep_mark", noted)
    async with live(journal=journal) as story:
        keep(story, folder, form)
        await lived(story)
    monkeypatch.setattr(Books, "_keep_mark", real)
    whole, bodies = told(folder), {path: path.read_bytes() for path in files(folder)}
    assert len(marks) > 8
    for number, mark in enumerate(marks[:: max(1, len(marks) // 8)]):
        shutil.rmtree(folder / "acct")
        (folder / "acct").mkdir()
        reached = json.loads(mark)["file"]
        # Files after that of the mark were never begun, and its own ends in a line that was cut.
        for path, body in bodies.items():
            if str(path) <= reached:
                path.write_bytes(body + b"half a li" * (str(path) == reached))
        (folder / "state" / MARK).write_bytes(mark)
        async with live(journal=journal, finished_jobs=number % 2 * 10_000) as again:
            keep(again, folder, form)
            await kept(again)
        assert told(folder) == whole


async def test_a_full_disk_costs_nothing_but_time(
    folder: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(writer, "AGAIN_S", 0.01)
    failures = [errno.ENOSPC, errno.EIO]
    real = os.write

    def write(handle: int, body: bytes) -> int:
        if failures:
            real(handle, body[:20])
            raise OSError(failures.pop(), "no room")
        return real(handle, body)

    monkeypatch.setattr("molokini.server.accounting.books.os.write", write)
    async with live() as story:
        keep(story, folder)
        await story.submit(estimate_s=10)
        await story.advance(20)
        await kept(story)
    assert records(folder) == [("Q", "1"), ("S", "1"), ("E", "1")]
    assert "accounting waits, and loses nothing" in caplog.text


async def test_jobs_that_have_left_the_memory_are_found(folder: Path) -> None:
    journal = MemoryJournal()
    async with live(journal=journal) as story:
        keep(story, folder)
        await kept(story)
        mark = (folder / "state" / MARK).read_bytes()
        for _ in range(30):
            await story.submit(estimate_s=10)
        await story.advance(1000)
    (folder / "state" / MARK).write_bytes(mark)
    shutil.rmtree(folder / "acct")
    async with live(journal=journal, finished_jobs=0) as again:
        await again.submit(estimate_s=10)
        await again.advance(100)
        await again.until(lambda: again.state.past.count >= 30)
        again.state.events.clear()
        keep(again, folder)
        await kept(again)
        assert [job for kind, job in records(folder) if kind == "E"] == [str(n) for n in range(1, 32)]


async def test_an_older_state_goes_on_behind_itself(folder: Path, caplog: pytest.LogCaptureFixture) -> None:
    (folder / "state" / MARK).write_text('{"serial": 1000000, "file": "", "size": 0}')
    async with live() as story:
        keep(story, folder)
        await story.submit(estimate_s=10)
        await story.advance(20)
    assert records(folder) == [("Q", "1"), ("S", "1"), ("E", "1")]
    assert "facts ahead of the state" in caplog.text


@pytest.mark.parametrize("text", ["", "{}", '{"serial": "x", "file": "", "size": 0}', "[1]"])
async def test_a_mark_that_is_none_is_refused(folder: Path, text: str) -> None:
    (folder / "state" / MARK).write_text(text)
    async with live() as story:
        with pytest.raises(BadFile, match="is not an accounting mark; remove it"):
            keep(story, folder)
        story.core.accounts = None


async def test_a_folder_that_is_none_is_refused(folder: Path) -> None:
    (folder / "acct").write_text("a file")
    async with live() as story:
        with pytest.raises(BadFile, match="acct: "):
            keep(story, folder)
        story.core.accounts = None


async def test_a_file_without_an_end_of_line_is_not_continued(folder: Path) -> None:
    (folder / "acct").mkdir()
    (folder / "acct" / "19700101").write_text("what was there")
    async with live() as story:
        keep(story, folder)
        await story.submit(estimate_s=10)
        await kept(story)
    lines = (folder / "acct" / "19700101").read_text().splitlines()
    assert lines[0] == "what was there"
    assert lines[1].startswith("01/01/1970 00:00:00;Q;1.molokini;")


async def test_the_files_are_for_the_servers_user_and_the_group_that_is_named(folder: Path) -> None:
    group, before = max([os.getegid(), *os.getgroups()]), os.umask(0)
    try:
        for readers, modes in ((Readers(), (0o700, 0o600)), (Readers(group), (0o750, 0o640))):
            async with live() as story:
                story.core.keep_accounts(Books(folder / "acct", folder / "state", readers), "pbs")
                await lived(story)
                await kept(story)
                for path, mode in zip(
                    [folder / "acct", *files(folder)], [modes[0], *[modes[1]] * 9], strict=False
                ):
                    assert (path.stat().st_mode & 0o777, path.stat().st_gid) == (mode, group)
                assert (folder / "state" / MARK).stat().st_mode & 0o777 == 0o600
            shutil.rmtree(folder / "acct")
            (folder / "state" / MARK).unlink()
    finally:
        os.umask(before)
