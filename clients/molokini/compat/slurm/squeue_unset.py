"""Columns of squeue for what no job has here: the names of 22.05 and 24.11, and what each prints for none."""

from __future__ import annotations

_NULL = {
    "admin_comment": "ADMIN_COMMENT",
    "burstbuffer": "BURST_BUFFER",
    "burstbufferstate": "BURST_BUFFER_STATE",
    "clusterfeature": "CLUSTER_FEATURES",
    "container": "CONTAINER",
    "containerid": "CONTAINER_ID",
    "mcslabel": "MCSLABEL",
    "network": "NETWORK",
    "prefer": "PREFER",
    "system_comment": "SYSTEM_COMMENT",
}
_NOT_HERE = {
    "corespec": "CORE_SPEC",
    "cpus-per-tres": "CPUS_PER_TRES",
    "hetjobid": "HET_JOB_ID",
    "hetjobidset": "HET_JOB_ID_SET",
    "hetjoboffset": "HET_JOB_OFFSET",
    "mem-per-tres": "MEM_PER_TRES",
    "ntpercore": "NTASKS_PER_CORE",
    "ntpersocket": "NTASKS_PER_SOCKET",
    "preempttime": "PREEMPT_TIME",
    "resizetime": "RESIZE_TIME",
    "segmentsize": "SEGMENT_SIZE",
    "tres-bind": "TRES_BIND",
    "tres-freq": "TRES_FREQ",
    "tres-per-job": "TRES_PER_JOB",
    "tres-per-socket": "TRES_PER_SOCKET",
    "tres-per-task": "TRES_PER_TASK",
}
_NO_FEDERATION = {
    "origin": "ORIGIN",
    "originraw": "ORIGIN_RAW",
    "siblingsactive": "ACTIVE_SIBLINGS",
    "siblingsactiveraw": "ACTIVE_SIBLINGS_RAW",
    "siblingsviable": "VIABLE_SIBLINGS",
    "siblingsviableraw": "VIALBLE_SIBLINGS_RAW",  # so it is spelt there
}
_ZERO = {
    "boardspernode": "BOARDS_PER_NODE",
    "contiguous": "CONTIGUOUS",
    "mintmpdisk": "MIN_TMP_DISK",
    "ntperboard": "NTASKS_PER_BOARD",
    "reboot": "REBOOT",
    "reqswitch": "REQ_SWITCH",
    "sperboard": "SOCKETS_PER_BOARD",
}
_NO_TIME = {"delayboot": "DELAY_BOOT", "wait4switch": "WAIT4SWITCH"}
_ANY = {"cores": "CORES_PER_SOCKET", "sockets": "SOCKETS_PER_NODE", "threads": "THREADS_PER_CORE"}
_EMPTY = {"excnodes": "EXC_NODES", "reqnodes": "REQ_NODES", "selectjobinfo": "", "sluid": "SLUID"}
UNSET: dict[str, tuple[str, str]] = {
    name: (header, text)
    for headers, text in (
        (_NULL, "(null)"),
        (_NOT_HERE, "N/A"),
        (_NO_FEDERATION, "NA"),
        (_ZERO, "0"),
        (_NO_TIME, "0:00"),
        (_ANY, "*"),
        (_EMPTY, ""),
    )
    for name, header in headers.items()
} | {
    "batchflag": ("BATCH_FLAG", "1"),
    "cronjob": ("CRON_JOB", "No"),
    "exclusive": ("EXCLUSIVE", "NO"),
    "profile": ("PROFILE", "NotSet"),
    "sct": ("S:C:T", "*:*:*"),
}
"""By name: the header, and the text in every line."""
