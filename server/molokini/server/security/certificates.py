"""Certificates: the name in each, and a small authority that makes them for tests and small clusters.

One field has the name: a URI among the subject alternative names, ``molokini://user/alice``,
``molokini://node/node001`` or ``molokini://server/garden``. The common name says nothing. A user's or node's
certificate has that one name and no other; a server's also has the host names and addresses that clients
connect to.
"""

import datetime
import ipaddress
import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.ec import EllipticCurvePrivateKey
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from molokini.model.errors import BadInput, BadValue
from molokini.server.config.names import NAME, is_name

BACKDATED_S = 60
"""Certificates are valid from so much earlier, because clocks differ."""

_URI = re.compile(r"molokini://(server|node|user)/([^/?#]+)", re.ASCII)


class Kind(StrEnum):
    """What a certificate is for."""

    SERVER = "server"
    NODE = "node"
    USER = "user"


class BadCertificate(BadInput):
    """A certificate that proves nothing here; the text says why, for the log."""


@dataclass(frozen=True, slots=True)
class Identity:
    """The name in a certificate, and from when until when it is good (seconds since 1970)."""

    kind: Kind
    name: str
    serial: int
    from_s: float
    until_s: float


def identity_of(certificate: x509.Certificate) -> Identity:
    """The name in *certificate*; BadCertificate for anything but exactly one well-formed name."""
    try:
        names = list(certificate.extensions.get_extension_for_class(x509.SubjectAlternativeName).value)
    except (x509.ExtensionNotFound, x509.DuplicateExtension, ValueError) as error:
        raise BadCertificate("a certificate without a readable alternative name") from error
    uris = [one.value for one in names if isinstance(one, x509.UniformResourceIdentifier)]
    match = _URI.fullmatch(uris[0]) if len(uris) == 1 else None
    if match is None or not is_name(match[2]):
        raise BadCertificate("a certificate that does not have exactly one URI of ours")
    kind = Kind(match[1])
    if len(names) > 1 and kind is not Kind.SERVER:
        raise BadCertificate(f"a certificate of a {kind} that has further names")
    from_s, until_s = certificate.not_valid_before_utc, certificate.not_valid_after_utc
    return Identity(kind, match[2], certificate.serial_number, from_s.timestamp(), until_s.timestamp())


@dataclass(frozen=True)
class Issued:
    """A certificate and its private key, both PEM."""

    certificate: bytes
    key: bytes


class Authority:
    """Signs certificates. Its key is a file like any other, so it is for tests and small clusters."""

    def __init__(self, certificate: x509.Certificate, key: EllipticCurvePrivateKey) -> None:
        self._certificate, self._key = certificate, key

    @classmethod
    def made(cls, name: str, lifetime_s: float) -> "Authority":
        """A new authority."""
        key = _new_key()
        subject = _subject(name)
        usage = x509.KeyUsage(
            digital_signature=False,
            content_commitment=False,
            key_encipherment=False,
            data_encipherment=False,
            key_agreement=False,
            key_cert_sign=True,
            crl_sign=True,
            encipher_only=False,
            decipher_only=False,
        )
        builder = (
            _builder(subject, subject, key, lifetime_s)
            .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
            .add_extension(usage, critical=True)
        )
        return cls(builder.sign(key, hashes.SHA256()), key)

    @classmethod
    def loaded(cls, pem: Issued) -> "Authority":
        """The authority with this certificate and key; ValueError where they are not such."""
        key = serialization.load_pem_private_key(pem.key, None)
        certificate = x509.load_pem_x509_certificate(pem.certificate)
        if not isinstance(key, EllipticCurvePrivateKey) or key.public_key() != certificate.public_key():
            raise ValueError("the key is not the certificate's")
        return cls(certificate, key)

    @property
    def until_s(self) -> float:
        """The end of the authority's own lifetime, and so of whatever it signs (seconds since 1970)."""
        return self._certificate.not_valid_after_utc.timestamp()

    @property
    def pem(self) -> Issued:
        """The authority's own certificate and key."""
        return Issued(self._certificate.public_bytes(serialization.Encoding.PEM), _key_pem(self._key))

    def issue(self, kind: Kind, name: str, lifetime_s: float, hosts: Sequence[str] = ()) -> Issued:
        """A certificate that stands for *name*; *hosts* are what clients call a server."""
        if not is_name(name):
            raise BadValue(f"name of a {kind}", name, NAME)
        if hosts and kind is not Kind.SERVER:
            raise BadValue("hosts", list(hosts), f"left out for a {kind}")
        names = [x509.UniformResourceIdentifier(f"molokini://{kind}/{name}"), *map(_host, hosts)]
        purpose = ExtendedKeyUsageOID.SERVER_AUTH if kind is Kind.SERVER else ExtendedKeyUsageOID.CLIENT_AUTH
        key = _new_key()
        builder = (
            _builder(_subject(name), self._certificate.subject, key, lifetime_s)
            .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
            .add_extension(x509.SubjectAlternativeName(names), critical=False)
            .add_extension(x509.ExtendedKeyUsage([purpose]), critical=False)
        )
        signed = builder.sign(self._key, hashes.SHA256())
        return Issued(signed.public_bytes(serialization.Encoding.PEM), _key_pem(key))


def _new_key() -> EllipticCurvePrivateKey:
    # What gRPC's TLS library takes by default; it refuses Ed25519.
    return ec.generate_private_key(ec.SECP256R1())


def _key_pem(key: EllipticCurvePrivateKey) -> bytes:
    return key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )


def _subject(name: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])


def _builder(
    subject: x509.Name, issuer: x509.Name, key: EllipticCurvePrivateKey, lifetime_s: float
) -> x509.CertificateBuilder:
    now = datetime.datetime.now(datetime.UTC)
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(seconds=BACKDATED_S))
        .not_valid_after(now + datetime.timedelta(seconds=lifetime_s))
    )


def _host(host: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ipaddress.ip_address(host))
    except ValueError:
        return x509.DNSName(host)
