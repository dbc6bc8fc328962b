"""``molokini certs``: the files are what a server and its callers need, and no file is ever replaced."""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import grpc
import pytest
from cryptography import x509

from molokini.app import certs
from molokini.model.errors import BadFile, BadInput, BadValue
from molokini.server.security.certificates import Kind, identity_of
from tests.server.security.kit import running


@dataclass(frozen=True)
class Given:
    folder: Path
    hosts: Sequence[str] = ()
    nodes: Sequence[str] = ()
    users: Sequence[str] = ()
    lifetime_s: float = 3600.0


def credentials(folder: Path, name: str) -> grpc.ChannelCredentials:
    ca, key, certificate = ((folder / one).read_bytes() for one in ("ca.pem", f"{name}.key", f"{name}.pem"))
    return grpc.ssl_channel_credentials(ca, key, certificate)


async def test_the_files_make_a_cluster_with_certificates(tmp_path: Path) -> None:
    folder = tmp_path / "certs"
    certs.run(Given(folder, nodes=["n1"], users=["alice"]))
    settings: dict[str, Any] = {
        "security__mode": "mtls",
        "security__certificate": folder / "server.pem",
        "security__key": folder / "server.key",
        "security__ca": folder / "ca.pem",
    }
    async with running(tmp_path, **settings) as server:
        async with server.channel(credentials(folder, "user-alice")) as channel:
            assert await channel.who() == ("alice", "user")
        async with server.channel(credentials(folder, "node-n1")) as channel:
            assert await channel.connect() is grpc.StatusCode.OK


def test_keys_are_their_owners_and_names_are_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = os.umask(0)
    try:
        certs.run(Given(tmp_path, ["head.example", "10.0.0.1"], ["n1"], ["alice"]))
    finally:
        os.umask(before)
    names = {"ca", "server", "node-n1", "user-alice"}
    assert {one.name for one in tmp_path.iterdir()} == {
        f"{name}{end}" for name in names for end in (".pem", ".key")
    }
    for path in tmp_path.iterdir():
        assert path.stat().st_mode & 0o777 == (0o600 if path.suffix == ".key" else 0o644)
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 4
    assert "node n1, good until" in lines[2]
    server = x509.load_pem_x509_certificate((tmp_path / "server.pem").read_bytes())
    assert identity_of(server).kind is Kind.SERVER
    hosts = server.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    assert "head.example" in hosts.get_values_for_type(x509.DNSName)
    assert "10.0.0.1" in map(str, hosts.get_values_for_type(x509.IPAddress))


def test_more_come_from_the_same_authority(tmp_path: Path) -> None:
    certs.run(Given(tmp_path, users=["alice"]))
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    certs.run(Given(tmp_path, users=["bob"], lifetime_s=60.0))
    after = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    assert before.items() <= after.items()
    assert set(after) - set(before) == {"user-bob.pem", "user-bob.key"}
    issuers = {x509.load_pem_x509_certificate(after[f"user-{name}.pem"]).issuer for name in ("alice", "bob")}
    assert len(issuers) == 1


def test_what_cannot_be_made_changes_nothing(tmp_path: Path) -> None:
    certs.run(Given(tmp_path, users=["alice"]))
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    bad: list[tuple[Given, type[BadInput], str]] = [
        (Given(tmp_path, users=["bob", "alice"]), BadFile, "exists already"),
        (Given(tmp_path, users=["bob", "a/b"]), BadValue, "name of a user"),
        (Given(tmp_path, nodes=["../n"]), BadValue, "name of a node"),
        (Given(tmp_path, hosts=["head"]), BadFile, "remove it and its key"),
        (Given(tmp_path, users=["bob"], lifetime_s=0.0), BadValue, "from 1 to"),
        (Given(tmp_path, users=["bob"], lifetime_s=float("nan")), BadValue, "from 1 to"),
        (Given(tmp_path, users=["bob"], lifetime_s=1e7), BadValue, "what the authority has left"),
    ]
    for given, kind, cause in bad:
        with pytest.raises(kind, match=cause):
            certs.run(given)
        assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before


@pytest.mark.parametrize(
    ("fault", "cause"),
    [("no key", "is missing"), ("rubbish", "is not an authority"), ("open key", "set its mode to 0600")],
)
def test_a_damaged_authority_is_named(tmp_path: Path, fault: str, cause: str) -> None:
    certs.run(Given(tmp_path))
    match fault:
        case "no key":
            (tmp_path / "ca.key").unlink()
        case "rubbish":
            (tmp_path / "ca.pem").write_text("rubbish")
        case "open key":
            (tmp_path / "ca.key").chmod(0o644)
    with pytest.raises(BadFile, match=cause):
        certs.run(Given(tmp_path, users=["bob"]))
    assert not (tmp_path / "user-bob.pem").exists()


@pytest.mark.parametrize("given", [{"nodes": ["ok", "a b"]}, {"users": ["../x"]}, {"users": ["x" * 65]}])
def test_a_name_that_cannot_be_leaves_nothing_behind(given: dict[str, Any], tmp_path: Path) -> None:
    with pytest.raises(BadValue, match=f"name of a {next(iter(given))[:-1]}"):
        certs.run(Given(tmp_path / "certs", **given))
    assert not (tmp_path / "certs").exists()
