"""Each declared field of a job, and each figure of its end, is found wherever a job is kept and shown."""

import json
import re
from collections.abc import Iterator
from dataclasses import fields
from math import inf, nan, nextafter
from pathlib import Path
from typing import Any, get_args, get_origin, get_type_hints

import pytest

from molokini.client.specs import SpecFields
from molokini.clients.live.documents import spec_document
from molokini.clients.live.job_table import job_document
from molokini.model.codec import decode, encode
from molokini.model.errors import BadValue
from molokini.model.facts import NO_INDEX, Ending, JobEnded, JobsSubmitted, PartEnded
from molokini.model.field_pages import page
from molokini.model.job_specs import (
    FIELDS,
    ArraySpec,
    Communication,
    Dependency,
    Divisible,
    JobSpec,
    Outcome,
    Resources,
    Shown,
)
from molokini.model.requests import plain
from molokini.model.run_results import FIGURES, NO_RESULT, ON_JOB, RunResult, reported_in, result_of_parts
from molokini.model.written_specs import WrittenSpec
from molokini.proto.v1 import jobs_pb2
from molokini.proto.v1.agent_service_pb2 import Report
from molokini.server.journal.port import Finished
from molokini.server.state.jobs import Job, JobStatus
from molokini.server.state.node_names import Machine
from molokini.server.state.past import job_of, records_of
from molokini.server.state.snapshot_jobs import Reader, Writer, jobs_for_snapshot
from molokini.server.state.state import State
from molokini.server.translate import job_to_wire, spec_from_wire, spec_to_wire
from molokini.server.turn.checks import Limits, check_numbers, check_texts, most_characters

NAMES = {"pattern": "BORDERS", "request": "ORDERED", "kind": "AFTER_OK", "comparison": "MORE"}
"""Of texts that are names of an enumeration, one each."""
IN_PARTS = {"resources": "processors", "dependencies": "after"}
"""What the Python client has in place of a field."""
OTHERWISE = {"user_priority": "priority", "resources": "processors"}
"""What documents call a field."""


def value_of(kind: Any, name: str) -> Any:
    """A value of this type that is not the default."""
    if get_origin(kind) is list:
        return [value_of(get_args(kind)[0], name)]
    if get_origin(kind) is dict:
        return {"some": value_of(get_args(kind)[1], name)}
    if hasattr(kind, "__total__"):
        return {part: value_of(its, part) for part, its in get_type_hints(kind).items()}
    return {str: NAMES.get(name, "text"), bool: True, int: 3, float: 2.5}[kind]


def kept(job: Job) -> Iterator[Job]:
    """*job* as a snapshot has it, and as its record has it once it has left the memory."""
    reader = Reader()
    for texts, part in Writer().parts(jobs_for_snapshot([job])):
        yield from reader.jobs(texts, json.loads(json.dumps(part)))
    *_, record = records_of(job, Machine())
    assert isinstance(record, Finished)
    yield job_of(record, Machine())


@pytest.mark.parametrize("name", FIELDS)
def test_what_is_asked_is_kept_and_shown(name: str) -> None:
    value = value_of(get_type_hints(JobSpec)[name], name)
    spec: Any = {"estimate_s": 5.0, name: value}
    sent = spec_to_wire(spec)
    assert spec_from_wire(sent).spec == spec

    entry = encode(JobsSubmitted(1, "ann", (WrittenSpec(spec),)), 1, 0.0)
    assert json.loads(entry.body)["specs"] == [spec]
    fact = decode(entry)
    assert isinstance(fact, JobsSubmitted)
    [written] = fact.specs
    job = Job(1, "ann", written, 0.0, plain(1))
    assert job.spec == spec
    assert [one.spec for one in kept(job)] == [spec, spec]

    shown = job_to_wire(job, job.element, State())
    assert shown.spec == sent
    field = FIELDS[name]
    documents = {Shown.LINE: job_document(shown), Shown.WHOLE: spec_document(shown.spec)}
    for where, document in documents.items():
        assert (OTHERWISE.get(name, name) in document) == (where is field.shown)


@pytest.mark.parametrize("name", FIELDS)
def test_the_client_names_it_to_type_checkers(name: str) -> None:
    assert IN_PARTS.get(name, name) in SpecFields.__annotations__


@pytest.mark.parametrize("name", FIGURES)
def test_a_figure_of_an_end_is_kept_and_shown(name: str) -> None:
    figure, default = FIGURES[name], getattr(NO_RESULT, name)
    used = {"cpu_s": 1.5, name: type(default)(7)} if figure.reported else {"memory_kb": 4}
    [first, second] = [reported_in(Report(**given)) for given in (used, {"memory_kb": 3} | used)]
    assert not figure.reported or getattr(first, name) == 7
    parts = [
        PartEnded(1, NO_INDEX, 1, agent, Ending.FAILED, 9.0, result)
        for agent, result in (("a", first), ("b", second))
    ]
    assert [decode(encode(one, 1, 9.0)) for one in parts] == parts
    result = result_of_parts(first, [first, second])
    assert getattr(result, name)

    entry = encode(JobEnded(1, NO_INDEX, 1, Ending.FAILED, 9.0, result), 1, 9.0)
    assert json.loads(entry.body)[name] == getattr(result, name)
    fact = decode(entry)
    assert isinstance(fact, JobEnded)
    assert fact.result == result

    job = Job(1, "ann", WrittenSpec({"estimate_s": 5.0}), 0.0, plain(1))
    assert job.element is not None
    job.element.result, job.element.status = fact.result, JobStatus.FAILED
    for one in (job, *kept(job)):
        assert one.element is not None
        assert one.element.result == result
        shown = job_to_wire(one, one.element, State())
        assert getattr(shown, ON_JOB[name]) == getattr(result, name)
        assert job_document(shown)[ON_JOB[name]] == getattr(result, name)


@pytest.mark.parametrize("name", [name for name, field in FIELDS.items() if field.range or field.length])
def test_what_is_out_of_bounds_is_refused_by_its_name(name: str) -> None:
    field, limits = FIELDS[name], Limits()
    check = check_numbers if field.range is not None else check_texts
    if field.range is not None:
        refused: list[Any] = [nextafter(field.range.least, -inf), nextafter(field.range.most, inf), nan]
        words = field.range.words
    else:
        assert field.length is not None
        most = most_characters(field.length, limits)
        refused, words = ["x" * (most + 1), "a\tb", "a\u202eb"], f"at most {most}"
    for value in refused:
        spec: Any = {"estimate_s": 5.0, name: value}
        with pytest.raises(BadValue, match=re.escape(words)) as told:
            check(spec, limits)
        assert told.value.field == name


def test_what_is_declared_is_on_the_wire() -> None:
    assert FIELDS.keys() == set(jobs_pb2.JobSpec.DESCRIPTOR.fields_by_name)
    assert FIGURES.keys() == {one.name for one in fields(RunResult)}
    assert set(ON_JOB.values()) <= set(jobs_pb2.Job.DESCRIPTOR.fields_by_name)
    for parts in (ArraySpec, Communication, Dependency, Divisible, Outcome, Resources):
        fields_of = getattr(jobs_pb2, parts.__name__).DESCRIPTOR.fields_by_name
        assert set(get_type_hints(parts)) == set(fields_of), parts


def test_the_page_of_fields_is_up_to_date() -> None:
    # make pages
    assert (Path(__file__).parents[2] / "docs" / "job-fields.md").read_text() == page()
