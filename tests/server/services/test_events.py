"""Facts as events of jobs: whatever an event has a field for is that of the fact, not of another moment."""

import dataclasses
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from molokini.client.client import Client
from molokini.client.errors import HistoryGone
from molokini.model import facts as h
from molokini.model.codec import decode
from molokini.model.facts import NO_INDEX, Ending, Fact
from molokini.model.written_specs import WrittenSpec
from molokini.server.services.events import event_of
from molokini.server.state.jobs import JobStatus
from molokini.server.state.state import State
from molokini.server.translate import STATE_OF
from tests.kit.live import Story
from tests.kit.serving import Served

NAMES = ("attempt", "exit_code")
ABOUT_ONE_JOB = sorted(
    (
        one
        for one in vars(h).values()
        if isinstance(one, type)
        and issubclass(one, Fact)
        and one.EVENT
        and "job" in {field.name for field in dataclasses.fields(one)}
        and one is not h.ElementsReady
    ),
    key=lambda one: one.__name__,
)


def made(kind: type[Fact], **values: Any) -> Fact:
    """A fact of *kind* with these values; the others are as short as their types allow."""
    given: dict[str, Any] = {}
    for field in dataclasses.fields(kind):
        plain = field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING
        if field.name in values:
            given[field.name] = values[field.name]
        elif field.name == "ending":
            given[field.name] = Ending.FAILED
        elif plain:
            text = str(field.type)
            given[field.name] = (
                0.0 if "float" in text else 0 if "int" in text else "" if "str" in text else ()
            )
    return kind(**given)


@pytest.mark.parametrize("kind", ABOUT_ONE_JOB, ids=lambda kind: kind.__name__)
@given(
    job=st.integers(1, 1000),
    index=st.sampled_from([NO_INDEX, 0, 7]),
    attempt=st.integers(1, 9),
    exit_code=st.integers(0, 255),
    serial=st.integers(1, 10**6),
    at_s=st.floats(0, 1e9),
)
@settings(max_examples=10, deadline=None)
def test_an_event_says_what_its_fact_says(
    kind: type[Fact], job: int, index: int, attempt: int, exit_code: int, serial: int, at_s: float
) -> None:
    fact = made(kind, job=job, index=index, attempt=attempt, exit_code=exit_code)
    [event] = event_of(fact, serial, at_s, State())
    assert (event.sequence, event.time_s, event.kind, event.job_id) == (serial, at_s, kind.EVENT, job)
    for name in NAMES:
        assert getattr(event, name) == getattr(fact, name, 0)
    assert event.HasField("array_index") == (getattr(fact, "index", NO_INDEX) != NO_INDEX)
    assert event.array_index == max(0, getattr(fact, "index", 0))


def test_of_what_was_told_of_several_there_is_one_each() -> None:
    spec = WrittenSpec({"queue": "default"})
    submitted = list(event_of(h.JobsSubmitted(5, "ann", (spec, spec)), 3, 1.0, State()))
    assert [event.job_id for event in submitted] == [5, 6]
    ready = list(event_of(h.ElementsReady(9, (2, 4)), 4, 1.0, State()))
    assert [(event.job_id, event.array_index) for event in ready] == [(9, 2), (9, 4)]


async def test_a_watch_goes_on_from_numbers_behind_which_nothing_is_missing(one: Served, ann: Client) -> None:
    for _ in range(4):
        await ann.submit(estimate_s=10, held=True)
    events = one.core.state.events
    while len(events) > 3:
        events.popleft()
    oldest = events[0][0]

    async def first_after(after: int) -> int:
        watch = ann.watch(after)
        try:
            return (await anext(watch)).sequence
        finally:
            await watch.aclose()  # type: ignore[attr-defined]

    assert [await first_after(after) for after in (oldest, oldest - 1, 0)] == [oldest + 1, oldest, oldest]
    with pytest.raises(HistoryGone):
        await first_after(oldest - 2)


async def test_a_submission_tells_whether_the_job_could_start_then_whatever_came_later(story: Story) -> None:
    await story.advance(5.0)
    plain, held = await story.submit(), await story.submit(held=True)
    await story.advance(5.0)
    await story.release(held)
    told = {}
    for entry in story.journal.entries:
        fact = decode(entry)
        if isinstance(fact, h.JobsSubmitted):
            [event] = event_of(fact, entry.serial, entry.time_s, story.state)
            told[event.job_id] = event.state
    assert told == {plain: STATE_OF[JobStatus.WAITING], held: STATE_OF[JobStatus.HELD]}
