"""When a limit lets a job in as the active jobs have less left: no event, and an iteration then."""

from collections.abc import Mapping

import pytest

from molokini.policies.maui.configuration.settings import Credential, Limit, MauiSettings
from molokini.policies.maui.configuration.words import BackfillPolicy, LimitKind
from tests.kit.maui import finished
from tests.kit.replays import starts
from tests.kit.workloads import Job


@pytest.mark.parametrize(("kind", "limit"), [(LimitKind.PROCESSOR_SECONDS, 240), (LimitKind.WALL_TIME, 120)])
def test_a_limit_opens_as_the_active_jobs_have_less_left(kind: LimitKind, limit: float) -> None:
    """100 s of 2 processors are active: 40 s more of 2 are let in when 20 of them are over."""
    users = {"ann": Credential(active={kind: Limit(limit, limit)})}
    jobs = [Job(0, 100, 2), Job(5, 40, 2)]
    assert starts(finished(jobs, MauiSettings(users=users))) == [0.0, 20.0]


@pytest.mark.parametrize(
    ("backfill", "expected"), [(BackfillPolicy.NONE, 20.0), (BackfillPolicy.FIRSTFIT, 5.0)]
)
def test_a_soft_limit_opens_too(backfill: BackfillPolicy, expected: float) -> None:
    """Beyond a soft limit jobs are backfilled within the hard one; else the soft one has to open."""
    users = {"ann": Credential(active={LimitKind.PROCESSOR_SECONDS: Limit(240, 10_000)})}
    made = MauiSettings(users=users, chosen={"backfill": backfill})
    assert starts(finished([Job(0, 100, 2), Job(5, 40, 2)], made)) == [0.0, expected]


@pytest.mark.parametrize(
    ("backfill", "expected"), [(BackfillPolicy.NONE, 20.0), (BackfillPolicy.FIRSTFIT, 10.0)]
)
@pytest.mark.parametrize("kind", [LimitKind.PROCESSOR_SECONDS, LimitKind.WALL_TIME])
def test_hard_limits_open_before_soft_ones(
    kind: LimitKind, backfill: BackfillPolicy, expected: float
) -> None:
    """At 10 the job is within the hard limit, at 20 within the soft one; nothing else happens then."""
    each = 2 if kind is LimitKind.PROCESSOR_SECONDS else 1
    users = {"ann": Credential(active={kind: Limit(120 * each, 130 * each)})}
    made = MauiSettings(users=users, chosen={"backfill": backfill})
    assert starts(finished([Job(0, 100, 2), Job(5, 40, 2)], made)) == [0.0, expected]


@pytest.mark.parametrize(
    ("more", "expected"),
    [
        ({LimitKind.PROCESSORS: 4}, 20.0),
        ({LimitKind.JOBS: 2}, 20.0),
        ({LimitKind.WALL_TIME: 130}, 20.0),
        ({LimitKind.WALL_TIME: 110}, 30.0),
        ({LimitKind.PROCESSORS: 3}, 100.0),
        ({LimitKind.JOBS: 1}, 100.0),
    ],
)
def test_a_limit_opens_beside_another(more: Mapping[LimitKind, float], expected: float) -> None:
    """One that the job just fills keeps nothing out; one that it is over may open later, or by an end."""
    kinds = {LimitKind.PROCESSOR_SECONDS: 240, **more}
    users = {"ann": Credential(active={kind: Limit(most, most) for kind, most in kinds.items()})}
    jobs = [Job(0, 100, 2), Job(5, 40, 2)]
    assert starts(finished(jobs, MauiSettings(users=users))) == [0.0, expected]
