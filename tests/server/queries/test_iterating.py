"""What an iteration of Maui decides is told at its step, with the reason, and nothing is done."""

import pytest

from molokini.model.site import CONFIGURATION
from molokini.server.queries.iterating import traced
from tests.kit.live import live

CONFIG = """
DEFERTIME 100
DEFERCOUNT 2
SYSTEMMAXPROCPERJOB 12
RESERVATIONDEPTH 1
QUEUETIMEWEIGHT 1
AMCFG[bank] TYPE=FILE
ACCOUNTCFG[physics] ALLOCATION=100000
ACCOUNTCFG[poor] ALLOCATION=1
"""


async def test_every_decision_is_told_at_its_step_with_its_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    async with live("maui", parameters={CONFIGURATION: CONFIG}) as story:
        # Nobody decides until all are there.
        monkeypatch.setattr(story.core.reactor.running_policy, "decide", lambda state, now: [])
        for processors, estimate_s, account in (
            (10, 100.0, "physics"),
            (12, 100.0, "physics"),
            (13, 100.0, "physics"),
            (8, 300.0, "physics"),
            (2, 50.0, "physics"),
            (3, 50.0, "poor"),
        ):
            await story.submit(processors=processors, estimate_s=estimate_s, account=account)
        await story.advance(10.0)
        serial = story.state.serial
        told = traced(story.core)
        assert told.now_s == 10.0
        counts = {one.what: one.count for step in told.steps for one in step.counts if one.count}
        assert counts == {
            "jobs-waiting": 6,
            "processors-free": 16,
            "prioritized": 6,
            "eligible-soft": 4,
            "ineligible": 1,
            "priority-started": 1,
            "reserved": 1,
            "soft-windows": 2,
            "soft-backfilled": 1,
            "hard-windows": 1,
        }
        weighed = [one.job_id for one in told.steps[4].jobs if one.decision == "weigh"]
        assert weighed == [1, 2, 3, 4, 5, 6]
        lines = {
            (step.number, one.job_id, one.decision): one.reason
            for step in told.steps
            for one in step.jobs
            if one.decision != "weigh"
        }
        assert lines == {
            (4, 3, "refuse"): "it asks for more than the limit for one job",
            (4, 6, "defer"): "until 110 s: no account could pay for it",
            (4, 6, "wait"): "150 processor-seconds are needed, its account has 1 beyond its liens",
            (6, 1, "start"): "the next by priority, and there is room",
            (6, 2, "reserve"): "at 110 s",
            (7, 5, "start"): "it fits a window and delays no reservation",
            (8, 2, "wait"): "it has a reservation at 110 s",
            (8, 4, "wait"): "8 processors are requested, 4 are free",
        }
        assert {one.array_index for step in told.steps for one in step.jobs} == {-1}
        assert {one.priority for step in told.steps for one in step.jobs} == {1.0}
        assert story.state.serial == serial
        assert {story.status(number) for number in story.state.jobs} == {"waiting"}
