"""The nodes that a site's own configuration describes, as a live server is offered them."""

from typing import Any

from molokini.model.resources import Resource
from molokini.model.site import Site
from molokini.proto.v1.agent_service_pb2 import NodeOffer


def offers_of_site(site: Site) -> list[NodeOffer]:
    """An offer for each node of *site*; none where it describes no nodes."""
    offers = []
    for name, node in site.machine_nodes().items():
        features, _ = site.node(name)
        offers.append(
            NodeOffer(
                names=name,
                processors=int(node.capacity[Resource.PROCESSORS]),
                memory_kb=int(node.capacity.get(Resource.MEMORY_KB, 0)),
                features=tuple(features),
                generic={
                    kind.removeprefix("gres/"): int(node.capacity[Resource(Resource.GENERIC_0 + place)])
                    for place, kind in enumerate(site.generic)
                    if node.capacity.get(Resource(Resource.GENERIC_0 + place))
                },
            )
        )
    return offers


def queue_of_site(site: Site, name: str) -> dict[str, Any]:
    """A queue of the configuration of a server, as *site* describes it."""
    enabled, started = site.queue_open(name)
    return {"name": name, "nodes": list(site.queue_nodes(name)), "enabled": enabled, "started": started}
