"""``molokini maui showconfig``: each parameter of the configuration with its value."""

from collections.abc import Iterator
from typing import Any

from molokini.client.client import Client
from molokini.clients.arguments.maui import ShowConfigArguments
from molokini.clients.live.connection import with_client
from molokini.clients.show.lines import Column, show_json, show_listing
from molokini.maui.model import MauiConfig
from molokini.maui.parameters import OBJECT_TYPES, PARAMETERS
from molokini.maui.reading import check_text, read_config
from molokini.maui.writing import given_lines, parameter_lines
from molokini.model.errors import BadInput
from molokini.proto.v1.cluster_service_pb2 import Policy

_SECRET, _HIDDEN = "CLIENTCFG", "(not shown: it holds the key of a peer)"


def showconfig(arguments: ShowConfigArguments) -> int:
    """The configuration in force, or that of a file; with ``-v`` the defaults, too."""
    config = read_config(arguments.file) if arguments.file else _in_force()
    found = list(values(config, arguments.verbose))
    if arguments.json:
        show_json("molokini.maui.config/1", {"parameters": found}, rows="parameters")
        return 0
    columns = [Column("parameter"), Column("value", cut=True), *[Column("from")] * arguments.verbose]
    show_listing(
        columns,
        [
            (one["name"], one["value"], *(["given" if one["given"] else "default"] * arguments.verbose))
            for one in found
        ],
    )
    return 0


def values(config: MauiConfig, with_defaults: bool) -> Iterator[dict[str, Any]]:
    """Each parameter that was given, as it would stand in a maui.cfg; or each that there is."""
    names = dict.fromkeys(one.name for table in (PARAMETERS, OBJECT_TYPES) for one in table.values())
    for name in names:
        given = set(given_lines(config, name))
        for line in parameter_lines(config, name):
            if with_defaults or line in given:
                called, _, value = line.partition(" ")
                value = _HIDDEN if name == _SECRET else value
                yield {"name": called, "value": value, "given": line in given}


def _in_force() -> MauiConfig:
    async def work(client: Client) -> Policy:
        return await client.policy()

    found = with_client(work)
    if not found.maui_config:
        raise BadInput(
            f"the policy {found.name} has no Maui configuration; 'molokini policy' shows its parameters"
        )
    return check_text(found.maui_config, "the configuration in force").checked()
