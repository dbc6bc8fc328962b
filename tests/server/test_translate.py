"""What is told of a job in each state: by a look at it, and to those who ask why it waits."""

from typing import Any

import pytest
from google.protobuf.message import Message

from molokini.model.facts import NO_INDEX
from molokini.proto.v1 import jobs_pb2
from molokini.server.queries.explanations import explain
from molokini.server.translate import EVERY_FIELD, fields_of_job, job_to_wire
from tests.kit.job_states import STATES
from tests.kit.live import Story, live, nodes

ON_ONE = ["n1:1"]
ON_TWO = ["n1:4", "n2:4"]
ON_OTHERS = ["n3:4", "n4:4"]
NEW: dict[str, Any] = {"id": 1, "user": "ann", "submitted_s": 100.0, "version": 1}
STARTED = {
    **NEW,
    "eligible_s": 100.0,
    "first_start_s": 100.0,
    "start_s": 100.0,
    "attempt": 1,
    "allocation": ON_ONE,
    "version": 2,
    "elapsed_s": 10.0,
}
RUNS = {**STARTED, "state": "RUNNING", "work_s": 10.0, "expected_end_s": 200.0}
STOPPED = {**STARTED, "state": "SUSPENDED", "suspended_s": 10.0}
ARRAY = {**NEW, "eligible_s": 100.0, "version": 6}
PART = {**RUNS, "version": 6}
LOOK: dict[str, dict[str, Any]] = {
    "held": {**NEW, "state": "HELD", "reason": "held by user", "holds": ["HOLD_USER"], "cause": "HOLDS"},
    "waiting": {**NEW, "id": 2, "state": "WAITING", "eligible_s": 100.0},
    "dependent": {**NEW, "id": 2, "state": "HELD", "reason": "waits for job 1", "cause": "DEPENDENCY"},
    "later": {
        **NEW,
        "state": "HELD",
        "reason": "not before 500 s of the scheduling clock",
        "cause": "BEGIN_TIME",
    },
    "running": RUNS,
    "only once": RUNS,
    "suspended": STOPPED,
    "no room": STOPPED,
    "being cancelled": {**RUNS, "reason": "cancelled by ann"},
    "being requeued": RUNS,
    "completed": {**STARTED, "state": "COMPLETED", "end_s": 100.0, "elapsed_s": 0.0, "version": 3},
    "cancelled": {
        **NEW,
        "state": "CANCELLED",
        "end_s": 100.0,
        "reason": "cancelled by ann",
        "ended_by": "ann",
        "holds": ["HOLD_USER"],
        "version": 2,
    },
    "array": {**ARRAY, "state": "RUNNING", "elements": "1 cancelled, 1 held, 2 running, 196 waiting"},
    "first": {**PART, "array_index": 10, "allocation": ON_TWO},
    "ended": {
        **{name: value for name, value in STARTED.items() if name != "elapsed_s"},
        "array_index": 20,
        "state": "CANCELLED",
        "end_s": 100.0,
        "elapsed_s": 0.0,
        "reason": "cancelled by ann",
        "ended_by": "ann",
        "allocation": ON_OTHERS,
        "version": 6,
    },
    "active": {**PART, "array_index": 30, "allocation": ON_OTHERS},
    "next": {**ARRAY, "array_index": 40, "state": "WAITING"},
    "apart": {
        **ARRAY,
        "array_index": 50,
        "state": "HELD",
        "reason": "held by user",
        "holds": ["HOLD_USER"],
        "cause": "HOLDS",
    },
    "new": {**ARRAY, "array_index": 1000, "state": "WAITING"},
}
"""All that is said, but for what was asked for; what is not here is not said."""
WHY: dict[str, tuple[str, str]] = {
    "held": ("held", "held by user"),
    "waiting": ("not-enough-free", "1 processor is requested, 0 are free"),
    "dependent": ("dependency", "waits for job 1"),
    "later": ("begin-time", "not before 500 s of the scheduling clock"),
    "running": ("running", "it does not wait: running"),
    "only once": ("running", "it does not wait: running"),
    "suspended": ("suspended", "it does not wait: suspended"),
    "no room": ("suspended", "it does not wait: suspended"),
    "being cancelled": ("running", "it does not wait: running"),
    "being requeued": ("running", "it does not wait: running"),
    "completed": ("ended", "it has ended: completed"),
    "cancelled": ("ended", "it has ended: cancelled: cancelled by ann"),
    "array": (
        "not-enough-free",
        "1 held, 196 waiting, 2 running, 1 cancelled; the first that waits, 1[40]: "
        "8 processors are requested, 0 are free",
    ),
    "first": ("running", "it does not wait: running"),
    "ended": ("ended", "it has ended: cancelled: cancelled by ann"),
    "active": ("running", "it does not wait: running"),
    "next": ("not-enough-free", "8 processors are requested, 0 are free"),
    "apart": ("held", "held by user"),
    "new": ("not-ready", "it becomes a candidate when others of its array have ended"),
}
HELP = {"waiting": 1.0, "array": 8.0, "next": 8.0}
"""Of those that wait: how many processors they ask for."""


def said(made: Message) -> dict[str, Any]:
    """What a message says, field by field."""
    return {field.name: getattr(made, field.name) for field, _ in made.ListFields()}


def looked(story: Story, number: int, index: int) -> dict[str, Any]:
    job = story.job(number)
    made = job_to_wire(job, job.element_of(index) or job.unheard(index), story.state)
    made.ClearField("spec")
    found = said(made)
    found["state"] = jobs_pb2.JobState.Name(made.state)
    if "allocation" in found:
        found["allocation"] = [f"{one.node}:{one.processors}" for one in made.allocation]
    if "cause" in found:
        found["cause"] = jobs_pb2.Job.Cause.Name(made.cause)
    if "holds" in found:
        found["holds"] = [jobs_pb2.Hold.Name(one) for one in made.holds]
    if "elements" in found:
        found["elements"] = ", ".join(f"{count} {name}" for name, count in sorted(made.elements.items()))
    return found


async def test_work_in_rows_is_that_of_the_slices_so_far() -> None:
    """Of two jobs on one processor the first has had the slice up to 40 s, and the second 10 s of its own."""
    rows = {"mpl": "2", "quantum_s": "40", "mode": "exact"}
    async with live("gs", [nodes("n1", 1)], parameters=rows) as story:
        for number in (1, 2):
            assert await story.submit(run_s=100.0) == number
        await story.advance(50.0)
        assert [looked(story, number, NO_INDEX)["work_s"] for number in (1, 2)] == [40.0, 10.0]


@pytest.mark.parametrize("state", LOOK)
async def test_what_is_said_of_a_job_in_each_state(state: str) -> None:
    async with live() as story:
        await story.advance(100.0)
        number, index = await STATES[state](story)
        await story.advance(10.0)
        assert looked(story, number, index) == LOOK[state]
        job = story.job(number)
        why = said(explain(story.core, job, job.element_of(index) or job.unheard(index)))
        assert why.pop("job_id") == number
        assert (why.pop("rule"), why.pop("text")) == WHY[state]
        more = {"value": HELP[state], "what_would_help": ["the end of running jobs"]} if state in HELP else {}
        assert why == more


@pytest.mark.parametrize("state", LOOK)
async def test_what_is_asked_for_alone_is_what_all_says_of_it(state: str) -> None:
    async with live() as story:
        await story.advance(100.0)
        number, index = await STATES[state](story)
        await story.advance(10.0)
        job = story.job(number)
        element = job.element_of(index) or job.unheard(index)
        whole = job_to_wire(job, element, story.state)
        for name in EVERY_FIELD:
            alone = jobs_pb2.Job(**fields_of_job(job, element, story.state, (), frozenset({name})))
            expected = said(whole)
            assert said(alone) == {
                one: expected[one] for one in expected if one in {"id", "array_index", name}
            }


def test_every_state_is_told_of() -> None:
    assert set(LOOK) == set(WHY) == set(STATES) - {"unknown", "none"}
