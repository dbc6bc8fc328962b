"""Backfill windows and how they are filled."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from molokini.availability.profile import clear_profile, plan
from molokini.model.machine import Machine
from molokini.model.ranks import AgendaEvent, EventKind
from molokini.policies.maui.configuration.parameters import WINDOWS
from molokini.policies.maui.configuration.settings import (
    Bucket,
    Credential,
    Limit,
    MauiSettings,
    Qos,
    Weight,
)
from molokini.policies.maui.configuration.words import (
    BackfillMetric,
    BackfillOrder,
    BackfillPolicy,
    Component,
    LimitKind,
    QosFlag,
    ReservationPolicy,
)
from molokini.policies.maui.knowledge.trace import steps_of
from molokini.policies.maui.starting.windows import window_beyond, window_wider
from molokini.tables.making import make_tables
from molokini.tables.tables import NEVER
from tests.kit.maui import Whose, at, finished, maui
from tests.kit.replays import starts
from tests.kit.workloads import Job

MERGED = WINDOWS.index("merged")
LONGEST = WINDOWS.index("longest")


def by(policy: BackfillPolicy, **more: float) -> MauiSettings:
    return MauiSettings(chosen={"backfill": policy, **more})


def test_the_papers_figure_3() -> None:
    """One node for ever, and three for two hours: the wide window is the short one, and they overlap."""
    t = make_tables(Machine.counted(8))
    t.machine.idle = 3
    clear_profile(t, 0.0, 3)
    plan(t, 7200.0, 10800.0, 2)
    assert window_beyond(t, 0.0) == (3, 7200.0)
    assert window_beyond(t, 7200.0) == (1, NEVER)
    assert window_wider(t, 0) == (1, NEVER)
    assert window_wider(t, 1) == (3, 7200.0)
    assert window_wider(t, 3)[0] == 0


@given(st.lists(st.tuples(st.integers(1, 40), st.integers(1, 9)), max_size=7), st.integers(0, 9))
def test_windows_are_the_steps_of_the_running_minimum(steps: list[tuple[int, int]], idle: int) -> None:
    t = make_tables(Machine.counted(200))
    free, times = [9], [0.0]
    for gap, width in steps:
        times.append(times[-1] + gap)
        free.append(width)
    for k, (at_s, width) in enumerate(zip(times, free, strict=True)):
        t.profile.time_s[k], t.profile.free[k] = at_s, width
    t.profile.first, t.profile.last = 0, len(times)
    t.machine.idle = idle
    found, after = [], 0.0
    while after < NEVER:
        width, after = window_beyond(t, after)
        if width <= 0:
            break
        found.append((width, after))
    by_hand: list[tuple[int, float]] = []
    for width in sorted({min(idle, *free[: k + 1]) for k in range(len(free))} - {0}, reverse=True):
        ends = [at_s for at_s, value in zip(times, free, strict=True) if value < width]
        by_hand.append((width, ends[0] if ends else NEVER))
    assert found == by_hand
    longest, width = [], 0
    while True:
        width, until = window_wider(t, width)
        if width <= 0:
            break
        longest.append((width, until))
    assert longest == by_hand[::-1]


# 4 processors are held to 100; the head wants 6, from 100 on; so 4 are idle to 100, 2 of them for ever.
SCENE = [Job(0, 100, 4), Job(1, 50, 6)]
WAITING = [Job(2, 90, 1), Job(2, 500, 2), Job(2, 30, 3), Job(2, 80, 2), Job(2, 60, 1)]


def started_at_2(settings_: MauiSettings, windows: int = 0) -> list[int]:
    t = at(maui([*SCENE, *WAITING], settings_, windows=windows), 2)
    return sorted(set(t.jobs.number[t.queue.running[: t.queue.running_count]].tolist()) - {1})


@pytest.mark.parametrize(
    ("settings_", "wanted"),
    [
        # Widest window first: 4 processors to 100; 3 (90 s, 1), then 5 (3); nothing is left.
        (by(BackfillPolicy.FIRSTFIT), [3, 5]),
        # The most processors first: 5 (3), then of the single ones the first.
        (by(BackfillPolicy.BESTFIT), [3, 5]),
        # The longest first: 3 (90 s), 6 (80 s), 7 (60 s).
        (by(BackfillPolicy.BESTFIT, backfill_metric=BackfillMetric.SECONDS), [3, 6, 7]),
        # 160, 90, 90, 60: 6, 3 and one processor for 7.
        (by(BackfillPolicy.BESTFIT, backfill_metric=BackfillMetric.PROCESSOR_SECONDS), [3, 6, 7]),
        (by(BackfillPolicy.GREEDY), [3, 5]),
        # 160 + 90 + 60 = 310 is the most that 4 processors hold.
        (by(BackfillPolicy.GREEDY, backfill_metric=BackfillMetric.PROCESSOR_SECONDS), [3, 6, 7]),
        # One set is weighed a window, the first job alone: 3, then 4 for ever, then what is left over for 7.
        (by(BackfillPolicy.GREEDY, backfill_metric=BackfillMetric.SECONDS, max_schedules=1), [3, 4, 7]),
        (by(BackfillPolicy.NONE), []),
    ],
)
def test_who_is_chosen(settings_: MauiSettings, wanted: list[int]) -> None:
    assert started_at_2(settings_) == wanted


def test_longest_window_first_and_windows_in_one() -> None:
    settings_ = by(BackfillPolicy.FIRSTFIT)
    # The window of two processors for ever comes first, and 3 is the first that fits into it;
    # 4 follows in the hard pass, because 3 and 7 are over before the reservation begins.
    assert started_at_2(settings_, LONGEST) == [3, 4, 7]
    assert started_at_2(settings_, MERGED) == [3, 4, 7]


def test_only_so_many_candidates_are_looked_at() -> None:
    wide = [Job(2, 90, 4, number=3), Job(2, 90, 4, number=4), Job(2, 90, 1, number=5)]
    jobs = [Job(0, 100, 5, number=1), Job(1, 50, 6, number=2), *wide]
    for depth, wanted in ((0, [5]), (3, [5]), (1, [5])):
        t = at(maui(jobs, by(BackfillPolicy.FIRSTFIT, backfill_depth=depth)), 2)
        assert sorted(t.jobs.number[t.queue.running[: t.queue.running_count]].tolist()) == [1, *wanted]
    # With depth 1 the first of each of the two windows; then one window is left, for one more.
    jobs = [*SCENE, *(Job(2, 90, 1) for _ in range(4))]
    steps = steps_of(at(maui(jobs, by(BackfillPolicy.FIRSTFIT, backfill_depth=1)), 2))
    assert (steps["soft_backfilled"], steps["hard_backfilled"]) == (2, 1)
    steps = steps_of(at(maui(jobs, by(BackfillPolicy.FIRSTFIT, backfill_depth=0)), 2))
    assert (steps["soft_backfilled"], steps["hard_backfilled"]) == (4, 0)


@pytest.mark.parametrize(("windows", "soft"), [("widest", 2), ("longest", 2), ("merged", 0)])
def test_each_window_that_is_looked_at_is_counted(windows: str, soft: int) -> None:
    """4 processors up to 100 and 2 for ever: nobody fits, in either pass; merged windows are none."""
    jobs = [*SCENE, Job(2, 500, 3)]
    steps = steps_of(at(maui(jobs, windows=WINDOWS.index(windows)), 2))
    assert (steps["soft_windows"], steps["hard_windows"]) == (soft, soft)


def test_jobs_without_the_right_to_be_backfilled() -> None:
    qos = {"high": Qos(flags=frozenset({QosFlag.NO_BACKFILL})), "DEFAULT": Qos()}
    settings_ = MauiSettings(qos=qos, system=Credential(qos_list=("high",)))
    whose = [Whose(), Whose(), Whose(qos="high"), Whose()]
    t = at(maui([*SCENE, Job(2, 10, 1), Job(2, 10, 1)], settings_, whose), 2)
    assert sorted(t.jobs.number[t.queue.running[: t.queue.running_count]].tolist()) == [1, 4]


def test_freed_processors_are_kept_for_wide_jobs_for_a_time() -> None:
    """The head is reserved; job 3 is wide and blocked; so from 2 to 22 no narrow job fills the hole."""
    chunk = by(BackfillPolicy.FIRSTFIT, chunk_processors=4, chunk_duration_s=20)
    jobs = [Job(0, 100, 5), Job(1, 50, 8), Job(2, 90, 4), Job(2, 20, 1)]
    assert starts(finished(jobs, chunk))[3] == 22.0
    assert starts(finished(jobs, by(BackfillPolicy.FIRSTFIT)))[3] == 2.0
    narrow = by(BackfillPolicy.FIRSTFIT, chunk_processors=5, chunk_duration_s=20)
    assert starts(finished(jobs, narrow))[3] == 2.0


def test_processors_are_kept_anew_for_each_time_in_which_wide_jobs_are_blocked() -> None:
    """The first wide job is blocked from 2 on, the last from 300 on; between 150 and 250 nobody waits."""
    chunk = by(BackfillPolicy.FIRSTFIT, chunk_processors=4, chunk_duration_s=20)
    scene = [Job(0, 50, 5), Job(1, 20, 8), Job(2, 40, 4), Job(2, 20, 1)]
    later = [replace(job, submit=job.submit + 300) for job in scene]
    alone = Job(200, 1, 1)
    found = starts(finished([*scene, alone, *later], chunk))
    assert found[3] == 22.0
    assert found[4] == 200.0
    assert found[5:] == [start + 300 for start in found[:4] if start is not None]


def test_processors_are_kept_for_a_whole_time_from_when_all_was_planned_anew() -> None:
    """From 2 to 22 at first; a node that is lost and comes back has what was found out forgotten."""
    chunk = by(BackfillPolicy.FIRSTFIT, chunk_processors=4, chunk_duration_s=20)
    jobs = [Job(0, 100, 5), Job(1, 50, 7), Job(2, 90, 4), Job(2, 20, 1)]
    facts = [AgendaEvent(10.0, EventKind.NODE_LOST, -1, 1), AgendaEvent(11.0, EventKind.NODE_RETURNED, -1, 1)]
    assert starts(finished(jobs, chunk, facts=facts))[3] == 31.0


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


JOBS = st.lists(
    st.tuples(st.integers(0, 5), st.integers(1, 12), st.integers(1, 8), st.integers(0, 9)), max_size=20
)
FILLING = [BackfillPolicy.FIRSTFIT, BackfillPolicy.BESTFIT, BackfillPolicy.GREEDY]


def made(rows: list[tuple[int, int, int, int]]) -> list[Job]:
    return [Job(at_s, run, width, run + more) for at_s, run, width, more in sorted(rows)]


@pytest.mark.parametrize("policy", FILLING)
@given(JOBS, st.sampled_from([1, 3, 100]), st.sampled_from(list(BackfillMetric)))
@settings(max_examples=40, deadline=None)
def test_nobody_starts_after_a_reservation(
    policy: BackfillPolicy, rows: list[tuple[int, int, int, int]], depth: int, metric: BackfillMetric
) -> None:
    """Queue time alone keeps the order, so every first reservation of a head holds, and under HIGHEST all."""
    for keeps, many in ((ReservationPolicy.CURRENT_HIGHEST, 1), (ReservationPolicy.HIGHEST, depth)):
        settings_ = MauiSettings(
            buckets=(Bucket(many),),
            chosen={"backfill": policy, "backfill_metric": metric, "reservation": keeps},
        )
        for windows in range(len(WINDOWS)):
            replay = finished(made(rows), settings_, windows=windows, compiled=True)
            assert (replay.schedule().start_s <= replay.agenda.first_reserved_s).all()


@pytest.mark.parametrize("policy", FILLING)
@given(JOBS, st.sampled_from([1, 3, 100]), st.sampled_from(list(BackfillMetric)))
@settings(max_examples=40, deadline=None)
def test_backfilled_jobs_take_nothing_that_is_reserved(
    policy: BackfillPolicy, rows: list[tuple[int, int, int, int]], depth: int, metric: BackfillMetric
) -> None:
    """After a pass the plan holds running jobs, starts and reservations: nowhere more than there is."""
    settings_ = MauiSettings(buckets=(Bucket(depth),), chosen={"backfill": policy, "backfill_metric": metric})
    replay = maui(made(rows), settings_, compiled=True)
    for instant in range(30):
        t = at(replay, instant)
        assert (t.profile.free[t.profile.first : t.profile.last] >= 0).all()
