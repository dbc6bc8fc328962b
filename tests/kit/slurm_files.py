"""Files of a small site: slurm.conf, database, log; and Slurm's commands, which print them."""

from pathlib import Path

CONF = """\
# A small site
ClusterName=tiny
SlurmctldHost=head
SchedulerParameters=bf_interval=10,batch_sched_delay=0,max_rpc_cnt=20
PriorityWeightAge=1000
PriorityMaxAge=1-0
PriorityWeightFairshare=100000
PriorityWeightTRES=CPU=1000,Mem=0.25G
PriorityFlags=NO_FAIR_TREE,ACCRUE_ALWAYS
AccountingStorageEnforce=associations,\\
limits,qos
SelectTypeParameters=CR_CPU
PriorityCalcPeriod=5
Licenses=matlab:10
NodeName=DEFAULT CPUs=4 RealMemory=64000
NodeName=n[10,1-3] Features="a,b" State=UNKNOWN
NodeName=gpu1 Gres=gpu:a100:4,shard:8 Sockets=2 CoresPerSocket=4 ThreadsPerCore=2 CPUs=16 Weight=10
NodeSet=cheap Feature=a
PartitionName=DEFAULT MaxTime=2-0 State=UP
PartitionName=batch Nodes=cheap Default=YES PriorityJobFactor=20
PartitionName=low Nodes=n[1-3] MaxTime=1:00:30 AllowAccounts=A OverSubscribe=EXCLUSIVE QOS=part
PartitionName=gpu Nodes=gpu1 Priority=7
"""
DUMP = """\
# To edit this file start with a cluster line for the new cluster
Cluster - 'tiny':Fairshare=1:QOS='normal':DefaultQOS='normal'
Parent - 'root'
User - 'root':DefaultAccount='root':AdminLevel='Administrator':Fairshare=1
Account - 'a':Description='a':Organization='a':Fairshare=2:GrpTRES=cpu=4
Account - 'c':Description='c':Organization='c':Fairshare=parent
Parent - 'a'
User - 'ann':DefaultAccount='a':Fairshare=1:MaxJobs=3:QOS='+high'
Parent - 'c'
Account - 'd':Fairshare=3:MaxWallDurationPerJob=120
Parent - 'd'
User - 'bob':DefaultAccount='d':Fairshare=1
User - 'ann':Partition='low':Fairshare=1
"""
QOS = """\
Name|Priority|GraceTime|Preempt|PreemptExemptTime|PreemptMode|Flags|UsageThres|UsageFactor|GrpTRES|MaxWall|MaxJobsPU|MaxTRESPU
normal|0|00:00:00|||cluster|||1.000000||||
high|100|00:00:30|normal||requeue|DenyOnLimit,NoDecay||2.000000|cpu=8,gres/gpu=2|1-00:00:00|2|cpu=4
part|0|00:00:00|||cluster|||1.000000||||
"""
SACCT_COLUMNS = (
    "JobID|User|Group|Account|Partition|QOS|Submit|Eligible|Start|End|ElapsedRaw|Timelimit|State|ReqCPUS|"
    "AllocCPUS|ReqNodes|ReqMem|NodeList|Priority|Flags|Restarts"
)
SACCT = (
    SACCT_COLUMNS
    + """
1|ann|staff|a|batch|normal|1000|1000|1000|1600|600|00:20:00|COMPLETED|16|16|4|0|n[1-3,10]|1000|SchedMain|0
2|bob|staff|d|batch|high|1010|1010|1601|1701|100|00:10:00|COMPLETED|4|4|1|0|n1|1500|SchedMain|0
3|ann|staff|a|batch|normal|1020|1020|1601|1661|60|00:05:00|COMPLETED|4|4|1|0|n2|1020|SchedBackfill|0
4|bob|staff|d|batch|normal|1030|1200|1661|1721|60|00:05:00|COMPLETED|8|8|2|0|n[2-3]|900|SchedMain|0
5|ann|staff|a|low|normal|1040|1040|Unknown|1300|0|00:05:00|CANCELLED by 5|4|0|1|0|None assigned|0||0
6+0|zoe|staff|zoo|batch|gone|1050|1050|1721|1781|60|00:05:00|COMPLETED|1|1|1|0|n1|800|SchedMain|0
6+1|zoe|staff|zoo|batch|gone|1050|1050|1721|1781|60|00:05:00|COMPLETED|1|1|1|0|n1|800|SchedMain|0
"""
)
EVENTS = """\
NodeName|TimeStart|TimeEnd|State|Reason
|900|Unknown||Cluster Registered TRES
n3|1650|1700|DRAIN|disk
old7|100|200|DOWN|gone
"""
FAKE = """\
#!/bin/sh
# Slurm's commands, as far as the collector asks them: each prints a file of this folder.
here=$(dirname "$0")
case "$(basename "$0") $*" in
  "scontrol --version") echo "slurm 24.05.3" ;;
  "scontrol show config") echo "ClusterName = tiny"; echo "SLURM_CONF = $here/slurm.conf" ;;
  "sacct "*) sed 's/|/\x1f/g' "$here/sacct" ;;
  sacctmgr*assoc*) cat "$here/assoc" ;;
  sacctmgr*qos*) cat "$here/qos" ;;
  sacctmgr*event*) cat "$here/events" ;;
  sacctmgr*reservation*) cat "$here/reservations" ;;
  "scontrol show reservation -o") cat "$here/reserved_now" ;;
  *) echo "what is $*" >&2; exit 1 ;;
esac
"""
ASSOC = """\
Cluster|Account|User|Share|GrpTRES|MaxJobs|QOS|Def QOS|ParentName
tiny|root||||||normal|
tiny|root|root|1|||||
tiny|a||2|||||root
tiny|c||parent||||normal|root
tiny|d||3|||||c
tiny|a|ann|1|||normal||
tiny|d|bob|1|||normal,high||
"""


def fake_slurm(folder: Path, conf: str = CONF, sacct: str = SACCT) -> None:
    """Put Slurm's commands, and the files that they print, into *folder*."""
    files = {"slurm.conf": conf, "sacct": sacct, "qos": QOS, "events": EVENTS, "assoc": ASSOC}
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")
    for name in ("scontrol", "sacct", "sacctmgr", "sshare"):
        (folder / "bin").mkdir(exist_ok=True)
        path = folder / "bin" / name
        path.write_text(FAKE.replace('$(dirname "$0")', str(folder)), encoding="utf-8")
        path.chmod(0o755)
