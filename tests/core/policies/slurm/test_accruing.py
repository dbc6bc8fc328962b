"""Limits on how many waiting jobs gain age (reference, section 1.2), by what age adds at the calculations."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from molokini.policies.slurm.configuration.settings import Limits, SlurmSettings
from tests.kit.slurm import LIMITS, QOSES, Sbatch, settings_of, slurm, tree

A_POINT_A_SECOND: dict[str, Any] = {
    "priority_weight_age": 1e6,
    "priority_max_age_s": 1e6,
    "priority_calc_period_s": 100.0,
    **LIMITS,
}
WHOLE: dict[str, Any] = {"nodes": 4, "tasks": 16}
# The first job of each stream runs until 150, the second until 350.
STREAM = [Sbatch(0, 150, 10, **WHOLE), *(Sbatch(k, 200, 10, user="sys", **WHOLE) for k in (10, 20, 30))]


def ages(
    jobs: list[Sbatch], settings: SlurmSettings, at_s: float, compiled: bool = False
) -> dict[int, float]:
    """Points of age of each waiting job; a priority of 1 is the least."""
    found = slurm(jobs, settings, compiled=compiled).until(at_s).priorities()
    return {job: points if points > 1.0 else 0.0 for job, points in found.items()}


def limited(limits: Mapping[str, Limits] | None = None, qos: Limits | None = None) -> SlurmSettings:
    own = (replace(QOSES[0], limits=qos or Limits()), *QOSES[1:])
    return settings_of(A_POINT_A_SECOND, associations=tree(limits=limits), qos=own)


@pytest.mark.parametrize("compiled", [False, pytest.param(True, marks=pytest.mark.deep)])
def test_all_gain_age_where_nothing_is_limited(compiled: bool) -> None:
    assert ages(STREAM, limited(), 100.0, compiled) == {1: 90.0, 2: 80.0, 3: 70.0}


@pytest.mark.parametrize("compiled", [False, pytest.param(True, marks=pytest.mark.deep)])
@pytest.mark.parametrize(
    "settings",
    [
        limited({"user sys": Limits(max_accrue=1)}),
        limited({"b": Limits(grp_accrue=1)}),
        limited({"b": Limits(max_accrue=1)}),
        limited({"root": Limits(grp_accrue=1)}),
        limited(qos=Limits(grp_accrue=1)),
        limited(qos=Limits(max_accrue=1)),
        limited(qos=Limits(max_accrue_per_account=1, grp_accrue=3)),
    ],
    ids=["association", "account", "inherited", "root", "QOS", "user of a QOS", "account of a QOS"],
)
def test_the_next_one_begins_when_a_place_is_free(settings: SlurmSettings, compiled: bool) -> None:
    assert ages(STREAM, settings, 100.0, compiled) == {1: 90.0, 2: 0.0, 3: 0.0}
    # The first starts at 151, when nodes are clean. That pass has looked before who gains age: the next one
    # that is made lets another in.
    found = ages(STREAM, settings, 300.0, compiled)
    assert set(found) == {2, 3}
    assert found[3] == 0.0
    assert 300.0 - 151.0 - 30.0 <= found[2] <= 300.0 - 151.0


def test_the_first_level_with_a_limit_decides() -> None:
    # The QOS lets two in, so that the association's limit of one is not looked at.
    both = limited({"user sys": Limits(max_accrue=1)}, qos=Limits(grp_accrue=2))
    assert ages(STREAM, both, 100.0) == {1: 90.0, 2: 80.0, 3: 0.0}
    # The association sets none: the account above it does, and the root's is not looked at.
    above = limited({"b": Limits(grp_accrue=2), "root": Limits(grp_accrue=1)})
    assert ages(STREAM, above, 100.0) == {1: 90.0, 2: 80.0, 3: 0.0}


def test_jobs_of_others_do_not_count_for_a_limit_of_a_user() -> None:
    jobs = [STREAM[0], replace(STREAM[1], user="man"), *STREAM[2:]]
    found = ages(jobs, limited(qos=Limits(max_accrue=1)), 100.0)
    assert found == {1: 90.0, 2: 80.0, 3: 0.0}


@pytest.mark.parametrize("chosen", [{"accrue_always": "on"}, {"enforce_limits": "off"}], ids=str)
def test_no_limit_holds_where_that_is_said(chosen: dict[str, str]) -> None:
    one = settings_of({**A_POINT_A_SECOND, **chosen}, associations=tree(limits={"b": Limits(grp_accrue=1)}))
    assert ages(STREAM, one, 100.0) == {1: 90.0, 2: 80.0, 3: 70.0}


@pytest.mark.parametrize(("reserve_s", "goes_first"), [(50.0, False), (200.0, True)])
def test_a_job_without_age_is_no_younger_for_that(reserve_s: float, goes_first: bool) -> None:
    """bf_min_age_reserve counts from when a job could begin, whether it gains age or not."""
    chosen = {**LIMITS, "bf_min_age_reserve_s": reserve_s}
    none = settings_of(chosen, associations=tree(limits={"b": Limits(grp_accrue=0)}))
    jobs = [Sbatch(0, 300, 10, nodes=3, tasks=12), Sbatch(10, 100, 10, user="sys", **WHOLE)]
    starts = slurm([*jobs, Sbatch(160, 100, 60, tasks=1)], none).until(900.0).starts
    assert (starts[2] == 160.0) == goes_first
    assert starts[1] == 301.0
