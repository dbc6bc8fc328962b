"""Each cell of the two tables in docs/security.md: which role may do what, asked of a live server."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import grpc
import pytest
import pytest_asyncio
from google.protobuf.descriptor import MethodDescriptor
from google.protobuf.json_format import ParseDict
from google.protobuf.message_factory import GetMessageClass

from molokini.proto.v1 import agent_service_pb2
from molokini.server.security.methods import NEEDS
from molokini.server.security.roles import Role
from tests.kit.messages import METHODS_OF_USERS, path_of
from tests.kit.serving import Served, served
from tests.kit.streams import heard

PAGE = Path(__file__).parents[3] / "docs" / "security.md"
OF_AGENTS = agent_service_pb2.DESCRIPTOR.services_by_name["AgentService"]
METHODS: dict[str, MethodDescriptor] = {
    f"{one.containing_service.name}/{one.name}": one for one in (*METHODS_OF_USERS, *OF_AGENTS.methods)
}
COLUMNS = {
    "user": ("ann", Role.USER),
    "user, private": ("ann", Role.USER),
    "operator": ("olga", Role.OPERATOR),
    "administrator": ("adam", Role.ADMINISTRATOR),
    "node": ("n9", Role.NODE),
}
OTHER = "bob"
WATCH = "JobService/WatchJobs"

on_one_loop = pytest.mark.asyncio(loop_scope="module")

Document = dict[str, Any]


def rows(header: str) -> list[list[str]]:
    """The cells of the table of the page that has this *header*."""
    lines = PAGE.read_text(encoding="utf-8").splitlines()
    first = lines.index(header) + 2
    found: list[list[str]] = []
    for line in lines[first:]:
        if not line.startswith("|"):
            return found
        found.append([cell.strip() for cell in line.strip("|").split("|")])
    raise AssertionError("the table has no end")


METHOD_ROWS = rows("| method | user | user, private | operator | administrator | node |")
TOKEN_ROWS = rows("| method | of the role | user | operator | administrator | node |")
PRIORITY, TEXT = {"user_priority": 5}, {"script": "#!/bin/sh\nid\n", "argv": ["/bin/id"], "stdout_path": "/x"}
NOT_NOW, WRONG, NONE = "FAILED_PRECONDITION", "INVALID_ARGUMENT", "NOT_FOUND"


@dataclass(frozen=True)
class Asked:
    """What is asked; *code* is the status of a call that is let through, *refused* of one that is not."""

    document: Document
    code: str = "OK"
    refused: str = "PERMISSION_DENIED"


def asked(row: str, job: int) -> Asked:
    """The request of this row of the table, about *job* where it is about one."""
    one, jobs = {"job": {"id": job}}, {"jobs": [{"id": job}]}
    queue = {"name": "default", "enabled": True, "started": True}
    holds = {hold: {**jobs, "hold": f"HOLD_{hold.upper()}"} for hold in ("user", "operator", "system")}
    return {
        "JobService/Submit": Asked({"spec": {"held": True}}),
        "JobService/SubmitStream": Asked({"spec": {"held": True}}),
        "JobService/SubmitMany": Asked({"specs": [{"held": True}]}),
        "JobService/GetJob": Asked(one),
        "JobService/GetJob: script, environment, annotations": Asked(one),
        "JobService/ListJobs": Asked({"job_ids": [job]}),
        "JobService/ListJobs: script, environment, annotations": Asked(
            {"job_ids": [job], "fields": ["spec"]}
        ),
        WATCH: Asked({}),
        "JobService/WaitJobs": Asked({**jobs, "timeout_s": 0.001}),
        "JobService/ExplainJob": Asked({"id": job}),
        "JobService/ForecastJob": Asked(one),
        "JobService/CancelJobs": Asked(jobs),
        "JobService/HoldJobs: user hold": Asked(holds["user"]),
        "JobService/HoldJobs: operator hold": Asked(holds["operator"]),
        "JobService/HoldJobs: system hold": Asked(holds["system"]),
        "JobService/ReleaseJobs: user hold": Asked(holds["user"]),
        "JobService/ReleaseJobs: operator hold": Asked(holds["operator"]),
        "JobService/ReleaseJobs: system hold": Asked(holds["system"]),
        "JobService/ReleaseJobs: all holds": Asked({**jobs, "all_holds": True}),
        "JobService/RequeueJobs": Asked(jobs, NOT_NOW),
        "JobService/SuspendJobs": Asked(jobs, NOT_NOW),
        "JobService/ResumeJobs": Asked(jobs, NOT_NOW),
        "JobService/SignalJobs": Asked({**jobs, "signal": 10}, NOT_NOW),
        "JobService/AlterJob": Asked({**one, "spec": {"name": "x"}, "fields": ["name"]}),
        "JobService/AlterJob: raise a priority": Asked(
            {**one, "spec": PRIORITY, "fields": ["user_priority"]}, refused=WRONG
        ),
        "JobService/AlterJob: what runs": Asked({**one, "spec": TEXT, "fields": list(TEXT)}, refused=WRONG),
        "JobService/StartJobs": Asked(jobs, NOT_NOW),
        "JobService/SliceJobs": Asked(jobs, NOT_NOW),
        "JobService/SetRates": Asked({**jobs, "rate": "50%"}, NOT_NOW),
        "JobService/ListRates: ask": Asked(jobs),
        "ClusterService/GetReport: job": Asked({"name": "job", "job": str(job)}),
        "ClusterService/GetReport: queue": Asked({"name": "queue"}),
        "ClusterService/GetReport: priorities": Asked({"name": "priorities"}, WRONG),
        "ClusterService/WhatIf": Asked({}, WRONG),
        "ClusterService/BookAccount: refund": Asked({"account": "p", "booking": "REFUND"}, NONE),
        "ClusterService/BookAccount: deposit": Asked({"account": "p", "booking": "DEPOSIT"}, NONE),
        "ClusterService/BookAccount: withdrawal": Asked({"account": "p", "booking": "WITHDRAWAL"}, NONE),
        "ClusterService/ChangeNodes": Asked({"names": ["n1"], "state": "UP"}),
        "ClusterService/SetQueue: open and close": Asked({"queue": queue}),
        "ClusterService/SetQueue: limits and access": Asked({"queue": {**queue, "max_processors": 8}}),
        "ClusterService/SetPolicy": Asked({"name": "fcfs"}),
        "ClusterService/ChangeMauiParameter": Asked({"name": "QUEUETIMEWEIGHT", "value": "2"}, WRONG),
        "ClusterService/TraceIteration": Asked({}, WRONG),
        "ClusterService/ShadowPolicy": Asked({"name": "nothing"}, NONE),
        "ClusterService/ChangeScheduling": Asked({"resume": True}),
        "ClusterService/ChangeClock": Asked({"advance_s": 1.0}),
        "ClusterService/CreateReservation": Asked(
            {"reservation": {"name": f"r{job}", "processors": 1, "start_s": 1e6, "end_s": 2e6}}
        ),
        "ClusterService/ReleaseReservation": Asked({"name": "nothing"}, NONE),
        "AgentService/ReleaseAgent": Asked({"name": "nothing"}, NONE),
    }.get(row, Asked({}))


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def servers(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[dict[bool, Served]]:
    """One as it comes, and one with privacy."""
    async with AsyncExitStack() as stack:
        yield {
            private: await stack.enter_async_context(
                served(
                    tmp_path_factory.mktemp("rights"),
                    security__privacy=private,
                    limits__requests_per_second=10_000.0,
                    limits__burst=10_000,
                )
            )
            for private in (False, True)
        }


_PROOFS: dict[tuple[str, str, Role], str] = {}


def proof(one: Served, name: str, role: Role = Role.USER) -> str:
    """A token of *name*, the same one until the keys are rotated: each new one is written to a disk."""
    assert one.server.security.tokens is not None
    key = one.server.security.tokens.ring.newest.name, name, role
    if key not in _PROOFS:
        _PROOFS[key] = one.token(name, role)
    return _PROOFS[key]


@dataclass(frozen=True)
class Answer:
    """The status of a call by name, and the first message of what was answered."""

    code: str
    message: Any = None


async def call(one: Served, row: str, document: Document, token: str) -> Answer:
    method = METHODS[row.partition(":")[0]]
    how = "_".join(
        "stream" if many else "unary" for many in (method.client_streaming, method.server_streaming)
    )
    body = ParseDict(document, GetMessageClass(method.input_type)()).SerializeToString()
    read = GetMessageClass(method.output_type).FromString
    async with grpc.aio.insecure_channel(f"127.0.0.1:{one.server.port}") as channel:
        multi: Any = getattr(channel, how)(path_of(method))
        metadata = (("authorization", f"Bearer {token}"),)

        async def first() -> bytes:
            calling = multi(iter([body]) if method.client_streaming else body, metadata=metadata, timeout=60)
            answer: bytes = await (aiter(calling).__anext__() if method.server_streaming else calling)
            calling.cancel()
            return answer

        try:
            return Answer("OK", read(await heard(first)))
        except grpc.aio.AioRpcError as error:
            return Answer(error.code().name)


async def submit(one: Served, owner: str) -> int:
    """A held job of *owner*, with something to hide."""
    hidden = {"KEY": "hush"}
    spec = {"held": True, "estimate_s": 10, "environment": hidden, "annotations": hidden}
    spec["script"] = "#!/bin/sh\nhush\n"
    answer = await call(one, "JobService/Submit", {"spec": spec}, proof(one, owner))
    return int(answer.message.job_id)


def cells(table: list[list[str]], labels: int, columns: list[str]) -> list[Any]:
    return [
        pytest.param(*row[:labels], column, cell, id=f"{': '.join(row[:labels])}, by {column}")
        for row in table
        for column, cell in zip(columns, row[labels:], strict=True)
    ]


@pytest.mark.quick(one_in=3)
@on_one_loop
@pytest.mark.parametrize(("row", "column", "cell"), cells(METHOD_ROWS, 1, list(COLUMNS)))
async def test_a_right(servers: dict[bool, Served], row: str, column: str, cell: str) -> None:
    one, (name, role) = servers["private" in column], COLUMNS[column]
    reached = [whose for whose in (name, OTHER) if await reaches(one, row, name, role, whose)]
    assert reached == {"all": [name, OTHER], "own": [name], "no": []}[cell]


async def reaches(one: Served, row: str, name: str, role: Role, whose: str) -> bool:
    """Whether *name* with *role* gets through to what is *whose*; other answers fail the test."""
    if row.partition("/")[2].startswith("Submit"):
        return await submits_as(one, row, name, role, whose)
    if row == "AgentService/Connect":
        register = {"agent": whose, "boot_id": f"{whose}/1", "follows_clock": True}
        answer = await call(one, row, {"register": register}, proof(one, name, role))
        assert answer.code in ("OK", "PERMISSION_DENIED")
        return answer.code == "OK"
    before = one.core.state.serial
    job = await submit(one, whose)
    request = asked(row, job)
    if row == WATCH:
        # What is not for the caller is passed over: the caller's own job comes first then.
        await submit(one, name)
        request = Asked({"after": before})
    answer = await call(one, row, request.document, proof(one, name, role))
    if answer.code != request.code:
        hidden = one.core.settings.privacy and whose != name and answer.code == NONE
        assert hidden or answer.code in (request.refused, "PERMISSION_DENIED"), answer.code
        return False
    return row not in SHOWS or SHOWS[row](answer.message, job)


async def submits_as(one: Served, row: str, name: str, role: Role, whose: str) -> bool:
    """Whether *name* makes a job that is *whose*: only the proof can say so, no field does."""
    known = set(one.core.state.jobs)
    answer = await call(one, row, asked(row, 0).document, proof(one, name, role))
    made = [job for number, job in one.core.state.jobs.items() if number not in known]
    assert (answer.code, len(made)) in (("OK", 1), ("PERMISSION_DENIED", 0))
    return any(job.user == whose for job in made)


def _open(spec: Any) -> bool:
    assert ("hush" in spec.script) == bool(spec.environment) == bool(spec.annotations)
    return bool(spec.environment)


SHOWS: dict[str, Any] = {
    "JobService/GetJob: script, environment, annotations": lambda found, job: _open(found.spec),
    "JobService/ListJobs": lambda found, job: [one.id for one in found.jobs] == [job],
    "JobService/ListJobs: script, environment, annotations": lambda found, job: any(
        _open(one.spec) for one in found.jobs
    ),
    WATCH: lambda found, job: found.job_id == job,
}
"""Rows whose answer says by what is in it whether it is about *job*."""


@pytest.mark.quick(one_in=5)
@on_one_loop
@pytest.mark.parametrize(
    ("row", "of_role", "column", "cell"),
    cells(TOKEN_ROWS, 2, ["user", "operator", "administrator", "node"]),
)
async def test_a_right_to_tokens(
    servers: dict[bool, Served], row: str, of_role: str, column: str, cell: str
) -> None:
    one, (name, role) = servers[False], COLUMNS[column]
    reached = [
        whose for whose in (name, OTHER) if await reaches_token(one, row, name, role, whose, Role(of_role))
    ]
    assert reached == {"all": [name, OTHER], "own": [name], "no": []}[cell]


async def reaches_token(one: Served, row: str, name: str, role: Role, whose: str, of_role: Role) -> bool:
    """Whether *name* with *role* gets at a token of *whose* with *of_role*, by its id and by the name."""
    shown, tokens = one.token(name, role), one.server.security.tokens
    assert tokens is not None
    if row.endswith("IssueToken"):
        answer = await call(one, row, {"user": whose, "role": of_role.value}, shown)
        assert answer.code in ("OK", "PERMISSION_DENIED")
        if answer.code == "OK":
            proven = tokens.prove(answer.message.token).caller
            assert (proven.name, proven.role) == (whose, of_role)
        return answer.code == "OK"
    one.token(whose, of_role)
    kept = tokens.issued.all()[-1]
    if row.endswith("ListTokens"):
        answers = [await call(one, row, document, shown) for document in ({}, {"user": whose})]
        found = [any(row.id == kept.id for row in getattr(one.message, "tokens", ())) for one in answers]
        assert found[0] == found[1]
        return found[0]
    if whose != name:
        # By the name alone, before the id: other tokens of the name must not go either.
        before = [row for row in tokens.issued.all() if row.name == whose and row.revoked_s is None]
        by_name = await call(one, row, {"user": whose}, shown)
        assert by_name.code in ("OK", "PERMISSION_DENIED")
        gone = [row.id for row in before if tokens.issued.find(row.id).revoked_s is not None]  # type: ignore[union-attr]
        assert (by_name.code == "OK") == bool(gone) == (role is Role.ADMINISTRATOR)
        one.token(whose, of_role)
        kept = tokens.issued.all()[-1]
    answer = await call(one, row, {"ids": [kept.id]}, shown)
    assert answer.code in ("OK", "PERMISSION_DENIED", "NOT_FOUND")
    assert tokens.stands(kept.id) == (answer.code != "OK")
    return answer.code == "OK"


def test_every_method_has_its_rows() -> None:
    named = {row[0].partition(":")[0] for row in (*METHOD_ROWS, *TOKEN_ROWS)}
    ours = {name.removeprefix("/molokini.v1.") for name in NEEDS if name.startswith("/molokini.v1.")}
    assert named == ours == set(METHODS)
    assert {(row[0], row[1]) for row in TOKEN_ROWS} == {
        (f"TokenService/{method}", role.value)
        for method in ("IssueToken", "ListTokens", "RevokeTokens")
        for role in Role
    }
