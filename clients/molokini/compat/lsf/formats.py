"""``-o``: which columns, how wide, and what stands between them; as text or as JSON."""

from __future__ import annotations

from molokini.compat._types import Callable, Iterable, Mapping, Sequence

_DELIMITER = "delimiter="
_JSON_BLANKS = "  "


class Column:
    """One column: the field's name, its width (0: that of what stands there), and on which side it stands."""

    __slots__ = ("keeps_end", "name", "right", "width")

    def __init__(self, name: str, width: int, right: bool, keeps_end: bool) -> None:
        self.name, self.width, self.right, self.keeps_end = name, width, right, keeps_end


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
        titles = [name.upper() for name in self.names]
        columns = [Column(one.name, one.width, one.right, False) for one in self.columns]
        return Format(columns, self.delimiter).line(titles)

    def line(self, values: Sequence[str]) -> str:
        """*values* as one line."""
        if self.delimiter:
            return self.delimiter.join(values)
        parts = [placed(value, column) for value, column in zip(values, self.columns, strict=True)]
        return " ".join(parts)


def placed(value: str, column: Column) -> str:
    """*value* as wide as *column*."""
    width = column.width
    if not width:
        return value
    if len(value) > width:
        value = f"*{value[len(value) - width + 1 :]}" if column.keeps_end and width > 1 else value[:width]
    return value.rjust(width) if column.right else value.ljust(width)


def read_format(text: str, widths: Mapping[str, int], aliases: Mapping[str, str]) -> Format:
    """The format that *text* says, of fields that *widths* and *aliases* know. Raises ValueError."""
    fields, delimiter = _without_delimiter(text)
    columns = []
    for word in fields.split():
        name, colon, rest = word.partition(":")
        called = aliases.get(name.lower(), name.lower())
        if called == "all":
            columns += [Column(one, 0, False, False) for one in widths]
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
    return Column(name, (int(digits) if digits else usual) if colon else 0, right, name == "job_name")


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
    if not value:
        return "-"
    return value if value.isprintable() else "".join(map(_printable, value))


def _printable(letter: str) -> str:
    return letter if letter.isprintable() else "?"


def values_of(names: Sequence[str], value: Callable[[str], str]) -> list[str]:
    """The values of the fields *names*, as lines show them."""
    return [shown(value(name)) for name in names]
