"""Why a connection with certificates failed: gRPC says no more than that the server is unavailable.

The client first checks the files, then makes a TLS handshake of its own, whose error names the cause.
"""

import contextlib
import socket
import ssl
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

from molokini.client.endpoint import Endpoint, Tls
from molokini.model.errors import BadFile, BadInput

_PROBE_S = 2.0

_ALERTS = {
    "CERTIFICATE_EXPIRED": "the server says that the certificate has expired",
    "CERTIFICATE_REVOKED": "the server says that the certificate was revoked",
    "UNKNOWN_CA": "the server does not know the authority that signed the certificate",
    "CERTIFICATE_REQUIRED": "the server wants a certificate: name one, with its key",
    "BAD_CERTIFICATE": "the server does not take the certificate",
    "CERTIFICATE_UNKNOWN": "the server does not take the certificate",
    "UNSUPPORTED_CERTIFICATE": "the certificate is of another kind than the server takes",
    "HANDSHAKE_FAILURE": "the server ended the handshake: it may want another certificate",
    "WRONG_VERSION_NUMBER": "the server does not speak TLS at this port",
}


def read_files(tls: Tls) -> tuple[bytes, bytes | None, bytes | None]:
    """The authority, the certificate's key and the certificate; BadFile for whatever cannot be used."""
    if (tls.certificate is None) != (tls.key is None):
        raise BadInput("a certificate needs its key, and a key its certificate: name both files or none")
    authority = _read(tls.ca)
    key = _read(tls.key) if tls.key else None
    certificate = _read(tls.certificate) if tls.certificate else None
    _context(tls)
    return authority, key, certificate


def explain(endpoint: Endpoint) -> str | None:
    """Why no connection comes about, in one line, if certificates are the cause. Takes up to some seconds."""
    if endpoint.target.startswith("unix:"):
        return None
    if endpoint.tls is None:
        return (
            "the server speaks TLS: its certificate's authority must be named"
            if _speaks_tls(endpoint)
            else None
        )
    tls = endpoint.tls
    if tls.certificate is not None and (text := _out_of_date(tls.certificate)):
        return text
    return _handshake(endpoint, _context(tls), tls.certificate)


def _context(tls: Tls) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.set_alpn_protocols(["h2"])
    _or_bad_file(tls.ca, "holds no certificates in PEM", lambda: context.load_verify_locations(tls.ca))
    if tls.certificate is not None and tls.key is not None:
        chain = (tls.certificate, tls.key)
        _or_bad_file(
            tls.certificate,
            f"is no certificate in PEM for the key in {tls.key}",
            lambda: context.load_cert_chain(*chain, password=""),
        )
    return context


def _or_bad_file(path: Path, cause: str, load: Callable[[], None]) -> None:
    try:
        load()
    except ValueError:  # an empty password for a key that wants one
        raise BadFile(str(path), "its key wants a password; give one without") from None
    except OSError:  # SSLError is one
        raise BadFile(str(path), cause) from None


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise BadFile(str(path), f"cannot be read: {error.strerror or error}") from None


def _out_of_date(path: Path) -> str | None:
    """A complaint about the dates of the caller's own certificate; None too where they cannot be read."""
    try:
        from cryptography import x509
    except ModuleNotFoundError:  # then the server's answer to the handshake has to do
        return None
    certificate = x509.load_pem_x509_certificate(path.read_bytes())
    now = datetime.now(UTC)
    if now > certificate.not_valid_after_utc:
        return f"{path}: this certificate expired on {certificate.not_valid_after_utc:%Y-%m-%d %H:%M} UTC"
    if now < certificate.not_valid_before_utc:
        return (
            f"{path}: this certificate is valid from {certificate.not_valid_before_utc:%Y-%m-%d %H:%M} UTC on"
        )
    return None


def _handshake(endpoint: Endpoint, context: ssl.SSLContext, own: Path | None) -> str | None:
    host, port = _address(endpoint.target)
    name = endpoint.tls.server_name if endpoint.tls and endpoint.tls.server_name else host
    try:
        with _connected(host, port) as plain, context.wrap_socket(plain, server_hostname=name) as secure:
            # With TLS 1.3 a refusal of our certificate comes only now; gRPC's servers just hang up, where
            # they would have sent their settings.
            return None if secure.recv(1) else _refused(own)
    except ssl.SSLCertVerificationError as error:
        return f"the server's certificate is not to be trusted: {error.verify_message}"
    except ssl.SSLError as error:
        return _alert(error, own)
    except ConnectionResetError:
        return _refused(own)
    except OSError:
        return None


def _refused(own: Path | None) -> str:
    if own is None:
        return "the server wants a certificate: name one, with its key"
    return f"{own}: the server does not take this certificate; another authority may have signed it"


def _alert(error: ssl.SSLError, own: Path | None) -> str:
    said = error.reason or "the handshake failed"
    for word, text in _ALERTS.items():
        if said.endswith(word):
            return f"{own}: {text}" if own is not None else text
    return f"the handshake failed: {said.lower().replace('_', ' ')}"


_CHUNK = 16_384


def _speaks_tls(endpoint: Endpoint) -> bool:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    context.set_alpn_protocols(["h2"])
    # Over buffers: a socket that is wrapped while its other end leaves is left open.
    heard, said = ssl.MemoryBIO(), ssl.MemoryBIO()
    wrapped = context.wrap_bio(heard, said)
    with contextlib.suppress(OSError), _connected(*_address(endpoint.target)) as plain:
        while True:
            try:
                wrapped.do_handshake()
                return True
            except ssl.SSLWantReadError:
                plain.sendall(said.read())
            got = plain.recv(_CHUNK)
            if not got:
                return False
            heard.write(got)
    return False


def _connected(host: str, port: int) -> socket.socket:
    made = socket.create_connection((host, port), timeout=_PROBE_S)
    made.settimeout(_PROBE_S)
    return made


def _address(target: str) -> tuple[str, int]:
    host, _, port = target.rpartition(":")
    return host.strip("[]"), int(port)
