"""Fairshare over time: shares that are delivered, caps, and charges whatever the iterations."""

import numpy as np
import pytest

from molokini.policies.maui.configuration.settings import Credential, MauiSettings, Target, Weight
from molokini.policies.maui.configuration.words import Charge, Component, Factor, TargetKind
from molokini.policies.maui.knowledge.memory import mine
from tests.kit.maui import Whose, at, finished, maui, nodes, request
from tests.kit.replays import starts
from tests.kit.workloads import Job

PROCESSORS = Charge.DEDICATED_PROCESSOR_SECONDS
WINDOW_S = 1000.0


def targets(ann: Target | None, bob: Target | None = None, **more: float) -> MauiSettings:
    charged = {"fairshare": PROCESSORS, "fairshare_interval_s": WINDOW_S}
    charged |= {f"fairshare_{name}": number for name, number in more.items()}
    return MauiSettings(
        users={"ann": Credential(target=ann), "bob": Credential(target=bob)},
        components={Component.FAIRSHARE: Weight(1e6)},
        factors={Factor.FAIRSHARE_USER: Weight(1)},
        chosen={**charged, "negative_priority": True, "reject_negative": False},
    )


@pytest.mark.quick(one_in=3)
@pytest.mark.parametrize(("decay", "depth"), [(1.0, 7), (0.75, 14), (0.5, 2)])
def test_two_users_of_unlimited_demand_get_what_is_theirs(decay: float, depth: int) -> None:
    """Targets 70 and 30: within 2 points after 14 windows."""
    jobs, whose = [], []
    for k in range(5000):
        jobs.append(Job(0, 20 + k % 7, 1))
        whose.append(Whose("ann" if k % 2 else "bob"))
    settings = targets(Target(70), Target(30), decay=decay, depth=depth)
    replay = maui(jobs, settings, whose, machine=4, compiled=True)
    replay.run(14 * WINDOW_S)
    t, schedule = replay.tables, replay.schedule()
    started, user = schedule.start_s, schedule.workload.user
    waiting = t.queue.waiting[t.queue.head : t.queue.tail]
    left = t.credentials.user[t.jobs.credential[waiting]]
    assert (left == 1).any(), "ann has jobs to the end"
    assert (left == 2).any(), "so has bob"
    for first in range(0, 14, 7):
        begin, end = first * WINDOW_S, (first + 7) * WINDOW_S
        inside = np.clip(
            np.nan_to_num(np.minimum(schedule.end_s, end), nan=end) - np.maximum(started, begin), 0, None
        )
        inside = np.nan_to_num(inside)
        share = 100 * inside[user == 1].sum() / inside.sum()
        assert abs(share - 70) < 2, f"windows {first} to {first + 7}: {share}"


def test_who_has_used_too_much_is_kept_out_by_a_cap() -> None:
    """The paper: not considered while usage exceeds the target."""
    jobs = [Job(0, 30, 1), Job(0, 70, 1), Job(80, 10, 1), Job(90, 500, 8)]
    whose = [Whose("ann"), Whose("bob"), Whose("ann"), Whose("cy")]
    over = targets(Target(29, TargetKind.CAP), interval_s=1e6)
    assert starts(finished(jobs, over, whose))[2] != 80.0
    just = targets(Target(30, TargetKind.CAP), interval_s=1e6)
    assert starts(finished(jobs, just, whose))[2] == 80.0


def test_an_absolute_cap_counts_what_is_asked_for() -> None:
    jobs = [Job(0, 30, 1), Job(40, 10, 2)]
    for cap, wanted in ((50, [0.0, 40.0]), (49, [0.0, None])):
        replay = maui(jobs, targets(Target(cap, TargetKind.ABSOLUTE_CAP), interval_s=1e6))
        replay.run(1000.0)
        assert starts(replay) == wanted


def test_a_cap_opens_when_the_window_rolls() -> None:
    """Nothing else happens at the boundary: the policy asks to be woken."""
    jobs = [Job(0, 30, 1), Job(40, 10, 2)]
    settings = targets(Target(49, TargetKind.ABSOLUTE_CAP), depth=1)
    assert starts(finished(jobs, settings)) == [0.0, 1000.0]
    assert starts(finished(jobs, settings.choosing(poll_s=333.0))) == [0.0, 1000.0]


def test_processor_equivalents_are_charged() -> None:
    settings = targets(Target(50), interval_s=1e6).choosing(fairshare=Charge.DEDICATED_EQUIVALENT_SECONDS)
    jobs = [Job(0, 10, 1), Job(20, 100, 8), Job(20, 1, 8)]
    replay = maui(jobs, settings, machine=nodes(1, 8, 16384), requests={0: request(1, 4096)})
    assert mine(at(replay, 20)).total_usage == pytest.approx(20.0)
    counted = maui(jobs, targets(Target(50), interval_s=1e6))
    assert mine(at(counted, 20)).total_usage == 10.0


@pytest.mark.parametrize("poll_s", [0.0, 7.0, 60.0])
def test_iterations_do_not_change_the_charge(poll_s: float) -> None:
    jobs = [Job(k * 3, 11 + k % 5, 1 + k % 3) for k in range(40)]
    whose = [Whose(("ann", "bob", "cy")[k % 3]) for k in range(40)]
    replay = maui(jobs, targets(None).choosing(poll_s=poll_s), whose)
    replay.run(5000.0)
    t = replay.tables
    assert t.usage.windows.sum() == sum(job.run * job.width for job in jobs)


def test_without_a_policy_nothing_is_charged() -> None:
    replay = finished([Job(0, 10, 1)], MauiSettings(users={"ann": Credential(target=Target(5))}))
    assert not replay.tables.usage.windows.any()
