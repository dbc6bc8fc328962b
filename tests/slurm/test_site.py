"""The site port: what a slurm.conf and a database make of the policy."""

from contextlib import nullcontext
from math import inf
from pathlib import Path

import pytest

from molokini.model.errors import BadValue
from molokini.model.resources import Resource
from molokini.model.site import Asked
from molokini.policies import load_policy
from molokini.policies.slurm.configuration.words import PreemptMode, QosFlag, Sharing
from molokini.slurm.site import SlurmSite, configuration_of, site_in, site_of
from tests.kit.slurm_files import CONF, DUMP, QOS


def site(tmp_path: Path, text: str = CONF, **given: str) -> SlurmSite:
    for name, content in (("slurm.conf", text), ("dump", DUMP), ("qos", QOS)):
        (tmp_path / name).write_text(content)
    accounts = [str(tmp_path / "dump"), str(tmp_path / "qos")]
    return site_in(load_policy("slurm").plain, tmp_path / "slurm.conf", given, accounts)


def test_settings_are_those_of_the_files(tmp_path: Path) -> None:
    found = site(tmp_path, bf_resolution_s="30")
    settings = found.settings
    batch, low, gpu = settings.partitions
    assert (batch.nodes, batch.priority_job_factor) == (("n1", "n2", "n3", "n10"), 20)
    assert (low.sharing, low.allow_accounts, low.qos) == (Sharing.EXCLUSIVE, ("a",), "part")
    assert gpu.priority_tier == 7
    assert settings.default_partition == "batch"
    assert settings.generic == ("gres/gpu", "gres/shard")
    assert [(one.name, one.weight, one.index) for one in settings.nodes][:2] == [
        ("gpu1", 10, 0),
        ("n1", 1, 1),
    ]
    high = settings.qos[1]
    assert high.flags == QosFlag.DENY_ON_LIMIT | QosFlag.NO_DECAY
    assert (high.preempt, high.preempt_mode) == (("normal",), PreemptMode.REQUEUE)
    assert found.values["bf_interval_s"] == 10
    assert found.values["bf_resolution_s"] == 30
    assert found.values["priority_weight_tres_mem"] == 0.25 / 1024
    assert (found.values["no_fair_tree"], found.values["enforce_limits"]) == ("on", "on")


def test_limits_on_accrual_are_those_of_the_database(tmp_path: Path) -> None:
    (tmp_path / "slurm.conf").write_text(CONF)
    (tmp_path / "dump").write_text(
        "Cluster - 'c':DefaultQOS='normal':QOS='normal'\nParent - 'root'\n"
        "Account - 'a':GrpJobsAccrue=7\nParent - 'a'\nUser - 'ann':DefaultAccount='a':MaxJobsAccrue=3\n"
    )
    (tmp_path / "qos").write_text(
        "Name|GrpJobsAccrue|MaxJobsAccruePA|MaxJobsAccruePU\nnormal|9|5|4\nfree|||\n"
    )
    accounts = [str(tmp_path / "dump"), str(tmp_path / "qos")]
    settings = site_in(load_policy("slurm").plain, tmp_path / "slurm.conf", {}, accounts).settings
    found = {one.user or one.account: one.limits for one in settings.associations}
    assert (found["a"].grp_accrue, found["a"].max_accrue) == (7.0, inf)
    assert (found["ann"].grp_accrue, found["ann"].max_accrue) == (inf, 3.0)
    normal, free = (one.limits for one in settings.qos)
    assert (normal.grp_accrue, normal.max_accrue_per_account, normal.max_accrue) == (9.0, 5.0, 4.0)
    assert (free.grp_accrue, free.max_accrue_per_account, free.max_accrue) == (inf, inf, inf)


def test_the_machine_is_that_of_the_file(tmp_path: Path) -> None:
    nodes = site(tmp_path).machine_nodes()
    assert list(nodes) == ["gpu1", "n1", "n2", "n3", "n10"]
    assert nodes["gpu1"].capacity[Resource.PROCESSORS] == 16
    assert (nodes["gpu1"].capacity[Resource.GENERIC_0], nodes["gpu1"].capacity[Resource.GENERIC_1]) == (4, 8)
    assert Resource.MEMORY_KB not in nodes["n1"].capacity
    consuming = site(tmp_path, CONF.replace("CR_CPU", "CR_Core_Memory")).machine_nodes()
    assert consuming["n1"].capacity[Resource.MEMORY_KB] == 64_000 * 1024


def test_accounts_of_users(tmp_path: Path) -> None:
    rules = site(tmp_path).account_rules()
    assert rules is not None
    assert (rules.default("ann", "", ""), rules.default("nobody", "", "")) == ("a", "")
    assert sorted(rules.allowed("ann", "", "") or ()) == ["a", "d"]


def test_one_text_makes_the_same_site(tmp_path: Path) -> None:
    found = site(tmp_path)
    text = configuration_of(tmp_path / "slurm.conf", [str(tmp_path / "dump"), str(tmp_path / "qos")])
    again = site_of(load_policy("slurm").plain, text, {})
    assert again.settings == found.settings
    numbers = {name: at for at, name in enumerate(found.names())}
    vectors = [one.vector(lambda kind, name: numbers.get(name, -1), lambda name: 0) for one in (found, again)]
    assert vectors[0] == vectors[1]


def test_rules_of_an_older_release(tmp_path: Path) -> None:
    values = site(tmp_path, f"SlurmVersion=22.05\n{CONF}").values
    assert [values[name] for name in ("plan_end", "relevant_end", "time_min_grows", "one_node")] == [
        "down", "off", "off", "best",
    ]  # fmt: skip


LIMITS = """ClusterName=c
EnforcePartLimits={word}
NodeName=n[1-4] CPUs=4
PartitionName=short Nodes=n[1-4] MaxTime=10 Default=YES
PartitionName=long Nodes=n[1-4] MaxTime=60
PartitionName=wide Nodes=n[1-4] MaxTime=5 MinNodes=2
"""


@pytest.mark.parametrize(
    ("word", "parts", "minutes", "refused"),
    [
        ("ANY", ("short", "long"), 30, False),
        ("ANY", ("short", "wide"), 30, True),
        ("ALL", ("short", "long"), 30, True),
        ("YES", ("long", "short"), 30, True),
        ("ALL", ("short", "long"), 10, False),
        ("NO", ("short", "wide"), 300, False),
    ],
)
def test_one_of_several_partitions_or_each_must_take_a_job(
    word: str, parts: tuple[str, ...], minutes: float, refused: bool
) -> None:
    found = site_of(load_policy("slurm").plain, LIMITS.format(word=word), {})
    asked = Asked(parts[0], "", "", minutes * 60.0, 1, parts[1:])
    with pytest.raises(BadValue, match="MaxTime") if refused else nullcontext():
        found.check_asked(asked)


@pytest.mark.parametrize(
    ("enforced", "qos", "refused"),
    [
        ("associations,limits,qos", "nix", True),
        ("associations,limits,qos", "HIGH", False),
        ("associations,limits,qos", "", False),
        ("associations,limits", "nix", False),
        ("all", "nix", True),
    ],
)
def test_a_qos_that_there_is_not_is_refused_where_it_is_enforced(
    enforced: str, qos: str, refused: bool
) -> None:
    conf = LIMITS.format(word="NO") + f"AccountingStorageEnforce={enforced}\nQOS - 'high':Priority=5\n"
    found = site_of(load_policy("slurm").plain, conf, {})
    told = r"qos: 'nix' is not allowed; it must be one of .*high"
    with pytest.raises(BadValue, match=told) if refused else nullcontext():
        found.check_asked(Asked("short", "", qos, 60.0, 1))


ROWS = """QOS - 'normal'
QOS - 'small'
QOS - 'big'
Parent - 'root'
User - 'root':DefaultAccount='root':QOS='normal'
Account - 'a':QOS='normal,small'
Account - 'free'
Parent - 'a'
User - 'ann':DefaultAccount='a':QOS='+big'
User - 'bob':DefaultAccount='a'
User - 'bob':Partition='long':QOS='big'
Parent - 'free'
User - 'cid':DefaultAccount='free'
"""


@pytest.mark.parametrize(
    ("user", "account", "qos", "queues", "refused"),
    [
        ("root", "root", "small", ("short",), True),
        ("root", "", "small", ("short",), True),
        ("root", "root", "normal", ("short",), False),
        ("root", "root", "", ("short",), False),
        ("ann", "A", "big", ("short",), False),
        ("bob", "a", "big", ("short",), True),
        ("bob", "a", "SMALL", ("short",), False),
        ("bob", "a", "big", ("long",), False),
        ("bob", "a", "small", ("long",), True),
        ("bob", "a", "big", ("short", "long"), False),
        ("cid", "free", "big", ("short",), False),
        ("nix", "a", "big", ("short",), False),
        ("", "a", "big", ("short",), False),
    ],
)
def test_a_qos_that_the_association_has_not_is_refused_where_it_is_enforced(
    user: str, account: str, qos: str, queues: tuple[str, ...], refused: bool
) -> None:
    conf = LIMITS.format(word="NO") + f"AccountingStorageEnforce=associations,limits,qos\n{ROWS}"
    asked = Asked(queues[0], account, qos, 60.0, 1, queues[1:], user)
    found = site_of(load_policy("slurm").plain, conf, {})
    told = rf"qos: '{qos}' is not allowed; it must be one that the association of {user} has: "
    with pytest.raises(BadValue, match=told) if refused else nullcontext():
        found.check_asked(asked)
    loose = site_of(load_policy("slurm").plain, conf.replace("limits,qos", "limits"), {})
    loose.check_asked(asked)


@pytest.mark.parametrize(
    ("parameters", "line", "together"),
    [
        ("CR_Core", "CPUs=8 ThreadsPerCore=2", 2),
        ("CR_Core_Memory", "Sockets=1 CoresPerSocket=4 ThreadsPerCore=2", 2),
        ("CR_CPU", "Sockets=1 CoresPerSocket=4 ThreadsPerCore=2", 2),
        ("CR_CPU", "CPUs=8 ThreadsPerCore=2", 1),
        # CPUs are cores there.
        ("CR_Core", "CPUs=4 Sockets=1 CoresPerSocket=4 ThreadsPerCore=2", 1),
        ("CR_Core", "CPUs=8 Sockets=1 CoresPerSocket=8", 1),
    ],
)
def test_the_cpus_of_a_core_are_allocated_together(
    parameters: str, line: str, together: int, tmp_path: Path
) -> None:
    text = CONF.replace("CR_CPU", parameters).replace("NodeName=n[10,1-3]", f"NodeName=n[10,1-3] {line}")
    text = text.replace("ThreadsPerCore=2 CPUs=16", "CPUs=8").replace("DEFAULT CPUs=4", "DEFAULT")
    found = site(tmp_path, text)
    assert [one.together for one in found.settings.nodes] == [1, *[together] * 4]
    assert found.values["cpus_per_unit"] == together
    assert site(tmp_path, text, cpus_per_unit="1").values["cpus_per_unit"] == 1
