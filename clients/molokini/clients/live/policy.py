"""``molokini policy``."""

from typing import Any

from molokini.client.client import Client
from molokini.clients.arguments.cluster import PolicyArguments
from molokini.clients.live.connection import with_client
from molokini.clients.live.settings import settings
from molokini.clients.live.waiting_told import told_of_compiling
from molokini.clients.show.lines import show_facts, show_json
from molokini.clients.show.rich_tables import console, lines
from molokini.model.specs import split_spec
from molokini.model.text import printable
from molokini.proto.v1.cluster_service_pb2 import Policy


def policy(arguments: PolicyArguments) -> int:
    """Show the policy, after another one or other parameters were set."""
    name, own = split_spec(arguments.name) if arguments.name is not None else (None, {})
    parameters = {**settings("--set", arguments.set), **own}

    async def work(client: Client) -> Policy:
        if name is None and not parameters:
            return await client.policy()
        if name is not None:
            return await told_of_compiling(client, client.set_policy(name, parameters))
        # Without a name it is the present policy, whose other parameters are kept.
        present = await client.policy()
        # What Maui's configuration says is not frozen by what is said beside it.
        kept = present.given if present.maui_config else present.parameters
        return await told_of_compiling(client, client.set_policy(present.name, {**kept, **parameters}))

    found = with_client(work)
    if arguments.json:
        show_json("molokini.policy/1", policy_document(found))
        return 0
    shown = found.given if found.maui_config else found.parameters
    told = " ".join(f"{name}={value}" for name, value in sorted(shown.items()))
    show_facts({"policy": found.name, "parameters": told, "summary": found.summary})
    if found.maui_config:
        lines(console(), ["", *map(printable, found.maui_config.splitlines())])
    return 0


def policy_document(found: Policy) -> dict[str, Any]:
    """What ``molokini.policy/1`` says."""
    document = {
        "name": found.name,
        "parameters": dict(sorted(found.parameters.items())),
        "summary": found.summary,
    }
    if not found.maui_config:
        return document
    return {**document, "given": dict(sorted(found.given.items())), "maui_config": found.maui_config}
