"""Conditions on others as expressions: groups, negation, delays, counts, codes, elements, alterations."""

from typing import Any

import pytest

from molokini.model.errors import BadValue, Conflict
from molokini.server.state.causes import cause_of
from molokini.server.turn.changing import Alter
from molokini.server.turn.checks import Limits
from tests.kit.live import Story, after, live
from tests.kit.live_picture import assert_kept

BADLY: dict[str, Any] = {"run_s": 10.0, "outcome": {"exit_code": 3}}


async def test_of_the_conditions_of_one_group_one_is_enough(story: Story) -> None:
    jobs = [await story.submit(run_s=run_s) for run_s in (10.0, 30.0, 50.0)]
    either = [{**one, "group": 1} for one in after("AFTER_OK", *jobs[:2])]
    job = await story.submit(run_s=1.0, dependencies=either)
    both = await story.submit(run_s=1.0, dependencies=[*either, *after("AFTER_ANY", jobs[2])])
    await story.advance(100.0)
    assert (story.run(job).start_s, story.run(both).start_s) == (10.0, 50.0)


async def test_a_group_is_lost_when_all_of_it_is(story: Story) -> None:
    other, bad = await story.submit(run_s=30.0), await story.submit(**BADLY)
    kinds = [
        {"kind": "AFTER_OK", "job_id": bad, "group": 7},
        {"kind": "AFTER_NOT_OK", "job_id": other, "group": 7},
    ]
    job = await story.submit(dependencies=kinds)
    await story.advance(20.0)
    assert story.status(job) == "held"
    await story.advance(10.0)
    assert story.status(job) == "cancelled"
    assert story.run(job).end_s == 30.0


async def test_a_negated_condition_is_met_as_long_as_it_would_not_be(story: Story) -> None:
    other = await story.submit(run_s=10.0, begin_at_s=20.0)
    not_started = {"kind": "AFTER", "job_id": other, "negated": True}
    before = await story.submit(run_s=1.0, dependencies=[not_started])
    assert story.status(before) == "running"
    await story.advance(25.0)
    late = await story.submit(run_s=1.0, dependencies=[not_started])
    assert story.status(late) == "cancelled"


async def test_a_delay_counts_from_the_start_of_the_other_and_comes_back_after_a_crash() -> None:
    async with live("easy") as story:
        other = await story.submit(run_s=500.0, begin_at_s=10.0, estimate_s=1000.0)
        job = await story.submit(
            run_s=1.0, dependencies=[{"kind": "AFTER", "job_id": other, "delay_s": 120.0}]
        )
        await story.advance(60.0)
        assert story.status(job) == "held"
        await assert_kept(story, by_snapshot=True)
        await story.advance(100.0)
        assert story.run(job).start_s == 130.0


@pytest.mark.parametrize(
    ("kind", "comparison", "value", "starts_s"),
    [
        ("COUNT_DONE", "MORE", 1, 30.0),
        ("COUNT_EXITED", "AT_LEAST", 1, 10.0),
        ("COUNT_ENDED", "EQUAL", 2, 20.0),
        ("COUNT_ENDED", "AT_LEAST", 3, 30.0),
        ("COUNT_STARTED", "AT_LEAST", 3, 20.0),
        ("COUNT_DONE", "AT_LEAST", 3, None),
        ("COUNT_WAITING", "LESS", 1, 20.0),
        ("COUNT_RUNNING", "EQUAL", 0, 10.0),
        ("COUNT_HELD", "NOT_EQUAL", 1, 0.0),
    ],
)
async def test_counts_of_elements(
    story: Story, kind: str, comparison: str, value: int, starts_s: float | None
) -> None:
    array = await story.submit(run_s=10.0, array={"first": 1, "last": 3, "running_limit": 1})
    await story.advance(0.0)
    wanted = {"kind": kind, "job_id": array, "comparison": comparison, "value": value}
    job = await story.submit(run_s=1.0, dependencies=[wanted])
    await story.advance(5.0)
    await story.cancel(array, 1)
    await story.advance(95.0)
    moved = {10.0: 5.0, 20.0: 15.0, 30.0: 25.0}
    assert story.run(job).start_s == (moved.get(starts_s, starts_s) if starts_s is not None else None)


@pytest.mark.parametrize(("comparison", "value", "met"), [("EQUAL", 3, True), ("AT_LEAST", 4, False)])
async def test_exit_codes_are_compared(story: Story, comparison: str, value: int, met: bool) -> None:
    other = await story.submit(**BADLY)
    wanted = {"kind": "AFTER_NOT_OK", "job_id": other, "comparison": comparison, "value": value}
    job = await story.submit(run_s=1.0, dependencies=[wanted])
    await story.advance(20.0)
    assert story.run(job).start_s == (10.0 if met else None)


async def test_one_element_is_waited_for_alone(story: Story) -> None:
    array = await story.submit(run_s=10.0, array={"first": 1, "last": 3, "running_limit": 1})
    wanted = [{"kind": "AFTER_OK", "job_id": array, "array_index": 2}]
    job = await story.submit(run_s=1.0, dependencies=wanted)
    await story.advance(50.0)
    assert story.run(job).start_s == 20.0
    with pytest.raises(BadValue, match=r"dependencies\.array_index: 4 "):
        await story.submit(dependencies=[{**wanted[0], "array_index": 4}])


async def test_elements_follow_those_of_the_same_index(story: Story) -> None:
    array = await story.submit(run_s=10.0, array={"first": 1, "last": 3, "running_limit": 1})
    wanted = [{"kind": "AFTER_OK", "job_id": array, "elementwise": True}]
    job = await story.submit(run_s=100.0, array={"first": 1, "last": 4}, dependencies=wanted)
    assert cause_of(story.job(job), None, story.state) == "DEPENDENCY"
    await story.advance(25.0)
    assert story.run(job, 1).start_s == 10.0
    assert story.run(job, 2).start_s == 20.0
    assert story.job(job).element_of(3) is None
    # There is no element 4 to wait for.
    assert story.status(job, 4) == "cancelled"
    await assert_kept(story, by_snapshot=True)
    await story.cancel(array, 3)
    await story.advance(1.0)
    assert story.status(job, 3) == "cancelled"


async def test_a_job_may_stay_where_a_condition_can_never_be_met(story: Story) -> None:
    other = await story.submit(**BADLY)
    job = await story.submit(dependencies=after("AFTER_OK", other), keep_if_never_met=True)
    assert cause_of(story.job(job), story.run(job), story.state) == "DEPENDENCY"
    await story.advance(20.0)
    assert story.status(job) == "held"
    assert cause_of(story.job(job), story.run(job), story.state) == "DEPENDENCY_NEVER_MET"
    later = await story.submit(dependencies=after("AFTER_OK", other), keep_if_never_met=True)
    assert story.status(later) == "held"
    await story.do(Alter(job, "ann", {"dependencies": []}, Limits(), operator=False))
    assert story.status(job) == "running"


async def test_dependencies_are_altered_while_a_job_waits(story: Story) -> None:
    wide = await story.submit(processors=16, run_s=50.0)
    job = await story.submit(processors=16, run_s=1.0)
    other = await story.submit(processors=1, run_s=10.0)
    assert story.status(job) == "waiting"
    wanted: Any = {"dependencies": after("AFTER_ANY", other)}
    await story.do(Alter(job, "ann", wanted, Limits(), operator=False))
    assert story.status(job) == "held"
    wanted = {"dependencies": after("AFTER", job)}
    with pytest.raises(Conflict, match=f"job {other} would wait for itself"):
        await story.do(Alter(other, "ann", wanted, Limits(), operator=False))
    await story.advance(100.0)
    assert story.run(job).start_s == 60.0
    assert story.run(wide).end_s == 50.0
    await assert_kept(story, by_snapshot=True)


async def test_a_job_with_on_waits_until_its_dependencies_are_altered(story: Story) -> None:
    job = await story.submit(run_s=1.0, dependencies=[{"kind": "ON", "value": 1}])
    await story.advance(10.0)
    assert story.status(job) == "held"
    await story.do(Alter(job, "ann", {"dependencies": []}, Limits(), operator=False))
    assert story.run(job).start_s == 10.0


@pytest.mark.parametrize(
    ("more", "why"),
    [
        ({"kind": "COUNT_DONE"}, r"dependencies\.comparison: 'unset' "),
        ({"kind": "AFTER_OK", "delay_s": 5.0}, "afterok has no delay"),
        ({"kind": "AFTER_OK", "comparison": "LESS"}, "afterok compares no number"),
        ({"kind": "AFTER", "delay_s": -1.0}, r"dependencies\.delay_s: -1\.0 "),
        ({"kind": "AFTER", "group": -1}, r"dependencies\.group: -1 "),
        ({"kind": "ON", "value": -1}, r"dependencies\.value: -1 "),
        ({"kind": "AFTER", "array_index": 1}, r"dependencies\.array_index: 1 "),
    ],
)
async def test_what_is_no_condition_is_refused(story: Story, more: dict[str, Any], why: str) -> None:
    other = await story.submit()
    with pytest.raises((BadValue, Conflict), match=why):
        await story.submit(dependencies=[{"job_id": other, **more}])


async def test_an_array_has_the_indices_that_are_listed(story: Story) -> None:
    array = await story.submit(run_s=10.0, array={"indices": [7, 1, 3], "running_limit": 2})
    kept = story.job(array).array
    assert kept is not None
    assert kept.listed == [1, 3, 7]
    await story.advance(5.0)
    assert [story.status(array, index) for index in (1, 3)] == ["running", "running"]
    await story.advance(20.0)
    assert story.run(array, 7).start_s == 10.0
    assert story.counted(array) == {"completed": 3}
    await assert_kept(story, by_snapshot=True)
    even = await story.submit(array={"indices": [2, 4, 6]})
    assert story.job(even).spec["array"] == {"first": 2, "last": 6, "step": 2, "running_limit": 0}
    for wrong in ([1, 1], [-1, 5], [1, 2**31]):
        with pytest.raises(BadValue, match=r"array\.indices"):
            await story.submit(array={"indices": wrong})
