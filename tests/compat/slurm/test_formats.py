"""Formats of listings: what names no column costs a line on the stream of errors, and no more."""

import asyncio
from pathlib import Path

from molokini.compat.slurm.sacct_fields import FIELDS
from molokini.compat.slurm.sinfo_fields import NAMED as OF_NODES
from molokini.compat.slurm.squeue_fields import LETTERED, NAMED
from tests.kit.batch_commands import Cluster, system_variables

UP = ("--nodes", 4, "--procs-per-node", 16, "--clock", "stepped")

SQUEUE = """
account accruetime admin_comment allocnodes allocsid arrayjobid arraytaskid associd batchflag batchhost
boardspernode burstbuffer burstbufferstate cluster clusterfeature command comment container contiguous
cores corespec cpus-per-task cpus-per-tres cpuspertask deadline delayboot dependency derivedec
eligibletime endtime exit_code feature gres groupid groupname hetjobid hetjobidset hetjoboffset
jobarrayid jobid lastschedeval licenses maxcpus maxnodes mcslabel mem-per-tres mincpus minmemory mintime
mintmpdisk name network nice nodelist ntperboard ntpercore ntpernode ntpersocket numcpus numnodes
numtasks origin originraw oversubscribe packjobid packjobidset packjoboffset partition pendingtime
preempttime prefer priority prioritylong profile qos reason reasonlist reboot reqnodes reqswitch requeue
reservation resizetime restartcnt schednodes sct selectjobinfo shared siblingsactive siblingsactiveraw
siblingsviable siblingsviableraw sockets sperboard starttime state statecompact stderr stdin stdout
submittime system_comment threads timeleft timelimit timeused tres tres-alloc tres-bind tres-freq
tres-per-job tres-per-node tres-per-socket tres-per-task userid username wait4switch wckey workdir
containerid cronjob excnodes exclusive licensesalloc runtime segmentsize sluid
"""
SINFO = """
allocmem allocnodes available cluster comment cores cpus cpusload cpusstate defaulttime disk extra
features features_act freemem gres gresused groups maxcpuspernode memory nodeaddr nodeai nodeaiot
nodehost nodelist nodes oversubscribe partition partitionname port preemptmode priorityjobfactor
prioritytier reason root share size socketcorethread sockets statecompact statecomplete statelong threads
time timestamp user userlong version weight reservation
"""
SACCT = """
AdminComment AveCPUFreq AvePages Container DBIndex MaxDiskReadNode MaxDiskReadTask MaxDiskWriteNode
MaxDiskWriteTask MaxPages MaxPagesNode MaxPagesTask MaxVMSizeNode MaxVMSizeTask McsLabel MinCPUNode
MinCPUTask ReqCPUFreq ReqCPUFreqGov ReqCPUFreqMax ReqCPUFreqMin ResvCPU ResvCPURAW TRESUsageInMaxNode
TRESUsageInMaxTask TRESUsageInMin TRESUsageInMinNode TRESUsageInMinTask TRESUsageOutAve TRESUsageOutMax
TRESUsageOutMaxNode TRESUsageOutMaxTask TRESUsageOutMin TRESUsageOutMinNode TRESUsageOutMinTask
TRESUsageOutTot Extra FailedNode Licenses OriginalSLUID PlannedCPURAW QOSREQ ReqReservation SegmentSize
SLUID StdErr StdIn StdOut
"""


def test_every_name_of_both_versions_is_there() -> None:
    assert set(SQUEUE.split()) <= NAMED.keys()
    assert set(SINFO.split()) <= OF_NODES.keys()
    assert set(SACCT.split()) <= FIELDS.keys()
    assert set("aAbBcCdDeEfFgGhHiIjJkKlLmMnNoOpPqQrRsStTuUvVwWxXyYzZ") <= LETTERED.keys()


SAID = [
    ("squeue", "-o '%i %?'", "JOBID %?\n1 %?", "squeue: error: Invalid job format specification: ?"),
    ("squeue", "-o %q%%", "QOS\nnormal", ""),
    ("squeue", "-o %i%", "JOBID\n1", ""),
    ("squeue", "-o %5", "%5\n%5", "squeue: error: Invalid job format specification: "),
    ("squeue", "-h -o '%-8i|'", "%-8i|", "squeue: error: Invalid job format specification: -"),
    (
        "squeue",
        "-h -O JobID:3,nosuch,Name:5",
        "1  wide ",
        "squeue: error: Invalid job format specification: nosuch",
    ),
    ("squeue", "--Format=,JobID:10,Name:10,", "JOBID     NAME      \n1         wide      ", ""),
    ("squeue", "-h -O Name:###", "wide###", ""),
    ("squeue", "-h -O Name:,JobID:.3x", "wide  1x", ""),
    ("squeue", "-h -o '%D %C %c'", "3 40 1", ""),
    ("squeue", "-h --noconvert -o %m", "0", ""),
    ("sinfo", "-h -o '%D %i'", "4 %i", "Invalid node format specification: i"),
    (
        "sinfo",
        "-h --noconvert -O Nodes:2,nosuch",
        "4 ",
        "sinfo: error: Invalid job format specification: nosuch",
    ),
    ("sinfo", "-h -N -O NodeList:9,AllocMem:2,StateLong:5", None, ""),
    ("sacct", "-X -n -P -o JobID,AdminComment,Container", "1||", ""),
    ("sprio", "-h -o '%i %?'", "", "sprio: error: Invalid job format specification: ?"),
]


async def test_what_names_no_column_costs_one_line(tmp_path: Path) -> None:
    async with system_variables(tmp_path, "slurm", up=UP) as cluster:
        done = await cluster.ran("sbatch", "--begin=now+1hour", "-J", "wide", "-n", 40, "--wrap", "true")
        assert done.code == 0
        wrong = []
        for command, words, out, err in SAID:
            done = await cluster.ran("bash", "-c", f"{command} {words}")
            said = (done.out.rstrip("\n"), done.err.rstrip("\n"), done.code)
            if said != (said[0] if out is None else out, err, 0):
                wrong.append((command, words, said))
        assert not wrong
        every = await cluster.ran("sacct", "-X", "--format=ALL", "-P")
        assert len(every.lines[0].split("|")) == 109


async def test_a_format_of_ten_thousand_columns(tmp_path: Path) -> None:
    count = 10_000
    async with system_variables(tmp_path, "slurm", up=UP) as cluster:
        await _held(cluster)
        letters, names = "%i" * count, ",".join(["JobID:2"] * count)
        asked = [
            ("squeue", "-h", "-o", letters),
            ("squeue", "-h", "-O", names),
            ("sinfo", "-h", "-o", "%D" * count),
        ]
        said = await asyncio.gather(*(cluster.ran(*words) for words in asked))
        assert [one.out.strip() for one in said] == ["1" * count, ("1 " * count).strip(), "4" * count]


async def _held(cluster: Cluster) -> None:
    assert (await cluster.ran("sbatch", "-H", "--wrap", "true")).code == 0
