"""What the user of the policy chooses: each parameter once, with its name in a slurm.conf, range and meaning.

``--set`` takes them by their names here, kernels read ``parameters(view).bf_interval_s``, and the vector
has them in this order. Behind the declared ones stands where the tables of the configuration begin.
"""

from collections.abc import Sequence
from enum import IntEnum
from typing import Any

from molokini.policies.slurm.configuration.words import (
    PreemptMode,
    PreemptType,
    PriorityType,
    Reset,
    Select,
    Tres,
    word,
)
from molokini.tables.workspace import Choice, Parameters, SomeFloats, parameter, several

_PAGE = "Slurm 26.05, slurm.conf(5)"
_MOST = 1e15
_SWITCH = ("off", "on")


def _one(default: Any, meaning: str, alias: str = "", **more: Any) -> Any:
    return parameter(default, meaning, alias=alias, **{"source": _PAGE, "rare": True, **more})


def _switch(meaning: str, alias: str = "", on: bool = False) -> Any:
    return _one(_SWITCH[on], meaning, alias, choices=_SWITCH)


def _choice(words: Sequence[str] | type[IntEnum], meaning: str, alias: str, default: int = 0) -> Any:
    choices = tuple(word(one) for one in words) if isinstance(words, type) else tuple(words)
    return _one(choices[default], meaning, alias, choices=choices)


def _count(
    default: int, meaning: str, alias: str = "", unit: str = "", low: int = 0, high: int = 10**9
) -> Any:
    return _one(default, meaning, alias, unit=unit, low=low, high=high)


def _seconds(default: float, meaning: str, alias: str = "", low: float = 0.0, high: float = _MOST) -> Any:
    return _one(default, meaning, alias, unit="s", low=low, high=high)


def _weight(meaning: str, alias: str) -> Any:
    return _one(0.0, meaning, alias, low=0.0, high=4294967295.0)


def _tres_weights() -> Any:
    meaning = "PriorityWeightTRES of {}"
    return tuple(
        _one(
            0.0,
            meaning.format(word(one)),
            name=f"priority_weight_tres_{word(one)}",
            low=-_MOST,
            high=_MOST,
        )
        for one in Tres
    )


class SlurmParameters(Parameters, separator="_"):
    """The parameters. Names are those of slurm.conf in small letters, with the unit where it is no count."""

    # The main scheduler (SchedulerParameters).
    sched_interval_s: float = _seconds(
        60.0, "between two full passes; -1: no main pass", "sched_interval", -1.0
    )
    batch_sched_delay_s: float = _seconds(3.0, "least time between queued passes", "batch_sched_delay")
    default_queue_depth: int = _count(
        100, "entries that a pass after an event looks at", "default_queue_depth"
    )
    partition_job_depth: int = _count(0, "entries of one partition in a pass; 0: all", "partition_job_depth")
    sched_max_job_start: int = _count(0, "starts of one main pass; 0: any number", "sched_max_job_start")
    defer: Choice = _switch("a pass after an end is queued like one after a submission", "defer")
    assoc_limit_stop: Choice = _switch("a job over a limit blocks its partition", "assoc_limit_stop")
    completing_s: float = _seconds(1.0, "how long nodes complete after the end of a job")
    end_pass: Choice = _choice(
        ("at_once", "queued"), "the pass after an end: queued where nodes run no Epilog", ""
    )
    tick_s: float = _seconds(1.0, "between two looks of the controller for queued passes", low=1.0, high=60.0)
    tick_phase_s: float = _seconds(0.0, "queued passes are so long after whole seconds", high=1.0)

    # Backfill (SchedulerParameters).
    bf_interval_s: float = _seconds(
        30.0, "between two passes; 0: at every event; -1: off", "bf_interval", -1.0
    )
    bf_window_s: float = _seconds(86_400.0, "the horizon of plans", "bf_window", 60.0, 43_200 * 60.0)
    bf_resolution_s: float = _seconds(60.0, "the grid of plans", "bf_resolution", 1.0, 3600.0)
    bf_max_job_test: int = _count(
        500, "entries that a pass tries to place", "bf_max_job_test", low=1, high=10**6
    )
    bf_node_space_size: int = _count(0, "records of the plan; 0: bf_max_job_test", "bf_node_space_size")
    bf_max_job_start: int = _count(0, "starts of one pass; 0: any number", "bf_max_job_start")
    bf_max_job_user: int = _count(0, "entries of a user; 0: all", "bf_max_job_user")
    bf_max_job_part: int = _count(0, "entries of a partition; 0: all", "bf_max_job_part")
    bf_max_job_user_part: int = _count(0, "of a user in a partition; 0: all", "bf_max_job_user_part")
    bf_max_job_assoc: int = _count(0, "entries of an association; 0: all", "bf_max_job_assoc")
    bf_job_part_count_reserve: int = _count(0, "plans of a partition; 0: all", "bf_job_part_count_reserve")
    bf_max_job_array_resv: int = _count(20, "plans of an array", "bf_max_job_array_resv", high=1000)
    bf_min_age_reserve_s: float = _seconds(0.0, "younger jobs get no plan", "bf_min_age_reserve")
    bf_min_prio_reserve: float = _one(0.0, "lower priorities get no plan", "bf_min_prio_reserve", low=0.0)
    bf_one_resv_per_job: Choice = _switch("one plan for a job of several partitions", "bf_one_resv_per_job")
    bf_busy_nodes: Choice = _switch("plans prefer nodes in use", "bf_busy_nodes")
    bf_licenses: Choice = _switch("licences are planned, and running jobs with them", "bf_licenses")
    bf_running_job_reserve: Choice = _switch(
        "running jobs that have their nodes for themselves are in the plan", "bf_running_job_reserve"
    )
    bf_window_linear_s: float = _seconds(
        0.0, "the window of a test grows by this; 0: doubles", "bf_window_linear"
    )
    bf_budget: int = _count(0, "a pass ends after so many tests; 0: it never does", unit="tests")
    backfill_phase_s: float = _seconds(
        0.0,
        "the first backfill pass comes bf_interval and this after the first event",
        "",
        -10_800.0,
    )

    # Priorities.
    priority_type: Choice = _choice(PriorityType, "basic: first come, first served", "PriorityType", 1)
    priority_weight_age: float = _weight("weight of age", "PriorityWeightAge")
    priority_weight_assoc: float = _weight("weight of the association's priority", "PriorityWeightAssoc")
    priority_weight_fairshare: float = _weight("weight of fair share", "PriorityWeightFairshare")
    priority_weight_job_size: float = _weight("weight of the size", "PriorityWeightJobSize")
    priority_weight_partition: float = _weight("weight of the partition's factor", "PriorityWeightPartition")
    priority_weight_qos: float = _weight("weight of the QOS's priority", "PriorityWeightQOS")
    priority_max_age_s: float = _seconds(604_800.0, "age counts up to this", "PriorityMaxAge", 1.0)
    priority_decay_half_life_s: float = _seconds(
        604_800.0, "half life of usage; 0: it does not decay", "PriorityDecayHalfLife"
    )
    priority_calc_period_s: float = _seconds(300.0, "between two calculations", "PriorityCalcPeriod", 1.0)
    priority_phase_s: float = _seconds(0.0, "the first calculation is so much later")
    priority_usage_reset: Choice = _choice(Reset, "when usage is forgotten", "PriorityUsageResetPeriod")
    priority_favor_small: Choice = _switch("small jobs have the larger size factor", "PriorityFavorSmall")
    fair_share_dampening: int = _count(
        1, "dampens the classic factor", "FairShareDampeningFactor", low=1, high=65535
    )
    accrue_always: Choice = _switch("PriorityFlags: age counts from the submission")
    calculate_running: Choice = _switch("PriorityFlags: running jobs are recalculated")
    depth_oblivious: Choice = _switch("PriorityFlags: DEPTH_OBLIVIOUS, a classic fair share")
    no_fair_tree: Choice = _switch("PriorityFlags: the classic fair share")
    incr_only: Choice = _switch("PriorityFlags: priorities only grow")
    max_tres: Choice = _choice(("off", "max_tres", "max_tres_gres"), "PriorityFlags: what is billed", "")
    no_normal_assoc: Choice = _switch("PriorityFlags: raw priority of the association")
    no_normal_part: Choice = _switch("PriorityFlags: raw factor of the partition")
    no_normal_qos: Choice = _switch("PriorityFlags: raw priority of the QOS")
    no_normal_tres: Choice = _switch("PriorityFlags: raw counts of TRES")
    small_relative_to_time: Choice = _switch("PriorityFlags: size is width over time")

    # Nodes.
    select_type: Choice = _choice(Select, "whether jobs share nodes by CPUs", "SelectType")
    consumes_memory: Choice = _switch("SelectTypeParameters: *_Memory")
    least_loaded: Choice = _switch("SelectTypeParameters: CR_LLN")
    cpus_per_unit: int = _count(1, "CPUs that are allocated together (threads of a core)", low=1, high=4096)

    # Limits (AccountingStorageEnforce).
    enforce_associations: Choice = _switch("a job must have an association")
    enforce_limits: Choice = _switch("limits hold")
    enforce_qos: Choice = _switch("a job's QOS must be among those of its association")
    enforce_safe: Choice = _switch("jobs start only where their limit fits into what is left")

    # Preemption.
    preempt_type: Choice = _choice(PreemptType, "which jobs give way", "PreemptType")
    preempt_mode: Choice = _choice(
        [word(one) for one in PreemptMode if one >= 0], "how jobs give way", "PreemptMode"
    )
    preempt_exempt_s: float = _seconds(0.0, "jobs that have run less do not give way", "PreemptExemptTime")
    preempt_youngest_first: Choice = _switch("the latest start gives way first", "youngest_first")
    preempt_reorder_count: int = _count(1, "how often candidates are sorted again", "reorder_count")
    preempt_strict_order: Choice = _switch("sorting again keeps the order", "strict_order")
    requeue_delay_s: float = _seconds(121.0, "how long a requeued job waits", "cred_expire")
    kill_wait_s: float = _seconds(30.0, "between the limit's signal and the end", "KillWait")
    over_time_limit_s: float = _seconds(0.0, "how long jobs may run past their limits", "OverTimeLimit")

    # What changed between releases.
    plan_end: Choice = _choice(("up", "down"), "ends of plans on the grid: up since 24.11", "")
    relevant_end: Choice = _switch("a planned start is the end of a job in the way: on since 25.05", on=True)
    time_min_grows: Choice = _switch("limits of time-min jobs grow after a start: on since 25.05", on=True)
    one_node: Choice = _choice(
        ("first", "best"), "the node of a job of one node at most: first since 26.05", ""
    )

    tres_weight: SomeFloats = _tres_weights()

    # What follows is no parameter: where tables begin, how many rows they have, and what all rows share.
    partitions: int
    partition_count: int
    default_partition: int
    qos: int
    qos_count: int
    default_qos: int
    associations: int
    association_count: int
    user_count: int
    """Rows of users among the associations."""
    nodes: int
    node_count: int
    names: int
    """Lists of partitions under the name of a queue: the number of the queue, and bits."""
    name_count: int
    licenses: int
    license_count: int
    most_association_priority: float
    most_qos_priority: float
    most_partition_factor: float
    generic_count: int
    spare: SomeFloats = several(12)


parameters = SlurmParameters.of
PARAMETERS = SlurmParameters.declared()
HEADER = len(PARAMETERS)
"""Length of the parameters in the vector; a vector that is no longer has no tables."""
DIRECTORY = SlurmParameters.members["spare"].place + 12 - HEADER
"""Length of what follows."""
