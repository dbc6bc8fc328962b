"""Jobs of real processes stay on their nodes: policies that would move them are refused by name."""

from collections.abc import Iterable, Mapping

from molokini.model.errors import Conflict
from molokini.policies import load_policy
from molokini.server.state.jobs import Element
from molokini.server.state.machine import Machine
from molokini.server.state.state import State
from molokini.server.turn.changing import NotNow

_WAYS = "choose another policy (easy, conservative, maui without PREEMPTPOLICY SUSPEND)"
_ROWS = "has jobs take turns in rows, which emulated nodes do so far"


def check_moves(name: str, parameters: Mapping[str, str], machine: Machine) -> None:
    """Conflict where the policy *name* may move jobs and *machine* has real nodes among several."""
    real = next((record.name for record in machine.nodes if record.real), None)
    if real is not None and len(machine.nodes) > 1 and _moves(name, parameters):
        raise Conflict(
            "policy", f"{name} moves jobs between nodes, and those on the real node {real} cannot be: {_WAYS}"
        )


def check_rows(name: str, parameters: Mapping[str, str], state: State) -> None:
    """Conflict where the policy *name* has jobs take turns in rows and a node is real.

    NotNow where jobs stand in other rows than those that it has.
    """
    t, policy = state.tables, load_policy(name)
    real = next((record.name for record in state.machine.nodes if record.real), None)
    if real is not None and policy.declaration.in_rows:
        raise Conflict("policy", f"{name} {_ROWS}, and {real} is real: choose another policy (easy, ps)")
    rows = policy.site(parameters).rows()
    switch = rows.switch if rows.rows > 1 else 0.0
    wanted = (rows.rows, rows.quantum_s, switch, rows.exact)
    if t.matrix.held and wanted != (t.matrix.count, t.matrix.quantum_s, t.matrix.switch, t.matrix.exact == 1):
        raise NotNow(
            f"{t.matrix.held:,} jobs take turns in {t.matrix.count} rows of {t.matrix.quantum_s:g} s: "
            "other rows, or none, have to wait until they have ended or were requeued"
        )


def check_joining(state: State, names: Iterable[str], real: bool) -> None:
    """Conflict where nodes would join with which the running policy could not go on."""
    nodes = state.machine.nodes
    count = len({*state.machine.by_name, *names})
    real = real or any(record.real for record in nodes)
    if state.policy is None or not real:
        return
    name, parameters = state.policy
    if load_policy(name).declaration.in_rows:
        raise Conflict("nodes", f"policy {name} {_ROWS}: choose another, then let the agent join")
    if count > 1 and _moves(name, parameters):
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
