"""Real jobs on this machine: how soon, how many, and what agent and supervisors take.

The server of ``up --mode process`` is a process of its own; jobs are ``true`` and ``sleep``. There are 16
places for them on the cores that there are, so that the cores are what bounds them.
"""

import asyncio
import os
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from benchmarks import live
from molokini.client import Client, job_spec
from molokini.supervisor.cgroups import ControlGroup, bases, remove_bases

PLACES = 16
ROUNDS = 15
MANY = 1_000
SIXTY_FOUR = "import os, time\ninput()\nfor _ in range(6): os.fork()\ntime.sleep(1000)"
"""A program of 64 processes."""
SPAWNING = (
    "import os, sys\n"
    "for _ in range(int(sys.argv[1])): os.waitpid(os.posix_spawn('/bin/true', ['true'], {}), 0)"
)


def rows() -> list[dict[str, Any]]:
    """Figures of a node that runs its jobs."""
    with tempfile.TemporaryDirectory() as folder:
        return asyncio.run(_rows(Path(folder)))


async def _rows(folder: Path) -> list[dict[str, Any]]:
    many = 200 if live.QUICK else MANY
    async with up(folder) as (client, server):
        trivial: dict[str, Any] = {
            "argv": ["true"],
            "processors": 1,
            "estimate_s": 60.0,
            "working_directory": str(folder),
            "stdout_path": "/dev/null",
        }
        soon_s = [await _one(client, trivial) for _ in range(ROUNDS)]
        began = time.perf_counter()
        taken = await client.submit_many([job_spec(trivial)] * many)
        await client.wait([one for one in taken if isinstance(one, int)])
        single = many / (time.perf_counter() - began)
        began = time.perf_counter()
        await client.wait([await client.submit(**trivial, array=f"1-{many}")])
        array = many / (time.perf_counter() - began)
        supervisor_kb, own_kb = await _supervisor(client, folder, server)
    agent_mb = _agent_mb(folder)
    suspend_ms, resume_ms = _freezing(folder)
    return [
        live.row(
            "submit to completed, 'true' on an idle agent (median)",
            1000 * statistics.median(soon_s),
            "ms",
            -60,
        ),
        live.row(f"{many:,} trivial jobs, end to end", single, "/s", 250),
        live.row(f"an array of {many:,} trivial elements", array, "/s", 600),
        live.row("spawning 'true' alone, by two processes (the ceiling)", _ceiling(many), "/s", None),
        live.row("agent with nothing running, resident", agent_mb, "MB", -60),
        live.row("supervisor of a job, resident", supervisor_kb / 1000, "MB", -10),
        live.row("the same, its own (PSS)", own_kb / 1000, "MB", None),
        live.row("suspend a job of 64 processes", suspend_ms, "ms", -20),
        live.row("resume it", resume_ms, "ms", -20),
    ]


@asynccontextmanager
async def up(folder: Path, policy: str = "fcfs", places: int = PLACES) -> AsyncIterator[tuple[Client, int]]:
    given = (
        "up",
        "--mode",
        "process",
        "--processors",
        str(places),
        "--policy",
        policy,
        "--state",
        str(folder / "st"),
    )
    command = [sys.executable, "-m", "molokini.clients.command", *given]
    server = subprocess.Popen(
        command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    )
    assert server.stdout is not None
    try:
        ready = server.stdout.readline()
        target = ready.split("molokini is ready: ")[1].split(",")[0]
        token = (folder / "st" / "token").read_text().strip()
        async with Client.connect(target, token) as client:
            yield client, server.pid
    finally:
        server.terminate()
        server.wait(30)


def _ceiling(many: int) -> float:
    """How many programs a second this machine can start and wait for, with nothing around them."""
    program = [sys.executable, "-I", "-S", "-c", SPAWNING, str(many // 2)]
    began = time.perf_counter()
    spawners = [subprocess.Popen(program) for _ in range(2)]
    assert not any(one.wait() for one in spawners)
    return many / (time.perf_counter() - began)


async def _one(client: Client, spec: dict[str, Any]) -> float:
    began = time.perf_counter()
    await client.wait([await client.submit(**spec)])
    return time.perf_counter() - began


async def _supervisor(client: Client, folder: Path, server: int) -> tuple[float, float]:
    """Memory of the supervisor of a running job, and what of it is its own share: kilobytes."""
    job = await client.submit(
        argv=["sleep", "60"], processors=1, estimate_s=90.0, working_directory=str(folder)
    )
    lock = folder / "st" / "jobs" / "jobs" / f"{job}-1" / "lock"
    # The folder may have been another attempt's before: without a number, and with an empty record.
    while not (lock.exists() and (pid := int(lock.read_bytes() or b"0")) and _has_begun(lock.parent)):
        await asyncio.sleep(0.01)
    found = field(Path(f"/proc/{pid}/status"), "VmRSS:"), field(Path(f"/proc/{pid}/smaps_rollup"), "Pss:")
    await client.cancel([job])
    await client.wait([job])
    return found


def _has_begun(folder: Path) -> bool:
    record = folder / "record"
    return record.exists() and bool(record.read_bytes().strip())


def field(path: Path, name: str) -> float:
    return next(float(line.split()[1]) for line in path.read_text().splitlines() if line.startswith(name))


def _agent_mb(folder: Path) -> float:
    """What an agent by itself has loaded before it talks to a server."""
    program = (
        "import os, time\n"
        "from pathlib import Path\n"
        "from molokini.app import agent, process_agent\n"
        "from molokini.processes.agent import ProcessAgent\n"
        "from molokini.processes.spool import Spool\n"
        "from molokini.processes.launch_records import Rules\n"
        "from molokini.proto.v1.agent_service_pb2 import NodeOffer\n"
        f"spool = Spool(Path({str(folder / 'spool')!r}))\n"
        "made = ProcessAgent('a', NodeOffer(names='n', processors=1), "
        "spool, Rules(), monotonic=time.monotonic)\n"
        "print(next(line for line in open('/proc/self/status') if line.startswith('VmRSS')))\n"
        "made.stop()\n"
    )
    said = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True).stdout
    return int(said.split()[1]) / 1000


def _freezing(folder: Path) -> tuple[float, float]:
    """Median times to stop and to continue a job of 64 processes: milliseconds."""
    groups = bases("molokini-bench")
    group = ControlGroup(-1, groups, "64") if groups else None
    if group is None:
        return 0.0, 0.0
    group.make(0, 0, "")
    running = subprocess.Popen([sys.executable, "-c", SIXTY_FOUR], cwd=folder, stdin=subprocess.PIPE)
    for path in groups.values():
        place = Path(path) / "64" / "cgroup.procs"
        if place.exists():
            place.write_text(str(running.pid))
    assert running.stdin is not None
    # It is in the group before it forks.
    running.stdin.write(b"\n")
    running.stdin.flush()
    while len(group.pids()) < 64:
        time.sleep(0.01)
    stops, goes = [], []
    try:
        for _ in range(ROUNDS):
            began = time.perf_counter()
            group.suspend()
            middle = time.perf_counter()
            group.resume()
            stops.append(middle - began)
            goes.append(time.perf_counter() - middle)
    finally:
        for pid in group.pids():
            os.kill(pid, signal.SIGKILL)
        running.wait()
        while group.pids():
            time.sleep(0.01)
        group.remove()
        remove_bases(groups)
    return 1000 * statistics.median(stops), 1000 * statistics.median(goes)


if __name__ == "__main__":
    import json

    print(json.dumps(rows(), indent=2))
