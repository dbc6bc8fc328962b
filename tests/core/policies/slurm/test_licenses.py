"""Licences: the worked case 33 of the reference, and what goes with it."""

from dataclasses import replace
from math import inf
from typing import Any

import pytest

from molokini.model.decisions import Refusal
from molokini.model.reservations import Reservation, Terms
from molokini.policies.slurm.configuration.settings import Partition, SlurmSettings
from tests.kit.slurm import (
    FOUR,
    NODE,
    THREE,
    USERS,
    WEIGHTS,
    Sbatch,
    license_of,
    settings_of,
    slurm,
)

ONE: dict[str, Any] = {"licenses": {"a": 1}}
CASE_33 = [Sbatch(0, 25, 3, tasks=1, **ONE), Sbatch(1, 10, 5, **NODE, **ONE), Sbatch(2, 10, 5, **NODE)]


def licensed(chosen: dict[str, Any] | None = None, **have: int) -> SlurmSettings:
    """Settings of a cluster with these licences."""
    return settings_of({"backfill_phase_s": -5.0, **(chosen or {})}, licenses=have or {"a": 1})


def test_case_33_without_plans_a_job_short_of_licences_blocks_nobody() -> None:
    ran = slurm(CASE_33, licensed()).until(20.0)
    assert ran.starts == [0.0, inf, 2.0]
    assert ran.reason(1) == "Licenses"
    assert ran.expected_s(1) == 0.0
    assert ran.replay.run()
    assert 25.0 <= ran.starts[1] <= 26.0


@pytest.mark.parametrize(("ends", "second", "wanted"), [("up", 53.0, 187.0), ("down", 39.0, 141.0)])
def test_case_33_with_plans_it_ends_the_main_pass(ends: str, second: float, wanted: float) -> None:
    """The case begins at the *second* of a minute at which it did when it was seen."""
    jobs = [replace(one, at=one.at + second) for one in CASE_33]
    ran = slurm(jobs, licensed({"bf_licenses": "on", "plan_end": ends})).until(second + 10.0)
    assert [one - second for one in ran.starts] == [0.0, inf, 5.0]
    assert ran.reason(1) == "Licenses"
    assert ran.expected_s(1) - second == wanted
    assert ran.replay.run()
    assert 25.0 <= ran.starts[1] - second <= 26.0


@pytest.mark.parametrize("planned", ["off", "on"])
def test_a_job_that_backfill_would_put_before_a_planned_licence_waits(planned: str) -> None:
    """H is first in the order and lacks licences until R ends; J would hold one beyond its start."""
    jobs = [
        Sbatch(0, 50, 2, tasks=1, licenses={"a": 2}),
        Sbatch(1, 10, 5, tasks=1, qos="high", licenses={"a": 3}),
        Sbatch(2, 10, 30, tasks=1, licenses={"a": 1}),
        Sbatch(2, 10, 1, tasks=1, licenses={"a": 1}),
    ]
    ran = slurm(jobs, licensed({**WEIGHTS, "bf_licenses": planned}, a=3)).until(40.0)
    # Without plans the small ones go when there is one left; with them only what ends before H is to start.
    assert ran.starts == ([0.0, inf, 2.0, 13.0] if planned == "off" else [0.0, inf, inf, 5.0])
    assert ran.replay.run()
    assert ran.starts[1] in (50.0, 51.0)


def test_licences_are_counted_by_kind_and_unknown_ones_are_not() -> None:
    jobs = [
        Sbatch(0, 20, 5, tasks=1, licenses={"a": 2, "b": 1}),
        Sbatch(0, 20, 5, tasks=1, licenses={"b": 1}),
        Sbatch(0, 20, 5, tasks=1, licenses={"a": 1}),
        Sbatch(0, 20, 5, tasks=1, licenses={"unknown": 7}),
    ]
    ran = slurm(jobs, licensed(a=3, b=1))
    assert ran.replay.run()
    assert ran.starts == [0.0, 21.0, 0.0, 0.0]


def test_a_job_that_asks_for_more_than_there_are_is_refused() -> None:
    jobs = [Sbatch(0, 20, 5, tasks=1, licenses={"a": 2}), Sbatch(1, 20, 5, tasks=1, licenses={"a": 1})]
    ran = slurm(jobs, licensed(a=1))
    assert ran.replay.run()
    assert ran.starts == [inf, 1.0]
    assert ran.replay.agenda.results.refusal.tolist() == [Refusal.OVER_CEILING, Refusal.NONE]


def test_a_victim_gives_its_licences_back() -> None:
    tiers = (Partition("batch", priority_tier=10), Partition("low"))
    settings = settings_of(
        {"preempt_type": "partition_prio", "preempt_mode": "requeue"}, tiers, licenses={"a": 1}
    )
    jobs = [
        Sbatch(0, 1000, 100, queue="low", licenses={"a": 1}, **FOUR),
        Sbatch(5, 20, 5, **THREE),
        Sbatch(7, 20, 5, licenses={"a": 1}, **NODE),
    ]
    ran = slurm(jobs, settings).until(12.0)
    assert ran.starts[1:] == [6.0, 7.0]


@pytest.mark.parametrize(
    ("option", "wanted"),
    [({}, 630.0), ({"bf_licenses": "on"}, 660.0), ({"bf_running_job_reserve": "on"}, 660.0)],
)
def test_running_jobs_on_whole_nodes_are_in_the_map(option: dict[str, Any], wanted: float) -> None:
    """Their limit ends between two points of the grid: the map has their nodes up to the later one."""
    jobs = [Sbatch(30, 900, 10, **FOUR), Sbatch(31, 10, 5, **NODE)]
    ran = slurm(jobs, settings_of({"backfill_phase_s": -5.0, **option})).until(50.0)
    assert ran.expected_s(1) == wanted


@pytest.mark.dear("one compilation of the policy, for all cases")
def test_licences_compiled() -> None:
    for chosen, starts in (({}, [0.0, 25.0, 2.0]), ({"bf_licenses": "on"}, [0.0, 26.0, 5.0])):
        ran = slurm(CASE_33, licensed(chosen), compiled=True)
        plain = slurm(CASE_33, licensed(chosen))
        assert ran.replay.run()
        assert plain.replay.run()
        assert ran.starts == plain.starts
        assert all(abs(one - other) <= 1.0 for one, other in zip(ran.starts, starts, strict=True))


def kept(count: int, from_s: float, until_s: float, *users: str) -> Reservation:
    """A reservation of so many licences of the kind a, on no node."""
    access = {"user": tuple(str(USERS.index(user)) for user in users)} if users else {}
    terms = Terms(licenses={str(license_of("a")): count})
    return Reservation("lic", 0, from_s, until_s, access, terms)


def test_reserved_licences_are_for_the_jobs_of_the_reservation() -> None:
    jobs = [
        Sbatch(0, 20, 1, tasks=1, user="lp", licenses={"a": 2}),
        Sbatch(0, 20, 1, tasks=1, user="lp", licenses={"a": 1}),
        Sbatch(5, 20, 1, tasks=1, user="man", licenses={"a": 2}),
    ]
    ran = slurm(jobs, licensed(a=4), reservations=[kept(2, 0.0, 1000.0, "man")])
    assert ran.until(50.0).starts[:2] == [0.0, 21.0]
    assert ran.starts[2] == 5.0


def test_what_jobs_of_the_reservation_hold_is_not_kept_twice() -> None:
    jobs = [
        Sbatch(0, 60, 2, tasks=1, user="man", licenses={"a": 2}),
        Sbatch(5, 20, 1, tasks=1, user="lp", licenses={"a": 2}),
    ]
    ran = slurm(jobs, licensed(a=4), reservations=[kept(2, 0.0, 1000.0, "man")])
    assert ran.until(50.0).starts == [0.0, 5.0]


def test_a_job_that_would_run_into_reserved_licences_waits_until_they_are_over() -> None:
    jobs = [
        Sbatch(0, 10, 1, tasks=1, licenses={"a": 3}),
        Sbatch(0, 10, 2, tasks=1, licenses={"a": 3}),
    ]
    ran = slurm(jobs, licensed(a=4), reservations=[kept(2, 100.0, 200.0)])
    assert ran.until(150.0).starts == [0.0, inf]
    assert ran.reason(1) == "Licenses"
    assert ran.replay.run()
    assert 200.0 <= ran.starts[1] <= 203.0


def test_unreserved_kinds_are_as_free_as_ever() -> None:
    jobs = [Sbatch(0, 10, 1, tasks=1, licenses={"b": 1})]
    ran = slurm(jobs, licensed(a=4, b=1), reservations=[kept(4, 0.0, 1000.0)])
    assert ran.until(5.0).starts == [0.0]


PLANNED = {"bf_licenses": "on", "bf_interval_s": 4.0}
BEFORE_RESERVED = [
    Sbatch(0, 60, 1, tasks=1, licenses={"a": 3}),
    Sbatch(1, 10, 1, tasks=1, licenses={"a": 2}),
    Sbatch(2, 10, 0.5, tasks=1, licenses={"a": 4}),
    Sbatch(3, 10, 1, tasks=1, licenses={"a": 4}),
]


def test_a_plan_keeps_clear_of_reserved_licences() -> None:
    """Three of four are kept from 100 to 200, and the first job has three until 60.

    The second would run from 60 to 120 and goes behind 200, to 260, which is 300 on the grid. The third is
    over by 90, before the reservation; the last needs all four for a minute, and has them behind the second.
    """
    ran = slurm(BEFORE_RESERVED, licensed(PLANNED, a=4), reservations=[kept(3, 100.0, 200.0)])
    assert [ran.until(9.0).expected_s(k) for k in (1, 2, 3)] == [200.0, 60.0, 300.0]
    assert ran.replay.run()
    assert ran.starts[0] == 0.0
    assert 60.0 <= ran.starts[2] <= 65.0
    assert 200.0 <= ran.starts[1] <= 205.0


def test_a_plan_of_the_jobs_of_the_reservation_does_not() -> None:
    jobs = [replace(one, user="man" if one.at == 1 else "lp") for one in BEFORE_RESERVED]
    ran = slurm(jobs, licensed(PLANNED, a=4), reservations=[kept(3, 100.0, 200.0, "man")])
    # The second, from 60 to 120, is in the way of the third, which would be in the reservation behind it.
    assert [ran.until(9.0).expected_s(k) for k in (1, 2, 3)] == [60.0, 200.0, 240.0]


def test_what_planned_jobs_of_the_reservation_hold_is_not_kept_twice() -> None:
    """Two of four are kept for man, whose job has them until 600: the other two are there for lp at 60."""
    jobs = [
        Sbatch(0, 600, 10, tasks=1, user="man", licenses={"a": 2}),
        Sbatch(0, 60, 1, tasks=1, user="lp", licenses={"a": 2}),
        Sbatch(1, 10, 5, tasks=1, user="lp", licenses={"a": 2}),
        Sbatch(2, 10, 10, tasks=1, user="lp", licenses={"a": 2}),
    ]
    ran = slurm(jobs, licensed(PLANNED, a=4), reservations=[kept(2, 30.0, 1000.0, "man")])
    # The last would run from 360 to 960, when two are kept and nobody has the others.
    assert [ran.until(9.0).expected_s(k) for k in (2, 3)] == [60.0, 360.0]
