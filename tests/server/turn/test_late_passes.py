"""Passes that the policy slurm asks for are made a little late by a server whose clock runs by itself."""

import pytest

from molokini.model.site import CONFIGURATION
from molokini.server.state.queues import Queue
from molokini.server.turn.reactor import Reactor
from tests.kit.live import live, nodes

CONF = """\
ClusterName=tiny
SchedulerParameters=bf_interval=10,batch_sched_delay=3,sched_interval=60
NodeName=n1 CPUs=8
PartitionName=all Nodes=n1 Default=YES
"""
LATE_S = 0.001


@pytest.fixture
def late(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each pass that is asked for is made a millisecond after its instant."""
    prompt = Reactor._pass

    async def late_pass(reactor: Reactor, now: float) -> int:
        count = await prompt(reactor, now)
        reactor.wake_s += LATE_S
        return count

    monkeypatch.setattr(Reactor, "_pass", late_pass)


@pytest.mark.usefixtures("late")
async def test_a_pass_that_is_due_while_jobs_wait_is_made() -> None:
    """A job that fits starts by the next main pass; one that delays none goes first by backfill."""
    offers, parameters = [nodes("n1", processors=8)], {CONFIGURATION: CONF}
    async with live(policy="slurm", offers=offers, parameters=parameters, queues=(Queue("all"),)) as story:
        first = await story.submit(processors=4, estimate_s=300.0, run_s=300.0)
        await story.advance(2.0)
        second = await story.submit(processors=2, estimate_s=300.0, run_s=300.0)
        await story.advance(2.0)
        assert [story.status(job) for job in (first, second)] == ["running", "running"]
        whole = await story.submit(processors=8, estimate_s=300.0, run_s=300.0)
        small = await story.submit(processors=2, estimate_s=60.0, run_s=60.0)
        await story.advance(15.0)
        assert [story.status(job) for job in (whole, small)] == ["waiting", "running"]
