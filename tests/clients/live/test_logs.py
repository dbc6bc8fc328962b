"""Which file ``molokini logs`` reads of a job on several nodes."""

from pathlib import Path
from typing import Any

import pytest

from molokini.clients.live.logs import path_of
from molokini.model.errors import BadInput
from molokini.proto.v1.jobs_pb2 import Allocation, Job, JobSpec


def job(nodes: int = 3, **spec: Any) -> Job:
    """One that runs on n0, n1 and so on."""
    made = JobSpec(working_directory="/w", **spec)
    return Job(id=7, spec=made, allocation=[Allocation(node=f"n{k}", processors=1) for k in range(nodes)])


@pytest.mark.parametrize(
    ("spec", "node", "path"),
    [
        ({}, None, "molokini-7.out"),
        ({}, "n0", "molokini-7.out"),
        ({}, "n2", "molokini-7.out.n2"),
        ({"stdout_path": "o-%j"}, "n1", "o-7.n1"),
        ({"stdout_path": "o-%N"}, None, "o-n0"),
        ({"stdout_path": "o-%N"}, "n1", "o-n1"),
        ({"stdout_path": "/dev/null"}, "n1", "/dev/null"),
    ],
)
def test_each_node_has_its_file(spec: dict[str, Any], node: str | None, path: str) -> None:
    assert path_of(job(**spec), False, node) == Path("/w") / path


def test_standard_error_of_a_node() -> None:
    assert path_of(job(stderr_path="err"), True, "n1") == Path("/w/err.n1")


def test_a_node_that_is_none_of_its_own() -> None:
    with pytest.raises(BadInput) as refused:
        path_of(job(12), False, "x")
    ten = ", ".join(f"n{k}" for k in range(10))
    assert str(refused.value).endswith(f"it must be a node of job 7: {ten} and 2 more")
