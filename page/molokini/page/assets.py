"""The files of the page as a server sends them: each with its type, its tag, and compressed once."""

import gzip
import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

FOLDER = Path(__file__).with_name("static")
DOCUMENT = "index.html"

_KINDS = {".html": "text/html", ".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml"}


@dataclass(frozen=True)
class Asset:
    """One file of the page."""

    name: str
    """Below ``static``, with slashes."""
    kind: str
    """Its media type; the text is UTF-8."""
    body: bytes
    compressed: bytes
    """The same by gzip; the same bytes at each call."""
    tag: str
    """Changes with the body: an ETag, in its quotes."""


@cache
def assets() -> Mapping[str, Asset]:
    """Every file of the page by its name."""
    paths = sorted(path for path in FOLDER.rglob("*") if path.suffix in _KINDS)
    return {path.relative_to(FOLDER).as_posix(): _asset(path) for path in paths}


def modules() -> list[str]:
    """The names of the modules of JavaScript."""
    return [name for name in assets() if name.endswith(".js")]


def _asset(path: Path) -> Asset:
    body = path.read_bytes()
    return Asset(
        name=path.relative_to(FOLDER).as_posix(),
        kind=_KINDS[path.suffix],
        body=body,
        compressed=gzip.compress(body, 9, mtime=0),
        tag=f'"{hashlib.sha256(body).hexdigest()[:20]}"',
    )
