"""Messages of the Wiki protocol: eight digits, a checksum, a time, a name, and the request or answer."""

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import isfinite

from molokini.model.errors import BadInput
from molokini.server.wiki.checksums import agrees, checksum

MOST_BYTES = 2 << 20
"""Of one message, as Maui has it."""
_HEADER = 9

UNREADABLE, MALFORMED, SHORT = -240, -244, -246
BAD_REQUEST, BAD_TIME, BAD_CHECKSUM = -300, -350, -422
REFUSED, NOT_SUPPORTED, INTERNAL, STARTING = -700, -810, -1, -140


class WikiError(BadInput):
    """A message that is not served: *code* is the SC of the answer."""

    def __init__(self, code: int, text: str) -> None:
        super().__init__(text)
        self.code = code


@dataclass(frozen=True)
class Shared:
    """What both ends know: the algorithm of checksums, the key, and how far their clocks may differ."""

    algorithm: str = "DES"
    key: str = ""
    skew_s: float = 300.0


@dataclass(frozen=True)
class Request:
    """One request: ``CMD=name ARG=argument`` and what else it says, by upper-case keys."""

    user: str
    command: str
    argument: str
    more: Mapping[str, str]


async def read_message(reader: asyncio.StreamReader, most_bytes: int = MOST_BYTES) -> bytes:
    """The payload of the next message. Raises WikiError where none can be made of it."""
    try:
        header = await reader.readexactly(_HEADER)
    except asyncio.IncompleteReadError as error:
        raise WikiError(UNREADABLE, "the header of the message is incomplete") from error
    if not header[:8].isdigit() or header[8:] != b"\n":
        raise WikiError(UNREADABLE, "the header of a message is eight digits and a new line")
    size = int(header[:8])
    if not 0 < size <= most_bytes:
        raise WikiError(MALFORMED, f"a message has from 1 to {most_bytes:,} bytes, and not {size:,}")
    try:
        return (await reader.readexactly(size)).rstrip(b"\0\n")
    except asyncio.IncompleteReadError as error:
        raise WikiError(SHORT, "the message ends before its size") from error


def message(shared: Shared, user: str, data: str, at_s: float, clock_s: float | None = None) -> bytes:
    """*data* as a whole message of *user*, signed and framed.

    *clock_s* is the instant of a scheduling clock that is not that of the calendar, for those who ask for
    ``CLOCK``; receivers look for the keys that they know, and pass it over.
    """
    clock = "" if clock_s is None else f"CLOCK={clock_s!r} "
    body = f"TS={int(at_s)} AUTH={user} {clock}DT={data}".encode()
    payload = f"CK={checksum(shared.algorithm, shared.key, body)} ".encode() + body
    return b"%08d\n" % len(payload) + payload


def opened(shared: Shared, payload: bytes, now_s: float) -> tuple[str, str]:
    """Who sent *payload*, and its data. Raises WikiError for a wrong checksum, time or form."""
    start = payload.find(b"TS=")
    if start < 0:
        raise WikiError(BAD_REQUEST, "the message has no TS=")
    shown = _behind(payload[:start], b"CK=")
    if not agrees(shared.algorithm, shared.key, payload[start:], shown):
        raise WikiError(BAD_CHECKSUM, "the checksum is wrong")
    body = payload[start:]
    stamp = _behind(body, b"TS=")
    if not stamp.isdigit() or abs(int(stamp) - now_s) > shared.skew_s:
        raise WikiError(BAD_TIME, f"the time of the message is more than {shared.skew_s:g} s from ours")
    user = _behind(body, b"AUTH=")
    at = body.find(b"DT=")
    if not user or at < 0:
        raise WikiError(BAD_REQUEST, "the message has no AUTH= or no DT=")
    try:
        return user, body[at + 3 :].decode("utf-8")
    except UnicodeDecodeError:
        raise WikiError(MALFORMED, "the message is not text") from None


def clock_of(payload: bytes) -> float | None:
    """The instant of the sender's scheduling clock; None: it goes by the calendar, as ``TS`` does."""
    head = payload.partition(b" DT=")[0]
    try:
        found = float(_behind(head, b" CLOCK="))
    except ValueError:
        return None
    return found if isfinite(found) else None


def _behind(text: bytes, key: bytes) -> str:
    """The word behind *key*; empty where there is none."""
    at = text.find(key)
    if at < 0:
        return ""
    return text[at + len(key) :].split(b" ", 1)[0].decode("ascii", "replace")


def request_of(user: str, data: str) -> Request:
    """What *data* asks for. Raises WikiError for what is no request."""
    words = _words(data.strip())
    found = dict(word.partition("=")[::2] for word in words if "=" in word)
    by_name = {name.upper(): value for name, value in found.items()}
    command = by_name.pop("CMD", "")
    if not command:
        raise WikiError(BAD_REQUEST, "the request has no CMD=")
    return Request(user, command.upper(), by_name.pop("ARG", ""), by_name)


def _words(text: str) -> list[str]:
    """Words with blanks between, where a quotation is part of its word."""
    found, word, quote = [], "", ""
    for letter in text:
        if quote:
            if letter == quote:
                quote = ""
            else:
                word += letter
        elif letter in "\"'":
            quote = letter
        elif letter.isspace():
            if word:
                found.append(word)
            word = ""
        else:
            word += letter
    if quote:
        raise WikiError(BAD_REQUEST, "an unterminated quotation")
    return [*found, word] if word else found


class Written(str):
    """A value that is escaped where it must be, such as a list with colons between."""


def records(found: Sequence[tuple[str, Iterable[tuple[str, object]]]]) -> str:
    """The answer to a query: each name with its fields, what is empty left out."""
    if not found:
        return "SC=0 ARG=0#"
    return f"SC=0 ARG={len(found)}" + "".join(f"#{escaped(name)}:{_fields(said)}" for name, said in found)


def _fields(said: Iterable[tuple[str, object]]) -> str:
    return "".join(f"{key}={_value(value)};" for key, value in said if value != "")


def _value(value: object) -> str:
    return value if isinstance(value, Written) else escaped(str(value))


def listed(values: Iterable[str], between: str = ":") -> Written:
    """*values* as one, each escaped."""
    return Written(between.join(map(escaped, values)))


def done(text: str) -> str:
    """The answer to an order that was carried out."""
    return f"SC=0 RESPONSE={text}"


def failed(error: WikiError) -> str:
    """The answer to what was not served."""
    return f"SC={error.code} RESPONSE={error}"


def escaped(text: str) -> str:
    """*text* so that it does not end its field, its record or its name, nor begins a quotation."""
    return "".join(f"\\{letter}" if letter in '#;:\\"' else letter for letter in text)
