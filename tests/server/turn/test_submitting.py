"""What is taken and what is refused when jobs are submitted, alone and in batches."""

from typing import Any

import pytest

from molokini.model.errors import BadValue, UnknownName
from molokini.model.facts import JobsSubmitted
from molokini.server.server import recovered
from molokini.server.turn.checks import Limits
from molokini.server.turn.submitting import Submit
from tests.kit.live import Story, live, nodes, spec_of
from tests.kit.live_picture import assert_sound


@pytest.mark.parametrize(
    ("wish", "field"),
    [
        ({"processors": 17}, "processors"),
        ({"processors": -1}, "processors"),
        ({"processors": 2**31}, "processors"),
        ({"processors": 2**63 - 1}, "processors"),
        ({"nodes": 10**9}, "processors"),
        ({"nodes": -1}, "nodes"),
        ({"nodes": 3, "processors": 4}, "processors"),
        ({"processors": 6, "processors_per_node": 4}, "processors"),
        ({"processors_per_node": -1}, "processors_per_node"),
        ({"nodes": 1, "processors_per_node": 5}, "resources.processors_per_node"),
        ({"nodes": 5}, "resources"),
        ({"memory_kb": 1001}, "resources.memory_kb"),
        ({"memory_kb": -1}, "memory_kb"),
        ({"memory_kb": 2**63 - 1}, "memory_kb"),
        ({"generic": {"gpu": 3}}, "resources.generic.gpu"),
        ({"generic": {"gpu": -1}}, "generic.gpu"),
        ({"estimate_s": -5.0}, "estimate_s"),
        ({"estimate_s": float("nan")}, "estimate_s"),
        ({"estimate_s": float("inf")}, "estimate_s"),
        ({"begin_at_s": float("nan")}, "begin_at_s"),
        ({"begin_at_s": -1.0}, "begin_at_s"),
        ({"deadline_s": float("inf")}, "deadline_s"),
        ({"user_priority": 1}, "user_priority"),
        ({"user_priority": -1025}, "user_priority"),
        ({"run_s": float("nan")}, "outcome.run_s"),
        ({"run_s": -1.0}, "outcome.run_s"),
        ({"outcome": {"exit_code": 256}}, "outcome.exit_code"),
        ({"outcome": {"signal": 65}}, "outcome.signal"),
        ({"array": {"first": 5, "last": 1}}, "array"),
        ({"array": {"first": 0, "last": 999_999_999}}, "array"),
        ({"array": {"first": 1, "last": 9, "step": -1}}, "array.step"),
        ({"array": {"first": -1, "last": 9}}, "array"),
        ({"array": {"first": 1, "last": 9, "running_limit": -1}}, "array.running_limit"),
    ],
)
async def test_what_can_never_be_is_refused_with_the_field(wish: dict[str, Any], field: str) -> None:
    async with live(offers=[nodes("n[1-4]", 4, memory_kb=1000, generic={"gpu": 2})]) as story:
        before = story.journal.last_serial
        with pytest.raises(BadValue) as refused:
            await story.submit(**wish)
        assert refused.value.field == field
        assert story.journal.last_serial == before
        assert_sound(story.state)


async def test_names_that_no_node_knows_are_refused(story: Story) -> None:
    for wish in ({"features": ["fast"]}, {"generic": {"gpu": 1}}):
        with pytest.raises(UnknownName):
            await story.submit(**wish)


async def test_memory_generic_resources_and_features_decide_where_a_job_goes() -> None:
    machine = [
        nodes("big", 8, memory_kb=8000, generic={"gpu": 2}, features=["fast"]),
        nodes("small[1-2]", 8, memory_kb=1000),
    ]
    async with live("firstfit", machine) as story:
        place: dict[str, set[int]] = {}
        wishes: dict[str, dict[str, Any]] = {
            "memory": {"processors": 2, "memory_kb": 2000},
            "gpu": {"processors": 1, "generic": {"gpu": 2}},
            "feature": {"processors": 3, "features": ["fast"]},
            "second gpu": {"processors": 1, "generic": {"gpu": 1}},
            "more memory": {"processors": 2, "memory_kb": 2500},
            "little memory": {"processors": 2, "memory_kb": 600},
        }
        for name, wish in wishes.items():
            job = await story.submit(run_s=10.0, **wish)
            place[name] = {node for node, _ in story.run(job).nodes}
        assert place["memory"] == place["gpu"] == place["feature"] == {0}
        assert place["second gpu"] == place["more memory"] == set()
        assert place["little memory"]
        assert_sound(story.state)
        await story.advance(10.0)
        assert story.status(4) == "running"


async def test_a_submission_key_gives_one_job_whenever_it_comes_again(story: Story) -> None:
    spec = spec_of(submission_key="k", held=True)
    posts = [story.core.reactor.post(Submit("ann", [spec, spec], Limits())) for _ in range(3)]
    answers = [await post for post in posts]
    assert answers == 3 * [[1, 1]]
    assert await story.submit(submission_key="k") == 1
    assert await story.submit("bob", submission_key="k") == 2
    assert sum(len(fact.specs) for fact in story.journal.facts(JobsSubmitted)) == 2
    await story.cancel(1)
    assert await story.submit(submission_key="k") == 1
    assert (await recovered(story.journal)).keys == {("ann", "k"): 1, ("bob", "k"): 2}


async def test_one_bad_job_of_a_batch_does_not_keep_its_neighbours_out(story: Story) -> None:
    answers = await story.submit_many([spec_of(), spec_of(processors=99), spec_of()])
    assert answers[0] == 1
    assert isinstance(answers[1], BadValue)
    assert answers[2] == 2
