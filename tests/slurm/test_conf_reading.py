"""A slurm.conf read: what becomes of each line, and the typed model."""

from pathlib import Path

import pytest

from molokini.model.errors import BadFile
from molokini.model.findings import Finding, Status
from molokini.slurm import check, check_text, read_config
from molokini.slurm.policy_settings import settings_of
from tests.kit.slurm_files import CONF, DUMP, QOS

DATABASE = [("site.dump", DUMP), ("qos", QOS)]


def one(text: str, parameter: str) -> Finding:
    return next(each for each in check_text(text).findings if each.parameter == parameter)


def test_the_model_is_typed() -> None:
    config = check_text(CONF, accounts=DATABASE).checked()
    assert config.cluster == "tiny"
    assert config.passes.bf_interval_s == 10
    assert (config.priority.max_age_s, config.priority.calc_period_s) == (86_400, 300)
    assert config.priority.flags == {"no_fair_tree", "accrue_always"}
    assert config.enforcement.limits
    assert [node.name for node in config.nodes] == ["gpu1", "n1", "n2", "n3", "n10"]
    assert [node.line.usable_cpus for node in config.nodes] == [16, 4, 4, 4, 4]
    parts = {part.name: part for part in config.partitions}
    assert parts["batch"].nodes == ("n1", "n2", "n3", "n10")
    assert parts["low"].line.max_time_s == 61 * 60
    assert parts["batch"].line.max_time_s == 2 * 86_400
    assert (parts["gpu"].line.tier, parts["gpu"].line.job_factor) == (7, 7)
    assert config.default_partition == "batch"


def test_every_line_has_its_fate() -> None:
    report = check_text(CONF)
    lines = {each.line for each in report.findings if each.line is not None}
    assert lines == {
        n for n, text in enumerate(CONF.split("\n"), 1) if "=" in text and not text.startswith("limits")
    }
    assert not report.refused
    assert one(CONF, "SlurmctldHost").status is Status.WITHOUT_EFFECT
    assert one(CONF, "SchedulerParameters max_rpc_cnt").status is Status.WITHOUT_EFFECT


@pytest.mark.parametrize(
    ("line", "cause"),
    [
        ("PriorityWeigthAge=5", "did you mean 'PriorityWeightAge'?"),
        ("SchedulerParameters=bf_windw=10", "did you mean 'bf_window'?"),
        (
            "SchedulerParameters=bf_interval=0.1x",
            "'0.1x' is not allowed; it must be a number from -1 to 10,800",
        ),
        ("PriorityType=priority/site", "one of priority/multifactor, priority/basic"),
        ("PriorityFlags=TICKET_BASED", "some of ACCRUE_ALWAYS"),
        ("PreemptMode=REQUEUE,GANG", "leave GANG out"),
        ("PartitionName=x Nodes=n1 PreemptMode=GANG", "leave GANG out"),
        ("PreemptMode=SUSPEND", "SUSPEND needs GANG in PreemptMode of the cluster: add it"),
        ("PartitionName=x Nodes=n1 PreemptMode=SUSPEND", "SUSPEND needs GANG in PreemptMode of the cluster"),
        ("PartitionName=x Nodes=n[1-4]", "no node named 'n4'"),
        ("PartitionName=x Nodes=n[4-1]", "ranges run upwards"),
        ("NodeName=n1", "node 'n1' has a line already"),
        ("PartitionName=batch OverSubscribe=SOMETIMES", "it must be NO, EXCLUSIVE, YES[:n] or FORCE[:n]"),
        ("nonsense", "is no Key=Value"),
        ("Include nosuch.conf", "No such file"),
    ],
)
def test_what_is_wrong_is_refused_with_its_line(line: str, cause: str) -> None:
    text = f"{CONF}{line}\n"
    report = check_text(text)
    assert report.config is None
    (found,) = report.refused
    assert cause in found.cause
    with pytest.raises(BadFile):
        report.checked()


def test_a_line_of_a_newer_release_is_named_and_not_fatal() -> None:
    text = f"{CONF}QuantumScheduling=yes\nSchedulerParameters=quantum\nPartitionName=x Nodes=n1 Quantum=1\n"
    report = check_text(text)
    assert report.config is not None
    strange = [each for each in report.findings if "not known here" in each.cause]
    assert [each.parameter for each in strange] == [
        "QuantumScheduling", "SchedulerParameters quantum", "PartitionName[x] Quantum",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("line", "parameter", "note"),
    [
        ("PriorityDecayHalfLife=7", "PriorityDecayHalfLife", "that is 7 minutes; days are written 7-0"),
        ("PriorityWeightQOS=4294967295", "PriorityWeightFairshare", "priorities are cut at 4,294,967,295"),
        ("KillWait=5\nKillWait=6", "KillWait", "says it again, and the last counts"),
        ("TopologyPlugin=topology/tree", "TopologyPlugin", "nodes are taken as flat"),
        ("", "PartitionName", "batch and low: they share nodes"),
        (
            "NodeName=c[1-2] CPUs=4 State=CLOUD\nNodeName=d1 CPUs=4 State=DOWN",
            "NodeName State",
            "CLOUD, DOWN of c1, c2, d1: taken as there all the time; times at which nodes were not",
        ),
    ],
)
def test_traps_are_noted(line: str, parameter: str, note: str) -> None:
    report = check_text(f"{CONF}{line}\n")
    assert report.config is not None
    assert any(note in each.note for each in report.findings if each.parameter == parameter)


@pytest.mark.parametrize(
    ("line", "parameter", "why"),
    [
        ("CompleteWait=5", "CompleteWait", "--set completing_s says how long a node completes"),
        ("ResvOverRun=5", "ResvOverRun", "jobs are not bound to reservations"),
        ("MessageTimeout=20", "MessageTimeout", "may preempt again in the next pass"),
        ("MaxArraySize=5", "MaxArraySize", "no job of a log is refused for it"),
        ("SchedulerParameters=pack_serial_at_end", "SchedulerParameters pack_serial_at_end", "few sites"),
        ("SchedulerParameters=bf_max_time=5", "SchedulerParameters bf_max_time", "a pass takes no time"),
    ],
)
def test_what_changes_nothing_is_told_with_the_reason(line: str, parameter: str, why: str) -> None:
    found = one(f"{CONF}{line}\n", parameter)
    assert found.status is Status.WITHOUT_EFFECT
    assert why in found.cause


@pytest.mark.parametrize(
    ("line", "parameter", "note"),
    [
        ("PriorityFlags=CALCULATE_RUNNING", "PriorityFlags", "CALCULATE_RUNNING changes what is shown"),
        ("PreemptMode=SUSPEND,GANG", "PreemptMode", "without effect: PreemptType says which jobs give way"),
        (
            "PreemptType=preempt/qos\nPreemptMode=GANG\nPartitionName=x Nodes=n1 PreemptMode=SUSPEND",
            "PartitionName[x] PreemptMode",
            "SUSPEND is without effect here: under preempt/qos the QOS of a job says it",
        ),
        (
            "PreemptType=preempt/qos\nQOS - 'x':PreemptMode='gang'",
            "PreemptType",
            "jobs of QOS x give way by turns, which is not built",
        ),
        ("PreemptMode=REQUEUE,PRIORITY", "PreemptMode", "a job gives way whatever its priority is"),
        ("PreemptMode=REQUEUE,WITHIN", "PreemptMode", "no job gives way to one of its own QOS"),
        ("SelectTypeParameters=CR_Socket", "SelectTypeParameters", "whole cores here, not to whole sockets"),
        (
            "SelectTypeParameters=CR_Core,CR_ONE_TASK_PER_CORE",
            "SelectTypeParameters",
            "tasks share the threads of a core",
        ),
    ],
)
def test_words_that_change_nothing_are_told_with_the_reason(line: str, parameter: str, note: str) -> None:
    assert any(
        note in each.note for each in check_text(f"{CONF}{line}\n").findings if each.parameter == parameter
    )


@pytest.mark.parametrize(
    ("lines", "parameter", "note"),
    [
        (
            "PreemptType=preempt/partition_prio\nPreemptMode=SUSPEND,GANG",
            "PreemptMode",
            "a job is suspended while one of a higher PriorityTier has its CPUs; it keeps its nodes, memory",
        ),
        (
            "PreemptType=preempt/partition_prio\nPreemptMode=GANG\n"
            "PartitionName=x Nodes=n1 PreemptMode=SUSPEND",
            "PartitionName[x] PreemptMode",
            "a job is suspended while one of a higher PriorityTier has its CPUs; it keeps its nodes, memory",
        ),
        (
            "PreemptType=preempt/qos\nPreemptMode=SUSPEND,GANG",
            "PreemptMode",
            "a job is suspended while one of another partition, before whose QOS it gives way, has its CPUs",
        ),
        (
            "PreemptType=preempt/qos\nQOS - 'x':PreemptMode='suspend'",
            "PreemptType",
            "QOS x: a job is suspended while one of another partition",
        ),
    ],
)
def test_it_is_told_what_suspension_does(lines: str, parameter: str, note: str) -> None:
    report = check_text(f"{CONF}{lines}\n")
    assert report.config is not None
    assert any(note in each.note for each in report.findings if each.parameter == parameter)


def test_without_limits_no_limit_holds() -> None:
    text = CONF.replace("limits,qos", "nosteps")
    report = check_text(text, accounts=DATABASE)
    assert any("not even MaxWall of a QOS" in each.note for each in report.findings)


def test_names_that_the_database_lacks_are_noted() -> None:
    text = CONF.replace("AllowAccounts=A ", "AllowAccounts=A,zoo ")
    report = check_text(text, accounts=DATABASE)
    assert any("zoo is not in the database" in each.note for each in report.findings)


def test_files_are_included_beside_it(tmp_path: Path) -> None:
    (tmp_path / "tiny-parts").write_text("PartitionName=more Nodes=ALL\nInclude deeper\n")
    (tmp_path / "deeper").write_text("KillWait=7\nInclude tiny-parts\n")
    path = tmp_path / "slurm.conf"
    path.write_text(f"{CONF}Include %c-parts\n")
    report = check(str(path))
    assert [one.cause for one in report.refused] == ["Include tiny-parts: it includes itself"]
    (tmp_path / "deeper").write_text("KillWait=7\n")
    config = read_config(str(path))
    assert config.scheduling.kill_wait_s == 7
    assert config.partitions[-1].name == "more"


def test_what_a_controller_answers_is_understood() -> None:
    text = """\
BOOT_TIME               = 2026-11-01T00:00:00
KillWait                = 31 sec
PriorityMaxAge          = 7-00:00:00
SLURM_VERSION           = 24.05.3
NodeName=n1 CoresPerSocket=4 CPUAlloc=0 CPUTot=8 Sockets=2 State=IDLE+DRAIN RealMemory=1000
PartitionName=p AllowGroups=ALL QoS=N/A DefaultTime=NONE Nodes=n1 TotalCPUs=8 State=UP
"""
    report = check_text(text)
    config = report.checked()
    assert (config.release, config.scheduling.kill_wait_s) == ((24, 5), 31)
    assert (config.nodes[0].line.state, config.nodes[0].line.usable_cpus) == ("drain", 8)


def test_defaults_are_those_of_the_release() -> None:
    old, new = check_text("SlurmVersion=22.05\n").checked(), check_text("").checked()
    assert (old.priority.type, old.selection.type) == ("priority/basic", "select/linear")
    assert (new.priority.type, new.selection.type) == ("priority/multifactor", "select/cons_tres")
    assert (sorted(old.selection.parameters), sorted(new.selection.parameters)) == ([], ["cr_core_memory"])


def test_enforced_limits_of_partitions_are_for_live_servers() -> None:
    found = one(f"{CONF}EnforcePartLimits=ALL\n", "EnforcePartLimits")
    assert found.status is Status.UNDERSTOOD
    assert "in a replay such a job waits" in found.meaning


SLIPS = [
    ("SelectType=select/cons_res", "SelectType", "release 26.05 has no select/cons_res any more"),
    (
        "SchedulerParameters=bf_interval=30,defer,bf_interval=60",
        "SchedulerParameters bf_interval",
        "bf_interval stands twice in this line: the first, 30, counts; take one out",
    ),
    (
        "NodeName=x1 CPUs=4 CPUs=8",
        "NodeName CPUs",
        "CPUs stands twice in this line: the last, 8, counts; take one out",
    ),
    (
        "PartitionName=p Nodes=n1\nPartitionName=p Nodes=n2",
        "PartitionName",
        "line 2 has partition p already: the lines add up",
    ),
    (
        "PartitionName=p Nodes=n1 Default=YES\nPartitionName=q Nodes=n2 Default=YES",
        "PartitionName",
        "line 3 has partition q as the default, too, and the last counts; take Default=YES from p, or from q",
    ),
    (
        "PartitionName=p Nodes=n1 MinNodes=3 MaxNodes=2",
        "PartitionName",
        "MinNodes=3 is above MaxNodes=2: no job of p starts (PartitionNodeLimit); lower MinNodes",
    ),
]


@pytest.mark.parametrize(("lines", "parameter", "note"), SLIPS)
def test_slips_that_slurm_takes_are_noted_with_their_line(lines: str, parameter: str, note: str) -> None:
    report = check_text(f"NodeName=n[1-3] CPUs=4\n{lines}\n")
    assert report.config is not None
    [found] = [each for each in report.findings if each.parameter == parameter and note in each.note]
    assert found.line is not None


def test_what_stands_twice_counts_as_slurm_counts_it() -> None:
    lines = "SchedulerParameters=bf_interval=30,bf_interval=60\nNodeName=n1 CPUs=4 CPUs=8\n"
    parts = "PartitionName=p Nodes=n1 Default=YES\nPartitionName=q Nodes=n1 Default=YES\n"
    config = check_text(lines + parts).checked()
    assert (config.passes.bf_interval_s, config.nodes[0].line.cpus, config.default_partition) == (30, 8, "q")


def test_the_older_release_has_the_older_plugin() -> None:
    report = check_text("SlurmVersion=22.05\nNodeName=n1\nSelectType=select/cons_res\n")
    assert not any("cons_res" in each.note for each in report.findings)


def test_a_default_beyond_the_longest_limit_is_refused() -> None:
    report = check_text("NodeName=n1\nPartitionName=p Nodes=n1 DefaultTime=2:00:00 MaxTime=60\n")
    [found] = report.refused
    assert (found.line, found.parameter) == (2, "PartitionName")
    assert found.cause == (
        "DefaultTime, 120 minutes, is above MaxTime, 60: Slurm does not start with that; lower DefaultTime "
        "to 60 or raise MaxTime"
    )


FOREIGN = """\
Cluster - 'other':Fairshare=1:QOS='normal'
Parent - 'root'
User - 'root':Fairshare=1
Account - 'x':Fairshare=2
Parent - 'x'
User - 'zed':Fairshare=1:QOS='normal,gone'
User - 'amy':Fairshare=1:Partition='attic'
"""


def test_a_dump_that_is_of_another_cluster_is_told_with_what_is_assumed() -> None:
    conf = "ClusterName=toy\nNodeName=n1\nPartitionName=p Nodes=n1 QOS=part\n"
    report = check_text(conf, accounts=[("dump", FOREIGN), ("qos", "Name|Priority\nnormal|1\n")])
    notes = {(one.parameter, one.value): one.note for one in report.findings if one.note}
    assert "taken as of this one" in notes["Cluster", "other"]
    left_out = "attic: 1 row of associations for it, and the slurm.conf has no such partition: left out"
    assert notes["Partition", "attic"] == left_out
    assert notes["QOS", "gone"].startswith("gone: 1 row of associations with it")
    assert "its limits do not hold" in notes["PartitionName[p] QOS", "part"]
    # The row for no partition of this cluster is not one for all partitions.
    assert [one.user for one in settings_of(report.checked()).associations if one.user] == ["root", "zed"]


@pytest.mark.parametrize(
    ("line", "end_pass", "completing_s"),
    [
        ("", "queued", 0.0),
        ("Epilog=(null)", "queued", 0.0),
        ("PrologFlags=Alloc", "queued", 0.0),
        ("Epilog=/etc/slurm/epilog", "at_once", None),
        ("Epilog=-", "at_once", None),
        ("PrologFlags=Alloc,Contain", "at_once", None),
    ],
)
def test_an_end_is_followed_at_once_where_nodes_report_it(
    line: str, end_pass: str, completing_s: float | None
) -> None:
    """Nodes without an Epilog answer when they are told to clean up, which only queues a pass."""
    chosen = settings_of(check_text(f"{CONF}{line}\n").checked()).chosen
    assert (chosen["end_pass"], chosen.get("completing_s")) == (end_pass, completing_s)


NODES = "PartitionName=p Nodes=n1 Default=YES\n"


@pytest.mark.parametrize(
    ("line", "instead"),
    [
        ("NodeName=n1 CPUs=9 Sockets=1 CoresPerSocket=4 ThreadsPerCore=2", 8),
        ("NodeName=n1 CPUs=9 ThreadsPerCore=2", 8),
        ("NodeName=n1 CPUs=6 Boards=1 SocketsPerBoard=2 CoresPerSocket=4 ThreadsPerCore=1", 8),
        ("NodeName=n1 CPUs=8 Sockets=1 CoresPerSocket=4 ThreadsPerCore=2", 0),
        ("NodeName=n1 CPUs=4 Sockets=1 CoresPerSocket=4 ThreadsPerCore=2", 0),
        ("NodeName=n1 CPUs=16 CoresPerSocket=4 ThreadsPerCore=2", 0),
        ("NodeName=n1 CPUs=9 Sockets=2", 0),
        ("NodeName=n1 CPUs=9", 0),
    ],
)
def test_cpus_that_fit_no_cores_are_taken_as_slurm_takes_them(line: str, instead: int) -> None:
    text = f"{line}\n{NODES}"
    note = one(text, "NodeName").note
    assert (f"is no number of its sockets, cores or threads, and Slurm takes {instead};" in note) is bool(
        instead
    )
    (node,) = check_text(text).checked().nodes
    assert node.line.usable_cpus == (instead or node.line.cpus)


def test_what_the_default_of_a_parameter_does_is_no_lack_of_effect() -> None:
    found = one(f"NodeName=n1 CPUs=4\n{NODES}SelectTypeParameters=CR_CPU_Memory\n", "DefMemPerCPU")
    assert (found.value, found.status, found.cause) == ("(not given)", Status.UNDERSTOOD, "")
    assert found.meaning
    assert found.note == "p: a job that asks for no memory has all of each node"
