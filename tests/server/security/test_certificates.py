"""B21: certificates on real TLS connections, with lifetimes of seconds where they have to end."""

import asyncio
import ssl
import time
from pathlib import Path
from typing import Any

import grpc
import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.serialization import load_pem_private_key
from grpc import aio

from molokini.model.errors import BadFile, BadValue
from molokini.server.security import Role
from molokini.server.security.authentication import NotProven
from molokini.server.security.certificates import (
    BACKDATED_S,
    Authority,
    BadCertificate,
    Issued,
    Kind,
    identity_of,
)
from molokini.server.security.roles import Caller
from tests.server.security.kit import GET_JOB, LIST_JOBS, Channel, Clock, Town, configuration, running

DENIED = grpc.StatusCode.PERMISSION_DENIED
UNAUTHENTICATED = grpc.StatusCode.UNAUTHENTICATED
UNAVAILABLE = grpc.StatusCode.UNAVAILABLE


@pytest.fixture
def town(tmp_path: Path) -> Town:
    return Town(tmp_path)


async def test_tls_with_tokens(town: Town) -> None:
    settings = town.settings("tls")
    async with running(town.folder, **settings) as server:
        async with server.channel(town.credentials()) as channel:
            assert await channel.who(server.as_("alice")) == ("alice", "user")
            assert await channel.code(GET_JOB) is UNAUTHENTICATED
        async with server.channel() as plain:
            assert await plain.code(GET_JOB) is UNAVAILABLE
        other = grpc.ssl_channel_credentials(Authority.made("other", 60).pem.certificate)
        async with server.channel(other) as stranger:
            assert await stranger.code(GET_JOB) is UNAVAILABLE
        async with server.channel(town.credentials()) as channel:
            assert (await channel.who(server.owner))[1] == "administrator"
    # Agents come from other machines, where a token without an end is no good.
    assert not (town.folder / "agent-token").exists()


async def test_each_kind_of_certificate_has_its_methods(town: Town) -> None:
    settings = town.settings("mtls")
    async with running(town.folder, security__users={"olga": "operator"}, **settings) as server:
        async with server.channel(town.person(Kind.USER, "alice")) as alice:
            assert await alice.who() == ("alice", "user")
            assert await alice.connect() is DENIED
        async with server.channel(town.person(Kind.USER, "olga")) as olga:
            assert await olga.who() == ("olga", "operator")
        async with server.channel(town.person(Kind.NODE, "n1")) as node:
            assert await node.connect() is grpc.StatusCode.OK
            assert await node.code(LIST_JOBS) is DENIED


async def test_certificates_that_do_not_open_a_connection(town: Town) -> None:
    """The client sees only UNAVAILABLE: the handshake fails before anybody could say why."""
    settings = town.settings("mtls")
    other = Authority.made("other", 60)
    async with running(town.folder, **settings) as server:
        expired = town.authority.issue(Kind.USER, "alice", -1)
        servers = town.authority.issue(Kind.SERVER, "head", 60, ("localhost",))
        for issued in (None, expired, servers, other.issue(Kind.USER, "alice", 60)):
            async with server.channel(town.credentials(issued)) as channel:
                assert await channel.code(GET_JOB) is UNAVAILABLE
        async with server.channel(town.person(Kind.USER, "alice")) as channel:
            assert await channel.who() == ("alice", "user")


async def test_a_users_certificate_is_no_server(town: Town) -> None:
    settings = town.settings("tls")
    issued = town.authority.issue(Kind.USER, "mallory", 60)
    certificate, key = town.put("mallory", issued)
    with pytest.raises(BadFile, match="the certificate of a user; it must be a server's"):
        async with running(
            town.folder, **{**settings, "security__certificate": certificate, "security__key": key}
        ):
            pass
    # Nor does a client take it for one, whatever the impostor's own server says.
    credentials = grpc.ssl_server_credentials([(issued.key, issued.certificate)])
    server = aio.server(options=[("grpc.so_reuseport", 0)])
    port = server.add_secure_port("127.0.0.1:0", credentials)
    await server.start()
    async with aio.secure_channel(f"127.0.0.1:{port}", town.credentials()) as channel:
        with pytest.raises(aio.AioRpcError) as caught:
            await Channel(channel).call(GET_JOB)
    assert caught.value.code() is UNAVAILABLE
    await server.stop(0)


def renamed(town: Town, *names: x509.GeneralName) -> Issued:
    """A user's certificate, signed by the right authority, but with other names."""
    issued = town.authority.issue(Kind.USER, "alice", 60)
    old = x509.load_pem_x509_certificate(issued.certificate)
    ca = load_pem_private_key(town.authority.pem.key, None)
    builder = (
        x509.CertificateBuilder()
        .subject_name(old.subject)
        .issuer_name(old.issuer)
        .public_key(old.public_key())
        .serial_number(old.serial_number)
        .not_valid_before(old.not_valid_before_utc)
        .not_valid_after(old.not_valid_after_utc)
    )
    if names:
        builder = builder.add_extension(x509.SubjectAlternativeName(names), critical=False)
    signed = builder.sign(ca, hashes.SHA256())  # type: ignore[arg-type]
    from cryptography.hazmat.primitives.serialization import Encoding

    return Issued(signed.public_bytes(Encoding.PEM), issued.key)


def uri(text: str) -> x509.GeneralName:
    return x509.UniformResourceIdentifier(text)


@pytest.mark.parametrize(
    "names",
    [
        (),
        (x509.DNSName("alice"),),
        (uri("molokini://user/alice"), uri("molokini://user/bob")),
        (uri("molokini://user/alice"), x509.DNSName("n1")),
        (uri("molokini://administrator/alice"),),
        (uri("molokini://user/alice?role=administrator"),),
        (uri("molokini://user/../alice"),),
        (uri("molokini://user/"),),
        (uri("molokini://user/*"),),
        (uri("https://user/alice"),),
        (uri("molokini://server/head"),),
    ],
)
async def test_one_name_and_only_that_one_counts(town: Town, names: tuple[x509.GeneralName, ...]) -> None:
    async with (
        running(town.folder, **town.settings("mtls")) as server,
        server.channel(town.credentials(renamed(town, *names))) as channel,
    ):
        assert await channel.code(GET_JOB) is UNAUTHENTICATED
        assert server.security.door.bad_credentials == 1


async def test_a_revoked_certificate(town: Town) -> None:
    alice, bob = (town.authority.issue(Kind.USER, name, 60) for name in ("alice", "bob"))
    serial = x509.load_pem_x509_certificate(alice.certificate).serial_number
    revoked: dict[str, Any] = {"security__revoked": [f"{serial:x}"]}
    async with running(town.folder, **revoked, **town.settings("mtls")) as server:
        async with server.channel(town.credentials(alice)) as channel:
            assert await channel.code(GET_JOB) is UNAUTHENTICATED
        async with server.channel(town.credentials(bob)) as channel:
            assert await channel.who() == ("bob", "user")


async def test_a_token_beside_a_certificate_must_be_the_same_persons(town: Town) -> None:
    """B20: a request of one user on the connection of another."""
    users: dict[str, Any] = {"security__users": {"olga": "administrator"}}
    async with (
        running(town.folder, **users, **town.settings("mtls")) as server,
        server.channel(town.person(Kind.USER, "olga")) as channel,
    ):
        assert await channel.who() == ("olga", "administrator")
        assert await channel.who(server.as_("olga", Role.OPERATOR)) == ("olga", "operator")
        assert await channel.code(GET_JOB, metadata=server.as_("alice")) is UNAUTHENTICATED
        assert await channel.code(GET_JOB, metadata=server.as_("olga", Role.NODE)) is UNAUTHENTICATED


async def test_a_connection_has_proven_one_certificate_or_nothing(town: Town) -> None:
    pems = [town.authority.issue(Kind.USER, name, 60).certificate for name in ("alice", "bob")]

    class Shown:
        def __init__(self, *pems: bytes) -> None:
            self.auth_context = lambda: {"x509_pem_cert": pems} if pems else {}
            self.invocation_metadata = lambda: ()

    async with running(town.folder, **town.settings("mtls")) as server:
        prover: Any = server.security.door.prover
        assert prover.caller_of(Shown(pems[0]), Role.USER) == Caller("alice", Role.USER)
        for shown in (Shown(), Shown(*pems), Shown(pems[1], pems[1])):
            with pytest.raises(NotProven, match="no certificate"):
                prover.caller_of(shown, Role.USER)
        with pytest.raises(BadCertificate, match="cannot be read"):
            prover.caller_of(Shown(b"-----BEGIN CERTIFICATE-----"), Role.USER)


async def test_a_certificate_that_ends_on_an_open_connection(town: Town) -> None:
    """The connection lives on; its next call is refused all the same."""
    clock = Clock(time.time())
    async with (
        running(town.folder, wall=clock, security__clock_skew_s=0.0, **town.settings("mtls")) as server,
        server.channel(town.person(Kind.USER, "alice", 100)) as channel,
    ):
        assert await channel.who() == ("alice", "user")
        began_s = clock.now_s
        clock.now_s = began_s + 101
        assert await channel.code(GET_JOB) is UNAUTHENTICATED
        # Nor is it good before its beginning, which lies a little back.
        clock.now_s = began_s - BACKDATED_S - 10
        assert await channel.code(GET_JOB) is UNAUTHENTICATED
        clock.now_s = began_s
        assert await channel.who() == ("alice", "user")


async def test_connections_end_at_their_age_and_an_expired_certificate_does_not_come_back(town: Town) -> None:
    settings = {
        **town.settings("mtls"),
        "security__max_connection_age_s": 1.0,
        "security__clock_skew_s": 300.0,
    }
    issued = town.authority.issue(Kind.USER, "alice", 8)
    ends = x509.load_pem_x509_certificate(issued.certificate).not_valid_after_utc.timestamp()
    async with (
        running(town.folder, **settings) as server,
        server.channel(town.credentials(issued)) as channel,
    ):
        assert await channel.who() == ("alice", "user")
        # The skew would let the certificate go on on this connection; the handshake of the next does not.
        codes: set[grpc.StatusCode] = set()
        while UNAVAILABLE not in codes:
            assert time.time() < ends + 60
            codes.add(await channel.code(GET_JOB))
            await asyncio.sleep(0.05)
        assert time.time() >= ends
        assert codes <= {grpc.StatusCode.OK, UNAVAILABLE}


async def test_a_renewed_certificate_is_used_from_the_next_connection_on(town: Town) -> None:
    settings = town.settings("tls")
    async with running(town.folder, **settings) as server:
        before = seen(await presented(server.port))
        again = server.security.new_server()  # a second address has the same certificate
        port = server.security.bind(again)
        await again.start()
        assert seen(await presented(port)) == before
        await again.stop(0)
        town.settings("tls")
        after = seen(await presented(server.port))
        assert before != after
        (town.folder / "server.pem").write_text("rubbish")
        assert seen(await presented(server.port)) == after


async def test_authorities_added_and_taken_away_count_from_the_next_connection_on(town: Town) -> None:
    """Nothing but the file of authorities changes."""
    settings = town.settings("mtls")
    other = Authority.made("next", 3600)
    ours = town.authority.issue(Kind.USER, "alice", 3600)
    theirs = other.issue(Kind.USER, "bob", 3600)
    async with running(town.folder, **settings) as server:

        async def code(issued: Issued) -> grpc.StatusCode:
            async with server.channel(town.credentials(issued)) as channel:
                return await channel.code(GET_JOB)

        assert [await code(issued) for issued in (ours, theirs)] == [grpc.StatusCode.OK, UNAVAILABLE]
        settings["security__ca"].write_bytes(town.authority.pem.certificate + other.pem.certificate)
        assert [await code(issued) for issued in (ours, theirs)] == [grpc.StatusCode.OK, grpc.StatusCode.OK]
        settings["security__ca"].write_bytes(other.pem.certificate)
        assert [await code(issued) for issued in (ours, theirs)] == [UNAVAILABLE, grpc.StatusCode.OK]


async def presented(port: int) -> bytes:
    """The certificate that the server shows."""
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    context.set_alpn_protocols(["h2"])
    _, writer = await asyncio.open_connection("127.0.0.1", port, ssl=context)
    body: bytes = writer.get_extra_info("ssl_object").getpeercert(binary_form=True)
    writer.close()
    return body


def seen(der: bytes) -> int:
    return x509.load_der_x509_certificate(der).serial_number


@pytest.mark.parametrize(
    ("fault", "cause"),
    [
        ("missing", "no such file"),
        ("open key", "set its mode to 0600"),
        ("other key", "not the key of"),
        ("rubbish", "not a PEM certificate"),
        ("rubbish key", "not a PEM private key"),
        ("expired", "expired at"),
    ],
)
async def test_files_that_cannot_serve_stop_the_start(town: Town, fault: str, cause: str) -> None:
    settings = town.settings("mtls", -1 if fault == "expired" else 60)
    certificate, key = settings["security__certificate"], settings["security__key"]
    match fault:
        case "missing":
            certificate.unlink()
        case "open key":
            key.chmod(0o644)
        case "other key":
            key.write_bytes(town.authority.issue(Kind.SERVER, "x", 60).key)
        case "rubbish":
            certificate.write_text("rubbish")
        case "rubbish key":
            key.write_text("rubbish")
    with pytest.raises(BadFile, match=cause):
        async with running(town.folder, **settings):
            pass


def test_only_loopback_without_tls(town: Town) -> None:
    from molokini.server.security import server_security

    async def bind() -> None:
        security = server_security(configuration(), town.folder)
        for listen in ("0.0.0.0:0", "[::]:0", "head.example:0"):
            with pytest.raises(BadValue, match="a loopback address, since there is no certificate"):
                security.bind(security.new_server(), listen)

    asyncio.run(bind())


async def test_a_second_server_does_not_share_the_port(town: Town) -> None:
    from molokini.model.errors import MolokiniError

    async with running(town.folder) as first:
        other = first.security.new_server()
        with pytest.raises(MolokiniError, match="cannot listen on"):
            first.security.bind(other, f"127.0.0.1:{first.port}")
        await other.stop(0)


def test_an_identity_is_read_back(town: Town) -> None:
    for kind in Kind:
        hosts = ("localhost", "::1") if kind is Kind.SERVER else ()
        issued = town.authority.issue(kind, "n1", 3600, hosts)
        identity = identity_of(x509.load_pem_x509_certificate(issued.certificate))
        assert (identity.kind, identity.name) == (kind, "n1")
        assert identity.until_s - time.time() == pytest.approx(3600, abs=120)
    with pytest.raises(BadCertificate):
        identity_of(x509.load_pem_x509_certificate(town.authority.pem.certificate))


def test_an_authority_is_loaded_again(town: Town) -> None:
    again = Authority.loaded(town.authority.pem)
    assert again.pem == town.authority.pem
    with pytest.raises(ValueError, match="not the certificate's"):
        Authority.loaded(Issued(town.authority.pem.certificate, Authority.made("x", 60).pem.key))
    with pytest.raises(BadValue, match="name of a user"):
        town.authority.issue(Kind.USER, "a/b", 60)
    with pytest.raises(BadValue, match="hosts"):
        town.authority.issue(Kind.NODE, "n1", 60, ("localhost",))
