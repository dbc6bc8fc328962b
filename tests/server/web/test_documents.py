"""Messages and JSON, each way, for all that users' services take and answer; protobuf's own JSON judges."""

import json
from typing import Any

import pytest
from google.protobuf.descriptor import Descriptor
from google.protobuf.json_format import MessageToDict, MessageToJson, ParseDict, ParseError
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from molokini.model.errors import BadInput, BadValue, Conflict
from molokini.proto.v1 import cluster_service_pb2, job_service_pb2, jobs_pb2
from molokini.server.security.statuses import Undecodable, text_of
from molokini.server.web.answers import written
from molokini.server.web.documents import document_of_values, to_document
from molokini.server.web.reading import UnknownField, from_document, parsed
from tests.kit.messages import kinds, messages

KINDS = kinds()
FEW = settings(max_examples=20)
"""Of each kind; there are many kinds."""
GET, LIST = job_service_pb2.GetJobRequest, job_service_pb2.ListJobsRequest
SUBMIT, CLOCK = job_service_pb2.SubmitRequest, cluster_service_pb2.ChangeClockRequest


@pytest.mark.quick(one_in=5)
@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
@FEW
@given(data=st.data())
def test_a_message_comes_back_as_it_was(kind: Descriptor, data: st.DataObject) -> None:
    message = data.draw(messages(kind))
    document = to_document(message)
    made = from_document(type(message), parsed(written(document)))
    assert same(made, message)
    # With whole numbers as numbers and infinities as texts, it is what protobuf's own JSON is.
    ours = json.loads(written(document), parse_int=str)
    theirs = json.loads(MessageToJson(message, preserving_proto_field_name=True), parse_int=str)
    assert ours == theirs


@pytest.mark.quick(one_in=7)
@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
@FEW
@given(data=st.data())
def test_values_make_the_document_of_the_message_that_they_would_make(
    kind: Descriptor, data: st.DataObject
) -> None:
    message = data.draw(messages(kind))
    # A message tells -0.0 from what is not set; nothing here has it.
    assume(": -0\n" not in str(message))
    values = values_of(message, data.draw)
    assert document_of_values(kind, values) == to_document(message)


def values_of(message: Message, draw: Any) -> dict[str, Any]:
    """What *message* is made of; its parts are mappings or messages, and some values are 0 or empty."""
    made: dict[str, Any] = {}
    for field in message.DESCRIPTOR.fields:
        value = getattr(message, field.name)
        if field.has_presence and not message.HasField(field.name):
            continue
        if not field.has_presence and not value and draw(st.booleans()):
            continue
        if field.message_type is not None and field.message_type.GetOptions().map_entry:
            made[field.name] = dict(value)
        elif field.message_type is None:
            made[field.name] = list(value) if field.is_repeated else value
        elif field.is_repeated:
            made[field.name] = [part_of(one, draw) for one in value]
        else:
            made[field.name] = part_of(value, draw)
    return made


def part_of(message: Message, draw: Any) -> Any:
    return values_of(message, draw) if draw(st.booleans()) else message


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
@FEW
@given(data=st.data(), spelled_twice=st.booleans())
def test_what_protobuf_writes_is_read(kind: Descriptor, data: st.DataObject, spelled_twice: bool) -> None:
    message = data.draw(messages(kind))
    document = MessageToDict(message, preserving_proto_field_name=spelled_twice)
    assert same(from_document(type(message), document), message)


ODD: list[Any] = [
    *(None, True, False, 0, 1, -1, 7, 1.0, 1.5, 2**31, 2**63, 2**64, -(2**63) - 1, 10**400, 1e308),
    *(float("inf"), "", "1", "-1", "1.5", "1e3", "0x1", " 1", "1_0"),
    *("HELD", "held", "NaN", "-Infinity", "inf"),
    *("\ud800", "aGk=", [], {}, [None], [1], ["1"], {"": None}, {"a": 1}, [[]], [{}]),
]


@st.composite
def changed(draw: st.DrawFn, document: Any) -> Any:
    """*document* with some of its values and names exchanged."""
    if not draw(st.integers(0, 7)):
        return draw(st.sampled_from(ODD))
    if isinstance(document, dict):
        made = {name: draw(changed(one)) for name, one in document.items()}
        if made and not draw(st.integers(0, 7)):
            made[draw(st.sampled_from(["jo", "", "x" * 300]))] = made.pop(next(iter(made)))
        return made
    if isinstance(document, list):
        return [draw(changed(one)) for one in document]
    return document


@pytest.mark.quick(one_in=7)
@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
@FEW
@given(data=st.data())
def test_what_is_read_is_what_protobuf_reads(kind: Descriptor, data: st.DataObject) -> None:
    """Nothing is taken that protobuf refuses, or as another message than it says."""
    document = data.draw(changed(MessageToDict(data.draw(messages(kind)))))
    made_as = GetMessageClass(kind)
    try:
        made = from_document(made_as, document)
    except BadInput as error:
        assert_plain(error)
        return
    assert same(made, ParseDict(document, made_as()))


def test_what_is_refused_beyond_what_protobuf_refuses() -> None:
    for text in ("1_0", " 1", "٣", "inf", "nan"):
        with pytest.raises(BadValue):
            from_document(SUBMIT, {"spec": {"estimate_s": text}})
    with pytest.raises(ParseError):
        ParseDict({"spec": {"estimate_s": "nan"}}, SUBMIT())


@pytest.mark.parametrize(
    ("kind", "document", "text"),
    [
        (GET, [], "a list of 0 is not allowed; a GetJobRequest must be an object"),
        (GET, None, "null is not allowed; a GetJobRequest must be an object"),
        (GET, {"jo": {}}, "jo: GetJobRequest has no such field; did you mean 'job'?"),
        (GET, {"zzz": {}}, "zzz: GetJobRequest has no such field; it has job"),
        (GET, {"job": 3}, "job: 3 is not allowed; it must be an object, as JobRef is"),
        (GET, {"job": {"id": "three"}}, "job.id: 'three' is not allowed; it must be a whole number from -9"),
        (GET, {"job": {"id": 1.5}}, "job.id: 1.5 is not allowed; it must be a whole number from"),
        (GET, {"job": {"id": True}}, "job.id: true is not allowed; it must be a whole number from"),
        (GET, {"job": {"id": 2**63}}, "job.id: 9223372036854775808 is not allowed"),
        (GET, {"job": {"id": 10**5000}}, "job.id: a huge number is not allowed"),
        (
            GET,
            {"job": {"id": 1, "arrayIndex": 2, "array_index": 3}},
            "job.array_index: it is already given as 'a",
        ),
        (SUBMIT, {"spec": {"estimate_s": "x"}}, "spec.estimate_s: 'x' is not allowed; it must be a number"),
        (SUBMIT, {"spec": {"estimate_s": 10**400}}, "spec.estimate_s: a huge number is not allowed"),
        (SUBMIT, {"spec": {"estimate_s": float("inf")}}, "spec.estimate_s: Infinity is not allowed"),
        (SUBMIT, {"spec": {"held": 1}}, "spec.held: 1 is not allowed; it must be true or false"),
        (SUBMIT, {"spec": {"name": 1}}, "spec.name: 1 is not allowed; it must be a text"),
        (SUBMIT, {"spec": {"name": "\ud800"}}, "spec.name: '\\ud800' is not allowed; it must be a text with"),
        (SUBMIT, {"spec": {"argv": "true"}}, "spec.argv: 'true' is not allowed; it must be a list"),
        (SUBMIT, {"spec": {"argv": ["a", None]}}, "spec.argv[1]: null is not allowed; it must be a text"),
        (SUBMIT, {"spec": {"environment": []}}, "spec.environment: a list of 0 is not allowed"),
        (SUBMIT, {"spec": {"environment": {"A": 1}}}, "spec.environment['A']: 1 is not allowed"),
        (
            SUBMIT,
            {"spec": {"dependencies": [{}, {"kind": "X"}]}},
            "spec.dependencies[1].kind: 'X' is not",
        ),
        (LIST, {"states": ["waiting"]}, "states[0]: 'waiting' is not allowed; it must be HELD, WAITING, RUN"),
        (CLOCK, {"advance_s": 1, "pause": True}, "pause: it does not go with 'advance_s'; set one of them"),
    ],
)
def test_what_is_wrong_is_said_in_one_line(kind: type[Message], document: Any, text: str) -> None:
    with pytest.raises(BadInput) as caught:
        from_document(kind, document)
    assert str(caught.value).startswith(text)
    assert_plain(caught.value)
    assert isinstance(caught.value, BadValue | Conflict | Undecodable)
    field = getattr(caught.value, "field", "")
    assert str(caught.value).startswith(field)


def test_a_field_that_there_is_not_has_a_reason_of_its_own() -> None:
    with pytest.raises(UnknownField) as caught:
        from_document(SUBMIT, {"spec": {"resources": {"cores": 3}}})
    assert caught.value.field == "spec.resources.cores"


@pytest.mark.parametrize(
    ("body", "text"),
    [
        (b"{", "not JSON: Expecting property name enclosed in double quotes (line 1, column 2)"),
        (b'{"a":1,\n}', "not JSON: "),
        (b"{} {}", "not JSON: Extra data (line 1, column 4)"),
        (b"\xef\xbb\xbf{}", "not JSON: Expecting value (line 1, column 1)"),
        ('{"a": 1}'.encode("utf-16"), "not UTF-8 at byte 1"),
        (b'{"a":"\xff"}', "not UTF-8 at byte 7"),
        (b'{"a":"\xed\xa0\x80"}', "not UTF-8 at byte 7"),  # half of a surrogate pair, as if it were a letter
        (b'{"a":"\0"}', "not JSON: Invalid control character at (line 1, column 7)"),
        (b'{"a":1,"a":2}', "not JSON: 'a' is in one object twice"),
        (b'{"b":{"c":1,"a":{},"a":2}}', "not JSON: 'a' is in one object twice"),
        (b'{"a":NaN}', "not JSON: NaN"),
        (b"[Infinity]", "not JSON: Infinity"),
        (b"-Infinity", "not JSON: -Infinity"),
        (b"[" * 200_000, "not JSON: nested too deeply"),
        (b'{"a":' * 200_000, "not JSON: nested too deeply"),
        (b"9" * 5000, "not JSON: a number with too many digits"),
    ],
)
def test_what_is_no_json_is_said_in_one_line(body: bytes, text: str) -> None:
    with pytest.raises(Undecodable) as caught:
        parsed(body)
    assert str(caught.value).startswith(text)
    assert_plain(caught.value)


@given(
    st.one_of(st.binary(max_size=40), st.text(max_size=40).map(lambda text: text.encode("utf-8", "replace")))
)
def test_no_bytes_end_in_another_error(body: bytes) -> None:
    try:
        parsed(body)
    except Undecodable as error:
        assert_plain(error)


def test_an_array_of_one_element_is_an_array() -> None:
    made = from_document(SUBMIT, {"spec": {"array": {}}})
    assert isinstance(made, job_service_pb2.SubmitRequest)
    assert made.spec.HasField("array")
    assert to_document(jobs_pb2.JobSpec(array=jobs_pb2.ArraySpec())) == {"array": {}}


def assert_plain(error: BadInput) -> None:
    """One short line that tells no library's name."""
    text = text_of(error)
    assert "\n" not in str(error).replace("\\n", "")
    assert len(text) < 1000
    assert not any(word in text for word in ("protobuf", "molokini.v1", "Traceback", "<", "json_format"))


def same(one: Message, other: Message) -> bool:
    """Whether they are equal, NaN being equal to itself."""
    return one.SerializeToString(deterministic=True) == other.SerializeToString(deterministic=True)
