"""Dependencies as ``--dependency`` takes them."""

from __future__ import annotations

from molokini.compat._types import Any

_KINDS = {
    "after": "AFTER",
    "afterok": "AFTER_OK",
    "afternotok": "AFTER_NOT_OK",
    "afterany": "AFTER_ANY",
    "singleton": "SINGLETON",
}
WORDS = {kind: word for word, kind in _KINDS.items()}


def asked(text: str) -> list[dict[str, Any]]:
    """The dependencies that *text* says; all of them must be met. ValueError with why it says none."""
    if "?" in text:
        raise ValueError("dependencies of which one is enough (?) are not supported")
    found: list[dict[str, Any]] = []
    kind = ""
    for part in text.split(","):
        word, colon, numbers = part.strip().partition(":")
        if word.isdigit() and kind and not colon:
            # A number after a comma goes on with the kind before it.
            found.append({"kind": kind, "job_id": int(word)})
            continue
        if word.lower() == "singleton" and not colon:
            found.append({"kind": "SINGLETON"})
            continue
        kind = _kind(word.lower(), part)
        found += [{"kind": kind, "job_id": _number(one)} for one in numbers.split(":")]
    return found


def _kind(word: str, part: str) -> str:
    if word in ("aftercorr", "afterburstbuffer"):
        raise ValueError(f"{word} is not supported: an array is depended upon as a whole")
    if word not in _KINDS or word == "singleton":
        raise ValueError(f"{part.strip()[:60]!r} is no dependency: there are {', '.join(_KINDS)}")
    return _KINDS[word]


def _number(text: str) -> int:
    if "+" in text:
        raise ValueError(f"{text}: a delay after a start is not supported")
    if "_" in text:
        raise ValueError(f"{text}: an array is depended upon as a whole")
    if not (text.isdigit() and text.isascii()) or not 0 < int(text) < 2**63:
        raise ValueError(f"{text[:60]!r} is no number of a job")
    return int(text)
