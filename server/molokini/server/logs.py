"""The server's log: one line a record, as text for people or JSON for machines, without secrets.

What a record has beside its text (``extra``) becomes fields. Fields that are named like secrets, and texts
that look like them, are blacked out at the last moment, tracebacks included, so that no caller has to
remember it.
"""

import contextlib
import json
import logging
import os
import re
import sys
import time
from collections.abc import Iterator
from io import TextIOWrapper
from logging.handlers import WatchedFileHandler
from pathlib import Path
from typing import Any, TextIO

from molokini.model.errors import BadFile
from molokini.server.config.sections import Log
from molokini.server.readers import Readers

ROOT = "molokini"
BLACK = "[secret]"

_KNOWN = frozenset(vars(logging.makeLogRecord({}))) | {"message", "asctime"}
_SECRET_NAME = re.compile(r"token|password|passwd|secret|authorization|credential|private|environment", re.I)
_BLACKED = (
    (
        re.compile(r"-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(?:-----END [A-Z ]*PRIVATE KEY-----|\Z)", re.S),
        BLACK,
    ),
    (re.compile(r"\beyJ[\w-]+\.[\w-]*\.[\w-]*"), BLACK),
    (re.compile(r"(bearer\s+)[^\s'\",)]+", re.I), rf"\1{BLACK}"),
    (re.compile(r"(://[^:/@\s]*:)[^@\s]+(?=@)"), rf"\1{BLACK}"),
    (
        re.compile(
            r"((?:password|passwd|secret|token|authorization)['\"]?\s*[=:]\s*b?['\"]?)(?!\[secret\])[^\s'\",)}]+",
            re.I,
        ),
        rf"\1{BLACK}",
    ),
)
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")


def redacted(text: str) -> str:
    """*text* with whatever looks like a secret blacked out."""
    for pattern, instead in _BLACKED:
        text = pattern.sub(instead, text)
    return text


class TextFormatter(logging.Formatter):
    """``2026-11-20T08:00:00.123Z info calls: text field=value``, and tracebacks indented below."""

    def format(self, record: logging.LogRecord) -> str:
        """One line, and a traceback where there is one."""
        fields = "".join(f" {name}={_line(str(value))}" for name, value in _fields(record))
        head = f"{_instant(record)} {record.levelname.lower()} {_short(record.name)}"
        line = f"{head}: {_line(_text(record))}{fields}"
        traceback = _traceback(self, record)
        if traceback:
            line += "".join("\n    " + _line(one) for one in traceback.splitlines())
        return line


class JsonFormatter(logging.Formatter):
    """One JSON object a line."""

    def format(self, record: logging.LogRecord) -> str:
        """The record as an object; its own fields beside ``time``, ``level``, ``logger`` and ``text``."""
        found: dict[str, Any] = {
            "time": _instant(record),
            "level": record.levelname.lower(),
            "logger": _short(record.name),
            "text": _text(record),
        }
        found.update((name, value) for name, value in _fields(record) if name not in found)
        traceback = _traceback(self, record)
        if traceback:
            found["traceback"] = traceback
        return json.dumps(found, ensure_ascii=True, default=str)


class _Quiet:
    """A log that cannot be written (its disk is full, say) must not stop or slow what it tells of."""

    lost = 0

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802
        """Count it."""
        self.lost += 1


class _Stream(_Quiet, logging.StreamHandler[TextIO]):
    pass


class _File(_Quiet, WatchedFileHandler):
    """Opens its file again where it was moved away, for the same readers each time."""

    def __init__(self, path: Path, readers: Readers) -> None:
        self._readers = readers
        super().__init__(path, encoding="utf-8", errors="backslashreplace")

    def _open(self) -> TextIOWrapper:
        handle = self._readers.open(Path(self.baseFilename), os.O_WRONLY | os.O_APPEND | os.O_CREAT)
        return open(handle, "a", encoding=self.encoding, errors=self.errors)

    def emit(self, record: logging.LogRecord) -> None:
        """Write the record; where its file cannot be opened again it is lost, and the next one tries."""
        try:
            super().emit(record)
        except OSError:
            self.handleError(record)


@contextlib.contextmanager
def logging_to(settings: Log, stream: TextIO | None = None) -> Iterator[logging.Logger]:
    """Log as *settings* say (to *stream* where they name no file) until the context is left.

    BadFile for a file that cannot be opened.
    """
    handler = _handler(settings, stream)
    handler.setFormatter(JsonFormatter() if settings.format == "json" else TextFormatter())
    root = logging.getLogger(ROOT)
    before = root.level, root.propagate
    root.addHandler(handler)
    root.propagate = False
    set_level(settings)
    try:
        yield root
    finally:
        root.removeHandler(handler)
        root.setLevel(before[0])
        root.propagate = before[1]
        with contextlib.suppress(OSError):  # what is left over does not fit on a full disk either
            handler.close()


def set_level(settings: Log) -> None:
    """Take over the level of *settings*, at a reload too."""
    logging.getLogger(ROOT).setLevel(settings.level.upper())


def _handler(settings: Log, stream: TextIO | None) -> logging.Handler:
    if settings.file is None:
        return _Stream(stream or sys.stderr)
    try:
        return _File(settings.file, Readers.of("log.group", settings.group))
    except OSError as error:
        raise BadFile(str(settings.file), (error.strerror or str(error)).lower()) from error


def _fields(record: logging.LogRecord) -> Iterator[tuple[str, Any]]:
    for name, value in vars(record).items():
        if name in _KNOWN:
            continue
        if _SECRET_NAME.search(name):
            yield name, BLACK
        elif value is None or isinstance(value, bool | int | float):
            yield name, value
        else:
            yield name, redacted(str(value))


def _text(record: logging.LogRecord) -> str:
    return redacted(record.getMessage())


def _traceback(formatter: logging.Formatter, record: logging.LogRecord) -> str:
    return redacted(formatter.formatException(record.exc_info)) if record.exc_info else ""


def _instant(record: logging.LogRecord) -> str:
    return f"{time.strftime('%Y-%m-%dT%H:%M:%S', time.gmtime(record.created))}.{int(record.msecs):03d}Z"


def _short(name: str) -> str:
    return name.removeprefix(ROOT + ".").removeprefix("server.")


def _line(text: str) -> str:
    """*text* in one line: a caller cannot forge records by line ends in what is logged."""
    return _CONTROL.sub(lambda found: found[0].encode("unicode_escape").decode(), text)
