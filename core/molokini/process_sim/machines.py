"""Machines that some policies need: refused with what to do, before anything is simulated."""

from collections.abc import Callable, Mapping

from molokini.model.errors import Conflict
from molokini.process_sim.scenario import Scenario


def _power_of_two(file: str, scenario: Scenario) -> None:
    cpus = scenario.cpus
    if cpus & (cpus - 1):
        raise Conflict(
            f"{file}: nodes", f"{cpus} processors make no binary tree of controllers; dhc needs a power of 2"
        )
    for job in scenario.jobs:
        if len(job.processes) > cpus:
            raise Conflict(
                f"{file}: {job.name}",
                f"{len(job.processes)} processes on {cpus} processors; under dhc each process of a job needs "
                "one of its own",
            )
        if any(process.node is not None for process in job.processes):
            raise Conflict(
                f"{file}: {job.name}",
                "dhc places processes itself, by its controllers; leave out their nodes",
            )


def _one_node(file: str, scenario: Scenario) -> None:
    if scenario.nodes > 1:
        raise Conflict(
            f"{file}: nodes",
            f"{scenario.nodes} nodes; rawsi moves activities between the processors of one node: "
            "say nodes = 1, and cpus_per_node",
        )


_CHECKS: Mapping[str, Callable[[str, Scenario], None]] = {"dhc": _power_of_two, "rawsi": _one_node}


def check_machine_of(file: str, scenario: Scenario) -> None:
    """Refuse a machine, or places of processes, that the policy cannot use. Raises Conflict."""
    check = _CHECKS.get(scenario.settings.scheme)
    if check is not None:
        check(file, scenario)
