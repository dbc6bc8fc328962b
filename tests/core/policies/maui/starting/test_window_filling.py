"""How one backfill window is filled: by which jobs, in which order, and what is kept for wide ones."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from molokini.model.ranks import AgendaEvent, EventKind
from molokini.policies.maui.configuration.parameters import WINDOWS
from molokini.policies.maui.configuration.settings import Bucket, Credential, MauiSettings, Qos
from molokini.policies.maui.configuration.words import (
    BackfillMetric,
    BackfillPolicy,
    QosFlag,
    ReservationPolicy,
)
from molokini.policies.maui.knowledge.trace import steps_of
from tests.kit.maui import Whose, at, finished, maui
from tests.kit.replays import starts
from tests.kit.workloads import Job


def by(policy: BackfillPolicy, **more: float) -> MauiSettings:
    return MauiSettings(chosen={"backfill": policy, **more})


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
            assert (replay.schedule().start_s <= replay.agenda.results.first_reserved_s).all()


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
