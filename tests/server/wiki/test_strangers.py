"""Whoever is not the scheduler, or does not speak as it should, changes nothing and hears why."""

import asyncio
import logging
import random
import time
from pathlib import Path

import pytest

from molokini.model.errors import BadFile, BadValue
from molokini.server.config import load_config
from molokini.server.security.roles import Role
from molokini.server.wiki import port as wiki_port
from molokini.server.wiki.messages import MOST_BYTES, Shared, message
from molokini.server.wiki.port import shared_of
from tests.kit.waiting import eventually
from tests.kit.wiki import SHARED, Talker, key_file, states, with_port

ORDER = "CMD=CANCELJOB ARG=1 TYPE=ADMIN"


async def test_strangers_and_broken_messages(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    async with with_port(tmp_path) as (one, maui), one.client() as ann:
        await ann.submit(processors=1, estimate_s=100)
        now = time.time()
        right = message(SHARED, "maui", ORDER, now)
        caplog.set_level(logging.WARNING, "molokini.server.wiki")
        for sent, code, text in (
            (message(Shared(key="43"), "maui", ORDER, now), -422, "the checksum is wrong"),
            (right[9:].join([b"%08d\n" % (len(right) - 9), b""]).replace(b"CK=", b"CQ="), -422, "checksum"),
            (right.replace(b"ARG=1", b"ARG=2"), -422, "the checksum is wrong"),
            (message(Shared("NONE"), "maui", ORDER, now), -422, "the checksum is wrong"),
            (message(SHARED, "maui", ORDER, now - 400), -350, "more than 300 s from ours"),
            (message(SHARED, "maui", ORDER, now + 400), -350, "more than 300 s from ours"),
            (message(SHARED, "maui", "ARG=1", now), -300, "the request has no CMD="),
            (message(SHARED, "maui", ORDER + " COMMENT='", now), -300, "an unterminated quotation"),
            (b"GET / HTTP/1.1\r\n\r\n", -240, "eight digits"),
            (right[:5], -240, "the header of the message is incomplete"),
            (right[:-4], -246, "the message ends before its size"),
            (b"%08d\n" % (MOST_BYTES + 1), -244, "bytes, and not"),
            (b"00000000\n", -244, "bytes, and not"),
            (b"00000003\nabc", -300, "the message has no TS="),
        ):
            answer = await maui.read(await maui.raw(sent, end=True))
            assert answer.startswith(f"SC={code} RESPONSE="), sent
            assert text in answer
        assert len([one for one in caplog.records if "checksum is wrong" in one.message]) == 4
        assert "43" not in caplog.text.replace("127.0.0.1", "")
        assert states(await maui.jobs()) == {"1": "Idle"}


async def test_whatever_comes_is_answered_or_closed(tmp_path: Path) -> None:
    dice = random.Random(13)
    words = [
        "CMD=",
        "STARTJOB",
        "GETJOBS",
        "ARG=",
        "1",
        "0:ALL",
        "TASKLIST=",
        "n1:",
        "[1-",
        "*",
        "'",
        ";",
        "#",
    ]
    words += [
        "MODIFYJOB",
        "NODES=",
        "\x00",
        "é",
        " ",
        " ",
        "CANCELJOB",
        "TYPE=",
        "SIGNALJOB",
        "VALUE=",
        "9" * 30,
    ]
    async with with_port(tmp_path) as (one, maui), one.client() as ann:
        await ann.submit(processors=1, estimate_s=100)
        for _ in range(200):
            data = "".join(dice.choice(words) for _ in range(dice.randint(0, 9)))
            assert (await maui.ask(data)).startswith("SC=")
        for _ in range(100):
            answer = await maui.raw(dice.randbytes(dice.randint(0, 40)), end=True)
            assert (await maui.read(answer)).startswith("SC=-24")
        assert "1" in await maui.jobs()


async def test_connections_are_few_and_do_not_stay(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wiki_port, "TALK_S", 0.2)
    async with with_port(tmp_path, wiki__connections=2) as (one, maui):
        silent = [await asyncio.open_connection("127.0.0.1", maui.port) for _ in range(2)]
        assert one.server.wiki is not None
        await eventually(lambda: len(one.server.wiki._open) == 2)  # type: ignore[union-attr]
        assert await maui.raw(message(SHARED, "maui", "CMD=GETJOBS ARG=0:ALL", time.time())) == b""
        for reader, writer in silent:
            assert await reader.read() == b""
            writer.close()
        assert await maui.jobs() == {}
        # A server that stops waits for no connection.
        _, left = await asyncio.open_connection("127.0.0.1", maui.port)
    left.close()


async def test_a_server_that_starts_says_so(tmp_path: Path) -> None:
    async with with_port(tmp_path) as (one, maui):
        one.server.opened = False
        assert await maui.ask("CMD=GETJOBS ARG=0:ALL") == "SC=-140 RESPONSE=the server is starting"
        one.server.opened = True


async def test_a_failure_of_our_own_is_no_traceback(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with with_port(tmp_path) as (one, maui):

        async def broken(argument: str) -> str:
            raise RuntimeError("secret")

        assert one.server.wiki is not None
        monkeypatch.setattr(one.server.wiki._looking, "jobs", broken)
        answer = await maui.ask("CMD=GETJOBS ARG=0:ALL")
        assert answer == "SC=-1 RESPONSE=the server failed; its log says why"


async def test_what_the_scheduler_does_is_in_the_audit(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, "molokini.audit")
    async with with_port(tmp_path, wiki__user="old-maui") as (one, maui), one.client() as ann:
        await ann.submit(processors=1, estimate_s=100)
        await maui.ask("CMD=STARTJOB ARG=1 TASKLIST=n1 COMMENT=because")
    told = [one.message for one in caplog.records if one.message.startswith("old-maui")]
    assert "SchedulingSet" in told[0]
    assert '"what":"start"' in told[1]
    assert '"reason":"because"' in told[1]


async def test_the_event_port(tmp_path: Path) -> None:
    heard: list[bytes] = []

    async def hear(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        heard.append(await reader.read())
        writer.close()

    server = await asyncio.start_server(hear, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    async with with_port(tmp_path, wiki__events_after_s=0.0) as (one, maui), one.client() as ann:
        assert await maui.ask(f"CMD=INITIALIZE ARG= EPORT={port} USEHOSTEXP=N") == (
            f"SC=0 RESPONSE=EPORT={port} USEHOSTEXP=F"
        )
        await ann.submit(processors=1, estimate_s=100)
        await eventually(lambda: b"1234\0" in heard)
        async with one.client("root", Role.ADMINISTRATOR) as root:
            await root.drain(["n1"])
        await eventually(lambda: b"1235\0" in heard)
    server.close()


def test_key_files(tmp_path: Path) -> None:
    assert shared_of("DES", key_file(tmp_path, "0x2a"), 60.0) == Shared("DES", "0x2a", 60.0)
    for algorithm, key, mode, text in (
        ("DES", "secret", 0o600, "the key of the algorithm DES is a number"),
        ("HMAC", "", 0o600, "empty"),
        ("HMAC", "secret", 0o644, "set its mode to 0600"),
    ):
        with pytest.raises(BadFile, match=text):
            shared_of(algorithm, key_file(tmp_path, key, mode), 60.0)
    (tmp_path / "wiki.key").chmod(0o600)
    (tmp_path / "wiki.key").write_bytes(b"\xff\xfe")
    with pytest.raises(BadFile, match="no text"):
        shared_of("HMAC", tmp_path / "wiki.key", 60.0)
    with pytest.raises(BadFile, match="no such file"):
        shared_of("HMAC", tmp_path / "none", 60.0)


@pytest.mark.parametrize(
    ("given", "text"),
    [
        (
            {"wiki.listen": "0.0.0.0:7321"},
            "wiki.listen: .* a loopback address; the algorithms HMAC and HMAC64",
        ),
        ({"wiki.listen": "127.0.0.1:99999"}, "wiki.listen: .* HOST:PORT"),
        ({"wiki.listen": "127.0.0.1:1"}, "wiki.key_file: it is missing; it must be given"),
        ({"wiki.listen": "127.0.0.1:1", "wiki.algorithm": "NONE"}, "unless security.mode is 'open'"),
        ({"wiki.algorithm": "SHA"}, "wiki.algorithm: .* DES, HMAC, HMAC64, MD5 or NONE"),
        ({"manager.address": "rm:1"}, "manager.key_file: it is missing"),
    ],
)
def test_configurations_that_are_refused(given: dict[str, object], text: str) -> None:
    with pytest.raises(BadValue, match=text):
        load_config(None, given)


async def test_a_port_that_is_taken(tmp_path: Path) -> None:
    async with with_port(tmp_path) as (_, maui):
        (tmp_path / "other").mkdir()
        with pytest.raises(Exception, match=r"wiki\.listen: 127\.0\.0\.1:\d+: "):
            async with with_port(tmp_path / "other", wiki__listen=f"127.0.0.1:{maui.port}"):
                pass
        assert isinstance(maui, Talker)
