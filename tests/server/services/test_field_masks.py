"""Parts of jobs by name: what a listing was not asked for, it does not have."""

from collections.abc import Mapping
from types import SimpleNamespace
from typing import Any, cast

import pytest
from google.protobuf.message import Message

from molokini.client import errors
from molokini.client.client import Client
from molokini.proto.v1.jobs_pb2 import Job, JobSpec
from molokini.server.services.field_masks import Fields
from molokini.server.state.jobs import Job as KeptJob

VARIABLES = {"A": "1", "B": "2"}


async def test_a_listing_has_the_parts_that_were_named(ann: Client, bob: Client) -> None:
    await ann.submit(name="x", account="p", script="#!/bin/sh\n", environment=VARIABLES, estimate_s=10)
    wish = ["user", "spec.name", "spec.environment.B", "spec.environment.C"]
    [found] = [job async for job in ann.jobs(fields=wish)]
    assert found == Job(id=1, user="ann", spec=JobSpec(name="x", environment={"B": "2"}))
    [of_another] = [job async for job in bob.jobs(fields=wish)]
    assert of_another == Job(id=1, user="ann", spec=JobSpec(name="x"))
    [whole] = [job async for job in ann.jobs(fields=["spec.environment", "spec.environment.A"])]
    assert dict(whole.spec.environment) == VARIABLES
    [nothing] = [job async for job in ann.jobs(fields=["id"])]
    assert nothing == Job(id=1)
    for wrong in ("spec.", "spec.nothing", "spec.environment.", "environment.A"):
        with pytest.raises(errors.Refused, match="fields"):
            [job async for job in ann.jobs(fields=[wrong])]


async def test_what_was_named_is_as_in_the_whole(ann: Client) -> None:
    await ann.submit(
        name="x", estimate_s=10, environment=VARIABLES, argv=["true"], account="p", qos="q", held=True
    )
    await ann.submit(name="y", estimate_s=20, argv=["true"])
    await ann.submit(name="z", estimate_s=30, array="1-2", argv=["true"])
    await ann.cancel([2])
    everything = [field for field in Job.DESCRIPTOR.fields_by_name if field != "spec"]
    everything += [f"spec.{field}" for field in JobSpec.DESCRIPTOR.fields_by_name]
    whole = [job async for job in ann.jobs(fields=everything, include_ended=True)]
    assert whole == [job async for job in ann.jobs(fields=[*everything, "spec"], include_ended=True)]
    for field in everything:
        for part, job in zip(
            [j async for j in ann.jobs(fields=[field], include_ended=True)], whole, strict=True
        ):
            assert part == only(job, field), field


def only(job: Job, field: str) -> Job:
    """*job* with its number and one field alone."""
    made, (first, _, second) = Job(id=job.id), field.partition(".")
    if second:
        made.spec.SetInParent()
        copy(job.spec, made.spec, second)
    else:
        copy(job, made, first)
    return made


def copy(one: Message, other: Message, field: str) -> None:
    found = {descriptor.name: value for descriptor, value in one.ListFields()}
    if field in found:
        if isinstance(found[field], Message):
            getattr(other, field).CopyFrom(found[field])
        elif isinstance(found[field], Mapping):
            getattr(other, field).update(found[field])
        elif one.DESCRIPTOR.fields_by_name[field].is_repeated:
            getattr(other, field).extend(found[field])
        else:
            setattr(other, field, found[field])


SPEC: dict[str, Any] = {
    "name": "a",
    "argv": ["x"],
    "script": "#!",
    "environment": {"A": "1", "B": "2"},
    "annotations": {"site": "x"},
}


@pytest.mark.parametrize(
    ("names", "readable", "hidden"),
    [
        ([], {"name", "argv"}, {"name", "argv"}),
        (["spec"], set(SPEC), {"name", "argv"}),
        (["spec", "spec.name"], set(SPEC), {"name", "argv"}),
        (["state", "spec.name"], {"name"}, {"name"}),
        (["spec.name", "spec.argv"], {"name", "argv"}, {"name", "argv"}),
        (["spec.environment.A"], {"environment"}, set()),
        (["spec.script"], {"script"}, set()),
        (["spec.annotations"], {"annotations"}, set()),
    ],
)
def test_fields_of_a_specification_by_reader(names: list[str], readable: set[str], hidden: set[str]) -> None:
    fields, job = Fields(names), cast(KeptJob, SimpleNamespace(spec=dict(SPEC), name="a"))
    assert fields.spec_of(job, True).keys() == readable
    job = cast(KeptJob, SimpleNamespace(spec=dict(SPEC), name="a"))
    assert fields.spec_of(job, False).keys() == hidden


def test_one_variable_of_many() -> None:
    job = cast(KeptJob, SimpleNamespace(spec=dict(SPEC)))
    fields = Fields(["spec.environment.B", "spec.environment.C"])
    assert fields.spec_of(job, True) == {"environment": {"B": "2"}}
    assert SPEC["environment"] == {"A": "1", "B": "2"}


def test_what_lies_beside_a_specification_needs_no_look_at_it() -> None:
    job = cast(KeptJob, SimpleNamespace(name="a", queue="", estimate_s=5.0))
    wanted = {"name": "a", "estimate_s": 5.0}
    assert Fields(["spec.name", "spec.queue", "spec.estimate_s"]).spec_of(job, True) == wanted
