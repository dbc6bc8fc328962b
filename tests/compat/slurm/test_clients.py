"""Command lines of other projects, as they give them, and what they must be able to read.

Each is what the client's source has; the expressions are those with which it takes the answer apart.
"""

import json
import re
from pathlib import Path

from tests.kit.batch_commands import Cluster, system_variables

UP = ("--nodes", 4, "--procs-per-node", 16, "--clock", "stepped")

RECORDED = [
    (
        "adaptive-scheduler, queue",
        "squeue '--Format=\",JobID:100,Name:100,state:100,NumNodes:100,NumTasks:100,ReasonList:100,\"'"
        " --noheader --array --user=root",
        r"1 +runs +RUNNING +1 +4 +node001 +\n",
    ),
    (
        "adaptive-scheduler, partitions",
        "sinfo -ahO Partition:100,CPUs:25 -M all",
        r"default\* +16 +\nsmall +16 +",
    ),
    (
        "reportseff",
        "sacct --parsable -n --delimiter='^|^' --format=AdminComment,AllocCPUS,Elapsed,JobID,JobIDRaw,MaxRSS,"
        "NNodes,REQMEM,State,Timelimit,TotalCPU --jobs=1",
        r"\^\|\^4\^\|\^00:00:00\^\|\^1\^\|\^1\^\|\^\^\|\^1\^\|\^0\^\|\^RUNNING\^\|\^01:00:00\^\|\^",
    ),
    ("toil, partitions", "sinfo -a -o '%P %G %l %p %c %m'", r"default\* \(null\) infinite 1 16 \d+"),
    (
        "toil, states",
        "sacct -n -j 1,2 --format JobIDRaw,State,ExitCode -P -S 1970-01-01",
        r"(?m)^1\|RUNNING\|0:0\n(.*\n)*2\|PENDING\|0:0$",
    ),
    ("toil, jobs", "scontrol show job", r"(?m)^JobId=1 [\s\S]*^JobId=2 "),
    (
        "slurm-gpustat, jobs",
        "scontrol show jobid -dd 1",
        r"JobId=1 JobName=runs\n(.*\n)* {5}Nodes=node001 CPU_IDs=0-3",
    ),
    ("slurm-gpustat, nodes", "sinfo -o '%1000N|%1000G' --noheader", r" *node\[001-004\] *\| *\(null\)"),
    (
        "ood_core, jobs",
        "squeue --all --noconvert --noheader -o '\x1e%a\x1f%A\x1f%D\x1f%C\x1f%t\x1f%u\x1f%P' -j 1",
        "\x1e\\(null\\)\x1f1\x1f1\x1f4\x1fR\x1froot\x1fdefault",
    ),
    ("ood_core, cluster", "sinfo -aho %F/%C/%D", r"1/3/0/4/4/60/0/64/4"),
    ("ood_core, GPUs", "sinfo -ahNO nodehost,gres:512,gresused:512", r"node001 +\(null\) +\(null\)"),
    (
        "turm",
        "squeue --array --noheader --Format=jobid:###,name:###,state:###,stdout:### -j 1",
        r"1###runs###RUN",
    ),
    (
        "vpenso's exporter, nodes",
        "sinfo -h -N -O NodeList,AllocMem,Memory,CPUsState,StateLong",
        r"(?m)^node001 +\d+ +\d+ +4/12/0/16 +mixed +$",
    ),
    ("vpenso's exporter, processors", "sinfo -h -o %C", r"4/60/0/64\n"),
    ("vpenso's exporter, queue", "squeue -a -r -h -o %A,%T,%r --states=all", r"2,PENDING,JobHeldUser"),
    ("vpenso's exporter, scheduler", "sdiag", r"Server thread count: +\d+[\s\S]*\tMean cycle: +\d+"),
    ("gwf", "squeue --noheader --user=root --format=%i;%t;%r".replace(";", "\\;"), r"2;PD;JobHeldUser"),
    ("reframe, partition", "srun --test-only true", r"to start at \S+ using \d+ processors on nodes \S+ in"),
    ("reframe, nodes", "scontrol -a show -o nodes", r"(?m)^NodeName=node001 .* State=MIXED .* Partitions="),
    ("cluster tools", "scontrol show hostnames node[001-002]", r"node001\nnode002\n"),
]


async def test_what_other_projects_ask(tmp_path: Path) -> None:
    async with system_variables(tmp_path, "slurm", up=UP) as cluster:
        assert (await cluster.molokini("queues", "small", "--set", "max_jobs=9")).code == 0
        assert (await cluster.ran("sbatch", "-J", "runs", "-n", 4, "--wrap", "true")).code == 0
        assert (await cluster.ran("sbatch", "-H", "-J", "held", "--wrap", "true")).code == 0
        await _until_running(cluster)
        wrong = []
        for client, line, expected in RECORDED:
            done = await cluster.ran("bash", "-c", line)
            said = done.err if client == "reframe, partition" else done.out
            if done.code or not re.search(expected, said):
                wrong.append((client, done))
        assert not wrong


async def test_what_reads_json(tmp_path: Path) -> None:
    """Keys that strict readers ask for."""
    async with system_variables(tmp_path, "slurm", up=UP) as cluster:
        assert (await cluster.ran("sbatch", "--wrap", "true")).code == 0
        [job] = json.loads((await cluster.ran("squeue", "--json")).out)["jobs"]
        wanted = "association_id group_name tres_per_job tres_per_task shared time_minimum het_job_id profile"
        assert [name for name in (*wanted.split(), "minimum_tmp_disk_per_node") if name not in job] == []
        node = json.loads((await cluster.ran("sinfo", "--json")).out)["nodes"][0]
        wanted = "boot_time last_busy next_state_after_reboot_flags comment extra mcs_label cpu_binding"
        assert [name for name in wanted.split() if name not in node] == []


async def _until_running(cluster: Cluster) -> None:
    for _ in range(600):
        if (await cluster.ran("squeue", "-h", "-j", 1, "-o", "%T")).out == "RUNNING\n":
            return
    raise AssertionError("the job does not run")
