"""Bad input over the wire (rows B9, B10, B13, B14, B24 and B25): refused, or kept as data.

After each the server serves, nothing is executed, and nothing that was refused has left a trace.
"""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import grpc
import pytest

from molokini.client import errors
from molokini.client.client import Client
from molokini.proto.v1 import job_service_pb2 as wire
from molokini.proto.v1 import jobs_pb2
from molokini.proto.v1.job_service_pb2_grpc import JobServiceStub
from molokini.server.security.roles import Role
from tests.kit.serving import Served, served

DATA = [
    "$(touch x)",
    "`touch x`",
    "; rm -rf .",
    "-rf",
    "..",
    "/",
    "\N{OCTOPUS}",
    "'; DROP TABLE jobs; --",
    "%s%n",
]
"""Odd, but data: what somebody else would give to a shell or to a database."""

REFUSED = ["a\nb", "a\x1b[31mb", "a\u202eb", "a\0b", "x" * 10_000]


@pytest.fixture
async def one(tmp_path: Path) -> AsyncIterator[Served]:
    async with served(tmp_path) as serving:
        yield serving


async def raw(one: Served, method: str, request: Any, name: str = "ann") -> Any:
    """The answer to *request* as it is, past the client's own checks; AioRpcError where it is refused."""
    metadata = (("authorization", f"Bearer {one.token(name)}"),)
    async with grpc.aio.insecure_channel(f"127.0.0.1:{one.server.port}") as channel:
        return await getattr(JobServiceStub(channel), method)(request, metadata=metadata, timeout=60)  # type: ignore[no-untyped-call]


@pytest.mark.quick(one_in=5)
@pytest.mark.parametrize("field", ["name", "account", "group", "qos", "notify", "comment", "submission_key"])
async def test_b9_b10_what_a_shell_would_obey_is_kept_as_data(one: Served, field: str) -> None:
    async with one.client() as ann:
        for text in DATA:
            spec = jobs_pb2.JobSpec(estimate_s=10, held=True)
            setattr(spec, field, text)
            job = await ann.submit(spec)
            assert getattr((await ann.job(job)).spec, field) == text
    for text in REFUSED:
        wrong = text if field != "comment" else text.replace("x" * 10_000, "x" * 4097)
        spec = jobs_pb2.JobSpec(estimate_s=10)
        setattr(spec, field, wrong)
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            await raw(one, "Submit", wire.SubmitRequest(spec=spec))
        assert caught.value.code() is grpc.StatusCode.INVALID_ARGUMENT
        assert field in (caught.value.details() or "")


async def refused(one: Served, spec: jobs_pb2.JobSpec) -> str:
    """The text with which a submission is refused; it names its field and has left nothing behind."""
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await raw(one, "Submit", wire.SubmitRequest(spec=spec))
    assert caught.value.code() in (grpc.StatusCode.INVALID_ARGUMENT, grpc.StatusCode.NOT_FOUND)
    text = caught.value.details() or ""
    assert "Traceback" not in text
    assert "\n" not in text
    assert not (await raw(one, "ListJobs", wire.ListJobsRequest(include_ended=True))).jobs
    return text


@pytest.mark.quick(one_in=2)
@pytest.mark.parametrize("text", [*DATA, *REFUSED])
async def test_b10_no_such_text_names_a_queue_a_variable_or_an_address(one: Served, text: str) -> None:
    assert "queue" in await refused(one, jobs_pb2.JobSpec(estimate_s=10, queue=text))
    if text in REFUSED:
        assert "mail_to" in await refused(one, jobs_pb2.JobSpec(estimate_s=10, mail_to=[text]))
        assert "mail_events" in await refused(one, jobs_pb2.JobSpec(estimate_s=10, mail_events=[text]))
    if text in REFUSED and len(text) < 100:
        assert "environment" in await refused(one, jobs_pb2.JobSpec(estimate_s=10, environment={text: "x"}))


@pytest.mark.quick(one_in=3)
@pytest.mark.parametrize(
    ("resources", "named"),
    [
        ({"processors": -1}, "processors"),
        ({"processors": 2**31}, "processors"),
        ({"processors": 2**63 - 1}, "processors"),
        ({"processors": 17}, "at most the machine's 16"),
        ({"nodes": -1}, "nodes"),
        ({"nodes": 10**9}, "processors"),
        ({"nodes": 2**62, "processors_per_node": 2**62}, "nodes"),
        ({"processors_per_node": -1}, "processors_per_node"),
        ({"memory_kb": -1}, "memory_kb"),
        ({"memory_kb": 2**63 - 1}, "memory_kb"),
        ({"generic": {"gpu": -1}}, "gpu"),
        ({"generic": {"gpu": 2**63 - 1}}, "gpu"),
        ({"features": ["a\nb"]}, "feature"),
    ],
)
async def test_b13_amounts_of_resources(one: Served, resources: dict[str, Any], named: str) -> None:
    spec = jobs_pb2.JobSpec(estimate_s=10, resources=jobs_pb2.Resources(**resources))
    assert named in await refused(one, spec)


@pytest.mark.quick(one_in=3)
@pytest.mark.parametrize("field", ["estimate_s", "begin_at_s", "deadline_s"])
@pytest.mark.parametrize("value", [-5.0, float("nan"), float("inf"), -float("inf"), 3.6e11 * 1000])
async def test_b13_times(one: Served, field: str, value: float) -> None:
    spec = jobs_pb2.JobSpec(estimate_s=10)
    setattr(spec, field, value)
    assert field in await refused(one, spec)


@pytest.mark.parametrize(
    ("array", "named"),
    [
        ({"first": 0, "last": 999_999_999}, "at most 100,000 elements"),
        ({"first": 5, "last": 1}, "the first not after the last"),
        ({"first": -1, "last": 1}, "array"),
        ({"first": 1, "last": 10, "step": -1}, "array.step"),
        ({"first": 1, "last": 2**63 - 1, "step": 2**62}, "array"),
        ({"first": 1, "last": 3, "running_limit": -1}, "running_limit"),
    ],
)
async def test_b14_arrays(one: Served, array: dict[str, Any], named: str) -> None:
    spec = jobs_pb2.JobSpec(estimate_s=10, array=jobs_pb2.ArraySpec(**array))
    assert named in await refused(one, spec)


async def test_b14_dependencies_on_itself_the_future_others_and_very_many(one: Served) -> None:
    kind = jobs_pb2.Dependency.AFTER_OK

    def spec(*jobs: int) -> jobs_pb2.JobSpec:
        return jobs_pb2.JobSpec(
            estimate_s=10, dependencies=[jobs_pb2.Dependency(kind=kind, job_id=job) for job in jobs]
        )

    # The next id is its own, and one after it would close a ring: neither exists yet.
    for job in (1, 2, 0, -1, 2**63 - 1):
        assert "dependencies.job_id" in await refused(one, spec(job))
    assert "at most 1,000" in await refused(one, spec(*range(1, 10_001)))
    unspecified = jobs_pb2.JobSpec(estimate_s=10, dependencies=[jobs_pb2.Dependency(job_id=1)])
    assert "dependencies.kind" in await refused(one, unspecified)
    async with one.client("bob") as bob:
        of_bob = await bob.submit(estimate_s=10, held=True)
    with pytest.raises(grpc.aio.AioRpcError, match="job of the same user"):
        await raw(one, "Submit", wire.SubmitRequest(spec=spec(of_bob)))


@pytest.mark.parametrize(
    ("fields", "named"),
    [
        ({"environment": {"A=B": "1"}}, "environment"),
        ({"environment": {"A": "1\0"}}, "environment"),
        ({"stdout_path": "x" * 5000}, "stdout_path"),
        ({"user_priority": 5}, "user_priority"),
    ],
)
async def test_b10_other_fields(one: Served, fields: dict[str, Any], named: str) -> None:
    assert named in await refused(one, jobs_pb2.JobSpec(estimate_s=10, **fields))


async def test_b10_a_job_has_few_addresses(one: Served) -> None:
    assert "mail_to" in await refused(one, jobs_pb2.JobSpec(estimate_s=10, mail_to=["a@b"] * 101))


@pytest.mark.parametrize("name", ["root", "0", "1000", "nobody", "x" * 64])
async def test_b24_a_user_is_who_his_credential_says_whatever_he_is_called(one: Served, name: str) -> None:
    # Emulated nodes run nothing as anybody; a name gives no role, and one that is a number is no uid.
    async with one.client(name) as client:
        job = await client.submit(estimate_s=10, held=True)
        assert (await client.job(job)).user == name
        with pytest.raises(errors.NotAllowed):
            await client.advance(1)


ROOT = ("root", Role.ADMINISTRATOR)


async def gone(one: Served, root: Client, *jobs: int) -> None:
    """Let time pass until *jobs* have left the memory."""
    for _ in range(200):
        await root.advance(100)
        if not one.core.state.jobs.keys() & {*jobs}:
            return
    raise AssertionError("they stay in the memory")


@pytest.mark.quick(one_in=3)
@pytest.mark.parametrize("text", [*DATA, "' OR '1'='1", '" OR ""="', "%", "_", "a' UNION SELECT 1 --"])
async def test_b25_text_of_a_query_is_no_query(tmp_path: Path, text: str) -> None:
    # Nothing stays in the memory, so that the listing goes to the database.
    forgetful = served(tmp_path, history__finished_jobs=0, history__finished_s=0.0)
    async with forgetful as one, one.client() as ann, one.client(*ROOT) as root:
        plain = await ann.submit(estimate_s=1, name="plain")
        odd = await ann.submit(estimate_s=1, name=text)
        await gone(one, root, plain, odd)
        assert [job.id async for job in ann.jobs(name=text, include_ended=True)] == [odd]
        assert [job async for job in ann.jobs(users=[text], include_ended=True)] == []
        assert [job async for job in ann.jobs(queues=[text], include_ended=True)] == []


async def test_b25_pages_cursors_and_columns(one: Served) -> None:
    async with one.client() as ann:
        await ann.submit_many([jobs_pb2.JobSpec(estimate_s=10, held=True) for _ in range(3)])
    for request, named in (
        (wire.ListJobsRequest(page_size=10**9), "page_size"),
        (wire.ListJobsRequest(page_size=-1), "page_size"),
        (wire.ListJobsRequest(page_token="1; DROP TABLE jobs"), "page_token"),
        (wire.ListJobsRequest(page_token="9" * 10_000), "page_token"),
        (wire.ListJobsRequest(fields=["id; DROP TABLE jobs"]), "fields"),
        (wire.ListJobsRequest(states=[99]), "states"),  # type: ignore[list-item]
    ):
        with pytest.raises(grpc.aio.AioRpcError, match=named) as caught:
            await raw(one, "ListJobs", request)
        assert caught.value.code() is grpc.StatusCode.INVALID_ARGUMENT
    # A cursor that was forged, and is none the less one, leads nowhere that its forger may not look.
    for token in ("-5:-5", "0:0", f"{2**70}:{2**70}", "2:7"):
        page = await raw(one, "ListJobs", wire.ListJobsRequest(page_token=token))
        assert len(page.jobs) <= 3
