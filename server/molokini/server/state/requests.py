"""A job's resources, as its user wrote them, as the request that placement understands."""

from collections.abc import Callable, Mapping
from dataclasses import replace

from molokini.model.constrained import constrained
from molokini.model.errors import BadValue
from molokini.model.job_specs import Resources
from molokini.model.requests import LICENSE_COUNT, MOST_LICENSES, Component, Request
from molokini.model.resources import Resource
from molokini.server.state.clusters import asks_for_clusters, request_over_clusters
from molokini.server.state.node_names import Machine

MOST_PROCESSORS = 2**31 - 1


def request_of(resources: Resources, queue_bits: int, machine: Machine) -> Request:
    """The request for *resources* on nodes that have *queue_bits*.

    BadValue or UnknownName says which field cannot be meant.
    """
    if asks_for_clusters(resources):
        if resources.get("constraint"):
            raise BadValue(
                "constraint", resources["constraint"][:60], "unset where components or request is set"
            )
        need = _need(resources, 1, machine)
        return request_over_clusters(resources, need, queue_bits | _feature_bits(resources, machine))
    nodes = _whole("nodes", resources.get("nodes", 0))
    per_node = _whole("processors_per_node", resources.get("processors_per_node", 0))
    processors = _whole("processors", resources.get("processors", 0))
    if nodes and per_node:
        if processors and processors != nodes * per_node:
            raise BadValue(
                "processors", processors, f"nodes x processors_per_node = {nodes * per_node}, or unset"
            )
        processors = nodes * per_node
    elif nodes:
        processors = processors or nodes
        if processors % nodes:
            raise BadValue("processors", processors, f"a multiple of nodes ({nodes})")
        per_node = processors // nodes
    elif per_node:
        processors = processors or per_node
        if processors % per_node:
            raise BadValue("processors", processors, f"a multiple of processors_per_node ({per_node})")
        nodes = processors // per_node
    if not 1 <= processors <= MOST_PROCESSORS:
        raise BadValue("processors", processors, f"a whole number from 1 to {MOST_PROCESSORS:,}")
    tasks, each = (nodes, per_node) if nodes else (processors, 1)
    bits = queue_bits | _feature_bits(resources, machine)
    need = _need(resources, each, machine)
    whole = Component(tasks, need, tasks_per_node=1 if nodes else 0, features=bits)
    if not resources.get("constraint"):
        return Request((whole,))
    return constrained(resources["constraint"], whole, machine.feature)


def licensed(request: Request, asked: Mapping[str, int], number_of: Callable[[str], int]) -> Request:
    """*request* of a job that holds the licences *asked* for, too. Raises BadValue."""
    for name, count in asked.items():
        if not 0 < count < LICENSE_COUNT:
            raise BadValue(f"licenses.{name}", count, "a whole number from 1 to 2^31 - 1")
    if len(asked) > MOST_LICENSES:
        raise BadValue("licenses", len(asked), f"at most {MOST_LICENSES} kinds in one job")
    held = tuple((number_of(name), count) for name, count in sorted(asked.items()))
    first, *others = request.components
    return replace(request, components=(replace(first, licenses=held), *others))


def _feature_bits(resources: Resources, machine: Machine) -> int:
    bits = 0
    for feature in resources.get("features", ()):
        bits |= machine.feature(feature)
    return bits


def _need(resources: Resources, processors: int, machine: Machine) -> dict[Resource, float]:
    """What a task of so many processors takes of its node."""
    need = {Resource.PROCESSORS: float(processors)}
    memory_kb = _whole("memory_kb", resources.get("memory_kb", 0), 2**50)
    if memory_kb:
        need[Resource.MEMORY_KB] = float(memory_kb * processors)
    for name, amount in resources.get("generic", {}).items():
        if not 0 <= amount <= 2**31:
            raise BadValue(f"generic.{name}", amount, "a whole number from 0 to 2^31")
        if amount:
            need[machine.generic(name)] = float(amount)
    return need


def _whole(name: str, value: int, most: int = MOST_PROCESSORS) -> int:
    if not 0 <= value <= most:
        raise BadValue(name, value, f"a whole number from 0 to {most:,}")
    return int(value)
