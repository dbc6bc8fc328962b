"""Jobs of every kind come back from a snapshot as they were: values, their types, and what they share."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from molokini.model.facts import NO_INDEX
from molokini.model.requests import plain
from molokini.model.run_results import NO_RESULT, RunResult
from molokini.model.written_specs import WrittenSpec
from molokini.server.state.jobs import NO_HOLDS, Array, Element, Job, JobStatus
from molokini.server.state.loads import Cut
from molokini.server.state.snapshot_jobs import Reader, Writer, _packed, jobs_for_snapshot
from tests.kit.live import spec_of

NARROW, WIDE = plain(1), plain(8)
LOAD = {"load": 10.0, "send_s": 1.0, "compute_s": 2.0, "setup_send_s": 0.0, "setup_compute_s": 0.5}
SPECS: list[dict[str, Any]] = [
    {},
    {"name": "two\nlines \ud800", "queue": "long"},
    {"divisible": LOAD, "deadline_s": 50.0},
    {"array": {"first": 1, "last": 9, "step": 2, "running_limit": 0}},
]


@st.composite
def jobs(draw: st.DrawFn) -> list[Job]:
    """Jobs among which some share their text, their request and their values, and others do not."""
    texts = [WrittenSpec(spec_of(**more)) for more in SPECS]
    made = []
    for number in range(draw(st.integers(0, 12))):
        job = Job(number, draw(st.sampled_from("ab")), draw(st.sampled_from(texts)), 5.0, NARROW)
        job.request = draw(st.sampled_from([NARROW, WIDE]))
        job.eligible_s = draw(st.sampled_from([None, 0.0, 7.5]))
        job.holds = draw(st.sampled_from([NO_HOLDS, frozenset({"user", "system"})]))
        job.waits_for = frozenset(draw(st.sets(st.integers(0, 9), max_size=2)))
        if job.array is not None:
            for index in draw(st.sets(st.sampled_from([1, 3, 5]))):
                job.array.add(Element(job, index))
        for element in job.known_elements():
            change(draw, element)
        made.append(job)
    return made


def change(draw: st.DrawFn, element: Element) -> None:
    element.row = draw(st.integers(-1, 5))
    if draw(st.booleans()):
        element.status = draw(st.sampled_from(list(JobStatus)))
        element.nodes = draw(st.sampled_from([(), ((0, 4), (3, 1))]))
        element.parts = draw(st.sampled_from([(), (2, 2)]))
        element.cut = draw(st.sampled_from([None, Cut("opr", 2, 7.5)]))
        element.result = draw(st.sampled_from([NO_RESULT, RunResult(1, 0, 3), RunResult(cpu_s=1.5)]))
        element.start_s = draw(st.sampled_from([None, 1.5]))
        element.holds = draw(st.sampled_from([NO_HOLDS, frozenset({"user"})]))


def values_of(job: Job) -> dict[str, Any]:
    made = {name: getattr(job, name) for name in Job.__slots__ if name not in ("array", "element")}
    if job.array is not None:
        made["array"] = {n: getattr(job.array, n) for n in Array.__slots__ if n != "elements"}
    for one in job.known_elements():
        made[f"element {one.index}"] = {n: getattr(one, n) for n in Element.__slots__ if n != "job"}
        assert one.job is job
    return made


def types_of(value: Any) -> Any:
    """What values are besides equal: 1, 1.0 and True are, and so are a tuple and what is derived of it."""
    if isinstance(value, dict):
        return {name: types_of(one) for name, one in value.items()}
    if isinstance(value, frozenset | set):
        # It may be shown in another order than an equal one.
        return type(value), sorted(repr(types_of(one)) for one in value)
    if isinstance(value, tuple | list):
        return type(value), [types_of(one) for one in value]
    return type(value)


def written_and_read(found: list[Job]) -> list[Job]:
    reader = Reader()
    read: list[Job] = []
    for texts, part in Writer().parts(jobs_for_snapshot(found)):
        read += reader.jobs(texts, json.loads(json.dumps(part)))
    return read


@given(jobs())
def test_jobs_are_what_they_were(found: list[Job]) -> None:
    read = written_and_read(found)
    assert [values_of(one) for one in read] == [values_of(one) for one in found]
    assert [types_of(values_of(one)) for one in read] == [types_of(values_of(one)) for one in found]
    for one, other in zip(found, read, strict=True):
        assert (one.element is None) == (other.element is None)
        assert other.element is None or other.element.index == NO_INDEX


def test_what_jobs_shared_they_share_again_from_part_to_part() -> None:
    spec = WrittenSpec(spec_of())
    read = written_and_read([Job(number, "ann", spec, 0.0, NARROW) for number in range(2500)])
    assert [job.id for job in read] == list(range(2500))
    assert len({id(job._text) for job in read}) == len({id(job.request) for job in read}) == 1


@pytest.mark.parametrize(
    ("column", "wanted"),
    [
        ([3, 3, 3], [3]),
        ([3], [3]),
        ([1, 1.0, 1], [1, 1.0, 1]),
        ([True, 1, True], [True, 1, True]),
        ([None, None], [None]),
        ([0, 1, 0], [0, 1, 0]),
        (("a", "b", "a"), ["a", "b", "a"]),
    ],
)
def test_a_column_is_one_value_where_all_are_the_same(column: Any, wanted: list[Any]) -> None:
    assert list(map(repr, _packed(column))) == list(map(repr, wanted))
