"""A listing declared once: JSON in the order of the declaration, print in the order that is asked for."""

from types import SimpleNamespace

from molokini.clients.live.job_table import JOBS, LISTED
from molokini.clients.live.node_commands import NODES
from molokini.clients.show.field_tables import Field, Fields
from molokini.proto.v1.cluster_service_pb2 import Node, NodeState
from molokini.proto.v1.jobs_pb2 import Job, JobSpec, JobState

THING = SimpleNamespace(
    name="a", size=3, part=SimpleNamespace(width=4, inner=SimpleNamespace(tags=("x", "y")))
)
FIELDS = Fields(
    Field("twice", "double", lambda thing: 2 * thing.size, figures=True),
    Field("name", "what"),
    Field("tags", "tags", "part.inner.tags", lambda thing: "+".join(thing.part.inner.tags), made=list),
    Field("width", value="part.width"),
)


def test_keys_stand_in_the_order_of_the_declaration() -> None:
    found = FIELDS.document(THING)
    assert list(found.items()) == [("twice", 6), ("name", "a"), ("tags", ["x", "y"]), ("width", 4)]
    assert FIELDS.document(THING) is not found


def test_columns_are_those_asked_for_by_their_headings() -> None:
    columns = FIELDS.columns("what", "double", "tags")
    assert [(one.name, one.figures, one.of(THING)) for one in columns] == [
        *(("what", False, "a"), ("double", True, "6"), ("tags", False, "x+y")),
    ]


def test_fields_that_are_all_computed_or_all_plain() -> None:
    assert Fields(Field("size")).document(THING) == {"size": 3}
    assert Fields(Field("one", value=lambda thing: 1)).document(THING) == {"one": 1}


def test_a_job_is_the_same_in_json_and_in_print() -> None:
    spec = JobSpec(name="n", queue="q", estimate_s=60.0)
    job = Job(id=7, user="ann", state=JobState.WAITING, reason="it waits", spec=spec)
    document = JOBS.document(job)
    printed = {column.name: column.of(job) for column in LISTED}
    assert {printed[name] for name in ("job", "name", "user", "queue", "state", "reason")} == {
        str(document[name]) for name in ("job", "name", "user", "queue", "state", "reason")
    }
    assert (document["estimate_s"], printed["estimate"]) == (60.0, "0:01:00")
    assert (document["start_s"], printed["start"]) == (None, "")


def test_a_node_has_each_field_of_the_wire() -> None:
    found = NODES.document(Node(name="n1", state=NodeState.UP, processors=4))
    assert list(found) == [field.name for field in Node.DESCRIPTOR.fields]
    assert (found["name"], found["state"], found["processors"]) == ("n1", "up", 4)
