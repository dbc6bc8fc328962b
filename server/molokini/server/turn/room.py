"""Why no nodes, all up and empty, could ever hold a job: what it asks too much of, and how much there is."""

import numpy as np
import numpy.typing as npt

from molokini.model.errors import BadValue
from molokini.model.job_specs import JobSpec
from molokini.model.requests import Component, Request
from molokini.model.resources import Resource
from molokini.model.text import plural
from molokini.server.state.state import State
from molokini.server.turn.checks import short


def lacking(state: State, spec: JobSpec, request: Request) -> BadValue:
    """The complaint about a job of *request*, which the nodes can never hold.

    Its field begins with ``resources``: that is what cannot be had, whichever of them it is.
    """
    for one in request.components:
        offered = _allowed(state, one)
        if not len(offered):
            return BadValue("resources", _asked(spec), "what one node has: none has all features asked for")
        for resource, amount in sorted(one.need.items()):
            most = float(offered[:, resource].max())
            if amount > most:
                return _too_much(state, one, resource, most)
        tasks = _tasks(one, offered)
        if one.tasks > tasks.sum():
            return _too_many(spec, one, tasks)
    return BadValue("resources", _asked(spec), "what the nodes could hold if all were up and empty")


def _allowed(state: State, one: Component) -> npt.NDArray[np.float64]:
    """What each node has that has the features of *one*."""
    count = len(state.machine.nodes)
    features = state.tables.nodes.features[:count]
    fit = (features & one.features) == one.features
    for bits in one.any_of:
        fit &= (features & bits) != 0
    found: npt.NDArray[np.float64] = state.tables.nodes.total[:count][fit]
    return found


def _tasks(one: Component, offered: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """How many tasks of *one* each node could hold."""
    need = {resource: amount for resource, amount in one.need.items() if amount > 0}
    room = [np.floor(offered[:, resource] / amount) for resource, amount in need.items()]
    least: npt.NDArray[np.float64] = np.min(room, axis=0)
    return np.minimum(least, one.tasks_per_node) if one.tasks_per_node else least


def _too_much(state: State, one: Component, resource: Resource, most: float) -> BadValue:
    """A task asks for more of *resource* than the node has that has *most*."""
    largest = "the largest node that it may have"
    processors = int(one.need.get(Resource.PROCESSORS, 1)) or 1
    if resource is Resource.PROCESSORS:
        return BadValue(
            "resources.processors_per_node", processors, f"at most {int(most):,}, as many as {largest} has"
        )
    if resource is Resource.MEMORY_KB:
        # Jobs ask for memory by the processor.
        each = f"{int(most):,} kB" + (f" for {processors:,} processors" if processors > 1 else "")
        allowed = f"at most {int(most // processors):,} a processor: {largest} has {each}"
        return BadValue("resources.memory_kb", int(one.need[resource]) // processors, allowed)
    name = state.machine.generic_name(resource)
    return BadValue(
        f"resources.generic.{name}",
        int(one.need[resource]),
        f"at most {int(most):,}, as many as {largest} has",
    )


def _too_many(spec: JobSpec, one: Component, tasks: npt.NDArray[np.float64]) -> BadValue:
    """Each task has a node, but not all of them together."""
    if one.tasks_per_node == 1:
        there = int((tasks > 0).sum())
        return BadValue("resources", _asked(spec), f"at most {plural(there, 'node')}: no more have that much")
    there = int(tasks.sum()) * int(one.need.get(Resource.PROCESSORS, 1))
    return BadValue("resources", _asked(spec), f"at most {plural(there, 'processor')} with that much each")


def _asked(spec: JobSpec) -> str:
    """What the job asks for, as one would say it."""
    resources, parts = spec["resources"], list[str]()
    if count := resources.get("nodes", 0):
        parts.append(plural(count, "node"))
    if count := resources.get("processors", 0):
        parts.append(plural(count, "processor"))
    if count := resources.get("processors_per_node", 0):
        parts.append(f"{plural(count, 'processor')} a node")
    if memory_kb := resources.get("memory_kb", 0):
        parts.append(f"{memory_kb:,} kB of memory a processor")
    parts += [f"{amount:,} {name}" for name, amount in resources.get("generic", {}).items()]
    names = [*resources.get("features", ()), *filter(None, [resources.get("constraint", "")])]
    if names:
        parts.append(f"nodes with {', '.join(names)}")
    return short(", ".join(parts))
