"""Deferral: who cannot run as things are is put off for DEFERTIME, and held after DEFERCOUNT of them."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from molokini.model.banks import Bank, Debit
from molokini.model.decisions import Rule
from molokini.model.ranks import AgendaEvent, EventKind
from molokini.model.states import JobState
from molokini.policies.maui.configuration.settings import MauiSettings
from molokini.policies.maui.configuration.words import Accrual, BackfillPolicy, ReservationPolicy
from molokini.reports.job_reports import one_job
from molokini.reports.queue import blocked
from molokini.reports.snapshot import ReportRequest
from molokini.reports.stopped import picture_of
from molokini.sim.replay import Replay
from tests.kit.banks import Held, accounts_of
from tests.kit.maui import Whose, at, finished, maui, priorities
from tests.kit.replays import starts
from tests.kit.workloads import Job

OWN = Whose(account="p1")
POOR = [Job(0, 10, 4, 20), Job(0, 10, 4, 20)]
"""Each wants 80 processor-seconds and takes 40 of them."""


def bank(amount: int) -> Bank:
    return Bank(Debit.WALL, True, "", {"p1": amount})


def two_accounts(amount: int) -> Bank:
    """p1 has *amount*, p2 more than anybody spends."""
    return Bank(Debit.WALL, True, "", {"p1": amount, "p2": 10**6})


def deferring(time_s: float = 100.0, count: int = 24, **more: float) -> MauiSettings:
    return MauiSettings(chosen={"defer_s": time_s, "defer_count": count, **more})


def deferred(replay: Replay, job: int) -> tuple[float, int, int]:
    """Until when, how often and why the job of this number was deferred."""
    t = replay.tables
    [row] = np.flatnonzero((t.jobs.number == job) & (t.jobs.state != JobState.FREE))
    return float(t.jobs.deferred_s[row]), int(t.jobs.deferrals[row]), int(t.jobs.deferral[row])


def test_who_cannot_pay_is_asked_again_when_his_deferral_ends() -> None:
    # From 10 on there would be enough; nobody looks before 100.
    replay = maui(POOR, deferring(), [OWN] * 2, bank=bank(120))
    at(replay, 0)
    assert deferred(replay, 2) == (100.0, 1, Rule.CANNOT_DEBIT_ACCOUNT)
    assert replay.run()
    assert starts(replay) == [0, 100]
    assert accounts_of(replay.tables) == {"p1": Held(40, 0, 80)}


def test_without_a_time_he_is_asked_at_each_iteration() -> None:
    assert starts(finished(POOR, deferring(0.0), [OWN] * 2, bank=bank(120))) == [0, 10]


@pytest.mark.parametrize("policy", [BackfillPolicy.FIRSTFIT, BackfillPolicy.BESTFIT, BackfillPolicy.GREEDY])
def test_who_cannot_pay_when_he_is_to_be_backfilled_is_deferred_too(policy: BackfillPolicy) -> None:
    # The first runs, the second is promised 50, the others are backfilled; the account can pay for one.
    jobs = [Job(0, 50, 6), Job(1, 10, 8), Job(2, 20, 1), Job(2, 30, 1)]
    file = deferring(backfill=policy)
    whose = [Whose(account="p2"), Whose(account="p2"), OWN, OWN]
    replay = maui(jobs, file, whose, bank=two_accounts(40))
    at(replay, 2)
    assert sum(count for count in replay.tables.jobs.deferrals) == 1
    replay.run()
    assert sum(start is not None and start < 50 for start in starts(replay)) == 2


def test_who_can_pay_no_more_after_an_iteration_is_deferred_a_second_later() -> None:
    # The first starts and sets 300 aside; the third, behind the head, has 200 left of the 240 that it wants.
    jobs = [Job(0, 50, 6), Job(0, 10, 8), Job(0, 60, 4)]
    replay = maui(jobs, deferring(), [OWN, Whose(account="p2"), OWN], bank=two_accounts(500))
    at(replay, 0)
    assert deferred(replay, 3)[1] == 0
    at(replay, 1)
    assert deferred(replay, 3) == (101.0, 1, Rule.CANNOT_DEBIT_ACCOUNT)


@settings(max_examples=100, deadline=None)
@given(
    sizes=st.lists(
        st.tuples(
            st.integers(0, 60), st.integers(1, 40), st.integers(1, 4), st.sampled_from([0, 10, 40, 80])
        ),
        min_size=3,
        max_size=9,
    ),
    rich=st.lists(st.booleans(), min_size=9, max_size=9),
    amount=st.integers(40, 400),
    time_s=st.sampled_from([0.0, 13.0, 40.0]),
    count=st.sampled_from([1, 4, 24]),
    policy=st.sampled_from(list(ReservationPolicy)),
)
def test_no_timer_finds_who_can_pay_no_more(
    sizes: list[tuple[int, int, int, int]],
    rich: list[bool],
    amount: int,
    time_s: float,
    count: int,
    policy: ReservationPolicy,
) -> None:
    """A look at every second changes nothing, whoever pays."""
    jobs = [Job(submit, run, width, run + more) for submit, run, width, more in sorted(sizes)]
    whose = [Whose(account="p2") if one else OWN for one in rich[: len(jobs)]]
    banks = two_accounts(amount)
    file = deferring(time_s, count, reservation=policy)
    alone = starts(finished(jobs, file, whose, machine=4, bank=banks, compiled=True))
    looked = finished(jobs, file.choosing(poll_s=1.0), whose, machine=4, bank=banks, compiled=True)
    assert starts(looked) == alone


@pytest.mark.parametrize("count", [0, 1, 3])
def test_more_deferrals_than_defercount_are_a_hold(count: int) -> None:
    replay = maui([Job(0, 10, 4, 20)], deferring(100.0, count), [OWN], bank=bank(10))
    assert replay.run()
    t = replay.tables
    assert (starts(replay), replay.agenda.now) == ([None], 100.0 * count)
    assert t.jobs.state[t.jobs.number == 1].tolist() == [JobState.HELD]
    assert deferred(replay, 1)[1] == count


def test_a_release_ends_a_deferral_or_a_hold_and_counts_anew() -> None:
    jobs = [Job(0, 10, 8, 20), Job(0, 10, 8, 20)]
    facts = [AgendaEvent(15, EventKind.RELEASED, 1)]
    replay = maui(jobs, deferring(), [OWN] * 2, bank=bank(240), facts=facts)
    assert deferred_after(replay, 0) == 1
    assert replay.run()
    assert starts(replay) == [0, 15]
    replay = maui(jobs, deferring(count=0), [OWN] * 2, bank=bank(240), facts=facts)
    assert replay.run()
    assert starts(replay) == [0, 15]


def deferred_after(replay: Replay, at_s: float) -> int:
    at(replay, at_s)
    return deferred(replay, 2)[1]


LOSS = [AgendaEvent(5, EventKind.NODE_LOST, -1, 4), AgendaEvent(20, EventKind.NODE_RETURNED, -1, 4)]


def test_who_wants_more_than_is_in_service_is_deferred_and_loses_its_reservation() -> None:
    settings = deferring(reservation=ReservationPolicy.HIGHEST)
    replay = maui([Job(0, 50, 4), Job(1, 10, 8), Job(2, 60, 4)], settings, facts=LOSS)
    at(replay, 4)
    assert replay.tables.jobs.reserved_s[replay.tables.jobs.number == 2].tolist() == [50.0]
    at(replay, 6)
    assert deferred(replay, 2) == (105.0, 1, Rule.NOT_ENOUGH_FREE)
    assert replay.tables.jobs.reserved_s[replay.tables.jobs.number == 2].tolist() == [np.inf]
    assert replay.run()
    # Nodes that come back do not end it, and the job is in nobody's way until it ends.
    assert starts(replay) == [0, 105, 20]


def test_others_are_looked_at_while_one_is_deferred() -> None:
    replay = finished([Job(0, 50, 4), Job(1, 10, 8), Job(25, 90, 8)], deferring(), facts=LOSS)
    assert starts(replay) == [0, 140, 50]


@pytest.mark.parametrize(
    ("accrual", "waited_s"),
    [(Accrual.FULL_POLICY, 0.0), (Accrual.QUEUE_POLICY, 40.0), (Accrual.ALWAYS, 40.0)],
)
def test_a_deferral_is_a_hold_to_queue_times(accrual: Accrual, waited_s: float) -> None:
    jobs = [Job(0, 10, 4, 20), Job(0, 10, 4, 20), Job(40, 1, 1)]
    whose = [OWN, OWN, Whose(account="p2")]
    balances = Bank(Debit.WALL, True, "", {"p1": 120, "p2": 10})
    # Without the floor at 1, which would hide a queue time of 40 s.
    settings = deferring(accrual=accrual, negative_priority=True)
    replay = maui(jobs, settings, whose, bank=balances)
    at(replay, 40)
    # Points are minutes of queue time.
    assert priorities(replay.tables)[2] == pytest.approx(waited_s / 60, abs=1.0)
    assert (priorities(replay.tables)[2] == 0.0) == (waited_s == 0.0)


@pytest.mark.deep
def test_cut_and_resumed_the_schedule_is_the_same() -> None:
    rng = np.random.default_rng(5)
    jobs = [Job(float(k), float(rng.integers(1, 60)), int(rng.integers(1, 9))) for k in range(60)]
    facts = [
        AgendaEvent(
            10.0 * k + (5 if k % 2 else 0), EventKind.NODE_RETURNED if k % 2 else EventKind.NODE_LOST, -1, 5
        )
        for k in range(1, 13)
    ]
    whole = finished(jobs, deferring(7.0, 3), [OWN] * 60, bank=bank(3000), facts=facts)
    assert whole.tables.jobs.deferring
    for cut_s in (3.0, 33.0, 61.0, 120.0):
        replay = maui(jobs, deferring(7.0, 3), [OWN] * 60, bank=bank(3000), facts=facts)
        replay.run(cut_s)
        resumed = replay.copy()
        assert resumed.run()
        assert starts(resumed) == starts(whole)


def test_reports_tell_until_when_and_why() -> None:
    replay = maui(POOR, deferring(), [OWN] * 2, bank=bank(120))
    replay.run(0)
    picture = picture_of(replay, 40.0, {})
    [line] = blocked(picture, ReportRequest())["jobs"]
    assert (line["state"], line["rule"]) == ("deferred", "deferred")
    assert (line["deferred_until_s"], line["deferrals"]) == (100.0, 1)
    assert line["reason"] == "it is deferred until 100 s: no account could pay for it"
    assert "an operator's release" in line["what_would_help"]
    told = one_job(picture, ReportRequest(job=line["job"]))
    assert (told["state"], told["deferred_until_s"]) == ("deferred", 100.0)
    assert told["priority_parts"]


def test_reports_tell_of_who_is_held_at_last() -> None:
    replay = maui([Job(0, 10, 4, 20)], deferring(100.0, 2), [OWN], bank=bank(10))
    replay.run()
    [line] = blocked(picture_of(replay, 500.0, {}), ReportRequest())["jobs"]
    assert (line["job"], line["state"], line["processors"]) == ("1", "held", 4)
    assert line["reason"] == "deferred too often: no account could pay for it"
    assert one_job(picture_of(replay, 500.0, {}), ReportRequest(job="1"))["state"] == "held"
