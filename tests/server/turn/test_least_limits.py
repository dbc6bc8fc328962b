"""Jobs that accept a shorter limit, live; and the age of a job that had to wait for another."""

import pytest

from molokini.model.errors import BadValue
from molokini.model.job_specs import JobSpec
from molokini.policies.slurm.knowledge.kept_state import mine
from molokini.server.turn.changing import Alter
from tests.kit.live import Story, live, nodes
from tests.kit.live_picture import assert_kept

PLANS = {"bf_interval_s": "10", "batch_sched_delay_s": "0", "completing_s": "0"}


def limits(story: Story, job: int) -> tuple[float, float, float]:
    """The limit of an element, of its row, and what the row asked for (0: the same)."""
    run, t = story.run(job), story.state.tables
    return run.limit_s, float(t.jobs.estimate_s[run.row]), float(t.jobs.asked_s[run.row])


async def planned(story: Story) -> int:
    """A job of ten minutes, which accepts one, on processors that a plan needs in less than four minutes."""
    await story.submit(processors=3, run_s=25.0, estimate_s=240.0)
    await story.submit(processors=4, run_s=10.0, estimate_s=300.0)
    job = await story.submit(processors=1, run_s=1000.0, estimate_s=600.0, least_estimate_s=60.0)
    await story.advance(15.0)
    return job


async def test_the_limit_of_a_start_is_kept_and_ends_the_job() -> None:
    async with live("slurm", offers=[nodes("n[1-4]", processors=1)], parameters=PLANS) as story:
        job = await planned(story)
        assert limits(story, job) == (180.0, 180.0, 600.0)
        # The journal and a snapshot bring back limit and row.
        await assert_kept(story, by_snapshot=True)
        await story.advance(200.0)
        assert story.status(job) == "timed-out"
        # The limit from its start, at 10, on.
        assert (story.run(job).start_s, story.run(job).end_s) == (10.0, 190.0)
        await assert_kept(story, by_snapshot=True)


async def test_another_estimate_of_a_running_job_takes_the_place_of_its_limit() -> None:
    async with live("slurm", offers=[nodes("n[1-4]", processors=1)], parameters=PLANS) as story:
        job = await planned(story)
        remark: JobSpec = {"comment": "nothing else"}
        await story.do(Alter(job, "root", remark, story.limits, operator=True))
        assert limits(story, job) == (180.0, 180.0, 600.0)
        longer: JobSpec = {"estimate_s": 300.0}
        await story.do(Alter(job, "root", longer, story.limits, operator=True))
        assert limits(story, job) == (0.0, 300.0, 0.0)
        await assert_kept(story, by_snapshot=True)
        await story.advance(280.0)
        assert story.status(job) == "running"
        await story.advance(20.0)
        assert story.status(job) == "timed-out"


async def test_a_least_limit_is_no_longer_than_the_estimate() -> None:
    async with live() as story:
        with pytest.raises(BadValue, match=r"least_estimate_s.*at most estimate_s, 60"):
            await story.submit(estimate_s=60.0, least_estimate_s=61.0)


async def test_case_34_a_dependent_job_ages_from_its_release_and_at_the_next_calculation() -> None:
    aging = {**PLANS, "priority_weight_age": "604800", "priority_calc_period_s": "300", "bf_interval_s": "-1"}
    async with live("slurm", offers=[nodes("n[1-4]", processors=1)], parameters=aging) as story:
        first = await story.submit(processors=4, run_s=500.0, estimate_s=1000.0)
        await story.submit(processors=4, run_s=1000.0, estimate_s=1000.0)
        after = await story.submit(
            processors=1, run_s=5.0, estimate_s=60.0, dependencies=[{"kind": "AFTER_OK", "job_id": first}]
        )
        other = await story.submit(processors=4, run_s=5.0, estimate_s=60.0)
        await story.advance(500.0)
        assert story.status(first) == "completed"
        assert (eligible_s(story, after), eligible_s(story, other)) == (500.0, 0.0)
        # A point of age a second: none at the release, and at the next calculation what has passed since.
        assert priorities(story)[after] == 1.0
        await story.advance(99.0)
        assert priorities(story)[after] == 1.0
        await story.advance(1.0)
        assert (priorities(story)[after], priorities(story)[other]) == (100.0, 600.0)
        await story.advance(300.0)
        assert (priorities(story)[after], priorities(story)[other]) == (400.0, 900.0)


def eligible_s(story: Story, job: int) -> float:
    """Since when the age of a job counts."""
    return float(mine(story.state.tables).accrue_s[story.run(job).row])


def priorities(story: Story) -> dict[int, float]:
    """The priority of each job that waits."""
    t = story.state.tables
    count = t.site.attempts.count
    rows = (t.site.attempts.what[:count] // 64).tolist()
    return {int(t.jobs.number[row]): float(key) for row, key in zip(rows, t.site.attempts.key, strict=False)}
