"""Priority reservations: who gets one, who keeps it, and that it never moves later."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from molokini.model.credentials import CredentialType
from molokini.model.reservations import Reservation
from molokini.policies.maui.configuration.settings import Bucket, Credential, Limit, MauiSettings, Qos, Weight
from molokini.policies.maui.configuration.words import (
    BackfillPolicy,
    Component,
    Factor,
    LimitKind,
    QosFlag,
    ReservationPolicy,
    Threshold,
)
from molokini.policies.maui.knowledge.trace import steps_of
from molokini.sim.replay import Overrun
from molokini.tables.tables import NEVER, Tables
from tests.kit.maui import NAMES, Whose, at, finished, maui, number_of
from tests.kit.workloads import Job

JOBS = [Job(0, 100, 6), Job(1, 50, 8), Job(2, 50, 8), Job(3, 50, 8), Job(4, 50, 8)]


def reserved(t: Tables) -> dict[int, float]:
    """Reserved start of each waiting job that has one, by number."""
    rows = t.queue.waiting[t.queue.head : t.queue.tail]
    return {int(t.jobs.number[r]): float(t.jobs.reserved_s[r]) for r in rows if t.jobs.reserved_s[r] < NEVER}


@pytest.mark.parametrize(
    ("depth", "wanted"),
    [(0, {}), (1, {2: 100.0}), (2, {2: 100.0, 3: 150.0}), (9, {2: 100.0, 3: 150.0, 4: 200.0, 5: 250.0})],
)
def test_the_first_so_many_have_one(depth: int, wanted: dict[int, float]) -> None:
    settings_ = MauiSettings(buckets=(Bucket(depth),))
    assert reserved(at(maui(JOBS, settings_), 4)) == wanted


@pytest.mark.parametrize("policy", [BackfillPolicy.NONE, BackfillPolicy.PREEMPT])
def test_policies_without_reservations(policy: BackfillPolicy) -> None:
    assert reserved(at(maui(JOBS, MauiSettings(chosen={"backfill": policy})), 4)) == {}
    never = MauiSettings(chosen={"reservation": ReservationPolicy.NEVER})
    assert reserved(at(maui(JOBS, never), 4)) == {}


QOS = {
    "high": Qos(),
    "low": Qos(flags=frozenset({QosFlag.NO_RESERVATION})),
    "free": Qos(flags=frozenset({QosFlag.RESERVE_ALWAYS})),
    "DEFAULT": Qos(),
}
ALL = Credential(qos_list=("high", "low", "free"))


def test_buckets_and_flags() -> None:
    buckets = (Bucket(1, ("high",)), Bucket(2, ("DEFAULT", "low", "free")))
    settings_ = MauiSettings(qos=QOS, system=ALL, buckets=buckets)
    jobs = [Job(0, 100, 6), *(Job(k, 50, 8) for k in range(1, 8))]
    whose = [Whose(qos=name) for name in ("", "high", "high", "low", "", "free", "", "")]
    # 2 fills the first bucket; 3 finds it full; 4 may not; 5 and 6 fill the second; 7 and 8 find it full.
    assert sorted(reserved(at(maui(jobs, settings_, whose), 7))) == [2, 5, 6]
    only = MauiSettings(qos=QOS, system=ALL, buckets=(Bucket(1, ("high",)),))
    # 6 is of no bucket, but always reserved.
    assert sorted(reserved(at(maui(jobs, only, whose), 7))) == [2, 6]


@pytest.mark.parametrize(
    ("kind", "value", "before"),
    [(Threshold.QUEUE_TIME, 10, 11), (Threshold.EXPANSION_FACTOR, 1, 50), (Threshold.BYPASS, 2, 9)],
)
def test_thresholds(kind: Threshold, value: float, before: int) -> None:
    """Job 2 (limit 50 s, submitted at 1) is reserved once it has exceeded the threshold."""
    settings_ = MauiSettings(chosen={"threshold": kind, "threshold_value": value})
    # Each of the later ones is backfilled past it as it comes.
    jobs = [
        Job(0, 100, 6),
        Job(1, 50, 8),
        Job(3, 1, 1),
        Job(5, 1, 1),
        Job(before, 1, 1),
        Job(before + 1, 1, 1),
    ]
    replay = maui(jobs, settings_)
    assert reserved(at(replay, before)) == {}
    assert 2 in reserved(at(replay, before + 1))


def test_current_highest_gives_way_and_highest_does_not() -> None:
    """Bob comes later and goes first: ann's reservation is given up, or kept."""
    lines = {"bob": Credential(priority=1_000_000)}
    for policy, wanted in (
        (ReservationPolicy.CURRENT_HIGHEST, {3: 100.0}),
        (ReservationPolicy.HIGHEST, {2: 100.0, 3: 150.0}),
    ):
        settings_ = MauiSettings(
            users=lines, factors={Factor.USER: Weight(1)}, chosen={"reservation": policy}
        )
        whose = [Whose(), Whose("ann"), Whose("bob")]
        assert reserved(at(maui(JOBS[:3], settings_, whose), 2)) == wanted


@given(
    rows=st.lists(
        st.tuples(
            st.integers(0, 9),
            st.integers(1, 12),
            st.integers(1, 8),
            st.integers(0, 9),
            st.sampled_from(["ann", "bob", "cy"]),
        ),
        max_size=20,
    ),
    depth=st.integers(1, 4),
    weight=st.sampled_from([-3.0, 0.0, 3.0]),
)
@settings(max_examples=50, deadline=None)
def test_no_promise_moves_later(
    rows: list[tuple[int, int, int, int, str]], depth: int, weight: float
) -> None:
    """Whatever the priorities do: by width, by user, by bypass."""
    rows = sorted(rows)
    jobs = [Job(at_s, run, width, run + more) for at_s, run, width, more, _ in rows]
    settings_ = MauiSettings(
        buckets=(Bucket(depth),),
        components={Component.BYPASS: Weight(5)},
        factors={Factor.PROCESSORS: Weight(weight), Factor.USER: Weight(1)},
        users={"bob": Credential(priority=20), "cy": Credential(priority=7)},
        chosen={"reservation": ReservationPolicy.HIGHEST, "reject_negative": False},
    )
    replay = maui(jobs, settings_, [Whose(row[4]) for row in rows], compiled=True)
    promised: dict[int, float] = {}
    for instant in range(60):
        t = at(replay, float(instant))
        for number, at_s in reserved(t).items():
            assert at_s <= promised.get(number, NEVER)
            promised[number] = at_s
    assert replay.run()
    started = replay.schedule().start_s
    for number, at_s in promised.items():
        assert started[number - 1] <= at_s
    assert np.isfinite(started).all()


def test_a_reservation_of_a_job_that_is_held_is_gone() -> None:
    t = at(maui(JOBS), 4)
    assert reserved(t) == {2: 100.0}
    assert finished(JOBS).tables.jobs.reserved_s.min() == NEVER


@pytest.mark.parametrize("policy", [BackfillPolicy.FIRSTFIT, BackfillPolicy.BESTFIT, BackfillPolicy.GREEDY])
def test_nobody_is_backfilled_into_a_promise_beside_what_is_kept(policy: BackfillPolicy) -> None:
    """At 100 job 2 finds 6 of 8 beside the 2 that are kept for bob; job 3 would leave it 5."""
    jobs = [Job(0, 100, 4), Job(1, 50, 6), Job(2, 200, 1)]
    kept = Reservation("bob", 2, 90.0, 300.0, {"user": (str(NAMES["bob"]),)})
    replay = finished(jobs, MauiSettings(chosen={"backfill": policy}), reservations=[kept])
    assert replay.schedule().start_s[1] == 100


def test_a_kept_reservation_outlasts_a_limit_that_its_owner_reaches_meanwhile() -> None:
    """Under HIGHEST: ann's narrow job takes her to her limit, and nobody gets into what she was promised."""
    jobs = [Job(0, 100, 6), Job(5, 50, 8), Job(10, 20, 1), Job(15, 500, 1)]
    whose = [Whose("bob"), Whose("ann"), Whose("ann"), Whose("bob")]
    limited = {"ann": Credential(active={LimitKind.PROCESSORS: Limit(8, 8)})}
    keeps = MauiSettings(users=limited, chosen={"reservation": ReservationPolicy.HIGHEST})
    replay = maui(jobs, keeps, whose)
    assert reserved(at(replay, 20)) == {2: 100.0}
    assert replay.run()
    assert replay.schedule().start_s.tolist() == [0.0, 100.0, 10.0, 150.0]


def test_a_kept_reservation_goes_with_the_job_that_may_not_start() -> None:
    """Ann's priority falls below 0 after a minute: what was promised to her is in nobody's way any more."""
    jobs = [Job(0, 100, 6), Job(5, 50, 8), Job(15, 500, 1)]
    falling = MauiSettings(
        users={"ann": Credential(priority=1), "bob": Credential(priority=1000)},
        factors={Factor.USER: Weight(1), Factor.QUEUE_TIME: Weight(-1)},
        chosen={"reservation": ReservationPolicy.HIGHEST, "reject_negative": True},
    )
    replay = maui(jobs, falling, [Whose("bob"), Whose("ann"), Whose("bob")])
    assert reserved(at(replay, 65)) == {2: 100.0, 3: 150.0}
    assert reserved(at(replay, 66)) == {}
    assert replay.tables.queue.running_count == 2


def test_kept_reservations_count_in_later_iterations() -> None:
    one = MauiSettings(buckets=(Bucket(1),), chosen={"reservation": ReservationPolicy.HIGHEST})
    assert reserved(at(maui(JOBS, one), 4)) == {2: 100.0}


def test_a_reservation_whose_time_has_come_waits_for_a_limit() -> None:
    """Under HIGHEST: ann's narrow job, there up to 130, and the one promised 100 are over her limit."""
    jobs = [Job(0, 100, 6), Job(5, 50, 6), Job(10, 120, 1)]
    limited = {"ann": Credential(active={LimitKind.PROCESSORS: Limit(6, 6)})}
    keeps = MauiSettings(users=limited, chosen={"reservation": ReservationPolicy.HIGHEST})
    replay = maui(jobs, keeps, [Whose("bob"), Whose("ann"), Whose("ann")])
    assert reserved(at(replay, 10)) == {2: 100.0}
    assert replay.run()
    assert replay.schedule().start_s.tolist() == [0.0, 130.0, 10.0]


def test_each_step_says_what_became_of_reservations() -> None:
    """Under HIGHEST two are made, one at 1 and one at 2; at 100 both are kept, and the first has come."""
    replay = maui(
        JOBS[:3], MauiSettings(buckets=(Bucket(2),), chosen={"reservation": ReservationPolicy.HIGHEST})
    )
    told = []
    for instant in (1, 2, 100, 150):
        steps = steps_of(at(replay, instant))
        told.append([steps[name] for name in ("reserved", "reservations_kept", "reserved_started")])
        assert steps["priority_started"] == 0
    assert told == [[1, 0, 0], [1, 1, 0], [0, 2, 1], [0, 1, 1]]


@pytest.mark.parametrize("policy", [ReservationPolicy.CURRENT_HIGHEST, ReservationPolicy.HIGHEST])
def test_a_promise_moves_on_with_who_runs_past_his_limit(policy: ReservationPolicy) -> None:
    """Job 1 should be over at 100 and runs to 200: what is promised is a second off, and has never passed."""
    jobs = [Job(0, 200, 8, 100), Job(1, 10, 8)]
    replay = maui(jobs, MauiSettings(chosen={"reservation": policy}), overrun=Overrun.EXTEND)
    told = [reserved(at(replay, at_s)) for at_s in (99, 100, 150, 199)]
    assert told == [{2: 100}, {2: 101}, {2: 151}, {2: 200}]


@pytest.mark.parametrize("policy", [ReservationPolicy.CURRENT_HIGHEST, ReservationPolicy.HIGHEST])
def test_behind_all_reservations_jobs_are_backfilled_or_wait(policy: ReservationPolicy) -> None:
    """Also at 5, when the one reservation is kept: a job that must not be backfilled waits."""
    qos = {"low": Qos(flags=frozenset({QosFlag.NO_BACKFILL}))}
    never = MauiSettings(
        users={"bob": Credential(qos_default="low")}, qos=qos, chosen={"reservation": policy}
    )
    whose = [Whose(), Whose(), Whose("bob"), Whose()]
    t = at(maui([Job(0, 100, 6), Job(1, 50, 8), Job(2, 10, 1), Job(5, 10, 1)], never, whose), 5)
    assert reserved(t) == {2: 100.0}
    assert sorted(t.jobs.number[t.queue.running[: t.queue.running_count]].tolist()) == [1, 4]


def test_a_bucket_may_have_the_last_of_many_qoses() -> None:
    """Bob's QoS is the fortieth: it alone has a bucket, and ann's job, which comes first, gets no promise."""
    qos = {**{f"a{k}": Qos() for k in range(39)}, "free": Qos(), "DEFAULT": Qos()}
    settings_ = MauiSettings(
        qos=qos, users={"bob": Credential(qos_list=("free",))}, buckets=(Bucket(1, ("free",)),)
    )

    def number(kind: CredentialType, name: str) -> int:
        return (
            100 + int(name.lstrip("a"))
            if kind is CredentialType.QOS and name != "free"
            else number_of(kind, name)
        )

    whose = [Whose("ann"), Whose("ann"), Whose("bob", qos="free")]
    assert reserved(at(maui(JOBS[:3], settings_, whose, number=number), 2)) == {3: 100.0}
