"""``molokini capacity``: how much of a machine a policy can use at most, and what communication costs."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from time import perf_counter
from typing import Any

from molokini.clients import results
from molokini.clients.arguments import CapacityArguments
from molokini.clients.compiling import compilation_told
from molokini.clients.failures import describe
from molokini.clients.generating import Made, check_source, choose_both
from molokini.clients.output import STANDARD_OUTPUT, check_outputs, write_json
from molokini.clients.preparing import (
    Chosen,
    check_machine,
    check_seed,
    check_seeds,
    choose,
    machine_for,
    policy_folders,
    read_log,
    replay_options,
)
from molokini.clients.replaying import prepared
from molokini.clients.show.text import percent
from molokini.clients.watching import stuck, watched
from molokini.metrics import aggregate
from molokini.metrics.capacity import Capacity, as_recorded, saturated, searched
from molokini.model.errors import BadValue
from molokini.model.machine import Machine
from molokini.parallel.processes import default_workers, outcomes
from molokini.parallel.progress import progress_bar
from molokini.sim.replay import Options
from molokini.workloads.replicate import resample_arrivals
from molokini.workloads.workload import Workload

SCHEMA = "molokini.capacity/1"
SHARES = ("utilization", "computing", "loss")


def capacity(arguments: CapacityArguments) -> dict[str, Any]:
    """Measure, write what was asked for, print the table; also returns what the JSON holds."""
    _check(arguments)
    workers = default_workers(arguments.workers)
    seeds = [arguments.seed + at for at in range(1, arguments.seeds + 1)]
    made, chosen, log = _taken(arguments, (seeds or [arguments.seed])[0])
    options, machine = replay_options(arguments), machine_for(log, arguments)
    whole = chosen.options(options, log, machine)
    with compilation_told():
        prepared(log.take(slice(0, 0)), machine, chosen, options)
    measuring = _Measuring(log, made, arguments.jobs, machine, chosen, whole, _tolerance(arguments))
    kinds = (False, True) if log.communication is not None else (False,)
    each: list[int | None] = [*seeds] or [None]
    points = [(seed, quiet) for seed in each for quiet in kinds]
    before = perf_counter()
    measured = _measured(measuring, points, workers)
    found = [one for one, _ in measured]
    recorded = _mean([at_rate for _, at_rate in measured if at_rate is not None])
    document = {
        "schema": SCHEMA,
        "workload": {
            **results.workload_part(log),
            **({} if made is None else {"generated": made.part(log)}),
        },
        "cluster": results.cluster_part(machine, options.placement),
        "policy": results.policy_part(chosen, [log]),
        "options": {"overrun": str(options.overrun), "ties": str(options.ties)},
        "method": "full-queue" if arguments.full_queue else "search",
        "tolerance": _tolerance(arguments),
        "seeds": seeds,
        **_summary(points, found),
        "recorded": {"utilization": recorded},
        "results": [_result(*point, *one) for point, one in zip(points, measured, strict=True)],
        "run": {
            **results.run_part(perf_counter() - before, len(log) * len(found), arguments.seed),
            "workers": workers,
        },
    }
    del document["run"]["jobs_per_s"]  # each was replayed as often as the search took
    document["warning"] = _warning(document)
    write_json(document, arguments.json)
    if arguments.json != STANDARD_OUTPUT:
        from molokini.clients.show.capacity_tables import show_capacity

        show_capacity(document)
    return document


def _check(arguments: CapacityArguments) -> None:
    """Complain, before anything is read or compiled, about what can be seen to be wrong."""
    check_source(arguments.log, arguments.workload)
    check_machine(arguments)
    check_seed(arguments.seed)
    check_seeds(arguments.seeds)
    if not 1e-6 <= arguments.tolerance < 1:
        raise BadValue("--tolerance", arguments.tolerance, "a share from 0.000001 up to, but not, 1")
    check_outputs({"--json": arguments.json}, [arguments.log] if arguments.log else [])


def _tolerance(arguments: CapacityArguments) -> float | None:
    return None if arguments.full_queue else arguments.tolerance


def _taken(arguments: CapacityArguments, seed: int) -> tuple[Made | None, Chosen, Workload]:
    """The model, if one makes the jobs, the policy, and the workload of *seed*."""
    folders = policy_folders(arguments.policy_dir)
    if arguments.workload is not None:
        made, (chosen,) = choose_both(arguments.workload, [arguments.policy], arguments.set, folders)
        return made, chosen, replace(made.workload(seed, arguments.jobs), name=made.model.name)
    (chosen,) = choose([arguments.policy], arguments.set, folders)
    assert arguments.log is not None
    log = read_log(arguments.log, strict=arguments.strict, jobs=arguments.jobs, seed=arguments.seed)
    return None, chosen, log


@dataclass(frozen=True)
class _Measuring:
    """What every process does with a seed, with or without communication."""

    log: Workload
    made: Made | None
    jobs: int | None
    machine: Machine
    chosen: Chosen
    options: Options
    tolerance: float | None
    """None: the queue is full from the start."""

    def __call__(self, point: tuple[int | None, bool]) -> tuple[Capacity, float | None]:
        """The capacity, and what is held at the workload's own rate (None without communication)."""
        seed, quiet = point
        workload = self._workload(seed)
        if quiet:
            workload = replace(workload, communication=None)
        given = (workload, self.machine, self.chosen.policy, self.chosen.values)
        with watched(self.chosen.policy):
            recorded = None if quiet else as_recorded(*given, options=self.options).held
            if self.tolerance is None:
                return saturated(*given, options=self.options), recorded
            return searched(*given, tolerance=self.tolerance, options=self.options), recorded

    def _workload(self, seed: int | None) -> Workload:
        if seed is None:
            return self.log
        if self.made is not None:
            return self.made.workload(seed, self.jobs)
        return resample_arrivals(self.log, seed)


def _measured(
    measuring: _Measuring, points: Sequence[tuple[int | None, bool]], workers: int
) -> list[tuple[Capacity, float | None]]:
    found: list[tuple[Capacity, float | None]] = []
    with progress_bar("capacity") as progress:
        for one in outcomes(measuring, points, workers, describe=describe, where=stuck):
            found.append(one)
            if progress is not None:
                progress(len(found), len(points))
    return found


def _summary(points: Sequence[tuple[int | None, bool]], found: Sequence[Capacity]) -> dict[str, Any]:
    loud = [one for (_, quiet), one in zip(points, found, strict=True) if not quiet]
    silent = [one for (_, quiet), one in zip(points, found, strict=True) if quiet]
    return {
        "capacity": _means(loud),
        "without_communication": _means(silent) if silent else None,
        "communication_loss": _lost(silent, loud) if silent else None,
    }


def _shares(one: Capacity) -> dict[str, float]:
    return {"utilization": one.held, "computing": one.computing, "loss": one.loss}


def _means(each: Sequence[Capacity]) -> dict[str, Any]:
    shares = [_shares(one) for one in each]
    return {
        **{name: _mean([share[name] for share in shares]) for name in SHARES},
        "jobs_per_s": _mean([one.jobs_per_s for one in each]),
    }


def _lost(silent: Sequence[Capacity], loud: Sequence[Capacity]) -> dict[str, Any]:
    """What the same jobs use without communication less what they use with it, seed by seed."""
    pairs = [(_shares(one), _shares(other)) for one, other in zip(silent, loud, strict=True)]
    return {
        name: _mean([without[name] - with_it[name] for without, with_it in pairs])
        for name in ("utilization", "computing")
    }


def _mean(values: Sequence[float]) -> dict[str, Any]:
    found = aggregate(values)
    return {"mean": found.mean, "low": found.low, "high": found.high, "samples": len(values)}


def _warning(document: Mapping[str, Any]) -> str | None:
    """What to say where the workload's own rate reaches more than the answer."""
    most, recorded = document["capacity"]["utilization"]["mean"], document["recorded"]["utilization"]["mean"]
    if recorded <= most * (1 + (document["tolerance"] or 0.0)):
        return None
    return (
        f"at its own rate the workload holds {percent(recorded, 2)} of the processors, more than this "
        "maximum: its queue grows there, and the policy chooses among more and more jobs"
    )


def _result(seed: int | None, quiet: bool, one: Capacity, recorded: float | None) -> Mapping[str, Any]:
    return {
        "seed": seed,
        "communication": not quiet,
        **_shares(one),
        "jobs_per_s": one.jobs_per_s,
        "refused": dict(one.refused),
        "recorded_utilization": recorded,
    }
