"""Four batch systems and one cluster: what one submits, holds and ends, all others see at once, and agree
on."""

import asyncio
import getpass
import time
from pathlib import Path

import pytest

from tests.kit.batch_commands import Cluster, system_variables_process
from tests.kit.waiting import DEADLINE_S

UP = ("--nodes", 1, "--procs-per-node", 2, "--policy", "fcfs", "--clock", "stepped")
SLURM = {"R": "runs", "PD": "waits", "S": "stopped", "CD": "done", "CA": "cancelled"}
PBS = {"R": "runs", "Q": "waits", "H": "waits", "S": "stopped", "F": "over"}
LSF = {"RUN": "runs", "PEND": "waits", "PSUSP": "waits", "USUSP": "stopped", "DONE": "done"}
LSF["EXIT"] = "cancelled"


async def in_slurm(cluster: Cluster) -> dict[int, str]:
    done = await cluster.ran("squeue", "-h", "-t", "all", "-o", "%i %t")
    assert done.code == 0, done
    return {int(number): SLURM[state] for number, state in map(str.split, done.lines)}


async def in_pbs(cluster: Cluster) -> dict[int, str]:
    done = await cluster.ran("qstat", "-x")
    assert done.code == 0, done
    rows = [line.split() for line in done.lines[2:]]
    return {int(row[0].partition(".")[0]): PBS[row[4]] for row in rows}


async def in_lsf(cluster: Cluster) -> dict[int, str]:
    done = await cluster.ran("bjobs", "-u", "all", "-a", "-noheader", "-o", "jobid stat")
    assert done.code == 0, done
    return {int(number): LSF[state] for number, state in map(str.split, done.lines)}


async def in_maui(cluster: Cluster) -> set[int]:
    """What has not ended."""
    done = await cluster.ran("showq")
    assert done.code == 0, done
    rows = [words for line in done.lines if len(words := line.split()) > 4]
    return {int(words[0]) for words in rows if words[1] == getpass.getuser()}


async def agree(cluster: Cluster, **wanted: str) -> None:
    """All listings say this of the jobs ``j1``, ``j2``, ..."""
    jobs = {int(name[1:]): state for name, state in wanted.items()}
    over = ("done", "cancelled")
    # A command is answered before the policy has made its pass.
    deadline_s = time.monotonic() + DEADLINE_S
    while await in_slurm(cluster) != jobs and time.monotonic() < deadline_s:
        await asyncio.sleep(0.05)
    assert await in_slurm(cluster) == jobs
    assert await in_lsf(cluster) == jobs
    assert await in_pbs(cluster) == {job: "over" if state in over else state for job, state in jobs.items()}
    assert await in_maui(cluster) == {job for job, state in jobs.items() if state not in over}


@pytest.mark.dear("all batch systems in one cluster")
@pytest.mark.deep
async def test_one_cluster_for_all(tmp_path: Path) -> None:
    script = "#!/bin/sh\ntrue\n"
    async with system_variables_process(tmp_path, "pbs", "lsf", "slurm", "maui", up=UP) as cluster:
        assert (await cluster.ran("sbatch", "--parsable", "-n", 2, "-t", 10, "--wrap", "true")).out == "1\n"
        await agree(cluster, j1="runs")
        submitted = await cluster.ran("qsub", "-l", "select=1:ncpus=2,walltime=0:10:0", "-", given=script)
        assert submitted.out == "2.molokini\n"
        await agree(cluster, j1="runs", j2="waits")
        done = await cluster.ran("bsub", "-n", 2, "-W", 10, "-q", "default", given=script)
        assert done.out == "Job <3> is submitted to queue <default>.\n"
        await agree(cluster, j1="runs", j2="waits", j3="waits")
        assert (await cluster.ran("scontrol", "hold", 2)).code == 0
        await cluster.molokini("clock", "advance", 600)
        await agree(cluster, j1="done", j2="waits", j3="runs")
        assert (await cluster.ran("bstop", 3)).code == 0
        await agree(cluster, j1="done", j2="waits", j3="stopped")
        assert (await cluster.ran("bresume", 3)).code == 0
        assert (await cluster.ran("qrls", 2)).code == 0
        await agree(cluster, j1="done", j2="waits", j3="runs")
        assert await cluster.ran("scontrol", "reconfigure") == ("", "", 0)
        assert (await cluster.ran("canceljob", 2)).code == 0
        await agree(cluster, j1="done", j2="cancelled", j3="runs")
        assert (await cluster.ran("scancel", 3)).code == 0
        await cluster.molokini("clock", "advance", 10)
        await agree(cluster, j1="done", j2="cancelled", j3="cancelled")
