"""The sections of a ``slurm.conf`` that matter to a schedule: one field a parameter.

Names, units, ranges and defaults: manual page of slurm.conf, release 26.05.
Times are seconds, memory megabytes; infinity is UNLIMITED, -1 UNLIMITED where a number is counted.
"""

from dataclasses import dataclass

from molokini.slurm.declared import conf
from molokini.slurm.values import (
    LICENSES,
    LONG_TIME,
    MEMORY,
    MINUTES,
    NAMES,
    SWITCH,
    TEXT,
    WEIGHTS,
    Amounts,
    number,
    seconds,
    whole,
    word,
    words,
)

_DAY_S = 86_400.0
_WEIGHT = whole(0, 2**32 - 1)


@dataclass(frozen=True, kw_only=True)
class Priority:
    """``priority/multifactor``."""

    type: str = conf(
        "PriorityType",
        word("priority/multifactor", "priority/basic"),
        "priority/multifactor",
        "How jobs are ranked: by weighted factors, or in order of submission (basic).",
    )
    age_weight: int = conf("PriorityWeightAge", _WEIGHT, 0, "Weight of the time since a job became eligible.")
    association_weight: int = conf("PriorityWeightAssoc", _WEIGHT, 0, "Weight of the association's Priority.")
    fairshare_weight: int = conf("PriorityWeightFairshare", _WEIGHT, 0, "Weight of the fairshare factor.")
    size_weight: int = conf("PriorityWeightJobSize", _WEIGHT, 0, "Weight of nodes and CPUs asked for.")
    partition_weight: int = conf(
        "PriorityWeightPartition", _WEIGHT, 0, "Weight of the partition's PriorityJobFactor."
    )
    qos_weight: int = conf("PriorityWeightQOS", _WEIGHT, 0, "Weight of the QOS's Priority.")
    tres_weights: Amounts = conf("PriorityWeightTRES", WEIGHTS, (), "Weights of resources asked for.")
    max_age_s: float = conf(
        "PriorityMaxAge", LONG_TIME, 7 * _DAY_S, "The age from which the age factor is 1."
    )
    favor_small: bool = conf(
        "PriorityFavorSmall", SWITCH, False, "Whether small jobs have the larger size factor."
    )
    half_life_s: float = conf(
        "PriorityDecayHalfLife", LONG_TIME, 7 * _DAY_S, "Usage counts half after so long; 0: it never fades."
    )
    calc_period_s: float = conf(
        "PriorityCalcPeriod", LONG_TIME, 300.0, "How often usage fades and priorities are computed again."
    )
    reset_period: str = conf(
        "PriorityUsageResetPeriod",
        word("NONE", "NOW", "DAILY", "WEEKLY", "MONTHLY", "QUARTERLY", "YEARLY"),
        "none",
        "When all usage is set to 0.",
    )
    flags: frozenset[str] = conf(
        "PriorityFlags",
        words(
            *(
                "ACCRUE_ALWAYS",
                "CALCULATE_RUNNING",
                "DEPTH_OBLIVIOUS",
                "NO_FAIR_TREE",
                "FAIR_TREE",
                "INCR_ONLY",
            ),
            *("MAX_TRES", "MAX_TRES_GRES", "NO_NORMAL_ALL", "NO_NORMAL_ASSOC", "NO_NORMAL_PART"),
            *("NO_NORMAL_QOS", "NO_NORMAL_TRES", "SMALL_RELATIVE_TO_TIME"),
        ),
        frozenset(),
        "Variants of the factors and of fairshare.",
    )
    dampening: int = conf(
        "FairShareDampeningFactor",
        whole(1, 65_535),
        1,
        "Flattens classic fairshare; fair tree has no use for it.",
    )


@dataclass(frozen=True, kw_only=True)
class Scheduling:
    """When passes run and what they end."""

    type: str = conf(
        "SchedulerType",
        word("sched/backfill", "sched/builtin"),
        "sched/backfill",
        "Whether a backfill pass plans behind the main one.",
    )
    complete_wait_s: float = conf(
        "CompleteWait",
        seconds(0, 65_535),
        0.0,
        "No pass while a job has been completing for less than that.",
        without="no pass waits for completing jobs; --set completing_s says how long a node completes",
    )
    kill_wait_s: float = conf("KillWait", seconds(0, 65_535), 30.0, "Between SIGTERM and SIGKILL.")
    over_time_limit_s: float = conf(
        "OverTimeLimit", MINUTES, 0.0, "How long a job may run past its limit (minutes)."
    )
    epilog_message_us: int = conf(
        "EpilogMsgTime",
        whole(0, 2**31),
        2000,
        "Microseconds between messages of epilogs.",
        without="epilogs take no time here",
    )
    epilog: str = conf(
        "Epilog",
        TEXT,
        "",
        "Where nodes run one, the end of a job is followed by a main pass, else by a queued one.",
    )
    prolog_flags: str = conf(
        "PrologFlags",
        TEXT,
        "",
        "With Contain or X11 the end of a job is followed as with an Epilog.",
    )
    requeue: bool = conf(
        "JobRequeue",
        SWITCH,
        True,
        "Whether jobs may be started again.",
        without="a job that gives way starts again unless PreemptMode says CANCEL",
    )
    over_reservation_s: float = conf(
        "ResvOverRun",
        MINUTES,
        0.0,
        "How long a job may run past its reservation (minutes).",
        without="jobs are not bound to reservations here",
    )
    slice_s: float = conf(
        "SchedulerTimeSlice",
        seconds(5, 65_533),
        30.0,
        "The slice of gang scheduling.",
        without="jobs that share processors in slices are not simulated",
    )
    message_timeout_s: float = conf(
        "MessageTimeout",
        seconds(1, 3600),
        10.0,
        "With KillWait: how long a preemptor waits before it preempts again.",
        without="a preemptor may preempt again in the next pass",
    )
    auth_info: str = conf("AuthInfo", TEXT, "", "cred_expire says when a requeued job may start again.")
    max_array: int = conf(
        "MaxArraySize",
        whole(0, 4_000_001),
        1001,
        "Elements of an array, at most.",
        without="no job of a log is refused for it",
    )
    max_jobs: int = conf(
        "MaxJobCount",
        whole(1, 2**31),
        10_000,
        "Jobs that wait and run, at most.",
        without="no job of a log is refused for it",
    )
    enforce_limits: str = conf(
        "EnforcePartLimits",
        word("NO", "ANY", "ALL", "YES"),
        "no",
        "Whether a live server refuses a job beyond its partition's limits; in a replay such a job waits.",
    )
    licenses: Amounts = conf("Licenses", LICENSES, (), "Licenses of the cluster by name.")
    min_job_age_s: float = conf(
        "MinJobAge",
        seconds(0, 2**31),
        300.0,
        "How long ended jobs stay listed.",
        without="ended jobs play no part",
    )


@dataclass(frozen=True, kw_only=True)
class Selection:
    """Which nodes, and what of them."""

    type: str = conf(
        "SelectType",
        word("select/cons_tres", "select/linear", others=("select/cons_res",)),
        "select/cons_tres",
        "Whether CPUs and memory are allocated, or whole nodes.",
    )
    parameters: frozenset[str] = conf(
        "SelectTypeParameters",
        words(
            *(
                "CR_CPU",
                "CR_CPU_Memory",
                "CR_Core",
                "CR_Core_Memory",
                "CR_Socket",
                "CR_Socket_Memory",
                "CR_Memory",
            ),
            *("CR_ONE_TASK_PER_CORE", "CR_LLN", "CR_PACK_NODES", "CR_CORE_DEFAULT_DIST_BLOCK"),
            *("LL_SHARED_GRES", "ENFORCE_BINDING_GRES", "MULTIPLE_SHARING_GRES_PJ", "NONE"),
        ),
        frozenset({"cr_core_memory"}),
        "What is consumed.",
    )
    def_mem_per_cpu_mb: float = conf(
        "DefMemPerCPU", MEMORY, 0.0, "Memory of jobs that ask for none, a CPU (MB)."
    )
    def_mem_per_node_mb: float = conf("DefMemPerNode", MEMORY, 0.0, "The same, a node (MB).")
    def_mem_per_gpu_mb: float = conf(
        "DefMemPerGPU", MEMORY, 0.0, "The same, a GPU (MB).", without="GPUs bring no memory with them here"
    )
    max_mem_per_cpu_mb: float = conf("MaxMemPerCPU", MEMORY, 0.0, "Memory a CPU, at most (MB).")
    max_mem_per_node_mb: float = conf("MaxMemPerNode", MEMORY, 0.0, "Memory a node, at most (MB).")
    gres_types: tuple[str, ...] = conf(
        "GresTypes",
        NAMES,
        (),
        "Generic resources that nodes may have.",
        without="the Gres of nodes say which there are",
    )
    topology: str = conf("TopologyPlugin", TEXT, "", "How nodes are wired.")

    @property
    def by_cpu(self) -> bool:
        """Whether CPUs are allocated, and not cores or sockets."""
        return any(one.startswith("cr_cpu") for one in self.parameters)


@dataclass(frozen=True, kw_only=True)
class Preemption:
    """Which jobs give way."""

    type: str = conf(
        "PreemptType",
        word("preempt/none", "preempt/partition_prio", "preempt/qos"),
        "preempt/none",
        "What tells who may preempt whom.",
    )
    mode: frozenset[str] = conf(
        "PreemptMode",
        words("OFF", "CANCEL", "REQUEUE", "SUSPEND", "GANG", "PRIORITY", "WITHIN"),
        frozenset({"off"}),
        "What becomes of a job that gives way.",
    )
    exempt_s: float = conf("PreemptExemptTime", LONG_TIME, 0.0, "A job that has run for less is spared.")
    parameters: tuple[str, ...] = conf("PreemptParameters", NAMES, (), "Variants of the choice.")


@dataclass(frozen=True, kw_only=True)
class Enforcement:
    """Which limits hold."""

    enforced: frozenset[str] = conf(
        "AccountingStorageEnforce",
        words("associations", "limits", "qos", "safe", "wckeys", "nojobs", "nosteps", "all", "none"),
        frozenset(),
        "What is enforced; without limits no limit of an association or QOS holds.",
    )
    tres: tuple[str, ...] = conf(
        "AccountingStorageTRES",
        NAMES,
        (),
        "Resources that are accounted beside the usual.",
        without="limits and weights name their resources themselves",
    )

    @property
    def limits(self) -> bool:
        """Whether limits of associations and QOSes hold."""
        return bool(self.enforced & {"limits", "safe", "all"})

    @property
    def safe(self) -> bool:
        """Whether a job must be able to run to its limit within GrpTRESMins."""
        return "safe" in self.enforced

    @property
    def associations(self) -> bool:
        """Whether a job needs an association."""
        return self.limits or "associations" in self.enforced

    @property
    def qos(self) -> bool:
        """Whether a job's QOS must be one of its association's."""
        return bool(self.enforced & {"qos", "all"})


def _times(default: float, low: int, high: int, name: str, meaning: str) -> float:
    return conf(name, number(low, high), default, meaning)


_FLAG = SWITCH
_OUTLINE = "of few sites; not simulated"
_LOAD = "the controller's load is not simulated: a pass takes no time"


@dataclass(frozen=True, kw_only=True)
class Passes:
    """``SchedulerParameters``: its names, each a parameter of its own."""

    bf_interval_s: float = _times(30, -1, 10_800, "bf_interval", "Seconds between backfill passes; -1: none.")
    bf_window_min: float = _times(1440, 1, 43_200, "bf_window", "How far backfill plans ahead, in minutes.")
    bf_resolution_s: float = _times(60, 1, 3600, "bf_resolution", "The grid of its plan, in seconds.")
    bf_max_job_test: int = conf(
        "bf_max_job_test", whole(1, 1_000_000, default=500), 500, "Jobs that it tests in a pass."
    )
    bf_node_space_size: int = conf(
        "bf_node_space_size", whole(0, 2_000_000), 0, "Records of its plan; 0: as bf_max_job_test."
    )
    bf_max_job_start: int = conf(
        "bf_max_job_start", whole(0, 10_000), 0, "Jobs that it starts in a pass; 0: any."
    )
    bf_max_job_user: int = conf(
        "bf_max_job_user", whole(0, 1_000_000), 0, "Jobs of a user that it looks at; 0: any."
    )
    bf_max_job_part: int = conf("bf_max_job_part", whole(0, 1_000_000), 0, "Jobs of a partition; 0: any.")
    bf_max_job_user_part: int = conf(
        "bf_max_job_user_part", whole(0, 1_000_000), 0, "Jobs of a user in a partition; 0: any."
    )
    bf_max_job_assoc: int = conf(
        "bf_max_job_assoc", whole(0, 1_000_000), 0, "Jobs of an association; 0: any."
    )
    bf_job_part_count_reserve: int = conf(
        "bf_job_part_count_reserve", whole(0, 100_000), 0, "Plans of a partition; 0: any."
    )
    bf_max_job_array_resv: int = conf("bf_max_job_array_resv", whole(0, 1000), 20, "Plans of an array.")
    bf_min_age_reserve_s: float = _times(
        0, 0, 2_592_000, "bf_min_age_reserve", "Younger jobs get no plan (seconds)."
    )
    bf_min_prio_reserve: int = conf("bf_min_prio_reserve", whole(0, 2**63), 0, "Jobs below get no plan.")
    bf_one_resv_per_job: bool = conf(
        "bf_one_resv_per_job", _FLAG, False, "A job of several partitions is planned once."
    )
    bf_busy_nodes: bool = conf("bf_busy_nodes", _FLAG, False, "Plans prefer nodes that are in use.")
    bf_running_job_reserve: bool = conf(
        "bf_running_job_reserve", _FLAG, False, "Running whole-node jobs are in the plan."
    )
    bf_licenses: bool = conf("bf_licenses", _FLAG, False, "Licenses are planned.")
    assoc_limit_stop: bool = conf(
        "assoc_limit_stop", _FLAG, False, "A job that a limit stops blocks those behind it."
    )
    default_queue_depth: int = conf(
        "default_queue_depth", whole(0, 1_000_000), 100, "Jobs that a pass after an event looks at."
    )
    partition_job_depth: int = conf(
        "partition_job_depth", whole(0, 1_000_000), 0, "Jobs of a partition that a pass looks at; 0: any."
    )
    sched_interval_s: float = _times(
        60, -1, 10_800, "sched_interval", "Seconds between passes over the whole queue; -1: none."
    )
    batch_sched_delay_s: float = _times(
        3, 0, 2_147_483, "batch_sched_delay", "How long a submission's pass may wait (seconds)."
    )
    sched_max_job_start: int = conf(
        "sched_max_job_start", whole(0, 1_000_000), 0, "Jobs that a main pass starts; 0: any."
    )
    defer: bool = conf("defer", _FLAG, False, "Nothing is tried at submission.")
    defer_batch: bool = conf(
        "defer_batch",
        _FLAG,
        False,
        "No batch job is tried at submission.",
        without="batch jobs are never tried at submission",
    )
    pack_serial_at_end: bool = conf(
        "pack_serial_at_end", _FLAG, False, "One-CPU jobs go to the last nodes.", without=_OUTLINE
    )
    requeue_delay_s: float = _times(
        0, 0, 2_592_000, "requeue_delay", "How long a requeued job waits (seconds)."
    )
    reduce_completing_frag: bool = conf(
        "reduce_completing_frag",
        _FLAG,
        False,
        "CompleteWait holds partitions that share nodes alone.",
        without="no pass waits for completing jobs",
    )
    time_min_as_soft_limit: bool = conf(
        "time_min_as_soft_limit", _FLAG, False, "Plans end by --time-min.", without=_OUTLINE
    )
    max_sched_time_s: float = conf(
        "max_sched_time", number(1, 65_535), 2.0, "Wall time of a main pass.", without=_LOAD
    )
    sched_min_interval_us: float = conf(
        "sched_min_interval", number(0, 2**31), 2.0, "Between passes.", without=_LOAD
    )
    bf_max_time_s: float = conf(
        "bf_max_time", number(1, 3600), 30.0, "Wall time of a backfill pass.", without=_LOAD
    )
    bf_continue: bool = conf("bf_continue", _FLAG, False, "Backfill goes on after a pause.", without=_LOAD)
    bf_yield_interval_us: float = conf(
        "bf_yield_interval", number(1, 10_000_000), 2_000_000.0, "Work between pauses.", without=_LOAD
    )
    bf_yield_sleep_us: float = conf(
        "bf_yield_sleep", number(1, 10_000_000), 500_000.0, "A pause.", without=_LOAD
    )
    bf_yield_rpc_cnt: int = conf(
        "bf_yield_rpc_cnt", whole(0, 1_000_000), 0, "Requests that end a pause.", without=_LOAD
    )
    max_rpc_cnt: int = conf(
        "max_rpc_cnt", whole(0, 1_000_000), 0, "Requests in service that hold passes up.", without=_LOAD
    )
    bf_window_linear_s: int = conf(
        "bf_window_linear", whole(0, 1_000_000), 0, "How precision falls with time."
    )
    bf_hetjob_prio: str = conf(
        "bf_hetjob_prio", word("min", "avg", "max"), "min", "", without="heterogeneous jobs are left out"
    )
    bf_hetjob_immediate: bool = conf(
        "bf_hetjob_immediate", _FLAG, False, "", without="heterogeneous jobs are left out"
    )
    bf_allow_magnetic_slot: bool = conf("bf_allow_magnetic_slot", _FLAG, False, "", without=_OUTLINE)
    bf_topopt_enable: bool = conf("bf_topopt_enable", _FLAG, False, "", without=_OUTLINE)
    bf_topopt_iterations: int = conf("bf_topopt_iterations", whole(0, 2**31), 0, "", without=_OUTLINE)


WITHOUT_NAMES = {
    "no_backup_scheduling": _LOAD,
    "batch_sched_delay_max": _LOAD,
    "build_queue_timeout": _LOAD,
    "rpc_max": _LOAD,
    "enable_hetero_jobs": "heterogeneous jobs are left out",
    "enable_hetero_steps": "steps are not simulated",
    "enable_user_top": "what users change by hand is in no log",
    "enable_job_state_cache": _LOAD,
    "extra_constraints": _OUTLINE,
    "enable_stepmgr": "steps are not simulated",
    "disable_hetero_steps": "steps are not simulated",
    "disable_job_shrink": "jobs do not shrink here",
    "fill_sockets": "sockets are not simulated",
    "gs_enable": "jobs that share processors in slices are not simulated",
    "hetjob_prio": "heterogeneous jobs are left out",
    "ignore_prefer_validation": _OUTLINE,
    "ignore_constraint_validation": _OUTLINE,
    "kill_invalid_depend": "dependencies are in no log: eligible times say what they did",
    "allow_zero_lic": _OUTLINE,
    "delay_boot": "nodes do not boot",
    "max_array_tasks": "no job of a log is refused for it",
    "max_depend_depth": "dependencies are in no log: eligible times say what they did",
    "max_depend_max": "dependencies are in no log",
    "max_sched_time_ms": _LOAD,
    "max_script_size": "scripts are not read",
    "max_submit_line_size": "scripts are not read",
    "max_switch_wait": "nodes are not wired in a tree",
    "nohold_on_prolog_fail": "prologs do not fail here",
    "permit_job_expansion": "jobs do not grow here",
    "preempt_send_user_signal": "signals are not simulated",
    "preempt_strict_order": _OUTLINE,
    "preempt_reorder_count": _OUTLINE,
    "preempt_youngest_first": _OUTLINE,
    "prioritize_pending_same_array_tasks": _OUTLINE,
    "requeue_setup_env_fail": "prologs do not fail here",
    "salloc_wait_nodes": "nodes do not boot",
    "sbatch_wait_nodes": "nodes do not boot",
    "sched_topo": _OUTLINE,
    "spec_cores_first": "cores are not told apart",
    "step_retry_count": "steps are not simulated",
    "step_retry_time": "steps are not simulated",
    "whole_pack": "heterogeneous jobs are left out",
    "whole_hetjob": "heterogeneous jobs are left out",
    "conmgr_max_connections": _LOAD,
    "conmgr_threads": _LOAD,
    "bb_array_stage_cnt": "burst buffers are not simulated",
    "ft_disable": _OUTLINE,
    "min_prio_reserve": _OUTLINE,
    "bf_ignore_newly_avail_nodes": _LOAD,
}
"""Names of ``SchedulerParameters`` that are without effect here, and why."""
