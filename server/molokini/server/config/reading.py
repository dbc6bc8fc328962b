"""Reading a configuration file: what kind of file it may be, and TOML into a table."""

import os
import re
import stat
import tomllib
from pathlib import Path
from typing import Any

from molokini.model.errors import BadFile
from molokini.server.config.places import doubled, shown

MOST_BYTES = 8 * 2**20
"""No configuration is larger; a larger file is some other file."""

_AT = re.compile(r" \(at (?:line (\d+), column \d+|end of document)\)$")


def read_text(path: Path) -> str:
    """The text of a configuration file that only its owner, or root, could have written."""
    try:
        with open(path, "rb", opener=_open) as stream:
            _check(path, os.fstat(stream.fileno()))
            body = stream.read(MOST_BYTES + 1)
    except OSError as error:
        raise BadFile(str(path), (error.strerror or str(error)).lower()) from error
    if len(body) > MOST_BYTES:
        raise BadFile(str(path), f"larger than {MOST_BYTES:,} bytes")
    try:
        return body.decode("utf-8")
    except UnicodeDecodeError as error:
        line = body.count(b"\n", 0, error.start) + 1
        raise BadFile(str(path), "not UTF-8 text", line) from error


def parse(path: Path, text: str) -> dict[str, Any]:
    """The tables of *text*."""
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise _explained(path, text, str(error)) from error
    except RecursionError as error:
        raise BadFile(str(path), "nested too deeply") from error


def _open(path: str, flags: int) -> int:
    # A pipe without a writer must not keep the server waiting.
    return os.open(path, flags | os.O_NONBLOCK | os.O_CLOEXEC)


def _check(path: Path, status: os.stat_result) -> None:
    if not stat.S_ISREG(status.st_mode):
        raise BadFile(str(path), "not a file")
    if status.st_uid not in (0, os.geteuid()):
        raise BadFile(str(path), "belongs to another user; it must be the server's or root's")
    if status.st_mode & stat.S_IWOTH:
        raise BadFile(str(path), "every user may write it; take that right away (chmod o-w)")


def _explained(path: Path, text: str, cause: str) -> BadFile:
    match = _AT.search(cause)
    line = int(match[1]) if match and match[1] else None
    twice = doubled(text) if "overwrite" in cause or "twice" in cause else None
    if twice:
        return BadFile(str(path), f"{shown(twice[0])} is given twice", twice[1])
    reason = _AT.sub("", cause)
    return BadFile(str(path), reason[:1].lower() + reason[1:], line)
