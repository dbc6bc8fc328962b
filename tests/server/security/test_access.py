"""B19, B20, B22: who gets in with a token, and who does not; on a real server."""

import base64
import json
import time
from pathlib import Path
from typing import Any

import grpc
import jwt
import pytest

from molokini.server.security import Role
from molokini.server.security.authentication import NotProven
from molokini.server.security.issued import IssuedToken
from molokini.server.security.roles import Caller
from tests.server.security.kit import (
    GET_JOB,
    LIST_JOBS,
    SET_POLICY,
    Channel,
    Clock,
    Metadata,
    Running,
    bearer,
    running,
)

UNAUTHENTICATED = grpc.StatusCode.UNAUTHENTICATED
DENIED = grpc.StatusCode.PERMISSION_DENIED


async def test_the_owner_is_administrator_by_his_file(tmp_path: Path) -> None:
    async with running(tmp_path) as server, server.channel() as channel:
        assert (await channel.who(server.owner))[1] == "administrator"
        assert await channel.code(SET_POLICY, metadata=server.owner) is grpc.StatusCode.OK
    token = tmp_path / "token"
    assert token.stat().st_mode & 0o777 == 0o600
    before = token.read_text()
    async with running(tmp_path) as server, server.channel() as channel:
        assert (await channel.who(bearer(before.strip())))[1] == "administrator"
    assert token.read_text() == before


async def test_without_credentials_nothing_is_answered(channel: Channel) -> None:
    for method in (GET_JOB, LIST_JOBS, SET_POLICY):
        error = await channel.status(method)
        wanted = (UNAUTHENTICATED, "not authenticated: show a valid token or certificate")
        assert (error.code(), error.details()) == wanted
    assert await channel.connect() is UNAUTHENTICATED


async def test_refused_before_the_message_is_looked_at(server: Running, channel: Channel) -> None:
    assert await channel.code(GET_JOB, b"\xff\xff\xff") is UNAUTHENTICATED
    assert await channel.code(GET_JOB, b"\xff\xff\xff", server.owner) is grpc.StatusCode.INVALID_ARGUMENT


def forged(secret: bytes, kid: str | None, algorithm: str = "HS256", **claims: Any) -> str:
    now = time.time()
    body = {"sub": "eve", "role": "administrator", "aud": "molokini", "iat": now, "nbf": now, "exp": now + 60}
    body["jti"] = "known"
    body.update(claims)
    body = {name: value for name, value in body.items() if value is not None}
    return jwt.encode(body, secret, algorithm=algorithm, headers={"kid": kid} if kid else None)


async def test_tokens_that_prove_nothing(tmp_path: Path) -> None:
    async with (
        running(tmp_path, limits__bad_credentials_per_second=1000) as server,
        server.channel() as channel,
    ):
        assert server.security.tokens is not None
        key = server.security.tokens.ring.newest
        now = time.time()
        known = IssuedToken("known", "eve", Role.ADMINISTRATOR, "root", now, now + 60, key.name)
        server.security.tokens.issued.add(known)
        good = forged(key.secret, key.name)
        header, body, signature = good.split(".")
        other = base64.urlsafe_b64encode(json.dumps({"sub": "eve"}).encode()).decode().rstrip("=")
        bad = [
            "",
            "x",
            "...",
            "a.b.c",
            forged(b"another secret, which is long enough", key.name),
            forged(key.secret, "another"),
            forged(key.secret, None),
            forged(key.secret, key.name, "HS512"),
            jwt.encode({"sub": "eve", "role": "user", "aud": "molokini"}, "", algorithm="none"),
            f"{header}.{body}.",
            f"{header}.{other}.{signature}",
            forged(key.secret, key.name, aud="elsewhere"),
            forged(key.secret, key.name, aud=["molokini", "elsewhere"]),
            forged(key.secret, key.name, aud=None),
            forged(key.secret, key.name, role="root"),
            forged(key.secret, key.name, role=None),
            forged(key.secret, key.name, sub=None),
            forged(key.secret, key.name, exp=None),
            forged(key.secret, key.name, exp="soon"),
            forged(key.secret, key.name, exp=True),
            forged(key.secret, key.name, exp=1e308 * 10),
            forged(key.secret, key.name, iat=now - 1000, nbf=now - 1000, exp=now - 500),
            forged(key.secret, key.name, iat=now + 500, nbf=now + 500, exp=now + 600),
            forged(key.secret, key.name, exp=now + 100 * 365 * 86400),
            # A second longer than any may live, however much of it is over.
            forged(key.secret, key.name, iat=now, exp=now + 901),
            forged(key.secret, key.name, iat=now - 450, nbf=now - 450, exp=now + 451),
            forged(key.secret, key.name, iat=now - 450, nbf=now - 10, exp=now + 451),
            # Each of the two beginnings counts, whatever the other says.
            forged(key.secret, key.name, iat=now + 500, nbf=now - 10, exp=now + 600),
            forged(key.secret, key.name, iat=now - 10, nbf=now + 500, exp=now + 600),
            # Of what is said in the list of issued tokens, all must agree.
            forged(key.secret, key.name, jti=None),
            forged(key.secret, key.name, jti=["known"]),
            forged(key.secret, key.name, jti="unknown"),
            forged(key.secret, key.name, sub="bob"),
            forged(key.secret, key.name, role="operator"),
            forged(key.secret, key.name, local="true", jti="unknown"),
            forged(key.secret, key.name, local=1, jti="unknown"),
            good + "x" * 3000,
        ]
        assert (await channel.who(bearer(good)))[0] == "eve"  # the forger's recipe works but for the fault
        for token in bad:
            error = await channel.status(GET_JOB, metadata=bearer(token))
            assert error.code() is UNAUTHENTICATED, token
            assert error.details() == "not authenticated: show a valid token or certificate"
        for entry in ("Basic eDp5", "Bearer", "", f"bearer  {good}"):
            assert await channel.code(GET_JOB, metadata=(("authorization", entry),)) is UNAUTHENTICATED
        assert await channel.code(GET_JOB, metadata=bearer(good) * 2) is UNAUTHENTICATED
        assert server.security.door.bad_credentials == len(bad) + 5


async def test_a_token_of_another_cluster_or_state(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    async with running(tmp_path / "a") as one, running(tmp_path / "b") as other, other.channel() as channel:
        assert await channel.code(GET_JOB, metadata=one.owner) is UNAUTHENTICATED
        assert await channel.code(GET_JOB, metadata=one.as_("alice")) is UNAUTHENTICATED
        assert (await channel.who(other.as_("alice"))) == ("alice", "user")


async def test_guesses_are_counted_and_lock_none_out(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """A bounded number on a real server; the rest on the door's own parts (test_rates)."""
    clock = Clock()
    async with running(tmp_path, monotonic=clock) as server, server.channel() as channel:
        errors = [await channel.status(GET_JOB, metadata=bearer(f"guess{n}")) for n in range(200)]
        answers = {(one.code(), one.details(), tuple(one.trailing_metadata() or ())) for one in errors}
        [(code, text, trailing)] = answers  # the two hundredth as the first
        assert (code, text) == (UNAUTHENTICATED, "not authenticated: show a valid token or certificate")
        assert dict(trailing) == {"molokini-reason": "not_proven"}
        assert server.security.door.bad_credentials == 200
        assert caplog.text.count("not proven") == 5
        assert (await channel.who(server.as_("alice"))) == ("alice", "user")
        clock.now_s += 1.0
        await channel.status(GET_JOB, metadata=bearer("guess"))
        assert caplog.text.count("not proven") == 6


async def test_roles(server: Running, channel: Channel) -> None:
    user, operator = server.as_("alice"), server.as_("olga", Role.OPERATOR)
    node = server.as_("n1", Role.NODE)
    change = "/molokini.v1.ClusterService/ChangeNodes"
    assert await channel.code(change, metadata=operator) is grpc.StatusCode.OK
    for metadata in (user, node):
        assert await channel.code(change, metadata=metadata) is DENIED
    assert await channel.code(SET_POLICY, metadata=operator) is DENIED
    assert await channel.code(LIST_JOBS, metadata=node) is DENIED
    error = await channel.status(SET_POLICY, metadata=user)
    assert "alice has the role user" in (error.details() or "")
    for metadata, code in ((node, grpc.StatusCode.OK), (user, DENIED), (server.owner, DENIED)):
        assert await channel.connect(metadata) is code


async def test_the_configuration_caps_roles_and_a_reload_lowers_them(tmp_path: Path) -> None:
    users = {"olga": "operator"}
    async with running(tmp_path, security__users=users) as server, server.channel() as channel:
        token = server.as_("olga", Role.ADMINISTRATOR)
        assert await channel.who(token) == ("olga", "operator")
        config = server.security.config
        lower = config.security.model_copy(update={"users": {"olga": "user"}})
        server.security.apply(config.model_copy(update={"security": lower}))
        assert await channel.who(token) == ("olga", "user")


async def test_tokens_end_on_the_wall_clock_with_the_stated_skew(tmp_path: Path) -> None:
    clock = Clock()
    async with running(tmp_path, wall=clock) as server, server.channel() as channel:
        token = server.as_("alice", lifetime_s=100)
        for later_s, good in ((159.0, True), (161.0, False), (-59.0, True), (-61.0, False)):
            clock.now_s = Clock().now_s + later_s
            expected = grpc.StatusCode.OK if good else UNAUTHENTICATED
            assert await channel.code(GET_JOB, metadata=token) is expected, later_s


async def test_f32_no_jump_of_the_clock_locks_the_owner_out(tmp_path: Path) -> None:
    clock = Clock()
    async with running(tmp_path, wall=clock) as server, server.channel() as channel:
        agents = server.security.agent_token_file
        assert agents is not None
        for jump_s in (3600.0, -3600.0, 2 * 365 * 86400.0):
            clock.now_s = Clock().now_s + jump_s
            assert (await channel.who(server.owner))[1] == "administrator"
            metadata = bearer(agents.read_text().strip())
            assert await channel.connect(metadata) is grpc.StatusCode.OK


async def test_keys_rotate_with_two_good_at_once(server: Running, channel: Channel) -> None:
    first, owner = server.as_("alice"), server.owner
    server.security.rotate()
    assert server.owner != owner
    second = server.as_("alice")
    for metadata in (first, second, owner, server.owner):
        assert await channel.code(GET_JOB, metadata=metadata) is grpc.StatusCode.OK
    server.security.rotate()
    assert await channel.code(GET_JOB, metadata=first) is UNAUTHENTICATED
    assert await channel.code(GET_JOB, metadata=owner) is UNAUTHENTICATED
    assert await channel.code(GET_JOB, metadata=second) is grpc.StatusCode.OK
    assert (await channel.who(server.owner))[1] == "administrator"


async def test_identity_belongs_to_the_call_and_not_to_the_connection(
    server: Running, channel: Channel
) -> None:
    """B20: what one caller proved on a connection is nothing to the next call on it."""
    assert await channel.who(server.as_("alice")) == ("alice", "user")
    assert await channel.who(server.as_("bob")) == ("bob", "user")
    assert await channel.code(GET_JOB) is UNAUTHENTICATED


async def test_rates_are_the_callers_own_and_say_when(tmp_path: Path) -> None:
    clock = Clock()
    limits: dict[str, Any] = {"limits__requests_per_second": 2.0, "limits__burst": 3}
    async with running(tmp_path, monotonic=clock, **limits) as server, server.channel() as channel:
        alice, bob = server.as_("alice"), server.as_("bob")
        codes = [await channel.code(GET_JOB, metadata=alice) for _ in range(5)]
        assert codes == [grpc.StatusCode.OK] * 3 + [grpc.StatusCode.RESOURCE_EXHAUSTED] * 2
        error = await channel.status(GET_JOB, metadata=alice)
        assert dict(error.trailing_metadata() or ())["retry-after"] == "0.500"
        assert await channel.code(GET_JOB, metadata=bob) is grpc.StatusCode.OK
        clock.now_s += 0.5
        assert await channel.code(GET_JOB, metadata=alice) is grpc.StatusCode.OK
        assert server.security.door.limited == 3


async def test_nodes_are_not_held_up_by_rates(tmp_path: Path) -> None:
    limits: dict[str, Any] = {"limits__requests_per_second": 0.1, "limits__burst": 1}
    async with running(tmp_path, **limits) as server, server.channel() as channel:
        agent = server.as_("n1", Role.NODE)
        assert [await channel.connect(agent) for _ in range(4)] == [grpc.StatusCode.OK] * 4


async def test_a_reload_changes_how_much_clocks_may_differ_and_how_many_guesses_are_logged(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    clock = Clock()
    async with (
        running(tmp_path, wall=clock, monotonic=clock, security__clock_skew_s=60.0) as server,
        server.channel() as channel,
    ):
        token = server.as_("alice", lifetime_s=100)
        clock.now_s += 130
        assert await channel.code(GET_JOB, metadata=token) is grpc.StatusCode.OK
        config = server.security.config
        stricter = config.security.model_copy(update={"clock_skew_s": 20.0})
        fewer = config.limits.model_copy(update={"bad_credentials_per_second": 1.0})
        server.security.apply(config.model_copy(update={"security": stricter, "limits": fewer}))
        assert await channel.code(GET_JOB, metadata=token) is UNAUTHENTICATED
        clock.now_s += 3600
        caplog.clear()
        for _ in range(5):
            assert await channel.code(GET_JOB, metadata=bearer("x")) is UNAUTHENTICATED
        assert len([one for one in caplog.records if "not proven" in one.getMessage()]) == 1


async def test_an_open_server_believes_what_it_is_told(tmp_path: Path) -> None:
    async with running(tmp_path, security__mode="open") as server, server.channel() as channel:
        assert (await channel.who())[1] == "administrator"
        assert await channel.who((("molokini-user", "alice"),)) == ("alice", "administrator")
        assert await channel.code(GET_JOB, metadata=(("molokini-user", "a/b"),)) is UNAUTHENTICATED
        two = (("molokini-user", "alice"), ("molokini-user", "bob"))
        assert await channel.code(GET_JOB, metadata=two) is UNAUTHENTICATED
        assert await channel.connect() is grpc.StatusCode.OK
        assert server.security.token_file is None
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("peer", "near"),
    [
        ("ipv4:127.0.0.1:40000", True),
        ("ipv4:127.9.9.9:40000", True),
        ("ipv6:%5B::1%5D:40000", True),
        ("ipv6:[::1]:40000", True),
        ("ipv6:%5B::ffff:127.0.0.1%5D:40000", True),
        ("unix:", True),
        ("unix:/run/x", True),
        ("ipv4:10.0.0.7:40000", False),
        ("ipv4:0.0.0.0:40000", False),
        ("ipv6:%5B::ffff:10.0.0.7%5D:40000", False),
        ("ipv6:%5Bfe80::1%25eth0%5D:40000", False),
        ("unknown", False),
        ("", False),
    ],
)
async def test_endless_tokens_are_good_on_this_machine_alone(server: Running, peer: str, near: bool) -> None:

    class From:
        def __init__(self, metadata: Metadata) -> None:
            self.invocation_metadata = lambda: metadata
            self.peer = lambda: peer

    prover: Any = server.security.door.prover
    assert prover.caller_of(From(server.as_("alice")), Role.USER).name == "alice"
    if near:
        assert prover.caller_of(From(server.owner), Role.USER).role is Role.ADMINISTRATOR
    else:
        with pytest.raises(NotProven, match="from another machine"):
            prover.caller_of(From(server.owner), Role.USER)


def test_a_caller_speaks_for_one_agent() -> None:
    assert Caller("n1", Role.NODE).speaks_for("n1")
    assert not Caller("n1", Role.NODE).speaks_for("n2")
    assert Caller("*", Role.NODE).speaks_for("n2")
    assert not Caller("n1", Role.ADMINISTRATOR).speaks_for("n1")


@pytest.mark.parametrize("mode", [0o644, 0o640, 0o604])
async def test_a_key_that_others_can_read_is_refused(tmp_path: Path, mode: int) -> None:
    from molokini.model.errors import BadFile

    async with running(tmp_path):
        pass
    (tmp_path / "token-keys.json").chmod(mode)
    with pytest.raises(BadFile, match="set its mode to 0600"):
        async with running(tmp_path):
            pass
