"""Who calls over the socket: the kernel says so, and a token in its place."""

import asyncio
import getpass
import json
import os
import pwd
import socket
import struct
import subprocess
import sys
import tempfile
from collections.abc import AsyncIterator, Iterable, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from molokini.server.security import peers
from molokini.server.security.authentication import ByNothing, NotProven
from molokini.server.security.peers import ByPeer
from molokini.server.security.roles import Caller, Role
from molokini.server.web.call import WebCall
from tests.kit.web import CLUSTER, JOBS, TOKENS, Web
from tests.server.web.conftest import Gatewayed, gatewayed

ROOT = pytest.mark.skipif(os.geteuid() != 0, reason="a process can become another user as root alone")
SUBMIT, GET, LIST = JOBS + "Submit", JOBS + "GetJob", JOBS + "ListJobs"
NOBODY = 65_534
UNKNOWN = 3_000_000_001
"""A number of a user that no machine has, and more than a signed number of 32 bits."""

CHILD = """
import http.client, json, os, socket, sys
path, number, method, document = sys.argv[1:5]
os.setgroups([]); os.setgid(int(number) % 2**31); os.setuid(int(number))
connection = http.client.HTTPConnection("localhost")
connection.sock = socket.socket(socket.AF_UNIX)
connection.sock.connect(path)
headers = {"Content-Type": "application/json", **json.loads(sys.argv[5])}
connection.request("POST", method, document, headers)
print(connection.getresponse().read().decode())
"""


async def as_user(at: Gatewayed, number: int, method: str, document: Any = None, **headers: str) -> Any:
    """What a process of the user *number* is answered."""
    assert at.web.path is not None
    words = [str(at.web.path), str(number), method, json.dumps(document or {}), json.dumps(headers)]
    child = await asyncio.create_subprocess_exec(
        sys.executable, "-I", "-c", CHILD, *words, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    out, err = await child.communicate()
    assert (child.returncode, err) == (0, b"")
    return json.loads(out)


@asynccontextmanager
async def for_all(folder: Path, **overrides: Any) -> AsyncIterator[Gatewayed]:
    """A server whose socket is in a folder that all users reach."""
    with tempfile.TemporaryDirectory(prefix="molokini-", dir="/tmp") as reached:
        Path(reached).chmod(0o755)
        async with gatewayed(folder, web__socket=f"{reached}/socket", **overrides) as at:
            at.web = Web(Path(reached) / "socket")
            yield at


async def owner_of(at: Gatewayed, web: Any = None, **headers: str) -> str:
    """Under which name a job is submitted."""
    made = (await (web or at.web).call(SUBMIT, {"spec": {"estimate_s": 1}}, **headers)).document
    found = (await at.web.call(GET, {"job": {"id": made["job_id"]}})).document
    return str(found["user"])


@ROOT
async def test_an_operator_becomes_no_other_user_of_the_nodes(tmp_path: Path) -> None:
    nobody, owner = pwd.getpwuid(NOBODY).pw_name, getpass.getuser()
    async with for_all(tmp_path, security__users={nobody: "operator", "ann": "user"}) as at:

        async def asks(method: str, document: Any = None, **headers: str) -> Any:
            return await as_user(at, NOBODY, method, document, **headers)

        for name, role in (
            (owner, "user"),
            ("ann", "user"),
            ("unknown", "operator"),
            (nobody, "administrator"),
        ):
            refused = await asks(TOKENS + "IssueToken", {"user": name, "role": role})
            assert refused["error"]["reason"] == "not_allowed"
        own = await asks(TOKENS + "IssueToken", {"user": nobody, "role": "operator"})
        shown = {"Authorization": f"Bearer {own['token']}"}
        # With the token the caller is who it was before: itself, and no administrator.
        made = await asks(SUBMIT, {"spec": {"estimate_s": 1}}, **shown)
        assert at.core.state.jobs[int(made["job_id"])].user == nobody
        for method, document in (("SetPolicy", {"name": "easy"}), ("ResetStatistics", {})):
            assert (await asks(CLUSTER + method, document, **shown))["error"]["reason"] == "not_allowed"
        assert "error" in await asks(TOKENS + "IssueToken", {"user": owner}, **shown)
        assert await asks(TOKENS + "ListTokens", **shown) == {"tokens": [own["kept"]]}


async def test_the_servers_owner_is_an_administrator_without_a_token(at: Gatewayed) -> None:
    assert await owner_of(at) == getpass.getuser()
    assert (await at.web.call(CLUSTER + "SetPolicy", {"name": "easy"})).document["name"] == "easy"


async def test_the_configuration_bounds_the_owner_too(tmp_path: Path) -> None:
    async with gatewayed(tmp_path, security__users={getpass.getuser(): "operator"}) as at:
        found = await at.web.call(CLUSTER + "SetPolicy", {"name": "easy"})
        assert (found.status, found.error["code"]) == (403, "PERMISSION_DENIED")
        assert "has the role operator" in found.error["message"]


@ROOT
async def test_another_user_is_a_user(tmp_path: Path) -> None:
    async with for_all(tmp_path) as at:
        made = await as_user(at, NOBODY, SUBMIT, {"spec": {"estimate_s": 1, "environment": {"A": "b"}}})
        found = (await at.web.call(GET, {"job": {"id": made["job_id"]}})).document
        assert found["user"] == pwd.getpwuid(NOBODY).pw_name
        refused = await as_user(at, NOBODY, CLUSTER + "SetPolicy", {"name": "easy"})
        assert refused["error"]["code"] == "PERMISSION_DENIED"
        # Nor may that user read what the owner keeps in a job, or end it.
        mine = (await at.web.call(SUBMIT, {"spec": {"estimate_s": 9, "environment": {"K": "v"}}})).document
        seen = await as_user(at, NOBODY, GET, {"job": {"id": mine["job_id"]}})
        assert "environment" not in seen["spec"]
        ended = await as_user(at, NOBODY, JOBS + "CancelJobs", {"jobs": [{"id": mine["job_id"]}]})
        assert ended["error"]["code"] == "PERMISSION_DENIED"
        assert not at.core.state.jobs[mine["job_id"]].over


@ROOT
async def test_another_user_has_the_role_of_the_configuration(tmp_path: Path) -> None:
    roles = {pwd.getpwuid(NOBODY).pw_name: "operator"}
    async with for_all(tmp_path, security__users=roles) as at:
        drained = {"names": ["n1"], "state": "DRAINING"}
        assert await as_user(at, NOBODY, CLUSTER + "ChangeNodes", drained) == {"refusals": [""]}
        refused = await as_user(at, NOBODY, CLUSTER + "SetPolicy", {"name": "easy"})
        assert "nobody has the role operator" in refused["error"]["message"]


@ROOT
async def test_a_user_without_a_name_is_its_number(tmp_path: Path) -> None:
    async with for_all(tmp_path) as at:
        made = await as_user(at, UNKNOWN, SUBMIT, {"spec": {"estimate_s": 1}})
        found = (await at.web.call(GET, {"job": {"id": made["job_id"]}})).document
        assert found["user"] == f"uid-{UNKNOWN}"


async def test_the_socket_of_a_state_is_its_owners_alone(at: Gatewayed) -> None:
    assert at.web.path is not None
    assert at.web.path.parent.stat().st_mode & 0o077 == 0


@ROOT
async def test_a_token_of_another_user_can_be_shown_by_any(tmp_path: Path) -> None:
    async with for_all(tmp_path) as at:
        token = {"Authorization": f"Bearer {at.one.token('oz', Role.OPERATOR)}"}
        drained = {"names": ["n1"], "state": "DRAINING"}
        assert await as_user(at, NOBODY, CLUSTER + "ChangeNodes", drained, **token) == {"refusals": [""]}


async def test_a_token_in_place_of_the_kernels_word(at: Gatewayed) -> None:
    ann = at.web.with_token(at.one.token("ann"))
    assert await owner_of(at, ann) == "ann"
    # The owner has given the own role away for this call.
    assert (await ann.call(CLUSTER + "SetPolicy", {"name": "easy"})).status == 403


@pytest.mark.parametrize(
    "shown",
    ["Bearer x", "Bearer ", "Bearer", "Basic cm9vdDpyb290", "", "Bearer \udcff", "Bearer a.b.c", "Bearer é"],
)
async def test_a_token_that_is_none_is_not_forgiven_for_the_kernels_word(at: Gatewayed, shown: str) -> None:
    for web in (at.web, at.tcp):
        found = await web.call(LIST, {}, Authorization=shown)
        wanted = (401, "UNAUTHENTICATED", "not_proven")
        assert (found.status, found.error["code"], found.error["reason"]) == wanted


async def test_two_tokens_are_none(at: Gatewayed) -> None:
    good = at.one.token("ann")
    found = await at.web.call(LIST, {}, Authorization=f"Bearer {good}", authorization=f"Bearer {good}")
    assert found.status == 401


async def test_over_http_a_token_is_needed(at: Gatewayed) -> None:
    found = await at.tcp.call(LIST, {})
    assert (found.status, found.error["reason"]) == (401, "not_proven")
    assert (await at.tcp.with_token(at.one.token("ann")).call(LIST, {})).status == 200


async def test_nodes_have_no_business_here(at: Gatewayed) -> None:
    for web in (at.web, at.tcp):
        node = web.with_token(at.one.token("*", Role.NODE))
        found = await node.call(LIST, {})
        assert (found.status, found.error["code"]) == (403, "PERMISSION_DENIED")
        for method in ("Connect", "ListAgents"):
            found = await node.call(f"/molokini.v1.AgentService/{method}", {})
            assert (found.status, found.error["reason"]) == (404, "no_method")
        for other in ("/grpc.health.v1.Health/Check", "/grpc.reflection.v1alpha.ServerReflection/X"):
            assert (await node.call(other, {})).status == 404


async def test_an_open_server_takes_any_name(tmp_path: Path) -> None:
    async with gatewayed(tmp_path, security__mode="open") as at:
        for web in (at.web, at.tcp):
            assert await owner_of(at, web) == getpass.getuser()
            assert await owner_of(at, web, molokini_user="eve") == "eve"
            assert (await web.call(LIST, {}, molokini_user="a b")).status == 401
            assert (await web.call(CLUSTER + "SetPolicy", {"name": "easy"})).status == 200


@ROOT
async def test_on_an_open_server_every_local_user_is_an_administrator(tmp_path: Path) -> None:
    async with for_all(tmp_path, security__mode="open") as at:
        assert (await as_user(at, NOBODY, CLUSTER + "SetPolicy", {"name": "easy"}))["name"] == "easy"


async def test_an_open_server_still_asks_a_page_where_it_is_from(tmp_path: Path) -> None:
    """The mode in which a page could do most: the browser's user is an administrator."""
    async with gatewayed(tmp_path, security__mode="open") as at:
        found = await at.tcp.call(SUBMIT, {"spec": {"estimate_s": 1}}, Host="rebound.example")
        assert found.status == 403
        found = await at.tcp.call(SUBMIT, {"spec": {"estimate_s": 1}}, Content_Type="text/plain")
        assert found.status == 415
        assert not at.core.state.jobs


async def test_both_roads_share_one_rate(tmp_path: Path) -> None:
    async with gatewayed(tmp_path, limits__requests_per_second=0.1, limits__burst=3) as at:
        ann = at.one.token("ann")
        async with at.one.client("ann") as client:
            await client.cluster()
        for _ in range(2):
            assert (await at.web.with_token(ann).call(LIST, {})).status == 200
        found = await at.tcp.with_token(ann).call(LIST, {})
        assert (found.status, found.error["reason"]) == (429, "too_much")
        assert 0 < float(found.headers["retry-after"]) <= 10.1
        assert found.document["error"]["retry_after_s"] == float(found.headers["retry-after"])
        # Others are others.
        assert (await at.web.with_token(at.one.token("bob")).call(LIST, {})).status == 200


async def test_looking_is_counted_by_address(tmp_path: Path) -> None:
    async with gatewayed(tmp_path, limits__requests_per_second=0.1, limits__burst=2) as at:
        assert [(await at.tcp.call("/health", verb="GET")).status for _ in range(3)] == [200, 200, 429]
        assert (await at.web.call("/methods", verb="GET")).status == 200


async def test_the_name_of_one_call_is_not_the_next_ones(at: Gatewayed) -> None:
    from tests.kit.web import request_of

    token = {"Authorization": f"Bearer {at.one.token('ann')}"}
    async with at.web.connected() as wire:
        for headers, role in ((token, 403), ({}, 200), (token, 403), ({}, 200)):
            await wire.send(request_of(CLUSTER + "SetPolicy", b'{"name":"easy"}', headers))
            assert (await wire.answer()).status == role


# What decides, by itself.


class End:
    def __init__(self, user_id: int | None) -> None:
        self.user_id = user_id
        self.peer = "unix:"
        self.proof: Mapping[str, Iterable[bytes]] = {}


def call_of(user_id: int | None, **headers: str) -> WebCall:
    return WebCall(headers.items(), End(user_id))


def test_a_name_that_is_none_here_proves_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    prover = ByPeer(ByNothing(), {}, is_open=False, owner=lambda: 1)
    for name in ("a b", "", "x" * 65, "-rf", "a/b", "é"):
        monkeypatch.setattr(peers, "name_of", lambda number, name=name: name)
        with pytest.raises(NotProven):
            prover.caller_of(call_of(1234), Role.USER)


def test_a_name_is_asked_for_once_a_minute(monkeypatch: pytest.MonkeyPatch) -> None:
    asked, now_s = [], 1000.0

    def name_of(number: int) -> str:
        asked.append(number)
        return f"u{len(asked)}"

    monkeypatch.setattr(peers, "name_of", name_of)
    prover = ByPeer(ByNothing(), {}, is_open=False, owner=lambda: 1, monotonic=lambda: now_s)
    assert [prover.caller_of(call_of(7), Role.USER).name for _ in range(3)] == ["u1"] * 3
    assert prover.caller_of(call_of(8), Role.USER).name == "u2"
    now_s += peers.NAMED_S
    assert prover.caller_of(call_of(7), Role.USER).name == "u3"
    assert asked == [7, 8, 7]


def test_root_and_the_owner_are_administrators(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(peers, "name_of", lambda number: f"u{number}")
    prover = ByPeer(ByNothing(), {"u0": "operator", "u7": "operator"}, is_open=False, owner=lambda: 5)
    assert prover.caller_of(call_of(0), Role.USER) == Caller("u0", Role.OPERATOR)
    assert prover.caller_of(call_of(7), Role.USER) == Caller("u7", Role.OPERATOR)
    assert prover.caller_of(call_of(8), Role.USER) == Caller("u8", Role.USER)
    assert prover.caller_of(call_of(5), Role.USER).role is Role.ADMINISTRATOR
    with pytest.raises(NotProven):
        prover.caller_of(call_of(5), Role.NODE)
    # Where the configuration says nothing of root, root is one whoever owns the server.
    plain = ByPeer(ByNothing(), {}, is_open=False, owner=lambda: 5)
    wanted = [Role.ADMINISTRATOR, Role.ADMINISTRATOR, Role.USER]
    assert [plain.caller_of(call_of(number), Role.USER).role for number in (0, 5, 8)] == wanted


def test_a_token_that_was_shown_in_place_of_the_kernels_word_can_be_taken_back() -> None:
    """A stream that it has opened ends with it; one that the kernel's word has opened has no token."""

    class Other(ByNothing):
        def token_id(self, context: Any) -> str:
            return "t1"

        def stands(self, token_id: str) -> bool:
            return token_id != "t1"

    prover = ByPeer(Other(), {}, is_open=False)
    assert prover.token_id(call_of(8, Authorization="Bearer x")) == "t1"
    assert prover.token_id(call_of(8)) == ""
    assert not prover.stands("t1")


def test_where_the_kernel_says_nothing_others_prove() -> None:
    class Other(ByNothing):
        def caller_of(self, context: Any, need: Any) -> Caller:
            return Caller("other", Role.USER)

    prover = ByPeer(Other(), {}, is_open=False)
    assert prover.caller_of(call_of(None), Role.USER).name == "other"
    assert prover.caller_of(call_of(0, Authorization="Bearer x"), Role.USER).name == "other"
    # On an open server the header that counts is the one with a name.
    assert (
        ByPeer(Other(), {}, is_open=True).caller_of(call_of(8, Authorization="x"), Role.USER).name != "other"
    )


def test_the_kernels_word_has_no_sign() -> None:
    from molokini.server.web.connections import _CREDENTIALS

    one, other = socket.socketpair(socket.AF_UNIX)
    with one, other:
        said = one.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _CREDENTIALS.size)
        assert _CREDENTIALS.unpack(said) == (os.getpid(), os.geteuid(), os.getegid())
    assert _CREDENTIALS.unpack(struct.pack("=III", 1, UNKNOWN, 2**32 - 1)) == (1, UNKNOWN, 2**32 - 1)
