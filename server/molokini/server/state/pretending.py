"""Jobs with something to run that lie on emulated nodes, beside nodes that would have run it."""

from molokini.server.state.jobs import Element
from molokini.server.state.state import State

_NAMED = 3


def why_nothing_runs(state: State, element: Element) -> str:
    """One line about the emulated nodes of *element*; empty where it has none, or where all nodes are such.

    In a cluster of emulated nodes alone it goes without saying that nothing runs.
    """
    if not state.machine.mixed or not element.nodes:
        return ""
    spec = element.job.spec
    if not (spec.get("argv") or spec.get("script")):
        return ""
    nodes = state.machine.nodes
    names = [nodes[number].name for number, _ in element.nodes if not nodes[number].real]
    if not names:
        return ""
    if len(names) == 1:
        return f"node {names[0]} is emulated: it only pretends to run this"
    more = f" and {len(names) - _NAMED:,} more" if len(names) > _NAMED else ""
    return f"nodes {', '.join(names[:_NAMED])}{more} are emulated: they only pretend to run this"
