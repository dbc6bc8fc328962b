"""Jobs of real processes stay on their nodes: policies that would move them are refused by name.

They take turns in rows of a matrix where the policy keeps them in their columns, and rows last long enough.
"""

from collections.abc import Iterable, Mapping

from molokini.model.errors import BadValue, Conflict
from molokini.model.slicing import check_quantum
from molokini.model.text import plural
from molokini.policies import load_policy
from molokini.server.state.node_names import Machine
from molokini.server.state.slices import has_real_nodes
from molokini.server.state.state import State
from molokini.server.turn.changing import NotNow

_WAYS = "choose another policy (easy, conservative, maui without PREEMPTPOLICY SUSPEND)"
_IN_ROWS = "choose gs or bgs"


def check_moves(name: str, parameters: Mapping[str, str], machine: Machine) -> None:
    """Conflict where the policy *name* may move jobs and *machine* has real nodes among several."""
    real = next((record.name for record in machine.nodes if record.real), None)
    if real is not None and len(machine.nodes) > 1 and _moves(name, parameters):
        raise Conflict(
            "policy", f"{name} moves jobs between nodes, and those on the real node {real} cannot be: {_WAYS}"
        )


def check_rows(name: str, parameters: Mapping[str, str], state: State) -> None:
    """As ``check_turns``, and NotNow where jobs stand in other rows than those of the policy *name*."""
    check_turns(name, parameters, state)
    t, rows = state.tables, load_policy(name).site(parameters).rows()
    switch = rows.switch if rows.rows > 1 else 0.0
    wanted = (rows.rows, rows.quantum_s, switch, rows.exact, rows.varying, rows.changed)
    matrix = t.matrix
    flags = (matrix.exact == 1, matrix.varying == 1, matrix.changed == 1)
    there = (matrix.count, matrix.quantum_s, matrix.switch, *flags)
    if matrix.held and wanted != there:
        how = (
            "as many rows as are in use"
            if matrix.varying
            else f"{plural(matrix.count, 'row')} of {matrix.quantum_s:g} s"
        )
        take, they_have = ("takes", "it has") if matrix.held == 1 else ("take", "they have")
        were = "was" if matrix.held == 1 else "were"
        raise NotNow(
            f"{plural(int(matrix.held), 'job')} {take} turns in {how}: "
            f"other rows, or none, have to wait until {they_have} ended or {were} requeued"
        )


def check_turns(name: str, parameters: Mapping[str, str], state: State) -> None:
    """Where the policy *name* has jobs take turns in rows, and real processes cannot as it wants them to:
    Conflict where it migrates jobs or has as many rows as it needs, BadValue for a quantum, NotNow as long as
    jobs run outside of rows.
    """
    real = next((record.name for record in state.machine.nodes if record.real), None)
    if real is None or not _takes_turns(name, parameters):
        return
    if why := _never(name):
        raise Conflict("policy", f"{name} {why}: {_IN_ROWS}, as long as node {real} is real")
    _check_quantum(name, parameters)
    if state.policy is not None and _takes_turns(*state.policy):
        # All that is active has columns on its own nodes.
        return
    for element in state.by_row.values():
        if element.status.active and has_real_nodes(state, element):
            node = state.machine.nodes[element.nodes[0][0]].name
            raise NotNow(
                f"job {element.job.id} runs on node {node}, outside of rows: {name} has to wait until jobs "
                "on real nodes have ended or were requeued"
            )


def _never(name: str) -> str:
    """Why the policy of rows *name* cannot have real processes; empty: it can."""
    declared = load_policy(name).declaration
    if not declared.in_rows:
        return "has jobs both in rows and outside of them, and real processes keep to one of these"
    if declared.moves:
        return "migrates jobs, and real processes cannot be"
    return (
        "has rows of no fixed number, and real processes take turns in no others"
        if declared.in_blocks
        else ""
    )


def _check_quantum(name: str, parameters: Mapping[str, str]) -> None:
    rows = load_policy(name).site(parameters).rows()
    if rows.rows > 1:
        check_quantum(rows.rows, rows.quantum_s)


def check_joining(state: State, names: Iterable[str], real: bool) -> None:
    """Conflict where nodes would join with which the running policy could not go on."""
    nodes = state.machine.nodes
    count = len({*state.machine.by_name, *names})
    real = real or any(record.real for record in nodes)
    if state.policy is None or not real:
        return
    name, parameters = state.policy
    if _takes_turns(name, parameters):
        if why := _never(name):
            raise Conflict("nodes", f"policy {name} {why}: {_IN_ROWS}, then let the agent join")
        try:
            _check_quantum(name, parameters)
        except BadValue as fault:
            raise Conflict("nodes", f"policy {name}: {fault}") from None
        return
    if count > 1 and _moves(name, parameters):
        raise Conflict(
            "nodes",
            f"policy {name} moves jobs between nodes, and those on real nodes cannot be: {_WAYS}, then let "
            "the agent join",
        )


def _takes_turns(name: str, parameters: Mapping[str, str]) -> bool:
    policy = load_policy(name)
    return policy.declaration.takes_turns(policy.site(parameters).values)


def _moves(name: str, parameters: Mapping[str, str]) -> bool:
    policy = load_policy(name)
    return policy.declaration.moves_jobs(policy.site(parameters).values)
