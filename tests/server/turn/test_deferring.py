"""Deferred jobs of a live cluster: until when, released by operators, held at last; and a recovery."""

from pathlib import Path

import numpy as np
import pytest

from molokini.app.verifying import history_of, live_run, simulated_history
from molokini.model.actors import Origin
from molokini.model.facts import JobDeferred, JobHeld, JobReleased
from molokini.server.queries.explanations import explain
from molokini.server.turn.changing import DEFERRAL, Release
from molokini.server.turn.losing import LoseNodes
from molokini.server.turn.reporting import ReturnNodes
from tests.kit.live import Story, by_maui, live
from tests.kit.live_picture import assert_kept
from tests.kit.schedules import random_workload

RULES = """
AMCFG[bank] TYPE=FILE
ACCOUNTCFG[physics] ALLOCATION=120
DEFERTIME 100
DEFERCOUNT 2
"""


async def poor(story: Story) -> int:
    """A job that has to wait for what another job gives back."""
    await story.submit(run_s=10.0, estimate_s=20.0, processors=4, account="physics")
    return await story.submit(run_s=10.0, estimate_s=20.0, processors=4, account="physics")


async def test_a_deferred_job_is_looked_at_when_its_time_is_over() -> None:
    async with live(**by_maui(RULES)) as story:
        job = await poor(story)
        [fact] = story.journal.facts(JobDeferred)
        assert (fact.job, fact.until_s, fact.rule) == (job, 100.0, "cannot-debit-account")
        await assert_kept(story, by_snapshot=True)
        await story.advance(50.0)
        told = explain(story.core, story.job(job), story.run(job))
        assert (told.rule, told.limit) == ("deferred", 100.0)
        assert told.text == "it is deferred until 100 s: no account could pay for it"
        assert story.status(job) == "waiting"
        await story.advance(50.0)
        assert (story.status(job), story.run(job).start_s) == ("running", 100.0)
        await assert_kept(story, by_snapshot=True)


async def test_an_operators_release_ends_a_deferral_and_a_users_does_not() -> None:
    async with live(**by_maui(RULES)) as story:
        job = await poor(story)
        await story.advance(15.0)
        await story.hold(job)
        await story.release(job)
        assert story.status(job) == "waiting"
        await story.do(Release(job, "root", ["operator", DEFERRAL]))
        assert story.journal.facts(JobReleased)[-1].holds == (DEFERRAL,)
        assert story.status(job) == "running"
        await assert_kept(story, by_snapshot=True)


async def test_more_deferrals_than_defercount_are_a_hold_that_is_released() -> None:
    async with live(**by_maui(RULES)) as story:
        job = await story.submit(run_s=10.0, estimate_s=500.0, account="physics")
        await story.advance(250.0)
        [held] = story.journal.facts(JobHeld)
        assert (held.job, held.hold, held.by) == (job, "system", Origin.POLICY)
        assert held.reason == "deferred too often: no account could pay for it"
        assert story.status(job) == "held"
        told = explain(story.core, story.job(job), story.run(job))
        assert (told.rule, told.text) == ("held", f"held by system: {held.reason}")
        await assert_kept(story, by_snapshot=True)
        await story.do(Release(job, "root", ["system", DEFERRAL]))
        await story.advance(1.0)
        assert len(story.journal.facts(JobDeferred)) == 3
        assert story.state.tables.jobs.deferrals[story.run(job).row] == 1
        await assert_kept(story, by_snapshot=True)


async def test_elements_of_an_array_are_deferred_and_held_each_by_itself() -> None:
    async with live(**by_maui(RULES)) as story:
        job = await story.submit(
            run_s=60.0, estimate_s=100.0, account="physics", array={"first": 1, "last": 3}
        )
        await story.advance(20.0)
        assert sorted(fact.index for fact in story.journal.facts(JobDeferred)) == [2, 3]
        await story.advance(300.0)
        assert sorted(fact.index for fact in story.journal.facts(JobHeld)) == [2, 3]
        await assert_kept(story, by_snapshot=True)
        await story.do(Release(job, "root", ["system", DEFERRAL], 2))
        await story.advance(1.0)
        assert (story.status(job, 2), story.status(job, 3)) == ("waiting", "held")
        await assert_kept(story, by_snapshot=True)


async def test_who_wants_more_than_is_up_is_deferred_but_not_for_nodes_that_have_never_come() -> None:
    async with live(**by_maui(RULES + "SYSCFG ADEF=all\nACCOUNTCFG[all] ALLOCATION=INFINITY\n")) as story:
        names = [node.name for node in story.state.machine.nodes]
        await story.do(LoseNodes(names[:2], "root", ""))
        job = await story.submit(run_s=10.0, estimate_s=20.0, processors=12)
        [fact] = story.journal.facts(JobDeferred)
        assert fact.rule == "not-enough-free"
        await story.do(ReturnNodes(names[:2], "root"))
        assert story.status(job) == "waiting"
        await story.advance(100.0)
        assert story.status(job) == "running"
        await assert_kept(story, by_snapshot=True)


async def test_changeparam_counts_from_the_next_deferral_on() -> None:
    async with live(**by_maui(RULES)) as story:
        job = await poor(story)
        for name, value in (("DEFERTIME", "30"), ("DEFERCOUNT", "1")):
            await story.change_maui(name, value)
        await story.advance(20.0)
        late = await story.submit(run_s=1.0, estimate_s=500.0, account="physics")
        assert story.journal.facts(JobDeferred)[-1].until_s == 50.0
        await story.advance(40.0)
        assert (story.status(late), story.status(job)) == ("held", "waiting")


@pytest.mark.parametrize(
    ("count", "timer"),
    [(2, ""), (24, ""), (24, "RMPOLLINTERVAL 1000:00:00\n")],
)
async def test_live_and_simulated_are_equal_with_deferrals(tmp_path: Path, count: int, timer: str) -> None:
    workload = random_workload(120, 16, seed=3)
    file = tmp_path / "maui.cfg"
    file.write_text(
        "AMCFG[bank] TYPE=FILE\nRESERVATIONPOLICY HIGHEST\nSYSCFG ADEF=all\n"
        f"DEFERTIME 10:00\nDEFERCOUNT {count}\n"
        "ACCOUNTCFG[all] ALLOCATION=200000\n"
        f"{timer}"
    )
    await live_run(workload, 16, "maui", tmp_path / "state", maui_config=str(file))
    found = await history_of(tmp_path / "state", len(workload))
    assert not any(found.differences(simulated_history(workload, 16, "maui", str(file))).values())
    assert np.isnan(found.start_s).any(), "nobody waited for money"
    file.write_text(file.read_text().replace("DEFERTIME 10:00", "DEFERTIME 0"))
    assert found.differences(simulated_history(workload, 16, "maui", str(file)))["start_s"] > 0
