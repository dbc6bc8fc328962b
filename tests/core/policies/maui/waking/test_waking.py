"""Iterations that only time makes due: as many as can change anything, and not one for ever."""

from collections.abc import Mapping

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from molokini.policies.maui.configuration.parameters import parameters
from molokini.policies.maui.configuration.settings import Credential, Limit, MauiSettings, Target, Weight
from molokini.policies.maui.configuration.words import (
    Accrual,
    Charge,
    Factor,
    LimitKind,
    ReservationPolicy,
    TargetKind,
    Threshold,
)
from tests.kit.maui import Whose, finished, maui
from tests.kit.replays import starts
from tests.kit.workloads import Job

AT_MOST_4 = Credential(active={LimitKind.PROCESSORS: Limit(0, 4)})
CHARGED: Mapping[str, float] = {
    "fairshare": Charge.DEDICATED_PROCESSOR_SECONDS,
    "fairshare_interval_s": 1000.0,
    "fairshare_depth": 3,
}


@pytest.mark.parametrize("poll_s", [0.0, 30.0])
@pytest.mark.parametrize("target", [None, Target(20.0)])
def test_who_is_over_a_limit_alone_waits_and_the_replay_ends(poll_s: float, target: Target | None) -> None:
    users = {"ann": Credential(target=target, active=AT_MOST_4.active)}
    settings = MauiSettings(users=users, chosen={**CHARGED, "poll_s": poll_s})
    replay = finished([Job(0, 50, 5), Job(10, 2000, 4), Job(20, 10, 1)], settings)
    assert starts(replay) == [None, 10.0, 2010.0]
    # Windows of 1,000 s, three of which count: the last boundary that changes anything is that at 5,000.
    assert replay.agenda.now <= 5000.0 + 30.0


@pytest.mark.parametrize(
    ("most", "poll_s", "expected"),
    [
        (1, 0.0, [0.5, 1.0, 2.0, 3.0]),
        (1, 30.0, [0.5, 30.5, 60.5, 90.5]),
        (2, 0.0, [0.5, 0.5, 1.0, 1.0]),
        (3, 60.0, [0.5, 0.5, 0.5, 60.5]),
        (4, 60.0, [0.5, 0.5, 0.5, 0.5]),
    ],
)
@pytest.mark.parametrize("timer", [True, False])
def test_who_could_start_but_for_the_limit_on_starts_does_in_the_next_iteration(
    most: int, poll_s: float, expected: list[float], timer: bool
) -> None:
    limited = MauiSettings(chosen={"max_starts": most, "poll_s": poll_s})
    replay = maui([Job(0.5, 1000, 1)] * 4, limited)
    if not timer:  # as a replay has it, to which only the interval is known
        parameters(replay.tables).poll_s = 0.0
    assert replay.run()
    assert starts(replay) == expected


def test_an_iteration_that_is_cut_short_asks_for_no_more_than_those_that_start_jobs() -> None:
    """Backfill counts, too; the wide job has its reservation, and nobody is asked for in vain."""
    limited = MauiSettings(chosen={"max_starts": 1, "poll_s": 0.0})
    jobs = [Job(0, 100, 6), Job(0, 100, 8), Job(0, 10, 1), Job(0, 10, 1), Job(0, 500, 1)]
    replay = finished(jobs, limited)
    assert starts(replay) == [0.0, 100.0, 1.0, 2.0, 200.0]
    # At 0, 1, 2 and, cut short again, 3; at the ends at 11, 12, 100, 200 and 700; after 100 and after 200.
    assert replay.agenda.passes <= 11


@pytest.mark.parametrize("poll_s", [0.0, 30.0])
def test_who_can_never_start_asks_for_no_iteration_under_a_limit_on_starts(poll_s: float) -> None:
    settings = MauiSettings(users={"ann": AT_MOST_4}, chosen={"max_starts": 1, "poll_s": poll_s})
    replay = maui([Job(0, 50, 5), Job(0, 2000, 4)], settings)
    parameters(replay.tables).poll_s = 0.0
    assert replay.run()
    assert starts(replay) == [None, 0.0]
    assert replay.agenda.now == 2000.0
    assert replay.agenda.passes <= 3


@pytest.mark.parametrize(("poll_s", "next_s"), [(0.0, 1.0), (30.0, 30.5)])
def test_a_job_beyond_an_idle_limit_starts_in_the_next_iteration(poll_s: float, next_s: float) -> None:
    """The first one is eligible no longer once it has started; no event tells that."""
    users = {"ann": Credential(idle={LimitKind.JOBS: 1.0})}
    replay = maui([Job(0.5, 1000, 1)] * 2, MauiSettings(users=users, chosen={"poll_s": poll_s}))
    parameters(replay.tables).poll_s = 0.0
    parameters(replay.tables).next_iteration_s = poll_s
    assert replay.run()
    assert starts(replay) == [0.5, next_s]


def test_an_absolute_cap_below_what_a_job_asks_for_ends_the_replay() -> None:
    capped = {"ann": Credential(target=Target(49, TargetKind.ABSOLUTE_CAP))}
    replay = finished([Job(0, 30, 1), Job(40, 10, 5)], MauiSettings(users=capped, chosen=CHARGED))
    assert starts(replay) == [0.0, None]


@pytest.mark.parametrize("first_s", [0.0, 1000.0, 20_000.0])
def test_boundaries_wake_as_long_as_usage_is_remembered(first_s: float) -> None:
    """30 processor-seconds of one window count for two more: the cap opens at the third boundary."""
    capped = {"ann": Credential(target=Target(49, TargetKind.ABSOLUTE_CAP))}
    jobs = [Job(first_s, 30, 1), Job(first_s + 40, 10, 2)]
    replay = finished(jobs, MauiSettings(users=capped, chosen=CHARGED))
    assert starts(replay) == [first_s, first_s + 3000.0]


def test_the_timer_begins_with_the_iteration_that_starts_the_first_job() -> None:
    """Every 30 s as long as the first runs and the other waits, without any setting that time decides."""
    replay = maui([Job(0, 95, 8), Job(0, 10, 8)], MauiSettings(chosen={"poll_s": 30.0}))
    passes = []
    for at_s in (0, 29, 30, 60, 90, 94):
        replay.run(at_s)
        passes.append(replay.agenda.passes)
    assert [count - passes[0] for count in passes] == [0, 0, 1, 2, 3, 3]


SHRINKING = st.sampled_from([Limit(40, 40), Limit(20, 90)])
ACTIVE = st.fixed_dictionaries(
    {},
    optional={
        LimitKind.PROCESSOR_SECONDS: SHRINKING,
        LimitKind.WALL_TIME: SHRINKING,
        LimitKind.PROCESSORS: st.sampled_from([Limit(2, 2), Limit(1, 3)]),
        LimitKind.JOBS: st.sampled_from([Limit(1, 2), Limit(2, 2)]),
    },
)
"""Limits whose use shrinks with time, and such whose use does not: a job may be over several, or fill one."""
SETTINGS = st.builds(
    MauiSettings,
    users=st.fixed_dictionaries(
        {
            name: st.builds(
                Credential,
                priority=st.sampled_from([0, -1, -20]),
                target=st.none()
                | st.builds(
                    Target, st.sampled_from([5.0, 30.0, 60.0]), st.sampled_from(list(TargetKind)[:4])
                ),
                active=ACTIVE,
                idle=st.fixed_dictionaries({}, optional={LimitKind.JOBS: st.sampled_from([1.0, 2.0])}),
            )
            for name in ("ann", "bob", "cy")
        }
    ),
    factors=st.fixed_dictionaries(
        {
            Factor.USER: st.just(Weight(1)),
            Factor.FAIRSHARE_USER: st.sampled_from([Weight(0), Weight(1), Weight(0.2)]),
            Factor.QUEUE_TIME: st.sampled_from([Weight(20), Weight(20, 0.5), Weight(-20)]),
        }
    ),
    chosen=st.builds(
        lambda *parts: {name: one for part in parts for name, one in part.items()},
        st.sampled_from(
            [
                {"reservation": ReservationPolicy.NEVER},
                {"threshold": Threshold.QUEUE_TIME, "threshold_value": 15},
                {"threshold": Threshold.EXPANSION_FACTOR, "threshold_value": 2},
            ]
        ),
        st.fixed_dictionaries(
            {
                "fairshare": st.sampled_from([Charge.NONE, Charge.DEDICATED_PROCESSOR_SECONDS]),
                "fairshare_interval_s": st.sampled_from([25.0, 60.0]),
                "fairshare_depth": st.just(3),
                "fairshare_decay": st.just(0.5),
                "accrual": st.sampled_from(Accrual),
                "reject_negative": st.booleans(),
            }
        ),
    ),
)


@settings(max_examples=60, deadline=None)
@given(SETTINGS, st.data())
def test_no_timer_finds_a_job_that_could_have_started(file: MauiSettings, data: st.DataObject) -> None:
    """A look at every second changes nothing: each instant that matters is found without."""
    jobs = [
        Job(*one)
        for one in data.draw(
            st.lists(
                st.tuples(st.integers(0, 60), st.integers(1, 40), st.integers(1, 4)), min_size=2, max_size=9
            )
        )
    ]
    jobs.sort(key=lambda job: job.submit)
    whose = [Whose(data.draw(st.sampled_from(["ann", "bob", "cy"]))) for _ in jobs]
    alone = starts(finished(jobs, file, whose, machine=4, compiled=True))
    assert starts(finished(jobs, file.choosing(poll_s=1.0), whose, machine=4, compiled=True)) == alone
