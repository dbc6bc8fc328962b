"""Jobs of real processes stay on their nodes: policies that would move them are refused by name."""

from collections.abc import Iterable, Mapping

from molokini.model.errors import Conflict
from molokini.policies import load_policy
from molokini.server.state.jobs import Element
from molokini.server.state.machine import Machine
from molokini.server.state.state import State

_WAYS = "choose another policy (easy, conservative, maui without PREEMPTPOLICY SUSPEND)"


def check_moves(name: str, parameters: Mapping[str, str], machine: Machine) -> None:
    """Conflict where the policy *name* may move jobs and *machine* has real nodes among several."""
    real = next((record.name for record in machine.nodes if record.real), None)
    if real is not None and len(machine.nodes) > 1 and _moves(name, parameters):
        raise Conflict(
            "policy", f"{name} moves jobs between nodes, and those on the real node {real} cannot be: {_WAYS}"
        )


def check_joining(state: State, names: Iterable[str], real: bool) -> None:
    """Conflict where nodes would join with which the running policy could not go on."""
    nodes = state.machine.nodes
    count = len({*state.machine.by_name, *names})
    if state.policy is None or count < 2 or not (real or any(record.real for record in nodes)):
        return
    name, parameters = state.policy
    if _moves(name, parameters):
        raise Conflict(
            "nodes",
            f"policy {name} moves jobs between nodes, and those on real nodes cannot be: {_WAYS}, then let "
            "the agent join",
        )


def _moves(name: str, parameters: Mapping[str, str]) -> bool:
    policy = load_policy(name)
    return policy.declaration.moves_jobs(policy.site(parameters).values)


def stays(state: State, element: Element) -> bool:
    """Whether *element* has real processes, which go on where they are or not at all."""
    return any(state.machine.nodes[number].real for number, _ in element.nodes)
