"""Controllers of target rates in a live server: measured, ordered, refused, and gone on with after a kill."""

from dataclasses import replace
from typing import Any

import pytest

from molokini.feedback.aims import Aim
from molokini.model.errors import BadInput, Conflict
from molokini.model.facts import NO_INDEX, JobAimed
from molokini.proto.v1.job_service_pb2 import ControlledJob
from molokini.proto.v1.jobs_pb2 import Rate
from molokini.server.link.controlling import RateControllers, controlled
from molokini.server.turn.aiming import AimJob, Asked
from molokini.server.turn.aiming_checks import check_submitted, rules_asked
from molokini.server.turn.changing import NotNow
from tests.kit.live import Story, again


async def real(story: Story, **spec: Any) -> int:
    """A job on nodes that are taken for real ones."""
    job = await story.submit(run_s=1000.0, estimate_s=2000.0, **spec)
    for record in story.state.machine.nodes:
        record.real = True
    return job


async def aim(story: Story, job: int, rate: str, full: float = 1.0) -> None:
    await story.do(AimJob(job, NO_INDEX, "root", Asked(rate, full), lambda: 7.0))


def controllers(story: Story) -> RateControllers:
    return RateControllers(story.core.reactor, lambda: 7.0)


def told(story: Story, made: RateControllers, job: int) -> ControlledJob:
    found = controlled(story.state, story.run(job), made.of((job, NO_INDEX)))
    assert found is not None
    return found


async def hear(story: Story, made: RateControllers, job: int, *reports: tuple[int, float]) -> None:
    for iteration, at_s in reports:
        made.hear(story.run(job), Rate(iteration=iteration, per_s=0.5, at_s=at_s))
        await story.advance(0.01)


async def test_the_full_rate_is_measured_and_the_pair_ordered(story: Story) -> None:
    job, made = await real(story, rate="50%"), controllers(story)
    await hear(story, made, job, (1, 10.0), (2, 12.0), (2, 13.0), (3, 14.0))
    assert not story.state.aims
    assert told(story, made, job).status == "measuring"
    await hear(story, made, job, (4, 16.0))
    found = story.state.aims[job, NO_INDEX]
    assert (found.full, found.target) == (0.5, 500_000)
    slicing = story.state.sliced[job, NO_INDEX]
    assert (slicing.period_s, slicing.slice_s, slicing.origin_s) == (0.2, 0.1, 7.0)
    assert slicing.real_time
    assert slicing.by_deadline


async def test_rates_that_are_off_are_ordered_and_those_within_are_not(story: Story) -> None:
    job, made = await real(story), controllers(story)
    await aim(story, job, "50%")
    await hear(story, made, job, (1, 10.0), (2, 12.0), (3, 14.0))
    assert len(story.journal.facts(JobAimed)) == 1
    await hear(story, made, job, (4, 15.0))
    assert story.state.sliced[job, NO_INDEX].period_s == 0.198
    found = told(story, made, job)
    assert (found.orders, found.status, len(found.reports)) == (2, "searching", 4)


async def test_a_killed_server_goes_on_controlling(story: Story) -> None:
    job, made = await real(story), controllers(story)
    await aim(story, job, "50%")
    await hear(story, made, job, (1, 10.0), (2, 11.0))
    before = story.state.aims[job, NO_INDEX]
    state = await again(story.journal)
    assert state.aims[job, NO_INDEX] == before
    assert state.sliced[job, NO_INDEX].period_s == 0.198


async def test_a_rate_without_room_changes_nothing(story: Story) -> None:
    first, second = await real(story), await real(story)
    story.state.cores = lambda name: 1
    await aim(story, first, "50%")
    await aim(story, second, "40%")
    with pytest.raises(Conflict, match="45% finds no room: there is 40% on"):
        await aim(story, second, "45%")
    with pytest.raises(Conflict):
        check_submitted(story.state, "20%", 0.0, len(story.state.machine.nodes))
    assert story.state.aims[second, NO_INDEX].rate == "40%"
    await aim(story, first, "30%")
    await aim(story, second, "45%")
    await aim(story, first, "")
    assert list(story.state.aims) == [(second, NO_INDEX)]
    assert (first, NO_INDEX) not in story.state.sliced


@pytest.mark.parametrize("rate", ["0.1%", "95%", "0.001/s"])
async def test_targets_that_cannot_be(story: Story, rate: str) -> None:
    job = await real(story)
    with pytest.raises(BadInput):
        await aim(story, job, rate)


async def test_emulated_jobs_have_no_rates(story: Story) -> None:
    job = await story.submit(run_s=10.0)
    with pytest.raises(NotNow, match="real nodes"):
        await aim(story, job, "50%")


def test_rules_that_are_asked_for() -> None:
    assert rules_asked(2.0, 0.1, 0.0, "model") == {"threshold": 20_000, "first_period": 10**8, "search": 2}
    for bad in ((-1.0, 0.0, 0.0, ""), (0.0, float("nan"), 0.0, ""), (0.0, 0.0, 0.0, "up")):
        with pytest.raises(BadInput):
            rules_asked(*bad)
    assert replace(Aim("50%"), full=2.0).rate_of(1.0) == 500_000
