"""The lists of policies and of models, and one policy in full, for people."""

from collections.abc import Mapping, Sequence
from typing import Any

from molokini.clients.show.rich_tables import console, lines, parameter_text, row, show, table

_MOST_PARAMETERS = 12
"""A policy that has more would hide the others in the list; it shows them when it is named."""


_FAMILIES = (
    "without reservations",
    "backfilling",
    "looking ahead",
    "sharing and preemption",
    "over several clusters",
    "divisible loads with deadlines",
    "a site's own rules",
)
"""Headings in the order in which they are shown; others come behind them."""


def show_policies(listed: Sequence[Mapping[str, Any]]) -> None:
    """A line each under the heading of its family, with the names of its parameters; broken files last."""
    usable = [policy for policy in listed if "error" not in policy]
    families = dict.fromkeys((*_FAMILIES, *sorted(filter(None, (one["family"] for one in usable))), ""))
    width = max((len(_shown_as(policy)) for policy in usable), default=0) + 2
    for family in families:
        members: dict[str, list[Mapping[str, Any]]] = {}
        for policy in usable:
            if policy["family"] == family:
                members.setdefault(_shown_as(policy), []).append(policy)
        texts = [f"  {name.ljust(width)}{_in_one_line(alike)}" for name, alike in members.items()]
        _block(family or "others", texts, width)
    broken = [f"  {one['name'].ljust(width)}{one['error']}" for one in listed if "error" in one]
    _block("cannot be used", broken, width)
    lines(console(), ["molokini policies NAME: what it promises, its source, its parameters"])


def _block(heading: str, texts: Sequence[str], width: int) -> None:
    if texts:
        out = console()
        lines(out, [heading, *texts], hang=width + 2)
        out.print()


def _shown_as(policy: Mapping[str, Any]) -> str:
    return str(policy["one_of"] or policy["name"])


def _in_one_line(alike: Sequence[Mapping[str, Any]]) -> str:
    """What policies of one line are, and the names of all their parameters."""
    names = list(dict.fromkeys(one["name"] for policy in alike for one in policy["parameters"]))
    text = f"{len(names)} parameters" if len(names) > _MOST_PARAMETERS else ", ".join(names)
    return str(alike[0]["parts"] or alike[0]["summary"]) + (f" [{text}]" if text else "")


def show_models(listed: Sequence[Mapping[str, Any]], command: str) -> None:
    """One line each of what *command* lists; below it one a parameter, or how many where they are many."""
    width = max(len(policy["name"]) for policy in listed) + 2
    texts = []
    for policy in listed:
        name = policy["name"].ljust(width)
        texts.append(f"{name}{policy['summary']} ({policy['source']})")
        if policy.get("note"):
            texts.append(f"{'':{width}}note: {policy['note']}")
        if policy.get("unverified"):
            texts.append(f"{'':{width}}unverified: {', '.join(policy['unverified'])}")
        parameters = policy["parameters"]
        if len(parameters) > _MOST_PARAMETERS:
            parameter_lines = [f"{len(parameters)} parameters ({command} {policy['name']} lists them)"]
        else:
            parameter_lines = [_parameter_line(parameter) for parameter in parameters]
        texts += [f"{'':{width}}{line}" for line in parameter_lines]
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
