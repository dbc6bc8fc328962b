"""Real jobs take turns by a policy: parallel programs on two agents, in rows and without; faults; limits."""

import asyncio
import os
import shutil
import time
from pathlib import Path
from typing import Any

import pytest

from exchange.work import sequential
from molokini.client.client import Client
from molokini.processes.spool import Spool
from molokini.proto.v1.jobs_pb2 import JobState
from molokini.supervisor.cgroups import bases
from tests.kit.exchanging import COMMAND, SMALL, one_line
from tests.kit.real_cluster import Cluster, cluster
from tests.kit.real_jobs import until
from tests.kit.waiting import DEADLINE_S
from tests.torture.real_processes import Process

pytestmark = pytest.mark.waits

ROWS: dict[str, Any] = {"policy.name": "gs", "policy.parameters.mpl": 2, "policy.parameters.quantum_s": 0.1}
WINDOW_S, RUN_S = 4.0, 12
"""So long rates are measured, while both programs run."""


def with_control_groups(folder: Path) -> None:
    """Skip where jobs have no control groups, or two agents no processors of their own."""
    if os.geteuid() != 0 or "cpu" not in bases(Spool.group_of(folder / "jobs")):
        pytest.skip("needs root and control groups with the controller cpu")
    if len(os.sched_getaffinity(0)) < 2 or not shutil.which("taskset"):
        pytest.skip("needs two processors and taskset")


async def two_programs(here: Cluster) -> list[int]:
    """Two runs of the example, each with a task on either agent.

    Each agent has a processor of its own: else the kernel may keep both tasks of a program on one.
    """
    for name, processor in zip(("one", "two"), sorted(os.sched_getaffinity(0)), strict=False):
        await here.agent(name, processors=1, inside=("taskset", "-c", str(processor)))
    said = ("--seconds", str(RUN_S), "--address", "127.0.0.1", *SMALL)
    given: dict[str, Any] = {"processors": 2, "estimate_s": 600.0, "working_directory": str(here.folder)}
    return [await here.client.submit(argv=[*COMMAND, *said], **given) for _ in (0, 1)]


async def iterations(client: Client, job: int) -> int:
    """How many its program has told of."""
    return max((rate.iteration for rate in (await client.job(job)).rates.values()), default=0)


async def rates_of(client: Client, jobs: list[int]) -> list[float]:
    """Iterations a second of each, by its own account, over one window."""
    async with asyncio.timeout(DEADLINE_S):
        while min([await iterations(client, job) for job in jobs]) < 3:
            await asyncio.sleep(0.05)
    began, before = time.monotonic(), [await iterations(client, job) for job in jobs]
    await asyncio.sleep(WINDOW_S)
    after = [await iterations(client, job) for job in jobs]
    took_s = time.monotonic() - began
    return [(b - a) / took_s for a, b in zip(before, after, strict=True)]


async def assert_right(here: Cluster, jobs: list[int]) -> list[Any]:
    """Both end well, with the checksum of one process that does all of it."""
    waited = await here.client.wait(jobs, 120.0)
    assert [job.state for job in waited.jobs] == [JobState.COMPLETED] * 2
    for job in jobs:
        printed = one_line((here.folder / f"molokini-{job}.out").read_text())
        alone = sequential(2, "ring", seed=1, rounds=printed["iterations"], units=3, words=5000)
        assert printed["checksum"] == alone
    return [await here.client.job(job) for job in jobs]


@pytest.mark.deep
async def test_two_programs_in_rows_and_by_quotas(tmp_path: Path, record_property: Any) -> None:
    """In rows both get on alike. Without, each agent shares its processor out for itself."""
    with_control_groups(tmp_path)
    rates: dict[str, list[float]] = {}
    by_policy: dict[str, dict[str, Any]] = {"gs": ROWS, "ps": {"policy.name": "ps"}}
    for policy, settings in by_policy.items():
        (tmp_path / policy).mkdir()
        async with cluster(tmp_path / policy, **settings) as here:
            jobs = await two_programs(here)
            rates[policy] = await rates_of(here.client, jobs)
            if policy == "gs":
                ordered = [(await here.client.job(job)).slicing for job in jobs]
                assert [list(one.row) for one in ordered] == [[0], [1]]
                assert {(one.rows, one.quantum_s, one.origin_s) for one in ordered} == {
                    (2, 0.1, ordered[0].origin_s)
                }
                for job in jobs:
                    achieved = (await here.client.job(job)).achieved
                    assert set(achieved) == {"one", "two"}
                    for one in achieved.values():
                        assert (one.periods > 10, one.trouble) == (True, "")
                        assert one.on_s / one.elapsed_s == pytest.approx(0.5, abs=0.1)
            ended = await assert_right(here, jobs)
        for job in ended:
            assert set(job.rates) == {job.allocation[0].node}
            assert job.elapsed_s > RUN_S * 0.9
        if policy == "gs":
            for job in ended:
                # Of two processors it had no more than its turns, and the time before it was taken up.
                assert job.cpu_s < 1.4 * job.elapsed_s
    told = {policy: [round(rate, 1) for rate in found] for policy, found in rates.items()}
    print(f"iterations a second: {told}")
    record_property("iterations_per_s", told)
    first, second = rates["gs"]
    assert first / (first + second) == pytest.approx(0.5, abs=0.1)
    assert min(rates["ps"]) > 0.0


async def ordered_rows(client: Client) -> dict[int, list[int]]:
    """In which rows jobs are to compute."""
    return {line.job.id: list(line.slicing.row) for line in await client.slices() if line.slicing.row}


async def until_sliced(client: Client, wanted: dict[int, list[int]]) -> None:
    """Wait until jobs are ordered into these rows, and an agent has had five cycles of them."""
    async with asyncio.timeout(DEADLINE_S):
        while True:
            lines = await client.slices()
            found = {line.job.id: list(line.slicing.row) for line in lines if line.slicing.row}
            cycles = [max([0, *(one.periods for one in line.achieved.values())]) for line in lines]
            if found == wanted and min(cycles) >= 5:
                return
            await asyncio.sleep(0.1)


async def test_rows_outlive_agent_and_server(tmp_path: Path) -> None:
    async with cluster(tmp_path, **ROWS) as here:
        agent = await here.agent(processors=1)
        # Alone it has both rows: its slices follow it until the other comes.
        jobs = await here.submit(2)
        rows = {jobs[0]: [0], jobs[1]: [1]}
        await until_sliced(here.client, rows)
        await agent.kill()
        agent = await here.agent(processors=1)
        await until_sliced(here.client, rows)
        await here.server.kill()
        await here.serve_again()
        # What was achieved is known again when the agent has told of it.
        await until_sliced(here.client, rows)
        assert len(here.runs("began")) == 2
        here.end(jobs[:1])
        await here.client.wait(jobs[:1], 60.0)
        async with asyncio.timeout(DEADLINE_S):
            while await ordered_rows(here.client) != {jobs[1]: [0, 1]}:
                await asyncio.sleep(0.1)
        here.end(jobs[1:])
        ended = (await here.client.wait(jobs, 60.0)).jobs
        # A job that did not end has state, slices and reason in the message.
        assert [job.exit_code for job in ended] == jobs, [await here.client.job(job) for job in jobs]


async def origins(client: Client) -> dict[int, float]:
    """Of jobs that have rows: when these begin, on the server's clock."""
    return {line.job.id: line.slicing.origin_s for line in await client.slices() if line.slicing.quantum_s}


async def in_rows(client: Client, quantum_s: float, given: dict[str, Any]) -> tuple[list[int], float]:
    """Two jobs that have begun, each in a row of its own, and the seconds left of the quantum then.

    Rows follow the server's clock, not the jobs: where the rest is near the limit, both ways to count
    end the jobs at about the same instant. They are cancelled then, and others begin with the next quantum.
    """
    while True:
        began_s = time.monotonic()
        jobs = [await client.submit(**given) for _ in (0, 1)]
        async with asyncio.timeout(DEADLINE_S):
            while set(jobs) - (origins_s := await origins(client)).keys():
                await asyncio.sleep(0.05)
        origin_s = origins_s[jobs[0]]
        left_s = quantum_s - (began_s - origin_s) % quantum_s
        if not 5.6 < left_s < 8.2:
            return jobs, left_s
        await client.cancel(jobs)
        await client.wait(jobs, 60.0)
        await asyncio.sleep((origin_s - time.monotonic()) % quantum_s)


@pytest.mark.deep
async def test_a_limit_counts_the_slices_of_its_rows(tmp_path: Path) -> None:
    """Each has eight seconds of slices. By their mean rate both would end after sixteen, one with too few.

    By that rate work is counted until the windows are known: on a busy machine some seconds.
    """
    quantum_s, limit_s = 12.0, 8.0
    async with cluster(tmp_path, **{**ROWS, "policy.parameters.quantum_s": quantum_s}) as here:
        await here.agent(processors=1)
        spin = "echo began $MOLOKINI_JOB_ID $MOLOKINI_ATTEMPT $$ >> runs; while :; do :; done"
        given: dict[str, Any] = {"processors": 1, "working_directory": str(tmp_path), "estimate_s": limit_s}
        jobs, left_s = await in_rows(here.client, quantum_s, {**given, "argv": ["sh", "-c", spin]})
        waited = await here.client.wait(jobs, 120.0)
        assert [job.state for job in waited.jobs] == [JobState.TIMED_OUT] * 2
        # The row that has its turn first ends its job in it, or the other ends its own in the turn after.
        in_turn_s = limit_s if left_s >= limit_s else left_s + limit_s
        first_s, last_s = sorted(job.elapsed_s for job in waited.jobs)
        assert in_turn_s - 0.2 < first_s < in_turn_s + 2.2
        assert 14.0 < last_s < 32.0


@pytest.mark.deep
async def test_what_real_nodes_cannot_do_is_told_in_one_line(tmp_path: Path) -> None:
    """As an administrator types it."""
    async with cluster(tmp_path) as here:
        await here.agent(processors=1)
        for words, told in (
            (("mgs",), "policy: mgs migrates jobs, and real processes cannot be: choose gs or bgs"),
            (("mbgs",), "policy: mbgs migrates jobs, and real processes cannot be: choose gs or bgs"),
            (
                ("gs", "--set", "mpl=2", "--set", "quantum_s=0.009"),
                "quantum_s: 0.009 is not allowed;",
            ),
        ):
            code, out, err = await molokini(here, "policy", *words)
            assert (code, out, err.count("\n")) == (2, "", 1)
            assert err.startswith(f"molokini: {told}")
        assert (await molokini(here, "policy", "gs", "--set", "mpl=2", "--set", "quantum_s=0.01"))[0] == 0


@pytest.mark.deep
async def test_up_refuses_what_its_own_node_cannot_do(tmp_path: Path) -> None:
    log = tmp_path / "log"
    began = await Process.begin(("up", "--mode", "process", "--processors", 1, "--policy", "mgs"), log)
    await began.running.communicate()
    assert began.running.returncode == 2
    told = "policy mgs migrates jobs, and real processes cannot be: choose gs or bgs, then let the agent join"
    assert log.read_text().splitlines()[-1] == f"molokini: the server refuses this agent: nodes: {told}"


async def molokini(here: Cluster, *words: object) -> tuple[int, str, str]:
    """Exit code, output and errors of a command."""
    token, log = here.folder / "state" / "token", here.folder / "command.log"
    more = {"MOLOKINI_SERVER": here.target, "MOLOKINI_TOKEN_FILE": str(token)}
    log.write_text("")
    began = await Process.begin(words, log, more)
    out, _ = await began.running.communicate()
    code = began.running.returncode
    assert code is not None
    await until(log.exists)
    return code, out.decode(), log.read_text()
