"""Requests that a browser makes for another site: they are refused, whatever user runs the browser.

A page of any site can make its visitor's browser send requests to a server on the visitor's machine. What it
cannot do without our consent is to send JSON, to hide where it comes from, or, on a plain connection, to do
so under a name that is a number.
"""

import ipaddress
from urllib.parse import urlsplit

from aiohttp import web

KIND = ("application/json", "application/x-ndjson")


def unread(request: web.BaseRequest) -> str:
    """Why the body of *request* is not read: it is not said to be JSON. Empty for one that is."""
    if request.content_type in KIND:
        return ""
    return f"Content-Type must be {KIND[0]}, or {KIND[1]} for a message a line"


def foreign(request: web.BaseRequest) -> str:
    """Why *request* is refused; empty for one that is not."""
    host = request.headers.get("Host", "")
    origin = request.headers.get("Origin")
    if origin is not None and _place(origin) != host.lower():
        return "a request that a page of another site has made"
    if request.headers.get("Sec-Fetch-Site", "none") not in ("none", "same-origin"):
        return "a request that a page of another site has made"
    return under_a_name(request)


def under_a_name(request: web.BaseRequest) -> str:
    """Why *request* is refused for the name under which it asks; empty for one that is not."""
    # The owner of any name may let it point here; a certificate would not match.
    if not is_secure(request) and not _is_plain(request.headers.get("Host", "")):
        return "a plain connection under a name: use the address, or localhost"
    return ""


def is_secure(request: web.BaseRequest) -> bool:
    """Whether *request* comes by TLS."""
    transport = request.transport
    return transport is not None and transport.get_extra_info("ssl_object") is not None


def _place(origin: str) -> str:
    try:
        return urlsplit(origin).netloc.lower()
    except ValueError:
        return ""


def _is_plain(host: str) -> bool:
    try:
        name = urlsplit(f"//{host}").hostname or ""
        if name.lower() == "localhost":
            return True
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True
