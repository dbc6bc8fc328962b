"""Forecasts of a long queue: coarser, said to be, and not far from what planning every job gives."""

import random
from pathlib import Path

import pytest

from molokini.client.client import Client
from molokini.proto.v1.job_service_pb2 import Forecast
from molokini.proto.v1.jobs_pb2 import JobState
from molokini.server import background
from molokini.server.queries import forecasting
from molokini.server.queries.forecasting import forecast
from molokini.server.security.roles import Role
from tests.kit.job_states import STATES
from tests.kit.live import live
from tests.kit.serving import served

ROOT = ("root", Role.ADMINISTRATOR)
JOBS = 150
ASKED = (40, 90, JOBS)


async def _queue_of(ann: Client) -> None:
    """Jobs of many sizes, of which a sixteen-processor machine runs a few at a time."""
    draw = random.Random(7)
    await ann.submit(processors=16, estimate_s=50)
    for _ in range(JOBS - 1):
        await ann.submit(processors=draw.randint(1, 8), estimate_s=float(draw.randint(20, 200)))


async def _forecasts(ann: Client) -> list[Forecast]:
    return [await ann.forecast(job) for job in ASKED]


@pytest.mark.quick(one_in=11)
@pytest.mark.parametrize("policy", ["fcfs", "easy", "conservative", "sjf", "maui"])
async def test_a_queue_too_long_to_be_planned_is_drawn_from(
    policy: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with served(tmp_path, policy) as one, one.client() as ann:
        await _queue_of(ann)
        exact = await _forecasts(ann)
        monkeypatch.setattr(forecasting, "MOST_PLANNED", 50)
        coarse = await _forecasts(ann)
    last_s = max(found.start_s for found in exact)
    for found in exact:
        assert found.planned_jobs == found.waiting_jobs == JOBS - 1
    for found, known in zip(coarse, exact, strict=True):
        assert found.planned_jobs in (50, 51)
        assert found.waiting_jobs == JOBS - 1
        assert found.possible
        assert found.earliest_s <= found.start_s <= found.latest_s
        # A third of the jobs was planned; a plan that took them for all would end at a third of the time.
        assert abs(found.start_s - known.start_s) < 0.2 * last_s
    assert max(found.start_s for found in coarse) > 0.75 * last_s


async def test_a_plan_that_takes_too_long_is_made_of_fewer_jobs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with served(tmp_path) as one, one.client() as ann:
        await _queue_of(ann)
        exact = await ann.forecast(JOBS)
        # No time at all: each look at the clock says that it is over.
        monkeypatch.setattr(forecasting, "EDGE_S", -1.0)
        monkeypatch.setattr(forecasting, "FEWEST_PLANNED", 40)
        thinned = await ann.forecast(JOBS)
    assert exact.planned_jobs == exact.waiting_jobs == thinned.waiting_jobs == JOBS - 1
    assert thinned.planned_jobs < JOBS / 3
    assert abs(thinned.start_s - exact.start_s) < 0.2 * exact.start_s


async def test_memory_is_given_back_when_a_forecast_is_done(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    given_back: list[int] = []
    monkeypatch.setattr(background, "give_back", lambda: given_back.append(1))
    async with served(tmp_path) as one, one.client() as ann:
        for _ in range(3):
            await ann.submit(processors=16, estimate_s=50)
        assert (await ann.forecast(3)).start_s == 100.0
        assert given_back == [1]


async def test_a_forecast_lets_go_on_what_is_suspended(tmp_path: Path) -> None:
    async with served(tmp_path, "srpt") as one, one.client() as ann, one.client(*ROOT) as root:
        suspended = await ann.submit(processors=16, estimate_s=100)
        await root.advance(10)
        # The shortest remaining time goes first: 20 s, 50 s, the 90 s that are left, 200 s.
        shortest, shorter, longest = [await ann.submit(processors=16, estimate_s=s) for s in (20, 50, 200)]
        assert (await ann.job(suspended)).state == JobState.SUSPENDED
        assert (await ann.job(shortest)).state == JobState.RUNNING
        assert [(await ann.forecast(job)).start_s for job in (shorter, longest)] == [30.0, 170.0]


async def test_of_an_array_that_runs_within_its_limit_the_rest_is_not_ready(tmp_path: Path) -> None:
    async with served(tmp_path) as one, one.client() as ann:
        array = await ann.submit(processors=1, estimate_s=50, array="1-6%2")
        told = await ann.forecast(array)
    assert (told.possible, told.reason) == (
        False,
        "it becomes a candidate when others of its array have ended",
    )


FORECASTS = {
    "held": (None, "it does not wait (held)"),
    "dependent": (None, "it does not wait (held)"),
    "later": (None, "it does not wait (held)"),
    "running": (100.0, "it has started"),
    "suspended": (100.0, "it has started"),
    "completed": (None, "it does not wait (completed)"),
    "cancelled": (None, "it does not wait (cancelled)"),
    "first": (100.0, "it has started"),
    "ended": (None, "it does not wait (cancelled)"),
    "apart": (None, "it does not wait (held)"),
    "new": (None, "it becomes a candidate when others of its array have ended"),
    "waiting": (200.0, ""),
    "next": (200.0, ""),
    "array": (200.0, ""),
}
"""When it starts, and what is said beside that; None: it is not known when."""


@pytest.mark.parametrize("state", FORECASTS)
async def test_what_is_foretold_of_a_job_in_each_state(state: str) -> None:
    async with live() as story:
        await story.advance(100.0)
        number, index = await STATES[state](story)
        job = story.job(number)
        told = await forecast(story.core, job, job.element_of(index) or job.unheard(index))
        assert told.job_id == number
        start_s, reason = FORECASTS[state]
        assert (told.start_s if told.possible else None, told.reason) == (start_s, reason)
        assert told.started == (reason == "it has started")
        if told.started:
            assert told.earliest_s == told.latest_s == start_s
