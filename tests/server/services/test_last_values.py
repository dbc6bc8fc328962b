"""What requests may say at most: the last value that is taken, and the first that is refused by its field."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from google.protobuf.message import Message

from molokini.client import errors
from molokini.client.client import Client
from molokini.proto.v1 import cluster_service_pb2 as cluster
from molokini.proto.v1 import job_service_pb2 as wire
from molokini.proto.v1 import jobs_pb2
from molokini.server.services.job_service import MOST_REFERENCES
from tests.kit.maui_file import maui_file
from tests.kit.serving import Served, served

ONE = jobs_pb2.JobRef(id=1)


@pytest.fixture
async def one(tmp_path: Path) -> AsyncIterator[Served]:
    file = maui_file(tmp_path)
    async with served(tmp_path, "maui", policy__maui_config=str(file)) as made:
        yield made


def jobs(count: int) -> wire.ChangeJobsRequest:
    return wire.ChangeJobsRequest(jobs=[jobs_pb2.JobRef(id=1 + place) for place in range(count)])


def reason(count: int) -> wire.ChangeJobsRequest:
    return wire.ChangeJobsRequest(jobs=[ONE], reason="r" * count)


def fields(count: int) -> wire.AlterJobRequest:
    return wire.AlterJobRequest(job=jobs_pb2.JobRef(id=2), fields=["comment"] * count)


def wait(timeout_s: float) -> wire.WaitJobsRequest:
    return wire.WaitJobsRequest(jobs=[ONE], timeout_s=timeout_s)


def nodes(**more: Any) -> cluster.ChangeNodesRequest:
    return cluster.ChangeNodesRequest(**{"names": ["n1"], "state": cluster.DRAINING, **more})


def queue(**more: Any) -> cluster.SetQueueRequest:
    return cluster.SetQueueRequest(queue=cluster.Queue(**{"name": "night", "enabled": True, **more}))


def maui(name: str, value: str) -> cluster.ChangeMauiParameterRequest:
    return cluster.ChangeMauiParameterRequest(name=name, value=value)


def report(**more: Any) -> cluster.GetReportRequest:
    return cluster.GetReportRequest(name="windows", **more)


def page(**more: Any) -> wire.ListJobsRequest:
    return wire.ListJobsRequest(**more)


LIMITS: list[tuple[str, Message, Message, str]] = [
    ("AlterJob", fields(1), fields(0), "fields"),
    ("AlterJob", fields(50), fields(51), "fields"),
    ("WaitJobs", wait(86_400.0), wait(86_400.5), "timeout_s"),
    ("WaitJobs", wait(0.0), wait(-0.5), "timeout_s"),
    ("WaitJobs", wire.WaitJobsRequest(jobs=[ONE]), wire.WaitJobsRequest(), "jobs"),
    ("CancelJobs", jobs(1), jobs(0), "jobs"),
    ("CancelJobs", jobs(MOST_REFERENCES), jobs(MOST_REFERENCES + 1), "jobs"),
    ("CancelJobs", reason(1000), reason(1001), "reason"),
    ("ListJobs", page(page_size=100_000), page(page_size=100_001), "page_size"),
    ("ListJobs", page(page_size=0), page(page_size=-1), "page_size"),
    ("ListJobs", page(page_token="1:-1"), page(page_token="1"), "page_token"),
    ("ListJobs", page(fields=["id"]), page(fields=["ids"]), "fields"),
    ("ChangeNodes", nodes(reason="r" * 1000), nodes(reason="r" * 1001), "reason"),
    ("ChangeNodes", nodes(reason="r e"), nodes(reason="r\u202ee"), "reason"),
    ("ChangeNodes", nodes(), nodes(names=[]), "names"),
    ("ChangeNodes", nodes(state=cluster.UP), nodes(state=cluster.NODE_STATE_UNSPECIFIED), "state"),
    (
        "ListNodes",
        cluster.ListNodesRequest(page_token="9" * 9),
        cluster.ListNodesRequest(page_token="9" * 10),
        "page",
    ),
    ("SetQueue", queue(name="q" * 64), queue(name="q" * 65), "queue.name"),
    ("SetQueue", queue(max_jobs=0), queue(max_jobs=-1), "queue.max_jobs"),
    ("SetQueue", queue(max_estimate_s=0.0), queue(max_estimate_s=-0.5), "queue.max_estimate_s"),
    ("SetQueue", queue(default_memory_kb=2**53 - 1), queue(default_memory_kb=2**53), "queue.default_memory"),
    ("ChangeMauiParameter", maui("QUEUETIMEWEIGHT", "1"), maui("QUEUETIMEWEIGHT", ""), "value"),
    ("ChangeMauiParameter", maui("QUEUETIMEWEIGHT", "1"), maui("QUEUETIMEWEIGHT", "1" * 4097), "value"),
    ("ChangeMauiParameter", maui("QUEUETIMEWEIGHT", "1"), maui("", "1"), "name"),
    ("ChangeMauiParameter", maui("QUEUETIMEWEIGHT", "1"), maui("Q" * 256, "1"), "name"),
    ("GetReport", report(duration_s=0.0), report(duration_s=-0.5), "duration_s"),
    ("GetReport", report(duration_s=1e300), report(duration_s=float("inf")), "duration_s"),
    ("GetReport", report(processors=0), report(processors=-1), "processors"),
    ("GetReport", report(), report(features=["f"] * 63), "features"),
    ("GetStatement", cluster.GetStatementRequest(limit=1), cluster.GetStatementRequest(limit=-1), "limit"),
    (
        "GetStatement",
        cluster.GetStatementRequest(limit=10_000),
        cluster.GetStatementRequest(limit=10_001),
        "limit",
    ),
]


async def test_the_last_value_is_taken_and_the_next_refused_by_its_field(root: Client, one: Served) -> None:
    job = await root.submit(estimate_s=10, held=True)
    await root.submit(estimate_s=10, held=True)
    assert job == 1
    for method, last, beyond, field in LIMITS:
        service = root._job_service if hasattr(root._job_service, method) else root._cluster_service
        with pytest.raises(errors.Refused, match=f"^{field}"):
            await root._caller.call(getattr(service, method), beyond)
        if method == "WaitJobs":
            # Who has ended is not waited for.
            await root.cancel([1])
        await root._caller.call(getattr(service, method), last)
