"""Answers of a resource manager, as Slurm, Maui's own specification and we write them."""

import re
from dataclasses import dataclass, field

from molokini.server.wiki.messages import MALFORMED, WikiError

Fields = dict[str, str]
_CODE = re.compile(r"\s*SC=(-?[0-9]{1,9})[\s;]*(?:(ARG|RESPONSE)=(.*))?", re.ASCII | re.DOTALL)
_RECORD = re.compile(r'(?:\\.|"[^"]*"|[^#])+', re.DOTALL)
_FIELD = re.compile(r'(?:\\.|"[^"]*"|[^;])+', re.DOTALL)
_NAME = re.compile(r"((?:\\.|[^\\:])+):", re.DOTALL)
_ESCAPED = re.compile(r"\\(.)", re.DOTALL)


@dataclass(frozen=True)
class Answer:
    """*code* below 0 is a failure, of which *text* tells; of a query *records*, by name, as they came."""

    code: int
    text: str = ""
    records: dict[str, Fields] = field(default_factory=dict)


def read_answer(data: str) -> Answer:
    """The answer that *data* is. WikiError for what is none.

    Of records with one name the last counts, and what is no record or no field is passed over: an object
    that is not understood must not hide the others.
    """
    found = _CODE.match(data)
    if found is None:
        raise WikiError(MALFORMED, f"not an answer of a resource manager: {data[:40]!r}")
    code, kind, rest = int(found[1]), found[2], found[3] or ""
    if code < 0 or kind != "ARG":
        return Answer(code, rest.strip())
    _, _, listed = rest.partition("#")
    return Answer(code, records=_records(listed))


def _records(text: str) -> dict[str, Fields]:
    found: dict[str, Fields] = {}
    # Most have nothing quoted or escaped, and are taken apart ten times as fast.
    plain = "\\" not in text and '"' not in text
    for record in text.split("#") if plain else _RECORD.findall(text):
        name = _NAME.match(record)
        if name is None:
            continue
        parts = record[name.end() :]
        said = parts.split(";") if plain else _FIELD.findall(parts)
        pairs = (one.partition("=") for one in said if "=" in one)
        found[_plain(name[1]).strip()] = {key.strip().upper(): _plain(value) for key, _, value in pairs}
    return found


def _plain(value: str) -> str:
    """*value* without what protects it, but for colons: a caller that splits a list needs them."""
    value = value.strip()
    if len(value) >= 2 and value[0] == value[-1] == '"':
        value = value[1:-1]
    return _ESCAPED.sub(lambda found: found[1], value) if "\\" in value else value
