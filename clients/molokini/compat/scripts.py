"""Job scripts: read once, at the submission, and the options that stand in them."""

from __future__ import annotations

from molokini.compat._types import TextIO

MOST_BYTES = 16 << 20
"""No script is read further; the bound of the server (limits.script_bytes) is at most this."""


class NoScript(Exception):
    """No script to take: *kind* is ``missing``, ``unreadable``, ``empty``, ``binary`` or ``large``."""

    def __init__(self, kind: str, name: str, why: str | None = "") -> None:
        super().__init__(why)
        self.kind, self.name, self.why = kind, name, why or "cannot be read"


def read_script(name: str) -> str:
    """The text of the file *name*. Raises NoScript."""
    try:
        with open(name, "rb") as file:
            body = file.read(MOST_BYTES + 1)
    except FileNotFoundError as error:
        raise NoScript("missing", name, error.strerror) from None
    except OSError as error:
        raise NoScript("unreadable", name, error.strerror) from None
    return _text(body, name)


def read_input(stream: TextIO, name: str = "stdin") -> str:
    """The text that comes on *stream*. Raises NoScript."""
    return _text(stream.buffer.read(MOST_BYTES + 1), name)


def _text(body: bytes, name: str) -> str:
    if not body.strip():
        raise NoScript("empty", name, "is empty")
    if len(body) > MOST_BYTES:
        raise NoScript("large", name, f"has more than {MOST_BYTES:,} bytes")
    if b"\0" in body:
        raise NoScript("binary", name, "holds a NUL byte: it is no text")
    try:
        return body.decode("utf-8")
    except UnicodeDecodeError:
        raise NoScript("binary", name, "is no UTF-8 text") from None


def directives(script: str, prefix: str) -> list[tuple[int, list[str]]]:
    """The words behind *prefix* (``#SBATCH``) of each line that begins with it, up to the first command.

    Each with the number of its line, from 1.
    Raises ValueError, with the line, for a quotation that does not end.
    """
    found: list[tuple[int, list[str]]] = []
    for number, line in enumerate(script.splitlines(), 1):
        if line.startswith(prefix) and line[len(prefix) : len(prefix) + 1] in ("", " ", "\t"):
            try:
                found.append((number, words_of(line[len(prefix) :])))
            except ValueError as error:
                raise ValueError(f"line {number} of the script: {error}") from None
        elif line.strip() and not line.lstrip().startswith("#"):
            break
    return found


def words_of(text: str) -> list[str]:
    """The words of *text*, as a shell finds them: quotes, backslashes, and a ``#`` that begins a remark."""
    found, word, quote, k = [], None, "", 0
    while k < len(text):
        letter = text[k]
        k += 1
        if quote:
            if letter == quote:
                quote = ""
            elif letter == "\\" and quote == '"' and text[k : k + 1] in ('"', "\\"):
                word = (word or "") + text[k]
                k += 1
            else:
                word = (word or "") + letter
        elif letter in "'\"":
            quote, word = letter, word or ""
        elif letter == "\\" and k < len(text):
            word = (word or "") + text[k]
            k += 1
        elif letter in " \t\r":
            if word is not None:
                found.append(word)
            word = None
        elif letter == "#" and word is None:
            break
        else:
            word = (word or "") + letter
    if quote:
        raise ValueError(f"a quotation that does not end: {text.strip()[:60]}")
    return found if word is None else [*found, word]
