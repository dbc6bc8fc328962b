"""From the proof that comes with a call to its caller: tokens in the metadata, certificates.

Nothing else is evidence: no name in a message, no address, no port.
"""

import ipaddress
import os
import pwd
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from typing import Any, NoReturn, Protocol
from urllib.parse import unquote

import grpc
from cryptography import x509

from molokini.model.errors import BadInput
from molokini.server.config.guards import Security as Settings
from molokini.server.config.names import is_name
from molokini.server.security.certificates import BadCertificate, Identity, Kind, identity_of
from molokini.server.security.methods import Need
from molokini.server.security.roles import ANY_NODE, Caller, Role, lesser
from molokini.server.security.tokens import Proven, Tokens

MOST_KEPT = 10_000
"""Proofs that are remembered, so that a signature is checked once; all are forgotten when there are more."""

OPEN_USER_KEY = "molokini-user"
"""Metadata in which callers of an open server give the name that they want."""

_ROLES = {Kind.USER: Role.USER, Kind.NODE: Role.NODE}


class Call(Protocol):
    """What a call shows of its caller, over gRPC or HTTP: the part of gRPC's context that a proof needs."""

    def invocation_metadata(self) -> Any:
        """Pairs of a key in small letters and a value."""

    def peer(self) -> Any:
        """Where it comes from: ``ipv4:HOST:PORT``, ``ipv6:[HOST]:PORT`` or ``unix:``."""

    def auth_context(self) -> Mapping[str, Iterable[bytes]]:
        """What the connection has proven, by gRPC's names."""

    async def abort(self, code: grpc.StatusCode, details: str = "", trailing_metadata: Any = ()) -> NoReturn:
        """End the call."""


class NotProven(BadInput):
    """There is no proof, or one that proves nothing; the text is for the log, never for the caller."""


class Prover(Protocol):
    """Finds the caller of a call."""

    def caller_of(self, context: Call, need: Need) -> Caller:
        """The caller; NotProven (or another BadInput) where none is proven."""

    def token_id(self, context: Call) -> str:
        """The id of the token that an accepted caller has shown; empty for another proof."""

    def stands(self, token_id: str) -> bool:
        """Whether the token of this id was not taken back: a stream that it has opened ends where it was."""


class ByNothing:
    """The mode ``open``: callers are administrators under any name, or nodes where a node must call."""

    def caller_of(self, context: Call, need: Need) -> Caller:
        """The caller under the name that it gives, or any node."""
        if need is Role.NODE:
            return Caller(ANY_NODE, Role.NODE)
        said = entries(context, OPEN_USER_KEY)
        if len(said) > 1 or not all(map(is_name, said)):
            raise NotProven("an invalid name")
        return Caller(said[0] if said else owner_name(), Role.ADMINISTRATOR)

    def token_id(self, context: Call) -> str:
        """No caller shows a token."""
        return ""

    def stands(self, token_id: str) -> bool:
        """There is nothing to take back."""
        return True


class ByToken:
    """The modes ``token`` and ``tls``: a bearer token with each call."""

    def __init__(self, tokens: Tokens, users: Mapping[str, str], wall: Callable[[], float]) -> None:
        self._tokens, self._users, self._wall = tokens, users, wall
        self._kept: dict[str, Proven] = {}

    def caller_of(self, context: Call, need: Need) -> Caller:
        """The caller of the token, with no more than the role in the configuration."""
        shown = token_in(context)
        if shown is None:
            raise NotProven("no token")
        judged = self._judged(shown)
        if not judged.token_id and not is_near(context):
            # It has no end and is in no list: it must be of no use on another machine.
            raise NotProven("a token of the owner's files, from another machine")
        return capped(judged.caller, self._users)

    def proven(self, token: str) -> Caller:
        """The caller of *token*."""
        return capped(self._judged(token).caller, self._users)

    def _judged(self, token: str) -> Proven:
        """What *token* proves now; BadToken where that is nothing."""
        proven = self._kept.get(token)
        if proven is None or not self._is_good(proven):
            self._kept.pop(token, None)
            proven = self._tokens.prove(token)
            if len(self._kept) >= MOST_KEPT:
                self._kept.clear()
            self._kept[token] = proven
        return proven

    def token_id(self, context: Call) -> str:
        """The id of the token that was shown; empty for those of the owner's files, which were not issued."""
        shown = token_in(context)
        return "" if shown is None else self._judged(shown).token_id

    def stands(self, token_id: str) -> bool:
        """Whether it was not revoked and its key is still good."""
        return self._tokens.stands(token_id)

    def _is_good(self, proven: Proven) -> bool:
        alive = proven.is_good(self._wall(), self._tokens.skew_s)
        return alive and (not proven.token_id or self._tokens.stands(proven.token_id))


class ByCertificate:
    """The mode ``mtls``: the connection's certificate; a token beside it must be the same person's."""

    def __init__(self, tokens: ByToken, settings: Settings, wall: Callable[[], float]) -> None:
        self._tokens, self._users, self._skew_s, self._wall = (
            tokens,
            settings.users,
            settings.clock_skew_s,
            wall,
        )
        self._revoked = frozenset(int(serial, 16) for serial in settings.revoked)
        self._kept: dict[bytes, Identity] = {}

    def caller_of(self, context: Call, need: Need) -> Caller:
        """The caller of the certificate, with no more than the role of a token that is shown, too."""
        identity = self._identity(context)
        if identity.serial in self._revoked:
            raise BadCertificate("a revoked certificate")
        now = self._wall()
        # A connection outlives the handshake at which its certificate was judged.
        if not identity.from_s - self._skew_s <= now <= identity.until_s + self._skew_s:
            raise BadCertificate("an expired certificate")
        if identity.kind not in _ROLES:
            raise BadCertificate("a server's certificate")
        by_certificate = Caller(identity.name, _role(identity, self._users))
        shown = token_in(context)
        return by_certificate if shown is None else self._both(by_certificate, self._tokens.proven(shown))

    def token_id(self, context: Call) -> str:
        """The id of a token that was shown beside the certificate."""
        return self._tokens.token_id(context)

    def stands(self, token_id: str) -> bool:
        """Whether that token was not taken back."""
        return self._tokens.stands(token_id)

    def _identity(self, context: Call) -> Identity:
        pems = list(context.auth_context().get("x509_pem_cert", ()))
        if len(pems) != 1:
            raise NotProven("no certificate")
        pem = bytes(pems[0])
        identity = self._kept.get(pem)
        if identity is None:
            try:
                identity = identity_of(x509.load_pem_x509_certificate(pem))
            except ValueError as error:
                raise BadCertificate("a certificate that cannot be read") from error
            if len(self._kept) >= MOST_KEPT:
                self._kept.clear()
            self._kept[pem] = identity
        return identity

    @staticmethod
    def _both(by_certificate: Caller, by_token: Caller) -> Caller:
        role = lesser(by_certificate.role, by_token.role)
        if by_certificate.name != by_token.name or role is None:
            raise NotProven("a token of another name")
        return Caller(by_certificate.name, role)


def capped(caller: Caller, users: Mapping[str, str]) -> Caller:
    """*caller* with at most the role that the configuration gives to that name, where it has it."""
    if caller.role is Role.NODE or caller.name not in users:
        return caller
    role = lesser(caller.role, Role(users[caller.name]))
    return caller if role is None or role is caller.role else Caller(caller.name, role)


def is_near(context: Call) -> bool:
    """Whether a call comes from this machine, by the connection itself."""
    return _is_this_machine(str(context.peer()))


@lru_cache(maxsize=4096)
def _is_this_machine(peer: str) -> bool:
    # Asked with each call, and the same for all calls of a connection.
    kind, _, rest = peer.partition(":")
    if kind == "unix":
        return True
    host = unquote(rest).rpartition(":")[0].strip("[]")
    try:
        address = ipaddress.ip_address(host.partition("%")[0])
    except ValueError:
        return False
    return (getattr(address, "ipv4_mapped", None) or address).is_loopback


def token_in(context: Call) -> str | None:
    """The bearer token of this call; NotProven for several, or for another kind of proof."""
    shown = entries(context, "authorization")
    if not shown:
        return None
    scheme, _, token = shown[0].partition(" ")
    if len(shown) > 1 or scheme.lower() != "bearer" or not token:
        raise NotProven("no bearer token")
    return token


def owner_name() -> str:
    """The name of the user that this process runs as."""
    number = os.geteuid()
    try:
        return pwd.getpwuid(number).pw_name
    except KeyError:
        return f"uid-{number}"


def _role(identity: Identity, users: Mapping[str, str]) -> Role:
    if identity.kind is Kind.NODE:
        return Role.NODE
    return Role(users.get(identity.name, Role.USER))


def entries(context: Call, key: str) -> list[str]:
    """The values that the call shows under *key*."""
    return [str(value) for name, value in context.invocation_metadata() or () if name == key]
