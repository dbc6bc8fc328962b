"""Results for machines: the parts that several commands share; docs/outputs.md explains each key."""

from collections.abc import Mapping, Sequence
from typing import Any

from molokini.experiments.choosing import Chosen
from molokini.experiments.counting import Counted
from molokini.metrics import mean_with_interval
from molokini.model.machine import Machine
from molokini.model.policy import Value
from molokini.model.version import version
from molokini.sim.replay import Options
from molokini.sim.schedule import Schedule
from molokini.workloads.workload import Workload

INTERVALS_OF = ("wait_s", "response_s", "bounded_slowdown")
"""Job metrics whose means are given with a batch-means interval."""


def workload_part(
    workload: Workload,
    load_factor: float | None = None,
    copies: int | None = None,
    run_time_factor: float | None = None,
    overestimate: float | None = None,
) -> dict[str, Any]:
    """What was replayed, and what was left out of it and why."""
    part: dict[str, Any] = {
        "file": workload.name,
        "jobs": len(workload),
        "skipped": dict(workload.skipped),
        "notes": dict(workload.notes),
        "header": [{"label": label, "value": value} for label, value in workload.header.labels],
    }
    done = {
        "load_factor": load_factor,
        "run_time_factor": run_time_factor,
        "overestimate": overestimate,
        "clone": copies,
    }
    return {**part, **{name: value for name, value in done.items() if value is not None}}


def cluster_part(machine: Machine, options: Options) -> dict[str, Any]:
    """The machine; a machine of counted processors has neither nodes nor a placement."""
    nodes = len(machine.nodes) or None
    outages = [one.as_json() for one in options.outages]
    return {
        "processors": machine.processors,
        "nodes": nodes,
        "placement": options.placement if nodes else None,
        **({"outages": outages} if outages else {}),
    }


def policy_part(chosen: Chosen, workloads: Sequence[Workload]) -> dict[str, Any]:
    """The policy's name and the value of each of its parameters; the file that configures it, if one does."""
    return {
        "name": chosen.policy.name,
        "parameters": plain_values(chosen.values),
        **chosen.part(workloads),
    }


def plain_values(values: Mapping[str, Value]) -> dict[str, Any]:
    """Parameters as JSON holds them."""
    return {name: plain_value(value) for name, value in values.items()}


def plain_value(value: Value) -> Any:
    """A parameter as JSON holds it: a list of numbers is a list."""
    return list(value) if isinstance(value, tuple) else value


def options_part(options: Options, tau_s: float, counted: Counted | None = None) -> dict[str, Any]:
    """What else the result depends on."""
    part: dict[str, Any] = {"overrun": str(options.overrun), "ties": str(options.ties), "tau_s": tau_s}
    part |= reservations_part(options)
    if counted is not None and counted.part():
        part["counted"] = counted.part()
    return part


def reservations_part(options: Options) -> dict[str, Any]:
    """What is reserved; nothing where nothing is."""
    kept = [one.as_json() for one in options.reservations]
    return {"reservations": kept} if kept else {}


def intervals_part(schedule: Schedule, tau_s: float, batch_size: int | None) -> dict[str, Any]:
    """Batch-means intervals of the main means, under the names of the means."""
    return {
        f"mean_{metric}": mean_with_interval(schedule, metric, tau_s, batch_size).as_dict()
        for metric in INTERVALS_OF
    }


def run_part(elapsed_s: float, jobs: int, seed: int) -> dict[str, Any]:
    """How it ran: the only part that differs from run to run."""
    rate = jobs / elapsed_s if elapsed_s > 0 else None
    return {"elapsed_s": elapsed_s, "jobs_per_s": rate, "seed": seed, "version": version()}
