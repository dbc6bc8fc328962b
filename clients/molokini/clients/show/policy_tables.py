"""The list of policies, and one policy in full, for people."""

from collections.abc import Mapping, Sequence
from typing import Any

from molokini.clients.show.tables import console, lines, parameter_text, row, show, table

_MOST_PARAMETERS = 12
"""A policy that has more would hide the others in the list; it shows them when it is named."""


def show_policies(listed: Sequence[Mapping[str, Any]], command: str = "molokini policies") -> None:
    """One line each of what *command* lists; below it one a parameter, or how many where they are many."""
    width = max(len(policy["name"]) for policy in listed) + 2
    texts = []
    for policy in listed:
        name = policy["name"].ljust(width)
        if "error" in policy:
            texts.append(f"{name}cannot be used: {policy['error']}")
            continue
        texts.append(f"{name}{policy['summary']} ({policy['source']})")
        parameters = policy["parameters"]
        if len(parameters) > _MOST_PARAMETERS:
            told = [f"{len(parameters)} parameters ({command} {policy['name']} lists them)"]
        else:
            told = [_parameter_line(parameter) for parameter in parameters]
        texts += [f"{'':{width}}{line}" for line in told]
    lines(console(), texts, hang=width)


def _parameter_line(one: Mapping[str, Any]) -> str:
    unit = f" {one['unit']}" if one["unit"] else ""
    source = f" ({one['source']})" if one["source"] else ""
    return f"{one['name']}={parameter_text(one['default'])}{unit}: {one['type']}; {one['meaning']}{source}"


def show_policy(policy: Mapping[str, Any]) -> None:
    """Everything that a policy says about itself."""
    out = console()
    lines(
        out,
        [
            f"{policy['name']}: {policy['summary']}",
            f"promises: {policy['promise']}",
            f"source: {policy['source']}",
            f"from: {policy['origin']}" if policy["origin"] != policy["name"] else "",
            "only for machines of counted processors" if policy["counted_only"] else "",
        ],
    )
    show_parameters(policy["parameters"])


def show_parameters(parameters: Sequence[Mapping[str, Any]]) -> None:
    """A table, one line a parameter."""
    out = console()
    if not parameters:
        lines(out, ["no parameters"])
        return
    made = table(
        "parameters (--set NAME=VALUE)",
        "name",
        "meaning",
        "default",
        "unit",
        "allowed",
        "source",
        words=range(6),
    )
    for one in parameters:
        default = parameter_text(one["default"])
        row(made, one["name"], one["meaning"], default, one["unit"], one["allowed"], one["source"])
    show(out, made)
