"""Nobody without access runs where an administrator has reserved processors, whatever the policy."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from molokini.model.calendars import Calendar
from molokini.model.errors import BadInput, BadValue
from molokini.model.machine import Machine, Node
from molokini.model.ranks import AgendaEvent, EventKind
from molokini.model.requests import Component, Request
from molokini.model.reservations import Reservation, StandingReservation
from molokini.model.resources import Resource
from molokini.policies import load_policy, policy_names
from molokini.sim.replay import Options, Replay
from molokini.sim.reserving import PATIENCE_S
from molokini.workloads.workload import Workload
from tests.kit.invariants import assert_nobody_inside
from tests.kit.replays import finished
from tests.kit.schedules import random_workload
from tests.kit.workloads import Job

POLICIES = [name for name in policy_names() if load_policy(name).declaration.reservable]
DAY_S = 86_400.0


def work_of(*jobs: tuple[float, float, int, int]) -> Workload:
    """Jobs of (submit, run time and estimate, processors, user)."""
    made = random_workload(len(jobs), 16, seed=0)
    submit, run, width, user = (np.array(column) for column in zip(*jobs, strict=True))
    return replace(
        made,
        submit_s=submit.astype(float),
        run_s=run.astype(float),
        estimate_s=run.astype(float),
        processors=width.astype(np.int64),
        user=user.astype(np.int64),
    )


def replayed(work: Workload, policy: str, *reservations: Reservation | StandingReservation) -> Replay:
    options = Options(reservations=reservations, interpreted=True)
    replay = Replay(work, Machine.counted(16), load_policy(policy), options=options)
    replay.run()
    return replay


def starts(work: Workload, policy: str, *reservations: Reservation | StandingReservation) -> list[float]:
    return [float(at) for at in replayed(work, policy, *reservations).schedule().start_s]


@pytest.mark.parametrize("policy", ["easy", "maui"])
@pytest.mark.parametrize("elsewhere", [0, 2])
def test_no_job_delays_a_head_that_a_reservation_alone_keeps_out(policy: str, elsewhere: int) -> None:
    """No end of a running job is what it waits for: there may be none, or one that comes later."""
    node = Node({Resource.PROCESSORS: 4.0})
    jobs = [Job(0, 30, elsewhere), Job(1, 5, 8 - elsewhere), Job(2, 100, 4), Job(3, 5, 2)]
    kept = Reservation("kept", 2, 0.0, 20.0, {"user": ("9",)})
    whole = Request((Component(2, {Resource.PROCESSORS: 2.0}),))
    replay = finished(
        jobs[elsewhere == 0 :],
        policy,
        Machine.of_nodes([node, node]),
        requests={1 + (elsewhere > 0): whole},
        reservations=(kept,),
        interpreted=True,
    )
    *_, head, long, short = replay.schedule().start_s.tolist()
    assert (head, short) == (20.0, 3.0)
    assert long >= 25.0


OURS = Reservation("ours", 10, 100.0, 200.0, {"user": ("7",)})


@pytest.mark.parametrize("policy", ["fcfs", "firstfit", "easy", "easy-depth", "conservative", "sjf", "maui"])
def test_who_reaches_into_the_window_waits_until_its_end_and_who_has_access_does_not(policy: str) -> None:
    stranger, friend = (50.0, 60.0, 8, 1), (50.0, 60.0, 8, 7)
    assert starts(work_of(stranger), policy, OURS) == [200.0]
    assert starts(work_of(friend), policy, OURS) == [50.0]
    # It may be as wide as what is not reserved, or be over in time.
    assert starts(work_of((50.0, 60.0, 6, 1)), policy, OURS) == [50.0]
    assert starts(work_of((50.0, 50.0, 16, 1)), policy, OURS) == [50.0]
    assert starts(work_of((150.0, 10.0, 8, 1), (160.0, 10.0, 6, 1)), policy, OURS)[0] == 200.0


def test_those_with_access_use_the_reserved_processors_first() -> None:
    # 10 of 16 are reserved, and 8 of them in use by a friend: 16 - 8 - 2 are left for a stranger.
    jobs = work_of((100.0, 50.0, 8, 7), (110.0, 20.0, 6, 1), (110.0, 20.0, 7, 2))
    assert starts(jobs, "firstfit", OURS) == [100.0, 110.0, 200.0]


def test_reluctant_jobs_have_the_processors_that_are_there_and_unreserved_before_their_own() -> None:
    # Of eight two are lost: then six are reserved, four of them for user 7, and none is not.
    reluctant = Reservation("four", 4, 20.0, 1000.0, {"user": ("7-",)})
    other = Reservation("two", 2, 20.0, 1000.0, {"user": ("8",)})
    jobs = [Job(15.0, 200.0, 4, 200.0, 1, 7), Job(30.0, 50.0, 2, 50.0, 2, 8)]
    for lost, start_s in (((AgendaEvent(10.0, EventKind.NODE_LOST, -1, 2),), 30.0), ((), 30.0)):
        replay = finished(jobs, "firstfit", reservations=(reluctant, other), facts=lost, interpreted=True)
        assert replay.schedule().start_s.tolist() == [15.0, start_s]


def test_easy_backfills_around_a_reservation_and_keeps_the_heads_shadow_time() -> None:
    # The head needs all 16 and must wait for the end of the window; who is over by then may pass.
    jobs = work_of((0.0, 150.0, 16, 1), (1.0, 90.0, 4, 1), (2.0, 198.0, 4, 1), (3.0, 300.0, 4, 1))
    assert starts(jobs, "easy", OURS) == [200.0, 1.0, 2.0, 350.0]


@pytest.mark.parametrize(("order", "passing"), [("queue", 2), ("best-fit", 3), ("shortest", 4)])
def test_easy_tries_candidates_as_asked_beside_a_reservation_too(order: str, passing: int) -> None:
    # 6 are idle behind a head of 16, and each of the last three has room for itself, but not beside another.
    jobs = work_of(
        (0.0, 90.0, 10, 1), (1.0, 9.0, 16, 1), (2.0, 70.0, 4, 1), (2.0, 60.0, 6, 1), (2.0, 50.0, 5, 1)
    )
    for kept in ((), (OURS,)):
        options = Options(reservations=kept, interpreted=True)
        replay = Replay(jobs, Machine.counted(16), load_policy("easy"), {"order": order}, options)
        replay.run()
        found = replay.schedule().start_s
        assert [row for row in (2, 3, 4) if found[row] == 2.0] == [passing]


def test_conservative_plans_around_reservations() -> None:
    jobs = work_of((0.0, 150.0, 16, 1), (1.0, 90.0, 4, 1), (2.0, 300.0, 7, 1))
    replay = replayed(jobs, "conservative", OURS)
    assert list(replay.schedule().start_s) == [200.0, 1.0, 350.0]
    assert replay.agenda.results.first_reserved_s[0] == 200.0


def test_overlapping_reservations_add_up_and_access_to_one_is_not_access_to_the_other() -> None:
    other = Reservation("other", 6, 150.0, 400.0, {"queue": ("-5",), "user": ("9",)})
    assert starts(work_of((120.0, 40.0, 1, 7)), "fcfs", OURS, other) == [120.0]
    # 16 - 10 - 6: nothing is left for a stranger while both last.
    assert starts(work_of((120.0, 40.0, 1, 1)), "fcfs", OURS, other) == [200.0]
    assert starts(work_of((120.0, 40.0, 11, 7)), "fcfs", OURS, other) == [400.0]


def test_a_suspended_job_goes_on_behind_a_reservation_that_it_would_reach_into() -> None:
    # The long one has done 10 s when the short one takes the machine; the 30 s that are left reach into the
    # window, so it waits for the end of that, and nothing but the boundary wakes the policy then.
    jobs = work_of((0.0, 40.0, 16, 1), (10.0, 20.0, 16, 1))
    kept = Reservation("others", 16, 50.0, 80.0, {"user": ("7",)})
    assert replayed(jobs, "srpt", kept).schedule().end_s.tolist() == [110.0, 30.0]
    # Who has access goes on at once.
    ours = replace(kept, access={"user": ("1",)})
    assert replayed(jobs, "srpt", ours).schedule().end_s.tolist() == [60.0, 30.0]


def test_standing_reservations_come_back_and_are_rolled_at_midnight() -> None:
    nights = StandingReservation("nights", 16, Calendar(start_s=0.0, end_s=3600.0), 2, {"user": ("7",)})
    jobs = work_of(*[(DAY_S * day - 60.0, 120.0, 1, 1) for day in (1, 2, 30)])
    assert starts(jobs, "easy", nights) == [DAY_S * day + 3600.0 for day in (1, 2, 30)]
    # A job that reaches past the depth starts: what is not there yet keeps nobody out.
    long = work_of((0.0, 10.0, 1, 7), (3600.0, 3 * DAY_S, 1, 1))
    assert starts(long, "firstfit", replace(nights, depth=1)) == [0.0, 3600.0]
    assert starts(long, "firstfit", nights)[1] != 3600.0


def test_who_can_never_start_ends_the_replay_all_the_same() -> None:
    for_ever = StandingReservation("all", 16, Calendar(), 2)
    assert starts(work_of((10.0, 10.0, 1, 1)), "easy", for_ever) != [10.0]
    assert np.isnan(starts(work_of((10.0, 10.0, 1, 1)), "easy", Reservation("all", 16, 0.0, np.inf))[0])


def test_what_cannot_be_is_refused() -> None:
    work = work_of((0.0, 1.0, 1, 1))
    with pytest.raises(BadInput, match="policy ps cannot keep jobs out"):
        replayed(work, "ps", OURS)
    with pytest.raises(BadValue, match="at most the machine's 16"):
        replayed(work, "fcfs", replace(OURS, processors=17))
    with pytest.raises(BadValue, match="a name of its own"):
        replayed(work, "fcfs", OURS, OURS)
    with pytest.raises(BadValue, match="a number, as in the log"):
        replayed(work, "fcfs", replace(OURS, access={"user": ("ann",)}))
    with pytest.raises(BadValue, match="later than"):
        Reservation("x", 1, 10.0, 10.0)


@st.composite
def some_reservations(draw: st.DrawFn) -> list[Reservation]:
    found = []
    for k in range(draw(st.integers(1, 3))):
        start_s, length_s = draw(st.integers(0, 300)), draw(st.integers(1, 200))
        access: dict[str, tuple[str, ...]] = draw(
            st.sampled_from([{}, {"user": ("0",)}, {"user": ("1", "2")}])
        )
        found.append(Reservation(f"r{k}", draw(st.integers(1, 16)), start_s, start_s + length_s, access))
    return found


@pytest.mark.quick(one_in=5)
@pytest.mark.parametrize("policy", POLICIES)
@settings(max_examples=15, deadline=None)
@given(seed=st.integers(0, 1000), reservations=some_reservations())
def test_nobody_is_let_in_without_access(policy: str, seed: int, reservations: list[Reservation]) -> None:
    work = random_workload(25, 16, seed)
    work = replace(work, user=np.random.default_rng(seed).integers(0, 4, len(work)))
    replay = replayed(work, policy, *reservations)
    assert_nobody_inside(replay, reservations)
    schedule = replay.schedule()
    # Windows end, so everybody who was not refused gets through.
    assert (np.isfinite(schedule.end_s) | schedule.refused_rows).all()


@pytest.mark.quick(one_in=2)
@pytest.mark.parametrize("policy", ["conservative", "conservative-worstfit"])
@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 1000), reservations=some_reservations())
def test_nobody_starts_later_than_promised(policy: str, seed: int, reservations: list[Reservation]) -> None:
    """Reservations that are known from the beginning and that no job may use."""
    work = random_workload(25, 16, seed)
    work = replace(work, estimate_s=work.run_s, user=np.full(len(work), 3))
    replay = replayed(work, policy, *reservations)
    assert (replay.schedule().start_s <= replay.agenda.results.first_reserved_s).all()


def test_one_extra_job_passes_the_head_where_others_have_a_reservation() -> None:
    """The head of 14 can start at 100, and 2 are left beside it then: one of two long jobs of 2 passes.

    The other starts as the head ends, at 110. What is reserved is far off, and asks for another way to plan.
    """
    work = work_of((0, 100, 12, 1), (1, 10, 14, 1), (2, 500, 2, 1), (2, 500, 2, 1))
    far = Reservation("far", 1, 10_000.0, 10_010.0, {"user": ("9",)})
    assert starts(work, "easy", far) == [0, 100, 2, 110]
    assert starts(work, "easy") == [0, 100, 2, 110]


def test_instances_of_standing_ones_count_as_reservations() -> None:
    """Each is in the tables for itself: few that stand for many days are as many as the tables may hold."""
    work = work_of((0.0, 1.0, 1, 1))
    standing = [
        StandingReservation(f"r{k}", 1, Calendar(start_s=60.0 * k, end_s=60.0 * k + 30.0), 400)
        for k in range(3)
    ]
    assert starts(work, "easy", *standing[:2]) == [0.0]
    with pytest.raises(BadValue, match="at most 1,000"):
        starts(work, "easy", *standing)


def test_a_suspended_job_that_is_all_that_is_left_is_waited_for_over_midnight() -> None:
    """It has 14,990 s left as the shorter job ends at 10,010, and all is reserved from 20,000 to midnight."""
    evening = StandingReservation("evening", 16, Calendar(start_s=20_000.0, end_s=DAY_S), 2, {"user": ("9",)})
    work = work_of((0.0, 15_000.0, 16, 1), (10.0, 10_000.0, 16, 1))
    ended = replayed(work, "srpt", evening).schedule().end_s
    assert ended.tolist() == [DAY_S + 14_990.0, 10_010.0]


def test_a_job_is_waited_for_over_midnight_however_long_the_replay_has_been_busy() -> None:
    """Patience begins with the last event: here the end of a job that ran longer than that."""
    evening = StandingReservation("evening", 16, Calendar(start_s=20_000.0, end_s=DAY_S), 2, {"user": ("9",)})
    days_s = PATIENCE_S + DAY_S
    work = work_of((0.0, days_s + 10_010.0, 16, 9), (1.0, 15_000.0, 16, 1))
    ended = replayed(work, "fcfs", evening).schedule().end_s
    assert ended.tolist() == [days_s + 10_010.0, days_s + DAY_S + 15_000.0]


def test_a_copy_beside_standing_reservations_goes_on_by_itself() -> None:
    """Copied before midnight, it rolls its own: the second job would reach into the next day's window."""
    daily = StandingReservation("daily", 16, Calendar(start_s=50.0, end_s=86_000.0), 1, {"user": ("7",)})
    work = work_of((0.0, 40.0, 16, 1), (86_410.0, 500.0, 16, 1))
    options = Options(reservations=(daily,), interpreted=True)
    first = Replay(work, Machine.counted(16), load_policy("fcfs"), options=options)
    first.run(20.0)
    second = first.copy()
    for replay in (second, first):
        assert replay.run()
        assert replay.schedule().start_s.tolist() == [0.0, 172_400.0]


def test_standing_ones_are_rolled_before_what_happens_at_midnight() -> None:
    """The window of the next day is there for a job that comes as the day begins, and not a day later."""
    nights = StandingReservation("nights", 16, Calendar(start_s=0.0, end_s=3600.0), 1, {"user": ("7",)})
    jobs = work_of((0.0, 10.0, 1, 7), (DAY_S, 120.0, 1, 1))
    assert starts(jobs, "fcfs", nights) == [0.0, DAY_S + 3600.0]


@pytest.mark.parametrize("turned", [False, True])
def test_standing_ones_of_several_zones_are_rolled_at_each_midnight(turned: bool) -> None:
    """Each has a window that lasts over the midnight of the other, so that roll does not bring its next one.

    In the east four hours from midnight on; in the west, two hours behind, from 86,200 to 86,600 s.
    """
    four_hours = Calendar(start_s=0.0, end_s=14_400.0)
    west = Calendar(start_s=79_000.0, end_s=79_400.0, zone_s=-7200.0)
    both = [
        StandingReservation(name, 16, calendar, 1, {"user": ("7",)})
        for name, calendar in (("east", four_hours), ("west", west))
    ]
    jobs = work_of((0.0, 10.0, 1, 7), (86_250.0, 10.0, 1, 1))
    found = starts(jobs, "fcfs", *(reversed(both) if turned else both))
    assert found == [0.0, DAY_S + 14_400.0]
