"""The cluster of the proof: eight nodes, three partitions, shares, limits, and priorities of all kinds."""

from benchmarks.beside.real import CLUSTER, RealSlurm, Shape

BF_INTERVAL_S = 10
SHAPE = Shape(
    nodes=8,
    processors=4,
    memory_mb=8000,
    scheduling=(
        f"SchedulerParameters=bf_interval={BF_INTERVAL_S}",
        "PriorityType=priority/multifactor",
        "PriorityWeightAge=1000",
        "PriorityMaxAge=0-1",
        "PriorityWeightFairshare=10000",
        "PriorityWeightJobSize=1000",
        "PriorityWeightPartition=1000",
        "PriorityWeightQOS=5000",
        "PriorityDecayHalfLife=0-1",
        "PriorityCalcPeriod=1",
        "AccountingStorageEnforce=associations,limits,qos",
    ),
    partitions=(
        "PartitionName=batch Nodes=n[1-6] Default=YES MaxTime=30 PriorityJobFactor=20",
        "PartitionName=short Nodes=n[5-8] MaxTime=2 PriorityJobFactor=50",
        "PartitionName=wide Nodes=n[1-8] MaxTime=30 PriorityJobFactor=5",
    ),
)
USERS = {
    "physics": ("daemon", "bin"),
    "chemistry": ("sys", "games"),
    "biology": ("man", "lp"),
}
"""Accounts of users that every Debian has: their jobs run under them."""
_ACCOUNTS = {
    "physics": ("Fairshare=4",),
    "chemistry": ("Fairshare=2", "GrpTRES=cpu=16"),
    "biology": ("Fairshare=1", "GrpJobs=6"),
}


def add_accounts(real: RealSlurm) -> None:
    """Put QOSes, accounts and users into the database of *real*."""
    manager = ("sacctmgr", "-i")
    real.command(*manager, "add", "qos", "high", "Priority=100", "MaxJobsPU=2")
    for account, limits in _ACCOUNTS.items():
        real.command(*manager, "add", "account", account, f"Cluster={CLUSTER}", *limits)
        for user in USERS[account]:
            real.command(*manager, "add", "user", user, f"Account={account}", "QOS=normal,high")
