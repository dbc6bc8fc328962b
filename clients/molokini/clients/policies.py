"""``molokini policies``: what there is, and what each policy takes."""

from typing import Any

from molokini.clients.arguments.runs import PoliciesArguments
from molokini.clients.output import STANDARD_OUTPUT, check_outputs, write_json
from molokini.experiments.choosing import policy_folders
from molokini.experiments.parts import plain_value
from molokini.model.errors import BadFile
from molokini.model.policy import Parameter
from molokini.policies import LoadedPolicy, load_policy, policy_names

SCHEMA = "molokini.policies/1"


def policies(arguments: PoliciesArguments) -> dict[str, Any]:
    """Write what was asked for and print the list; also returns what the JSON holds."""
    check_outputs({"--json": arguments.json})
    folders = policy_folders(arguments.policy_dir)
    if arguments.name is not None:
        listed = [_described(load_policy(arguments.name, folders))]
    else:
        listed = [_listed(name, folders) for name in policy_names(folders)]
    found = {"schema": SCHEMA, "policies": listed}
    write_json(found, arguments.json)
    if arguments.json != STANDARD_OUTPUT:
        from molokini.clients.show.policy_tables import show_policies, show_policy

        if arguments.name is None:
            show_policies(listed)
        else:
            show_policy(listed[0])
    return found


def _listed(name: str, folders: list[Any]) -> dict[str, Any]:
    """A policy's description; one broken file in a folder must not hide all the others."""
    try:
        return _described(load_policy(name, folders))
    except BadFile as error:
        return {"name": name, "error": str(error)}


def _described(policy: LoadedPolicy) -> dict[str, Any]:
    declaration = policy.declaration
    return {
        "name": declaration.name,
        "family": declaration.family,
        "one_of": declaration.one_of[0] if declaration.one_of else None,
        "parts": declaration.one_of[1] if declaration.one_of else None,
        "summary": declaration.summary,
        "promise": declaration.promise,
        "source": declaration.source,
        "origin": policy.origin,
        "counted_only": declaration.counted_only,
        "parameters": [parameter_part(parameter) for parameter in declaration.parameters],
    }


def parameter_part(parameter: Parameter) -> dict[str, Any]:
    """A parameter as results for machines describe it."""
    return {
        "name": parameter.name,
        "type": str(parameter.kind),
        "default": plain_value(parameter.default),
        "unit": parameter.unit,
        "allowed": parameter.allowed,
        "meaning": parameter.meaning,
        "source": parameter.source,
    }
