"""Our own spelling of the configuration: TOML, with the names of the model's fields."""

import json
import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from pydantic import ValidationError

from molokini.maui.draft import Draft, shown
from molokini.maui.fields import section_in
from molokini.maui.findings import Finding, Status
from molokini.maui.kinds import Number, is_name
from molokini.maui.model import MauiConfig
from molokini.maui.parameters import OBJECT_FIELDS, PAIRS, SCALAR_PATHS, ObjectType, Parameter, Path
from molokini.maui.sections.credentials import PairLimit
from molokini.maui.sections.reasons import PARTITIONS
from molokini.maui.toml_lines import Place, line_of, lines_of
from molokini.model.errors import BadFile

_AT = re.compile(r" \(at (?:line (\d+), column \d+|end of document)\)$")
_SECRETS = {"key"}


def interpret(text: str, file: str, draft: Draft) -> None:
    """Put what the TOML *text* says into *draft*. Raises BadFile for what is no TOML."""
    try:
        table = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        match = _AT.search(str(error))
        cause = _AT.sub("", str(error))
        line = int(match[1]) if match and match[1] else text.count("\n") + 1
        raise BadFile(file, cause[:1].lower() + cause[1:], line) from error
    except RecursionError as error:
        raise BadFile(file, "nested too deeply") from error
    _Walk(file, lines_of(text), draft).top(table)


class _Walk:
    """One look at all keys of a text."""

    def __init__(self, file: str, lines: dict[Place, int], draft: Draft) -> None:
        self.file, self.lines, self.draft = file, lines, draft

    def at(self, place: Place, value: Any = "") -> Finding:
        """What stands at *place*, not yet judged."""
        name = ".".join(map(str, place))
        text = "..." if place[-1] in _SECRETS and len(place) > 2 else shown(_text(value))
        return Finding(self.file, line_of(self.lines, place), name, text, Status.REFUSED)

    def top(self, table: Mapping[str, Any]) -> None:
        """The whole text."""
        for name, inner in self.known((), table, MauiConfig.model_fields, "key"):
            if name in OBJECT_FIELDS:
                self.objects(OBJECT_FIELDS[name], name, inner)
            elif self.is_table((name,), inner):
                section = section_in(MauiConfig.model_fields[name])
                assert section is not None
                self.section((), (name,), inner, section, SCALAR_PATHS)

    def objects(self, type_: ObjectType, name: str, table: Any) -> None:
        """The objects of one type."""
        if not self.is_table((name,), table):
            return
        own = {one.path: one for one in type_.attributes.values()}
        for id_, inner in [("", table)] if type_.single else list(table.items()):
            place = (name, id_) if id_ or not type_.single else (name,)
            if not type_.single and not is_name(id_):
                self.draft.refuse(self.at(place), f"{id_!r} is not a name of {type_.what}")
            elif self.is_table(place, inner):
                target = self.draft.values
                for part in place:
                    target = target.setdefault(part, {})
                if not inner and id_:
                    meaning = f"There is {type_.what} of this name."
                    told = replace(self.at(place), status=Status.UNDERSTOOD, meaning=meaning)
                    self.draft.findings.append(told)
                self.section(place, (), inner, type_.section, own)

    def section(
        self, above: Path, path: Path, table: Mapping[str, Any], section: Any, own: Mapping[Path, Parameter]
    ) -> None:
        """The keys of one table; *path* is where it is inside of what *own* knows."""
        place = (*above, *path)
        for name, value in self.known(place, table, section.model_fields, f"key in [{'.'.join(place)}]"):
            here, inner = (*path, name), (*place, name)
            parameter = own.get(here)
            if name == "by_partition" and path == ("priority",):
                self.by_partition(inner, value, own)
            elif name == "pairs":
                self.pairs(inner, value)
            elif parameter is None:
                if self.is_table(inner, value):
                    self.section(above, here, value, section_in(section.model_fields[name]), own)
            elif parameter.array:
                if self.is_table(inner, value):
                    for index, one in value.items():
                        if is_name(index):
                            self.draft.put(
                                self.at((*inner, index), one),
                                parameter,
                                (*inner, index),
                                parameter.kind.take,
                                one,
                            )
                        else:
                            self.draft.refuse(self.at((*inner, index)), f"{index!r} is not an index")
            else:
                self.draft.put(self.at(inner, value), parameter, inner, parameter.kind.take, value)

    def by_partition(self, place: Path, table: Any, own: Mapping[Path, Parameter]) -> None:
        """Weights and caps of partitions."""
        if not self.is_table(place, table):
            return
        for partition, weights in table.items():
            if not is_name(partition):
                self.draft.refuse(self.at((*place, partition)), f"{partition!r} is not a name")
                continue
            if not self.is_table((*place, partition), weights):
                continue
            for name, value in weights.items():
                inner = (*place, partition, name)
                parameter = own.get(("priority", name))
                if parameter is None or not parameter.by_partition:
                    known = [one.path[1] for one in own.values() if one.by_partition]
                    self.draft.unknown(self.at(inner, value), "weight or cap", name, known)
                else:
                    kind = parameter.kind if isinstance(parameter.kind, Number) else Number()
                    alone = replace(parameter, without=PARTITIONS, kind=kind)
                    self.draft.put(self.at(inner, value), alone, inner, kind.take, value)

    def pairs(self, place: Path, tables: Any) -> None:
        """``[[users.ann.pairs]]``."""
        if not isinstance(tables, list) or not all(isinstance(one, dict) for one in tables):
            self.draft.refuse(
                self.at(place, tables), "must be an array of tables, each with counted, whose and limit"
            )
            return
        found: dict[tuple[str, str, str], PairLimit] = {}
        for number, table in enumerate(tables):
            at = self.at((*place, number), table)
            try:
                pair = PairLimit.model_validate(table)
            except ValidationError as error:
                first = error.errors(include_url=False)[0]
                key = ".".join(map(str, first["loc"]))
                self.draft.refuse(
                    at,
                    f"{key}: wrong, missing or unknown; a pair has counted, whose, limit, and perhaps name",
                )
                continue
            found[pair.key] = pair
            self.draft.set(place, tuple(found.values()))
            told = replace(at, status=Status.UNDERSTOOD, meaning=PAIRS[pair.counted].meaning)
            self.draft.note((*place, *pair.key), told)

    def known(
        self, place: Path, table: Mapping[str, Any], fields: Mapping[str, Any], kind: str
    ) -> Iterator[tuple[str, Any]]:
        """The keys of *table* that exist; the others are refused."""
        for name, value in table.items():
            if self.draft.full:
                return
            if name in fields:
                yield name, value
            else:
                self.draft.unknown(self.at((*place, name), value), kind, name, fields)

    def is_table(self, place: Path, value: Any) -> bool:
        """Whether *value* is a table; otherwise it is refused."""
        if isinstance(value, dict):
            return True
        self.draft.refuse(self.at(place, value), "must be a table")
        return False


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list):
        return ", ".join(map(_text, value))
    return str(value)


def write_toml(config: MauiConfig) -> str:
    """What *config* was given, as TOML; reading it again gives the same configuration."""
    parts = ["# Maui's configuration in Molokini's own spelling."]
    plain = config.model_dump(mode="python", exclude_unset=True)
    for name, table in plain.items():
        parts.extend(_table((name,), table))
    return "\n".join(parts).rstrip() + "\n"


def _table(path: Path, table: Mapping[str, Any]) -> Iterator[str]:
    """A table: first its own keys, then the tables in it."""
    values = {name: one for name, one in table.items() if one is not None and not _has_tables(one)}
    inner = {name: one for name, one in table.items() if one is not None and _has_tables(one)}
    if values or not inner:
        yield f"\n[{_dotted(path)}]"
    for name, value in values.items():
        yield f"{_quoted(name)} = {_literal(value)}"
    for name, value in inner.items():
        if isinstance(value, dict):
            yield from _table((*path, name), value)
        else:
            for one in value:
                yield f"\n[[{_dotted((*path, name))}]]"
                yield from (f"{_quoted(key)} = {_literal(part)}" for key, part in one.items())


def _has_tables(value: Any) -> bool:
    if isinstance(value, dict):
        return True
    return isinstance(value, list | tuple) and bool(value) and isinstance(value[0], dict)


def _dotted(path: Path) -> str:
    return ".".join(map(_quoted, path))


def _quoted(key: str) -> str:
    return key if re.fullmatch(r"[A-Za-z0-9_-]+", key) else json.dumps(key, ensure_ascii=False)


def _literal(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int | float):
        return repr(value)
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_literal, value))}]"
    return json.dumps(str(value), ensure_ascii=False)
