"""Tokens: signed statements "this is alice, a user", made by a server and good for that server's state alone.

A token is a JWT signed with a key that never leaves the folder of the state. The algorithm is fixed; a token
names its key, so that two keys are good at once while one is replaced. Tokens that are issued have an end,
on the wall clock, and are good only as long as ``issued.py`` has them as not taken back. The owner's own
token, in a file that no other user can read, lives as long as the key it was signed with.
"""

import base64
import binascii
import json
import math
import secrets
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import jwt

from molokini.model.errors import BadFile, BadInput, BadValue
from molokini.server.config.names import NAME, is_name
from molokini.server.security import private_files
from molokini.server.security.issued import IssuedToken, IssuedTokens
from molokini.server.security.permissions import NotAllowed, may_grant
from molokini.server.security.roles import Caller, Role

ALGORITHM = "HS256"
MOST_CHARACTERS = 2048
KEYS_AT_ONCE = 2
_KEY_BYTES = 64


class BadToken(BadInput):
    """A token that proves nothing; the text says why, for the log, never for the caller."""


@dataclass(frozen=True, slots=True, repr=False)
class Key:
    """A key by its name."""

    name: str
    secret: bytes


@dataclass(frozen=True, slots=True)
class Proven:
    """The caller of a token, from when until when (seconds since 1970), and its id where it was issued."""

    caller: Caller
    from_s: float = -math.inf
    until_s: float = math.inf
    token_id: str = ""

    def is_good(self, now_s: float, skew_s: float) -> bool:
        """Whether *now_s* is within its lifetime, by clocks that differ by *skew_s* at most."""
        return self.from_s - skew_s <= now_s <= self.until_s + skew_s


class NewToken(NamedTuple):
    """A token that was just issued, and what is kept of it."""

    text: str
    kept: IssuedToken


class KeyRing:
    """The keys of one state, newest last, in one file."""

    def __init__(self, path: Path) -> None:
        """Read *path*, or make it with a first key where there is none."""
        self._path = path
        if not path.exists():
            private_files.create(path, _ring_bytes((_new_key(),)))
        self.keys = _ring(path, private_files.read(path))

    @property
    def newest(self) -> Key:
        """The key that signs."""
        return self.keys[-1]

    def key(self, name: object) -> Key | None:
        """The key of this name, where it is still good."""
        return next((key for key in self.keys if key.name == name), None)

    def rotate(self) -> None:
        """Sign with a new key from now on. The one before is good until the next rotation; older ones end."""
        keys = (*self.keys, _new_key())[-KEYS_AT_ONCE:]
        private_files.replace(self._path, _ring_bytes(keys))
        self.keys = keys


class Tokens:
    """Makes and judges the tokens of one cluster."""

    def __init__(
        self,
        cluster: str,
        ring: KeyRing,
        issued: IssuedTokens,
        lifetime_s: float,
        skew_s: float,
        wall: Callable[[], float],
    ) -> None:
        self.cluster, self.ring, self.issued = cluster, ring, issued
        self.lifetime_s, self.skew_s, self._wall = lifetime_s, skew_s, wall

    def issue(self, granter: Caller, name: str, role: Role, lifetime_s: float | None = None) -> NewToken:
        """A token for *name* with *role*; NotAllowed where *granter* may not issue that."""
        lifetime_s = self.lifetime_s if lifetime_s is None else lifetime_s
        if not 0 < lifetime_s <= self.lifetime_s:
            most = f"above 0 and at most {self.lifetime_s:g}, which is security.token_lifetime_s"
            raise BadValue("lifetime_s", lifetime_s, most)
        if not is_name(name):
            raise BadValue("user", name[:80], NAME)
        refusal = may_grant(granter, name, role)
        if refusal is not None:
            raise NotAllowed(refusal.text)
        now = self._wall()
        kept = IssuedToken(
            secrets.token_hex(8), name, role, granter.name, now, now + lifetime_s, self.ring.newest.name
        )
        self.issued.add(kept)
        times = {"iat": now, "nbf": now, "exp": kept.until_s}
        return NewToken(self._signed(name, role, {"jti": kept.id, **times}), kept)

    def stands(self, token_id: str) -> bool:
        """Whether a token is not revoked and its key still valid; its lifetime is not checked."""
        kept = self.issued.find(token_id)
        return kept is not None and kept.revoked_s is None and self.ring.key(kept.key) is not None

    def standing(self, kept: IssuedToken) -> str:
        """good, expired, revoked or rotated, as it is now."""
        if kept.revoked_s is not None:
            return "revoked"
        if self.ring.key(kept.key) is None:
            return "rotated"
        return "good" if self._wall() <= kept.until_s + self.skew_s else "expired"

    def local(self, name: str, role: Role) -> str:
        """A token for a file that only the owner of this state can read: it ends with its key."""
        return self._signed(name, role, {"iat": self._wall(), "local": True})

    def prove(self, token: str) -> Proven:
        """The caller of *token*; BadToken where it proves nothing now."""
        claims = self._claims(token)
        try:
            caller = Caller(claims["sub"], Role(claims["role"]))
        except ValueError as error:
            raise BadToken("a role that does not exist") from error
        if claims.get("local") is True:
            return Proven(caller)
        proven = Proven(caller, *self._lifetime(claims), self._issued_id(claims, caller))
        if not proven.is_good(self._wall(), self.skew_s):
            raise BadToken("expired, or not yet valid")
        return proven

    def is_newest_local(self, token: str, name: str, role: Role) -> bool:
        """Whether *token* is a local one for exactly this, signed with the newest key."""
        try:
            named = jwt.get_unverified_header(token).get("kid")
            return self.prove(token) == Proven(Caller(name, role)) and named == self.ring.newest.name
        except (BadToken, jwt.PyJWTError):
            return False

    def _signed(self, name: str, role: Role, claims: dict[str, Any]) -> str:
        key = self.ring.newest
        body = {"sub": name, "role": role.value, "aud": self.cluster, "jti": secrets.token_hex(8), **claims}
        return jwt.encode(body, key.secret, algorithm=ALGORITHM, headers={"kid": key.name})

    def _claims(self, token: str) -> dict[str, Any]:
        """What *token* says, its signature, algorithm and audience checked, its lifetime not yet."""
        if len(token) > MOST_CHARACTERS:
            raise BadToken("too long")
        try:
            key = self.ring.key(jwt.get_unverified_header(token).get("kid"))
            if key is None:
                raise BadToken("a key that is not ours")
            # The library would judge lifetimes by its own clock; ours can be set.
            return jwt.decode(
                token,
                key.secret,
                algorithms=[ALGORITHM],
                audience=self.cluster,
                options={
                    "require": ["sub", "role", "aud", "iat"],
                    "strict_aud": True,
                    "verify_exp": False,
                    "verify_nbf": False,
                    "verify_iat": False,
                },
            )
        except (jwt.PyJWTError, ValueError, RecursionError) as error:
            raise BadToken(f"{type(error).__name__}: {error}") from error

    def _issued_id(self, claims: dict[str, Any], caller: Caller) -> str:
        """The id under which the token was issued, for exactly this caller, and not taken back since."""
        found = claims.get("jti")
        kept = self.issued.find(found) if isinstance(found, str) else None
        if kept is None or Caller(kept.name, kept.role) != caller or not self.stands(kept.id):
            raise BadToken("never issued, or revoked")
        return kept.id

    def _lifetime(self, claims: dict[str, Any]) -> tuple[float, float]:
        times = [claims.get(name) for name in ("iat", "nbf", "exp")]
        if not all(isinstance(one, int | float) and not isinstance(one, bool) for one in times):
            raise BadToken("a lifetime that cannot be read")
        made, begin, end = (float(one) for one in times)  # type: ignore[arg-type]
        # Written so that a NaN is refused, too.
        if not end - made <= self.lifetime_s:
            raise BadToken("a lifetime that is too long")
        return max(made, begin), end


def keep_local_token(tokens: Tokens, path: Path, name: str, role: Role) -> None:
    """Make the local token file *path*, or renew it where it is not for this, or not of the newest key."""
    if path.exists():
        body = private_files.read(path).decode("utf-8", "replace").strip()
        if tokens.is_newest_local(body, name, role):
            return
        private_files.replace(path, tokens.local(name, role).encode() + b"\n")
    else:
        private_files.create(path, tokens.local(name, role).encode() + b"\n")


def _new_key() -> Key:
    return Key(secrets.token_hex(8), secrets.token_bytes(_KEY_BYTES))


def _ring_bytes(keys: tuple[Key, ...]) -> bytes:
    rows = [{"name": key.name, "secret": base64.b64encode(key.secret).decode()} for key in keys]
    return json.dumps({"format": "molokini.token-keys/1", "keys": rows}, indent=1).encode() + b"\n"


def _ring(path: Path, body: bytes) -> tuple[Key, ...]:
    try:
        rows = json.loads(body)["keys"]
        keys = tuple(Key(str(row["name"]), base64.b64decode(row["secret"], validate=True)) for row in rows)
    except (ValueError, KeyError, TypeError, binascii.Error) as error:
        raise BadFile(
            str(path), "does not hold keys of tokens; remove it, and the server makes a new one"
        ) from error
    if not keys or any(len(key.secret) < _KEY_BYTES for key in keys):
        raise BadFile(str(path), "holds a key that is too short; remove it, and the server makes a new one")
    return keys[-KEYS_AT_ONCE:]
