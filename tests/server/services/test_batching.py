"""Batches from the wire: which fields jobs have of their own, and that their texts are looked at."""

from typing import Any

import pytest

from molokini.model.errors import BadValue
from molokini.proto.v1 import jobs_pb2
from molokini.proto.v1.job_service_pb2 import SubmitManyRequest
from molokini.server.services.batching import LEAST, batch_from_wire
from molokini.server.translate import spec_from_wire
from molokini.server.turn.asked import AskedBatch


def request(count: int = LEAST, **shared: Any) -> SubmitManyRequest:
    """Jobs with names and arguments of their own."""
    return SubmitManyRequest(
        specs=[
            jobs_pb2.JobSpec(name=f"n{place}", argv=["run", str(place)], **shared) for place in range(count)
        ]
    )


def test_what_jobs_share_is_one_specification_and_the_rest_columns() -> None:
    sent = request(outcome=jobs_pb2.Outcome(exit_code=1), queue="q")
    for place, one in enumerate(sent.specs):
        one.outcome.run_s = 0.5 + place
    asked = batch_from_wire(sent)
    assert isinstance(asked, AskedBatch)
    assert {id(one) for one in asked.bare} == {id(asked.bare[0])}
    assert asked.bare[0].spec == {"queue": "q", "outcome": {"exit_code": 1}}
    assert asked.own == {
        "argv": [["run", str(place)] for place in range(LEAST)],
        "name": [f"n{place}" for place in range(LEAST)],
        "outcome.run_s": [0.5 + place for place in range(LEAST)],
    }
    # What was sent is still there, for whoever looks at one job.
    assert list(asked) == [spec_from_wire(one) for one in sent.specs]
    assert list(asked)[1].spec["name"] == "n1"


def test_a_field_in_which_first_and_last_agree_and_others_differ_is_a_column() -> None:
    sent = request()
    sent.specs[-1].name = sent.specs[0].name
    asked = batch_from_wire(sent)
    assert isinstance(asked, AskedBatch)
    assert list(asked.own["name"]) == [one.name for one in sent.specs]


def test_a_field_that_one_job_leaves_unset_is_not_made_a_column() -> None:
    sent = request()
    sent.specs[1].name = sent.specs[0].name
    sent.specs[-1].ClearField("name")
    asked = batch_from_wire(sent)
    assert isinstance(asked, AskedBatch)
    assert list(asked.own) == ["argv"]
    assert [one.spec.get("name") for one in asked.bare] == ["n0", "n0", "n2", None]


def test_like_jobs_share_all_and_few_are_translated_one_by_one() -> None:
    asked = batch_from_wire(SubmitManyRequest(specs=[jobs_pb2.JobSpec(name="x")] * LEAST))
    assert isinstance(asked, AskedBatch)
    assert ({id(one) for one in asked.bare}, asked.own) == ({id(asked.bare[0])}, {})
    sent = request(LEAST - 1)
    assert batch_from_wire(sent) == [spec_from_wire(one) for one in sent.specs]


def test_jobs_that_share_nothing_are_translated_one_by_one() -> None:
    sent = request(40)
    for place, one in enumerate(sent.specs):
        one.environment["PLACE"] = str(place)
    assert batch_from_wire(sent) == [spec_from_wire(one) for one in sent.specs]


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"name": "two\nlines"}, "specs[2].name"),
        ({"argv": ["a\0b"]}, "specs[2].argv"),
        ({"queue": "\x1b[31m"}, "specs[2].queue"),
        ({"environment": {"A": "x\0"}}, "specs[2].environment['A']"),
        ({"resources": jobs_pb2.Resources(features=["\x85"])}, "specs[2].resources.features"),
    ],
)
def test_forbidden_characters_are_found_in_columns_and_shared_text(
    change: dict[str, Any], field: str
) -> None:
    sent = request()
    sent.specs[2].MergeFrom(jobs_pb2.JobSpec(**change))
    for _ in range(2):
        with pytest.raises(BadValue) as told:
            batch_from_wire(sent)
        assert told.value.field == field
    whole = SubmitManyRequest(specs=[sent.specs[2]])
    with pytest.raises(BadValue, match="specs\\[0\\]"):
        batch_from_wire(whole)


def test_marks_that_are_not_control_characters_pass() -> None:
    sent = request(comment="two lines")
    sent.specs[1].name = "‏✓"
    assert isinstance(batch_from_wire(sent), AskedBatch)
