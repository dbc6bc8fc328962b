"""The bank: who pays, who waits, what is debited when, and what must always be true of a ledger."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from molokini.cycle.dry_run import dry_run
from molokini.model.banks import UNLIMITED, Bank, Debit
from molokini.model.decisions import Rule
from molokini.model.ranks import AgendaEvent, EventKind
from molokini.model.requests import Component as Part
from molokini.model.requests import Request
from molokini.model.resources import Resource
from molokini.policies.maui.configuration.settings import Bucket, Limit, MauiSettings, Target
from molokini.policies.maui.configuration.settings import Credential as Line
from molokini.policies.maui.configuration.words import (
    Accrual,
    BackfillPolicy,
    Charge,
    LimitKind,
    PreemptPolicy,
    ReservationPolicy,
    TargetKind,
)
from molokini.reports.stopped import picture_of
from molokini.reports.waiting import reason
from molokini.tables.bank_changes import amount_of, owe
from molokini.tables.tables import NEVER
from tests.kit.banks import Held, accounts_of, assert_balanced
from tests.kit.invariants import assert_no_overuse, assert_sound, assert_tables_empty
from tests.kit.maui import Whose, at, finished, giving_way, maui, nodes, request, value
from tests.kit.replays import starts
from tests.kit.workloads import Job, job_lists

ASKED_AGAIN = MauiSettings(chosen={"defer_s": 0.0})
"""Who cannot pay is asked at each iteration."""
ONE, TWO = Whose(account="p1"), Whose(user="bob", account="p2")


def bank(*, debit: Debit = Debit.WALL, fallback: str = "", successful: bool = True, **openings: int) -> Bank:
    return Bank(debit, successful, fallback, openings)


def test_a_job_waits_until_its_account_can_pay() -> None:
    # Each wants 4 x 20; the first really takes 4 x 10, after which enough is left for the second.
    jobs = [Job(0, 10, 4, 20), Job(0, 10, 4, 20), Job(0, 10, 4, 20)]
    replay = maui(jobs, ASKED_AGAIN, [ONE] * 3, bank=bank(p1=120))
    assert accounts_of(at(replay, 5)) == {"p1": Held(120, 80)}
    assert accounts_of(at(replay, 15)) == {"p1": Held(80, 80, 40)}
    assert replay.run()
    assert starts(replay) == [0, 10, None]
    assert accounts_of(replay.tables) == {"p1": Held(40, 0, 80)}


def test_others_pass_by_who_cannot_pay_and_no_reservation_keeps_them() -> None:
    jobs = [Job(0, 10, 8), Job(0, 10, 8), Job(1, 100, 8)]
    replay = finished(jobs, whose=[TWO, ONE, TWO], bank=bank(p1=79, p2=1000))
    assert starts(replay) == [0, None, 10]


def test_who_cannot_pay_after_who_has_just_started_keeps_nobody_from_starting() -> None:
    """The first takes all that p1 has; the second, which could pay before, is promised nothing meanwhile."""
    jobs = [Job(0, 10, 4), Job(0, 10, 4), Job(0, 10, 4)]
    replay = finished(jobs, ASKED_AGAIN, [ONE, ONE, TWO], bank=bank(p1=40, p2=40))
    assert starts(replay) == [0, None, 0]


@pytest.mark.parametrize(
    ("line", "stops"),
    [
        (Line(), False),
        (Line(active={LimitKind.PROCESSORS: Limit(3, 3)}), True),
        (Line(target=Target(10, TargetKind.ABSOLUTE_CAP)), True),
    ],
)
def test_a_limit_stops_the_queue_time_of_who_cannot_pay_either(line: Line, stops: bool) -> None:
    """Under QUEUEPOLICY limits and caps stop it, and an empty account alone does not."""
    made = replace(ASKED_AGAIN, users={"ann": line}).choosing(
        accrual=Accrual.QUEUE_POLICY, fairshare=Charge.DEDICATED_PROCESSOR_SECONDS
    )
    replay = maui(
        [Job(0, 100, 4), Job(1, 10, 4), Job(50, 1, 1)], made, [TWO, ONE, TWO], bank=bank(p1=39, p2=999)
    )
    t = at(replay, 50)
    [row] = t.queue.waiting[t.queue.head : t.queue.tail]
    assert (t.jobs.number[row], bool(t.jobs.unqueued_s[row] == NEVER)) == (2, stops)


def test_the_fallback_pays_for_who_cannot_and_for_who_has_no_account() -> None:
    jobs = [Job(0, 10, 1), Job(0, 10, 1), Job(0, 10, 1)]
    nobody = Whose(user="cy")
    replay = finished(jobs, whose=[ONE, TWO, nobody], bank=bank(p1=10, p2=9, fallback="long", long=20))
    assert starts(replay) == [0, 0, 0]
    assert accounts_of(replay.tables) == {"p1": Held(0, 0, 10), "p2": Held(9), "long": Held(0, 0, 20)}


def test_who_has_no_account_waits_where_there_is_no_fallback() -> None:
    replay = maui([Job(0, 10, 1)], ASKED_AGAIN, [Whose()], bank=bank(p1=10))
    told = dry_run(at(replay, 0), replay.policy.begin, replay.policy.schedule, 0.0)
    assert (told.reasons.rule[0], told.reasons.limit[0]) == (Rule.CANNOT_DEBIT_ACCOUNT, -1)


def test_the_reason_has_numbers() -> None:
    replay = maui([Job(0, 10, 1), Job(0, 10, 4, 20)], ASKED_AGAIN, [ONE] * 2, bank=bank(p1=60))
    replay.run(0)
    picture = picture_of(replay, 0, {})
    told = reason(picture, picture.waiting()[0])
    assert (told["rule"], told["limit"], told["value"]) == ("cannot-debit-account", 50, 80)
    assert told["what_would_help"][0] == "a deposit of 30 processor-seconds"


@pytest.mark.parametrize(
    ("debit", "successful", "charged"),
    [
        (Debit.WALL, False, 2 * 5 + 2 * 20 + 2 * 10),
        (Debit.WALL, True, 2 * 20 + 2 * 10),
        (Debit.CPU, True, 2 * 20 + 2 * 10),
        (Debit.EQUIVALENTS, True, 2 * 20 + 2 * 10),
    ],
)
def test_what_is_charged_for_which_jobs(debit: Debit, successful: bool, charged: int) -> None:
    # The first failed; the second ran into its limit, whatever the log says of it; the third ended well.
    jobs = [Job(0, 5, 2, 20), Job(0, 30, 2, 20), Job(0, 10, 2)]
    replay = maui(jobs, whose=[ONE] * 3, bank=bank(debit=debit, successful=successful, p1=1000))
    replay.workload.records[:, 10] = [0, 5, 1]
    if successful:
        replay.agenda.workload.bind("failed", replay.workload.failed.astype(np.int64))
    replay.run()
    assert accounts_of(replay.tables) == {"p1": Held(1000 - charged, 0, charged)}


def test_equivalents_are_what_the_scarcest_resource_makes_of_a_job() -> None:
    # Half of the memory of 8 processors: 4 processor equivalents.
    replay = finished(
        [Job(0, 10, 1)],
        whose=[ONE],
        machine=nodes(1, 8, 800),
        bank=bank(debit=Debit.EQUIVALENTS, p1=40),
        requests={0: request(1, 400)},
    )
    assert accounts_of(replay.tables) == {"p1": Held(0, 0, 40)}


def test_parts_of_a_processor_second_count_as_one() -> None:
    assert [amount_of(3.0, 0.1), amount_of(1.0, 1.0), amount_of(1.0, 1.0 + 1e-9), amount_of(2.0, 0.0)] == [
        1,
        1,
        1,
        0,
    ]
    replay = finished([Job(0, 0.1, 3, 0.4)], whose=[ONE], bank=bank(p1=2))
    assert accounts_of(replay.tables) == {"p1": Held(1, 0, 1)}


@pytest.mark.parametrize(("successful", "charged"), [(True, 0), (False, 20)])
def test_a_cancelled_job_gives_its_lien_back(successful: bool, charged: int) -> None:
    replay = finished(
        [Job(0, 30, 4)],
        whose=[ONE],
        bank=bank(p1=120, successful=successful),
        facts=[AgendaEvent(5, EventKind.CANCELLED, 0)],
    )
    assert accounts_of(replay.tables) == {"p1": Held(120 - charged, 0, charged)}


@pytest.mark.parametrize(("successful", "charged"), [(True, 80), (False, 80 + 24)])
def test_a_lost_attempt_is_charged_by_who_charges_for_all(successful: bool, charged: int) -> None:
    facts = [AgendaEvent(3, EventKind.NODE_LOST, -1, 8), AgendaEvent(4, EventKind.NODE_RETURNED, -1, 8)]
    replay = finished([Job(0, 10, 8)], whose=[ONE], bank=bank(p1=200, successful=successful), facts=facts)
    assert starts(replay) == [0]
    assert accounts_of(replay.tables) == {"p1": Held(200 - charged, 0, charged)}


@pytest.mark.parametrize(
    ("policy", "successful", "charged"),
    [
        (PreemptPolicy.SUSPEND, True, 8 * 20),
        (PreemptPolicy.SUSPEND, False, 8 * 20),
        (PreemptPolicy.REQUEUE, True, 8 * 20),
        (PreemptPolicy.REQUEUE, False, 8 * 25),
        (PreemptPolicy.CHECKPOINT, True, 8 * 20),
        (PreemptPolicy.CHECKPOINT, False, 8 * 20),
        (PreemptPolicy.CANCEL, True, 0),
        (PreemptPolicy.CANCEL, False, 8 * 5),
    ],
)
def test_who_gives_way_pays_once_as_it_counts(policy: PreemptPolicy, successful: bool, charged: int) -> None:
    low = Whose(account="p1", qos="low")
    high = Whose(user="bob", account="p2", qos="high")
    replay = maui(
        [Job(0, 20, 8), Job(5, 10, 8)],
        giving_way(policy),
        [low, high],
        bank=bank(p1=1000, p2=1000, successful=successful),
    )
    for instant in (4, 5, 7, 15, 16, 40):
        replay.run(instant)
        assert_balanced(replay.tables)
    replay.run()
    assert starts(replay) == [0, 5]
    assert accounts_of(replay.tables)["p1"] == Held(1000 - charged, 0, charged)
    assert_tables_empty(replay)


def test_who_begins_again_with_work_kept_needs_money_for_the_rest_alone() -> None:
    """8 x 20 are all that there is; 8 x 5 are paid for as it gives way, and 8 x 15 are enough at 15."""
    low, high = Whose(account="p1", qos="low"), Whose(user="bob", account="p2", qos="high")
    wallet = bank(p1=160, p2=1000, successful=False)
    jobs = [Job(0, 20, 8), Job(5, 10, 8)]
    replay = maui(jobs, giving_way(PreemptPolicy.CHECKPOINT), [low, high], bank=wallet)
    assert accounts_of(at(replay, 20))["p1"] == Held(120, 120, 40)
    replay.run()
    assert replay.schedule().end_s.tolist() == [30, 15]
    assert accounts_of(replay.tables)["p1"] == Held(0, 0, 160)


def test_a_reservation_is_lost_with_the_money_for_it() -> None:
    settings = MauiSettings(chosen={"reservation": ReservationPolicy.HIGHEST})
    # Job 2 is promised 10; job 3, of the same account, is backfilled and leaves too little for it.
    jobs = [Job(0, 10, 6), Job(1, 5, 8), Job(2, 8, 2), Job(3, 30, 2)]
    replay = maui(jobs, settings, [TWO, ONE, ONE, TWO], bank=bank(p1=50, p2=1000))
    assert at(replay, 2).jobs.reserved_s[1] == 10
    assert at(replay, 3).jobs.reserved_s[1] == np.inf
    replay.run()
    assert starts(replay) == [0, None, 2, 10]


def test_the_second_of_two_promised_jobs_loses_its_place_with_what_the_first_takes() -> None:
    """100 pay for 8 x 5 or for 8 x 10. As job 2 starts at 10, job 3, promised 15, can no longer be paid for.

    Job 4, of the other account, is promised 15 in the same iteration, and job 3 is deferred once.
    """
    settings = MauiSettings(buckets=(Bucket(2),), chosen={"reservation": ReservationPolicy.HIGHEST})
    jobs = [Job(0, 10, 6), Job(1, 5, 8), Job(1, 10, 8), Job(2, 20, 8)]
    replay = maui(jobs, settings, [TWO, ONE, ONE, TWO], bank=bank(p1=100, p2=1000))

    def promised(now: float) -> dict[int, float]:
        t = at(replay, now)
        rows = t.queue.waiting[t.queue.head : t.queue.tail]
        return dict(zip(t.jobs.number[rows].tolist(), t.jobs.reserved_s[rows].tolist(), strict=True))

    assert promised(2) == {2: 10, 3: 15, 4: np.inf}
    assert promised(10) == {3: np.inf, 4: 15}
    assert replay.tables.jobs.deferrals.max() == 1
    replay.run(15)
    assert starts(replay) == [0, 10, None, 15]


def test_idle_limits_do_not_count_who_cannot_pay() -> None:
    line = Line(idle={LimitKind.JOBS: 1.0}, active={LimitKind.JOBS: Limit(9, 9)})
    jobs = [Job(0, 10, 8), Job(1, 10, 8), Job(1, 10, 8)]
    replay = finished(jobs, MauiSettings(groups={"staff": line}), [TWO, ONE, TWO], bank=bank(p1=0, p2=1000))
    assert starts(replay)[2] == 10


WALLETS = st.sampled_from([0, 5, 20, 60, 200, 10**9, UNLIMITED])
BANKS = st.builds(
    lambda debit, successful, fallback, p1, p2, long: Bank(
        debit, successful, fallback, {"p1": p1, "p2": p2, "long": long}
    ),
    st.sampled_from([Debit.WALL, Debit.EQUIVALENTS]),
    st.booleans(),
    st.sampled_from(["", "long", "p2"]),
    WALLETS,
    WALLETS,
    WALLETS,
)
OWNERS = st.sampled_from([ONE, TWO, Whose(user="cy")])
SETTINGS = st.builds(
    lambda policy, reservation: MauiSettings(chosen={"backfill": policy, "reservation": reservation}),
    st.sampled_from([one for one in BackfillPolicy if one is not BackfillPolicy.NONE]),
    st.sampled_from([ReservationPolicy.CURRENT_HIGHEST, ReservationPolicy.HIGHEST]),
)


@st.composite
def cases(draw: st.DrawFn) -> dict[str, Any]:
    jobs = draw(job_lists(most=14, refused=False))
    return {
        "jobs": jobs,
        "whose": [draw(OWNERS) for _ in jobs],
        "settings": draw(SETTINGS),
        "bank": draw(BANKS),
        "compiled": True,
    }


@settings(max_examples=40, deadline=None)
@given(cases())
def test_no_account_is_ever_short_and_nothing_comes_from_nowhere(case: dict[str, Any]) -> None:
    replay = maui(**case)
    for instant in range(0, 60, 2):
        replay.run(instant)
        assert_balanced(replay.tables)
    replay.run()
    assert_balanced(replay.tables)
    assert not replay.tables.bank.lien.any()
    assert_no_overuse(replay)
    schedule = replay.schedule()
    if value(case["settings"], "backfill") != BackfillPolicy.PREEMPT:
        # Otherwise attempts that were lost may have been charged, too.
        ended = ~np.isnan(schedule.end_s)
        work = schedule.run_s[ended] * schedule.workload.processors[ended]
        assert replay.tables.bank.debited.sum() == work.sum()


@settings(max_examples=25, deadline=None)
@given(cases())
def test_who_can_always_pay_runs_as_without_a_bank(case: dict[str, Any]) -> None:
    rich = Bank(Debit.WALL, True, "long", dict.fromkeys(("p1", "p2", "long"), UNLIMITED))
    with_bank = finished(**{**case, "bank": rich})
    without = finished(**{**case, "bank": None})
    assert np.array_equal(with_bank.schedule().start_s, without.schedule().start_s, equal_nan=True)
    lost = value(case["settings"], "backfill") == BackfillPolicy.PREEMPT
    assert_sound(with_bank, case["jobs"], lost=lost)


@settings(max_examples=25, deadline=None)
@given(cases(), st.integers(0, 40))
def test_a_run_that_is_copied_goes_on_as_one_that_is_not(case: dict[str, Any], stop_s: int) -> None:
    whole, stopped = finished(**case), maui(**case)
    stopped.run(stop_s)
    twin = stopped.copy()
    twin.run()
    assert np.array_equal(whole.schedule().start_s, twin.schedule().start_s, equal_nan=True)
    assert accounts_of(whole.tables) == accounts_of(twin.tables)


@pytest.mark.deep
def test_compiled_is_interpreted() -> None:
    generator = np.random.default_rng(7)
    jobs = [
        Job(int(at), int(run), int(width), int(run + more))
        for at, run, width, more in zip(
            np.sort(generator.integers(0, 2000, 300)),
            generator.integers(0, 60, 300),
            generator.integers(1, 9, 300),
            generator.integers(0, 30, 300),
            strict=True,
        )
    ]
    owners = [(ONE, TWO, Whose(user="cy"))[k] for k in generator.integers(0, 3, 300).tolist()]
    wallet = bank(p1=9000, p2=12000, fallback="long", long=15000)
    runs = [finished(jobs, whose=owners, bank=wallet, compiled=compiled) for compiled in (True, False)]
    one, other = (run.schedule() for run in runs)
    assert np.array_equal(one.start_s, other.start_s, equal_nan=True)
    assert np.isnan(one.start_s).any()
    assert accounts_of(runs[0].tables) == accounts_of(runs[1].tables)


LOW, HIGH = Whose(account="p1", qos="low"), Whose(user="bob", account="p2", qos="high")


def test_a_job_that_nodes_refuse_sets_nothing_aside() -> None:
    """By number there is room for both of p1's jobs; the first wants two processors of one node."""
    replay = maui(
        [Job(0, 100, 4), Job(5, 10, 2), Job(20, 10, 2)],
        ASKED_AGAIN.choosing(reservation=ReservationPolicy.NEVER),
        [TWO, ONE, ONE],
        nodes(4, 2),
        bank=bank(p1=30, p2=1000),
        requests={
            0: Request((Part(4, {Resource.PROCESSORS: 1.0}, tasks_per_node=1),)),
            1: Request((Part(1, {Resource.PROCESSORS: 2.0}),)),
        },
    )
    assert accounts_of(at(replay, 10))["p1"] == Held(30)
    assert accounts_of(at(replay, 20))["p1"] == Held(30, 20)
    assert_balanced(replay.tables)
    assert replay.run()
    assert starts(replay) == [0, None, 20]


def test_a_held_job_that_is_cancelled_leaves_no_bill_to_the_next_in_its_row() -> None:
    """480 are paid for 60 s that it keeps; the job that comes at 200 pays all of its own."""
    replay = maui(
        [Job(0, 100, 8), Job(60, 10, 8), Job(200, 90, 8, 100)],
        giving_way(PreemptPolicy.CHECKPOINT).choosing(defer_s=0.0),
        [LOW, HIGH, LOW],
        bank=bank(successful=False, p1=2000, p2=1000),
        facts=[AgendaEvent(61, EventKind.HELD, 0), AgendaEvent(62, EventKind.CANCELLED, 0)],
    )
    assert accounts_of(at(replay, 150))["p1"] == Held(1520, 0, 480)
    assert_balanced(replay.tables)
    assert accounts_of(at(replay, 201))["p1"] == Held(1520, 800, 480)
    assert replay.run()
    assert accounts_of(replay.tables)["p1"] == Held(800, 0, 1200)
    assert_tables_empty(replay)


def test_a_job_that_gets_its_row_with_a_bill_pays_the_rest() -> None:
    """As after a restart: 30 of the 200 that the second job costs are paid already."""
    replay = maui([Job(0, 50, 8), Job(0, 100, 2)], whose=[ONE, TWO], bank=bank(p1=400, p2=200))
    t = at(replay, 10)
    [row] = t.queue.waiting[t.queue.head : t.queue.tail].tolist()
    owe(t, row, int(t.credentials.payer[t.jobs.credential[row]]), 30)
    assert_balanced(t)
    assert accounts_of(at(replay, 60))["p2"] == Held(200, 170)
    assert_balanced(t)
    assert replay.run()
    assert accounts_of(replay.tables)["p2"] == Held(30, 0, 170)
    assert_tables_empty(replay)


def test_a_suspended_job_that_is_cancelled_pays_for_what_it_has_done_and_for_no_more() -> None:
    """30 of its 100 s are done as it gives way; it is cancelled at 40."""
    replay = maui(
        [Job(0, 100, 8), Job(30, 50, 8)],
        giving_way(PreemptPolicy.SUSPEND).choosing(defer_s=0.0),
        [LOW, HIGH],
        bank=bank(successful=False, p1=1000, p2=1000),
        facts=[AgendaEvent(40, EventKind.CANCELLED, 0)],
    )
    assert accounts_of(at(replay, 35))["p1"] == Held(1000, 800)
    assert replay.run()
    assert accounts_of(replay.tables) == {"p1": Held(760, 0, 240), "p2": Held(600, 0, 400)}
    assert_tables_empty(replay)
