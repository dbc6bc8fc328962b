"""When time alone changes which jobs may start: priorities rise, shares open, thresholds are passed."""

from collections.abc import Mapping

import pytest

from molokini.policies.maui.configuration.settings import Credential, MauiSettings, Target, Weight
from molokini.policies.maui.configuration.words import (
    Accrual,
    Charge,
    Component,
    Factor,
    ReservationPolicy,
    TargetKind,
    Threshold,
)
from molokini.tables.tables import NEVER
from tests.kit.maui import Whose, at, finished, maui
from tests.kit.replays import starts
from tests.kit.workloads import Job

CHARGED: Mapping[str, float] = {
    "fairshare": Charge.DEDICATED_PROCESSOR_SECONDS,
    "fairshare_interval_s": 1000.0,
    "fairshare_depth": 3,
}


def rising(cap: float, poll_s: float) -> MauiSettings:
    """Priority -10 and one a minute, up to *cap*."""
    return MauiSettings(
        components={Component.CREDENTIAL: Weight(1)},
        factors={Factor.USER: Weight(1), Factor.QUEUE_TIME: Weight(1, cap)},
        users={"ann": Credential(priority=-10)},
        chosen={"reject_negative": True, "poll_s": poll_s},
    )


@pytest.mark.parametrize("poll_s", [0.0, 7.0, 60.0])
def test_a_job_starts_when_its_priority_has_risen_to_zero(poll_s: float) -> None:
    assert starts(finished([Job(0, 10, 1)], rising(0.0, poll_s))) == [600.0]


@pytest.mark.parametrize("poll_s", [0.0, 60.0])
def test_a_replay_ends_where_a_priority_rises_no_more(poll_s: float) -> None:
    replay = finished([Job(0, 10, 1)], rising(9.0, poll_s))
    assert starts(replay) == [None]
    assert replay.agenda.now <= 660.0


def test_a_share_cap_opens_while_another_runs() -> None:
    """Ann had 100 of 100, and is let in when that is no more than half of all."""
    capped = {"ann": Credential(target=Target(50, TargetKind.CAP))}
    whose = [Whose("ann"), Whose("bob"), Whose("ann")]
    jobs = [Job(0, 100, 1), Job(100, 500, 2), Job(110, 10, 1)]
    slow = {**CHARGED, "fairshare_interval_s": 1e6}
    assert starts(finished(jobs, MauiSettings(users=capped, chosen=slow), whose)) == [0.0, 100.0, 150.0]


def test_a_threshold_is_passed_while_nothing_happens() -> None:
    """Wide jobs of ann have a reservation after 50 s, and only then keep others from what they need."""
    settings = MauiSettings(
        chosen={"threshold": Threshold.QUEUE_TIME, "threshold_value": 50.0, "poll_s": 0.0}
    )
    replay = maui([Job(0, 200, 4), Job(10, 10, 8)], settings)
    assert at(replay, 60.0).jobs.reserved_s.min() == NEVER
    assert at(replay, 61.0).jobs.reserved_s.min() == 200.0


def test_a_queue_time_that_stops_is_seen_at_the_next_second() -> None:
    """The last job is below 0 as it waits; blocked, its queue time is 0 again, and it may start."""
    file = MauiSettings(
        factors={Factor.QUEUE_TIME: Weight(-20)},
        chosen={
            "reservation": ReservationPolicy.NEVER,
            "accrual": Accrual.FULL_POLICY,
            "reject_negative": True,
        },
    )
    jobs = [Job(0, 1, 1), Job(0, 1, 1), Job(0, 3, 1), Job(0, 1, 2)]
    looked = starts(finished(jobs, file.choosing(poll_s=1.0), machine=4))
    assert looked == [0.0, 0.0, 0.0, 2.0]
    assert starts(finished(jobs, file, machine=4)) == looked


@pytest.mark.parametrize("kind", [TargetKind.TARGET, TargetKind.FLOOR, TargetKind.CEILING])
def test_a_target_that_is_no_cap_asks_for_no_iterations(kind: TargetKind) -> None:
    """It moves priorities, which nobody asks about until something happens: two jobs come, and two end."""
    aims = {"ann": Credential(target=Target(50, kind))}
    slow = {**CHARGED, "fairshare_interval_s": 1e6}
    replay = maui([Job(0, 100, 8), Job(10, 50, 8)], MauiSettings(users=aims, chosen=slow))
    at(replay, 160)
    assert starts(replay) == [0.0, 100.0]
    assert replay.agenda.passes == 4


def test_a_share_cap_opens_while_one_that_starts_now_runs() -> None:
    """Cy has 4 of 79 until 38, and is let in when bob, who starts then, has had one: 4 of 80 are 5%."""
    capped = {name: Credential(target=Target(5, TargetKind.CAP)) for name in ("ann", "cy")}
    jobs = [Job(0, 1, 1), Job(0, 37, 2), Job(0, 1, 4), Job(37, 1, 1), Job(37, 2, 1)]
    whose = [Whose(name) for name in ("ann", "ann", "cy", "cy", "bob")]
    # Queue times that an iteration stops would make the next one due by themselves.
    chosen = {**CHARGED, "fairshare_interval_s": 60.0, "accrual": Accrual.ALWAYS}
    file = MauiSettings(users=capped, chosen=chosen)
    assert starts(finished(jobs, file, whose, machine=4)) == [0.0, 0.0, 37.0, 39.0, 38.0]
