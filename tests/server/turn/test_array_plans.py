"""How many elements of an array backfill plans, live: the starts are those of a replay of the same jobs."""

import numpy as np
import pytest

from molokini.model.machine import Machine, Node
from molokini.model.resources import Resource
from molokini.policies import load_policy
from molokini.sim.replay import Options, Replay
from tests.kit.live import live, nodes
from tests.kit.workloads import Job, with_arrays, workload_of


def replayed(parameters: dict[str, str]) -> list[float]:
    """Three processors come free at 600, one is idle; two elements on two each; a long job on one."""
    jobs = [Job(0, 600, 3, 600), Job(0, 10, 2, 600), Job(0, 10, 2, 600), Job(0, 10, 1, 1800)]
    policy = load_policy("slurm")
    machine = Machine.of_nodes([Node({Resource.PROCESSORS: 1.0})] * 4)
    work = with_arrays(workload_of(jobs), [0, 7, 7, 0])
    replay = Replay(work, machine, policy, policy.declaration.values(parameters), Options(interpreted=True))
    assert replay.run()
    starts: list[float] = replay.schedule().start_s.tolist()
    return starts


@pytest.mark.parametrize(("most", "early"), [("1", True), ("2", False)])
async def test_live_starts_are_those_of_a_replay(most: str, early: bool) -> None:
    plans = {
        "bf_interval_s": "10",
        "batch_sched_delay_s": "0",
        "completing_s": "0",
        "bf_max_job_array_resv": most,
    }
    async with live("slurm", offers=[nodes("n[1-4]", processors=1)], parameters=plans) as story:
        first = await story.submit(processors=3, run_s=600.0, estimate_s=600.0)
        array = await story.submit(processors=2, run_s=10.0, estimate_s=600.0, array={"first": 0, "last": 1})
        last = await story.submit(processors=1, run_s=10.0, estimate_s=1800.0)
        await story.advance(1000.0)
        found = [story.run(*which).start_s for which in ((first,), (array, 0), (array, 1), (last,))]
    assert (found[3] == 10.0) == early
    np.testing.assert_array_equal(found, replayed(plans))
