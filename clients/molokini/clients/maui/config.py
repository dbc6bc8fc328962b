"""``molokini config``: Maui's configuration checked, converted, and its parameters listed."""

from typing import Any

from molokini.clients.arguments.configs import (
    CheckConfigArguments,
    ConvertConfigArguments,
    ParametersArguments,
)
from molokini.clients.output import STANDARD_OUTPUT, check_outputs, write_json
from molokini.maui import check as check_file
from molokini.maui import read_config, write_config, write_toml
from molokini.maui.findings import as_data, counted
from molokini.maui.names import expanded
from molokini.maui.parameters import OBJECT_TYPES, PARAMETERS, Parameter, every
from molokini.maui.reading import TOML
from molokini.maui.unknown import unknown_parameter
from molokini.maui.writing import default_text
from molokini.model.errors import BadInput
from molokini.workloads.atomic import atomic_path

CHECK_SCHEMA = "molokini.config-check/1"
PARAMETERS_SCHEMA = "molokini.config-parameters/1"


def check(arguments: CheckConfigArguments) -> None:
    """Write and print what becomes of each parameter. Raises BadFile where anything is refused."""
    check_outputs({"--json": arguments.json}, [arguments.file])
    report = check_file(arguments.file, _nodes(arguments.nodes))
    found = {
        "schema": CHECK_SCHEMA,
        "file": arguments.file,
        "usable": report.config is not None,
        "counts": counted(report.findings),
        "findings": [as_data(one) for one in report.findings],
    }
    write_json(found, arguments.json)
    # Of a file that cannot be read the error says all: it has no parameters for a table.
    unread = all(one.line is None and not one.parameter for one in report.refused) and report.refused
    if arguments.json != STANDARD_OUTPUT and not unread:
        from molokini.clients.show.config_tables import show_check

        show_check(found)
    report.checked()


def convert(arguments: ConvertConfigArguments) -> None:
    """Write the configuration in the other spelling, whole or not at all."""
    check_outputs({"OUT": arguments.target}, [arguments.source])
    config = read_config(arguments.source, _nodes(arguments.nodes))
    toml = arguments.target.lower().endswith(TOML)
    text = write_toml(config) if toml else write_config(config)
    # Keys of peers are secrets.
    with atomic_path(arguments.target, private=bool(config.peers)) as temporary:
        temporary.write_text(text, encoding="utf-8")
    print(f"{arguments.target}: written as {'TOML' if toml else 'maui.cfg'}")


def text_of(file: str) -> str:
    """The configuration in *file* as one text, without the keys of peers."""
    return write_config(read_config(file).model_copy(update={"peers": {}}))


def parameters(arguments: ParametersArguments) -> dict[str, Any]:
    """Write and print the parameters; also returns what the JSON holds."""
    check_outputs({"--json": arguments.json})
    listed = [_described(one) for one in _wanted(arguments.name)]
    found = {"schema": PARAMETERS_SCHEMA, "parameters": listed}
    write_json(found, arguments.json)
    if arguments.json != STANDARD_OUTPUT:
        from molokini.clients.show.config_tables import show_parameters

        show_parameters(listed)
    return found


def _wanted(name: str | None) -> list[Parameter]:
    if name is None:
        return list(every())
    wanted = name.upper()
    if wanted in PARAMETERS:
        return [PARAMETERS[wanted]]
    if wanted in OBJECT_TYPES:
        return [one for key, one in OBJECT_TYPES[wanted].attributes.items() if key == one.name]
    raise BadInput(unknown_parameter(name))


def _described(one: Parameter) -> dict[str, Any]:
    return {
        "name": f"{one.subject}[] {one.name}" if one.subject in OBJECT_TYPES else one.name,
        "aliases": list(one.aliases),
        "subject": one.subject,
        "toml": ".".join(one.path),
        "default": default_text(one),
        "allowed": one.kind.allowed,
        "meaning": one.meaning,
        "effect": not one.without,
        "without_effect_because": one.without,
    }


def _nodes(text: str | None) -> frozenset[str] | None:
    return None if text is None else expanded(text)
