"""``up --mode process`` and the commands beside it, as a user types them; and what they refuse."""

import asyncio
import json
import os
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.torture.real_processes import ROOTS, DidNotStart, Process

pytestmark = pytest.mark.waits


class Said(NamedTuple):
    """What a command has printed, and its exit code."""

    out: str
    err: str
    code: int


async def molokini(folder: Path, *words: object) -> Said:
    """Run the command in *folder*, where the state is."""
    running = await asyncio.create_subprocess_exec(
        sys.executable,
        *("-m", "molokini.clients.command"),
        *map(str, words),
        cwd=folder,
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": ROOTS},
    )
    out, err = await running.communicate()
    assert running.returncode is not None
    return Said(out.decode(), err.decode(), running.returncode)


@pytest.fixture
async def cluster(tmp_path: Path) -> AsyncIterator[Path]:
    """A machine that is a batch system; the folder in which to call commands."""
    server = await Process.start(
        ("up", "--mode", "process", "--processors", 4, "--policy", "fcfs"), tmp_path / "log"
    )
    try:
        assert "1 nodes, 4 processors" in server.ready
        yield tmp_path
        assert await server.stop() == 0
    finally:
        if server.alive:
            await server.kill()


@pytest.mark.deep
async def test_a_signal_at_once_after_the_ready_line_is_a_graceful_stop(tmp_path: Path) -> None:
    for nodes in range(1, 5):
        server = await Process.start(("up", "--nodes", nodes, "--state", f"state{nodes}"), tmp_path / "log")
        assert await server.stop() == 0


@pytest.mark.dear("a cluster of real processes from its start to its end")
async def test_a_session(cluster: Path) -> None:
    submitted = await molokini(
        cluster, "submit", "--processors", 2, "--", "sh", "-c", "echo one; sleep 0.3; echo two"
    )
    assert submitted == Said("1\n", "", 0)
    # It follows what is not there yet, and ends with the job.
    assert await molokini(cluster, "logs", 1, "--follow") == Said("one\ntwo\n", "", 0)
    assert await molokini(cluster, "logs", 1) == Said("one\ntwo\n", "", 0)
    assert (await molokini(cluster, "wait", 1)).code == 0
    job = json.loads((await molokini(cluster, "job", 1, "--json")).out)
    assert (job["state"], job["exit_code"], len(job["allocation"])) == ("completed", 0, 1)


@pytest.mark.deep
async def test_a_script_its_error_and_an_array(cluster: Path) -> None:
    script = cluster / "job.sh"
    script.write_text("#!/bin/sh\necho out $MOLOKINI_ARRAY_INDEX\necho error >&2\nexit 3\n")
    given = ("submit", "--array", "5-6", "--error", "err-%j-%a", script)
    assert (await molokini(cluster, *given)).out == "1\n"
    assert (await molokini(cluster, "wait", 1)).code == 1
    assert (await molokini(cluster, "logs", "1[6]")).out == "out 6\n"
    assert (await molokini(cluster, "logs", "1[5]", "--error")).out == "error\n"
    whole = await molokini(cluster, "logs", 1)
    assert (whole.err, whole.code) == ("molokini: job 1 is an array; name one of its elements: 1[5]\n", 2)
    assert "no job 99" in (await molokini(cluster, "logs", 99)).err


@pytest.mark.deep
async def test_what_cannot_be_printed(cluster: Path) -> None:
    await molokini(cluster, "submit", "--hold", "--", "true")
    said = await molokini(cluster, "logs", 1)
    assert (said.err, said.code) == ("molokini: job 1 has not started: held; --follow waits for it\n", 2)
    await molokini(cluster, "cancel", 1)
    await molokini(cluster, "submit", "--", "./no-such-program")
    await molokini(cluster, "wait", 2)
    assert "./no-such-program: No such file or directory" in (await molokini(cluster, "job", 2)).out
    (cluster / "molokini-2.out").unlink(missing_ok=True)
    assert (
        f"{cluster}/molokini-2.out: there is no such file on this machine"
        in (await molokini(cluster, "logs", 2, "--follow")).err
    )


@pytest.mark.deep
async def test_prolog_and_epilog_of_one_machine(tmp_path: Path) -> None:
    for name in ("prolog", "epilog"):
        (tmp_path / name).write_text(f"#!/bin/sh\necho {name} $MOLOKINI_JOB_ID >> {tmp_path}/notes\n")
        (tmp_path / name).chmod(0o755)
    hooks = ("--prolog", "prolog", "--epilog", tmp_path / "epilog", "--hook-limit", 30, "--kill-limit", 9)
    server = await Process.start(("up", "--mode", "process", *hooks, "--policy", "fcfs"), tmp_path / "log")
    try:
        assert (await molokini(tmp_path, "submit", "--", "sh", "-c", "echo job >> notes")).out == "1\n"
        assert (await molokini(tmp_path, "wait", 1)).code == 0
        assert (tmp_path / "notes").read_text() == "prolog 1\njob\nepilog 1\n"
        assert await server.stop() == 0
    finally:
        if server.alive:
            await server.kill()


@pytest.mark.quick(one_in=20)
@pytest.mark.parametrize(
    ("given", "told"),
    [
        (("up", "--mode", "nonsense"), "emulate or process"),
        (("up", "--mode", "process", "--nodes", 4), "--nodes"),
        (("up", "--mode", "process", "--clusters", "2x2"), "--clusters"),
        (("up", "--mode", "process", "--clock", "stepped"), "real jobs take real time"),
        (("up", "--mode", "process", "--processors", 0), "from 1 to 1,048,576"),
        (("up", "--processors", 4), "--procs-per-node"),
        (("up", "--kill-limit", 4), "--mode process"),
        (("up", "--prolog", "/bin/true"), "--mode process"),
        (("up", "--mode", "process", "--prolog", "/etc/passwd"), "not an executable file"),
        (("up", "--mode", "process", "--kill-limit", 0), "from 0.001 to 3,600 seconds"),
        (("up", "--mode", "process", "--hook-limit", "nan"), "from 0.001 to 3,600 seconds"),
        (("agent", "--server", "127.0.0.1:1", "--mode", "process", "--nodes", 4), "--nodes"),
        (
            ("agent", "--server", "127.0.0.1:1", "--mode", "process", "--follow-clock"),
            "real jobs take real time",
        ),
        (
            (
                "agent",
                "--server",
                "127.0.0.1:1",
                "--mode",
                "process",
                "--slots-from-cpus",
                "--processors",
                9999,
            ),
            "--processors",
        ),
        (("agent", "--server", "127.0.0.1:1", "--mode", "process", "--grace", -1), "from 0 to 3,600 seconds"),
        (
            ("agent", "--server", "127.0.0.1:1", "--mode", "process", "--most-processes", 0),
            "--most-processes",
        ),
        (("agent", "--server", "127.0.0.1:1", "--mode", "process", "--spool", "/dev/null/x"), "/dev/null/x"),
    ],
)
async def test_what_is_refused(tmp_path: Path, given: tuple[object, ...], told: str) -> None:
    """With one line and exit code 2, and without a trace."""
    if given[0] == "agent":
        # A machine has one agent of a name for a server, and other tests try theirs at the same time.
        given = (*given, "--name", f"one-{os.getpid()}")
    with pytest.raises(DidNotStart) as refused:
        await Process.start(given, tmp_path / "log")
    assert refused.value.status == 2
    lines = refused.value.said.strip().splitlines()
    assert len(lines) == 1
    assert told in lines[0]
    assert [path.name for path in tmp_path.iterdir()] == ["log"]
