"""A message a line, in and out, however they arrive; and nothing stays behind when one end goes away."""

import asyncio
import json
from typing import Any

import pytest

from molokini.server.security.roles import Caller, Role
from tests.kit.waiting import eventually
from tests.kit.web import JOBS, Web, Wire, chunk_of, request_of, text_of
from tests.server.web.conftest import Gatewayed

MANY, STREAM, WATCH, WAIT = (JOBS + name for name in ("SubmitMany", "SubmitStream", "WatchJobs", "WaitJobs"))
SUBMIT = JOBS + "Submit"
SPEC = {"estimate_s": 1, "held": True}


async def begun(wire: Wire, path: str, web: Web | None = None) -> None:
    """Begin a request whose body comes in chunks."""
    await wire.send(request_of(path, None, web.headers if web else None))


async def line_of(wire: Wire) -> Any:
    """The next line of an answer, which is one chunk."""
    part = await wire.chunk()
    assert part.endswith(b"\n")
    return json.loads(part)


def tasks_of_calls() -> set[str]:
    """What still runs of calls and their connections: HTTP's part, the servicer's, the reading ahead."""
    names = {task.get_coro().__qualname__ for task in asyncio.all_tasks()}  # type: ignore[union-attr]
    return {name for name in names if "RequestHandler" in name or "Arriving" in name or "asend" in name}


@pytest.mark.parametrize("size", [1, 7, 64, 100_000])
async def test_lines_may_break_anywhere(at: Gatewayed, size: int) -> None:
    body = text_of([{"specs": [{**SPEC, "name": f"jöb {number}"}]} for number in range(5)])
    async with at.web.connected() as wire:
        await begun(wire, MANY)
        for place in range(0, len(body), size):
            await wire.send(chunk_of(body[place : place + size]))
        await wire.send(chunk_of(b""))
        found = await wire.answer()
    assert [line["job_ids"] for line in found.lines] == [[1], [2], [3], [4], [5]]
    assert at.core.state.jobs[5].name == "jöb 4"


@pytest.mark.parametrize(
    "body",
    [
        b'{"specs":[{"held":true}]}\n{"specs":[]}',
        b'\n\r\n{"specs":[{"held":true}]}\r\n \n{"specs":[]}\n\n',
    ],
)
async def test_the_last_line_needs_no_end_and_empty_lines_are_none(at: Gatewayed, body: bytes) -> None:
    found = await at.web.call(MANY, body)
    assert (found.status, found.headers["content-type"]) == (200, "application/x-ndjson")
    assert found.lines == [{"job_ids": [1]}, {}]


async def test_no_lines_have_no_answers(at: Gatewayed) -> None:
    for path in (MANY, STREAM):
        found = await at.web.call(path, b"")
        assert (found.status, found.body) == (200, b"")


async def test_answers_come_while_requests_are_still_sent(at: Gatewayed) -> None:
    async with at.web.connected() as wire:
        await begun(wire, STREAM)
        assert (await wire.head())[0] == 200
        for number in range(1, 4):
            await wire.send(chunk_of(text_of([{"spec": SPEC, "tag": number}])))
            assert await line_of(wire) == {"answers": [{"job_id": number, "tag": number}]}
        await wire.send(chunk_of(b""))
        assert await wire.chunk() == b""


async def test_a_refused_job_does_not_end_the_stream(at: Gatewayed) -> None:
    found = await at.web.call(STREAM, [{"spec": {"estimate_s": -1}}, {"spec": SPEC}])
    answers = [one for line in found.lines for one in line["answers"]]
    assert answers[0]["refusal"].startswith("estimate_s: -1.0 is not allowed")
    assert answers[1] == {"job_id": 1}


@pytest.mark.parametrize(
    ("line", "text"),
    [
        (b'{"specs":[{"jo":1}]}', "specs[0].jo: JobSpec has no such field"),
        (b'{"specs":', "not JSON: "),
        (b'{"specs":[{"name":"\xff"}]}', "not UTF-8 at byte 20"),
        (b'{"specs":[{"name":"a\\u0000b"}]}', "specs[0].name: "),
        (b'{"specs":[' + b"{}," * 1000 + b"{}]}", "specs: 1001 is not allowed; it must be at most 1,000"),
    ],
)
async def test_a_wrong_line_ends_the_stream_with_why(at: Gatewayed, line: bytes, text: str) -> None:
    """What came before it is durable, and was answered; what comes behind it is not read."""
    good = text_of([{"specs": [SPEC]}])
    found = await at.web.call(MANY, good + line + b"\n" + good)
    assert found.status == 200
    assert found.lines[0] == {"job_ids": [1]}
    assert len(found.lines) == 2
    assert found.error["code"] == "INVALID_ARGUMENT"
    assert found.error["message"].startswith(text)
    assert list(at.core.state.jobs) == [1]


@pytest.mark.parametrize("ended", [False, True])
async def test_a_line_that_is_too_long(at: Gatewayed, ended: bool) -> None:
    most = at.server.config.limits.message_bytes
    good = text_of([{"specs": [SPEC]}])
    found = await at.web.call(MANY, good + b" " * (most + 1) + (b"\n" if ended else b"") + good)
    assert found.lines[0] == {"job_ids": [1]}
    assert found.error["code"] == "RESOURCE_EXHAUSTED"
    assert found.error["message"] == f"a message of more than {most:,} bytes, which is limits.message_bytes"


async def test_more_lines_than_a_message_may_be_large(at: Gatewayed) -> None:
    """The bound is each message's, not the stream's."""
    most = at.server.config.limits.message_bytes
    line = text_of([{"specs": [{**SPEC, "comment": "x" * 4000}] * 100}])
    lines = most // len(line) + 3
    found = await at.web.call(MANY, line * lines)
    assert [len(one["job_ids"]) for one in found.lines] == [100] * lines


async def test_a_watcher_knows_at_once_that_it_watches(at: Gatewayed) -> None:
    async with at.web.connected() as wire:
        await wire.send(request_of(WATCH, b'{"only_new":true}'))
        assert (await wire.head())[0] == 200
        await at.web.call(SUBMIT, {"spec": {"held": True}})
        found = await line_of(wire)
        assert (found["kind"], found["job_id"], found["state"]) == ("submitted", 1, "HELD")


async def test_a_watcher_that_goes_away_leaves_nothing(at: Gatewayed) -> None:
    wires = []
    for _ in range(5):
        reader, writer = await asyncio.open_unix_connection(str(at.web.path))
        wires.append(Wire(reader, writer))
        await wires[-1].send(request_of(WATCH, b"{}"))
        assert (await wires[-1].head())[0] == 200
    await wires[0].send(request_of(WATCH, b"{}"))  # one more behind the first, which never gets its turn
    assert at.open_calls == 5
    for wire in wires:
        wire.abort()
    await eventually(lambda: not at.open_calls and not len(at.gateway.local))
    await eventually(lambda: not tasks_of_calls())


async def test_one_that_waits_and_goes_away_leaves_nothing(at: Gatewayed) -> None:
    await at.web.call(SUBMIT, {"spec": {"held": True}})
    async with at.web.connected() as wire:
        await wire.send(request_of(WAIT, b'{"jobs":[{"id":1}]}'))
        await eventually(lambda: at.open_calls == 1 and bool(at.core.reactor.turned._waiters))
        wire.abort()
        await eventually(lambda: not at.open_calls)
    assert not at.core.reactor.turned._waiters
    await eventually(lambda: not tasks_of_calls())
    # And whoever waits on is told.
    waiting = asyncio.create_task(at.web.call(WAIT, {"jobs": [{"id": 1}]}))
    await eventually(lambda: at.open_calls == 1)
    await at.web.call(JOBS + "CancelJobs", {"jobs": [{"id": 1}]})
    assert (await waiting).document["all_ended"]


async def test_a_shadow_whose_watcher_goes_away_makes_room_for_another(at: Gatewayed) -> None:
    for _ in range(6):  # four may look on at a time
        async with at.web.connected() as wire:
            await wire.send(request_of(JOBS.replace("Job", "Cluster") + "ShadowPolicy", b'{"name":"easy"}'))
            assert (await wire.head())[0] == 200
            await eventually(lambda: len(at.core.reactor.watching) == 1)
            wire.abort()
        await eventually(lambda: not at.core.reactor.watching)


async def test_one_that_submits_and_goes_away_in_the_middle(at: Gatewayed) -> None:
    """Whole lines count, the broken one does not."""
    for path, message in ((STREAM, {"spec": SPEC}), (MANY, {"specs": [SPEC]})):
        before = len(at.core.state.jobs)
        async with at.web.connected() as wire:
            await begun(wire, path)
            await wire.send(chunk_of(text_of([message]) + text_of(message)))
            await wire.head()
            await line_of(wire)
            wire.abort()
            await eventually(lambda: not at.open_calls)
        assert len(at.core.state.jobs) == before + 1


async def test_a_revoked_token_ends_a_stream(at: Gatewayed) -> None:
    for path, message in ((WATCH, None), (STREAM, {"spec": SPEC}), (MANY, {"specs": [SPEC]})):
        tokens = at.server.security.tokens
        assert tokens is not None
        made = tokens.issue(Caller("root", Role.ADMINISTRATOR), "ann", Role.USER)
        jobs = len(at.core.state.jobs)
        async with at.tcp.connected() as wire:
            ann = at.tcp.with_token(made.text)
            if message is None:
                await wire.send(request_of(path, b'{"only_new":true}', ann.headers))
            else:
                await begun(wire, path, ann)
            assert (await wire.head())[0] == 200
            tokens.issued.revoke([made.kept.id], "root")
            if message is None:
                await at.web.call(SUBMIT, {"spec": SPEC})
                jobs += 1
            else:
                await wire.send(chunk_of(text_of([message])))
            found = await line_of(wire)
            assert (found["error"]["code"], found["error"]["reason"]) == ("UNAUTHENTICATED", "not_proven")
        assert len(at.core.state.jobs) == jobs  # what was sent with it is not done


@pytest.mark.deep
async def test_a_slow_reader_is_not_overrun(at: Gatewayed, monkeypatch: pytest.MonkeyPatch) -> None:
    """The server stops to make answers that the other end does not take."""
    lines = 10_000
    await at.web.call(MANY, [{"specs": [{**SPEC, "name": "x"}] * 500}] * (lines // 500))
    async with at.web.connected() as wire:
        await wire.send(request_of(WATCH, b"{}"))
        await wire.head()
        [one] = list(at.gateway.local._open)
        await eventually(lambda: one in at.gateway.local._behind, 20)
        assert one.transport is not None
        assert one.transport.get_write_buffer_size() < 200_000
        # Calls of others go on meanwhile; and then it gets all of it.
        assert (await at.web.call(JOBS + "ListJobs", {"page_size": 1})).status == 200
        seen = 0
        while seen < lines:
            seen += (await line_of(wire))["kind"] == "submitted"
