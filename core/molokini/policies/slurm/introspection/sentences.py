"""Reasons as sentences, with Slurm's word in brackets, and what would help.

In braces: ``limit`` is the job's time limit, ``longest`` its partition's; ``least`` and ``most`` are nodes,
by the job and its partition together.
"""

from molokini.policies.slurm.knowledge.waiting_reasons import Reason

SENTENCES = {
    Reason.NONE: "no scheduling pass has tried to start it yet (None)",
    Reason.PRIORITY: "jobs before it in the queue wait for nodes of its partition (Priority); backfill "
    "starts it early where that delays none of their plans",
    Reason.BEGIN_TIME: "its begin time has not come (BeginTime)",
    Reason.PARTITION_NODE_LIMIT: "it needs {least} nodes at least and may have {most} at most, by what it "
    "asks for and by MinNodes and MaxNodes of its partition (PartitionNodeLimit)",
    Reason.PARTITION_TIME_LIMIT: "its time limit, {limit}, is beyond the MaxTime of its partition, {longest} "
    "(PartitionTimeLimit)",
    Reason.PARTITION_DOWN: "its partition is down: it takes jobs and starts none (PartitionDown)",
    Reason.PARTITION_INACTIVE: "its partition is inactive: it starts no jobs (PartitionInactive)",
    Reason.PARTITION_CONFIG: "its partition could never hold it (PartitionConfig)",
    Reason.ACCOUNT_NOT_ALLOWED: "its account may not use its partition, by AllowAccounts or DenyAccounts "
    "(AccountNotAllowed)",
    Reason.QOS_NOT_ALLOWED: "its QOS or its group may not use its partition, by AllowQos, DenyQos or "
    "AllowGroups (QOSNotAllowed)",
    Reason.INVALID_ACCOUNT: "its user has no association with its account, which AccountingStorageEnforce "
    "asks for (InvalidAccount)",
    Reason.INVALID_QOS: "its association may not have its QOS (InvalidQOS)",
    Reason.LICENSES: "licences that it asks for are not free (Licenses)",
    Reason.BAD_CONSTRAINTS: "the nodes of its partition could not hold it even if all were up and empty "
    "(BadConstraints)",
    Reason.DEADLINE: "it can no longer end before its deadline (DeadLine)",
}
HELPS = {
    Reason.NONE: ("the next pass",),
    Reason.PRIORITY: ("the start of jobs before it", "a shorter time limit, for backfill"),
    Reason.BEGIN_TIME: ("time",),
    Reason.PARTITION_NODE_LIMIT: ("another number of nodes", "another partition"),
    Reason.PARTITION_TIME_LIMIT: ("a time limit of at most {longest}", "another partition"),
    Reason.PARTITION_DOWN: ("State=UP of the partition", "another partition"),
    Reason.PARTITION_INACTIVE: ("State=UP of the partition", "another partition"),
    Reason.PARTITION_CONFIG: ("asking for less", "another partition"),
    Reason.ACCOUNT_NOT_ALLOWED: ("another account", "another partition"),
    Reason.QOS_NOT_ALLOWED: ("another QOS", "another partition"),
    Reason.INVALID_ACCOUNT: ("an account that its user has",),
    Reason.INVALID_QOS: ("a QOS that its association has",),
    Reason.LICENSES: ("the end of jobs that have them",),
    Reason.BAD_CONSTRAINTS: ("asking for less", "another partition"),
}
