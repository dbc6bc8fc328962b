"""A batch accepted together leaves what its jobs leave that are looked at one by one, to the last byte."""

import asyncio
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from molokini.model.canonical import form_of, text_of
from molokini.proto.v1 import jobs_pb2
from molokini.proto.v1.job_service_pb2 import SubmitManyRequest
from molokini.server.server import recovered
from molokini.server.services.batching import batch_from_wire
from molokini.server.state.queues import Queue
from molokini.server.translate import spec_from_wire
from molokini.server.turn.asked import AskedBatch
from molokini.server.turn.checks import Limits
from molokini.server.turn.operating import SetQueue
from molokini.server.turn.submitting import Submit
from tests.kit.live import Story, live, nodes
from tests.kit.live_picture import assert_kept, assert_same, picture

QUEUES = (
    Queue("small", max_estimate_s=60.0, max_processors=2, max_jobs_per_user=9),
    Queue("narrow", max_running_per_user=2, default_estimate_s=30.0),
    Queue("stopped", started=False),
    Queue("bound", nodes=("n1",)),
    Queue("theirs", users=("bob",)),
)

LIMITS = Limits(script_bytes=30, text_characters=20, most_estimate_s=1000.0, jobs_per_user=30)

names = st.sampled_from(["a", "b", 'a "quote" %s', "é", "x" * 20])


@st.composite
def jobs(draw: st.DrawFn) -> list[jobs_pb2.JobSpec]:
    """Jobs that mostly agree, each field now and then another; few of them are refused."""
    shared = draw(st.lists(st.sampled_from(SHARED), max_size=2))
    varied = draw(st.lists(st.sampled_from(OWN), min_size=1, max_size=4, unique=True))
    made = []
    for place in range(draw(st.integers(4, 8))):
        spec = jobs_pb2.JobSpec(resources=jobs_pb2.Resources(processors=draw(st.sampled_from([1, 1, 1, 2]))))
        for one in shared:
            spec.MergeFrom(one)
        for field in varied:
            spec.MergeFrom(jobs_pb2.JobSpec(**_own(draw, field, place)))
        made.append(spec)
    if draw(st.sampled_from([False, False, False, True])):
        draw(st.sampled_from(made)).MergeFrom(draw(st.sampled_from(ODD)))
    return made


def _own(draw: st.DrawFn, field: str, place: int) -> dict[str, Any]:
    """What a job says of its own in a *field*, by its place in the batch."""
    if field == "run_s":
        return {"outcome": jobs_pb2.Outcome(run_s=draw(st.sampled_from([1.0, 2.5, 1e12, 0.1])))}
    drawn: dict[str, Any] = {
        "name": names,
        "argv": st.tuples(st.just("run"), names, st.just("two\nlines"), st.just(str(place))),
        "script": st.just(f"#!/bin/sh\n{place}"),
        "comment": st.just(f"number {place}"),
        "submission_key": st.sampled_from([f"k{place}", f"k{place}", "k0"]),
        "estimate_s": st.sampled_from([1.0, 50.0, 59.5, 60.0, 100.25]),
    }
    return {field: draw(drawn[field])}


OWN = ("argv", "comment", "estimate_s", "name", "run_s", "script", "submission_key")
SHARED = [
    *(jobs_pb2.JobSpec(queue=queue.name) for queue in QUEUES),
    jobs_pb2.JobSpec(name="of all", group="g", account="a", qos="q"),
    jobs_pb2.JobSpec(argv=["./a.out"]),
    jobs_pb2.JobSpec(outcome=jobs_pb2.Outcome(exit_code=3, run_s=7.0)),
    jobs_pb2.JobSpec(resources=jobs_pb2.Resources(memory_kb=10)),
    jobs_pb2.JobSpec(environment={"A": "100 %"}, user_priority=-1, deadline_s=77.0),
    jobs_pb2.JobSpec(held=True),
    jobs_pb2.JobSpec(begin_at_s=50.0),
    jobs_pb2.JobSpec(array=jobs_pb2.ArraySpec(last=3)),
    jobs_pb2.JobSpec(dependencies=[jobs_pb2.Dependency(kind="SINGLETON")]),
]

ODD = [
    *(jobs_pb2.JobSpec(name=name) for name in ("x" * 21, "‏turned")),
    *(jobs_pb2.JobSpec(estimate_s=estimate_s) for estimate_s in (1001.0, float("nan"), -1.0)),
    *(jobs_pb2.JobSpec(queue=queue) for queue in ("unknown", "theirs")),
    *(jobs_pb2.JobSpec(script="x" * 31), jobs_pb2.JobSpec(submission_key="k" * 129)),
    jobs_pb2.JobSpec(outcome=jobs_pb2.Outcome(run_s=float("inf"))),
    *(jobs_pb2.JobSpec(resources=jobs_pb2.Resources(processors=99)), jobs_pb2.JobSpec(user_priority=1)),
    # What is taken, but not as its neighbours are.
    *(jobs_pb2.JobSpec(held=True), jobs_pb2.JobSpec(resources=jobs_pb2.Resources(nodes=1))),
]
REFUSED = ODD[:-2]


async def told(story: Story, batches: Sequence[Sequence[jobs_pb2.JobSpec]], together: bool) -> list[Any]:
    """What is answered to *batches*, in words, and whether each was accepted at once."""
    for queue in QUEUES:
        await story.do(SetQueue(queue, "root"))
    answers: list[Any] = []
    for batch in batches:
        specs: Any = [spec_from_wire(spec) for spec in batch]
        if together:
            specs = batch_from_wire(SubmitManyRequest(specs=batch))
        command = Submit("ann", specs, LIMITS)
        answers.append(([str(one) for one in await story.do(command)], command.repeated))
    return answers


def lines(story: Story) -> list[tuple[str, str]]:
    """The journal, without the agent's word, which names its boot."""
    return [(one.kind, one.body) for one in story.journal.entries if one.kind != "ReportsTaken"]


def seen(story: Story) -> dict[str, Any]:
    """The state, without what the agent has said last."""
    return {name: value for name, value in picture(story.core.state).items() if name != "taken"}


async def same(batches: Sequence[Sequence[jobs_pb2.JobSpec]]) -> None:
    """Both ways give the same answers, journals and states, and so does recovery."""
    offers = [nodes("n[1-2]", 4, memory_kb=100)]
    async with live("firstfit", offers) as one, live("firstfit", offers) as other:
        assert await told(one, batches, True) == await told(other, batches, False)
        assert lines(one) == lines(other)
        assert seen(one) == seen(other)
        assert one.core.state.claims.kept() == other.core.state.claims.kept()
        again = await recovered(one.journal)
        assert_same(one.core.state, again)
        assert one.core.state.claims.kept() == again.claims.kept()


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(jobs(), min_size=1, max_size=3))
def test_what_is_answered_and_kept_is_what_single_jobs_get(batches: list[list[jobs_pb2.JobSpec]]) -> None:
    asyncio.run(same(batches))


def varied(count: int = 4, **more: Any) -> list[jobs_pb2.JobSpec]:
    """Jobs with names of their own."""
    return [jobs_pb2.JobSpec(name=f"n{place}", estimate_s=50, **more) for place in range(count)]


@pytest.mark.parametrize("odd", REFUSED, ids=[str(one).strip()[:40] for one in REFUSED])
async def test_one_that_is_refused_is_refused_alone(odd: jobs_pb2.JobSpec) -> None:
    batch = varied(5)
    batch[2].MergeFrom(odd)
    async with live() as story:
        [(answers, _)] = await told(story, [batch], True)
    assert [answers[place] for place in (0, 1, 3, 4)] == ["1", "2", "3", "4"]
    assert not answers[2].isdigit()
    await same([batch])


@pytest.mark.parametrize(
    "more",
    [
        {},
        {"queue": "bound"},
        {"queue": "narrow"},
        {"held": True},
        {"array": jobs_pb2.ArraySpec(last=2)},
        {"resources": jobs_pb2.Resources(nodes=2)},
        {"account": "physics", "qos": "high"},
        {"argv": ["./a.out"]},
        {"script": "#!/bin/sh"},
    ],
)
async def test_what_jobs_share_is_checked_once_and_all_are_taken(more: dict[str, Any]) -> None:
    async with live("firstfit", [nodes("n[1-2]", 4)]) as story:
        await told(story, [], True)
        asked = batch_from_wire(SubmitManyRequest(specs=varied(**more)))
        assert isinstance(asked, AskedBatch)
        command = Submit("ann", asked, LIMITS)
        assert await story.do(command) == [1, 2, 3, 4]
        assert command.together
    await same([varied(**more)] * 2)


@pytest.mark.parametrize("argv", [["a", "a", "a"], ["a", "b", "c"]], ids=["argv shared", "argv own"])
@pytest.mark.parametrize("script", [["#!", "#!", "#!"], ["#!", "#!1", "#!2"]], ids=["shared", "own"])
async def test_a_script_may_have_arguments_wherever_they_stand(argv: list[str], script: list[str]) -> None:
    batch = [
        jobs_pb2.JobSpec(estimate_s=9, name=f"n{place}", argv=[one], script=other)
        for place, (one, other) in enumerate(zip(argv, script, strict=True))
    ]
    async with live() as story:
        command = Submit("ann", batch_from_wire(SubmitManyRequest(specs=batch)), LIMITS)
        assert await story.do(command) == [1, 2, 3]
    await same([batch])


@pytest.mark.parametrize("field", ["argv", "script"])
async def test_what_jobs_run_may_be_their_own_and_all_are_taken_at_once(story: Story, field: str) -> None:
    batch = [
        jobs_pb2.JobSpec(estimate_s=9, argv=[f"a{place}"])
        if field == "argv"
        else jobs_pb2.JobSpec(estimate_s=9, script=f"#!{place}")
        for place in range(4)
    ]
    command = Submit("ann", batch_from_wire(SubmitManyRequest(specs=batch)), LIMITS)
    assert await story.do(command) == [1, 2, 3, 4]
    assert command.together


async def test_more_than_there_are_places_for_are_taken_as_far_as_they_go() -> None:
    async with live() as story:
        batches = [varied(6, queue="small"), varied(6, queue="small")]
        [first, second] = await told(story, batches, True)
    assert first[0] == [str(number) for number in range(1, 7)]
    assert second[0][:3] == ["7", "8", "9"]
    assert all("at most 9 unfinished jobs of ann in queue small" in one for one in second[0][3:])
    await same(batches)


async def test_batches_of_one_turn_share_places_and_keys(story: Story) -> None:
    keyed = [
        jobs_pb2.JobSpec(name=f"n{place}", submission_key=f"k{place}", queue="small", estimate_s=50)
        for place in range(5)
    ]
    other = varied(6, queue="small")
    await told(story, [], True)
    posts = [
        story.core.reactor.post(Submit("ann", batch_from_wire(SubmitManyRequest(specs=one)), LIMITS))
        for one in (keyed, other, keyed)
    ]
    first, second, third = [await post for post in posts]
    assert first == third == [1, 2, 3, 4, 5]
    assert second[:4] == [6, 7, 8, 9]
    assert all(isinstance(one, Exception) for one in second[4:])
    await story.settled()
    await assert_kept(story)


async def test_the_same_batch_twice_in_one_turn_is_taken_once(story: Story) -> None:
    batch = [
        jobs_pb2.JobSpec(name=f"n{place}", submission_key=f"k{place}", estimate_s=9) for place in range(4)
    ]
    commands = [Submit(user, batch_from_wire(SubmitManyRequest(specs=batch)), LIMITS) for user in USERS]
    posts = [story.core.reactor.post(command) for command in commands]
    # Another user's keys are his own.
    assert [await post for post in posts] == [[1, 2, 3, 4], [1, 2, 3, 4], [5, 6, 7, 8]]
    assert [command.repeated for command in commands] == [[False] * 4, [True] * 4, [False] * 4]


USERS = ("ann", "ann", "bob")


async def test_a_key_stands_for_its_job_after_a_recovery() -> None:
    batch = [
        jobs_pb2.JobSpec(name=f"n{place}", submission_key=f"k{place}", estimate_s=9) for place in range(4)
    ]
    async with live() as story:
        [first, second] = await told(story, [batch, batch[::-1]], True)
        assert (first[1], second) == ([False] * 4, (["4", "3", "2", "1"], [True] * 4))
        again = await recovered(story.journal)
    assert again.keys == {("ann", f"k{place}"): place + 1 for place in range(4)}


@given(
    st.dictionaries(st.text(max_size=3), st.one_of(st.text(max_size=3), st.integers(), st.lists(names))),
    names,
    st.floats(0.0, 1e20),
)
def test_a_form_filled_in_is_the_canonical_text(spec: dict[str, Any], name: str, run: float) -> None:
    full = {**spec, "name": name, "outcome": {"exit_code": 3, "run_s": run, "signal": 2}}
    part = {**spec, "name": "another", "outcome": {"exit_code": 3, "signal": 2}}
    form = form_of(part, ("name", "outcome.run_s"))
    assert form % (text_of(name), text_of(run)) == text_of(full)
