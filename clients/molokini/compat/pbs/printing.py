"""Attributes as text that wraps, as JSON, as one line with delimiters, or as XML."""

from __future__ import annotations

from molokini.compat._types import Any, Attributes, Iterable, Iterator

_COLUMNS = 78
_TAB = 8


def lines(made: Attributes, wraps: bool = True, indent: str = "    ") -> Iterator[str]:
    """``name = value`` and ``name.resource = value``; a value goes on behind a TAB where *wraps* is set."""
    for name, text in flat(made):
        start = f"{indent}{name} = "
        yield wrapped(start, text) if wraps else start + text


def flat(made: Attributes) -> Iterator[tuple[str, str]]:
    """Names and values in text, those of resources with a point; variables are one value."""
    for name, value in made.items():
        if name == "Variable_List" and isinstance(value, dict):
            yield name, variable_list(value)
        elif isinstance(value, dict):
            for inner, one in value.items():
                yield f"{name}.{inner}", str(one)
        elif isinstance(value, list):
            yield name, ", ".join(value)
        else:
            yield name, one_line(str(value))


def variable_list(found: dict[str, str]) -> str:
    r"""``A=b,C=d``, commas of values as ``\,``."""
    return ",".join(f"{name}={one_line(value)}" for name, value in found.items())


def one_line(text: str) -> str:
    r"""*text* with what would end a line, or be a command to a terminal, as ``\n`` and the like."""
    if text.isprintable():
        return text
    return "".join(letter if letter.isprintable() else _escaped(letter) for letter in text)


def _escaped(letter: str) -> str:
    return letter.encode("unicode_escape").decode("ascii")


def wrapped(start: str, text: str) -> str:
    """*text* behind *start*; a piece between commas that would pass the last column begins a line with a TAB.

    A piece that is longer than a line is broken at the last column.
    """
    if len(start) + len(text) <= _COLUMNS:
        return start + text
    made, column = [start], len(start)
    pieces = text.split(",")
    for place, piece in enumerate(pieces):
        whole = piece if place == len(pieces) - 1 else f"{piece},"
        if place and column + len(whole) > _COLUMNS:
            made.append("\n\t")
            column = _TAB
        while column + len(whole) > _COLUMNS:
            room = _COLUMNS - column
            made += [whole[:room], "\n\t"]
            whole, column = whole[room:], _TAB
        made.append(whole)
        column += len(whole)
    return "".join(made)


def delimited(start: str, made: Attributes, delimiter: str) -> str:
    """One line: *start* and all attributes with *delimiter* between, which a backslash hides in values."""
    parts = [start]
    for name, text in flat(made):
        parts.append(f"{name}={text.replace(delimiter, chr(92) + delimiter)}")
    return delimiter.join(parts)


def json_text(document: dict[str, Any]) -> str:
    """*document* as ``qstat -F json`` lays it out: four blanks a level, none around colons."""
    from json.encoder import encode_basestring_ascii as quoted

    def write(value: Any, margin: str) -> Iterator[str]:
        if isinstance(value, list):
            yield f"[{','.join(map(quoted, value))}]"
            return
        if not isinstance(value, dict):
            yield str(value) if isinstance(value, int | float) else quoted(str(value))
            return
        yield "{"
        inner = f"{margin}    "
        comma = ""
        for name, one in value.items():
            yield f"{comma}\n{inner}{quoted(name)}:"
            yield from write(one, inner)
            comma = ","
        yield f"\n{margin}}}"

    return "".join(write(document, ""))


def xml_text(jobs: Iterable[tuple[str, Attributes]]) -> str:
    """``<Data><Job><Job_Id>...</Job_Id>...</Job></Data>`` of Torque; empty for no jobs."""
    body = "".join(f"<Job><Job_Id>{_xml(name)}</Job_Id>{_elements(made)}</Job>" for name, made in jobs)
    return f"<Data>{body}</Data>" if body else ""


def xml_nodes(found: dict[str, Attributes]) -> str:
    """``<Data><Node><name>...</name>...</Node></Data>`` of Torque."""
    body = "".join(f"<Node><name>{_xml(name)}</name>{_elements(made)}</Node>" for name, made in found.items())
    return f"<Data>{body}</Data>"


def _elements(made: Attributes) -> str:
    found = []
    for name, value in made.items():
        if name == "Variable_List" and isinstance(value, dict):
            value = variable_list(value)
        if isinstance(value, list):
            value = ",".join(value)
        inner = _elements(value) if isinstance(value, dict) else _xml(one_line(str(value)))
        found.append(f"<{name}>{inner}</{name}>")
    return "".join(found)


def _xml(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
