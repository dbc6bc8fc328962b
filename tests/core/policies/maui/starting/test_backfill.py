"""Backfill windows and how they are filled."""

import pytest

from molokini.policies.maui.configuration.parameters import WINDOWS
from molokini.policies.maui.configuration.settings import Credential, Limit, MauiSettings, Weight
from molokini.policies.maui.configuration.words import BackfillOrder, BackfillPolicy, Component, LimitKind
from molokini.policies.maui.knowledge.trace import steps_of
from tests.kit.maui import Whose, at, maui
from tests.kit.workloads import Job

MERGED = WINDOWS.index("merged")
LONGEST = WINDOWS.index("longest")


def by(policy: BackfillPolicy, **more: float) -> MauiSettings:
    return MauiSettings(chosen={"backfill": policy, **more})


# 4 processors are held to 100; the head wants 6, from 100 on; so 4 are idle to 100, 2 of them for ever.
SCENE = [Job(0, 100, 4), Job(1, 50, 6)]
WAITING = [Job(2, 90, 1), Job(2, 500, 2), Job(2, 30, 3), Job(2, 80, 2), Job(2, 60, 1)]


def started_at_2(settings_: MauiSettings, windows: int = 0) -> list[int]:
    t = at(maui([*SCENE, *WAITING], settings_, windows=windows), 2)
    return sorted(set(t.jobs.number[t.queue.running[: t.queue.running_count]].tolist()) - {1})


def test_longest_window_first_and_windows_in_one() -> None:
    settings_ = by(BackfillPolicy.FIRSTFIT)
    # The window of two processors for ever comes first, and 3 is the first that fits into it;
    # 4 follows in the hard pass, because 3 and 7 are over before the reservation begins.
    assert started_at_2(settings_, LONGEST) == [3, 4, 7]
    assert started_at_2(settings_, MERGED) == [3, 4, 7]


@pytest.mark.parametrize(("windows", "soft"), [("widest", 2), ("longest", 2), ("merged", 0)])
def test_each_window_that_is_looked_at_is_counted(windows: str, soft: int) -> None:
    """4 processors up to 100 and 2 for ever: nobody fits, in either pass; merged windows are none."""
    jobs = [*SCENE, Job(2, 500, 3)]
    steps = steps_of(at(maui(jobs, windows=WINDOWS.index(windows)), 2))
    assert (steps["soft_windows"], steps["hard_windows"]) == (soft, soft)


def test_preempt_makes_no_reservations_and_short_jobs_go_first() -> None:
    shortest = by(BackfillPolicy.PREEMPT, backfill_order=BackfillOrder.DURATION)
    t = at(maui([*SCENE, *WAITING], shortest), 2)
    assert steps_of(t)["reserved"] == 0
    assert sorted(t.jobs.number[t.queue.running[: t.queue.running_count]].tolist()) == [1, 5, 7]


def test_bypass_counts_rise_and_lift_the_bypassed() -> None:
    settings_ = MauiSettings(components={Component.BYPASS: Weight(1000)})
    replay = maui([*SCENE, Job(2, 10, 1), Job(2, 10, 1), Job(3, 10, 1)], settings_)
    t = at(replay, 3)
    row = int(t.queue.waiting[t.queue.head])
    assert (t.jobs.number[row], t.jobs.bypassed[row]) == (2, 3)
    replay.run()
    assert not replay.tables.jobs.bypassed.any(), "a freed row keeps no count"
    plain = maui([*SCENE, Job(2, 10, 1), Job(2, 10, 1), Job(3, 10, 1)])
    assert not at(plain, 3).jobs.bypassed.any(), "nobody asked for counts"


def test_only_who_could_have_started_is_passed_by() -> None:
    """Bob may have one job: his second, between the head and those that fill, does not count as passed."""
    settings_ = MauiSettings(
        components={Component.BYPASS: Weight(1000)},
        users={"bob": Credential(active={LimitKind.JOBS: Limit(1, 1)})},
    )
    jobs = [Job(0, 100, 6), Job(0, 100, 1), Job(1, 50, 8), Job(1, 10, 1), Job(2, 10, 1)]
    bob, ann = Whose("bob"), Whose("ann")
    t = at(maui(jobs, settings_, [ann, bob, ann, bob, ann]), 2)
    rows = t.queue.waiting[t.queue.head : t.queue.tail]
    assert t.jobs.number[rows].tolist() == [3, 4]
    assert t.jobs.bypassed[rows].tolist() == [1, 0]
