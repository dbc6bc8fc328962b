"""The machine of ``molokini verify``: the nodes that the live server has, and those of the simulation."""

from molokini.app.described import offers_of_site
from molokini.experiments.choosing import Chosen
from molokini.experiments.machines import node_names
from molokini.experiments.maui_files import ConfiguredPolicy
from molokini.model.machine import Machine, Node
from molokini.model.resources import Resource
from molokini.model.site import Site
from molokini.proto.v1.agent_service_pb2 import NodeOffer
from molokini.server.state.node_names import UNCOUNTED_KB
from molokini.workloads.workload import Workload

MOST_NODES = 10_000


def site_of(chosen: Chosen) -> Site | None:
    """The configuration of a policy that describes the machine; None: it has none, or describes none."""
    described = isinstance(chosen, ConfiguredPolicy) and bool(chosen.site.machine_nodes())
    return chosen.site if described and isinstance(chosen, ConfiguredPolicy) else None


def described_processors(chosen: Chosen) -> int | None:
    """How many processors the configuration of a policy describes; None: it describes no machine."""
    site = site_of(chosen)
    return None if site is None else sum(offer.processors for offer in offers_of_site(site))


def offers_of(workload: Workload, processors: int, site: Site | None) -> list[NodeOffer]:
    """The nodes of *site* or of the workload's platform; else equal ones, so many processors in all."""
    platform = workload.platform
    if site is not None:
        return offers_of_site(site)
    if platform is not None:
        return [
            NodeOffer(
                names=f"c{number}-[{1:05d}-{one.nodes:05d}]",
                processors=one.processors_per_node,
                cluster=f"c{number}",
            )
            for number, one in enumerate(platform.clusters)
        ]
    count, each = equal_nodes(processors)
    names = node_names(count)
    numbers = f"{names[0].removeprefix('node')}-{names[-1].removeprefix('node')}"
    return [NodeOffer(names=f"node[{numbers}]", processors=each)]


def equal_nodes(processors: int) -> tuple[int, int]:
    """How many equal nodes of how many processors make so many in all: as many nodes as may be."""
    each = next(k for k in range(1, processors + 1) if processors % k == 0 and processors // k <= MOST_NODES)
    return processors // each, each


def node_sizes(workload: Workload, processors: int, site: Site | None) -> list[int]:
    """The processors of each node of the live machine."""
    if site is not None:
        return [offer.processors for offer in offers_of_site(site)]
    if workload.platform is not None:
        return [one.processors_per_node for one in workload.platform.clusters for _ in range(one.nodes)]
    count, each = equal_nodes(processors)
    return [each] * count


def machine_of(workload: Workload, processors: int, on_nodes: bool, site: Site | None = None) -> Machine:
    """The machine of the simulation; *on_nodes*: what is said of nodes by name is to hold there, too."""
    if site is not None:
        nodes = site.machine_nodes()
        return Machine.of_nodes([_as_live(node) for node in nodes.values()], [*nodes])
    if workload.platform is not None:
        return Machine.of_platform(workload.platform)
    if not on_nodes:
        return Machine.counted(processors)
    count, each = equal_nodes(processors)
    return Machine.of_nodes([_as_live(Node({Resource.PROCESSORS: float(each)}))] * count)


def _as_live(node: Node) -> Node:
    """*node* as the server has it: one that does not say how much memory it has is not limited by it."""
    return Node({Resource.MEMORY_KB: float(UNCOUNTED_KB), **node.capacity})
