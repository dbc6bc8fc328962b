"""Options that may stand without a value, such as ``--json``: their value is put behind them."""

from collections.abc import Sequence
from dataclasses import fields
from typing import get_args

from molokini.model.declared import Declared


def with_values(words: Sequence[str], kind: type) -> list[str]:
    """*words*, for a command that takes *kind*, in which each option has a value that takes one."""
    alone: dict[str, Declared] = {}
    valued: set[str] = set()
    for field in fields(kind):
        wanted, declared, *_ = get_args(field.type)
        assert isinstance(declared, Declared)
        names = declared.written(field.name)
        if declared.alone is not None:
            alone.update(dict.fromkeys(names, declared))
        elif bool not in (wanted, *get_args(wanted)):
            valued.update(names)
    if not alone:
        return list(words)
    found: list[str] = []
    before = ""
    for at, word in enumerate(words):
        if word == "--" and before not in valued:
            return [*found, *words[at:]]
        is_option = word in alone and before not in valued
        if is_option and not _has_value(alone[word], words[at + 1 : at + 2]):
            found.append(f"{word}={alone[word].alone}")
        else:
            found.append(word)
        before = "" if before in valued else word
    return found


def _has_value(declared: Declared, following: Sequence[str]) -> bool:
    """Whether the word that follows such an option is its value."""
    for word in following:
        if word == declared.alone:
            return True
        if not word.startswith("-"):
            return not declared.endings or word.lower().endswith(declared.endings)
    return False
