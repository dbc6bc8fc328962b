"""Jobs over several clusters: options to fields, and fields to what people read."""

import pytest

from molokini.client.coallocation import (
    clusters_text,
    communication,
    communication_document,
    communication_text,
    components,
    components_text,
)
from molokini.client.specs import job_spec
from molokini.model.errors import BadInput, BadValue, UnknownName
from molokini.proto.v1.jobs_pb2 import Allocation, Communication, Job, JobSpec, Resources


def test_fields_of_a_job() -> None:
    how = communication("All-To-All", "0.001,0.05")
    spec = job_spec(
        {"components": components("--components", "4,2,2"), "request": "ordered", "communication": how}
    )
    assert list(spec.resources.components) == [4, 2, 2]
    assert spec.resources.request == Resources.ORDERED
    assert spec.communication == Communication(
        pattern=Communication.ALL_TO_ALL, inside_s=0.001, between_s=0.05
    )


def test_times_of_messages_may_be_the_clusters() -> None:
    spec = job_spec({"communication": communication("borders", None)})
    assert not spec.communication.HasField("inside_s")
    assert communication(None, None) is None


@pytest.mark.parametrize("text", ["", "a", "4,", "4,,2", "4.5", "0", "-1,2", "4 2", "9" * 30])
def test_components_that_are_none(text: str) -> None:
    with pytest.raises(BadValue, match="--components"):
        components("--components", text)


@pytest.mark.parametrize("text", ["", "1", "1,2,3", "a,b", "-1,2", "2,1", "nan,1", "0,inf", "0,nan"])
def test_times_that_are_none(text: str) -> None:
    with pytest.raises(BadValue, match="--message"):
        communication("all-to-all", text)


def test_words_that_there_are_not() -> None:
    with pytest.raises(UnknownName, match="unordered"):
        job_spec({"components": [1], "request": "unorderd"})
    with pytest.raises(UnknownName, match="all-to-all"):
        communication("all-to-al", None)
    with pytest.raises(BadInput, match="--communication"):
        communication(None, "1,2")


def test_what_people_read() -> None:
    assert components_text(Resources(components=[4, 2])) == "4,2 unordered"
    assert components_text(Resources(processors=9, request=Resources.FLEXIBLE)) == "9 flexible"
    assert components_text(Resources(processors=9)) == ""
    spec = JobSpec(
        communication=Communication(
            pattern=Communication.ALL_TO_ALL_EACH_SECOND, inside_s=0.5, between_s=10.0
        )
    )
    assert communication_text(spec) == "all-to-all-each-second, a message 0.5 s, between clusters 10 s"
    assert communication_document(spec) == {
        "pattern": "all-to-all-each-second",
        "inside_s": 0.5,
        "between_s": 10.0,
    }
    assert communication_document(JobSpec()) is None


def test_in_which_clusters_a_job_lies() -> None:
    held = [
        Allocation(node="a1", processors=2, cluster="a"),
        Allocation(node="b1", processors=1, cluster="b"),
    ]
    assert clusters_text(Job(allocation=[*held, held[0]])) == "a:4, b:1"
    assert clusters_text(Job(allocation=[Allocation(node="n1", processors=2)])) == ""
