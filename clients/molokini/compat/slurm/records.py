"""The records of ``scontrol show``: lines of KEY=value words."""

from __future__ import annotations

from molokini.compat._types import Any, JobView
from molokini.compat.columns import printable as plain
from molokini.compat.slurm import hosts, sizes, times
from molokini.compat.slurm.nodes import complete


def _time(at_s: float | None) -> str:
    return times.shown(at_s, "Unknown")


def job_lines(view: JobView, details: bool) -> list[str]:
    """The record of a job."""
    job = view.job
    per = f"MinMemory{'CPU' if view.detail('mem_per_cpu', '') else 'Node'}={view.least_memory}"
    limit = "UNLIMITED" if job.limit_s >= times.INFINITE_S else times.long_duration(job.limit_s)
    lines = [
        f"JobId={view.raw_id}{_array_words(view)} JobName={plain(view.name)}",
        f"UserId={plain(view.user)}({view.user_id}) GroupId={plain(view.group)}({view.group_id}) "
        "MCS_label=N/A",
        f"Priority={view.priority} Nice={view.nice} Account={plain(view.account)} QOS={plain(view.qos)}"
        + (f" WCKey={plain(view.detail('wckey'))}" if view.detail("wckey", "") else ""),
        f"JobState={view.state} Reason={view.reason.replace(' ', '_')} Dependency={view.dependency}",
        f"Requeue={int(job.may_run_again)} Restarts={max(0, job.attempt - 1)} BatchFlag=1 "
        f"Reboot=0 ExitCode={view.exit_code}",
        f"RunTime={times.long_duration(view.elapsed_s)} TimeLimit={limit} "
        f"TimeMin={times.long_duration(job.least_limit_s) if job.least_limit_s else 'N/A'}",
        f"SubmitTime={_time(job.submitted_s)} EligibleTime={_time(job.eligible_s)}",
        f"AccrueTime={_time(job.eligible_s)}",
        f"StartTime={_time(view.start_s)} EndTime={_time(view.end_s)} "
        f"Deadline={times.shown(job.deadline_s or None)}",
        f"SuspendTime=None SecsPreSuspend=0 LastSchedEval={_time(view.evaluated_s)} Scheduler=Main",
        f"Partition={plain(view.partition)} AllocNode:Sid={plain(view.submit_host)}:{view.submit_session}",
        "ReqNodeList=(null) ExcNodeList=(null)",
        f"NodeList={view.nodes}",
    ]
    if view.allocated:
        lines.append(f"BatchHost={view.first_node}")
    most = view.most_nodes
    count = str(view.node_count) if view.allocated or not most else f"{view.node_count}-{most}"
    lines += [
        f"NumNodes={count} NumCPUs={view.processors} NumTasks={view.tasks} CPUs/Task={view.cpus_per_task} "
        "ReqB:S:C:T=0:0:*:*",
        f"TRES={view.tres}",
        f"Socks/Node=* NtasksPerN:B:S:C={view.detail('ntasks_per_node', '0')}:0:*:* CoreSpec=*",
    ]
    if details:
        lines += [f"  Nodes={name} CPU_IDs=0-{count - 1} Mem=0 GRES=" for name, count in view.allocated]
    lines += [
        f"MinCPUsNode={view.least_processors} {per} MinTmpDiskNode=0",
        f"Features={plain(view.features)} DelayBoot=00:00:00",
    ]
    if view.detail("reservation", ""):
        lines.append(f"Reservation={plain(view.detail('reservation'))}")
    shared = "NO" if view.detail("exclusive", "") else "OK"
    lines += [
        f"OverSubscribe={shared} Contiguous=0 Licenses={view.licenses} Network=(null)",
        f"Command={plain(view.command)}",
        f"WorkDir={plain(view.directory)}",
    ]
    if job.comment:
        lines.append(f"Comment={plain(view.comment)} ")
    lines += [
        f"StdErr={plain(view.path('stderr'))}",
        f"StdIn={plain(view.path('stdin'))}",
        f"StdOut={plain(view.path('stdout'))}",
        f"Power={_generic(view)}",
    ]
    if job.mail_to or job.mail_events:
        events = ",".join(one.upper() for one in job.mail_events) or "NONE"
        lines.append(f"MailUser={plain(','.join(job.mail_to) or view.user)} MailType={plain(events)}")
    return [*lines, ""]


def step_lines(view: JobView) -> list[str]:
    """The record of the batch step of a job that runs."""
    return [
        f"StepId={view.raw_id}.batch UserId={view.user_id} StartTime={_time(view.start_s)} "
        "TimeLimit=UNLIMITED",
        f"State=RUNNING Partition={plain(view.partition)} NodeList={view.first_node}",
        "Nodes=1 CPUs=0 Tasks=1 Name=batch Network=(null)",
        "TRES=(null)",
        "ResvPorts=(null)",
        "CPUFreqReq=Default",
        "SrunHost:Pid=(null):0",
    ]


def _generic(view: JobView) -> str:
    return f"\n   TresPerNode={view.generic}" if view.job.generic else ""


def _array_words(view: JobView) -> str:
    array = view.job.array
    if array is None:
        return ""
    limit = f" ArrayTaskThrottle={array['running_limit']}" if array.get("running_limit") else ""
    return f" ArrayJobId={view.array_id} ArrayTaskId={view.task}{limit}"


def node_lines(node: dict[str, Any], everywhere: dict[str, list[dict[str, Any]]]) -> list[str]:
    """The record of a node. *everywhere*: the nodes of each partition."""
    processors, used = int(node.get("processors", 0)), int(node.get("processors_used", 0))
    memory, taken = int(node.get("memory_kb", 0)) // 1024, int(node.get("memory_used_kb", 0)) // 1024
    features = ",".join(node.get("features", ())) or "(null)"
    generic = ",".join(f"{name}:{count}" for name, count in node.get("generic", {}).items()) or "(null)"
    lines = [
        f"NodeName={node['name']} Arch=x86_64 CoresPerSocket={processors} ",
        f"CPUAlloc={used} CPUEfctv={processors} CPUTot={processors} CPULoad=N/A",
        f"AvailableFeatures={plain(features)}",
        f"ActiveFeatures={plain(features)}",
        f"Gres={plain(generic)}",
        f"NodeAddr={node['name']} NodeHostName={node['name']} Port=0 Version=22.05.8",
        "OS=Linux",
        f"RealMemory={memory or 1} AllocMem={taken} FreeMem=N/A Sockets=1 Boards=1",
        f"State={complete(node).upper()} ThreadsPerCore=1 TmpDisk=0 Weight=1 Owner=N/A MCS_label=N/A",
        "Partitions=" + ",".join(name for name, among in everywhere.items() if node in among) + " ",
        "BootTime=None SlurmdStartTime=None",
        "LastBusyTime=Unknown",
        f"CfgTRES=cpu={processors},mem={sizes.shown((memory or 1) * 1024)},billing={processors}",
        f"AllocTRES={_used(node, used, taken)}",
        "CapWatts=n/a",
        "CurrentWatts=0 AveWatts=0",
        "ExtSensorsJoules=n/s ExtSensorsWatts=0 ExtSensorsTemp=n/s",
    ]
    if node.get("reason"):
        lines.append(f"Reason={plain(node['reason'])}")
    return lines


def _used(node: dict[str, Any], processors: int, memory_mb: int) -> str:
    """What jobs have of a node."""
    if not processors:
        return ""
    parts = [f"cpu={processors}", *([f"mem={sizes.shown(memory_mb * 1024)}"] if memory_mb else [])]
    return ",".join(parts + [f"gres/{name}={n}" for name, n in node.get("generic_used", {}).items() if n])


def partition_lines(queue: dict[str, Any], default: bool, among: list[dict[str, Any]]) -> list[str]:
    """The record of a partition, whose nodes are *among*."""
    processors = sum(int(one.get("processors", 0)) for one in among)
    users = ",".join(queue.get("users", ()))
    memory = sum(int(one.get("memory_kb", 0)) for one in among) // 1024
    known = partition_words(queue)

    def said(*names: str) -> str:
        return " ".join(f"{name}={known[name]}" for name in names if name in known)

    return [
        f"PartitionName={queue['name']}",
        said("AllowGroups", "AllowAccounts", "DenyAccounts", "AllowQos", "DenyQos")
        + (f" AllowUsers={users}" if users else ""),
        f"AllocNodes={known['AllocNodes']} Default={'YES' if default else 'NO'} QoS={known['QoS']}",
        said("DefaultTime", "DisableRootJobs", "ExclusiveUser", "GraceTime", "Hidden"),
        said("MaxNodes", "MaxTime", "MinNodes", "LLN", "MaxCPUsPerNode"),
        f"Nodes={hosts.compressed([one['name'] for one in among]) or '(null)'}",
        said("PriorityJobFactor", "PriorityTier", "RootOnly", "ReqResv", "OverSubscribe"),
        said("OverTimeLimit", "PreemptMode"),
        f"State={partition_state(queue)} TotalCPUs={processors} TotalNodes={len(among)} "
        "SelectTypeParameters=NONE",
        "JobDefaults=(null)",
        said("DefMemPerCPU", "DefMemPerNode", "MaxMemPerCPU", "MaxMemPerNode"),
        f"TRES=cpu={processors},mem={sizes.shown((memory or 1) * 1024)},node={len(among)},"
        f"billing={processors}",
        *([said("TRESBillingWeights")] if "TRESBillingWeights" in known else []),
    ]


def partition_words(queue: dict[str, Any]) -> dict[str, str]:
    """The attributes of a partition: as the configuration of the policy says, else as the server has them."""
    longest = float(queue.get("max_estimate_s", 0.0))
    usual = float(queue.get("default_estimate_s", 0.0) or 3600.0)
    made = {**_UNSAID, "DefaultTime": times.long_duration(usual), **queue.get("described", {})}
    if "DenyAccounts" in made:
        made.pop("AllowAccounts", None)
    if "DenyQos" in made:
        made.pop("AllowQos", None)
    if longest:
        # It has been set here since.
        made["MaxTime"] = times.long_duration(longest)
    if priority := queue.get("priority", 0):
        made["PriorityTier"] = str(priority)
    if "DefMemPerCPU" not in made:
        made.setdefault("DefMemPerNode", "UNLIMITED")
    if "MaxMemPerCPU" not in made:
        made.setdefault("MaxMemPerNode", "UNLIMITED")
    return made


_UNSAID = {
    "AllowGroups": "ALL",
    "AllowAccounts": "ALL",
    "AllowQos": "ALL",
    "AllocNodes": "ALL",
    "QoS": "N/A",
    "DisableRootJobs": "NO",
    "ExclusiveUser": "NO",
    "GraceTime": "0",
    "Hidden": "NO",
    "MaxNodes": "UNLIMITED",
    "MaxTime": "UNLIMITED",
    "MinNodes": "0",
    "LLN": "NO",
    "MaxCPUsPerNode": "UNLIMITED",
    "PriorityJobFactor": "1",
    "PriorityTier": "1",
    "RootOnly": "NO",
    "ReqResv": "NO",
    "OverSubscribe": "NO",
    "OverTimeLimit": "NONE",
    "PreemptMode": "OFF",
}
"""What a partition has of which nothing is said."""


def partition_state(queue: dict[str, Any]) -> str:
    """``UP``, ``DOWN`` (nothing starts), ``DRAIN`` (nothing is taken) or ``INACTIVE`` (neither)."""
    takes, starts = bool(queue.get("enabled")), bool(queue.get("started"))
    return ("UP" if starts else "DOWN") if takes else ("DRAIN" if starts else "INACTIVE")


def reservation_lines(reservation: dict[str, Any], now_s: float) -> list[str]:
    """The record of a reservation as it is at *now_s*."""
    start, end = reservation.get("start_s", 0.0), reservation.get("end_s")
    nodes = [one["node"] for one in reservation.get("nodes", ())]
    access: dict[str, list[str]] = {}
    for one in reservation.get("access", ()):
        access.setdefault(one["kind"], []).append(one["name"])
    length = "UNLIMITED" if end is None else times.long_duration(end - start)
    licenses = ",".join(f"{name}:{count}" for name, count in sorted(reservation.get("licenses", {}).items()))
    flags = "SPEC_NODES" if nodes or not licenses else "ANY_NODES"
    return [
        f"ReservationName={plain(reservation['name'])} StartTime={_time(start)} EndTime={_time(end)} "
        f"Duration={length}",
        f"Nodes={hosts.compressed(nodes) or '(null)'} NodeCnt={len(nodes)} "
        f"CoreCnt={reservation.get('processors', 0)} Features=(null) PartitionName=(null) Flags={flags}",
        f"TRES=cpu={reservation.get('processors', 0)}",
        f"Users={plain(','.join(access.get('user', ()))) or '(null)'} "
        f"Groups={plain(','.join(access.get('group', ()))) or '(null)'} "
        f"Accounts={plain(','.join(access.get('account', ()))) or '(null)'} "
        f"Licenses={plain(licenses) or '(null)'} "
        f"State={'ACTIVE' if start <= now_s else 'INACTIVE'} "
        "BurstBuffer=(null) Watts=n/a",
        "MaxStartDelay=(null)",
    ]
