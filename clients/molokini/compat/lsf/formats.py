"""``-o``: which columns, how wide, and what stands between them; as text or as JSON."""

from __future__ import annotations

from molokini.compat._types import Callable, Iterable, Mapping, Sequence
from molokini.compat.columns import Column, end_off, line, printable, star_before

_DELIMITER = "delimiter="


class Format:
    """Columns, and what stands between two of them; empty: a blank."""

    def __init__(self, columns: list[Column], delimiter: str) -> None:
        self.columns, self.delimiter = columns, delimiter

    @property
    def names(self) -> list[str]:
        """The fields, in their order."""
        return [column.name for column in self.columns]

    def header(self) -> str:
        """The line of titles."""
        columns = [Column(one.name, one.width, one.right) for one in self.columns]
        return Format(columns, self.delimiter).line([name.upper() for name in self.names])

    def line(self, values: Sequence[str]) -> str:
        """*values* as one line."""
        return self.delimiter.join(values) if self.delimiter else line(self.columns, values, " ")


def read_format(text: str, widths: Mapping[str, int], aliases: Mapping[str, str]) -> Format:
    """The format that *text* says, of fields that *widths* and *aliases* know. Raises ValueError."""
    fields, delimiter = _without_delimiter(text)
    columns = []
    for word in fields.split():
        name, colon, rest = word.partition(":")
        called = aliases.get(name.lower(), name.lower())
        if called == "all":
            columns += [Column(one, None) for one in widths]
            continue
        if called not in widths:
            raise ValueError(f"Unknown field name: {name[:60]}")
        columns.append(_column(called, colon, rest.partition(":")[0], widths[called]))
    if not columns:
        raise ValueError("-o: expected at least one field")
    return Format(columns, delimiter)


def _column(name: str, colon: str, width: str, usual: int) -> Column:
    right = width.startswith("-")
    digits = width.removeprefix("-")
    if digits and not (digits.isascii() and digits.isdigit() and len(digits) < 6):
        raise ValueError(f"{name}:{width}: Bad width: expected [-][WIDTH]")
    found = (int(digits) if digits else usual) if colon else 0
    return Column(name, found or None, right, star_before if name == "job_name" else end_off)


def _without_delimiter(text: str) -> tuple[str, str]:
    before, found, behind = text.partition(_DELIMITER)
    if not found:
        return text, ""
    quote = behind[:1]
    if quote in ("'", '"'):
        inside, closed, rest = behind[1:].partition(quote)
        if not closed or not inside:
            raise ValueError(f"{_DELIMITER}{behind[:40]}: expected a character in quotes")
        return f"{before} {rest}", inside
    word, _, rest = behind.partition(" ")
    if not word:
        raise ValueError(f"{_DELIMITER}: expected a character")
    return f"{before} {rest}", word


def as_json(command: str, count: str, records: Iterable[Mapping[str, str]]) -> str:
    """The document that LSF makes of *records*; *count* is the key of how many there are."""
    import json

    found = list(records)
    document = {"COMMAND": command, count: len(found), "RECORDS": found}
    return json.dumps(document, indent=2, separators=(",", ":"), ensure_ascii=False)


def shown(value: str) -> str:
    """*value* in a line: ``-`` where there is none, and nothing that moves a terminal's cursor."""
    return (value if value.isprintable() else printable(value)) or "-"


def values_of(names: Sequence[str], value: Callable[[str], str]) -> list[str]:
    """The values of the fields *names*, as lines show them."""
    return [shown(value(name)) for name in names]
