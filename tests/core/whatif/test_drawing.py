"""What is drawn from the past: run times by users' accuracy, arrivals by the hour of the week."""

from dataclasses import replace

import numpy as np

from molokini.whatif.drawing import Arriving, drawn
from molokini.whatif.present import Past
from tests.kit.present_states import waiting_state

WEEK_S = 7 * 86_400.0


def past(submit_s: list[float], share: float, user: int = 0) -> Past:
    submit = np.array(submit_s)
    ones = np.ones(submit.size, dtype=np.int64)
    return Past(
        submit, submit, submit + 100.0 * share, ones, np.full(submit.size, 100.0), user * ones, ones, ones
    )


def test_users_run_as_long_as_they_did_before() -> None:
    one = replace(waiting_state(users=[0, 0, 1]), past=past([float(k) for k in range(20)], 0.25))
    for seed in range(5):
        run_s = drawn(one, 24.0, seed, Arriving.NONE).run_s
        assert run_s[:3].tolist() == (0.25 * one.tables.jobs.estimate_s[:3]).tolist()


def test_without_a_past_jobs_take_their_estimates_and_none_arrives() -> None:
    one = waiting_state(users=[0, 1])
    found = drawn(one, 24.0, 1, Arriving.RESAMPLED)
    assert found.run_s.tolist() == one.tables.jobs.estimate_s[:3].tolist()
    assert len(found.arrivals) == 0


def test_arrivals_are_those_of_the_same_hour_of_the_week() -> None:
    now_s = 4 * WEEK_S
    # Three jobs in the hour that comes next, a week ago; thirty in the hour after, two weeks ago alone.
    week_ago = [now_s - WEEK_S + 600.0 * k for k in range(3)]
    two_ago = [now_s - 2 * WEEK_S + 3600.0 + 60.0 * k for k in range(30)]
    one = replace(waiting_state(users=[0], now_s=now_s), past=past(sorted(two_ago + week_ago), 1.0))
    counts = {len(drawn(one, 1.0, seed, Arriving.RESAMPLED).arrivals) for seed in range(20)}
    assert counts <= {0, 2, 3}
    assert max(counts) >= 2
    found = [drawn(one, 2.0, seed, Arriving.RESAMPLED).arrivals for seed in range(20)]
    assert max(len(each) for each in found) >= 30
    for each in found:
        assert (np.diff(each.submit_s) >= 0).all()
        assert (each.submit_s > now_s).all()
        assert (each.submit_s <= now_s + 7200.0).all()


def test_the_same_seed_draws_the_same() -> None:
    times = [WEEK_S + 37.0 * k for k in range(500)]
    one = replace(waiting_state(users=[0, 1], now_s=2 * WEEK_S), past=past(times, 0.5))
    first, again = (drawn(one, 24.0, 7, Arriving.RESAMPLED) for _ in range(2))
    assert first.arrivals.submit_s.tolist() == again.arrivals.submit_s.tolist()
    assert first.run_s.tolist() == again.run_s.tolist()
