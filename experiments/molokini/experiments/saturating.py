"""How much of a machine a policy can use at most, as a value: ``capacity`` of the command and of Python."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from time import perf_counter
from typing import Any

from molokini.experiments import parts
from molokini.experiments.asked import Saturation
from molokini.experiments.calling import asking
from molokini.experiments.checks import check_seed, check_seeds
from molokini.experiments.choosing import Chosen, choose, policy_folders
from molokini.experiments.constraints import with_outages
from molokini.experiments.host import NOBODY, Guard, Host
from molokini.experiments.logs import read_log
from molokini.experiments.machines import check_machine, machine_for
from molokini.experiments.models import ModelWithValues, check_own_seeds, check_source, choose_both, spec_of
from molokini.experiments.replaying import prepared, replay_options
from molokini.metrics import aggregate
from molokini.metrics.capacity import Capacity, as_recorded, saturated, searched
from molokini.model.errors import BadValue
from molokini.model.machine import Machine
from molokini.model.text import percent
from molokini.parallel.executors import outcomes
from molokini.parallel.processes import default_workers
from molokini.sim.replay import Options
from molokini.workloads.replicate import resample_arrivals
from molokini.workloads.workload import Workload

SCHEMA = "molokini.capacity/1"
SHARES = ("utilization", "computing", "loss")


@asking(Saturation)
def capacity(asked: Saturation) -> dict[str, Any]:
    """Find the highest utilization at which a policy's queue does not grow, as ``molokini capacity`` does.

    The arguments are the options of the command; what comes of it is what its JSON holds.
    """
    return measured(asked)


def measured(asked: Saturation, host: Host = NOBODY) -> dict[str, Any]:
    """Measure, and put together what came of it."""
    check(asked)
    workers = default_workers(asked.workers)
    seeds = [asked.seed + at for at in range(1, asked.seeds + 1)]
    made, chosen, log = _taken(asked, (seeds or [asked.seed])[0])
    machine = machine_for(log, asked)
    constraints = with_outages(asked.node_events, replay_options(asked), log, machine)
    options = constraints.options
    whole = chosen.options(options, log, machine)
    with host.compiling([chosen.policy.name]):
        prepared(log.take(slice(0, 0)), machine, chosen, options)
    measuring = _Measuring(log, made, asked.jobs, machine, chosen, whole, _tolerance(asked), host.guard)
    kinds = (False, True) if log.communication is not None else (False,)
    each: list[int | None] = [*seeds] or [None]
    points = [(seed, quiet) for seed in each for quiet in kinds]
    for note in constraints.notes:
        host.note(note)
    before = perf_counter()
    outcome = _outcome(measuring, points, workers, host)
    found = [one for one, _ in outcome]
    recorded = _mean([at_rate for _, at_rate in outcome if at_rate is not None])
    document = {
        "schema": SCHEMA,
        "workload": {
            **parts.workload_part(log),
            **({} if made is None else {"generated": made.part(log)}),
        },
        "cluster": parts.cluster_part(machine, options),
        "policy": parts.policy_part(chosen, [log]),
        "options": {"overrun": str(options.overrun), "ties": str(options.ties)},
        "method": "full-queue" if asked.full_queue else "search",
        "tolerance": _tolerance(asked),
        "seeds": seeds,
        **_summary(points, found),
        "recorded": {"utilization": recorded},
        "results": [_result(*point, *one) for point, one in zip(points, outcome, strict=True)],
        "run": {
            **parts.run_part(perf_counter() - before, len(log) * len(found), asked.seed),
            "workers": workers,
        },
    }
    del document["run"]["jobs_per_s"]  # each was replayed as often as the search took
    document["warning"] = _warning(document)
    return document


def check(asked: Saturation) -> None:
    """Complain, before anything is read or compiled, about what can be seen to be wrong."""
    check_source(asked.log, asked.workload)
    check_machine(asked)
    check_seed(asked.seed)
    check_seeds(asked.seeds)
    if not 1e-6 <= asked.tolerance < 1:
        raise BadValue("--tolerance", asked.tolerance, "a share from 0.000001 to below 1")


def _tolerance(asked: Saturation) -> float | None:
    return None if asked.full_queue else asked.tolerance


def _taken(asked: Saturation, seed: int) -> tuple[ModelWithValues | None, Chosen, Workload]:
    """The model, if one makes the jobs, the policy, and the workload of *seed*."""
    folders = policy_folders(asked.policy_dir)
    spec = spec_of(asked.log, asked.workload)
    if spec is not None:
        (made,), (chosen,) = choose_both([spec], asked.policy, asked.set, folders)
        check_own_seeds([made], asked.seeds)
        return made, chosen, replace(made.workload(seed, asked.jobs), name=made.model.name)
    (chosen,) = choose([asked.policy], asked.set, folders)
    assert asked.log is not None
    form = asked.input_format
    log = read_log(
        asked.log,
        strict=asked.strict,
        jobs=asked.jobs,
        seed=asked.seed,
        form=form,
        per_node=asked.processors_per_node,
    )
    return None, chosen, log


@dataclass(frozen=True)
class _Measuring:
    """What every process does with a seed, with or without communication."""

    log: Workload
    made: ModelWithValues | None
    jobs: int | None
    machine: Machine
    chosen: Chosen
    options: Options
    tolerance: float | None
    """None: the queue is full from the start."""
    guard: Guard

    def __call__(self, point: tuple[int | None, bool]) -> tuple[Capacity, float | None]:
        """The capacity, and what is held at the workload's own rate (None without communication)."""
        seed, quiet = point
        workload = self._workload(seed)
        if quiet:
            workload = replace(workload, communication=None)
        given = (workload, self.machine, self.chosen.policy, self.chosen.values)
        with self.guard(self.chosen.policy):
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


def _outcome(
    measuring: _Measuring, points: Sequence[tuple[int | None, bool]], workers: int, host: Host
) -> list[tuple[Capacity, float | None]]:
    found: list[tuple[Capacity, float | None]] = []
    with host.bar("capacity") as progress:
        for one in outcomes(measuring, points, workers, describe=host.describe, where=host.where):
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
