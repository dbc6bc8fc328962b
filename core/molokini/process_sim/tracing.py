"""Timelines: what each CPU did, piece by piece, with names."""

from typing import Any

from molokini.process_sim.complaints import process_name
from molokini.process_sim.replaying import ScenarioReplay
from molokini.process_sim.words import Segment


def rows_of(run: ScenarioReplay) -> list[tuple[int, int, str]]:
    """The rows of a picture: each CPU, and below it its processes, (CPU, process or -1, name)."""
    seen: dict[int, set[int]] = {cpu: set() for cpu in range(run.scenario.cpus)}
    for cpu, p in run.pieces[:, :2].tolist():
        if p >= 0:
            seen[cpu].add(p)
    found = []
    for cpu, processes in seen.items():
        found.append((cpu, -1, cpu_name(run, cpu)))
        found += [(cpu, p, process_name(run.scenario, run.world, p)) for p in sorted(processes)]
    return found


def cpu_name(run: ScenarioReplay, cpu: int) -> str:
    """A CPU by its node."""
    nodes = run.scenario.node_of_cpu
    node = nodes[cpu]
    alone = nodes.count(node) == 1
    return f"node {node}" if alone else f"node {node} CPU {cpu - nodes.index(node)}"


def pieces_as_dicts(run: ScenarioReplay) -> list[dict[str, Any]]:
    """Every piece, ready for JSON."""
    found = []
    for cpu, p, segment, start, end in run.pieces.tolist():
        name = process_name(run.scenario, run.world, p) if p >= 0 else None
        place = {"cpu": cpu, "row": cpu_name(run, cpu), "process": name}
        found.append({**place, "segment": Segment(segment).name.lower(), "from_ns": start, "to_ns": end})
    return found
