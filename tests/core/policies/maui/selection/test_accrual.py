"""Queue time of jobs that a limit blocks, and then no longer does, through several iterations."""

import pytest

from molokini.policies.maui.configuration.settings import Credential, Limit, MauiSettings, Weight
from molokini.policies.maui.configuration.words import Accrual, Factor, LimitKind
from tests.kit.maui import Whose, at, maui, priorities
from tests.kit.workloads import Job


@pytest.mark.parametrize("looks", [0, 1, 5])
@pytest.mark.parametrize("policy", list(Accrual))
def test_it_counts_again_when_the_limit_lets_the_job_in(policy: Accrual, looks: int) -> None:
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


@pytest.mark.parametrize("policy", list(Accrual))
def test_a_priority_that_rejects_a_job_goes_before_the_limits_that_would(policy: Accrual) -> None:
    """Bob's job runs for their group, which may have one. Ann's has less than 0 for its first ten minutes.

    Under QUEUEPOLICY it goes on: jobs of no priority are rejected before limits are looked at.
    """
    ann, bob = Whose("ann"), Whose("bob")
    settings = MauiSettings(
        factors={Factor.USER: Weight(1)},
        users={"ann": Credential(priority=-10)},
        groups={"staff": Credential(active={LimitKind.JOBS: Limit(1, 1)})},
        chosen={"accrual": policy, "reject_negative": True, "negative_priority": True},
    )
    looks = [Job(60 * k, 1, 8) for k in range(1, 6)]
    others = [Whose("cy", "guests")] * len(looks)
    t = at(maui([Job(0, 5000, 1), Job(0, 100, 1), *looks], settings, [bob, ann, *others]), 300)
    wanted = {Accrual.ALWAYS: -5.0, Accrual.QUEUE_POLICY: -5.0, Accrual.FULL_POLICY: -10.0}
    assert priorities(t)[2] == wanted[policy]
