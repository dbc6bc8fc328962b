"""Why a job waits, as Slurm shows it."""

from enum import IntEnum


class Reason(IntEnum):
    """Numbers for kernels; ``shown`` has the words."""

    NONE = 0
    PRIORITY = 1
    RESOURCES = 2
    BEGIN_TIME = 3
    PARTITION_NODE_LIMIT = 4
    PARTITION_TIME_LIMIT = 5
    PARTITION_DOWN = 6
    PARTITION_INACTIVE = 7
    PARTITION_CONFIG = 8
    ACCOUNT_NOT_ALLOWED = 9
    QOS_NOT_ALLOWED = 10
    INVALID_ACCOUNT = 11
    INVALID_QOS = 12
    LICENSES = 13
    BAD_CONSTRAINTS = 14
    DEADLINE = 15
    QOS_GRP_JOBS = 20
    QOS_GRP_WALL = 21
    QOS_MAX_JOBS_ACCOUNT = 22
    QOS_MAX_JOBS_USER = 23
    QOS_MAX_WALL = 24
    ASSOC_GRP_JOBS = 25
    ASSOC_GRP_WALL = 26
    ASSOC_MAX_JOBS = 27
    ASSOC_MAX_WALL = 28
    QOS_USAGE_THRESHOLD = 29
    # From here on eight for each limit of TRES, in the order of ``Tres``.
    QOS_GRP_TRES = 100
    QOS_GRP_MINS = 108
    QOS_GRP_RUN_MINS = 116
    QOS_MAX_TRES = 124
    QOS_MAX_PER_NODE = 132
    QOS_MAX_MINS = 140
    QOS_MAX_USER = 148
    QOS_MAX_ACCOUNT = 156
    QOS_RUN_MINS_USER = 164
    QOS_RUN_MINS_ACCOUNT = 172
    QOS_MIN = 180
    ASSOC_GRP_TRES = 200
    ASSOC_GRP_MINS = 208
    ASSOC_GRP_RUN_MINS = 216
    ASSOC_MAX_TRES = 224
    ASSOC_MAX_PER_NODE = 232
    ASSOC_MAX_MINS = 240


FIRST_LIMIT = int(Reason.QOS_GRP_JOBS)
"""From here on reasons are limits of associations and QOSes."""

_PLAIN = {
    Reason.NONE: "None",
    Reason.PRIORITY: "Priority",
    Reason.RESOURCES: "Resources",
    Reason.BEGIN_TIME: "BeginTime",
    Reason.PARTITION_NODE_LIMIT: "PartitionNodeLimit",
    Reason.PARTITION_TIME_LIMIT: "PartitionTimeLimit",
    Reason.PARTITION_DOWN: "PartitionDown",
    Reason.PARTITION_INACTIVE: "PartitionInactive",
    Reason.PARTITION_CONFIG: "PartitionConfig",
    Reason.ACCOUNT_NOT_ALLOWED: "AccountNotAllowed",
    Reason.QOS_NOT_ALLOWED: "QOSNotAllowed",
    Reason.INVALID_ACCOUNT: "InvalidAccount",
    Reason.INVALID_QOS: "InvalidQOS",
    Reason.LICENSES: "Licenses",
    Reason.BAD_CONSTRAINTS: "BadConstraints",
    Reason.DEADLINE: "DeadLine",
    Reason.QOS_GRP_JOBS: "QOSGrpJobsLimit",
    Reason.QOS_GRP_WALL: "QOSGrpWallLimit",
    Reason.QOS_MAX_JOBS_ACCOUNT: "MaxJobsPerAccount",
    Reason.QOS_MAX_JOBS_USER: "QOSMaxJobsPerUserLimit",
    Reason.QOS_MAX_WALL: "QOSMaxWallDurationPerJobLimit",
    Reason.ASSOC_GRP_JOBS: "AssocGrpJobsLimit",
    Reason.ASSOC_GRP_WALL: "AssocGrpWallLimit",
    Reason.ASSOC_MAX_JOBS: "AssocMaxJobsLimit",
    Reason.ASSOC_MAX_WALL: "AssocMaxWallDurationPerJobLimit",
    Reason.QOS_USAGE_THRESHOLD: "QOSUsageThreshold",
}
_OF_TRES = {
    Reason.QOS_GRP_TRES: (
        "QOSGrpCpuLimit",
        "QOSGrpMemLimit",
        "QOSGrpNodeLimit",
        "QOSGrpBilling",
        "QOSGrpGRES",
    ),
    Reason.QOS_GRP_MINS: (
        "QOSGrpCPUMinutesLimit",
        "QOSGrpMemoryMinutes",
        "QOSGrpNodeMinutes",
        "QOSGrpBillingMinutes",
        "QOSGrpGRESMinutes",
    ),
    Reason.QOS_GRP_RUN_MINS: (
        "QOSGrpCPURunMinutesLimit",
        "QOSGrpMemoryRunMinutes",
        "QOSGrpNodeRunMinutes",
        "QOSGrpBillingRunMinutes",
        "QOSGrpGRESRunMinutes",
    ),
    Reason.QOS_MAX_TRES: (
        "QOSMaxCpuPerJobLimit",
        "QOSMaxMemoryPerJob",
        "QOSMaxNodePerJobLimit",
        "QOSMaxBillingPerJob",
        "QOSMaxGRESPerJob",
    ),
    Reason.QOS_MAX_PER_NODE: (
        "QOSMaxCpuPerNode",
        "QOSMaxMemoryPerNode",
        "QOSMaxNodePerNode",
        "QOSMaxBillingPerNode",
        "QOSMaxGRESPerNode",
    ),
    Reason.QOS_MAX_MINS: (
        "QOSMaxCpuMinutesPerJobLimit",
        "QOSMaxMemoryMinutesPerJob",
        "QOSMaxNodeMinutesPerJob",
        "QOSMaxBillingMinutesPerJob",
        "QOSMaxGRESMinutesPerJob",
    ),
    Reason.QOS_MAX_USER: (
        "QOSMaxCpuPerUserLimit",
        "QOSMaxMemoryPerUser",
        "QOSMaxNodePerUserLimit",
        "QOSMaxBillingPerUser",
        "QOSMaxGRESPerUser",
    ),
    Reason.QOS_MAX_ACCOUNT: (
        "MaxCpuPerAccount",
        "MaxMemoryPerAccount",
        "MaxNodePerAccount",
        "MaxBillingPerAccount",
        "MaxGRESPerAccount",
    ),
    Reason.QOS_RUN_MINS_USER: (
        "MaxCpuRunMinsPerUser",
        "MaxMemRunMinsPerUser",
        "MaxNodeRunMinsPerUser",
        "MaxBillingRunMinsPerUser",
        "MaxGRESRunMinsPerUser",
    ),
    Reason.QOS_RUN_MINS_ACCOUNT: (
        "MaxCpuRunMinsPerAccount",
        "MaxMemRunMinsPerAccount",
        "MaxNodeRunMinsPerAccount",
        "MaxBillingRunMinsPerAccount",
        "MaxGRESRunMinsPerAccount",
    ),
    Reason.QOS_MIN: ("QOSMinCpuNotSatisfied", "QOSMinMemory", "QOSMinNode", "QOSMinBilling", "QOSMinGRES"),
    Reason.ASSOC_GRP_TRES: (
        "AssocGrpCpuLimit",
        "AssocGrpMemLimit",
        "AssocGrpNodeLimit",
        "AssocGrpBilling",
        "AssocGrpGRES",
    ),
    Reason.ASSOC_GRP_MINS: (
        "AssocGrpCPUMinutesLimit",
        "AssocGrpMemMinutes",
        "AssocGrpNodeMinutes",
        "AssocGrpBillingMinutes",
        "AssocGrpGRESMinutes",
    ),
    Reason.ASSOC_GRP_RUN_MINS: (
        "AssocGrpCPURunMinutesLimit",
        "AssocGrpMemRunMinutes",
        "AssocGrpNodeRunMinutes",
        "AssocGrpBillingRunMinutes",
        "AssocGrpGRESRunMinutes",
    ),
    Reason.ASSOC_MAX_TRES: (
        "AssocMaxCpuPerJobLimit",
        "AssocMaxMemPerJob",
        "AssocMaxNodePerJobLimit",
        "AssocMaxBillingPerJob",
        "AssocMaxGRESPerJob",
    ),
    Reason.ASSOC_MAX_PER_NODE: (
        "AssocMaxCpuPerNode",
        "AssocMaxMemPerNode",
        "AssocMaxNodePerNode",
        "AssocMaxBillingPerNode",
        "AssocMaxGRESPerNode",
    ),
    Reason.ASSOC_MAX_MINS: (
        "AssocMaxCpuMinutesPerJobLimit",
        "AssocMaxMemMinutesPerJob",
        "AssocMaxNodeMinutesPerJob",
        "AssocMaxBillingMinutesPerJob",
        "AssocMaxGRESMinutesPerJob",
    ),
}
_EACH = 8


def shown(number: int) -> str:
    """The word of a reason, as squeue has it."""
    for first, words in _OF_TRES.items():
        if first <= number < first + _EACH:
            return words[min(number - first, len(words) - 1)]
    return _PLAIN[Reason(number)]
