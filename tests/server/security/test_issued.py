"""Tokens that are issued: kept across restarts, ended by revocation, rotation and time; on a real server."""

import asyncio
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import grpc
import pytest

from molokini.model.errors import BadFile, BadValue, UnknownName
from molokini.server.security import Role
from molokini.server.security.issued import KEPT_S, MOST, IssuedToken, IssuedTokens, TooManyTokens
from molokini.server.security.permissions import NotAllowed
from molokini.server.security.roles import Caller
from molokini.server.security.tokens import KeyRing, Proven, Tokens
from tests.server.security.kit import GET_JOB, Clock, Running, bearer, running

UNAUTHENTICATED, OK = grpc.StatusCode.UNAUTHENTICATED, grpc.StatusCode.OK
ROOT, OLGA, ALICE = (
    Caller("root", Role.ADMINISTRATOR),
    Caller("olga", Role.OPERATOR),
    Caller("alice", Role.USER),
)


def tokens_of(server: Running) -> Tokens:
    assert server.security.tokens is not None
    return server.security.tokens


async def test_what_is_revoked_stays_revoked_after_a_restart(tmp_path: Path) -> None:
    async with running(tmp_path) as server, server.channel() as channel:
        kept, lost = (tokens_of(server).issue(ROOT, "alice", Role.USER) for _ in range(2))
        assert await channel.code(GET_JOB, metadata=bearer(lost.text)) is OK
        tokens_of(server).issued.revoke([lost.kept.id], "root")
        # At once, although the proof was remembered.
        assert await channel.code(GET_JOB, metadata=bearer(lost.text)) is UNAUTHENTICATED
        assert await channel.who(bearer(kept.text)) == ("alice", "user")
    async with running(tmp_path) as server, server.channel() as channel:
        assert await channel.code(GET_JOB, metadata=bearer(lost.text)) is UNAUTHENTICATED
        assert await channel.who(bearer(kept.text)) == ("alice", "user")
        wanted = ["good", "revoked"]
        assert [tokens_of(server).standing(one) for one in tokens_of(server).issued.all()] == wanted
    assert (tmp_path / "tokens.json").stat().st_mode & 0o777 == 0o600


async def test_the_list_holds_nothing_that_proves_anything(tmp_path: Path) -> None:
    async with running(tmp_path) as server:
        made = tokens_of(server).issue(ROOT, "alice", Role.USER)
    text = (tmp_path / "tokens.json").read_text()
    assert made.kept.id in text
    assert not any(part in text for part in made.text.split("."))


async def test_without_the_list_no_issued_token_is_good(tmp_path: Path) -> None:
    async with running(tmp_path) as server:
        made = tokens_of(server).issue(ROOT, "alice", Role.USER)
    (tmp_path / "tokens.json").unlink()
    async with running(tmp_path) as server, server.channel() as channel:
        assert await channel.code(GET_JOB, metadata=bearer(made.text)) is UNAUTHENTICATED
        assert (await channel.who(server.owner))[1] == "administrator"


@pytest.mark.parametrize(
    "body",
    [
        "",
        "[]",
        "{}",
        '{"format": "molokini.tokens/2", "tokens": []}',
        '{"format": "molokini.tokens/1", "tokens": [{"id": "a"}]}',
        '{"format": "molokini.tokens/1", "tokens": [7]}',
    ],
)
async def test_a_damaged_list_is_refused(tmp_path: Path, body: str) -> None:
    (tmp_path / "tokens.json").write_text(body)
    (tmp_path / "tokens.json").chmod(0o600)
    with pytest.raises(BadFile, match=r"tokens\.json: does not hold a list of tokens"):
        async with running(tmp_path):
            pass


async def test_a_rotated_token_is_told_from_a_good_one(tmp_path: Path, clock: Clock) -> None:
    async with running(tmp_path, wall=clock) as server, server.channel() as channel:
        tokens = tokens_of(server)
        old = tokens.issue(ROOT, "alice", Role.USER)
        server.security.rotate()
        new = tokens.issue(ROOT, "alice", Role.USER)
        assert [tokens.standing(one.kept) for one in (old, new)] == ["good", "good"]
        server.security.rotate()
        assert [tokens.standing(one.kept) for one in (old, new)] == ["rotated", "good"]
        assert await channel.code(GET_JOB, metadata=bearer(old.text)) is UNAUTHENTICATED
        assert await channel.code(GET_JOB, metadata=bearer(new.text)) is OK
        # As long as it is listed as good it is good, and no longer.
        for later_s, standing, code in ((959.0, "good", OK), (961.0, "expired", UNAUTHENTICATED)):
            clock.now_s = Clock().now_s + later_s
            assert tokens.standing(new.kept) == standing
            assert await channel.code(GET_JOB, metadata=bearer(new.text)) is code


@pytest.mark.parametrize(
    ("granter", "role", "allowed"),
    [
        (OLGA, Role.USER, True),
        (OLGA, Role.OPERATOR, True),
        (OLGA, Role.ADMINISTRATOR, False),
        (OLGA, Role.NODE, False),
        (ROOT, Role.NODE, True),
        (Caller("n1", Role.NODE), Role.USER, False),
    ],
)
async def test_grants_beyond_its_own_role(
    server: Running, granter: Caller, role: Role, allowed: bool
) -> None:
    if allowed:
        assert tokens_of(server).issue(granter, granter.name, role).kept.by == granter.name
    else:
        with pytest.raises(NotAllowed, match="cannot grant or revoke the role"):
            tokens_of(server).issue(granter, granter.name, role)
    before = len(tokens_of(server).issued.all())
    if granter is not ROOT:
        with pytest.raises(NotAllowed):
            tokens_of(server).issue(granter, "x", role)
    assert len(tokens_of(server).issued.all()) == before == allowed


@pytest.mark.parametrize("lifetime_s", [0.0, -1.0, 900.1, float("nan"), float("inf")])
async def test_lifetimes_out_of_the_range(server: Running, lifetime_s: float) -> None:
    with pytest.raises(BadValue, match=r"lifetime_s: .* at most 900"):
        tokens_of(server).issue(ROOT, "alice", Role.USER, lifetime_s)
    with pytest.raises(BadValue, match="user: "):
        tokens_of(server).issue(ROOT, "*", Role.NODE)
    assert tokens_of(server).issue(ROOT, "alice", Role.USER, 900.0).kept.until_s


async def test_long_lives_where_the_configuration_allows_them(tmp_path: Path, clock: Clock) -> None:
    async with (
        running(tmp_path, wall=clock, security__token_lifetime_s=30 * 86_400.0) as server,
        server.channel() as channel,
    ):
        made = tokens_of(server).issue(ROOT, "alice", Role.USER)
        clock.now_s += 29 * 86_400.0
        assert await channel.code(GET_JOB, metadata=bearer(made.text)) is OK
        # Shorter from now on, for tokens that were made before, too.
        config = server.security.config
        shorter = config.security.model_copy(update={"token_lifetime_s": 60.0})
        server.security.apply(config.model_copy(update={"security": shorter}))
        assert await channel.code(GET_JOB, metadata=bearer(made.text)) is UNAUTHENTICATED


def read_again(issued: IssuedTokens) -> IssuedTokens:
    """As the next server reads it."""
    return IssuedTokens(issued._path, issued._wall)


def token(number: int, clock: Clock, lifetime_s: float = 100.0) -> IssuedToken:
    now = clock()
    return IssuedToken(f"t{number}", "alice", Role.USER, "root", now, now + lifetime_s, "k")


def test_the_ended_are_listed_for_a_day(issued: IssuedTokens, clock: Clock) -> None:
    issued.add(token(1, clock))
    clock.now_s += 100 + KEPT_S - 1
    issued.add(token(2, clock))
    assert [one.id for one in issued.all()] == ["t1", "t2"]
    clock.now_s += 2
    issued.add(token(3, clock))
    assert [one.id for one in read_again(issued).all()] == ["t2", "t3"]


def test_there_is_room_for_so_many(
    issued: IssuedTokens, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("molokini.server.security.issued.MOST", 3)
    for number in range(3):
        issued.add(token(number, clock))
    with pytest.raises(TooManyTokens, match="3 tokens are valid"):
        issued.add(token(3, clock))
    issued.revoke(["t1"], "root")
    issued.add(token(3, clock))  # what was revoked makes room
    assert [one.id for one in issued.all()] == ["t0", "t2", "t3"]


def test_the_largest_list_can_be_read_again(issued: IssuedTokens, clock: Clock) -> None:
    now = clock()
    rest: Any = (Role.ADMINISTRATOR, "y" * 64, now, now + 1 / 3, "k" * 16, now, "z" * 64)
    long = [IssuedToken(f"{n:016x}", "x" * 64, *rest) for n in range(MOST)]
    issued._keep(long)
    assert read_again(issued).all() == long


def test_all_are_revoked_or_none(issued: IssuedTokens, clock: Clock) -> None:
    issued.add(token(1, clock))
    with pytest.raises(UnknownName):
        issued.revoke(["t1", "t7"], "root")
    [now] = issued.all()
    assert now.revoked_s is None
    issued.revoke(["t1", "t1"], "root")
    clock.now_s += 5
    [again] = issued.revoke(["t1"], "olga")  # a second time changes nothing
    assert (again.revoked_s, again.revoked_by) == (Clock().now_s, "root")


def test_who_takes_back_what_ended_long_ago_is_told_of_it(issued: IssuedTokens, clock: Clock) -> None:
    for number in range(3):
        issued.add(token(number, clock))
    clock.now_s += 100 + KEPT_S + 1
    [gone] = issued.revoke(["t1"], "olga")
    assert (gone.id, gone.revoked_by) == ("t1", "olga")
    assert issued.all() == [gone], "the others ended long ago, too"


def test_the_latest_that_ended_are_listed_first(
    issued: IssuedTokens, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("molokini.server.security.issued.MOST", 3)
    for number in range(3):
        issued.add(token(number, clock))
    clock.now_s += 101
    issued.add(token(3, clock))
    assert [one.id for one in issued.all()] == ["t1", "t2", "t3"]


def test_a_key_that_cannot_be_written_signs_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ring = KeyRing(tmp_path / "keys.json")
    before = ring.keys

    def full(path: Path, body: bytes) -> None:
        raise BadFile(str(path), "cannot be written: no space left on device")

    monkeypatch.setattr("molokini.server.security.private_files.replace", full)
    with pytest.raises(BadFile):
        ring.rotate()
    assert ring.keys == before == KeyRing(tmp_path / "keys.json").keys


def test_what_cannot_be_written_has_not_happened(tmp_path: Path) -> None:
    clock = Clock()
    found = IssuedTokens(tmp_path / "gone" / "tokens.json", clock)
    with pytest.raises(BadFile):
        found.add(token(1, clock))
    assert found.all() == []


async def test_open_streams_end_when_their_token_is_revoked(tmp_path: Path) -> None:
    """Whoever reads on hears nothing more, and what he says is not taken."""
    heard: list[Any] = []

    async def echo(request: Any, context: Any) -> Any:
        async for one in request:
            heard.append(one)
            yield _empty_answer()

    async with running(tmp_path, {"SubmitStream": echo}) as server, server.channel() as channel:
        made = tokens_of(server).issue(ROOT, "alice", Role.USER)
        multi: Any = channel.channel.stream_stream("/molokini.v1.JobService/SubmitStream")
        for metadata, ends in ((bearer(made.text), True), (server.owner, False)):
            call = multi(metadata=metadata, timeout=20)
            await call.write(b"")
            assert await call.read() == b""
            tokens_of(server).issued.revoke([made.kept.id], "root")
            heard.clear()
            if ends:
                await call.write(b"")
                with pytest.raises(grpc.aio.AioRpcError) as ended:
                    await call.read()
                assert ended.value.code() is UNAUTHENTICATED
                assert heard == []
            else:
                await call.write(b"")
                assert await call.read() == b""
                await call.done_writing()


async def test_an_open_stream_ends_when_the_key_of_its_token_has_gone(tmp_path: Path) -> None:
    async def echo(request: Any, context: Any) -> Any:
        async for _ in request:
            yield _empty_answer()

    async with running(tmp_path, {"SubmitStream": echo}) as server, server.channel() as channel:
        made = tokens_of(server).issue(ROOT, "alice", Role.USER)
        multi: Any = channel.channel.stream_stream("/molokini.v1.JobService/SubmitStream")
        call = multi(metadata=bearer(made.text), timeout=20)
        for _ in range(2):
            # The key before the newest is still good.
            await call.write(b"")
            assert await call.read() == b""
            server.security.rotate()
        await call.write(b"")
        with pytest.raises(grpc.aio.AioRpcError) as ended:
            await call.read()
        assert ended.value.code() is UNAUTHENTICATED


async def test_a_watch_ends_with_its_token(tmp_path: Path) -> None:
    """Whoever only listens says nothing at which he could be stopped."""
    again = asyncio.Event()

    async def events(request: Any, context: Any) -> Any:
        yield _event()
        await again.wait()
        yield _event()

    async with running(tmp_path, {"WatchJobs": events}) as server, server.channel() as channel:
        made = tokens_of(server).issue(ROOT, "alice", Role.USER)
        watch: Any = channel.channel.unary_stream("/molokini.v1.JobService/WatchJobs")
        call = watch(b"", metadata=bearer(made.text), timeout=20)
        await call.read()
        tokens_of(server).issued.revoke([made.kept.id], "root")
        again.set()
        with pytest.raises(grpc.aio.AioRpcError) as ended:
            await call.read()
        assert ended.value.code() is UNAUTHENTICATED


def _event() -> Any:
    from molokini.proto.v1.job_service_pb2 import JobEvent

    return JobEvent()


def test_a_token_is_good_within_its_lifetime_and_what_clocks_may_differ() -> None:
    proven = Proven(ALICE, 100.0, 200.0)
    wanted = [False, True, True, True, False]
    assert [proven.is_good(now_s, 60.0) for now_s in (39.9, 40.0, 100.0, 260.0, 260.1)] == wanted


def _empty_answer() -> Any:
    from molokini.proto.v1.job_service_pb2 import SubmitStreamResponse

    return SubmitStreamResponse()


def test_the_file_says_what_it_is(tmp_path: Path, issued: IssuedTokens, clock: Clock) -> None:
    issued.add(token(1, clock))
    assert json.loads((tmp_path / "tokens.json").read_text())["format"] == "molokini.tokens/1"


def test_a_token_that_is_revoked_after_its_end_had_ended_before() -> None:
    expired = IssuedToken("1", "alice", Role.USER, "root", 0.0, 100.0, "key")
    assert expired.ended_s() == 100.0
    assert replace(expired, revoked_s=60.0).ended_s() == 60.0
    assert replace(expired, revoked_s=150.0).ended_s() == 100.0
