"""Values of options that qsub and qalter share; ValueError, with the expected form, for a bad one."""

from __future__ import annotations

from molokini.compat._types import Sequence

_LONGEST_NAME = 236
_EVENTS = {"b": "begin", "e": "end", "a": "fail"}
_HOLDS = {"u": "HOLD_USER", "o": "HOLD_OPERATOR", "s": "HOLD_SYSTEM"}


def job_name(text: str) -> str:
    """``-N``: printable, without blanks."""
    if not text or not text.isprintable() or " " in text or len(text) > _LONGEST_NAME:
        raise ValueError(f"must be 1 to {_LONGEST_NAME} printable characters without blanks")
    return text


def priority(text: str) -> int:
    """``-p``."""
    digits = text[1:] if text[:1] in ("-", "+") else text
    if not digits.isascii() or not digits.isdigit() or len(digits) > 4 or not -1024 <= int(text) <= 1023:
        raise ValueError("must be a whole number from -1024 to 1023")
    return int(text)


def rerunnable(text: str) -> bool:
    """``-r``."""
    if text not in ("y", "n"):
        raise ValueError("must be y or n")
    return text == "y"


def mail_events(text: str) -> list[str]:
    """``-m``, as the server's words."""
    if text in ("n", "p"):
        return []
    if not text or any(letter not in "abej" for letter in text):
        raise ValueError("must be n, or any of a, b, e and j")
    return [_EVENTS[letter] for letter in "bea" if letter in text]


def mail_points(events: Sequence[str]) -> str:
    """Mail_Points of a job with these *events*."""
    return "".join(letter for letter in "abe" if _EVENTS[letter] in events) or "n"


def checkpoint(text: str) -> str:
    """``-c``, as listings show it."""
    kind, equals, minutes = text.partition("=")
    plain = ("n", "s", "c", "w", "u", "none", "shutdown", "periodic", "enabled")
    if (equals and kind in ("c", "w") and minutes.isascii() and minutes.isdigit()) or text in plain:
        return text
    raise ValueError("must be n, s, c, c=MINUTES, w, w=MINUTES or u")


def join(text: str) -> str:
    """``-j``."""
    if text not in ("oe", "eo", "n"):
        raise ValueError("must be oe, eo or n")
    return text


def keep(text: str) -> str:
    """``-k``."""
    if not text or any(letter not in "oedn" for letter in text) or ("n" in text and len(text) > 1):
        raise ValueError("must be n, or any of o, e and d")
    return text


def shell(text: str) -> str:
    """``-S``: of ``path[@host][,...]`` the one for any host."""
    for part in text.split(","):
        path, at, _ = part.partition("@")
        if not path.startswith("/") or not path.isprintable() or " " in path:
            raise ValueError("must be an absolute path")
        if not at:
            return path
    raise ValueError("must be a path for all hosts; a path for one host is not supported")


def holds(text: str) -> list[str]:
    """``-h`` of qhold and qrls; ``n`` is none."""
    if text == "n":
        return []
    if not text or any(letter not in _HOLDS for letter in text):
        raise ValueError("must be n, or any of u, o and s")
    return [_HOLDS[letter] for letter in "uos" if letter in text]


def hold_types(found: Sequence[str]) -> str:
    """Hold_Types of a job with these holds."""
    return "".join(letter for letter, name in _HOLDS.items() if name in found) or "n"
