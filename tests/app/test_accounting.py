"""Accounting of real servers: killed where it hurts, and exported while it runs."""

import asyncio
import signal
import subprocess
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from molokini.accounting.formats import WRITERS
from molokini.client.calls import Patience
from molokini.client.client import Client
from molokini.model.errors import MolokiniError
from molokini.server.crash import STATUS, VARIABLE
from molokini.server.security.roles import Role
from molokini.workloads.readers import read_workload
from tests.clients.command_runs import command, environment, here
from tests.kit.serving import Served, served
from tests.kit.waiting import DEADLINE_S, waited

JOBS = 40
CONFIG = """
[server]
listen = "127.0.0.1:0"
[clock]
kind = "virtual"
[accounting]
folder = "acct"
"""


@contextmanager
def server(folder: Path, crash_at: str = "") -> Iterator["subprocess.Popen[bytes]"]:
    """``molokini up`` as a process, ready to be asked; it has ended afterwards."""
    (folder / "cluster.toml").write_text(CONFIG)
    (folder / "molokini-state" / "endpoint").unlink(missing_ok=True)
    line = command("up", "--nodes", 4, "--procs-per-node", 4, "--config", "cluster.toml")
    variables = environment(**{VARIABLE: crash_at})
    with (folder / "up.log").open("ab") as log:
        process = subprocess.Popen(line, cwd=folder, env=variables, stdout=log, stderr=log)
    try:
        ready = folder / "molokini-state" / "endpoint"
        waited(lambda: ready.exists() or process.poll() is not None)
        yield process
    finally:
        if process.poll() is None:
            process.send_signal(signal.SIGTERM)
        process.wait(DEADLINE_S)


async def submitted(folder: Path, jobs: range, longest_s: float) -> None:
    """Submit *jobs*, each once however often this is done, and wait until all have ended."""
    state = folder / "molokini-state"
    target, token = ((state / name).read_text().strip() for name in ("endpoint", "token"))
    patience = Patience(timeout_s=longest_s, attempt_s=longest_s)
    async with Client.connect(target, token, patience=patience) as client:
        names = [
            await client.submit(estimate_s=100, outcome={"run_s": 10 + number}, key=f"key {number}")
            for number in jobs
        ]
        await client.wait(names, DEADLINE_S)


def ends(folder: Path) -> Counter[str]:
    """How often each job has ended by the files."""
    lines = [line for path in (folder / "acct").iterdir() for line in path.read_text().splitlines()]
    return Counter(line.split(";")[2] for line in lines if line.split(";")[1] == "E")


@pytest.mark.deep
def test_a_server_that_is_killed_loses_and_doubles_no_record(tmp_path: Path) -> None:
    for passing in (2, 5):
        with server(tmp_path, f"before-accounting-mark:{passing}") as process:
            with pytest.raises((MolokiniError, TimeoutError)):
                asyncio.run(submitted(tmp_path, range(JOBS), 5.0))
            assert process.wait(DEADLINE_S) == STATUS
    with server(tmp_path) as process:
        asyncio.run(submitted(tmp_path, range(JOBS), 60.0))
    assert process.returncode == 0
    assert ends(tmp_path) == {f"{number}.molokini": 1 for number in range(1, JOBS + 1)}
    log = read_workload(tmp_path / "acct", strict=True)
    assert sorted(log.run_s.tolist()) == [10 + number for number in range(JOBS)]


async def lived(one: Served) -> int:
    """Jobs of several endings; how many have run."""
    async with one.client() as ann, one.client("root", Role.ADMINISTRATOR) as root:
        for number in range(12):
            await ann.submit(estimate_s=50, name=f"job {number}", outcome={"run_s": 5}, group="lab")
        await ann.submit(estimate_s=50, array="0-4", outcome={"run_s": 5, "exit_code": 2})
        held = await ann.submit(estimate_s=50, held=True)
        await ann.cancel([held])
        await root.advance(1000)
    return 12 + 5


@pytest.mark.quick(one_in=2)
@pytest.mark.parametrize("finished_jobs", [0, 10_000])
async def test_a_live_history_is_exported_and_replayed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, finished_jobs: int
) -> None:
    monkeypatch.chdir(tmp_path)
    async with served(tmp_path, history__finished_jobs=finished_jobs) as one:
        ran = await lived(one)
        monkeypatch.setenv("MOLOKINI_SERVER", f"127.0.0.1:{one.server.port}")
        monkeypatch.setenv("MOLOKINI_TOKEN", one.token("root", Role.ADMINISTRATOR))
        for form in WRITERS:
            line = ("accounting", "export", "--format", form, "-o", f"history.{form}")
            told = await asyncio.to_thread(here, capsys, *line)
            assert (told.code, told.err) == (0, "")
            assert told.out.startswith(f"history.{form}: {ran + 1} jobs, ")
    for form in WRITERS:
        log = read_workload(tmp_path / f"history.{form}", strict=True)
        assert len(log) == ran
        assert set(log.run_s.tolist()) == {5.0}
        assert set(log.estimate_s.tolist()) == {50.0}
        told = here(capsys, "simulate", f"history.{form}", "--procs", 4, "--policy", "fcfs", "--json", "-")
        assert told.json["metrics"]["finished_jobs"] == ran


async def test_an_accounting_folder_that_cannot_be_is_refused(tmp_path: Path) -> None:
    (tmp_path / "acct").write_text("a file")
    with pytest.raises(MolokiniError, match="acct: file exists"):
        async with served(tmp_path, accounting__folder=str(tmp_path / "acct")):
            pass
    (tmp_path / "acct").unlink()
    async with served(tmp_path, accounting__folder=str(tmp_path / "acct")):
        pass
