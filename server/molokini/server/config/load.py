"""From a TOML file and overrides to a ``Config``, or to one line that says which key is wrong and why."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, get_args

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from molokini.model.errors import BadFile, BadInput, BadValue, UnknownName
from molokini.server.config.fields import described
from molokini.server.config.model import DISAGREEMENT, Config
from molokini.server.config.places import Place, line_of, shown
from molokini.server.config.reading import parse, read_text

_PASSWORD = re.compile(r"(://[^:/@\s]*:)[^@\s]*@")


def load_config(path: str | Path | None = None, overrides: Mapping[str, Any] | None = None) -> Config:
    """The configuration in *path* (the defaults where there is none), with *overrides* by dotted key on top.

    Relative paths in the file are looked for beside it, those in *overrides* in the present folder.
    Raises BadFile with the line for what is wrong in the file, BadValue and UnknownName for *overrides*.
    """
    document: dict[str, Any] = {}
    text = ""
    if path is not None:
        path = Path(path)
        text = read_text(path)
        document = parse(path, text)
        _root_paths(document, Config, path.absolute().parent)
    given: dict[Place, Any] = {tuple(dotted.split(".")): value for dotted, value in (overrides or {}).items()}
    for place, value in given.items():
        _put(document, place, value)
    try:
        return Config.model_validate(document)
    except ValidationError as error:
        place, refusal = _first(error)
        if path is None or any(place[: len(one)] == one for one in given):
            raise refusal from error
        raise BadFile(str(path), str(refusal), line_of(text, place)) from error


def _put(document: dict[str, Any], place: Place, value: Any) -> None:
    table: dict[Any, Any] = document
    for depth, part in enumerate(place[:-1], 1):
        inner = table.setdefault(part, {})
        if not isinstance(inner, dict):
            raise BadValue(shown(place[:depth]), inner, "a table")
        table = inner
    table[place[-1]] = value


def _root_paths(document: Mapping[str, Any], section: type[BaseModel], folder: Path) -> None:
    """Make the relative paths in *document* absolute, from *folder*."""
    for name, field in section.model_fields.items():
        value = document.get(name)
        inner = field.annotation
        if isinstance(inner, type) and issubclass(inner, BaseModel) and isinstance(value, dict):
            _root_paths(value, inner, folder)
        elif described(field).get("path") and isinstance(value, str) and value and "://" not in value:
            document[name] = str(folder / value)  # type: ignore[index]


def _first(error: ValidationError) -> tuple[Place, BadInput]:
    """The place of the first mistake and what to say of it; unknown keys first, they explain missing ones."""
    mistakes = sorted(error.errors(include_url=False), key=lambda one: one["type"] != "extra_forbidden")
    mistake = mistakes[0]
    place = _place(mistake)
    if mistake["type"] == "extra_forbidden":
        known = _section(place[:-1]).model_fields
        kind = f"key in [{shown(place[:-1])}]" if len(place) > 1 else "key"
        return place, UnknownName(kind, str(place[-1]), known)
    if mistake["type"] == DISAGREEMENT:
        context = mistake["ctx"]
        return place, BadValue(shown(place), _safe(context["value"]), context["allowed"])
    if mistake["type"] == "missing":
        return place, BadValue(shown(place), None, f"given: {_allowed(place)}")
    return place, BadValue(shown(place), _safe(mistake["input"]), _allowed(place))


def _place(mistake: ErrorDetails) -> Place:
    if mistake["type"] == DISAGREEMENT:
        return tuple(mistake["ctx"]["place"])
    return tuple(part for part in mistake["loc"] if part != "[key]")


def _safe(value: Any) -> Any:
    """*value* without a database's password, and short enough for a line."""
    if isinstance(value, str):
        value = _PASSWORD.sub(r"\1...@", value)
        return value if len(value) <= 200 else value[:200] + "..."
    return value if len(repr(value)) <= 200 else type(value).__name__


def _section(place: Place) -> type[BaseModel]:
    """The table at *place*."""
    section: type[BaseModel] = Config
    for part in place:
        if isinstance(part, str):
            section = _table_in(section.model_fields[part].annotation) or section
    return section


def _table_in(annotation: Any) -> type[BaseModel] | None:
    """The table that a field holds, alone or as a tuple of them."""
    for one in (annotation, *get_args(annotation)):
        if isinstance(one, type) and issubclass(one, BaseModel):
            return one
    return None


def _allowed(place: Place) -> str:
    """What the key at *place*, or the one around it, may be."""
    section: type[BaseModel] = Config
    for part in place:
        field = section.model_fields.get(part) if isinstance(part, str) else None
        if field is None:
            continue
        if "allowed" in described(field):
            return str(described(field)["allowed"])
        inner = _table_in(field.annotation)
        if inner is None:
            break
        section = inner
    several = len(place) == 1 and place[0] in ("nodes", "queues")
    return f"at least one table [[{place[0]}]]" if several else f"a table [{shown(place)}]"
