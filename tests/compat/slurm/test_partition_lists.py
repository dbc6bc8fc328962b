"""Jobs of several partitions (``sbatch -p a,b``): submitted, listed, found, altered, and where they run."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from molokini.compat.job import Job
from molokini.compat.slurm.jobs import View
from molokini.compat.slurm.listing import by_partition
from tests.kit.batch_commands import Cluster, system_variables

CONF = """\
ClusterName=site
PriorityWeightPartition=1000
SchedulerParameters=bf_interval=10,batch_sched_delay=0
NodeName=a[1-2] CPUs=4
NodeName=b[1-2] CPUs=8
PartitionName=aa Nodes=a[1-2] Default=YES
PartitionName=bb Nodes=b[1-2] PriorityJobFactor=4
PartitionName=all Nodes=a[1-2],b[1-2]
PartitionName=short Nodes=b[1-2] MaxTime=5
PartitionName=full Nodes=b2 State=DRAIN
"""
FULL = "sleep 3000"


@asynccontextmanager
async def site(folder: Path, more: str = "") -> AsyncIterator[Cluster]:
    (folder / "slurm.conf").write_text(CONF + more)
    up = ("--policy", "slurm", "--slurm-conf", folder / "slurm.conf", "--clock", "stepped")
    async with system_variables(folder, "slurm", up=up) as cluster:
        yield cluster


async def submitted(cluster: Cluster, *words: object) -> None:
    ran = await cluster.ran("sbatch", "-t", 60, *words, "--wrap", FULL)
    assert (ran.code, ran.err) == (0, "")


async def advanced(cluster: Cluster, seconds: int) -> None:
    assert (await cluster.molokini("clock", "advance", seconds)).code == 0


async def said(cluster: Cluster, *words: object) -> list[str]:
    ran = await cluster.ran(str(words[0]), *words[1:])
    assert (ran.code, ran.err) == (0, ""), ran
    return ran.lines


async def partition_of(cluster: Cluster, job: int) -> str:
    """As scontrol shows it."""
    [record] = await said(cluster, "scontrol", "-o", "show", "job", job)
    return record.partition(" Partition=")[2].split()[0]


async def some_that_run_and_wait(cluster: Cluster) -> None:
    """1 runs in aa, 2 (of a list) and 3 in bb; 4 and 5 wait in both, 6 in bb alone."""
    for words in (("-p", "aa", "-N2", "--exclusive"), ("-p", "aa,bb,aa", "-N1", "-n8")):
        await submitted(cluster, *words)
        await advanced(cluster, 5)
    await submitted(cluster, "-p", "bb", "-n8")
    await advanced(cluster, 5)
    await submitted(cluster, "-p", " aa , bb", "-n4", "-J", "both")
    await submitted(cluster, "-n4", "-J", "variable", "--partition=bb,aa")
    await submitted(cluster, "-p", "bb", "-n8")
    await advanced(cluster, 20)


async def test_listings_show_the_list_and_then_where_it_runs(tmp_path: Path) -> None:
    async with site(tmp_path) as cluster:
        await some_that_run_and_wait(cluster)
        lines = await said(cluster, "squeue", "-h", "-o", "%i %P %T", "-S", "i")
        assert lines == [
            "1 aa RUNNING",
            "2 bb RUNNING",
            "3 bb RUNNING",
            "4 aa,bb PENDING",
            "5 bb,aa PENDING",
            "6 bb PENDING",
        ]
        lines = await said(cluster, "squeue", "-h", "-O", "JobID:.4,Partition:.6", "-S", "-P,i")
        assert [line.split()[1] for line in lines] == ["bb,aa", "bb", "bb", "bb", "aa,bb", "aa"]
        found = json.loads((await cluster.ran("squeue", "--json")).out)["jobs"]
        assert {one["job_id"]: one["partition"] for one in found} == {
            1: "aa",
            2: "bb",
            3: "bb",
            4: "aa,bb",
            5: "bb,aa",
            6: "bb",
        }
        assert [await partition_of(cluster, job) for job in (2, 4, 5)] == ["bb", "aa,bb", "bb,aa"]
        lines = await said(cluster, "sacct", "-nXP", "-S", "1970-01-01", "-o", "JobID,Partition")
        assert lines == ["1|aa", "2|bb", "3|bb", "4|aa,bb", "5|bb,aa", "6|bb"]
        lines = await said(cluster, "sprio", "-h", "-o", "%i %r %Y")
        assert [line.split()[:2] for line in lines] == [["4", "aa,bb"], ["5", "bb,aa"], ["6", "bb"]]
        starts = await said(cluster, "squeue", "-h", "--start", "-o", "%i %P %S")
        assert {line.split()[1] for line in starts} == {"aa,bb", "bb,aa", "bb"}
        assert not any("N/A" in line for line in starts)
        assert (await cluster.ran("scancel", 2, 4)).code == 0
        lines = await said(cluster, "sacct", "-nXP", "-j", "2,4", "-o", "JobID,Partition,State")
        assert [line.split()[0] for line in lines] == ["2|bb|CANCELLED", "4|aa,bb|CANCELLED"]
        listed = (await cluster.molokini("jobs", "--json")).out
        shown = {one["id"]: one for one in json.loads(listed)["jobs"]}
        assert (shown[5]["queue"], shown[5]["further_queues"]) == ("bb", ["aa"])
        assert shown[1]["further_queues"] == []
        assert shown[1]["chosen_queue"] is None


async def test_a_partition_finds_what_waits_in_it_or_runs_there(tmp_path: Path) -> None:
    async with site(tmp_path) as cluster:
        await some_that_run_and_wait(cluster)
        for asked, found in (("aa", "1 4 5"), ("bb", "2 3 4 5 6"), ("short", ""), ("short,aa", "1 4 5")):
            lines = await said(cluster, "squeue", "-h", "-p", asked, "-o", "%i", "-S", "i")
            assert " ".join(lines) == found
            ran = await cluster.ran("squeue", "-h", "-o", "%i", "-S", "i", SQUEUE_PARTITION=asked)
            assert " ".join(ran.lines) == found
            lines = await said(cluster, "sacct", "-nXP", "-S", "1970-01-01", "-r", asked, "-o", "JobID")
            assert " ".join(lines) == found
        assert [line.split()[0] for line in await said(cluster, "sprio", "-h", "-p", "aa")] == ["4", "5"]
        # A line for each partition in which a job waits.
        lines = await said(cluster, "squeue", "-hP", "-S", "i,P", "-o", "%i %P")
        assert lines == ["1 aa", "2 bb", "3 bb", "4 aa", "4 bb", "5 aa", "5 bb", "6 bb"]
        assert await said(cluster, "squeue", "-hP", "-p", "aa", "-S", "i", "-o", "%i %P") == [
            "1 aa",
            "4 aa",
            "5 aa",
        ]
        assert (await cluster.ran("scancel", "-p", "aa", "-t", "PD", "-n", "both")).code == 0
        assert (await cluster.ran("scancel", "-p", "aa", "-t", "R")).code == 0
        await advanced(cluster, 20)
        # The room that 1 has left is for the one of the others that may be there.
        lines = await said(cluster, "squeue", "-h", "-o", "%i %P %t", "-S", "i")
        assert lines == ["2 bb R", "3 bb R", "5 aa R", "6 bb PD"]


async def test_elements_of_an_array_start_in_one_each(tmp_path: Path) -> None:
    async with site(tmp_path) as cluster:
        await submitted(cluster, "-p", "aa,bb", "-N1", "-n4", "--exclusive", "-a", "1-3")
        await submitted(cluster, "-p", "aa,bb", "-N1", "-n4", "-a", "1-7")
        await advanced(cluster, 20)
        lines = await said(cluster, "squeue", "-h", "-o", "%i %P %t", "-S", "i")
        assert lines[:3] == ["1_1 bb R", "1_2 bb R", "1_[3] aa,bb PD"]
        assert lines[3:] == ["4_1 aa R", "4_2 aa R", "4_[3-7] aa,bb PD"]
        in_aa = await said(cluster, "squeue", "-h", "-p", "aa", "-t", "R", "-o", "%P")
        in_bb = await said(cluster, "squeue", "-h", "-p", "bb", "-t", "R", "-o", "%P")
        assert (set(in_aa), set(in_bb)) == ({"aa"}, {"bb"})


async def test_a_list_is_altered_while_the_job_waits(tmp_path: Path) -> None:
    async with site(tmp_path) as cluster:
        await submitted(cluster, "-H", "-p", "aa")
        for value, shown in (("bb,aa,bb", "bb,aa"), ("aa", "aa"), ("short,bb", "short,bb")):
            assert (await cluster.ran("scontrol", "update", "JobId=1", f"Partition={value}")).code == 0
            assert await partition_of(cluster, 1) == shown
        for value in ("bb,nix", "nix", "nix,bb"):
            ran = await cluster.ran("scontrol", "update", "JobId=1", f"Partition={value}")
            assert (ran.code, ran.err) == (1, "Invalid partition name specified for job 1\n")
        assert await partition_of(cluster, 1) == "short,bb"
        assert (await cluster.molokini("alter", 1, "--queue", "aa,bb")).code == 0
        assert await partition_of(cluster, 1) == "aa,bb"
        job = (await cluster.molokini("job", 1)).out
        assert "aa,bb" in job
        assert "started in queue" not in job
        await cluster.ran("scontrol", "release", 1)
        await advanced(cluster, 10)
        assert await partition_of(cluster, 1) == "bb"
        assert "started in queue" in (await cluster.molokini("job", 1)).out
        ran = await cluster.ran("scontrol", "update", "JobId=1", "Partition=bb,aa")
        assert (ran.code, ran.err) == (1, "Job is no longer pending execution for job 1\n")
        # Put back, it may start in either again.
        assert (await cluster.ran("scontrol", "requeue", 1)).code == 0
        assert await partition_of(cluster, 1) == "aa,bb"


@pytest.mark.parametrize(
    ("names", "unknown"), [("aa,nix", "nix"), ("nix,aa", "nix"), ("nix", "nix"), ("bb,x,y", "x")]
)
async def test_a_name_that_is_none_is_refused(tmp_path: Path, names: str, unknown: str) -> None:
    async with site(tmp_path) as cluster:
        said = f"error: invalid partition specified: {unknown}"
        ran = await cluster.ran("sbatch", "-p", names, "--wrap", "true")
        why = "Batch job submission failed: Invalid partition name specified"
        assert (ran.out, ran.err, ran.code) == ("", f"sbatch: {said}\nsbatch: error: {why}\n", 1)
        ran = await cluster.ran("sbatch", "--wrap", "true", SBATCH_PARTITION=names)
        assert (ran.err, ran.code) == (f"sbatch: {said}\nsbatch: error: {why}\n", 1)
        ran = await cluster.ran("srun", "-p", names, "true")
        why = "Unable to allocate resources: Invalid partition name specified"
        assert (ran.err, ran.code) == (f"srun: {said}\nsrun: error: {why}\n", 1)
        ran = await cluster.ran("sbatch", "--test-only", "-p", names, "--wrap", "true")
        why = "allocation failure: Invalid partition name specified"
        assert (ran.err, ran.code) == (f"sbatch: {said}\n{why}\n", 1)


async def test_the_environment_names_several_and_drained_ones_are_left_out(tmp_path: Path) -> None:
    async with site(tmp_path) as cluster:
        ran = await cluster.ran("sbatch", "-H", "--wrap", "true", SBATCH_PARTITION="bb,aa")
        assert ran.code == 0
        await submitted(cluster, "-H", "-p", "full,bb,aa")
        await submitted(cluster, "-H", "-p", "full,bb")
        assert [await partition_of(cluster, job) for job in (1, 2, 3)] == ["bb,aa", "bb,aa", "bb"]
        ran = await cluster.ran("sbatch", "-p", "full", "--wrap", "true")
        drained = ran.err
        assert ran.code == 1
        assert "Required partition not available (inactive or drain)" in drained


@pytest.mark.parametrize(("limits", "taken"), [("NO", True), ("ANY", True), ("ALL", False)])
async def test_enforced_limits_are_those_of_any_or_of_all(tmp_path: Path, limits: str, taken: bool) -> None:
    async with site(tmp_path, f"EnforcePartLimits={limits}\n") as cluster:
        ran = await cluster.ran("sbatch", "-p", "short,bb", "-t", 60, "--wrap", "true")
        assert (ran.code == 0) is taken
        assert taken or "Requested time limit is invalid (missing or exceeds some limit)" in ran.err


async def test_whole_nodes_and_expected_starts_are_of_any_of_them(tmp_path: Path) -> None:
    async with site(tmp_path) as cluster:
        for names, found in (("bb,aa", "bb"), ("full,aa", "aa")):
            ran = await cluster.ran("sbatch", "--test-only", "-p", names, "-t", 60, "--wrap", "true")
            assert ran.err.endswith(f"in partition {found}\n")
        await submitted(cluster, "-H", "-p", "aa,bb", "-N1", "--exclusive")
        assert await said(cluster, "squeue", "-h", "-o", "%C") == ["8"]


async def test_other_policies_take_the_first(tmp_path: Path) -> None:
    made = '[[nodes]]\nnames = "n[1-2]"\nprocessors = 4\n[[queues]]\nname = "one"\n[[queues]]\nname = "two"\n'
    (tmp_path / "server.toml").write_text(f'[server]\nlisten = "127.0.0.1:0"\n{made}')
    up = ("--config", tmp_path / "server.toml", "--clock", "stepped")
    async with system_variables(tmp_path, "slurm", up=up) as cluster:
        await submitted(cluster, "-H", "-p", "two,one")
        assert await partition_of(cluster, 1) == "two"
        ran = await cluster.ran("sbatch", "-p", "two,nix", "--wrap", "true")
        assert ran.code == 1
        assert "invalid partition specified: nix" in ran.err
        ran = await cluster.ran("sbatch", "--test-only", "-p", "two,one", "--wrap", "true")
        assert ran.err.endswith("in partition two\n")


def test_a_line_is_of_the_list_until_a_start_has_chosen() -> None:
    spec = {"queue": "aa", "further_queues": ["bb", "cc"]}
    waiting = View(Job({"id": 1, "state": "WAITING", "spec": spec}), pending="3-5")
    assert waiting.partition == "aa,bb,cc"
    lines = by_partition(waiting)
    assert [(one.partition, one.id) for one in lines] == [(name, "1_[3-5]") for name in ("aa", "bb", "cc")]
    running = View(Job({"id": 1, "state": "RUNNING", "spec": spec, "chosen_queue": "bb"}))
    assert (running.partition, by_partition(running)) == ("bb", [running])
    alone = View(Job({"id": 1, "state": "WAITING", "spec": {"queue": "aa"}}))
    assert (alone.partition, by_partition(alone)) == ("aa", [alone])
