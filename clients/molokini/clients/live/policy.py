"""``molokini policy``."""

from molokini.clients.live.arguments import PolicyArguments
from molokini.clients.live.client import Client
from molokini.clients.live.lines import show_facts, show_json
from molokini.clients.live.running import with_client
from molokini.clients.live.settings import settings
from molokini.proto.v1.cluster_service_pb2 import Policy


def policy(arguments: PolicyArguments) -> int:
    """Show the policy, after another one or other parameters were set."""
    parameters = settings("--set", arguments.set)

    async def work(client: Client) -> Policy:
        if arguments.name is None and not parameters:
            return await client.policy()
        if arguments.name is not None:
            return await client.set_policy(arguments.name, parameters)
        # Without a name it is the present policy, whose other parameters are kept.
        present = await client.policy()
        return await client.set_policy(present.name, {**present.parameters, **parameters})

    found = with_client(work)
    if arguments.json:
        parameters = dict(sorted(found.parameters.items()))
        show_json(
            "molokini.policy/1", {"name": found.name, "parameters": parameters, "summary": found.summary}
        )
    else:
        told = " ".join(f"{name}={value}" for name, value in sorted(found.parameters.items()))
        show_facts({"policy": found.name, "parameters": told, "summary": found.summary})
    return 0
