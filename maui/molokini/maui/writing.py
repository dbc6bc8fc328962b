"""From the model to ``maui.cfg``: what was given, in the order of the model."""

from collections.abc import Iterator
from typing import Any

from molokini.maui.fields import Section
from molokini.maui.grammar import quoted
from molokini.maui.kinds import shortest, written
from molokini.maui.model import MauiConfig
from molokini.maui.parameters import (
    OBJECT_TYPES,
    PAIRS,
    PARAMETERS,
    SCALAR_PATHS,
    ObjectType,
    Parameter,
    Path,
)


def write_config(config: MauiConfig) -> str:
    """The text of *config*."""
    parts = ["# Maui's configuration."]
    subjects: dict[str, list[str]] = {}
    for path, parameter in SCALAR_PATHS.items():
        subjects.setdefault(path[0], []).extend(_scalar(config, parameter))
    for subject, lines in subjects.items():
        if lines:
            parts += ["", f"# {subject.replace('_', ' ')}", *lines]
    for type_ in OBJECT_TYPES.values():
        lines = list(_objects(config, type_))
        if lines:
            parts += ["", *lines]
    return "\n".join(parts) + "\n"


def parameter_lines(config: MauiConfig, name: str) -> list[str]:
    """The lines of one parameter as they would stand in ``maui.cfg``; its default where nothing was given."""
    if (given := given_lines(config, name)) or name in OBJECT_TYPES:
        return given
    parameter = PARAMETERS[name]
    return [f"{parameter.name} {default_text(parameter)}".rstrip()]


def given_lines(config: MauiConfig, name: str) -> list[str]:
    """The lines of one parameter where it was given; none otherwise."""
    if name in OBJECT_TYPES:
        return list(_objects(config, OBJECT_TYPES[name]))
    return list(_scalar(config, PARAMETERS[name]))


def default_text(parameter: Parameter) -> str:
    """The default of *parameter* as it would stand in the file; empty where there is none."""
    if parameter.array or parameter.default is None or parameter.default == ():
        return ""
    return _line(parameter.kind.write(parameter.default))


def _scalar(config: MauiConfig, parameter: Parameter) -> Iterator[str]:
    value = _given(config, parameter.path)
    kind = parameter.kind
    if parameter.array:
        for index, one in (value or {}).items():
            yield f"{parameter.name}[{index}] {_line(kind.write(one))}"
    elif value is not None and value != ():
        yield f"{parameter.name} {_line(kind.write(value))}"
    if parameter.by_partition:
        for partition, weights in config.priority.by_partition.items():
            if parameter.path[-1] in weights:
                yield f"{parameter.name}[{partition}] {shortest(weights[parameter.path[-1]])}"


def _line(text: str) -> str:
    """The text of a scalar: words need no quotes around them."""
    return text if text.split() == text.split(" ") and not set(text) & set("\"'#") else quoted(text)


def _objects(config: MauiConfig, type_: ObjectType) -> Iterator[str]:
    held = _given(config, (type_.field_name,))
    if not held:
        return
    for id_, one in [("", held)] if type_.single else list(held.items()):
        words = list(_attributes(one, type_))
        if words or id_:
            yield f"{type_.name}[{id_ or '0'}] {' '.join(words)}".rstrip()


def _attributes(one: Section, type_: ObjectType) -> Iterator[str]:
    for name, parameter in type_.attributes.items():
        value = _given(one, parameter.path) if name == parameter.name else None
        if value is not None and value != ():
            yield f"{name}={quoted(parameter.kind.write(value))}"
    for pair in getattr(one, "pairs", ()):
        index = f"{written(pair.whose)}:{pair.name}" if pair.name else written(pair.whose)
        yield f"MAX{pair.counted}[{index}]={PAIRS[pair.counted].kind.write(pair.limit)}"


def _given(section: Any, path: Path) -> Any:
    """The value at *path* where one was given, otherwise None."""
    for name in path:
        if name not in section.model_fields_set:
            return None
        section = getattr(section, name)
    return section
