"""A partition in the words of ``scontrol show partition``, and what it refuses at submission."""

import math
from collections.abc import Mapping, Sequence

from molokini.model.errors import BadValue
from molokini.model.site import Asked
from molokini.slurm.conf_lines import Partition, PartitionLine
from molokini.slurm.model import SlurmConfig

_UNLIMITED = "UNLIMITED"


def words_of(one: Partition, config: SlurmConfig) -> Mapping[str, str]:
    """What the configuration says of a partition, word by word, defaults included."""
    line = one.line
    return {
        "AllowGroups": ",".join(line.allow_groups) or "ALL",
        **_admission("Accounts", line.allow_accounts, line.deny_accounts),
        **_admission("Qos", line.allow_qos, line.deny_qos),
        "AllocNodes": line.alloc_nodes or "ALL",
        "QoS": line.qos or "N/A",
        "DefaultTime": _time(line.default_time_s) if line.default_time_s else "NONE",
        "DisableRootJobs": _yes(line.no_root),
        "ExclusiveUser": _yes(line.exclusive_user or line.exclusive == "user"),
        "GraceTime": str(line.grace_s),
        "Hidden": _yes(line.hidden),
        "MaxNodes": _count(line.max_nodes),
        "MaxTime": _time(line.max_time_s),
        "MinNodes": str(line.min_nodes),
        "LLN": _yes(line.lln),
        "MaxCPUsPerNode": _count(line.max_cpus_per_node),
        "PriorityJobFactor": str(line.job_factor),
        "PriorityTier": str(line.tier),
        "RootOnly": _yes(line.root_only),
        "ReqResv": _yes(line.needs_reservation),
        "OverSubscribe": _sharing(line),
        "OverTimeLimit": _over(line.over_time_limit_s),
        "PreemptMode": _preemption(line, config),
        **_memory(line, config),
        **({"TRESBillingWeights": _weights(line)} if line.billing else {}),
    }


def check_asked(one: Partition, asked: Asked) -> None:
    """BadValue where a job is beyond what the partition takes, and EnforcePartLimits has it refused."""
    line, where = one.line, f"in partition {one.name} (EnforcePartLimits)"
    if asked.estimate_s > line.max_time_s:
        allowed = f"at most {line.max_time_s:g} s, the MaxTime, {where}"
        raise BadValue("estimate_s", asked.estimate_s, allowed)
    if asked.nodes and not line.min_nodes <= asked.nodes <= _most(line.max_nodes):
        allowed = f"from {max(1, line.min_nodes)} to {_count(line.max_nodes)}, MinNodes and MaxNodes, {where}"
        raise BadValue("resources.nodes", asked.nodes, allowed)
    _check_name("account", asked.account.lower(), line.allow_accounts, line.deny_accounts, where)
    if asked.qos:
        _check_name("qos", asked.qos.lower(), line.allow_qos, line.deny_qos, where)


def _check_name(field: str, name: str, allow: Sequence[str], deny: Sequence[str], where: str) -> None:
    if "all" not in allow:
        if name not in allow:
            raise BadValue(field, name, f"one of {', '.join(allow)} {where}")
    elif name in deny:
        raise BadValue(field, name, f"none of {', '.join(deny)} {where}")


def _admission(what: str, allow: Sequence[str], deny: Sequence[str]) -> dict[str, str]:
    """Allow goes before Deny, and one of them is shown."""
    if "all" in allow and deny:
        return {f"Deny{what}": ",".join(deny)}
    return {f"Allow{what}": "ALL" if "all" in allow else ",".join(allow)}


def _most(count: int) -> float:
    return math.inf if count < 0 else count


def _count(count: int) -> str:
    return _UNLIMITED if count < 0 else str(count)


def _yes(flag: bool) -> str:
    return "YES" if flag else "NO"


def _time(seconds: float) -> str:
    """``1-00:30:00``."""
    if math.isinf(seconds):
        return _UNLIMITED
    days, rest = divmod(int(seconds), 86400)
    clock = f"{rest // 3600:02}:{rest // 60 % 60:02}:{rest % 60:02}"
    return f"{days}-{clock}" if days else clock


def _over(seconds: float) -> str:
    if seconds < 0:
        return "NONE"
    return _UNLIMITED if math.isinf(seconds) else str(int(seconds // 60))


def _sharing(line: PartitionLine) -> str:
    if line.exclusive == "node":
        return "EXCLUSIVE"
    word, _, rows = line.sharing.upper().partition(":")
    return f"{word}:{rows or 4}" if word in ("YES", "FORCE") else word


def _preemption(line: PartitionLine, config: SlurmConfig) -> str:
    mode = line.preempt_mode or config.preemption.mode
    order = ("gang", "suspend", "requeue", "cancel")
    return ",".join(word.upper() for word in order if word in mode) or "OFF"


def _memory(line: PartitionLine, config: SlurmConfig) -> dict[str, str]:
    select = config.selection
    found = {}
    for word, (each, node) in {
        "DefMem": (
            line.def_mem_per_cpu_mb or select.def_mem_per_cpu_mb,
            line.def_mem_per_node_mb or select.def_mem_per_node_mb,
        ),
        "MaxMem": (
            line.max_mem_per_cpu_mb or select.max_mem_per_cpu_mb,
            line.max_mem_per_node_mb or select.max_mem_per_node_mb,
        ),
    }.items():
        name, amount = (f"{word}PerCPU", each) if each else (f"{word}PerNode", node)
        found[name] = f"{amount:.0f}" if amount and not math.isinf(amount) else _UNLIMITED
    return found


def _weights(line: PartitionLine) -> str:
    return ",".join(f"{name}={weight:g}" for name, weight in line.billing)
