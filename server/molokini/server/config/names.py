"""What may be the name of a node, queue, user or cluster, and what a pattern of node names may be."""

import re

from molokini.model.errors import BadValue
from molokini.model.names import MOST_NAMES, expand

NAME = "a name of 1 to 64 letters, digits, '.', '_' and '-', which begins with a letter or digit"
PATTERN = (
    f"a name or a pattern like 'node[001-064]' or 'rack[1-4]n[01,03-08]', of at most {MOST_NAMES:,} names"
)

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}", re.ASCII)


def is_name(text: str) -> bool:
    """Whether *text* may name a node, queue, user or cluster."""
    return _NAME.fullmatch(text) is not None


def expanded(pattern: str) -> list[str]:
    """The names that *pattern* stands for; ValueError where it is none, or where they are no names."""
    try:
        names = expand(pattern)
    except BadValue as error:
        raise ValueError(error.allowed) from error
    if not all(map(is_name, names)):
        raise ValueError(NAME)
    return names
