"""The state that a server hands out: run on with true run times it becomes what the server becomes."""

import base64
import json
import random
from pathlib import Path

import numpy as np
import pytest

from molokini.client.errors import NotAllowed
from molokini.experiments.whatif import Question, scenarios_of
from molokini.server.queries.present_state import present_of
from molokini.server.security.roles import Role
from molokini.whatif.drawing import Draw, no_arrivals
from molokini.whatif.present import Present
from molokini.whatif.scenarios import outcome
from tests.kit.live import Story, live
from tests.kit.serving import served

JOBS = 40


async def crowd(story: Story, seed: int) -> dict[int, float]:
    """Jobs of which few run at a time; the true run time of each."""
    draw, runs = random.Random(seed), dict[int, float]()
    for _ in range(JOBS):
        estimate_s = float(draw.randint(20, 400))
        run_s = float(draw.choice([draw.randint(1, 20), estimate_s, estimate_s / 3]))
        number = await story.submit(processors=draw.randint(1, 10), estimate_s=estimate_s, run_s=run_s)
        runs[number] = min(run_s, estimate_s)
        if draw.random() < 0.3:
            await story.advance(float(draw.randint(1, 30)))
    return runs


def present(story: Story) -> Present:
    """The state of *story*, through the bytes that a caller gets."""
    running = story.core.reactor.running_policy
    now_s = max(story.core.clock.now(), story.state.now)
    return Present.from_bytes(present_of(story.state, now_s, running.policy.origin, running.given).to_bytes())


@pytest.mark.quick(one_in=5)
@pytest.mark.parametrize("seed", [1, 2, 3])
@pytest.mark.parametrize("policy", ["easy", "fcfs", "sjf", "conservative", "easy-depth", "firstfit"])
async def test_true_run_times_give_the_servers_later_starts_to_the_bit(policy: str, seed: int) -> None:
    async with live(policy) as story:
        runs = await crowd(story, seed)
        await story.advance(77.0)
        found = present(story)
        assert found.waiting > 5
        run_s = np.array([runs[int(name)] for name in found.jobs])
        [as_it_is] = scenarios_of(found, Question())
        ahead = outcome(found, as_it_is, Draw(run_s, no_arrivals()), np.inf)
        await story.advance(100_000.0)
        for name, start_s, end_s in zip(found.jobs, ahead.start_s, ahead.end_s, strict=True):
            element = story.run(int(name))
            assert (element.start_s, element.end_s) == (start_s, end_s), name


async def test_what_it_holds() -> None:
    async with live("easy") as story:
        first = await story.submit(processors=10, estimate_s=100.0, run_s=50.0, user="bob")
        await story.advance(60.0)
        second = await story.submit(processors=16, estimate_s=100.0)
        third = await story.submit(processors=1, estimate_s=100.0)
        held = await story.submit(processors=1)
        await story.hold(held)
        found = present(story)
        assert found.jobs == (str(third), str(second)) or found.jobs == (str(third), str(second))[::-1]
        assert (found.now_s, found.policy, found.left_out) == (60.0, "easy", 1)
        assert found.nodes == ("n1", "n2", "n3", "n4")
        past = found.past
        assert [past.submit_s[0], past.start_s[0], past.end_s[0]] == [0.0, 0.0, 50.0]
        assert (past.processors[0], past.estimate_s[0]) == (10, 100.0)
        assert found.names[past.user[0]] == "bob"
        assert story.job(first).id == 1


async def test_operators_get_it_and_users_do_not(tmp_path: Path) -> None:
    async with served(tmp_path) as one:
        async with one.client("ann", Role.USER) as ann:
            await ann.submit(processors=4, estimate_s=100)
            with pytest.raises(NotAllowed, match="role operator"):
                await ann.report("state")
        async with one.client("root", Role.OPERATOR) as root:
            told = await root.report("state")
    assert json.loads(json.dumps(told))["schema"] == "molokini.state/1"
    assert Present.from_bytes(base64.b64decode(told["state"])).jobs == ("1",)
