"""The server's own certificate and key: looked at before use, and read again when they are renewed."""

import logging
from collections.abc import Callable
from pathlib import Path
from typing import cast

import grpc
from cryptography import x509
from cryptography.hazmat.primitives.serialization import load_pem_private_key

from molokini.model.errors import BadFile, MolokiniError
from molokini.server.config.guards import Security as Settings
from molokini.server.security import private_files
from molokini.server.security.certificates import BadCertificate, Kind, identity_of

log = logging.getLogger("molokini.server.access")

Clock = Callable[[], float]


def server_credentials(settings: Settings, wall: Clock) -> grpc.ServerCredentials | None:
    """Credentials for the modes tls and mtls; None for the others. BadFile for files that cannot serve.

    New files in the same places are used from the next connection on.
    """
    if settings.mode not in ("tls", "mtls"):
        return None
    files = Files(settings, wall)
    # gRPC takes None for "as before", which its types do not say.
    newer = cast(Callable[[], grpc.ServerCertificateConfiguration], files.newer)
    return grpc.dynamic_ssl_server_credentials(files.read(), newer, settings.mode == "mtls")


class Files:
    """The files of one server."""

    def __init__(self, settings: Settings, wall: Clock) -> None:
        # The configuration itself refuses these modes without both.
        assert settings.certificate is not None
        assert settings.key is not None
        self._certificate, self._key = settings.certificate, settings.key
        self._ca = settings.ca if settings.mode == "mtls" else None
        self._wall = wall
        self._seen = self._stamps()

    def read(self) -> grpc.ServerCertificateConfiguration:
        """What is in the files now."""
        chain, key = _read(self._certificate), private_files.read(self._key)
        self._examine(chain, key)
        ca = None
        if self._ca is not None:
            ca = _read(self._ca)
            _certificates(self._ca, ca)
        return grpc.ssl_server_certificate_configuration([(key, chain)], ca)

    def newer(self) -> grpc.ServerCertificateConfiguration | None:
        """What is in the files, if it is not what was read before; gRPC asks at every new connection."""
        try:
            stamps = self._stamps()
            if stamps == self._seen:
                return None
            self._seen = stamps
            return self.read()
        except MolokiniError as error:
            log.error("the certificate is not renewed: %s", error)
            return None

    def _stamps(self) -> tuple[tuple[int, int], ...]:
        paths = (self._certificate, self._key, *([self._ca] if self._ca else []))
        try:
            return tuple((status.st_mtime_ns, status.st_ino) for status in map(Path.stat, paths))
        except OSError as error:
            raise BadFile(str(error.filename), (error.strerror or str(error)).lower()) from error

    def _examine(self, chain: bytes, key: bytes) -> None:
        certificate = _certificates(self._certificate, chain)[0]
        try:
            private = load_pem_private_key(key, None)
        except (ValueError, TypeError) as error:
            raise BadFile(str(self._key), "not a PEM private key without a passphrase") from error
        if private.public_key() != certificate.public_key():
            raise BadFile(str(self._key), f"not the key of {self._certificate}")
        if certificate.not_valid_after_utc.timestamp() < self._wall():
            raise BadFile(
                str(self._certificate), f"expired at {certificate.not_valid_after_utc:%Y-%m-%d %H:%M:%S} UTC"
            )
        _refuse_others(self._certificate, certificate)


def _refuse_others(path: Path, certificate: x509.Certificate) -> None:
    """A user's or node's certificate is no server's. One of a public authority, without a URI of ours, is."""
    try:
        kind = identity_of(certificate).kind
    except BadCertificate:
        return
    if kind is not Kind.SERVER:
        raise BadFile(str(path), f"the certificate of a {kind}; it must be a server's")


def _certificates(path: Path, body: bytes) -> list[x509.Certificate]:
    try:
        return x509.load_pem_x509_certificates(body)
    except ValueError as error:
        raise BadFile(str(path), "not a PEM certificate") from error


def _read(path: Path) -> bytes:
    try:
        with path.open("rb") as stream:
            return stream.read(private_files.MOST_BYTES)
    except OSError as error:
        raise BadFile(str(path), (error.strerror or str(error)).lower()) from error
