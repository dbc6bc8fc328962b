"""Iterations that only time makes due: as many as can change anything, and not one for ever."""

import pytest

from molokini.policies.maui.settings import (
    Credential,
    Fairshare,
    Limit,
    MauiSettings,
    Target,
    Weight,
)
from molokini.policies.maui.words import Charge, Component, Factor, LimitKind, TargetKind
from tests.kit.maui import finished
from tests.kit.replays import starts
from tests.kit.workloads import Job

AT_MOST_4 = Credential(active={LimitKind.PROCESSORS: Limit(0, 4)})
CHARGED = Fairshare(Charge.DEDICATED_PROCESSOR_SECONDS, interval_s=1000.0, depth=3)


@pytest.mark.parametrize("poll_s", [0.0, 30.0])
@pytest.mark.parametrize("target", [None, Target(20.0)])
def test_who_is_over_a_limit_by_himself_waits_and_the_replay_ends(
    poll_s: float, target: Target | None
) -> None:
    users = {"ann": Credential(target=target, active=AT_MOST_4.active)}
    settings = MauiSettings(users=users, fairshare=CHARGED, poll_s=poll_s)
    replay = finished([Job(0, 50, 5), Job(10, 2000, 4), Job(20, 10, 1)], settings)
    assert starts(replay) == [None, 10.0, 2010.0]
    # Windows of 1,000 s, three of which count: the last boundary that changes anything is that at 5,000.
    assert replay.agenda.now <= 5000.0 + 30.0


def test_an_absolute_cap_below_what_a_job_asks_for_ends_the_replay() -> None:
    capped = {"ann": Credential(target=Target(49, TargetKind.ABSOLUTE_CAP))}
    replay = finished([Job(0, 30, 1), Job(40, 10, 5)], MauiSettings(users=capped, fairshare=CHARGED))
    assert starts(replay) == [0.0, None]


def test_boundaries_wake_as_long_as_usage_is_remembered() -> None:
    """30 processor-seconds of the first window count for two more: the cap opens at the third boundary."""
    capped = {"ann": Credential(target=Target(49, TargetKind.ABSOLUTE_CAP))}
    replay = finished([Job(0, 30, 1), Job(40, 10, 2)], MauiSettings(users=capped, fairshare=CHARGED))
    assert starts(replay) == [0.0, 3000.0]


def rising(cap: float) -> MauiSettings:
    """Priority -10 and one a minute, up to *cap*."""
    return MauiSettings(
        components={Component.CREDENTIAL: Weight(1)},
        factors={Factor.USER: Weight(1), Factor.QUEUE_TIME: Weight(1, cap)},
        users={"ann": Credential(priority=-10)},
        negative_priority=True,
        poll_s=60.0,
    )


def test_polls_go_on_while_a_priority_rises_from_below_zero() -> None:
    assert starts(finished([Job(0, 10, 1)], rising(cap=0.0))) == [600.0]


def test_polls_end_where_a_priority_rises_no_more() -> None:
    replay = finished([Job(0, 10, 1)], rising(cap=9.0))
    assert starts(replay) == [None]
    assert replay.agenda.now <= 660.0
