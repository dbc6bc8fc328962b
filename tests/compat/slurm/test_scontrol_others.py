"""scontrol: jobs that have ended run again, jobs before others, levels of logs, processes of jobs."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.kit.batch_commands import Cluster, Ran, system_variables


@pytest.fixture
async def cluster(tmp_path: Path) -> AsyncIterator[Cluster]:
    up = ("--nodes", 2, "--procs-per-node", 4, "--clock", "stepped")
    async with system_variables(tmp_path, "slurm", "lsf", up=up) as cluster:
        yield cluster


async def test_what_has_ended_is_requeued(cluster: Cluster) -> None:
    run = cluster.ran

    async def states(*fields: str) -> list[str]:
        return (await run("squeue", "-h", "-t", "all", "-S", "i", "-o", "%i %T %r")).lines

    for words in (("-t", 1), ("-t", 1, "--no-requeue"), ("-t", 1, "--array=0-1")):
        assert (await run("sbatch", *words, "--wrap", "true")).code == 0
    assert (await cluster.molokini("clock", "advance", 90)).code == 0
    assert all(" COMPLETED " in line or " TIMEOUT " in line for line in await states())
    assert await run("scontrol", "requeue", 1) == ("", "", 0)
    assert (await states())[0] == "1 RUNNING None"
    shown = (await run("scontrol", "show", "job", 1)).out
    assert " Restarts=1 " in shown
    assert "JobState=RUNNING" in shown
    done = await run("scontrol", "requeue", 2)
    assert (done.code, done.out) == (1, "")
    assert done.err.startswith("Requested operation is presently disabled: job 2 ")
    assert await run("scontrol", "requeue", "3_1") == ("", "", 0)
    assert (await run("squeue", "-h", "-r", "-o", "%i %T")).lines == ["1 RUNNING", "3_1 RUNNING"]
    assert (await cluster.molokini("clock", "advance", 90)).code == 0
    assert await run("scontrol", "requeuehold", 1) == ("", "", 0)
    assert (await run("squeue", "-h", "-o", "%i %T %r")).lines == ["1 PENDING job requeued in held state"]
    assert await run("scontrol", "release", 1) == ("", "", 0)
    assert (await run("squeue", "-h", "-o", "%i %T")).lines == ["1 RUNNING"]
    done = await run("scontrol", "requeue", 99)
    assert (done.out, done.code) == ("", 1)


async def test_lsf_sends_back_what_has_ended_by_its_end(cluster: Cluster) -> None:
    run = cluster.ran
    assert (await run("bsub", "-r", "-W", 1, "true")).code == 0
    assert (await run("bsub", "-r", "-W", 600, "true")).code == 0
    assert (await cluster.molokini("clock", "advance", 90)).code == 0
    assert (await run("bkill", 2)).code == 0
    assert (await cluster.molokini("clock", "advance", 90)).code == 0
    stat = (await run("bjobs", "-noheader", "-o", "jobid stat", "-a")).lines
    assert stat[1] == "2 EXIT"
    assert (await run("brequeue", 2)) == ("", "Job <2>: Job has already finished\n", 255)
    assert (await run("brequeue", "-e", "-H", 2)) == ("Job <2> is being requeued\n", "", 0)
    assert (await run("bjobs", "-noheader", "-o", "stat", 2)).out == "PSUSP\n"
    flag = "-d" if stat[0] == "1 DONE" else "-e"
    assert (await run("brequeue", flag, 1)) == ("Job <1> is being requeued\n", "", 0)
    assert (await run("bjobs", "-noheader", "-o", "stat", 1)).out == "RUN\n"
    assert (await run("brequeue", "-e", 1)) == ("", "Job <1>: Job has not finished yet\n", 255)
    assert (await run("brequeue", "-a", 1)) == ("Job <1> is being requeued\n", "", 0)


async def test_a_job_goes_before_others_of_its_user(cluster: Cluster) -> None:
    run = cluster.ran
    assert (await run("sbatch", "-n", 8, "--wrap", "true")).code == 0
    for nice in (0, -5, 3):
        assert (await run("sbatch", f"--nice={nice}", "--wrap", "true")).code == 0
    assert await run("scontrol", "top", 4) == ("", "", 0)
    nices = (await run("squeue", "-h", "-t", "PD", "-S", "i", "-O", "jobid:3,nice:5")).lines
    assert nices == ["2  0    ", "3  -5   ", "4  -6   "]
    assert await run("scontrol", "top", "2,3") == ("", "", 0)
    first, second, third = (
        int(line) for line in (await run("squeue", "-h", "-t", "PD", "-S", "i", "-o", "%y")).lines
    )
    assert first < second < third
    assert (await run("scontrol", "top")).err == "too few arguments for keyword:top\n"
    assert (await run("scontrol", "top", "x")).code == 1
    assert (await run("scontrol", "top", 1)).err == "Job is no longer pending execution for job 1\n"
    assert (await run("scontrol", "hold", 2)).code == 0
    held = "Job is in held state, pending scheduler release for job 2\n"
    assert (await run("scontrol", "top", 2)).err == held
    assert (await run("scontrol", "requeue", 2)).err == "Job is pending execution for job 2\n"
    running = await run("scontrol", "update", "JobId=1", "Features=x")
    assert running.err == "Job is no longer pending execution for job 1\n"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("setdebug", "debug2"), ""),
        (("setdebug", "3"), ""),
        (("setdebug", "loud"), "invalid debug level: loud\n"),
        (("setdebug",), "too few arguments for keyword:setdebug\n"),
        (("setdebugflags", "+backfill", "+Gres"), ""),
        (("setdebugflags", "backfill"), "invalid debug flag: backfill\n"),
        (("schedloglevel", "enable"), ""),
        (("schedloglevel", "7"), "invalid schedlog level: 7\n"),
        (("listpids", "999999"), "Job 999999 does not exist on this node.\n"),
        (("listpids", "x"), "Invalid job id: x\n"),
        (("pidinfo", "1"), "scontrol_pid_info error: Invalid job id specified\n"),
    ],
)
async def test_what_administrators_set(cluster: Cluster, words: tuple[str, ...], said: str) -> None:
    assert await cluster.ran("scontrol", *words) == Ran("", said, 1 if said else 0)


async def test_processes_of_jobs(cluster: Cluster) -> None:
    """A process with the variables of a job is found by them."""
    assert (await cluster.ran("sbatch", "--wrap", "true")).code == 0
    script = 'SLURM_JOB_ID=1 SLURM_STEP_ID=0 SLURM_LOCALID=0 SLURM_PROCID=0 bash -c "scontrol listpids 1.0"'
    shown = (await cluster.ran("bash", "-c", script)).lines
    assert shown[0] == "PID      JOBID    STEPID LOCALID GLOBALID"
    assert shown[1].split()[1:] == ["1", "0", "0", "0"]
    script = 'SLURM_JOB_ID=1 bash -c "scontrol pidinfo \\$\\$; true"'
    shown = (await cluster.ran("bash", "-c", script)).lines
    assert shown[0].startswith("Slurm job id 1 ends at ")
    assert shown[1].startswith("slurm_get_rem_time is ")
