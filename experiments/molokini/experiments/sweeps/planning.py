"""What is asked of a sweep becomes a plan, the space of its points, and the columns that tell them apart."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from molokini.experiments import parts
from molokini.experiments.asked import Grid, texts
from molokini.experiments.choosing import Chosen, choose, policy_folders, text_of
from molokini.experiments.comparing import check, load_factors, plan_of, run_time_factors
from molokini.experiments.constraints import constrained
from molokini.experiments.factors import several_factors
from molokini.experiments.machines import machine_for
from molokini.experiments.maui_files import ConfiguredPolicy
from molokini.experiments.replaying import replay_options
from molokini.experiments.sweeping import Plan
from molokini.experiments.sweeps.axes import (
    MOST_SAMPLES,
    dimension_of,
    latin_hypercube,
    values_of,
)
from molokini.experiments.sweeps.space import MOST_POINTS, Space
from molokini.model.errors import BadInput, BadValue, UnknownName
from molokini.model.specs import split_spec
from molokini.parallel.dask_work import code_of_rows
from molokini.workloads.workload import Workload

_FACTORS = ("load_factor", "run_time_factor")
"""What a sample may draw beside parameters."""


@dataclass(frozen=True)
class Planned:
    """A sweep that can run."""

    asked: Grid
    plan: Plan
    space: Space
    varied: tuple[str, ...]
    """The parameters that are given values, in order."""
    notes: tuple[str, ...]

    @cached_property
    def labels(self) -> list[str]:
        """Each policy of the plan with its values of what varies; the same twice has a number."""
        found: list[str] = []
        for one in self.plan.policies:
            told = [f"{name}={text_of(one.values[name])}" for name in self.varied_of(one)]
            label = f"{one.name} ({', '.join(told)})" if told else one.name
            count = sum(label == other.partition(" #")[0] for other in found) if label in found else 0
            found.append(f"{label} #{count + 1}" if count else label)
        return found

    def varied_of(self, chosen: Chosen) -> list[str]:
        """The parameters that vary and that *chosen* has."""
        return [name for name in self.varied if name in chosen.values]

    def scenario_text(self, scenario: int) -> str:
        """A scenario by what tells it from the others."""
        entry, sample, factor = self.space.place(scenario)
        load, longer = self.space.factors[sample][factor]
        told = [self.plan.logs[entry].name]
        told += [f"{self.plan.machines[entry].processors} processors"] if self.asked.machines else []
        told += [f"load {load:.6g}"] if self._several(0) or load != 1 else []
        told += [f"run times {longer:.6g}"] if self._several(1) or longer != 1 else []
        return ", ".join(told)

    def _several(self, place: int) -> bool:
        return len({pair[place] for factors in self.space.factors for pair in factors}) > 1

    @cached_property
    def digest(self) -> str:
        """What a row depends on beside its point: other logs, values or code have another digest."""
        about = {
            "code": code_of_rows(),
            "entries": [self.entry_part(at) for at in range(self.space.entries)],
            "policies": [self.policy_part(at) for at in range(len(self.plan.policies))],
            "factors": self.space.factors,
            "variants": self.space.variants,
            "seed": self.plan.seed,
            "seeded": self.space.seeds > 0,
            **self._common,
        }
        return _digest(about)

    @cached_property
    def _common(self) -> dict[str, Any]:
        rules = parts.options_part(replay_options(self.asked), self.plan.tau_s, self.plan.counted)
        return {**rules, "overestimate": self.plan.overestimate}

    def key(self, scenario: int, policy: int, seed: int | None) -> str:
        """All that a row depends on, as 16 hexadecimal digits: the same in any sweep that has this point."""
        entry, sample, factor = self.space.place(scenario)
        about = f"{self._entry_digests[entry]} {self._policy_digests[policy]} {self._rest}"
        factors = self.space.factors[sample][factor]
        return hashlib.sha256(f"{about} {factors} {seed}".encode()).hexdigest()[:16]

    @cached_property
    def _entry_digests(self) -> list[str]:
        return [_digest(self.entry_part(at)) for at in range(self.space.entries)]

    @cached_property
    def _policy_digests(self) -> list[str]:
        return [_digest(self.policy_part(at)) for at in range(len(self.plan.policies))]

    @cached_property
    def _rest(self) -> str:
        drawn = self.plan.seed if self.plan.overestimate is not None else None
        return _digest({**self._common, "code": code_of_rows(), "drawn": drawn})

    def entry_part(self, at: int) -> dict[str, Any]:
        """A log on a machine, with a digest of its jobs."""
        options = self.plan.options[at]
        return {
            "jobs": _jobs_digest(self.plan.logs[at]),
            "model": repr(self.plan.logs[at].name) if self.plan.makers and self.plan.makers[at] else None,
            "machine": repr(self.plan.machines[at]),
            **parts.cluster_part(self.plan.machines[at], options),
            **parts.reservations_part(options),
        }

    def policy_part(self, at: int) -> dict[str, Any]:
        """A policy with its values, and digests of the files that it comes from or is configured by."""
        chosen = self.plan.policies[at]
        files = [chosen.policy.origin] if chosen.policy.from_file else []
        files += [chosen.file] if isinstance(chosen, ConfiguredPolicy) else []
        read = [hashlib.sha256(Path(file).read_bytes()).hexdigest() for file in files]
        return {**parts.policy_part(chosen, ()), "files": read}


def planned(asked: Grid) -> Planned:
    """Everything that *asked* says, read and checked. Raises BadInput."""
    check(replace(asked, by=None, free_baseline=False))
    if asked.by is not None or asked.free_baseline:
        raise BadInput("--by and --free-baseline are of compare; a sweep keeps a row of figures a replay")
    samples = _samples(asked)
    loads, longers = load_factors(asked.load_factor), run_time_factors(asked.run_time_factor)
    machines = _machines(asked)
    specs, variants, varied = _variants(asked, samples)
    factors = [_factors(sample, loads, longers) for sample in samples]
    _check_points(asked, len(machines), len(factors[0]), variants)
    seeds = [asked.seed + at for at in range(1, asked.seeds + 1)]
    every = sorted({load for pairs in factors for load, _ in pairs})
    plain = replace(asked, policies=specs, parameters={}, processors=machines[0] or asked.processors)
    plan, _, notes = plan_of(plain, every[:1] + every[-1:], seeds, False, False)
    if len(plan.policies) > len(specs):  # configurations of Maui run in every sample
        more = tuple(range(len(specs), len(plan.policies)))
        variants = [(*each, *more) for each in variants]
    plan = _on_machines(plan, asked, machines)
    space = Space(len(plan.logs), factors, variants, asked.seeds, asked.seed)
    _check_size(len(space))
    return Planned(asked, plan, space, varied, tuple(notes))


def _samples(asked: Grid) -> list[dict[str, Any]]:
    if bool(asked.sample) != bool(asked.samples):
        raise BadInput("samples and [sample] go together: how many points, and the bounds of each dimension")
    if not asked.sample:
        return [{}]
    if not 1 <= asked.samples <= MOST_SAMPLES:
        raise BadValue("samples", asked.samples, f"a whole number from 1 to {MOST_SAMPLES:,}")
    for name in asked.sample:
        if name in asked.parameters or (name in _FACTORS and getattr(asked, name) != 1.0):
            raise BadInput(f"{name}: it has values already; a sample draws it, leave one of them out")
    dimensions = [dimension_of(name, bounds) for name, bounds in asked.sample.items()]
    return latin_hypercube(dimensions, asked.samples, asked.seed)


def _machines(asked: Grid) -> list[int | None]:
    if not asked.machines:
        return [None]
    if asked.processors is not None or asked.nodes is not None:
        raise BadInput("machines: the machine is given by processors or nodes, too; leave one of them out")
    found = values_of("machines", asked.machines)
    if any(isinstance(one, bool) or not isinstance(one, int) or one < 1 for one in found):
        raise BadValue("machines", asked.machines, "whole numbers of processors, 1 or more")
    return found


def _factors(sample: Mapping[str, Any], loads: Sequence[float], longers: Sequence[float]) -> Any:
    mine = several_factors("load_factor", sample["load_factor"]) if "load_factor" in sample else loads
    longer = (
        several_factors("run_time_factor", sample["run_time_factor"]) if _FACTORS[1] in sample else longers
    )
    return tuple(product(mine, longer))


def _variants(
    asked: Grid, samples: Sequence[Mapping[str, Any]]
) -> tuple[list[str], list[tuple[int, ...]], tuple[str, ...]]:
    """The policies as specs, those of each sample, and the parameters that vary."""
    folders, grid = policy_folders(asked.policy_dir), asked.parameters
    given = {name: values_of(f"parameters.{name}", values) for name, values in grid.items()}
    drawn = [name for name in samples[0] if name not in _FACTORS]
    same_load = not any(name in samples[0] for name in _FACTORS)
    plain: list[tuple[str, Chosen]] = []
    for spec in texts(asked.policies):
        plain.append((spec, choose([spec], {}, folders)[0]))
    known = set[str]().union(*(one.parameters for _, one in plain))
    for name in [*given, *drawn]:
        if name not in known:
            raise UnknownName("parameter of these policies", name, known | set(_FACTORS))
    places: dict[str, int] = {}
    variants, own = [], dict.fromkeys(name for spec, _ in plain for name in split_spec(spec)[1])
    for at, sample in enumerate(samples):
        here: list[int] = []
        for spec, one in plain:
            mine = [name for name in given if name in one.parameters]
            pairs_of_sample = [(name, sample[name]) for name in drawn if name in one.parameters]
            if at and same_load and not pairs_of_sample:
                continue  # the same replays as in the first sample
            for values in product(*(given[name] for name in mine)):
                pairs = [*zip(mine, values, strict=True), *pairs_of_sample]
                full = _spec(spec, pairs)
                here.append(places.setdefault(full, len(places)))
        _check_size(len(places))
        variants.append(tuple(dict.fromkeys(here)))
    return list(places), variants, tuple(dict.fromkeys([*own, *given, *drawn]))


def _spec(spec: str, pairs: Sequence[tuple[str, object]]) -> str:
    joined = "&".join(f"{name}={text_of(value)}" for name, value in pairs)
    return spec + ("&" if "?" in spec else "?") * bool(joined) + joined


def _check_points(asked: Grid, machines: int, factors: int, variants: Sequence[Sequence[int]]) -> None:
    """Complain about a size before anything is read."""
    logs = asked.logs if isinstance(asked.logs, list | tuple) else [asked.logs]
    each = sum(map(len, variants)) + len(texts(asked.maui_config)) * len(variants)
    _check_size(max(1, len(logs)) * machines * factors * max(1, asked.seeds) * each)


def _check_size(points: int) -> None:
    if points > MOST_POINTS:
        raise BadInput(
            f"the sweep has {points:,} points, and at most {MOST_POINTS:,} are taken; shorten an axis, or "
            "draw samples instead of a grid"
        )


def _on_machines(plan: Plan, asked: Grid, machines: Sequence[int | None]) -> Plan:
    """*plan* with each log on each of *machines*."""
    if machines == [None]:
        return plan
    rules, places = replay_options(asked), list(product(range(len(plan.logs)), machines))
    found = [machine_for(plan.logs[at], replace(asked, processors=count)) for at, count in places]
    logs = [plan.logs[at] for at, _ in places]
    each = [constrained(asked, rules, log, one).options for log, one in zip(logs, found, strict=True)]
    for chosen, log, machine, options in (
        (chosen, *one) for chosen in plan.policies for one in zip(logs, found, each, strict=True)
    ):
        chosen.options(options, log, machine)
    makers = [plan.makers[at] for at, _ in places] if plan.makers else ()
    return replace(plan, logs=logs, machines=found, options=each, makers=makers)


def _jobs_digest(workload: Workload) -> str:
    found = hashlib.sha256()
    columns = [workload.number, workload.submit_s, workload.run_s, workload.estimate_s, workload.processors]
    columns += [workload.records]
    columns += [workload.loads.size, workload.loads.deadline_s] if workload.loads is not None else []
    for column in columns:
        found.update(np.ascontiguousarray(column).tobytes())
    return found.hexdigest()[:32]


def _digest(about: Any) -> str:
    text = json.dumps(about, sort_keys=True, separators=(",", ":"), default=repr)
    return hashlib.sha256(text.encode()).hexdigest()[:32]
