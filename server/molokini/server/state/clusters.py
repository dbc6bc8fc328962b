"""Jobs over several clusters: their request from what the user wrote, and why none could ever hold it."""

from collections.abc import Sequence
from dataclasses import replace

from molokini.model.coallocation import MOST_COMPONENTS, RequestKind, request_for
from molokini.model.errors import BadValue
from molokini.model.job_specs import Resources
from molokini.model.requests import Request, Spread
from molokini.model.resources import Resource

_NAMES = ", ".join(kind.name for kind in RequestKind)
_MOST_PROCESSORS = 2**31 - 1


def asks_for_clusters(resources: Resources) -> bool:
    """Whether it matters to a job of these resources which cluster its processors are of."""
    return "components" in resources or "request" in resources


def processors_of(resources: Resources) -> int:
    """The processors of such a job, all components together. BadValue where its fields do not agree."""
    sizes, processors = resources.get("components", ()), resources.get("processors", 0)
    if len(sizes) > MOST_COMPONENTS:
        raise BadValue("resources.components", len(sizes), f"at most {MOST_COMPONENTS:,}")
    for size in sizes:
        if not 1 <= size <= _MOST_PROCESSORS:
            raise BadValue("resources.components", size, "1 processor or more each")
    if sizes and processors not in (0, sum(sizes)):
        raise BadValue(
            "resources.processors", processors, f"the sum of the components, {sum(sizes)}, or unset"
        )
    if not sizes and kind_of(resources) not in (RequestKind.FLEXIBLE, RequestKind.TOTAL):
        raise BadValue("resources.components", "(unset)", "the processors of each component")
    return sum(sizes) or int(processors)


def with_processors(resources: Resources) -> Resources:
    """*resources* with the sum of the components of such a job, which is what listings show."""
    if asks_for_clusters(resources) and "processors" not in resources:
        return {**resources, "processors": processors_of(resources)}
    return resources


def kind_of(resources: Resources) -> RequestKind:
    """What the sizes of such a job say."""
    name = resources.get("request", RequestKind.UNORDERED.name)
    if name not in RequestKind.__members__:
        raise BadValue("resources.request", name, f"one of {_NAMES}")
    return RequestKind[name]


def request_over_clusters(resources: Resources, need: dict[Resource, float], feature_bits: int) -> Request:
    """The request of a job that asks for clusters: each processor with *need*, on nodes of *feature_bits*."""
    for name, value in (
        ("nodes", resources.get("nodes")),
        ("processors_per_node", resources.get("processors_per_node")),
    ):
        if value:
            raise BadValue(f"resources.{name}", value, "unset where components or request is set")
    processors = processors_of(resources)
    if not 1 <= processors <= _MOST_PROCESSORS:
        raise BadValue("processors", processors, f"a whole number from 1 to {_MOST_PROCESSORS:,}")
    made = request_for(kind_of(resources), resources.get("components") or [processors])
    components = (replace(one, need=need, features=feature_bits) for one in made.components)
    return Request(tuple(components), made.shape)


def check_fits(request: Request, names: Sequence[str], processors: Sequence[int]) -> None:
    """BadValue where clusters of so many *processors*, all empty, are too few or too small for *request*.

    What only their nodes can tell (memory, features) is not asked here.
    """
    components = request.components
    if components[0].spread is not Spread.ONE_CLUSTER:
        return
    if len(components) > len(processors):
        clusters = "cluster" if len(processors) == 1 else "clusters"
        raise BadValue(
            "components", len(components), f"at most the {len(processors)} {clusters}: each gets its own"
        )
    if components[0].where >= 0:
        for one in sorted(components, key=lambda one: one.where):
            if one.tasks > processors[one.where]:
                name = names[one.where] or str(one.where)
                raise BadValue(
                    "components", one.tasks, f"at most the {processors[one.where]:,} of cluster {name}"
                )
        return
    if len(components) == 1 and components[0].tasks > max(processors):
        raise BadValue(
            "processors", components[0].tasks, f"at most the largest cluster's {max(processors):,}"
        )
    largest = sorted(processors, reverse=True)
    for place, one in enumerate(components):
        if one.tasks > largest[place]:
            if place == 0:
                raise BadValue("components", one.tasks, f"at most the largest cluster's {largest[0]:,}")
            left = "as wider components take the larger clusters"
            raise BadValue("components", one.tasks, f"at most {largest[place]:,}, {left}")
