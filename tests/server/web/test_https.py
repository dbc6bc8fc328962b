"""TLS for the gateway, by the files that gRPC has."""

import ssl
import warnings
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from molokini.model.errors import BadFile
from molokini.server.security.certificates import Authority, Kind
from molokini.server.web.https import https_context
from tests.kit.web import CLUSTER, JOBS, Web, request_of
from tests.server.security.kit import Town, configuration
from tests.server.web.conftest import Gatewayed, gatewayed

LIST, SUBMIT = JOBS + "ListJobs", JOBS + "Submit"


def trusting(town: Town, authority: Authority | None = None) -> ssl.SSLContext:
    """A client's side that trusts the authority."""
    return ssl.create_default_context(cadata=(authority or town.authority).pem.certificate.decode())


def shown_by(town: Town, kind: Kind, name: str, lifetime_s: float = 3600, by: Authority | None = None) -> Any:
    """One that shows a certificate, too."""
    issued = (by or town.authority).issue(
        kind, name, lifetime_s, ("localhost",) if kind is Kind.SERVER else ()
    )
    context = trusting(town)
    certificate, key = town.put(f"{kind}-{name}-{id(by)}", issued)
    context.load_cert_chain(certificate, key)
    return context


def seen(at: Gatewayed, context: ssl.SSLContext) -> Web:
    return Web(port=at.gateway.port, context=context)


async def serial_of(web: Web) -> int:
    """Of the certificate that the server shows."""
    async with web.connected() as wire:
        shown = wire.writer.get_extra_info("ssl_object").getpeercert()
    return int(shown["serialNumber"], 16)


async def refused(web: Web) -> bool:
    """Whether the other end does not even answer."""
    try:
        await web.call(LIST, {})
    except OSError:
        return True
    return False


def test_plain_modes_have_none() -> None:
    for mode in ("token", "open"):
        assert https_context(configuration(security__mode=mode).security, lambda: 0.0) is None


async def test_the_server_shows_a_certificate_and_callers_tokens(tmp_path: Path) -> None:
    town = Town(tmp_path)
    async with gatewayed(tmp_path, **town.settings("tls")) as at:
        web = seen(at, trusting(town))
        assert (await web.call(LIST, {})).status == 401
        assert (await web.with_token(at.one.token("ann")).call(LIST, {})).status == 200
        assert await refused(Web(port=at.gateway.port))  # plain
        assert await refused(seen(at, trusting(town, Authority.made("another", 3600))))
        assert (await at.web.call(LIST, {})).status == 200  # the socket needs none of it


async def test_nothing_before_tls_1_2(tmp_path: Path) -> None:
    town = Town(tmp_path)
    async with gatewayed(tmp_path, **town.settings("tls")) as at:
        context = trusting(town)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # Python calls them old
            context.minimum_version = ssl.TLSVersion.TLSv1
            context.maximum_version = ssl.TLSVersion.TLSv1_1
        assert await refused(seen(at, context))


async def test_both_show_certificates(tmp_path: Path) -> None:
    town = Town(tmp_path)
    roles = {"oz": "operator"}
    async with gatewayed(tmp_path, **town.settings("mtls"), security__users=roles) as at:
        ann, oz = (seen(at, shown_by(town, Kind.USER, name)) for name in ("ann", "oz"))
        made = (await ann.call(SUBMIT, {"spec": {"held": True}})).document
        assert at.core.state.jobs[made["job_id"]].user == "ann"
        drained = {"names": ["n1"], "state": "DRAINING"}
        assert (await oz.call(CLUSTER + "ChangeNodes", drained)).status == 200
        assert (await ann.call(CLUSTER + "ChangeNodes", drained)).status == 403
        # A token beside it may lower the role, and must be the same person's.
        assert (await ann.with_token(at.one.token("ann")).call(LIST, {})).status == 200
        assert (await ann.with_token(at.one.token("oz")).call(LIST, {})).status == 401
        assert (await oz.with_token(at.one.token("oz")).call(CLUSTER + "ChangeNodes", drained)).status == 403
        # Over the socket the kernel's word does.
        assert (await at.web.call(LIST, {})).status == 200


async def test_certificates_that_prove_nothing(tmp_path: Path) -> None:
    town = Town(tmp_path)
    async with gatewayed(tmp_path, **town.settings("mtls")) as at:
        # The end of a handshake would not say why. A client without a certificate hears it, whatever it asks.
        bare = seen(at, trusting(town))
        for web in (bare, bare.with_token(at.one.token("ann"))):
            for path, verb in ((LIST, "POST"), ("/health", "GET"), ("/methods", "GET"), ("/nothing", "POST")):
                answer = await web.call(path, {}, verb=verb)
                assert (answer.status, answer.error["reason"]) == (401, "not_proven")
                assert "needs a client's certificate" in answer.error["message"]
        other = Authority.made("another", 3600)
        assert await refused(seen(at, shown_by(town, Kind.USER, "ann", by=other)))
        assert (await seen(at, shown_by(town, Kind.NODE, "n1")).call(LIST, {})).status == 403
        server = seen(at, shown_by(town, Kind.SERVER, "head"))
        with suppress(OSError):  # where its use is looked at, the handshake ends it
            assert (await server.call(LIST, {})).status == 401


async def test_a_certificate_is_judged_at_each_call(tmp_path: Path) -> None:
    town = Town(tmp_path)
    async with gatewayed(tmp_path, **town.settings("mtls")) as at:
        ann = seen(at, shown_by(town, Kind.USER, "ann"))
        async with ann.connected() as wire:
            await wire.send(request_of(LIST, b"{}"))
            assert (await wire.answer()).status == 200
            shown: Any = at.server.security.door.prover
            now = shown._wall()
            shown._wall = lambda: now + 7200.0
            await wire.send(request_of(LIST, b"{}"))
            assert (await wire.answer()).status == 401


@pytest.mark.parametrize("mode", ["tls", "mtls"])
async def test_a_renewed_certificate_is_used_from_the_next_connection_on(tmp_path: Path, mode: str) -> None:
    town = Town(tmp_path)
    async with gatewayed(tmp_path, **town.settings(mode)) as at:
        context = trusting(town) if mode == "tls" else shown_by(town, Kind.USER, "ann")
        web = seen(at, context)
        async with web.connected() as old:
            first = await serial_of(web)
            town.settings(mode)  # writes new files
            assert await serial_of(web) != first
            # The connection that was there goes on.
            await old.send(request_of(LIST, b"{}", {"Authorization": f"Bearer {at.one.token('ann')}"}))
            assert (await old.answer()).status == 200


async def test_a_renewed_authority_is_trusted_and_the_old_one_no_longer(tmp_path: Path) -> None:
    town = Town(tmp_path)
    async with gatewayed(tmp_path, **town.settings("mtls")) as at:
        old, context = town.authority, shown_by(town, Kind.USER, "ann")
        assert (await seen(at, context).call(LIST, {})).status == 200
        town.authority = Authority.made("new", 3600)
        town.settings("mtls")
        assert (await seen(at, shown_by(town, Kind.USER, "ann")).call(LIST, {})).status == 200
        stale = shown_by(town, Kind.USER, "bob", by=old)
        assert await refused(seen(at, stale))


async def test_unusable_files_change_nothing(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    town = Town(tmp_path)
    async with gatewayed(tmp_path, **town.settings("tls")) as at:
        web = seen(at, trusting(town))
        first = await serial_of(web)
        (tmp_path / "server.pem").write_text("nothing")
        assert await serial_of(web) == first
        assert "certificate is not renewed" in caplog.text
        (tmp_path / "server.pem").unlink()
        assert await serial_of(web) == first


async def test_files_that_cannot_be_used_at_the_start(tmp_path: Path) -> None:
    settings = Town(tmp_path).settings("tls")
    (tmp_path / "server.key").chmod(0o644)
    with pytest.raises(BadFile, match=r"server\.key"):
        https_context(configuration(**settings).security, lambda: 0.0)


async def test_who_does_not_shake_hands_is_cut(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("molokini.server.web.gateway._HANDSHAKE_S", 0.3)
    async with gatewayed(tmp_path, **Town(tmp_path).settings("tls")) as at:
        for said in (b"", b"\x16\x03\x01", request_of(LIST, b"{}")):
            async with Web(port=at.gateway.port).connected() as wire:
                await wire.send(said)
                assert not (await wire.closed()).startswith(b"HTTP")
