"""Maui decides live by its configuration: limits and flags, partitions, deferred jobs."""

from pathlib import Path

import numpy as np
import pytest

from molokini.app.verifying import history_of, live_run, simulated_history
from molokini.model.actors import Origin
from molokini.model.facts import JobDeferred, JobHeld
from molokini.server.queries.explanations import explain
from molokini.server.turn.changing import DEFERRAL, Release
from molokini.server.turn.losing import LoseNodes
from molokini.server.turn.reporting import ReturnNodes
from tests.kit.live import Story, by_maui, live, nodes
from tests.kit.live_picture import assert_kept
from tests.kit.schedules import random_workload


def spread(story: Story, job: int) -> list[int]:
    """Processors of the job on each of its nodes."""
    return sorted((count for _, count in story.run(job).nodes), reverse=True)


async def test_maxprocpernode_spreads_a_job_and_follows_changeparam() -> None:
    async with live(**by_maui("USERCFG[ann] MAXPROCPERNODE=2")) as story:
        job = await story.submit(run_s=10.0, processors=5)
        assert spread(story, job) == [2, 2, 1]
        await story.advance(20.0)
        await story.change_maui("USERCFG[ann]", "MAXPROCPERNODE=3")
        job = await story.submit(run_s=10.0, processors=5)
        assert spread(story, job) == [3, 2]
        refused = await story.submit(run_s=10.0, processors=13)
        assert (story.status(refused), story.run(refused).why) == ("refused", "never placeable")
        await assert_kept(story)


async def test_noqueue_starts_at_once_or_goes_as_long_as_it_is_said() -> None:
    async with live(**by_maui("GROUPCFG[now] FLAGS=NOQUEUE")) as story:
        first = await story.submit(run_s=10.0, processors=12, group="now")
        second = await story.submit(run_s=10.0, processors=12, group="now")
        assert [story.status(job) for job in (first, second)] == ["running", "refused"]
        assert story.run(second).why == "not at once"
        await story.change_maui("GROUPCFG[now]", "FLAGS=PREEMPTEE")
        third = await story.submit(run_s=10.0, processors=12, group="now")
        assert story.status(third) == "waiting"
        await assert_kept(story)


async def test_jobs_give_way_to_a_job_of_a_preemptors_group() -> None:
    lines = "PREEMPTPOLICY SUSPEND\nGROUPCFG[weak] FLAGS=PREEMPTEE\nGROUPCFG[strong] FLAGS=PREEMPTOR"
    async with live(**by_maui(lines)) as story:
        weak = await story.submit(run_s=100.0, processors=16, group="weak")
        await story.advance(1.0)
        strong = await story.submit(run_s=10.0, processors=8, group="strong")
        assert [story.status(job) for job in (weak, strong)] == ["suspended", "running"]
        await assert_kept(story)


# Partitions.


HALVES = """
NODECFG[n2] PARTITION=old
NODECFG[n9] PARTITION=new
USERCFG[ann] PLIST=old
USERCFG[eve] PLIST=new
USERCFG[cy]  PDEF=old
"""


def where(story: Story, job: int) -> list[str]:
    return [story.state.machine.nodes[number].name for number, _ in story.run(job).nodes]


async def test_no_job_spans_partitions_and_lists_say_which_users_may_be_where() -> None:
    async with live("maui", [nodes("n[1-3]", 4)]) as story:
        await story.choose("maui", {"maui_config": HALVES})
        theirs = await story.submit(user="ann", processors=3, run_s=50.0)
        waits = await story.submit(user="ann", processors=2, run_s=50.0)
        wide = await story.submit(user="ann", processors=5, run_s=50.0)
        first = await story.submit(user="cy", processors=1, run_s=50.0)
        others = await story.submit(user="cy", processors=8, run_s=50.0)
        assert where(story, theirs) == ["n2"]
        assert where(story, first) == ["n2"], "it tries old before the others"
        assert sorted(where(story, others)) == ["n1", "n3"]
        assert (story.status(waits), story.status(wide)) == ("waiting", "refused")
        found = explain(story.core, story.job(waits), story.run(waits))
        assert found.rule == "reserved-later"
        await assert_kept(story)
        await story.advance(60.0)
        assert story.run(waits).start_s == 50.0


async def test_a_job_that_waits_for_a_partition_without_nodes_starts_when_they_come() -> None:
    async with live("maui", [nodes("n[1-2]", 4)]) as story:
        await story.choose("maui", {"maui_config": HALVES})
        job = await story.submit(user="eve", processors=3, run_s=50.0)
        found = explain(story.core, story.job(job), story.run(job))
        assert (found.rule, found.limit) == ("wider-than-partitions", 0.0)
        assert "in service in one partition that it may use" in found.text
        await story.submit(user="bob", processors=1, run_s=50.0)
        await story.join_beside([nodes("n[8-9]", 4)], "more")
        await story.settled()
        assert where(story, job) == ["n9"]
        # Everything that names a node of it has come: who is too wide now is so for good.
        wide = await story.submit(user="eve", processors=5, run_s=50.0)
        assert story.status(wide) == "refused"


async def test_changed_partitions_count_from_the_next_iteration_on() -> None:
    async with live("maui", [nodes("n[1-2]", 4)]) as story:
        await story.choose("maui", {"maui_config": HALVES})
        across = await story.submit(user="bob", processors=4, run_s=50.0)
        waits = await story.submit(user="ann", processors=4, run_s=500.0)
        third = await story.submit(user="ann", processors=3, run_s=500.0)
        assert (where(story, across), where(story, waits)) == (["n1"], ["n2"])
        await story.advance(60.0)
        assert story.status(third) == "waiting"
        found = explain(story.core, story.job(third), story.run(third))
        assert found.rule == "reserved-later"
        await story.change_maui("USERCFG[ann]", "PLIST=DEFAULT")
        assert where(story, third) == ["n1"]
        wide = await story.submit(user="ann", processors=5, run_s=5.0)
        assert story.status(wide) == "refused"
        # Without partitions jobs span nodes again, and what runs goes on where it is.
        await story.choose("maui", {"maui_config": "BACKFILLPOLICY FIRSTFIT"})
        across = await story.submit(user="bob", processors=1, run_s=5.0)
        assert (where(story, across), where(story, third)) == (["n1"], ["n1"])
        await story.advance(600.0)
        wide = await story.submit(user="bob", processors=8, run_s=5.0)
        assert sorted(where(story, wide)) == ["n1", "n2"]
        await assert_kept(story)


async def test_a_server_that_starts_again_keeps_to_partitions() -> None:
    async with live("maui", [nodes("n[1-2]", 4)]) as story:
        await story.choose("maui", {"maui_config": HALVES})
        await story.submit(user="ann", processors=4, run_s=500.0)
        waits = await story.submit(user="ann", processors=4, run_s=50.0)
        journal = story.journal
    async with live("maui", [nodes("n[1-2]", 4)], journal) as story:
        await story.settled()
        assert story.status(waits) == "waiting", "though n1 is idle"
        await story.advance(600.0)
        assert where(story, waits) == ["n2"]


async def test_a_partition_whose_nodes_are_down_keeps_no_other_job_waiting() -> None:
    async with live("maui", [nodes("n[1-2]", 4)]) as story:
        await story.choose("maui", {"maui_config": HALVES})
        await story.do(LoseNodes(["n2"], "root", "given up"))
        waits = await story.submit(user="ann", processors=2, run_s=50.0)
        other = await story.submit(user="bob", processors=4, run_s=50.0, estimate_s=5000.0)
        assert (story.status(waits), where(story, other)) == ("waiting", ["n1"])
        found = explain(story.core, story.job(waits), story.run(waits))
        assert (found.rule, found.limit) == ("wider-than-partitions", 0.0)
        await story.do(ReturnNodes(["n2"], "root"))
        assert where(story, waits) == ["n2"]


# Deferred jobs.


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


async def test_a_job_that_needs_more_than_is_up_is_deferred_but_not_for_nodes_that_have_never_come() -> None:
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


@pytest.mark.quick(one_in=3)
@pytest.mark.parametrize(
    ("count", "timer"),
    [(2, ""), (24, ""), (24, "RMPOLLINTERVAL 1000:00:00\n")],
)
async def test_live_and_simulated_are_equal_with_deferrals(tmp_path: Path, count: int, timer: str) -> None:
    workload = random_workload(60, 16, seed=3)
    file = tmp_path / "maui.cfg"
    file.write_text(
        "AMCFG[bank] TYPE=FILE\nRESERVATIONPOLICY HIGHEST\nSYSCFG ADEF=all\n"
        f"DEFERTIME 10:00\nDEFERCOUNT {count}\n"
        "ACCOUNTCFG[all] ALLOCATION=100000\n"
        f"{timer}"
    )
    await live_run(workload, 16, "maui", tmp_path / "state", config=str(file))
    found = await history_of(tmp_path / "state", len(workload))
    assert not any(found.differences(simulated_history(workload, 16, "maui", str(file))).values())
    assert np.isnan(found.start_s).any(), "nobody waited for money"
    file.write_text(file.read_text().replace("DEFERTIME 10:00", "DEFERTIME 0"))
    assert found.differences(simulated_history(workload, 16, "maui", str(file)))["start_s"] > 0
