"""Logins of browsers: a cookie that holds a token, and links that log their owner in once.

A browser sends the cookie by itself, whoever has made the request. So a request that is proven by the cookie
alone must say that a page of this very address has made it.
"""

import secrets
import time
from collections.abc import Callable
from http.cookies import CookieError, SimpleCookie

from aiohttp import web

from molokini.server.security.roles import Caller, Role
from molokini.server.security.tokens import Tokens

COOKIE = "molokini-login"
LOGIN_S = 12 * 3600.0
"""How long a login lasts that was made with a token without an end."""
LINK_S = 24 * 3600.0
"""How long a link waits for its one use."""


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


def token_for(tokens: Tokens, caller: Caller, wall_s: float = LOGIN_S) -> str:
    """A token for the cookie of *caller*, which ends after *wall_s*, or sooner by the configuration."""
    granter = Caller(caller.name, Role.ADMINISTRATOR)
    return tokens.issue(granter, caller.name, caller.role, min(wall_s, tokens.lifetime_s)).text


def cookie_of(token: str, secure: bool) -> str:
    """The header that keeps *token* in a browser; an empty one takes it away."""
    age = int(LOGIN_S) * 60 if token else 0  # the token has its own end
    flags = "; Secure" if secure else ""
    return f"{COOKIE}={token}; Path=/; Max-Age={age}; HttpOnly; SameSite=Strict{flags}"
