"""What a configuration says, in the records that the policy ``slurm`` reads."""

import math
import re
from collections.abc import Iterable, Mapping
from typing import Any

from molokini.model.policy import Value
from molokini.policies.slurm.configuration import settings as port
from molokini.policies.slurm.configuration.parameters import PARAMETERS
from molokini.policies.slurm.configuration.words import PartitionState, PreemptMode, QosFlag, Sharing
from molokini.slurm import database
from molokini.slurm.conf_lines import Node, Partition
from molokini.slurm.model import SlurmConfig
from molokini.slurm.sections import Scheduling
from molokini.slurm.values import Amounts

_PLAIN = ("cpu", "mem", "node", "billing")
_GRES = re.compile(r"([A-Za-z0-9_.-]+)(?::([A-Za-z0-9_.-]+))?(?::(\d+)([KMGT]?))?(?:\(.*\))?")
_FLAGS = {
    "denyonlimit": QosFlag.DENY_ON_LIMIT,
    "enforceusagethreshold": QosFlag.ENFORCE_USAGE_THRESHOLD,
    "nodecay": QosFlag.NO_DECAY,
    "noreserve": QosFlag.NO_RESERVE,
    "overpartqos": QosFlag.OVER_PART_QOS,
    "partitionmaxnodes": QosFlag.PARTITION_MAX_NODES,
    "partitionminnodes": QosFlag.PARTITION_MIN_NODES,
    "partitiontimelimit": QosFlag.PARTITION_TIME_LIMIT,
    "requiresreservation": QosFlag.REQUIRES_RESERVATION,
    "usagefactorsafe": QosFlag.USAGE_FACTOR_SAFE,
}
_MODES = {
    "off": PreemptMode.OFF,
    "cancel": PreemptMode.CANCEL,
    "requeue": PreemptMode.REQUEUE,
    "suspend": PreemptMode.SUSPEND,
}
_GROWN = {"plan_end": (24, 11), "relevant_end": (25, 5), "time_min_grows": (25, 5), "one_node": (26, 5)}
"""What changed between releases, and with which."""
_BEFORE = {"plan_end": "down", "relevant_end": "off", "time_min_grows": "off", "one_node": "best"}
_KNOWN = frozenset(one.name for one in PARAMETERS)
_NONE = frozenset(("", "(null)", "none"))
_CRED_EXPIRE = re.compile(r"cred_expire=(\d+)")
_YEARS_S = 1e15


def settings_of(config: SlurmConfig) -> port.SlurmSettings:
    """The records of *config*."""
    generic, by_cpu = generic_of(config), config.selection.by_cpu
    return port.SlurmSettings(
        chosen={name: value for name, value in _chosen(config, generic).items() if name in _KNOWN},
        partitions=tuple(_partition(one, config, generic) for one in config.partitions),
        default_partition=config.default_partition,
        qos=tuple(_qos(one, generic, config) for one in config.accounting.qos),
        default_qos="normal" if any(one.name == "normal" for one in config.accounting.qos) else "",
        associations=tuple(_association(one, generic, config) for one in associations_of(config)),
        nodes=tuple(
            port.NodeLine(one.name, one.line.weight, at, one.line.cpus_together(by_cpu))
            for at, one in enumerate(config.nodes)
        ),
        generic=generic,
        licenses={name: int(count) for name, count in config.scheduling.licenses},
    )


def generic_of(config: SlurmConfig) -> tuple[str, ...]:
    """The generic resources that nodes have (``gres/gpu``), typed ones not told apart; the first four."""
    found = dict.fromkeys(name for node in config.nodes for name in gres_of(node))
    return tuple(found)[: port.MOST_GENERIC]


def gres_of(node: Node) -> dict[str, float]:
    """How much of each generic resource *node* has, types added up."""
    found: dict[str, float] = {}
    for part in filter(None, re.split(r",(?![^(]*\))", node.line.gres)):
        match = _GRES.fullmatch(part.strip())
        if match is None:
            continue
        name, kind, count, unit = match.groups()
        if count is None and kind is not None and kind.isdigit():
            count = kind
        amount = (
            float(count or 1) * {"": 1.0, "K": 2.0**10, "M": 2.0**20, "G": 2.0**30, "T": 2.0**40}[unit or ""]
        )
        found[f"gres/{name.lower()}"] = found.get(f"gres/{name.lower()}", 0.0) + amount
    return found


def _on(flag: bool) -> str:
    return "on" if flag else "off"


def _chosen(config: SlurmConfig, generic: tuple[str, ...]) -> dict[str, Value]:
    return {
        **_of_passes(config),
        **_of_priority(config, generic),
        **_of_nodes(config),
        **_of_limits_and_preemption(config),
        **{name: _BEFORE[name] for name, since in _GROWN.items() if config.release < since},
    }


def _of_passes(config: SlurmConfig) -> dict[str, Value]:
    passes, scheduling = config.passes, config.scheduling
    builtin = scheduling.type == "sched/builtin"
    expire = _CRED_EXPIRE.search(scheduling.auth_info)
    return {
        "sched_interval_s": float(passes.sched_interval_s),
        "batch_sched_delay_s": float(passes.batch_sched_delay_s),
        "default_queue_depth": passes.default_queue_depth,
        "partition_job_depth": passes.partition_job_depth,
        "sched_max_job_start": passes.sched_max_job_start,
        "defer": _on(passes.defer),
        **_of_ends(scheduling),
        "assoc_limit_stop": _on(passes.assoc_limit_stop),
        "bf_interval_s": -1.0 if builtin else float(passes.bf_interval_s),
        "bf_window_s": passes.bf_window_min * 60.0,
        "bf_resolution_s": float(passes.bf_resolution_s),
        "bf_max_job_test": passes.bf_max_job_test,
        "bf_node_space_size": passes.bf_node_space_size,
        "bf_max_job_start": passes.bf_max_job_start,
        "bf_max_job_user": passes.bf_max_job_user,
        "bf_max_job_part": passes.bf_max_job_part,
        "bf_max_job_user_part": passes.bf_max_job_user_part,
        "bf_max_job_assoc": passes.bf_max_job_assoc,
        "bf_job_part_count_reserve": passes.bf_job_part_count_reserve,
        "bf_max_job_array_resv": passes.bf_max_job_array_resv,
        "bf_min_age_reserve_s": float(passes.bf_min_age_reserve_s),
        "bf_min_prio_reserve": float(passes.bf_min_prio_reserve),
        "bf_one_resv_per_job": _on(passes.bf_one_resv_per_job),
        "bf_busy_nodes": _on(passes.bf_busy_nodes),
        "bf_licenses": _on(passes.bf_licenses),
        "bf_running_job_reserve": _on(passes.bf_running_job_reserve),
        "bf_window_linear_s": float(passes.bf_window_linear_s),
        "requeue_delay_s": float(passes.requeue_delay_s or (int(expire[1]) if expire else 120)) + 1.0,
        "kill_wait_s": scheduling.kill_wait_s,
        "over_time_limit_s": min(scheduling.over_time_limit_s, _YEARS_S),
    }


def _of_ends(scheduling: Scheduling) -> dict[str, Value]:
    """How passes follow the ends of jobs.

    A node that has an Epilog to run, or a step outside the batch script to end, reports when it has done so,
    and a pass follows at once. Any other answers that it is done as soon as it is told to clean up, and a
    pass is queued. ``-`` is some value, which a pack does not show.
    """
    steps = {one.strip().lower() for one in scheduling.prolog_flags.split(",")}
    if scheduling.epilog.strip().lower() not in _NONE or steps & {"contain", "x11", "-"}:
        return {"end_pass": "at_once"}
    return {"end_pass": "queued", "completing_s": 0.0}


def _of_priority(config: SlurmConfig, generic: tuple[str, ...]) -> dict[str, Value]:
    one = config.priority
    flags = one.flags
    raw = "no_normal_all" in flags
    weights = dict(one.tres_weights)
    named = {name: weights.get(name, 0.0) for name in _PLAIN}
    named |= {f"generic_{k}": weights.get(name, 0.0) for k, name in enumerate(generic)}
    return {
        "priority_type": "basic" if one.type == "priority/basic" else "multifactor",
        "priority_weight_age": float(one.age_weight),
        "priority_weight_assoc": float(one.association_weight),
        "priority_weight_fairshare": float(one.fairshare_weight),
        "priority_weight_job_size": float(one.size_weight),
        "priority_weight_partition": float(one.partition_weight),
        "priority_weight_qos": float(one.qos_weight),
        "priority_max_age_s": min(max(1.0, one.max_age_s), _YEARS_S),
        "priority_decay_half_life_s": 0.0 if math.isinf(one.half_life_s) else one.half_life_s,
        "priority_calc_period_s": min(max(1.0, one.calc_period_s), _YEARS_S),
        "priority_usage_reset": one.reset_period,
        "priority_favor_small": _on(one.favor_small),
        "fair_share_dampening": one.dampening,
        "accrue_always": _on("accrue_always" in flags),
        "calculate_running": _on("calculate_running" in flags),
        "depth_oblivious": _on("depth_oblivious" in flags),
        "no_fair_tree": _on(bool(flags & {"no_fair_tree", "depth_oblivious"})),
        "incr_only": _on("incr_only" in flags),
        "max_tres": "max_tres_gres"
        if "max_tres_gres" in flags
        else "max_tres"
        if "max_tres" in flags
        else "off",
        "no_normal_assoc": _on(raw or "no_normal_assoc" in flags),
        "no_normal_part": _on(raw or "no_normal_part" in flags),
        "no_normal_qos": _on(raw or "no_normal_qos" in flags),
        "no_normal_tres": _on(raw or "no_normal_tres" in flags),
        "small_relative_to_time": _on("small_relative_to_time" in flags),
        **{f"priority_weight_tres_{name}": weight for name, weight in named.items()},
    }


def _of_nodes(config: SlurmConfig) -> dict[str, Value]:
    selection = config.selection
    together = (one.line.cpus_together(selection.by_cpu) for one in config.nodes)
    return {
        "select_type": "linear" if selection.type == "select/linear" else "cons_tres",
        "consumes_memory": _on(any(one.endswith("memory") for one in selection.parameters)),
        "least_loaded": _on("cr_lln" in selection.parameters),
        "cpus_per_unit": max(together, default=1),
    }


def _of_limits_and_preemption(config: SlurmConfig) -> dict[str, Value]:
    enforced, preemption = config.enforcement, config.preemption
    # An association can be asked for only where the database is known.
    known = bool(config.accounting.associations)
    mode = next((word for word in ("suspend", "requeue", "cancel") if word in preemption.mode), "off")
    told = [one.lower() for one in preemption.parameters]
    reorder = next((one.partition("=")[2] for one in told if one.startswith("reorder_count")), "")
    return {
        "enforce_associations": _on(enforced.associations and known),
        "enforce_limits": _on(enforced.limits),
        "enforce_qos": _on(enforced.qos and known),
        "enforce_safe": _on(enforced.safe),
        "preempt_type": preemption.type.partition("/")[2],
        "preempt_mode": mode,
        "preempt_exempt_s": max(0.0, min(preemption.exempt_s, _YEARS_S)),
        "preempt_youngest_first": _on("youngest_first" in told),
        "preempt_strict_order": _on("strict_order" in told),
        "preempt_reorder_count": int(reorder) if reorder.isdigit() else 1,
    }


def _partition(one: Partition, config: SlurmConfig, generic: tuple[str, ...]) -> port.Partition:
    line = one.line
    word, _, rows = line.sharing.partition(":")
    sharing = Sharing[word.upper()]
    if line.exclusive == "node":
        sharing = Sharing.EXCLUSIVE
    select = config.selection
    return port.Partition(
        name=one.name,
        nodes=None if len(one.nodes) == len(config.nodes) else one.nodes,
        max_time_s=line.max_time_s,
        default_time_s=0.0 if math.isinf(line.default_time_s) else line.default_time_s,
        min_nodes=line.min_nodes,
        max_nodes=_limit(line.max_nodes),
        allow_accounts=None if "all" in line.allow_accounts else line.allow_accounts,
        deny_accounts=line.deny_accounts if "all" in line.allow_accounts else (),
        allow_qos=None if "all" in line.allow_qos else _known_qos(line.allow_qos, config),
        deny_qos=_known_qos(line.deny_qos, config) if "all" in line.allow_qos else (),
        state=PartitionState[line.state.upper()],
        priority_tier=line.tier,
        priority_job_factor=line.job_factor,
        preempt_mode=_mode(line.preempt_mode),
        grace_s=float(line.grace_s),
        qos=line.qos.lower() if _known_qos((line.qos.lower(),), config) else "",
        billing=_amounts(line.billing, generic),
        sharing=sharing,
        share_rows=int(rows) if rows.isdigit() else 4 if sharing in (Sharing.YES, Sharing.FORCE) else 1,
        least_loaded=line.lln,
        requires_reservation=line.needs_reservation,
        max_cpus_per_node=_limit(line.max_cpus_per_node),
        default_mem_per_cpu_mb=line.def_mem_per_cpu_mb or select.def_mem_per_cpu_mb,
        default_mem_per_node_mb=line.def_mem_per_node_mb or select.def_mem_per_node_mb,
        max_mem_per_cpu_mb=line.max_mem_per_cpu_mb or select.max_mem_per_cpu_mb or math.inf,
        max_mem_per_node_mb=line.max_mem_per_node_mb or select.max_mem_per_node_mb or math.inf,
    )


def _known_qos(names: Iterable[str], config: SlurmConfig) -> tuple[str, ...]:
    """Those of *names* that the database has; a QOS that it has not can be no job's."""
    known = {one.name for one in config.accounting.qos}
    return tuple(name for name in names if name in known)


def _mode(words: frozenset[str]) -> PreemptMode:
    return next(
        (_MODES[word] for word in ("suspend", "requeue", "cancel", "off") if word in words),
        PreemptMode.CLUSTER,
    )


def _limit(count: float) -> float:
    return math.inf if count < 0 else float(count)


def _amounts(given: Amounts, generic: tuple[str, ...]) -> Mapping[str, float]:
    known = {*_PLAIN, *generic}
    return {name: amount for name, amount in given if name in known}


def _limits(one: database.Limits, generic: tuple[str, ...]) -> port.Limits:
    return port.Limits(
        grp_tres=_amounts(one.grp_tres, generic),
        grp_tres_mins=_amounts(one.grp_tres_mins, generic),
        grp_tres_run_mins=_amounts(one.grp_tres_run_mins, generic),
        grp_jobs=_limit(one.grp_jobs),
        grp_submit=_limit(one.grp_submit),
        grp_accrue=_limit(one.grp_jobs_accrue),
        grp_wall_s=one.grp_wall_s,
        max_tres=_amounts(one.max_tres, generic),
        max_tres_per_node=_amounts(one.max_tres_per_node, generic),
        max_tres_mins=_amounts(one.max_tres_mins, generic),
        max_wall_s=one.max_wall_s,
        min_priority=float(max(0, one.min_priority)),
        **_own_limits(one, generic),
    )


def _own_limits(one: database.Limits, generic: tuple[str, ...]) -> dict[str, Any]:
    """What an association has, or a QOS, and the other has not."""
    if isinstance(one, database.Association):
        return {
            "max_jobs": _limit(one.max_jobs),
            "max_submit": _limit(one.max_submit),
            "max_accrue": _limit(one.max_jobs_accrue),
        }
    assert isinstance(one, database.Qos)
    return {
        "max_jobs": _limit(one.max_jobs_user),
        "max_submit": _limit(one.max_submit_user),
        "max_jobs_per_account": _limit(one.max_jobs_account),
        "max_submit_per_account": _limit(one.max_submit_account),
        "max_accrue": _limit(one.max_accrue_user),
        "max_accrue_per_account": _limit(one.max_accrue_account),
        "max_tres_per_user": _amounts(one.max_tres_user, generic),
        "max_tres_per_account": _amounts(one.max_tres_account, generic),
        "max_tres_run_mins_per_user": _amounts(one.max_run_mins_user, generic),
        "max_tres_run_mins_per_account": _amounts(one.max_run_mins_account, generic),
        "min_tres": _amounts(one.min_tres, generic),
    }


def associations_of(config: SlurmConfig) -> list[database.Association]:
    """The rows of the tree; one for a partition that there is not is no job's."""
    known = {"", *(one.name for one in config.partitions)}
    return [one for one in config.accounting.associations if one.partition in known]


def _association(
    one: database.Association, generic: tuple[str, ...], config: SlurmConfig
) -> port.Association:
    return port.Association(
        account=one.account,
        user=one.user,
        parent="" if one.user else one.parent,
        partition=one.partition,
        shares=port.PARENT if one.shares == database.PARENT else one.shares,
        priority=float(one.priority),
        usage_s=one.usage_s,
        qos=_known_qos(config.accounting.qos_of(one), config) if one.qos else (),
        default_qos=one.default_qos.lower() if _known_qos((one.default_qos.lower(),), config) else "",
        limits=_limits(one, generic),
    )


def _qos(one: database.Qos, generic: tuple[str, ...], config: SlurmConfig) -> port.Qos:
    flags = QosFlag(0)
    for name in one.flags:
        flags |= _FLAGS.get(name, QosFlag(0))
    return port.Qos(
        name=one.name,
        priority=float(one.priority),
        flags=flags,
        preempt=_known_qos(one.preempt, config),
        preempt_mode=_MODES.get(one.preempt_mode, PreemptMode.CLUSTER),
        preempt_exempt_s=one.exempt_s,
        grace_s=one.grace_s,
        usage_factor=one.usage_factor,
        limit_factor=one.limit_factor,
        usage_threshold=one.usage_threshold,
        limits=_limits(one, generic),
    )
