"""Tokens for others: who may issue, see and take back which, on a live server and by the commands."""

import asyncio
import errno
import json
import logging
import os
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from molokini.client.client import Client
from molokini.client.errors import (
    NotAllowed,
    NotFound,
    NotNow,
    NotSignedIn,
    OverLimit,
    Refused,
    ServerError,
    ServerFault,
)
from molokini.clients.command import run
from molokini.model.facts import CommandTaken
from molokini.server.journal.port import StateFull
from molokini.server.security.roles import Role
from tests.clients.command_runs import Ran
from tests.kit.serving import Served, served

ADMINISTRATOR, OPERATOR = Role.ADMINISTRATOR, Role.OPERATOR


async def works(one: Served, token: str) -> bool:
    async with Client.connect(f"127.0.0.1:{one.server.port}", token) as client:
        try:
            await client.cluster()
        except NotSignedIn:
            return False
        return True


async def test_issued_seen_and_taken_back(tmp_path: Path) -> None:
    async with served(tmp_path) as one, one.client("root", ADMINISTRATOR) as root:
        made = await root.issue_token("alice", lifetime_s=60)
        kept = made.kept
        assert (kept.user, kept.role, kept.issued_by, kept.state) == ("alice", "user", "root", "good")
        assert kept.until_s - kept.issued_s == 60
        assert await works(one, made.token)
        assert kept in await root.tokens("alice")
        [gone] = await root.revoke_tokens([kept.id])
        assert (gone.state, gone.revoked_by) == ("revoked", "root")
        assert not await works(one, made.token)
        assert await root.tokens("alice") == []
        assert await root.tokens("alice", include_ended=True) == [gone]
    # The list and the journal, in the folder of the state, outlive the server.
    async with served(tmp_path) as one:
        assert not await works(one, made.token)
        taken = [fact async for fact in commands(one)]
        wanted = [("root", "issue token", "alice"), ("root", "revoke tokens", "")]
        assert [(fact.by, fact.what, fact.detail.get("user")) for fact in taken[:2]] == wanted
        assert taken[0].detail["id"] == kept.id
        assert made.token not in repr(taken)


async def commands(one: Served) -> Any:
    from molokini.model.codec import decode

    async for entry in one.core.journal.read(0):
        if isinstance(fact := decode(entry), CommandTaken):
            yield fact


async def refused(call: Awaitable[Any], kind: type[ServerError]) -> str:
    with pytest.raises(kind) as caught:
        await call
    return str(caught.value)


async def test_who_may_issue_what(one: Served) -> None:
    async with one.client("alice") as alice:
        # Not for himself either: he would never end.
        assert "needs the role operator" in await refused(alice.issue_token("alice"), NotAllowed)
        assert "needs the role administrator" in await refused(alice.rotate_tokens(), NotAllowed)
    async with one.client("olga", OPERATOR) as olga:
        for role, allowed in (("user", True), ("operator", True), ("administrator", False), ("node", False)):
            if allowed:
                assert await works(one, (await olga.issue_token("olga", role)).token)
            else:
                said = await refused(olga.issue_token("olga", role), NotAllowed)
                assert "cannot grant or revoke the role" in said
            # In another name she would be that user on the nodes.
            await refused(olga.issue_token("bob", role), NotAllowed)
        said = await refused(olga.issue_token("bob"), NotAllowed)
        assert said.endswith("tokens of another name (bob) need the role administrator")
        assert "needs the role administrator" in await refused(olga.rotate_tokens(), NotAllowed)
    async with one.client("root", ADMINISTRATOR) as root:
        assert "role: 'king'" in await refused(root.issue_token("bob", "king"), Refused)
        assert "user: 'a b'" in await refused(root.issue_token("a b"), Refused)
        assert "at most 900" in await refused(root.issue_token("bob", lifetime_s=901), Refused)
        assert "lifetime_s" in await refused(root.issue_token("bob", lifetime_s=-1), Refused)


async def test_users_know_of_their_own_tokens_alone(one: Served) -> None:
    async with one.client("root", ADMINISTRATOR) as root:
        mine = (await root.issue_token("alice")).kept
        stronger = (await root.issue_token("alice", "operator")).kept
        agent = (await root.issue_token("alice", "node")).kept
        theirs = (await root.issue_token("bob")).kept
        every = {row.id for row in await root.tokens()}
        assert every > {mine.id, stronger.id, agent.id, theirs.id}
    async with one.client("alice") as alice:
        assert {row.user for row in await alice.tokens()} == {"alice"}
        assert "(bob) need the role administrator" in await refused(alice.tokens("bob"), NotAllowed)
        assert "(bob) need" in await refused(alice.revoke_tokens(user="bob"), NotAllowed)
        # Another's is not there; the words are the same for one that never was.
        said = await refused(alice.revoke_tokens([theirs.id]), NotFound)
        assert await refused(alice.revoke_tokens(["0" * 16]), NotFound) == said.replace(theirs.id, "0" * 16)
        assert theirs.id not in said.replace(repr(theirs.id), "")
        assert agent.id not in {row.id for row in await alice.tokens()}
        # What he could not give he does not take.
        assert "cannot grant or revoke the role operator" in await refused(
            alice.revoke_tokens([mine.id, stronger.id]), NotAllowed
        )
        assert [row.state for row in await alice.tokens() if row.id == mine.id] == ["good"]
        assert [row.id for row in await alice.revoke_tokens([mine.id])] == [mine.id]
    async with one.client("root", ADMINISTRATOR) as root:
        gone = await root.revoke_tokens(user="alice")
        assert {stronger.id, agent.id} <= {row.id for row in gone}
        assert await root.tokens("alice") == []
        assert await root.revoke_tokens(user="alice") == [], "none is left that could be taken back"
        assert [row.state for row in await root.tokens("bob")] == ["good"]
        assert "ids" in await refused(root.revoke_tokens(), Refused)
        assert "ids" in await refused(root.revoke_tokens([mine.id], user="bob"), Refused)


async def test_rotation_ends_the_tokens_of_older_keys(tmp_path: Path) -> None:
    async with served(tmp_path) as one:
        async with one.client("root", ADMINISTRATOR) as root:
            made = await root.issue_token("alice")
            assert await root.rotate_tokens() == []
            assert await works(one, made.token)
        owner = (tmp_path / "state" / "token").read_text().strip()
        async with Client.connect(f"127.0.0.1:{one.server.port}", owner) as root:
            ended = await root.rotate_tokens()
            assert {row.state for row in ended} == {"rotated"}
            assert made.kept.id in {row.id for row in ended}
            later = (tmp_path / "state" / "token").read_text().strip()
        async with Client.connect(f"127.0.0.1:{one.server.port}", later) as root:
            # What had ended before does not end again.
            assert await root.rotate_tokens() == []
        assert not await works(one, made.token)
    async with served(tmp_path) as one:
        assert not await works(one, made.token)


async def test_no_token_when_it_is_full(one: Served, root: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    before = (await root.issue_token("bob")).kept

    async def full(entries: object) -> None:
        raise StateFull("full")

    monkeypatch.setattr(one.core.journal, "append", full)
    await refused(root.issue_token("alice"), OverLimit)
    assert await root.tokens("alice") == []
    assert [row.state for row in await root.tokens("alice", include_ended=True)] == ["revoked"]
    # What is taken back stays so, although it cannot be written down just now.
    assert [row.state for row in await root.revoke_tokens([before.id])] == ["revoked"]


async def test_a_full_disk_is_no_mistake_of_the_callers(
    one: Served,
    root: Client,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    good = (await root.issue_token("bob")).kept
    keys, opened = one.server.security.tokens.ring.keys, os.open  # type: ignore[union-attr]

    def failing(number: int, *names: str) -> None:
        def fails(path: Any, *args: Any, **more: Any) -> int:
            if any(name in str(path) for name in names):
                raise OSError(number, os.strerror(number), str(path))
            return opened(path, *args, **more)

        monkeypatch.setattr(os, "open", fails)

    for number, kind in ((errno.ENOSPC, OverLimit), (errno.EDQUOT, OverLimit), (errno.EIO, ServerFault)):
        failing(number, ".tokens.json.", ".token-keys.json.")
        for call in (root.issue_token("ann"), root.revoke_tokens([good.id]), root.rotate_tokens()):
            said = await refused(call, kind)
            assert "nothing was changed (number" in said
            assert "json" not in said
            assert said.partition("(number ")[2].partition(" ")[0] in caplog.text
        assert await root.tokens("ann", include_ended=True) == []
        assert await root.tokens("bob") == [good]
        assert one.server.security.tokens.ring.keys == keys  # type: ignore[union-attr]
    # Where only the token of the owner cannot follow, it is good until the next rotation.
    failing(errno.ENOSPC, "/.token.")
    assert await root.rotate_tokens() == []
    assert "a token of the owner is still signed by the previous key" in caplog.text
    monkeypatch.setattr(os, "open", opened)
    owner = (tmp_path / "state" / "token").read_text().strip()
    assert await works(one, owner)
    await root.rotate_tokens()
    assert (tmp_path / "state" / "token").read_text().strip() != owner


async def test_an_open_server_has_none(tmp_path: Path) -> None:
    async with (
        served(tmp_path, security__mode="open") as one,
        Client.connect(f"127.0.0.1:{one.server.port}") as client,
    ):
        assert "an open server has no tokens" in await refused(client.tokens(), NotNow)


@pytest.fixture
def shell(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[..., Awaitable[Ran]]:
    """The command in a thread, with what MOLOKINI_SERVER and MOLOKINI_TOKEN say."""
    monkeypatch.chdir(tmp_path)

    async def ran(one: Served, token: str, *arguments: str) -> Ran:
        monkeypatch.setenv("MOLOKINI_SERVER", f"127.0.0.1:{one.server.port}")
        monkeypatch.setenv("MOLOKINI_TOKEN", token)
        capsys.readouterr()
        code = await asyncio.to_thread(run, list(arguments))
        captured = capsys.readouterr()
        return Ran(code, captured.out, captured.err)

    return ran


async def test_the_commands(
    one: Served, shell: Callable[..., Awaitable[Ran]], caplog: pytest.LogCaptureFixture
) -> None:
    root = one.token("root", ADMINISTRATOR)
    with caplog.at_level(logging.DEBUG):
        done = await shell(one, root, "token", "issue", "alice", "--lifetime", "0:10:00")
    token, kept_id = done.out.strip(), done.err.partition("; id ")[2].partition(".")[0]
    assert (done.code, len(done.out.splitlines())) == (0, 1)
    assert "a token for alice with the role user, good until 20" in done.err
    assert token not in done.err + caplog.text
    done = await shell(one, token, "jobs")
    assert done.code == 0
    listed = await shell(one, root, "token", "list", "--user", "alice")
    header = listed.out.splitlines()[0].split()
    assert " ".join(header) == "id user role state issued until issued by"
    assert listed.out.splitlines()[1].split()[:4] == [kept_id, "alice", "user", "good"]
    found = (await shell(one, root, "token", "list", "--user", "alice", "--json")).json
    assert [row["id"] for row in found["tokens"]] == [kept_id]
    done = await shell(one, root, "token", "revoke", kept_id)
    assert (done.code, done.err) == (0, "molokini: 1 token revoked\n")
    done = await shell(one, token, "jobs")
    assert (done.code, done.out) == (1, "")
    assert "not authenticated" in done.err
    done = await shell(one, root, "token", "rotate")
    assert "a new key signs from now on; 0 tokens ended" in done.err


async def test_a_token_in_a_file_of_its_own(
    one: Served, tmp_path: Path, shell: Callable[..., Awaitable[Ran]]
) -> None:
    root = one.token("root", ADMINISTRATOR)
    done = await shell(one, root, "token", "issue", "n1", "--role", "node", "--file", "n1.token", "--json")
    assert "token" not in json.loads(done.out)
    file = tmp_path / "n1.token"
    assert file.stat().st_mode & 0o777 == 0o600
    text = file.read_text()
    # A file that is there stays; one that was made for nothing goes.
    done = await shell(one, root, "token", "issue", "n1", "--file", "n1.token")
    assert (done.code, file.read_text()) == (2, text)
    done = await shell(one, root, "token", "issue", "n1", "--role", "king", "--file", "other")
    assert (done.code, (tmp_path / "other").exists()) == (2, False)
    assert (await shell(one, root, "token", "issue", "n1", "--lifetime", "0")).code == 2
    done = await shell(one, root, "token", "revoke")
    wanted = "molokini: token revoke takes ids of tokens, or --user NAME; give one of the two\n"
    assert (done.code, done.err) == (2, wanted)
