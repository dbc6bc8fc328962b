"""Logins of browsers: a cookie that holds a token, and links that log their owner in once.

A browser sends the cookie by itself, whichever page has made the request. So a request that is proven by
the cookie alone must say that a page of this very address has made it.
"""

import secrets
import time
from collections.abc import Callable
from http.cookies import CookieError, SimpleCookie

from aiohttp import web

from molokini.server.security.roles import Caller, Role
from molokini.server.security.tokens import NewToken, Tokens

COOKIE = "molokini-login"
LOGIN_S = 12 * 3600.0
"""How long a login lasts that was made with a token without an end."""
LINK_S = 24 * 3600.0
"""How long a link waits for its one use."""


RENEWED_S = 60.0
"""A login of the owner's gets a new token after so long, while its page is open."""


class Logins:
    """Logins of the owner's own, by link or token file: each has its end, and its tokens are short-lived."""

    def __init__(self, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._monotonic = monotonic
        self._known: dict[str, tuple[float, float]] = {}
        """By the id of the present token: when that was made, and when the login ends."""

    def begin(self, token_id: str) -> None:
        """A login has begun, with this token."""
        now_s = self._monotonic()
        self._known = {one: times for one, times in self._known.items() if times[1] > now_s}
        self._known[token_id] = (now_s, now_s + LOGIN_S)

    def left_s(self, token_id: str) -> float:
        """How long the login of this token still lasts, where it needs a new one; else 0."""
        made_s, until_s = self._known.get(token_id, (0.0, 0.0))
        now_s = self._monotonic()
        return until_s - now_s if now_s - made_s > RENEWED_S and until_s > now_s else 0.0

    def renew(self, token_id: str, new_id: str) -> None:
        """The login of *token_id* goes on with another token."""
        _, until_s = self._known.pop(token_id)
        self._known[new_id] = (self._monotonic(), until_s)


class Links:
    """Codes of links, each good for one login."""

    def __init__(self, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._monotonic = monotonic
        self._open: dict[str, tuple[Caller, float]] = {}

    def make(self, caller: Caller) -> str:
        """A code that logs *caller* in once, within ``LINK_S``."""
        code = secrets.token_urlsafe(24)
        self._open[code] = (caller, self._monotonic() + LINK_S)
        return code

    def use(self, code: str) -> Caller | None:
        """Whom *code* logs in; None for one that is unknown, used or too old."""
        caller, until_s = self._open.pop(code, (None, 0.0))
        return caller if self._monotonic() < until_s else None


def token_of(request: web.BaseRequest) -> str:
    """The token in the cookie of *request*; empty where there is none."""
    try:
        found = SimpleCookie(request.headers.get("Cookie", "")).get(COOKIE)
    except CookieError:
        return ""
    return found.value if found is not None else ""


def is_of_own_page(request: web.BaseRequest) -> bool:
    """Whether the browser says that a page of this address has made *request*."""
    if request.headers.get("Sec-Fetch-Site") == "same-origin":
        return True
    origin, host = request.headers.get("Origin", ""), request.headers.get("Host", "")
    return bool(host) and origin.partition("://")[2].lower() == host.lower()


def token_for(tokens: Tokens, caller: Caller, wall_s: float = LOGIN_S) -> NewToken:
    """A token for the cookie of *caller*, which ends after *wall_s*, or sooner by the configuration."""
    granter = Caller(caller.name, Role.ADMINISTRATOR)
    return tokens.issue(granter, caller.name, caller.role, min(wall_s, tokens.lifetime_s))


def cookie_of(token: str, secure: bool) -> str:
    """The header that keeps *token* in a browser; an empty one takes it away."""
    age = int(LOGIN_S) * 60 if token else 0  # the token has its own end
    flags = "; Secure" if secure else ""
    return f"{COOKIE}={token}; Path=/; Max-Age={age}; HttpOnly; SameSite=Strict{flags}"
