"""Names of many nodes in one text: ``node[001-064],io1``."""

import re
from itertools import chain

from molokini.model.errors import BadValue

MOST = 1_000_000
"""Names that one text may stand for."""

_PATTERN = re.compile(r"([^\[\],\s]*)\[(\d{1,9})-(\d{1,9})\]([^\[\],\s]*)", re.ASCII)
_ALLOWED = "names with commas between them, such as node[001-064],io1"


def expanded(text: str) -> frozenset[str]:
    """The names that *text* stands for. Raises BadValue."""
    return frozenset(chain.from_iterable(_names(text, part.strip()) for part in text.split(",")))


def _names(text: str, part: str) -> list[str]:
    match = _PATTERN.fullmatch(part)
    if match is None:
        if not part or set(part) & set("[] "):
            raise BadValue("--nodes", text, _ALLOWED)
        return [part]
    first, last = int(match[2]), int(match[3])
    if not 0 <= last - first < MOST:
        raise BadValue("--nodes", text, f"{_ALLOWED}, at most {MOST:,} of them, the first number first")
    return [f"{match[1]}{number:0{len(match[2])}}{match[4]}" for number in range(first, last + 1)]
