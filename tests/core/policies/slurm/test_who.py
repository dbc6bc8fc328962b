"""Which association, QOS and partitions a job has, and which partitions take it."""

from dataclasses import replace
from math import inf
from typing import Any

import pytest

from molokini.model.errors import BadValue, UnknownName
from molokini.policies.slurm.configuration.configured import Configured
from molokini.policies.slurm.configuration.settings import (
    Association,
    Limits,
    Partition,
    Qos,
    SlurmSettings,
)
from molokini.policies.slurm.configuration.words import PartitionState
from tests.kit.slurm import PARTITIONS, Sbatch, number_of, settings_of, slurm, tree

BATCH, LOW = PARTITIONS
ONE = Sbatch(0, 10, 5, tasks=1, user="daemon")


@pytest.mark.parametrize(
    ("partition", "job", "reason"),
    [
        (replace(BATCH, allow_accounts=("b",)), ONE, "AccountNotAllowed"),
        (replace(BATCH, deny_accounts=("a",)), ONE, "AccountNotAllowed"),
        (replace(BATCH, allow_qos=("high",)), replace(ONE, qos="mid"), "QOSNotAllowed"),
        (replace(BATCH, state=PartitionState.DOWN), ONE, "PartitionDown"),
        (replace(BATCH, state=PartitionState.INACTIVE), ONE, "PartitionInactive"),
        (replace(BATCH, max_time_s=120.0), ONE, "PartitionTimeLimit"),
        (replace(BATCH, max_nodes=1), replace(ONE, nodes=2), "PartitionNodeLimit"),
    ],
)
def test_what_a_partition_does_not_take_waits_with_its_reason(
    partition: Partition, job: Sbatch, reason: str
) -> None:
    ran = slurm([job, replace(job, queue="low")], settings_of({}, [partition, LOW])).until(5.0)
    assert ran.starts == [inf, 0.0]
    assert ran.reason(0) == reason


@pytest.mark.parametrize(
    "partition",
    [
        replace(BATCH, allow_accounts=("a", "b")),
        replace(BATCH, deny_accounts=("b",)),
        # Allow goes before Deny.
        replace(BATCH, allow_accounts=("a",), deny_accounts=("a",)),
        replace(BATCH, allow_qos=("normal",)),
    ],
)
def test_what_a_partition_takes_starts(partition: Partition) -> None:
    assert slurm([ONE], settings_of({}, [partition, LOW])).until(5.0).starts == [0.0]


def test_nodes_of_partitions() -> None:
    parts = [replace(BATCH, nodes=("n3", "n4")), replace(LOW, nodes=("n1",))]
    jobs = [replace(ONE, run=100.0), replace(ONE, run=100.0, queue="low"), replace(ONE, tasks=16)]
    ran = slurm(jobs, settings_of({}, parts)).until(5.0)
    assert [ran.nodes(k) for k in (0, 1)] == [{"n3": 1}, {"n1": 1}]
    assert ran.starts[2] == inf


def test_a_job_of_two_partitions_starts_in_the_one_that_has_room() -> None:
    parts = [replace(BATCH, nodes=("n1", "n2")), replace(LOW, nodes=("n3", "n4"))]
    full = Sbatch(0, 100, 5, nodes=2, x=True)
    ran = slurm([full, replace(full, at=1.0, queue="low,batch")], settings_of({}, parts)).until(3.0)
    assert ran.nodes(1) == {"n3": 1, "n4": 1}


def test_without_an_association_a_job_waits_where_it_must_have_one() -> None:
    without = tuple(one for one in tree() if one.user != "daemon")
    ran = slurm([ONE], settings_of({"enforce_associations": "on"}, associations=without)).until(5.0)
    assert ran.reason(0) == "InvalidAccount"
    assert slurm([ONE], settings_of({}, associations=without)).until(5.0).starts == [0.0]


def test_a_qos_that_the_association_does_not_have() -> None:
    rows = tuple(replace(one, qos=("normal",)) if one.account == "a" else one for one in tree())
    chosen = {"enforce_associations": "on", "enforce_qos": "on"}
    ran = slurm([replace(ONE, qos="high"), ONE], settings_of(chosen, associations=rows)).until(5.0)
    assert ran.reason(0) == "InvalidQOS"
    assert ran.starts == [inf, 0.0]


def test_limits_of_users_come_from_their_account() -> None:
    rows = tree(limits={"a": Limits(max_jobs=1)})
    ran = slurm([ONE, ONE], settings_of({"enforce_limits": "on"}, associations=rows)).until(5.0)
    assert ran.starts == [0.0, inf]
    assert ran.reason(1) == "AssocMaxJobsLimit"


def test_without_limits_enforced_no_limit_holds() -> None:
    ran = slurm([ONE, ONE], settings_of({}, associations=tree(limits={"a": Limits(grp_jobs=1)})))
    assert ran.until(5.0).starts == [0.0, 0.0]


def test_accounts_stand_before_what_is_below_them() -> None:
    with pytest.raises(BadValue, match="account that stands before"):
        SlurmSettings(associations=(Association("root"), Association("x", "ann")))


def test_names_that_are_not_there() -> None:
    wrong = SlurmSettings(partitions=(Partition("batch", qos="hihg"),), qos=(Qos("high"),))
    with pytest.raises(UnknownName, match="high"):
        Configured.of(wrong, {}).vector(number_of)
    site = Configured.of(settings_of({}, associations=tree(limits={"a": Limits(grp_tres={"cpus": 4})})), {})
    with pytest.raises(UnknownName, match="cpu"):
        site.vector(number_of)
    with pytest.raises(UnknownName, match="bf_interval_s"):
        Configured.of(SlurmSettings(), {"bf_intervall_s": "3"})


@pytest.mark.parametrize("chosen", [{}, {"bf_interval_s": -1.0}, {"enforce_limits": "on"}], ids=str)
def test_a_run_ends_although_a_job_can_never_start(chosen: dict[str, Any]) -> None:
    """Sixteen CPUs of one node, which has four; and an account that its partition does not take."""
    parts = [replace(BATCH, deny_accounts=("b",)), LOW]
    jobs = [replace(ONE, tasks=16, nodes=1), replace(ONE, user="sys"), replace(ONE, at=500.0)]
    ran = slurm(jobs, settings_of(chosen, parts))
    assert ran.replay.run()
    assert ran.starts == [inf, inf, 500.0]
