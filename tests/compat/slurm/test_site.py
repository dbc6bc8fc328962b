"""Slurm's commands against the cluster of a slurm.conf: partitions, reasons, priorities, planned starts."""

import asyncio
import getpass
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from tests.kit.batch_commands import Cluster, system_variables
from tests.kit.waiting import DEADLINE_S

CONF = """\
ClusterName=site
PriorityWeightPartition=5000
PriorityWeightJobSize=2000
NodeName=n[1-4] CPUs=4
PartitionName=batch Nodes=n[1-4] Default=YES MaxTime=1-0 AllowAccounts=phys,chem
PartitionName=debug Nodes=n[1-2] MaxTime=30 DefaultTime=10 PriorityTier=10 PriorityJobFactor=4 MaxNodes=1
PartitionName=big Nodes=ALL MinNodes=2 DenyAccounts=bio OverSubscribe=EXCLUSIVE GraceTime=20 Hidden=YES
PartitionName=off Nodes=n4 State=DOWN
PartitionName=full Nodes=n4 State=DRAIN
"""


@asynccontextmanager
async def site(folder: Path, more: str = "") -> AsyncIterator[Cluster]:
    (folder / "slurm.conf").write_text(CONF + more)
    up = ("--policy", "slurm", "--slurm-conf", folder / "slurm.conf", "--clock", "stepped")
    async with system_variables(folder, "slurm", up=up) as cluster:
        yield cluster


async def submit(cluster: Cluster, *words: object) -> None:
    ran = await cluster.ran("sbatch", *words, "--wrap", "true")
    assert (ran.code, ran.err) == (0, "")


async def until_all(cluster: Cluster, *words: str) -> list[list[str]]:
    """What squeue says, once nothing waits without a reason any more."""
    async with asyncio.timeout(DEADLINE_S):
        while True:
            lines = (await cluster.ran("squeue", "-h", *words)).lines
            if lines and not any("None" in line for line in lines):
                return [line.split() for line in lines]
            await asyncio.sleep(0.05)


async def test_partitions_say_what_the_slurm_conf_says(tmp_path: Path) -> None:
    async with site(tmp_path) as cluster:
        shown = {}
        for name in ("batch", "debug", "big", "off", "full"):
            ran = await cluster.ran("scontrol", "show", "partition", name)
            shown[name] = dict(word.split("=", 1) for word in ran.out.split())
        assert {
            word: shown["debug"][word]
            for word in ("MaxTime", "DefaultTime", "PriorityTier", "PriorityJobFactor", "MaxNodes", "Default")
        } == {
            "MaxTime": "00:30:00",
            "DefaultTime": "00:10:00",
            "PriorityTier": "10",
            "PriorityJobFactor": "4",
            "MaxNodes": "1",
            "Default": "NO",
        }
        assert shown["batch"]["AllowAccounts"] == "phys,chem"
        assert (shown["batch"]["Default"], shown["batch"]["DefaultTime"]) == ("YES", "NONE")
        assert (shown["big"]["DenyAccounts"], shown["big"]["MinNodes"]) == ("bio", "2")
        assert (shown["big"]["OverSubscribe"], shown["big"]["GraceTime"]) == ("EXCLUSIVE", "20")
        assert "AllowAccounts" not in shown["big"]
        assert [shown[name]["State"] for name in ("big", "off", "full")] == ["UP", "DOWN", "DRAIN"]
        listed = await cluster.ran("sinfo", "-h", "-o", "%R %a %l %L %s %p %h")
        assert sorted(listed.lines) == [
            "batch up 1-00:00:00 n/a 1-infinite 1 NO",
            "big up infinite n/a 2-infinite 1 EXCLUSIVE",
            "debug up 30:00 10:00 1 10 NO",
            "full drain infinite n/a 1-infinite 1 NO",
            "off down infinite n/a 1-infinite 1 NO",
        ]


async def test_jobs_that_wait_have_slurms_reasons_priorities_and_plans(tmp_path: Path) -> None:
    async with site(tmp_path) as cluster:
        await submit(cluster, "-A", "phys", "-n", 16, "-t", 60)
        await submit(cluster, "-A", "phys", "-n", 8, "-t", 60)
        await submit(cluster, "-p", "debug", "-n", 1, "-t", 60)
        await submit(cluster, "-p", "debug", "-N", 2, "-t", 5)
        await submit(cluster, "-A", "bio", "-n", 1, "-t", 5)
        await submit(cluster, "-A", "bio", "-p", "big", "-N", 2, "-t", 5)
        await submit(cluster, "-p", "off", "-t", 5)
        await submit(cluster, "-A", "chem", "-n", 1, "-t", "2-0")
        await submit(cluster, "-A", "chem", "-n", 1, "-t", 60)
        assert (await cluster.molokini("clock", "advance", 70)).code == 0
        lines = await until_all(cluster, "-t", "PD", "-S", "i", "-o", "%i %Q %r")
        assert {int(number): reason for number, _, reason in lines} == {
            2: "Resources",
            3: "PartitionTimeLimit",
            4: "PartitionNodeLimit",
            5: "AccountNotAllowed",
            6: "AccountNotAllowed",
            7: "PartitionDown",
            8: "PartitionTimeLimit",
            9: "Priority",
        }
        ranks = {int(number): rank for number, rank, _ in lines}
        # One node of four, 8 of 16 CPUs; a quarter of the largest factor of a partition.
        assert ranks[2] == str(int(2000 * (1 / 4 + 8 / 16) / 2 + 5000 / 4))
        sprio = await cluster.ran("sprio", "-h", "-o", "%i %Y %J %P")
        parts = {int(one.split()[0]): one.split()[1:] for one in sprio.lines}
        assert parts[2] == [ranks[2], "750", "1250"]
        assert {number: found[0] for number, found in parts.items()} == {
            number: rank for number, rank in ranks.items() if number in parts
        }
        job = (await cluster.ran("scontrol", "show", "job", 2)).out
        assert f"Priority={ranks[2]} " in job
        running = await cluster.ran("squeue", "-h", "-t", "R", "-o", "%Q")
        assert running.lines == [str(int(2000 * (1 / 4 + 16 / 16) / 2 + 5000 / 4))]
        starts = await cluster.ran("squeue", "-h", "--start", "-o", "%i %S")
        planned = dict(line.split() for line in starts.lines)
        assert re.fullmatch(r"1970-01-01T\d\d:\d\d:\d\d", planned["2"])
        assert planned["3"] == planned["5"] == planned["8"] == "N/A"
        explained = await cluster.molokini("explain", 3)
        assert "its time limit, 1 h, is beyond the MaxTime of its partition, 30 min" in explained.out
        weights = await cluster.ran("sprio", "-w")
        assert weights.lines[0].split() == ["JOBID", "PARTITION", "PRIORITY", "SITE", "JOBSIZE", "PARTITION"]
        assert weights.lines[1].split() == ["Weights", "1", "2000", "5000"]


async def test_the_configuration_is_that_of_the_file(tmp_path: Path) -> None:
    more = "SchedulerParameters=bf_interval=60,defer\nPriorityMaxAge=7-0\nenforcepartlimits=ANY\n"
    async with site(tmp_path, more) as cluster:
        lines = (await cluster.ran("scontrol", "show", "config")).lines
        shown = dict(re.split(r" *= ?", line, maxsplit=1) for line in lines if " = " in line)
        assert {
            name: shown[name]
            for name in ("ClusterName", "SchedulerParameters", "PriorityMaxAge", "EnforcePartLimits")
        } == {
            "ClusterName": "site",
            "SchedulerParameters": "bf_interval=60,defer",
            "PriorityMaxAge": "7-0",
            "EnforcePartLimits": "ANY",
        }
        assert (shown["PriorityWeightPartition"], shown["PriorityWeightAge"]) == ("5000", "0")
        assert (shown["SelectType"], shown["SchedulerType"]) == ("select/cons_tres", "sched/backfill")
        assert not any(name.lower() in ("nodename", "partitionname", "cpus") for name in shown)


async def test_a_partition_that_is_set_up_starts_its_jobs(tmp_path: Path) -> None:
    async with site(tmp_path) as cluster:
        await submit(cluster, "-p", "off", "-t", 5)
        assert (await cluster.ran("squeue", "-h", "-o", "%r")).out == "PartitionDown\n"
        assert (await cluster.ran("scontrol", "update", "PartitionName=off", "State=UP")).code == 0
        assert (await cluster.molokini("clock", "advance", 70)).code == 0
        assert (await cluster.ran("squeue", "-h", "-o", "%t")).out == "R\n"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("-p", "debug", "-t", "60"), "Requested time limit is invalid (missing or exceeds some limit)"),
        (("-p", "debug", "-N", "2", "-t", "5"), "Node count specification invalid"),
        (("-A", "bio", "-t", "5"), "Invalid account or account/partition combination specified"),
        (("-t", "5"), "Invalid account or account/partition combination specified"),
    ],
)
async def test_enforced_limits_of_partitions_refuse_at_once(
    words: tuple[str, ...], said: str, tmp_path: Path
) -> None:
    async with site(tmp_path, "EnforcePartLimits=ALL\n") as cluster:
        ran = await cluster.ran("sbatch", *words, "--wrap", "true")
        assert (ran.out, ran.code) == ("", 1)
        assert ran.err.splitlines()[-1] == f"sbatch: error: Batch job submission failed: {said}"
        await submit(cluster, "-A", "phys", "-t", 5)


async def test_a_qos_that_the_association_has_not_is_refused_at_once(tmp_path: Path) -> None:
    user = getpass.getuser()
    rows = f"Account - 'phys':QOS='normal'\nParent - 'phys'\nUser - '{user}':DefaultAccount='phys'\n"
    more = (
        "AccountingStorageEnforce=associations,limits,qos\nQOS - 'normal'\nQOS - 'small'\nParent - 'root'\n"
    )
    async with site(tmp_path, more + rows) as cluster:
        ran = await cluster.ran("sbatch", "-A", "phys", "-q", "small", "-t", 5, "--wrap", "true")
        assert (ran.out, ran.code) == ("", 1)
        said = "Invalid qos specification"
        assert ran.err.splitlines()[-1] == f"sbatch: error: Batch job submission failed: {said}"
        await submit(cluster, "-A", "phys", "-q", "normal", "-t", 5)


async def test_a_partition_that_drains_takes_no_jobs(tmp_path: Path) -> None:
    async with site(tmp_path) as cluster:
        ran = await cluster.ran("sbatch", "-p", "full", "-t", "5", "--wrap", "true")
        assert ran.code == 1
        said = "Required partition not available (inactive or drain)"
        assert ran.err.splitlines()[-1] == f"sbatch: error: Batch job submission failed: {said}"


async def test_licenses_are_shown_as_slurm_shows_them(tmp_path: Path) -> None:
    async with site(tmp_path, "Licenses=matlab:10,abaqus:4\n") as cluster:
        await submit(cluster, "-p", "debug", "-L", "matlab:3", "-n", "1")
        await submit(cluster, "-p", "debug", "-L", "matlab:8", "-n", "1")
        assert (await cluster.molokini("clock", "advance", 5)).code == 0
        reasons = await until_all(cluster, "-t", "PD", "-o", "%i %r")
        assert reasons == [["2", "Licenses"]]
        shown = (await cluster.ran("scontrol", "show", "lic")).out
        assert shown == (
            "LicenseName=abaqus\n    Total=4 Used=0 Free=4 Reserved=0 Remote=no\n"
            "LicenseName=matlab\n    Total=10 Used=3 Free=7 Reserved=0 Remote=no\n"
        )
        one = await cluster.ran("scontrol", "-o", "show", "licenses", "abaqus")
        assert one.out == "LicenseName=abaqus Total=4 Used=0 Free=4 Reserved=0 Remote=no\n"
        gone = await cluster.ran("scontrol", "show", "licenses", "fluent")
        assert (gone.code, gone.out) == (1, "License fluent not found\n")
        told = (await cluster.molokini("cluster")).out
        assert re.search(r"licenses matlab +3 of 10", told)


async def test_a_cluster_without_licenses_says_so(tmp_path: Path) -> None:
    async with site(tmp_path) as cluster:
        assert (await cluster.ran("scontrol", "show", "lic")).out == "No licenses configured in Slurm.\n"


async def test_a_reservation_keeps_licenses_for_its_jobs(tmp_path: Path) -> None:
    async with site(tmp_path, "Licenses=matlab:4\n") as cluster:
        create = ("scontrol", "create", "reservation", "ReservationName=lic", "StartTime=now", "Duration=60")
        made = await cluster.ran(*create, "Accounts=phys", "Licenses=matlab:3", "Flags=ANY_NODES")
        assert (made.out, made.err) == ("Reservation created: lic\n", "")
        await submit(cluster, "-p", "debug", "-A", "chem", "-L", "matlab:2", "-n", "1")
        await submit(cluster, "-p", "debug", "-A", "phys", "-L", "matlab:3", "-n", "1")
        await submit(cluster, "-p", "debug", "-A", "chem", "-L", "matlab:1", "-n", "1")
        assert (await cluster.molokini("clock", "advance", 5)).code == 0
        assert await until_all(cluster, "-S", "i", "-o", "%i %t") == [["1", "PD"], ["2", "R"], ["3", "R"]]
        assert (await cluster.ran("squeue", "-h", "-t", "PD", "-o", "%r")).out == "Licenses\n"
        shown = (await cluster.ran("scontrol", "show", "reservation", "lic")).out
        assert "Nodes=(null) NodeCnt=0 CoreCnt=0" in shown
        assert "Flags=ANY_NODES" in shown
        assert "Licenses=matlab:3 " in shown
        kinds = (await cluster.ran("scontrol", "show", "lic")).out
        assert "Total=4 Used=4 Free=0 Reserved=3 Remote=no" in kinds
        assert (await cluster.ran("scontrol", "update", "Reservation=lic", "Licenses=matlab:1")).code == 0
        assert "Licenses=matlab:1 " in (await cluster.ran("scontrol", "show", "reservation", "lic")).out
        refused = await cluster.ran(*create[:3], *create[4:], "Accounts=a", "Licenses=fluent:1")
        assert (refused.code, refused.err) == (
            1,
            "Error creating the reservation: Invalid license specification\n",
        )


async def test_reasons_stand_once_for_nodes_of_several_partitions(tmp_path: Path) -> None:
    async with site(tmp_path) as cluster:
        for node, reason in (("n1", "new disk"), ("n2", "new disk"), ("n3", "fan")):
            words = ("scontrol", "update", f"NodeName={node}", "State=DRAIN", f"Reason={reason}")
            assert (await cluster.ran(*words)).code == 0
        listed = await cluster.ran("sinfo", "-h", "-R", "-o", "%E|%N")
        assert sorted(listed.lines) == ["fan|n3", "new disk|n[1-2]"]
        assert (await cluster.ran("sinfo", "-h", "-R", "-o", "%N")).lines == ["n[1-3]"]


CORES = """\
ClusterName=site
SelectTypeParameters=CR_Core_Memory
DefMemPerCPU=100
NodeName=n[1-2] Sockets=1 CoresPerSocket=2 ThreadsPerCore=2 RealMemory=4000
PartitionName=batch Nodes=ALL Default=YES MaxTime=1-0
"""


async def test_jobs_have_whole_cores_and_every_command_says_so(tmp_path: Path) -> None:
    (tmp_path / "slurm.conf").write_text(CORES)
    up = ("--policy", "slurm", "--slurm-conf", tmp_path / "slurm.conf", "--clock", "stepped")
    async with system_variables(tmp_path, "slurm", up=up) as cluster:
        await submit(cluster, "-n", 1, "-t", 10, "--mem", 200)
        await submit(cluster, "-n", 3, "-t", 10, "--mem", 300)
        await submit(cluster, "-n", 2, "-N", 2, "-t", 10, "--mem", 100)
        assert (await cluster.molokini("clock", "advance", 10)).code == 0
        lines = (await cluster.ran("squeue", "-h", "-S", "i", "-o", "%i %t %C %N")).lines
        # Of four cores the first two have three; the third job asks for one on each node.
        assert lines == ["1 R 2 n1", "2 R 4 n2", "3 PD 2 "]
        node = (await cluster.ran("scontrol", "show", "node", "n1")).out
        assert "CPUAlloc=2 CPUEfctv=4" in node
        assert "AllocMem=200 " in node
        job = (await cluster.ran("scontrol", "show", "job", 1)).out
        assert "NumCPUs=2 NumTasks=1 CPUs/Task=1" in job
        assert "TRES=cpu=2,mem=200M,node=1,billing=2" in job
        assert (await cluster.molokini("clock", "advance", 700)).code == 0
        told = ("-X", "-n", "-P", "-o", "JobID,ReqCPUS,AllocCPUS,ReqTRES,AllocTRES")
        assert (await cluster.ran("sacct", *told)).lines == [
            "1|1|2|billing=1,cpu=1,mem=200M,node=1|billing=2,cpu=2,mem=200M,node=1",
            "2|3|4|billing=3,cpu=3,mem=300M,node=1|billing=4,cpu=4,mem=300M,node=1",
            "3|2|4|billing=2,cpu=2,mem=200M,node=2|billing=4,cpu=4,mem=200M,node=2",
        ]
