"""What is to be said of a configuration as a whole: what does not go together, and what surprises."""

from itertools import combinations

from molokini.model.findings import Finding, Status
from molokini.model.text import plural
from molokini.slurm.draft import Draft
from molokini.slurm.model import PARAMETERS, SlurmConfig

_MOST_PRIORITY = 2**32 - 1
_DAY_S = 86_400.0
_WITHOUT_CONS_RES = (26, 5)
_SHOWN = 4
_THERE = frozenset(("", "unknown", "idle", "up", "resume"))
_NOT_BUILT = "is not built: they do not give way"
_HAS_ITS_CPUS = (
    "has its CPUs; it keeps its nodes, memory and licences, whatever GraceTime and PreemptExemptTime say"
)
_BY_QOS = "before whose QOS it gives way"
_MODIFIERS = {
    "priority": "a job gives way whatever its priority is",
    "within": "no job gives way to one of its own QOS",
}


def remark(config: SlurmConfig, draft: Draft) -> None:
    """Add to the findings of *draft* what only the whole shows."""
    _enforcement(config, draft)
    _weights(config, draft)
    _times(config, draft)
    _sharing(config, draft)
    _memory(config, draft)
    _wiring(config, draft)
    _words(config, draft)
    _overlaps(config, draft)
    _states(config, draft)
    _database(config, draft)


def _say(draft: Draft, name: str, text: str, refuse: bool = False) -> None:
    """Say *text* where the parameter *name* stands; where it does not, by itself."""
    at = draft.places.get(name.lower())
    if at is None:
        # Its default counts, which is why there is something to say.
        status = Status.REFUSED if refuse else Status.UNDERSTOOD
        file = draft.findings[0].file if draft.findings else "slurm.conf"
        known = PARAMETERS.get(name.lower())
        draft.findings.append(
            Finding(
                file,
                None,
                name,
                "(not given)",
                status,
                known.meaning if known else "",
                cause=text if refuse else "",
                note="" if refuse else text,
            )
        )
    elif refuse:
        draft.refuse(at, text)
    else:
        draft.note(at, text)


def _enforcement(config: SlurmConfig, draft: Draft) -> None:
    accounting = config.accounting
    if config.enforcement.limits or not (accounting.associations or accounting.qos):
        return
    text = "without limits no limit of an association or QOS holds, not even MaxWall of a QOS"
    _say(draft, "AccountingStorageEnforce", text)


def _weights(config: SlurmConfig, draft: Draft) -> None:
    one = config.priority
    total = (
        one.age_weight
        + one.association_weight
        + one.fairshare_weight
        + one.size_weight
        + one.partition_weight
        + one.qos_weight
        + sum(abs(weight) for _, weight in one.tres_weights)
    )
    if total > _MOST_PRIORITY:
        text = f"the weights add up to {total:,.0f}: priorities are cut at {_MOST_PRIORITY:,}"
        _say(draft, "PriorityWeightFairshare", text)
    if not total and config.priority.type == "priority/multifactor":
        _say(draft, "PriorityType", "all weights are 0: jobs go in order of submission")
    if one.type == "priority/basic" and total:
        _say(draft, "PriorityType", "priority/basic ignores all weights")
    raw = one.flags & {"no_normal_part", "no_normal_all"}
    if raw and one.partition_weight and any(each.line.job_factor > 1 for each in config.partitions):
        _say(draft, "PriorityFlags", "PriorityJobFactor counts raw, and may swamp all other terms")


def _times(config: SlurmConfig, draft: Draft) -> None:
    half_life_s = config.priority.half_life_s
    if 0 < half_life_s < 3600:
        _say(draft, "PriorityDecayHalfLife", f"that is {half_life_s / 60:g} minutes; days are written 7-0")
    if 0 < config.priority.max_age_s < 3600:
        _say(
            draft,
            "PriorityMaxAge",
            f"that is {config.priority.max_age_s / 60:g} minutes; days are written 7-0",
        )
    if config.scheduling.type == "sched/builtin":
        _say(
            draft,
            "SchedulerType",
            "no backfill: names in SchedulerParameters that begin with bf_ mean nothing",
        )


def _sharing(config: SlurmConfig, draft: Draft) -> None:
    gang = "gang" in config.preemption.mode
    suspends = any("suspend" in one.line.preempt_mode for one in config.partitions)
    if gang and not suspends and "suspend" not in config.preemption.mode:
        text = "GANG: jobs that take turns on their processors are not simulated; leave GANG out"
        _say(draft, "PreemptMode", text, refuse=True)
    if config.selection.type == "select/cons_res" and config.release >= _WITHOUT_CONS_RES:
        text = (
            "release {}.{:02d} has no select/cons_res any more, and select/cons_tres holds here; write that"
        )
        _say(draft, "SelectType", text.format(*config.release))
    for one in config.partitions:
        word, _, rows = one.line.sharing.partition(":")
        if one.line.preempt_mode & {"gang", "suspend"} == {"gang"}:
            text = "GANG: jobs that take turns on their processors are not simulated; leave GANG out"
            _say(draft, f"PartitionName[{one.name}] PreemptMode", text, refuse=True)
        if word.upper() not in ("NO", "EXCLUSIVE", "YES", "FORCE"):
            text = f"{one.line.sharing!r} is not allowed; it must be NO, EXCLUSIVE, YES[:n] or FORCE[:n]"
            _say(draft, f"PartitionName[{one.name}] OverSubscribe", text, refuse=True)
        elif gang and word.upper() == "FORCE" and (rows or "4") != "1":
            text = "with PreemptMode GANG its jobs take turns, which is not simulated; FORCE:1 is"
            _say(draft, f"PartitionName[{one.name}] OverSubscribe", text, refuse=True)


def _memory(config: SlurmConfig, draft: Draft) -> None:
    consumed = any(one.endswith("memory") for one in config.selection.parameters)
    unset = not (config.selection.def_mem_per_cpu_mb or config.selection.def_mem_per_node_mb)
    if config.selection.type == "select/linear" or not consumed or not unset:
        return
    without = [
        one.name
        for one in config.partitions
        if not (one.line.def_mem_per_cpu_mb or one.line.def_mem_per_node_mb)
    ]
    if without:
        text = f"{_some(without)}: a job that asks for no memory has all of each node"
        _say(draft, "DefMemPerCPU", text)


def _wiring(config: SlurmConfig, draft: Draft) -> None:
    if config.selection.topology.lower() in ("topology/tree", "topology/block", "topology/3d_torus"):
        _say(draft, "TopologyPlugin", "nodes are taken as flat: which switch a job is on plays no part")


def _words(config: SlurmConfig, draft: Draft) -> None:
    """Words of lists that change nothing here, and why."""
    if "calculate_running" in config.priority.flags:
        text = "CALCULATE_RUNNING changes what is shown of jobs that run: their priority decides nothing"
        _say(draft, "PriorityFlags", text)
    _giving_way(config, draft)
    words, by_cpu = config.selection.parameters, config.selection.by_cpu
    if any(one.startswith("cr_socket") for one in words):
        text = "CPUs are rounded up to whole cores here, not to whole sockets"
        _say(draft, "SelectTypeParameters", text)
    if "cr_one_task_per_core" in words and any(one.line.cpus_together(by_cpu) > 1 for one in config.nodes):
        text = "CR_ONE_TASK_PER_CORE is without effect here: tasks share the threads of a core"
        _say(draft, "SelectTypeParameters", text)


def _giving_way(config: SlurmConfig, draft: Draft) -> None:
    """What SUSPEND does, and what of ways to preempt is not built, wherever they stand."""
    _suspending(config, draft)
    for word, meaning in _MODIFIERS.items():
        if word in config.preemption.mode:
            _say(draft, "PreemptMode", f"{word.upper()} is without effect here: {meaning}")


def _suspending(config: SlurmConfig, draft: Draft) -> None:
    """Where jobs are suspended for others, and what that asks for."""
    kind, mode = config.preemption.type, config.preemption.mode
    told = {
        "preempt/none": "SUSPEND is without effect: PreemptType says which jobs give way",
        "preempt/partition_prio": f"a job is suspended while one of a higher PriorityTier {_HAS_ITS_CPUS}",
        "preempt/qos": f"a job is suspended while one of another partition, {_BY_QOS}, {_HAS_ITS_CPUS}",
    }
    places = ["PreemptMode"] if "suspend" in mode else []
    places += [
        f"PartitionName[{one.name}] PreemptMode"
        for one in config.partitions
        if "suspend" in one.line.preempt_mode
    ]
    for place in places:
        if "gang" not in mode:
            _say(draft, place, "SUSPEND needs GANG in PreemptMode of the cluster: add it", refuse=True)
        elif place != "PreemptMode" and kind == "preempt/qos":
            _say(draft, place, "SUSPEND is without effect here: under preempt/qos the QOS of a job says it")
        else:
            _say(draft, place, told[kind])
    if kind != "preempt/qos":
        return
    if names := [one.name for one in config.accounting.qos if one.preempt_mode == "suspend"]:
        _say(draft, "PreemptType", f"QOS {_some(names)}: {told[kind]}")
    if names := [one.name for one in config.accounting.qos if one.preempt_mode == "gang"]:
        _say(draft, "PreemptType", f"jobs of QOS {_some(names)} give way by turns, which {_NOT_BUILT}")


def _overlaps(config: SlurmConfig, draft: Draft) -> None:
    nodes = {one.name: frozenset(one.nodes) for one in config.partitions}
    pairs = [f"{a} and {b}" for a, b in combinations(nodes, 2) if nodes[a] & nodes[b] and a != b]
    if pairs:
        text = "they share nodes: a job of one that waits for nodes closes those of the other in a main pass"
        _say_of_all(draft, "PartitionName", "Which nodes they share.", f"{_some(pairs)}: {text}")


def _states(config: SlurmConfig, draft: Draft) -> None:
    held = [one for one in config.nodes if one.line.state not in _THERE]
    if held:
        states = ", ".join(sorted({one.line.state.upper() for one in held}))
        text = "taken as there all the time; times at which nodes were not come from --node-events"
        note = f"{states} of {_some([one.name for one in held])}: {text}"
        _say_of_all(draft, "NodeName State", "Whether they are there.", note)


def _say_of_all(draft: Draft, name: str, meaning: str, note: str) -> None:
    """Say *note* of all lines together that have *name*."""
    file = draft.findings[0].file
    draft.findings.append(Finding(file, None, name, "(all)", Status.UNDERSTOOD, meaning, note=note))


def _database(config: SlurmConfig, draft: Draft) -> None:
    accounting = config.accounting
    if not accounting.from_files:
        if config.priority.fairshare_weight:
            text = "no associations are given (--slurm-accounts): every job has the fairshare factor 0"
            _say(draft, "PriorityWeightFairshare", text)
        return
    known, qos = set(accounting.accounts), {one.name for one in accounting.qos}
    _rows(config, qos, draft)
    for one in config.partitions:
        if one.line.qos and one.line.qos.lower() not in qos:
            text = f"partition {one.name}: QOS {one.line.qos} is not in the database: its limits do not hold"
            _say(draft, f"PartitionName[{one.name}] QOS", text)
        for names, have, word in (
            (one.line.allow_accounts, known, "AllowAccounts"),
            (one.line.deny_accounts, known, "DenyAccounts"),
            (one.line.allow_qos, qos, "AllowQos"),
            (one.line.deny_qos, qos, "DenyQos"),
        ):
            gone = [name for name in names if name not in have and name not in ("all", "")]
            if gone and have:
                _say(
                    draft,
                    f"PartitionName[{one.name}] {word}",
                    f"partition {one.name}: {_some(gone)} is not in the database",
                )


def _rows(config: SlurmConfig, qos: set[str], draft: Draft) -> None:
    """Rows of associations that name what there is not."""
    rows, parts = config.accounting.associations, {one.name for one in config.partitions}
    for name in dict.fromkeys(one.partition for one in rows if one.partition not in ("", *parts)):
        count = sum(one.partition == name for one in rows)
        told = f"{plural(count, 'row')} of associations for it"
        text = f"{told}, and the slurm.conf has no such partition: left out"
        _foreign(config, draft, "Partition", name, text)
    if qos:
        named = {one.lstrip("+-") for row in rows for one in row.qos}
        for name in sorted(named - qos):
            count = sum(name in (one.lstrip("+-") for one in row.qos) for row in rows)
            text = (
                f"{plural(count, 'row')} of associations with it, and the database has no such QOS: left out"
            )
            _foreign(config, draft, "QOS", name, text)


def _foreign(config: SlurmConfig, draft: Draft, what: str, name: str, text: str) -> None:
    """Something of the database's files that does not belong to the configuration."""
    file, cause = config.accounting.from_files[0], "the configuration lacks it"
    note = f"{name}: {text}"
    draft.findings.append(Finding(file, None, what, name, Status.WITHOUT_EFFECT, cause=cause, note=note))


def _some(names: list[str]) -> str:
    shown = ", ".join(names[:_SHOWN])
    return shown if len(names) <= _SHOWN else f"{shown} and {len(names) - _SHOWN:,} more"
