"""Slurm's commands with jobs that really run."""

import asyncio
import os
import re
import socket
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from tests.kit.batch_commands import Cluster, system_variables

PATIENCE_S = 60.0


@asynccontextmanager
async def slurm(folder: Path) -> AsyncIterator[Cluster]:
    async with system_variables(folder, "slurm", up=("--mode", "process", "--processors", 4)) as cluster:
        yield cluster


async def until_there(path: Path) -> None:
    ends = time.monotonic() + PATIENCE_S
    while not path.exists():
        assert time.monotonic() < ends, f"{path.name} has not come"
        await asyncio.sleep(0.02)


async def until_ended(cluster: Cluster, job: int, state: str) -> None:
    ends = time.monotonic() + PATIENCE_S
    while (found := (await cluster.ran("sacct", "-nXPo", "State", f"-j{job}")).out.strip()) != state:
        assert time.monotonic() < ends, f"job {job} is {found}"
        await asyncio.sleep(0.05)


async def test_scripts_get_their_arguments_files_and_variables(tmp_path: Path) -> None:
    async with slurm(tmp_path) as cluster:
        (tmp_path / "job.sh").write_text(
            "#!/bin/bash\n#SBATCH -n 2 -o out-%x-%j\n"
            'echo "$# $1 $2"\n'
            "echo $SLURM_JOB_ID $SLURM_NTASKS $SLURM_JOB_NODELIST $SLURM_SUBMIT_DIR $FRUIT\nexit 5\n"
        )
        ran = await cluster.ran("sbatch", "-W", "-J", "it", "job.sh", "a b", "$(touch x)", FRUIT="pear")
        assert (ran.out, ran.code) == ("Submitted batch job 1\n", 5)
        lines = (tmp_path / "out-it-1").read_text().splitlines()
        assert lines[0] == "2 a b $(touch x)"
        assert lines[1].split()[:2] == ["1", "2"]
        assert lines[1].endswith(f"{tmp_path} pear")
        assert not (tmp_path / "x").exists()
        rows = await cluster.ran("sacct", "-nP", "-o", "JobID,State,ExitCode", "-j1")
        assert rows.lines == ["1|FAILED|5:0", "1.batch|FAILED|5:0"]
        assert (await cluster.ran("squeue", "-h", "-t", "F", "-o", "%i %t %r %R")).lines == [
            "1 F NonZeroExitCode (NonZeroExitCode)"
        ]
        told = (await cluster.ran("seff", "1")).lines
        assert "State: FAILED (exit code 5)" in told
        bare = await cluster.ran(
            *("sbatch", "-W", "--export=NONE,TREE=elm", "-o", "bare"),
            *("--wrap", "echo ${FRUIT:-none} $TREE; scontrol show hostnames | wc -l"),
            FRUIT="pear",
        )
        assert bare.code == 0
        assert (tmp_path / "bare").read_text() == "none elm\n1\n"
        again = ("sbatch", "-W", "--open-mode=append", "-o", "bare", "--wrap", "echo more")
        assert (await cluster.ran(*again)).code == 0
        assert (tmp_path / "bare").read_text() == "none elm\n1\nmore\n"


async def test_elements_of_an_array_have_numbers_of_their_own(tmp_path: Path) -> None:
    async with slurm(tmp_path) as cluster:
        said = "echo $SLURM_ARRAY_JOB_ID $SLURM_ARRAY_TASK_ID $SLURM_ARRAY_TASK_MIN-$SLURM_ARRAY_TASK_MAX"
        more = "$SLURM_ARRAY_TASK_STEP $SLURM_ARRAY_TASK_COUNT; echo $SLURM_JOB_ID; exit $SLURM_ARRAY_TASK_ID"
        wrap = f"{said}:{more}"
        ran = await cluster.ran("sbatch", "-W", "--array=1-5:2", "-o", "%A_%2a", "-e", "%j", "--wrap", wrap)
        assert ran.code == 5
        for index in (1, 3, 5):
            first, number = (tmp_path / f"1_{index:02}").read_text().splitlines()
            assert first == f"1 {index} 1-5:2 3"
            assert (tmp_path / number).exists()
            assert int(number) == {1: 2, 3: 3, 5: 1}[index]
            # The last element keeps the number of the array, by which all of it is meant.
            shown = "1_1\n1_3\n1_5\n" if index == 5 else f"1_{index}\n"
            assert (await cluster.ran("sacct", "-nXPo", "JobID", "-j", number)).out == shown
            raw = await cluster.ran("sacct", "-nXPo", "JobIDRaw", "-j", f"1_{index}")
            assert raw.out == f"{number}\n"
        default = await cluster.ran("sbatch", "-W", "--array=0", "--wrap=true")
        assert default.code == 0
        assert (tmp_path / "slurm-4_0.out").exists()


async def test_steps_inside_a_job(tmp_path: Path) -> None:
    async with slurm(tmp_path) as cluster:
        (tmp_path / "job.sh").write_text(
            "#!/bin/sh\n#SBATCH -n 3 -o said\n"
            "srun -o rank.%t -e err.%2t sh -c "
            "'echo $SLURM_PROCID $SLURM_LOCALID $SLURM_NODEID $SLURM_NTASKS; echo e >&2'\n"
            "srun -n1 --cpu-bind=q --cpus-per-task 2 sh -s <<EOF\necho $((SLURM_NTASKS + 1)) fed\nEOF\n"
            "srun -l -n2 sh -c 'echo labelled' | sort\n"
            "printf 'x\\n' | srun -n2 cat\n"
            "srun -n 9 true; echo $?\n"
            "srun --quiet -n1 sh -c 'exit 7'; echo $?\n"
            "srun nosuch; echo $?\n"
            "srun -n1 sh -c 'kill -9 $$'; echo $?\n"
        )
        assert (await cluster.ran("sbatch", "-W", "job.sh")).code == 0
        for rank in range(3):
            assert (tmp_path / f"rank.{rank}").read_text() == f"{rank} {rank} 0 3\n"
            assert (tmp_path / f"err.{rank:02}").read_text() == "e\n"
        lines = [line.replace(f" {node()}:", " NODE:") for line in said(tmp_path)]
        assert lines[:5] == ["4 fed", "0: labelled", "1: labelled", "x", "x"]
        assert (
            lines[5]
            == "srun: error: Unable to create step for job 1: More processors requested than permitted"
        )
        assert lines[6:8] == ["1", "7"]
        assert lines.count("slurmstepd: error: execve(): nosuch: No such file or directory") == 3
        assert lines[-3:] == ["2", "srun: error: NODE: task 0: Killed", "137"]


def said(folder: Path) -> list[str]:
    return (folder / "said").read_text().splitlines()


def node() -> str:
    return os.uname().nodename


async def test_a_run_that_submits_waits_and_shows(tmp_path: Path) -> None:
    async with slurm(tmp_path) as cluster:
        ran = await cluster.ran("srun", "-n2", "sh", "-c", "echo to $SLURM_PROCID; echo no >&2; exit 4")
        assert sorted(ran.lines) == ["to 0", "to 1"]
        assert ran.code == 4
        assert ran.err.splitlines().count("no") == 2
        assert sum("Exited with exit code 4" in line for line in ran.err.splitlines()) == 2
        fed = await cluster.ran("srun", "cat", given="one\ntwo\n")
        assert fed == ("one\ntwo\n", "", 0)
        assert (await cluster.ran("srun", "-o", "file.%j.%t", "echo", "%s$(x)")).out == ""
        assert (tmp_path / "file.3.0").read_text() == "%s$(x)\n"
        bad = await cluster.ran("srun", "-p", "nix", "true")
        assert bad.err.splitlines() == [
            "srun: error: invalid partition specified: nix",
            "srun: error: Unable to allocate resources: Invalid partition name specified",
        ]
        assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".srun")] == []


async def test_a_job_that_is_cancelled_has_a_line_among_its_errors(tmp_path: Path) -> None:
    async with slurm(tmp_path) as cluster:
        script = "env > variables; touch there; sleep 1000"
        await cluster.ran("sbatch", "-o", "out", "-e", "errors", "--wrap", script)
        await until_there(tmp_path / "there")
        assert (await cluster.ran("scancel", "1")).code == 0
        await until_ended(cluster, 1, "CANCELLED by 0")
        line = r"slurmstepd-(\S+): error: \*\*\* JOB 1 ON \1 CANCELLED AT [-0-9T:]{19} \*\*\*\n"
        assert re.fullmatch(line, (tmp_path / "errors").read_text())
        assert (tmp_path / "out").read_text() == ""
        told = dict(one.split("=", 1) for one in (tmp_path / "variables").read_text().splitlines())
        wanted = (
            "TMPDIR HOSTNAME SLURM_JOB_UID SLURM_JOB_GID SLURM_TASK_PID SLURM_GTIDS SLURM_WORKING_CLUSTER"
        )
        assert [name for name in wanted.split() if not told.get(name)] == []


async def test_signals_spare_the_script_and_warn_before_the_limit(tmp_path: Path) -> None:
    async with slurm(tmp_path) as cluster:
        waits = "trap 'echo caught; exit 3' USR1; touch there; while :; do sleep 0.05; done"
        await cluster.ran(
            "sbatch", "-o", "said", "--wrap", f"sh -c '{waits.replace(chr(39), chr(34))}'; echo $?"
        )
        await until_there(tmp_path / "there")
        assert await cluster.ran("scancel", "1", "--signal", "USR1") == ("", "", 0)
        await until_ended(cluster, 1, "COMPLETED")
        assert said(tmp_path)[-2:] == ["caught", "3"]
        whole = "trap 'echo warned; exit 4' USR2; while :; do sleep 0.05; done"
        ran = await cluster.ran("sbatch", "-W", "-t1", "--signal=B:USR2@59", "-o", "said", "--wrap", whole)
        assert ran.code == 4
        assert said(tmp_path) == ["warned"]
        assert (await cluster.ran("scancel", "--signal=NIX", "1")).err == "Unknown job signal: NIX\n"


async def test_a_job_that_requeues_itself_goes_on(tmp_path: Path) -> None:
    async with slurm(tmp_path) as cluster:
        again = 'if [ "$SLURM_RESTART_COUNT" = 1 ]; then echo again; exit 0; fi; '
        again += "scontrol requeue $SLURM_JOB_ID; sleep 60"
        ran = await cluster.ran("sbatch", "-W", "-o", "said", "--wrap", again)
        assert ran.code == 0
        assert said(tmp_path)[-1:] == ["again"]
        assert (await cluster.ran("scontrol", "requeue", "2")).code == 1


async def test_suspended_jobs_go_on(tmp_path: Path) -> None:
    async with slurm(tmp_path) as cluster:
        await cluster.ran("sbatch", "--wrap", "touch there; sleep 60")
        await until_there(tmp_path / "there")
        assert await cluster.ran("scontrol", "suspend", "1") == ("", "", 0)
        assert (await cluster.ran("squeue", "-h", "-o%t")).out == "S\n"
        assert await cluster.ran("scontrol", "resume", "1") == ("", "", 0)
        assert (await cluster.ran("squeue", "-h", "-o%t")).out == "R\n"
        assert await cluster.ran("scancel", "-u", "root") == ("", "", 0)
        await until_ended(cluster, 1, "CANCELLED by 0")


SUSPENDING = """\
SchedulerParameters=bf_interval=2,batch_sched_delay=0
SelectTypeParameters=CR_CPU
PreemptType=preempt/partition_prio
PreemptMode=SUSPEND,GANG
NodeName={host} CPUs=4
PartitionName=low Nodes=ALL Default=YES
PartitionName=high Nodes=ALL PriorityTier=10
"""


async def test_processes_stand_still_while_a_job_of_a_higher_tier_has_their_cpus(tmp_path: Path) -> None:
    (tmp_path / "slurm.conf").write_text(SUSPENDING.format(host=socket.gethostname()))
    up = (
        "--mode",
        "process",
        "--processors",
        4,
        "--policy",
        "slurm",
        "--slurm-conf",
        tmp_path / "slurm.conf",
    )
    count = "while [ ! -e enough ]; do echo >> ticks; sleep 0.02; done"
    wait = "touch high; while [ ! -e end ]; do sleep 0.02; done"
    ticks = tmp_path / "ticks"

    def ticked() -> int:
        return ticks.stat().st_size

    async def until_more(than: int) -> None:
        ends = time.monotonic() + PATIENCE_S
        while ticked() <= than:
            assert time.monotonic() < ends, "the job does not go on"
            await asyncio.sleep(0.02)

    async with system_variables(tmp_path, "slurm", up=up) as cluster:
        shown = ("squeue", "-h", "-S", "i", "-o", "%i %t %P %N")
        assert (await cluster.ran("sbatch", "-n4", "-t5", "--wrap", count)).code == 0
        await until_there(ticks)
        await until_more(5)
        assert (await cluster.ran("sbatch", "-n2", "-t5", "-p", "high", "--wrap", wait)).code == 0
        # The other one runs, so the first was told to stop before it.
        await until_there(tmp_path / "high")
        node = (await cluster.ran("squeue", "-h", "-j1", "-o", "%N")).out.strip()
        assert (await cluster.ran(*shown)).lines == [f"1 S low {node}", f"2 R high {node}"]
        before = ticked()
        # A job of its own tier does not get the two CPUs that are idle.
        assert (await cluster.ran("sbatch", "-n1", "-t5", "--wrap", "touch third")).code == 0
        # It would have ticked fifty times in the time of these commands.
        for _ in range(5):
            assert (await cluster.ran(*shown)).lines[2].split()[:2] == ["3", "PD"]
        assert ticked() <= before + 1
        (tmp_path / "end").touch()
        await until_ended(cluster, 2, "COMPLETED")
        await until_more(before + 5)
        assert (await cluster.ran(*shown)).lines[0] == f"1 R low {node}"
        assert not (tmp_path / "third").exists()
        (tmp_path / "enough").touch()
        await until_ended(cluster, 1, "COMPLETED")
        await until_ended(cluster, 3, "COMPLETED")
