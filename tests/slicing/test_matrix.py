"""Two jobs of two tasks under a matrix of two rows, on two agents whose clocks are far apart; and shares.

Each agent runs in a time namespace of its own, where its monotonic clock stands elsewhere than the server's.
The tasks note when they compute, by the clock of the day, which is the same for all.
"""

import asyncio
import json
import shutil
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest

from exchange.work import sequential
from molokini.client.client import Client
from molokini.model.slicing import Slicing
from molokini.processes.spool import Spool
from molokini.proto.v1.jobs_pb2 import JobState
from molokini.supervisor.cgroups import bases
from tests.kit.exchanging import COMMAND, SMALL, one_line
from tests.kit.real_cluster import Cluster, cluster
from tests.kit.real_jobs import until
from tests.kit.waiting import DEADLINE_S
from tests.torture.real_processes import Process

pytestmark = pytest.mark.waits

TOLERANCE_S = 0.01
"""No task computes farther than this from its row. Measured on two busy cores: 0.05 ms."""
QUANTUM_S = 0.2
AHEAD_S = {"one": 4000, "two": 90_000}

TASK = """
import os, time
with open(f"computed{os.environ['MOLOKINI_JOB_ID']}", "w", buffering=1) as file:
    print("began", file=file)
    began = last = time.time()
    while not os.path.exists("end"):
        now = time.time()
        if now - last > 0.003:
            print(began, last, file=file)
            began = now
        last = now
"""
"""Notes each stretch of time in which it computed without a gap."""


def in_time_namespaces() -> None:
    """Skip where there can be none."""
    command = ["unshare", "--time", "--monotonic", "5", "true"]
    if not shutil.which("unshare") or subprocess.run(command, capture_output=True).returncode:
        pytest.skip("no time namespace can be made here")


async def start_agent(here: Cluster, name: str) -> None:
    """An agent whose monotonic clock is so far ahead of the server's."""
    given = ("agent", "--server", here.target, "--token-file", here.folder / "state" / "agent-token")
    more = ("--mode", "process", "--processors", 2, "--spool", here.folder / name, "--allow-root")
    inside = ("unshare", "--fork", "--kill-child", "--time", "--monotonic", str(AHEAD_S[name]))
    log = here.folder / f"agent-{name}.log"
    here.agents.append(await Process.start((*given, *more, "--name", name), log, inside=inside))


async def achieved(client: Client, jobs: list[int]) -> dict[int, Any]:
    """What is known of each of these jobs, which one agent runs."""
    found = {}
    for line in await client.slices():
        for agent, one in line.achieved.items():
            assert (agent, one.trouble) == ("one" if line.job.id <= 2 else "two", "")
            found[line.job.id] = one
    return {job: found[job] for job in jobs if job in found}


def stretches(folder: Path, job: int, after_s: float) -> list[tuple[float, float]]:
    """When a task computed, by the server's monotonic clock."""
    ahead_s = time.time() - time.monotonic()
    lines = (folder / f"computed{job}").read_text().splitlines()[1:]
    found = [(float(begins) - ahead_s, float(ends) - ahead_s) for begins, ends in map(str.split, lines)]
    return [one for one in found if one[0] > after_s]


def outside(begins_s: float, ends_s: float, row: int) -> float:
    """How far a stretch of a task reaches out of its row, of two."""
    place_s = (begins_s - row * QUANTUM_S) % (2 * QUANTUM_S)
    # One that begins a little too early lies at the end of the period before.
    early_s = 2 * QUANTUM_S - place_s
    if early_s < QUANTUM_S / 2:
        return max(early_s, ends_s - begins_s - early_s - QUANTUM_S)
    return max(0.0, place_s + (ends_s - begins_s) - QUANTUM_S)


def test_how_far_a_stretch_reaches_out_of_its_row() -> None:
    for begins_s, ends_s, row, far_s in (
        (10.0, 10.2, 0, 0.0),
        (10.0, 10.25, 0, 0.05),
        (9.99, 10.1, 0, 0.01),
        (9.99, 10.23, 0, 0.03),
        (10.2, 10.4, 1, 0.0),
        (10.1, 10.15, 1, 0.15),
        (10.25, 10.3, 0, 0.1),
    ):
        assert outside(begins_s, ends_s, row) == pytest.approx(far_s, abs=1e-6)


@pytest.mark.deep
async def test_two_jobs_of_two_tasks_on_two_agents(tmp_path: Path) -> None:
    in_time_namespaces()
    async with cluster(tmp_path) as here:
        for name in AHEAD_S:
            await start_agent(here, name)
        for _ in range(4):
            argv = ["python3", "-c", TASK]
            await here.client.submit(
                argv=argv, processors=1, estimate_s=600.0, working_directory=str(tmp_path)
            )
        jobs = [1, 2, 3, 4]
        rows = {1: 0, 2: 1, 3: 0, 4: 1}
        await until(lambda: all((tmp_path / f"computed{job}").exists() for job in jobs))
        for job, row in rows.items():
            # One by one: all rows lie on one grid all the same.
            slicing = Slicing(rows=2, row=(row,), quantum_s=QUANTUM_S)
            assert await here.client.slice([job], slicing) == [""]
        found: dict[int, Any] = {}
        while len(found) < 4 or min(one.periods for one in found.values()) < 2:
            found = await achieved(here.client, jobs)
            await asyncio.sleep(0.1)
        after_s = time.monotonic()
        enough = {job: one.periods + 12 for job, one in found.items()}
        while any(found[job].periods < enough[job] for job in jobs):
            found = await achieved(here.client, jobs)
            await asyncio.sleep(0.1)
        (tmp_path / "end").touch()
        assert (await here.client.wait(jobs, 60.0)).all_ended
        for job, row in rows.items():
            computed = stretches(tmp_path, job, after_s)
            assert len(computed) > 10
            assert max(outside(*one, row) for one in computed) < TOLERANCE_S
            assert found[job].on_s / found[job].elapsed_s == pytest.approx(0.5, abs=0.05)
            # What was achieved is still there when the job has ended.
            assert (await achieved(here.client, [job]))[job].periods >= found[job].periods


@pytest.mark.deep
async def test_two_parallel_programs_in_turns_on_two_agents(tmp_path: Path) -> None:
    """Each has a task on either agent. Both get on, say how fast, and compute what they would alone."""
    async with cluster(tmp_path) as here:
        for name in ("one", "two"):
            await here.agent(name)
        said = ("--seconds", "4", "--address", "127.0.0.1", *SMALL)
        jobs = [
            await here.client.submit(
                argv=[*COMMAND, *said],
                nodes=2,
                processors_per_node=1,
                estimate_s=600.0,
                working_directory=str(tmp_path),
            )
            for _ in (0, 1)
        ]
        await until_run(here.client, jobs)
        for row, job in enumerate(jobs):
            slicing = Slicing(rows=2, row=(row,), quantum_s=0.05)
            assert await here.client.slice([job], slicing) == [""]
        told: dict[int, set[int]] = {job: set() for job in jobs}
        while any(len(iterations) < 3 for iterations in told.values()):
            for job in jobs:
                found = await here.client.job(job)
                assert found.state == JobState.RUNNING
                assert list(found.slicing.row) == [jobs.index(job)]
                if found.rates:
                    # Task 0 is on the first node, so one agent alone is told.
                    [rate] = found.rates.values()
                    assert rate.per_s > 0.0
                    told[job].add(rate.iteration)
            await asyncio.sleep(0.05)
        waited = await here.client.wait(jobs, 60.0)
        assert [job.state for job in waited.jobs] == [JobState.COMPLETED] * 2
        for job in jobs:
            printed = one_line((tmp_path / f"molokini-{job}.out").read_text())
            alone = sequential(2, "ring", seed=1, rounds=printed["iterations"], units=3, words=5000)
            assert printed["checksum"] == alone
            ended = await here.client.job(job)
            assert max(told[job]) <= ended.rates[ended.allocation[0].node].iteration <= printed["iterations"]
            assert set(ended.achieved) == {"one", "two"}
            for one in ended.achieved.values():
                assert (one.periods > 10, one.trouble) == (True, "")
                assert one.on_s / one.elapsed_s == pytest.approx(0.5, abs=0.1)


async def until_run(client: Client, jobs: list[int]) -> None:
    """Wait until all of *jobs* run."""
    async with asyncio.timeout(DEADLINE_S):
        for job in jobs:
            while (await client.job(job)).state != JobState.RUNNING:
                await asyncio.sleep(0.02)


@pytest.mark.deep
async def test_slices_outlive_agent_and_server(tmp_path: Path) -> None:
    async with cluster(tmp_path) as here:
        agent = await here.agent()
        [job] = await here.submit(1)
        state = tmp_path / "one" / "jobs" / f"{job}-1" / "state"
        assert await here.client.slice([job], Slicing(period_s=0.1, slice_s=0.05)) == [""]
        await until(state.exists)
        await agent.kill()
        agent = await here.agent()
        # It had the order from the welcome, and measures anew.
        before = time.monotonic()
        periods = 0
        while periods < 5:
            assert time.monotonic() - before < 100.0
            for line in await here.client.slices():
                assert line.slicing.slice_s == 0.05
                periods = max([0, *(one.periods for one in line.achieved.values())])
            await asyncio.sleep(0.1)
        here.end([job])
        await here.client.wait([job], 60.0)
        assert [line.HasField("slicing") for line in await here.client.slices()] == [False]


@pytest.mark.deep
async def test_ps_gives_real_jobs_their_shares(tmp_path: Path) -> None:
    """Two jobs on one processor: half of it each, by quota; and neither ends before its work is done."""
    state = tmp_path / "molokini-state"
    server = await Process.start(
        ("up", "--mode", "process", "--processors", 1, "--policy", "ps"), tmp_path / "log"
    )
    try:
        target = server.ready.split("molokini is ready: ")[1].split(",")[0]
        async with Client.connect(target, (state / "token").read_text().strip()) as client:
            groups = bases(Spool.group_of(state / "jobs"))
            spin = ["python3", "-c", "while True: pass"]
            given: dict[str, Any] = {"argv": spin, "processors": 1, "working_directory": str(tmp_path)}
            jobs = [await client.submit(**given, estimate_s=estimate_s) for estimate_s in (1.0, 2.0)]

            def quotas() -> list[str]:
                paths = [Path(groups["cpu"]) / f"{job}-1" / "cpu.cfs_quota_us" for job in jobs]
                return [path.read_text().strip() if path.exists() else "" for path in paths]

            if "cpu" in groups:
                await until(lambda: quotas() == ["50000", "50000"])
                await until(lambda: quotas() == ["", "-1"])
            waited = await client.wait(jobs, 60.0)
            assert [job.state for job in waited.jobs] == [JobState.TIMED_OUT] * 2
            # Two seconds for the first one, and another one for the rest of the second.
            assert waited.jobs[0].elapsed_s > 1.8
            assert waited.jobs[1].elapsed_s > 2.8
            if "cpu" in groups:
                assert waited.jobs[0].cpu_s < 0.6 * waited.jobs[0].elapsed_s
    finally:
        await server.stop()


@pytest.mark.dear("real processes are sliced for some periods")
@pytest.mark.deep
async def test_the_command_against_a_server(tmp_path: Path) -> None:
    """As an operator types it: an order, what came of it as JSON, and an order that cannot be."""
    async with cluster(tmp_path) as here:
        await here.agent()
        [job] = await here.submit(1)
        said = await _molokini(here, "slices", job, "--period", "0.05", "--slice", "0.02")
        assert said == (0, "", "")
        achieved: list[dict[str, Any]] = []
        while not (achieved and achieved[0]["periods"]):
            _, out, _ = await _molokini(here, "slices", job, "--json")
            [line] = json.loads(out)["slices"]
            achieved = line["achieved"]
        assert line["ordered"]["share"] == pytest.approx(0.4)
        assert 0.0 < achieved[0]["share"] < 0.8
        code, _, err = await _molokini(here, "slices", 99, "--off")
        assert (code, err) == (1, "molokini: no job 99\n")
        assert (await _molokini(here, "slices", job, "--off"))[0] == 0
        here.end([job])
        await here.client.wait([job], 60.0)
        code, _, err = await _molokini(here, "slices", job, "--off")
        assert (code, err) == (1, f"molokini: job {job} does not run (failed)\n")


async def _molokini(here: Cluster, *words: object) -> tuple[int, str, str]:
    token = here.folder / "state" / "token"
    more = {"MOLOKINI_SERVER": here.target, "MOLOKINI_TOKEN_FILE": str(token)}
    began = await Process.begin(words, here.folder / "command.log", more)
    (here.folder / "command.log").write_text("")
    out, _ = await began.running.communicate()
    code = began.running.returncode
    assert code is not None
    return code, out.decode(), (here.folder / "command.log").read_text()
