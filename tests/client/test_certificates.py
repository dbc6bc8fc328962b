"""A connection that certificates prevent: gRPC says "unavailable", the client says why."""

import datetime
import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from ipaddress import ip_address
from pathlib import Path

import grpc
import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from molokini.client.client import Client
from molokini.client.endpoint import Tls
from molokini.client.errors import NotSignedIn
from molokini.model.errors import BadFile, BadInput
from tests.kit.connected import QUICK
from tests.kit.fake_server import FakeServer
from tests.kit.waiting import DEADLINE_S

DAY = datetime.timedelta(days=1)


@dataclass
class Authority:
    """A test authority in a folder."""

    folder: Path
    name: str

    def __post_init__(self) -> None:
        self.key = ec.generate_private_key(ec.SECP256R1())
        subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, self.name)])
        self.certificate = self._signed(subject, subject, self.key, DAY, authority=True)
        self.ca = self._write(f"{self.name}.pem", self.certificate)

    def issue(self, name: str, valid: datetime.timedelta = DAY) -> tuple[Path, Path]:
        """A certificate for the loopback address, and its key, as files."""
        key = ec.generate_private_key(ec.SECP256R1())
        subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
        certificate = self._signed(subject, self.certificate.subject, key, valid)
        path = self.folder / f"{name}.key"
        path.write_bytes(
            key.private_bytes(
                serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
            )
        )
        return self._write(f"{name}.pem", certificate), path

    def _write(self, name: str, certificate: x509.Certificate) -> Path:
        path = self.folder / name
        path.write_bytes(certificate.public_bytes(serialization.Encoding.PEM))
        return path

    def _signed(
        self,
        subject: x509.Name,
        issuer: x509.Name,
        key: ec.EllipticCurvePrivateKey,
        valid: datetime.timedelta,
        authority: bool = False,
    ) -> x509.Certificate:
        now = datetime.datetime.now(datetime.UTC)
        builder = (
            x509.CertificateBuilder()
            .subject_name(subject)
            .issuer_name(issuer)
            .public_key(key.public_key())
            .serial_number(x509.random_serial_number())
            .not_valid_before(now - 10 * DAY)
            .not_valid_after(now + valid)
            .add_extension(x509.BasicConstraints(ca=authority, path_length=None), critical=True)
            .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
            .add_extension(
                x509.AuthorityKeyIdentifier.from_issuer_public_key(self.key.public_key()), critical=False
            )
        )
        if not authority:
            names = x509.SubjectAlternativeName([x509.IPAddress(ip_address("127.0.0.1"))])
            builder = builder.add_extension(names, critical=False)
        return builder.sign(self.key, hashes.SHA256())


@pytest.fixture
def ours(tmp_path: Path) -> Authority:
    return Authority(tmp_path, "ours")


@pytest.fixture
def other(tmp_path: Path) -> Authority:
    return Authority(tmp_path, "other")


@pytest.fixture
def secure(ours: Authority) -> Iterator[FakeServer]:
    certificate, key = ours.issue("server")
    credentials = grpc.ssl_server_credentials(
        [(key.read_bytes(), certificate.read_bytes())], ours.ca.read_bytes(), require_client_auth=True
    )
    with FakeServer(credentials) as running:
        yield running


async def told(target: str, tls: Tls | None) -> str:
    """What the client says of a connection that does not come about."""
    async with Client.connect(target, patience=QUICK, tls=tls) as client:
        with pytest.raises(NotSignedIn) as caught:
            await client.cluster()
    return str(caught.value)


async def test_mutual_tls(secure: FakeServer, ours: Authority) -> None:
    tls = Tls(ours.ca, *ours.issue("user"))
    async with Client.connect(secure.target, token="secret", tls=tls, patience=QUICK) as client:
        assert (await client.cluster()).name == "fake"
    assert secure.faults.metadata["authorization"] == "Bearer secret"


async def test_an_expired_certificate_of_ours(secure: FakeServer, ours: Authority) -> None:
    certificate, key = ours.issue("user", valid=-DAY)
    assert f"{certificate}: this certificate expired on " in await told(
        secure.target, Tls(ours.ca, certificate, key)
    )


async def test_a_certificate_from_another_authority(
    secure: FakeServer, ours: Authority, other: Authority
) -> None:
    certificate, key = other.issue("user")
    text = await told(secure.target, Tls(ours.ca, certificate, key))
    assert f"{certificate}: the server " in text
    assert "certificate" in text


async def test_no_certificate(secure: FakeServer, ours: Authority) -> None:
    assert "the server wants a certificate" in await told(secure.target, Tls(ours.ca))


async def test_a_server_that_is_not_to_be_trusted(secure: FakeServer, other: Authority) -> None:
    text = await told(secure.target, Tls(other.ca, *other.issue("user")))
    assert "the server's certificate is not to be trusted: " in text


async def test_another_name_than_the_server_has(secure: FakeServer, ours: Authority) -> None:
    certificate, key = ours.issue("user")
    text = await told(secure.target, Tls(ours.ca, certificate, key, server_name="cluster.example"))
    assert "cluster.example" in text


async def test_a_server_with_tls_and_a_client_without(secure: FakeServer) -> None:
    assert "the server speaks TLS" in await told(secure.target, None)


async def test_a_client_with_tls_and_a_server_without(server: FakeServer, ours: Authority) -> None:
    text = await told(server.target, Tls(ours.ca, *ours.issue("user")))
    assert "does not speak TLS" in text


async def test_files_that_cannot_be_used(ours: Authority, tmp_path: Path) -> None:
    certificate, key = ours.issue("user")
    _, strange = ours.issue("stranger")
    rubbish = tmp_path / "rubbish.pem"
    rubbish.write_text("rubbish")
    for tls, part in (
        (Tls(tmp_path / "none.pem"), "none.pem: cannot be read: No such file"),
        (Tls(rubbish), "rubbish.pem: holds no certificates in PEM"),
        (Tls(ours.ca, rubbish, key), "rubbish.pem: is no certificate in PEM for the key in "),
        (Tls(ours.ca, certificate, strange), "user.pem: is no certificate in PEM for the key in "),
    ):
        with pytest.raises(BadFile, match=part):
            Client.connect("127.0.0.1:1", tls=tls)
    with pytest.raises(BadInput, match="a certificate needs its key"):
        Client.connect("127.0.0.1:1", tls=Tls(ours.ca, certificate))


def test_a_token_does_not_travel_in_clear_text() -> None:
    with pytest.raises(BadInput, match=r"is another machine, and the token would travel there in clear text"):
        Client.connect("cluster.example:7077", token="secret")


PROGRAM = """
from molokini.client import BlockingClient, MolokiniError
try:
    with BlockingClient.connect() as client:
        client.cluster()
except MolokiniError as error:
    print(error)
"""


@pytest.mark.parametrize("words", [("-m", "molokini.clients.command", "jobs"), ("-c", PROGRAM)])
def test_grpc_adds_nothing_on_standard_error(
    secure: FakeServer, ours: Authority, other: Authority, words: tuple[str, ...]
) -> None:
    """A failure is one line: in a command on standard error, in a program that of the error alone."""
    certificate, key = ours.issue("user")
    given = {"SERVER": secure.target, "TLS_CA": other.ca, "TLS_CERT": certificate, "TLS_KEY": key}
    kept = {name: value for name, value in os.environ.items() if name != "GRPC_VERBOSITY"}
    ran = subprocess.run(
        [sys.executable, *words],
        capture_output=True,
        text=True,
        env={**kept, **{f"MOLOKINI_{name}": str(value) for name, value in given.items()}},
        timeout=DEADLINE_S,
    )
    assert "the server's certificate is not to be trusted" in ran.stdout + ran.stderr
    assert len((ran.stdout + ran.stderr).splitlines()) == 1
    assert bool(ran.stderr) == (words[0] == "-m")
