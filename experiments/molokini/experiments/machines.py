"""The machine of a run: that of its options, else the one that the log names."""

from molokini.availability.placement import NAMES as PLACEMENTS
from molokini.experiments.asked import RunOptions
from molokini.model.errors import BadInput, BadValue
from molokini.model.machine import Machine
from molokini.workloads.notes import PROCESSORS_FROM_NODES
from molokini.workloads.workload import Header, Workload

_SHOWN = 40
"""Signs of a log's header that a message repeats, at most."""
MOST_PROCESSORS = 2**40
MACHINE_SIZES = "a whole number from 1 to 2^40"
_TOGETHER = "--nodes and --procs-per-node are given together"


def check_machine(asked: RunOptions) -> None:
    """Complain about machine options that contradict each other."""
    if asked.nodes is not None and asked.processors_per_node is None:
        raise BadInput(_TOGETHER)
    if asked.nodes is not None and asked.processors is not None:
        raise BadInput("--procs and --nodes are two ways to describe the machine; give one of them")
    counts = {
        "--procs": asked.processors,
        "--nodes": asked.nodes,
        "--procs-per-node": asked.processors_per_node,
    }
    for option, count in counts.items():
        if count is not None and not 1 <= count <= MOST_PROCESSORS:
            raise BadValue(option, count, MACHINE_SIZES)
    if asked.placement is not None:
        if asked.placement not in PLACEMENTS:
            raise BadValue("--placement", asked.placement, "one of " + ", ".join(PLACEMENTS))
        if asked.nodes is None:
            raise BadInput("--placement needs --nodes: counted processors are interchangeable")


def machine_for(workload: Workload, asked: RunOptions, described: Machine | None = None) -> Machine:
    """The machine of the options, else the *described* one, else the one that the log names."""
    if asked.nodes is None and asked.processors_per_node is not None:
        _check_per_node(workload)
    if asked.nodes is not None and asked.processors_per_node is not None:
        return Machine.uniform(asked.nodes, asked.processors_per_node)
    if asked.processors is not None:
        return Machine.counted(asked.processors)
    if described is not None:
        return described
    if workload.platform is not None:
        return Machine.of_platform(workload.platform)
    if workload.machine_processors is None:
        raise BadInput(f"{workload.name}: {_no_machine(workload.header)}; give --procs N")
    return Machine.counted(workload.machine_processors)


def node_names(count: int) -> list[str]:
    """What the nodes of ``--nodes`` are called, as those of ``molokini up`` are."""
    digits = max(3, len(str(count)))
    return [f"node{number:0{digits}d}" for number in range(1, count + 1)]


def names_of(machine: Machine) -> list[str]:
    """What the nodes of *machine* are called: their own names, else those of ``node_names``."""
    return list(machine.names) or node_names(len(machine.nodes))


def _check_per_node(workload: Workload) -> None:
    """Complain about --procs-per-node alone, where it says nothing of the log either."""
    if PROCESSORS_FROM_NODES not in workload.notes:
        raise BadInput(f"{_TOGETHER}; alone, the second is for a log that gives nodes and not processors")


def _no_machine(header: Header) -> str:
    for label in ("MaxProcs", "MaxNodes"):
        named = header.first(label)
        if named is not None:
            return f"{label} in its header is {named[:_SHOWN]!r}, which is not a number of processors"
    return "the log does not say how many processors its machine has (no MaxProcs in its header)"
