"""Jobs that are promised a start: the promise is a fact when it is made or moved, and only then."""

from typing import Any

import pytest

from molokini.applications.divisible import Costs
from molokini.model.facts import JobMolded, JobReserved
from molokini.server.turn.changing import Alter
from tests.kit.live import live
from tests.kit.live_picture import assert_kept


@pytest.mark.parametrize("policy", ["conservative", "conservative-worstfit", "edf-opr-mn"])
async def test_a_promise_that_nothing_can_better_is_journalled_once(policy: str) -> None:
    async with live(policy) as story:
        await story.submit(processors=8, run_s=100.0, estimate_s=100.0)
        # Two that end early, each followed by a pass that looks for earlier starts.
        for run_s in (10.0, 20.0):
            await story.submit(processors=4, run_s=run_s, estimate_s=90.0)
        wide = await story.submit(processors=16, run_s=5.0, estimate_s=5.0)
        await story.advance(30.0)
        narrow = await story.submit(processors=4, run_s=5.0, estimate_s=80.0)
        await story.advance(200.0)
        reserved = [(fact.job, fact.start_s) for fact in story.journal.facts(JobReserved)]
        assert reserved == [(wide, 100.0), (narrow, 105.0)]
        assert story.run(wide).start_s == 100.0


async def test_nodes_that_a_load_keeps_are_journalled_once() -> None:
    def load(size: float, deadline_s: float) -> dict[str, Any]:
        wanted = {"load": size, "send_s": 1.0, "compute_s": 100.0, "deadline_after_s": deadline_s}
        return {"divisible": wanted, "estimate_s": 0.0}

    all_s, four_s = (Costs(1.0, 100.0).execution_s("opr", size, n) for size, n in ((100.0, 16), (10.0, 4)))
    async with live("edf-opr-mn") as story:
        first = await story.submit(**load(100.0, all_s))
        second = await story.submit(**load(10.0, all_s + four_s))
        for _ in range(3):
            await story.advance(1.0)
            await story.submit(run_s=1.0, estimate_s=1.0)
        await story.advance(2 * all_s)
        expected = [(first, 16), (second, 4)]
        assert [(fact.job, fact.processors) for fact in story.journal.facts(JobMolded)] == expected
        assert (story.status(first), story.status(second)) == ("completed", "completed")


async def test_a_plan_follows_a_running_job_whose_estimate_is_lengthened() -> None:
    async with live("conservative") as story:
        runs = await story.submit(processors=16, estimate_s=100.0)
        waits = await story.submit(processors=16, estimate_s=100.0)
        assert story.run(waits).reserved_s == 100.0
        await story.do(Alter(runs, "root", {"estimate_s": 150.0}, story.limits, True))
        assert story.run(waits).reserved_s == 150.0
        await assert_kept(story)
