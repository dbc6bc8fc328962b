"""Over the gateway each method does and says what it does and says over gRPC, to each role."""

import asyncio
import getpass
import json
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import grpc
import pytest
from google.protobuf.descriptor import MethodDescriptor
from google.protobuf.json_format import MessageToJson, ParseDict
from google.protobuf.message_factory import GetMessageClass

from molokini.compat.unix_transport import Gateway
from molokini.proto.v1 import job_service_pb2, jobs_pb2
from molokini.proto.v1.job_service_pb2_grpc import JobServiceStub
from molokini.server.security.methods import NEEDS
from molokini.server.security.roles import Role
from molokini.server.web.answers import STATUSES
from tests.kit.messages import METHODS_OF_USERS, path_of
from tests.kit.serving import served
from tests.kit.waiting import DEADLINE_S, eventually
from tests.kit.web import JOBS, Web, request_of, text_of
from tests.server.web.conftest import Gatewayed, gatewayed

JOB, OTHER, NONE = {"job": {"id": 1}}, {"jobs": [{"id": 2}]}, {"jobs": [{"id": 99}]}

RUNS = {"jobs": [{"id": 1}]}

SPEC = {"estimate_s": 5, "name": "new", "outcome": {"run_s": 2.5}}

REQUESTS: dict[str, list[Any]] = {
    "Submit": [{"spec": SPEC, "tag": 7}, {"spec": {"estimate_s": -1}}, {"spec": {"queue": "nowhere"}}],
    "SubmitStream": [[{"spec": SPEC, "tag": 1}, {"spec": {"estimate_s": -1}, "tag": 2}]],
    "SubmitMany": [[{"specs": [SPEC, {"estimate_s": -1}]}], [{"specs": [{}] * 1001}]],
    "GetJob": [JOB, {"job": {"id": 3, "array_index": 2}}, {"job": {"id": 99}}],
    "ListJobs": [{"include_ended": True, "expand_arrays": True}, {"fields": ["spec"]}, {"fields": ["x"]}],
    "WatchJobs": [{"after": 10**6}, {"users": ["ann"]}],
    "WaitJobs": [{**RUNS, "timeout_s": 0.05}, {**RUNS, "timeout_s": -1}],
    "CancelJobs": [{**OTHER, "reason": "not needed"}, NONE, {"jobs": [{"id": 1}, {"id": 99}]}],
    "HoldJobs": [OTHER, NONE, {**OTHER, "hold": "HOLD_SYSTEM"}],
    "ReleaseJobs": [{"jobs": [{"id": 3}]}, {**OTHER, "all_holds": True}],
    "RequeueJobs": [RUNS, OTHER],
    "SuspendJobs": [RUNS, OTHER],
    "ResumeJobs": [OTHER, RUNS],
    "SignalJobs": [{**RUNS, "signal": 10}, {**RUNS, "signal": 65}],
    "AlterJob": [{**JOB, "spec": {"name": "x"}, "fields": ["name"]}, {**JOB, "fields": ["id"]}],
    "ExplainJob": [{"id": 2}, {"id": 99}],
    "ForecastJob": [{"job": {"id": 2}}],
    "ListNodes": [{"names": ["n[1-2]"]}, {"states": ["DOWN"]}, {"page_size": 1}],
    "ChangeNodes": [{"names": ["n4"], "state": "DRAINING", "reason": "fan"}, {"names": ["zz"]}],
    "SetQueue": [{"queue": {"name": "q", "enabled": True, "started": True}}, {"queue": {"name": "a b"}}],
    "SetPolicy": [{"name": "easy"}, {"name": "nope"}, {"name": "easy", "parameters": {"x": "1"}}],
    "CreateReservation": [
        {"reservation": {"name": "r", "processors": 2, "start_s": 1000, "end_s": 2000}},
        {"reservation": {"processors": -2}},
    ],
    "ReleaseReservation": [{"name": "nothing"}],
    "ChangeMauiParameter": [{"name": "QUEUETIMEWEIGHT", "value": "2"}, {"name": "X", "value": ""}],
    "TraceIteration": [{"dry_run": True}],
    "SliceJobs": [
        {"jobs": [{"id": 1}], "slicing": {"period_s": 0.1, "slice_s": 0.05}},
        {"jobs": [{"id": 1}], "slicing": {"period_s": 0.1, "slice_s": 0.2}},
        {"jobs": [{"id": 99}]},
    ],
    "SetRates": [
        {"jobs": [{"id": 1}], "rate": "50%"},
        {"jobs": [{"id": 1}], "rate": "x"},
        {"jobs": [{"id": 1}], "rate": "50%", "search": "nope"},
        {"jobs": [{"id": 99}]},
    ],
    "ListRates": [{}, {"jobs": [{"id": 1}]}],
    "StartJobs": [{"jobs": [{"id": 2}]}, {"jobs": [{"id": 99}]}],
    "ChangeScheduling": [{"pause_after": 1, "reason": "maintenance"}, {"resume": True}, {"pause_after": -1}],
    "ShadowPolicy": [{"name": "nope"}],
    "GetReport": [{"name": "queue"}, {"name": "statistics"}, {"name": "nope"}],
    "WhatIf": [{"hours": -1}],
    "BookAccount": [{"account": "p1", "booking": "DEPOSIT", "amount": 5}, {"booking": "REFUND"}],
    "GetStatement": [{"account": "p1"}, {"account": "p2"}],
    "ChangeClock": [{"advance_s": 1.5}, {"rate": 2}, {"advance_s": -1}],
    "IssueToken": [{"user": "cy"}, {"user": "oz"}, {"user": "a b"}, {"user": "cy", "role": "king"}],
    "ListTokens": [{"user": "ann"}, {"include_ended": True}],
    "RevokeTokens": [{"user": "cy"}, {"ids": ["nothing"]}],
}
"""Beside a request in which nothing is said, which each method gets, a new one without a word here."""

OF_MAUI = ("ChangeMauiParameter", "TraceIteration", "BookAccount", "GetStatement")

NOTHING_TO_DO = ("ResumeJobs", "ReleaseReservation", "SetRates", "ShadowPolicy", "StartJobs", "WhatIf")
"""Methods that refuse all of the above, since nothing is there that they could act upon. A question that
``WhatIf`` takes costs a process: a deep test of ``tests/clients/live/test_whatif.py`` asks one."""

CALLERS = [("ann", Role.USER), ("bob", Role.USER), ("oz", Role.OPERATOR), ("root", Role.ADMINISTRATOR)]

WITHOUT_END = {"WatchJobs": 3, "ShadowPolicy": 0}
"""Streams of which so many messages are read at most, and what there is at once."""

OWN = re.compile(r'"(token|id|issued_s|until_s)":("[^"]*"|[0-9.]+)|[0-9a-f]{16}')
"""What is another one each time: of tokens."""

MAUI = "DEFERTIME 0\nAMCFG[bank] TYPE=FILE CHARGEPOLICY=DEBITALLWC\nACCOUNTCFG[p1] ALLOCATION=1000\n"


@asynccontextmanager
async def prepared(folder: Path, maui: bool) -> AsyncIterator[Gatewayed]:
    """Three jobs of ann: one runs, one waits for it, an array is held."""
    folder.mkdir()
    policy: dict[str, Any] = {}
    if maui:
        (folder / "maui.cfg").write_text(MAUI)
        policy = {"policy": "maui", "policy__maui_config": str(folder / "maui.cfg")}
    wide = {"resources": {"processors": 16}, "estimate_s": 100, "account": "p1"}
    specs = [
        {**wide, "name": "first", "script": "#!/bin/sh\n"},
        {**wide, "name": "second"},
        {**wide, "held": True, "array": {"first": 1, "last": 3}},
    ]
    async with gatewayed(folder, **policy) as at:
        ann = at.web.with_token(at.one.token("ann"))
        for spec in specs:
            assert (await ann.call(JOBS + "Submit", {"spec": spec})).status == 200
        # Under maui it would start at the next iteration.
        await eventually(lambda: maui or at.core.state.jobs[1].status.active)
        yield at


async def over_grpc(at: Gatewayed, method: MethodDescriptor, said: list[Any], token: str) -> Any:
    """The answers, or why not: as the gateway would say it."""
    kind, answer = GetMessageClass(method.input_type), GetMessageClass(method.output_type)
    bodies = [ParseDict(one, kind()).SerializeToString() for one in said]
    how = "_".join(
        "stream" if many else "unary" for many in (method.client_streaming, method.server_streaming)
    )
    most = WITHOUT_END.get(method.name, 1000)
    async with grpc.aio.insecure_channel(f"127.0.0.1:{at.server.port}") as channel:
        multi: Any = getattr(channel, how)(path_of(method))
        metadata = (("authorization", f"Bearer {token}"),)
        call = multi(iter(bodies) if method.client_streaming else bodies[0], metadata=metadata)
        found = []
        try:
            async with asyncio.timeout(DEADLINE_S):
                if not method.server_streaming:
                    found.append(answer.FromString(await call))
                else:
                    async for one in call:
                        found.append(answer.FromString(one))
                        if len(found) >= most:
                            break
        except grpc.aio.AioRpcError as error:
            return [*map(plain, found), refusal_of(error)]
        call.cancel()
        return [plain(one) for one in found]


def parted(answers: list[Any]) -> list[Any]:
    """How many answers come together depends on who was how quick; each by itself does not."""
    found: list[Any] = []
    for answer in answers:
        apart = json.loads(answer).get("answers") if isinstance(answer, str) else None
        found += [answer] if apart is None else [json.dumps(one) for one in apart]
    return found


def plain(message: Any) -> str:
    """A message as text; whole numbers are not told apart from texts with digits alone."""
    document = json.loads(MessageToJson(message, preserving_proto_field_name=True), parse_int=str)
    return json.dumps(document, separators=(",", ":"), sort_keys=True)


def refusal_of(error: grpc.aio.AioRpcError) -> dict[str, Any]:
    trailing = dict(error.trailing_metadata() or ())
    said = {
        "code": error.code().name,
        "message": error.details(),
        "reason": trailing.get("molokini-reason", ""),
    }
    if "molokini-field" in trailing:
        said["field"] = trailing["molokini-field"]
    return said


async def over_the_gateway(at: Web, method: MethodDescriptor, said: list[Any]) -> Any:
    """The same over JSON."""
    path = path_of(method)
    if method.name in WITHOUT_END:
        return await first_lines(at, path, said[0], WITHOUT_END[method.name])
    found = await at.call(path, said if method.client_streaming else said[0])
    lines = found.lines
    if found.status == 200:
        assert ("error" in lines[-1]) <= method.server_streaming
    else:
        code = lines[-1]["error"]["code"]
        assert found.status == STATUSES[grpc.StatusCode[code]]
    return [as_plain(line) for line in lines]


async def first_lines(at: Web, path: str, said: Any, most: int) -> Any:
    async with at.connected() as wire:
        await wire.send(request_of(path, text_of(said), at.headers))
        status, headers = await wire.head()
        if headers.get("transfer-encoding") != "chunked":
            return [as_plain(json.loads(await wire.reader.readexactly(int(headers["content-length"]))))]
        assert status == 200
        found: list[Any] = []
        while len(found) < most and (part := await wire.chunk()):
            found += [as_plain(json.loads(line)) for line in part.splitlines()]
        if not most:
            return [as_plain(json.loads(await wire.chunk()))]
        return found


def as_plain(line: Any) -> Any:
    if "error" in line:
        return line["error"]
    return json.dumps(json.loads(json.dumps(line), parse_int=str), separators=(",", ":"), sort_keys=True)


def alike(method: MethodDescriptor, answers: list[Any]) -> list[Any]:
    """*answers* without what is another one each time."""
    if method.containing_service.name != "TokenService":
        return parted(answers)
    return [OWN.sub("...", one if isinstance(one, str) else json.dumps(one)) for one in answers]


@pytest.mark.quick(one_in=5)
@pytest.mark.parametrize("method", METHODS_OF_USERS, ids=lambda one: one.name)
async def test_a_method_does_and_says_the_same(method: MethodDescriptor, tmp_path: Path) -> None:
    maui = method.name in OF_MAUI
    async with prepared(tmp_path / "one", maui) as one, prepared(tmp_path / "other", maui) as other:
        accepted = 0
        for name, role in CALLERS:
            ours, theirs = one.one.token(name, role), other.one.token(name, role)
            for said in [{}, *REQUESTS.get(method.name, [])]:
                if method.name in WITHOUT_END and said == {}:
                    continue  # all that has happened, or nothing for a long time
                given = said if isinstance(said, list) else [said]
                expected = await over_grpc(other, method, given, theirs)
                found = await over_the_gateway(one.web.with_token(ours), method, given)
                assert alike(method, found) == alike(method, expected), (name, said)
                accepted += any(isinstance(answer, str) for answer in found)
        assert bool(accepted) == (method.name not in NOTHING_TO_DO)


def test_each_method_of_users_is_there_and_no_other() -> None:
    ours = {path_of(method) for method in METHODS_OF_USERS}
    assert ours == {
        path for path in NEEDS if path.startswith("/molokini.") and not path.startswith("/molokini.v1.Agent")
    }
    assert set(REQUESTS) <= {method.name for method in METHODS_OF_USERS}


async def test_the_list_of_methods_says_what_each_needs(at: Gatewayed) -> None:
    found = (await at.web.call("/methods", verb="GET")).document["methods"]
    assert {one["path"]: one["needs"] for one in found} == {
        path_of(method): str(NEEDS[path_of(method)]) for method in METHODS_OF_USERS
    }
    repeats = {one["path"].rpartition("/")[2]: one["repeat"] for one in found}
    assert [repeats[name] for name in ("GetJob", "RequeueJobs", "Submit", "SetQueue")] == [
        *("always", "never"),
        *("if spec.submission_key", "unless remove"),
    ]


async def test_what_one_road_makes_the_other_sees(at: Gatewayed) -> None:
    answer = await at.web.call(path_of(METHODS_OF_USERS[0]), {"spec": {**SPEC, "submission_key": "k"}})
    assert answer.document == {"job_id": 1, "emulated": True}
    async with grpc.aio.insecure_channel(f"127.0.0.1:{at.server.port}") as channel:
        token = (("authorization", f"Bearer {at.one.token(getpass.getuser())}"),)
        stub: Any = JobServiceStub(channel)  # type: ignore[no-untyped-call]
        spec = ParseDict({**SPEC, "submission_key": "k"}, jobs_pb2.JobSpec())
        again = await stub.Submit(job_service_pb2.SubmitRequest(spec=spec), metadata=token)
        assert (again.job_id, again.repeated_key) == (1, True)


async def test_an_answer_names_its_cluster(tmp_path: Path) -> None:
    async with served(tmp_path, server__name="garden"):
        transport = Gateway(str(tmp_path / "state" / "socket"))
        await asyncio.to_thread(transport.call, "ClusterService", "GetCluster", {})
        assert transport.cluster == "garden"
