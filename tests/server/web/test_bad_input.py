"""What is no good request: one line with what is wrong, no trace, and the next caller is served as before."""

import asyncio
import json
import logging
from contextlib import suppress
from typing import Any

import grpc
import pytest

from molokini.server.security.roles import Role
from tests.kit.web import CLUSTER, JOBS, chunk_of, request_of
from tests.server.web.conftest import Gatewayed

SUBMIT, GET, LIST = JOBS + "Submit", JOBS + "GetJob", JOBS + "ListJobs"
MANY, CLOCK = JOBS + "SubmitMany", CLUSTER + "ChangeClock"


def spec(**fields: Any) -> dict[str, Any]:
    return {"spec": {"estimate_s": 1, **fields}}


@pytest.mark.parametrize(
    "body",
    [spec(estimate_s="1"), {"spec": {"estimateS": 1, "userPriority": "0"}}, b' {"spec":{"estimate_s":1}}\n'],
)
async def test_what_is_read_in_more_than_one_spelling(at: Gatewayed, body: Any) -> None:
    assert (await at.web.call(SUBMIT, body)).document == {"job_id": 1, "emulated": True}


@pytest.mark.quick(one_in=5)
@pytest.mark.parametrize(
    ("path", "body", "text", "field"),
    [
        (SUBMIT, b"{", "not JSON: ", ""),
        (SUBMIT, b'{"spec":{"name":"\xff"}}', "not UTF-8 at byte 18", ""),
        (SUBMIT, b"[]", "a list of 0 is not allowed; a SubmitRequest must be an object", ""),
        (SUBMIT, b"[" * 100_000, "not JSON: nested too deeply", ""),
        (SUBMIT, spec(jo=1), "spec.jo: JobSpec has no such field; it has name, argv, ", "spec.jo"),
        (SUBMIT, spec(nmae=1), "spec.nmae: JobSpec has no such field; did you mean 'name'?", "spec.nmae"),
        (SUBMIT, b'{"spec":{},"spec":{}}', "not JSON: 'spec' is in one object twice", ""),
        (SUBMIT, b'{"spec":{"estimate_s":NaN}}', "not JSON: NaN", ""),
        (SUBMIT, spec(estimate_s="NaN"), "estimate_s: nan is not allowed", "estimate_s"),
        (SUBMIT, b'{"spec":{"estimate_s":1e400}}', "spec.estimate_s: Infinity is not", "spec.estimate_s"),
        (SUBMIT, spec(name="a\0b"), "spec.name: 'a\\x00b' is not allowed; it must be", "spec.name"),
        (SUBMIT, spec(script="a\0b"), "spec.script: ", "spec.script"),
        (SUBMIT, spec(name="a\x1b[31m"), "spec.name: ", "spec.name"),
        (SUBMIT, spec(argv=[1]), "spec.argv[0]: 1 is not allowed; it must be a text", "spec.argv[0]"),
        (
            SUBMIT,
            spec(resources={"processors": "x"}),
            "spec.resources.processors: 'x' is not allowed; it mu",
            None,
        ),
        (
            SUBMIT,
            spec(resources={"processors": 2**63}),
            "spec.resources.processors: 922337203685477",
            None,
        ),
        (SUBMIT, spec(resources={"processors": 10**30}), "spec.resources.processors: 1000000000", None),
        (SUBMIT, spec(resources={"processors": 2**31}), "processors: ", "processors"),
        (GET, {}, "no job 0", ""),
        (
            GET,
            {"job": {"id": 0.5}},
            "job.id: 0.5 is not allowed; it must be a whole number",
            "job.id",
        ),
        (LIST, {"states": ["RUNING"]}, "states[0]: 'RUNING' is not allowed; it must be HELD, ", "states[0]"),
        (LIST, {"states": [77]}, "states: 77 is not allowed", "states"),
        (CLOCK, {"pause": True, "resume": True}, "resume: it does not go with 'pause'", "resume"),
    ],
)
async def test_one_message(at: Gatewayed, path: str, body: Any, text: str, field: str | None) -> None:
    for web in (at.web, at.tcp.with_token(at.one.token("root", Role.ADMINISTRATOR))):
        found = await web.call(path, body)
        error = found.error
        assert error["message"].startswith(text)
        assert "\n" not in error["message"]
        assert len(found.body) < 4000
        unknown = text == "no job 0"
        assert (found.status, error["code"]) == ((404, "NOT_FOUND") if unknown else (400, "INVALID_ARGUMENT"))
        assert error.get("field", "") == (text.partition(":")[0] if field is None else field)
        assert error["reason"] in ("bad_value", "conflict", "undecodable", "unknown_field", "no_such_job")
    assert not at.core.state.jobs


@pytest.mark.parametrize("chunked", [False, True])
async def test_a_message_that_is_too_large(at: Gatewayed, chunked: bool) -> None:
    most = at.server.config.limits.message_bytes
    async with at.web.connected() as wire:
        await wire.send(request_of(SUBMIT, None if chunked else b"", {} if chunked else _announced(most + 1)))
        if chunked:
            part = chunk_of(b" " * 65_536)
            with suppress(ConnectionError):
                for _ in range(most // 65_536 + 1):
                    await wire.send(part)
        found = await wire.answer()
    assert (found.status, found.error["code"]) == (429, "RESOURCE_EXHAUSTED")
    assert found.error["message"] == f"a message of more than {most:,} bytes, which is limits.message_bytes"


def _announced(size: int) -> dict[str, str]:
    return {"Content-Length": str(size)}


async def test_a_message_that_is_just_not_too_large(at: Gatewayed) -> None:
    most = at.server.config.limits.message_bytes
    body = b'{"spec":{"estimate_s":1}}'
    found = await at.web.call(SUBMIT, body + b" " * (most - len(body)))
    assert found.document == {"job_id": 1, "emulated": True}


async def test_nothing_is_an_empty_message(at: Gatewayed) -> None:
    for body in (b"", b"{}", b" \n"):
        assert (await at.web.call(LIST, body)).document == {}


async def test_what_stands_behind_a_question_mark(at: Gatewayed) -> None:
    found = await at.web.call(LIST + "?page_size=3", {})
    assert (found.status, found.error["reason"]) == (400, "undecodable")
    assert "query string" in found.error["message"]


@pytest.mark.parametrize("packed", ["gzip", "deflate", "br", "x"])
async def test_what_is_packed(at: Gatewayed, packed: str) -> None:
    """A small body that becomes a huge one is never unpacked."""
    found = await at.web.call(LIST, b"\x1f\x8b\x08\0\0\0\0\0", Content_Encoding=packed)
    assert (found.status, found.error["code"]) == (400, "INVALID_ARGUMENT")
    assert "compressed" in found.error["message"]


@pytest.mark.parametrize(
    ("verb", "path", "status"),
    [
        ("GET", LIST, 405),
        ("PUT", LIST, 405),
        ("POST", "/health", 405),
        ("POST", LIST + "/", 404),
        ("POST", LIST.lower(), 404),
        ("POST", "/" + LIST, 404),
        ("POST", "/../.." + LIST, 404),
        ("POST", "/molokini.v1.JobService/__init__", 404),
        ("POST", "/%0aa%7f%00", 404),
        ("POST", "/", 405),
        ("GET", "/etc/passwd", 404),
        ("GET", "/" + "a" * 5000, 404),
        ("OPTIONS", "*", 404),
    ],
)
async def test_what_is_no_method(at: Gatewayed, verb: str, path: str, status: int) -> None:
    found = await at.web.call(path, b"", verb=verb)
    assert found.status == status
    assert (found.error["code"], found.error["reason"]) == ("UNIMPLEMENTED", "no_method")


@pytest.mark.parametrize(
    ("path", "meant"),
    [
        ("/molokini.v1.JobService/Submitt", "/molokini.v1.JobService/Submit"),
        ("/molokini.v1.JobsService/CancelJob", "/molokini.v1.JobService/CancelJobs"),
        ("/JobService/ForecastJob", "/molokini.v1.JobService/ForecastJob"),
        ("/favicon.ico", ""),
        ("/" + "a" * 5000, ""),
    ],
)
async def test_the_nearest_method_is_named(at: Gatewayed, path: str, meant: str) -> None:
    said = (await at.web.call(path, {})).error["message"]
    hint = f"did you mean {meant}? " if meant else ""
    assert said == f"no such method; {hint}GET /methods lists what there is"


@pytest.mark.parametrize(
    ("sent", "text"),
    [
        (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + bytes(100), "Received HTTPS"),
        (b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "this is HTTP/2, as gRPC speaks it"),
        (b"HELO there\r\n\r\n", ""),
        (bytes(range(256)) * 40, ""),
        (
            b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n",
            "Transfer",
        ),
        (b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nabcde", ""),
        (b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: -5\r\n\r\nabcde", ""),
        (b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5x\r\n\r\nabcde", ""),
        (b"POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: xchunked\r\n\r\n5\r\nabcde\r\n", ""),
        (b"POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding : chunked\r\n\r\n0\r\n\r\n", ""),
        (b"GET / HTTP/1.1\r\nHost: a\r\nX: a\0b\r\n\r\n", ""),
        (b"GET / HTTP/1.1\r\nHost: a\r\n folded: b\r\n\r\n", ""),
        (b"GET / HTTP/9.9\r\nHost: a\r\n\r\n", ""),
        (b"GET /" + b"a" * 20_000 + b" HTTP/1.1\r\n\r\n", "a line of more than 16,384 bytes"),
        (b"GET / HTTP/1.1\r\nX: " + b"a" * 20_000 + b"\r\n\r\n", "a line of more than 16,384 bytes"),
        (b"GET / HTTP/1.1\r\n" + b"X: a\r\n" * 100 + b"\r\n", ""),
    ],
    ids=lambda one: repr(one[:20]) if isinstance(one, bytes) else "",
)
async def test_it_is_no_http(at: Gatewayed, sent: bytes, text: str, caplog: pytest.LogCaptureFixture) -> None:
    """Refused in one line, and the connection is over: what follows is not taken for a request."""
    caplog.set_level(logging.INFO)
    async with at.web.connected() as wire:
        await wire.send(sent + request_of(SUBMIT, b'{"spec":{"estimate_s":1}}'))
        said = await wire.closed()
    head, _, body = said.partition(b"\r\n\r\n")
    assert head.split()[1] == b"400", said
    error = json.loads(body)["error"]
    assert (error["code"], error["reason"]) == ("INVALID_ARGUMENT", "no_http")
    assert error["message"].startswith("not HTTP: " + text)
    assert "aaaa" not in error["message"]
    assert b"aiohttp" not in head
    assert not at.core.state.jobs
    assert not [record for record in caplog.records if record.exc_info or record.levelno > logging.INFO]


@pytest.mark.parametrize("path", [SUBMIT, MANY])
@pytest.mark.parametrize("part", [b"zz\r\n", b"5\r\nabc\r\n0\r\n", b"ffffffffffffffffff\r\n"])
async def test_broken_chunks(at: Gatewayed, path: str, part: bytes, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    async with at.web.connected() as wire:
        await wire.send(request_of(path, None))
        await wire.send(part)
        said = await wire.closed()
    assert b"no_http" in said or b"undecodable" in said, said
    assert not [record for record in caplog.records if record.exc_info or record.levelno > logging.INFO]


async def test_a_handler_that_fails_says_a_number(
    at: Gatewayed, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(*_: Any) -> None:
        raise RuntimeError("the secret of the house")

    monkeypatch.setattr("molokini.server.services.job_service.list_page", broken)
    found = await at.web.call(LIST, {})
    assert (found.status, found.error["code"], found.error["reason"]) == (500, "INTERNAL", "internal")
    assert found.error["message"].startswith("internal error ")
    number = found.error["message"].rpartition(" ")[2]
    assert f"internal error {number}" in caplog.text
    assert "the secret of the house" in caplog.text


async def test_what_is_sent_to_the_wrong_port(at: Gatewayed) -> None:
    """Plain HTTP to gRPC's port, and gRPC to the gateway's."""
    reader, writer = await asyncio.open_connection("127.0.0.1", at.server.port)
    writer.write(request_of(LIST, b"{}"))
    async with asyncio.timeout(60):
        with suppress(ConnectionError):
            assert not (await reader.read()).startswith(b"HTTP/1.1 200")
    writer.close()
    async with grpc.aio.insecure_channel(f"127.0.0.1:{at.gateway.port}") as channel:
        call: Any = channel.unary_unary(LIST)
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            await call(b"", timeout=30)
        assert caught.value.code() is grpc.StatusCode.UNAVAILABLE
    async with at.one.client("ann") as ann:
        assert (await ann.cluster()).processors == 16


async def test_an_upgrade_is_not_made(at: Gatewayed) -> None:
    for protocol in ("websocket", "h2c"):
        found = await at.web.call(LIST, {}, Connection="Upgrade", Upgrade=protocol)
        assert found.status in (200, 400)
        assert "upgrade" not in found.headers
