"""A job as all batch commands see it: what unset parts mean, what follows from others, and annotations."""

import json

import pytest

from molokini.compat.job import GROUP, PBS, SLURM, Job, fields_of, written
from molokini.compat.pbs.remembered import of
from molokini.compat.slurm.jobs import View
from molokini.proto.v1 import jobs_pb2

NODES = [{"node": "n1", "processors": 4}, {"node": "n2", "processors": 2}]


def test_what_is_not_answered_is_unset() -> None:
    job = Job({"id": 7})
    assert (job.number, job.ref, job.over, job.is_array, job.nodes) == ("7", {"id": 7}, False, False, [])
    assert (job.slots, job.memory_limit_kb, job.gpus, job.indices) == (1, 0, 0, range(0))
    assert (job.may_run_again, job.out_of_memory, job.start_s, job.annotation(GROUP)) == (
        True,
        False,
        None,
        "",
    )


def test_what_follows() -> None:
    needs = {"processors": 6, "nodes": 2, "memory_kb": 10, "generic": {"gpu": 2}}
    answer = {"id": 7, "array_index": 3, "state": "FAILED", "cause": "OUT_OF_MEMORY", "submitted_s": 5.0}
    job = Job({**answer, "allocation": NODES, "spec": {"resources": needs, "array": {"last": 6, "step": 3}}})
    assert (job.number, job.ref) == ("7[3]", {"id": 7, "array_index": 3})
    assert (job.over, job.out_of_memory, job.is_array) == (True, True, False)
    assert (job.nodes, job.slots) == ([("n1", 4), ("n2", 2)], 6)
    assert (job.memory_limit_kb, job.gpus, list(job.indices)) == (60, 4, [0, 3, 6])
    whole = Job({"id": 7, "elements": {"waiting": 2}})
    assert whole.is_array


@pytest.mark.parametrize(
    ("times", "waited_s"), [({}, 5.0), ({"end_s": 8.0}, 3.0), ({"first_start_s": 6.0, "end_s": 8.0}, 1.0)]
)
def test_how_long_it_has_waited(times: dict[str, float], waited_s: float) -> None:
    assert Job({"submitted_s": 5.0, **times}).waited_s(10.0) == waited_s


def test_every_part_is_one_of_the_wire() -> None:
    everything = {field.name for field in jobs_pb2.Job.DESCRIPTOR.fields}
    asked, needed = (
        {field.name for field in kind.DESCRIPTOR.fields} for kind in (jobs_pb2.JobSpec, jobs_pb2.Resources)
    )
    seen: dict[str, set[str]] = {"answer": set(), "spec": set(), "resources": set()}

    class Noting(dict[str, object]):
        def __init__(self, part: str) -> None:
            self.part = part

        def get(self, name: str, unset: object = None) -> object:
            seen[self.part].add(name)
            return Noting("resources") if name == "resources" else unset

    job = Job({})
    job.answer, job.spec = Noting("answer"), Noting("spec")
    for name, part in vars(Job).items():
        if isinstance(part, property):
            getattr(job, name)
    assert seen["answer"] <= everything
    assert seen["spec"] <= asked
    assert seen["resources"] <= needed
    assert len(seen["spec"]) > 20


DETAILS = {"ntasks": 4, "reservation": "week"}
REMEMBERED = {"a": {"Join_Path": "oe"}, "l": {"ncpus": "2"}, "r": {"processors": 2}}


@pytest.mark.parametrize("earlier", [False, True])
def test_what_a_batch_system_has_kept_is_found_where_earlier_releases_had_it_too(earlier: bool) -> None:
    texts = {SLURM: written({**DETAILS, "dependency": ""}), PBS: json.dumps(REMEMBERED), GROUP: "/a/b"}
    former = {fields_of(name)[1].removeprefix("spec.environment."): text for name, text in texts.items()}
    assert set(former) == {"MOLOKINI_SLURM", "MOLOKINI_PBS", "MOLOKINI_LSF_GROUP"}
    job = Job({"id": 1, "spec": {"environment": former} if earlier else {"annotations": texts}})
    assert job.details(SLURM) == DETAILS
    assert View(job).detail("reservation") == "week"
    assert job.annotation(GROUP) == "/a/b"
    assert (of(job).attributes, of(job).asked, of(job).made) == (
        {"Join_Path": "oe"},
        {"ncpus": "2"},
        {"processors": 2},
    )


@pytest.mark.parametrize("text", ["", "no JSON", "[1]", "7"])
def test_what_is_no_such_document_is_none(text: str) -> None:
    job = Job({"id": 1, "spec": {"annotations": {PBS: text}}})
    assert job.details(PBS) == {}
    assert (of(job).attributes, of(job).asked, of(job).made) == ({}, {}, {})
