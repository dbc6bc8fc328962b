"""Queue time of jobs that a limit blocks, and then no longer does, through several iterations."""

import pytest

from molokini.policies.maui.configuration.settings import Credential, Limit, MauiSettings, Weight
from molokini.policies.maui.configuration.words import Accrual, Factor, LimitKind
from tests.kit.maui import Whose, at, maui, priorities
from tests.kit.workloads import Job


@pytest.mark.parametrize("looks", [0, 1, 5])
@pytest.mark.parametrize("policy", list(Accrual))
def test_it_counts_again_when_the_limit_lets_the_job_in_however_often_it_was_looked_at(
    policy: Accrual, looks: int
) -> None:
    """Ann's second job is blocked from 0 to 600, and waits behind bob's, who goes first, from then on.

    Each of cy's jobs is an iteration that finds it blocked. At 900 it has 5 minutes, under ALWAYS 15.
    """
    ann, bob, cy = Whose("ann"), Whose("bob"), Whose("cy")
    settings = MauiSettings(
        factors={Factor.USER: Weight(1)},
        users={
            "ann": Credential(active={LimitKind.JOBS: Limit(1, 1)}),
            "bob": Credential(priority=1_000_000),
        },
        chosen={"accrual": policy},
    )
    jobs = [Job(0, 600, 1), Job(0, 100, 1), *[Job(100 * (k + 1), 10, 1) for k in range(looks)]]
    jobs += [Job(600, 5000, 8), Job(900, 1, 8)]
    t = at(maui(jobs, settings, [ann, ann, *[cy] * looks, bob, bob]), 900)
    assert priorities(t)[2] == (15.0 if policy is Accrual.ALWAYS else 5.0)
