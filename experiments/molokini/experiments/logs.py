"""The jobs of a run: read, generated, or given; and brought to the load that was asked for."""

import os
from collections.abc import Mapping, Sequence

from molokini.experiments.asked import COPY_SHIFT_S, Log, Simulation
from molokini.experiments.choosing import split_spec
from molokini.model.errors import BadValue, UnknownName
from molokini.workloads.readers import read_workload
from molokini.workloads.scaling import clone, scale_load
from molokini.workloads.synthetic import generate
from molokini.workloads.workload import Workload

_GENERATED = "synthetic:"


def read_log(
    log: Log, *, strict: bool = False, jobs: int | None = None, seed: int = 0, form: str | None = None
) -> Workload:
    """The log in a file, or a generated workload: ``synthetic:benchmark?jobs=1000&load=0.9``; or what is one.

    *seed* is for a generated workload that names none; *form*: the format of a file, None: as it looks.
    """
    if jobs is not None and jobs < 1:
        raise BadValue("--jobs", jobs, "a whole number of 1 or more")
    if isinstance(log, Workload):
        return log if jobs is None else log.take(slice(0, jobs))
    spec = os.fspath(log)
    if not spec.startswith(_GENERATED):
        return read_workload(spec, strict=strict, limit=jobs, form=form)
    name, own = split_spec(spec.removeprefix(_GENERATED))
    for key in own.keys() - {"jobs", "processors", "load", "seed"}:
        raise UnknownName("parameter of a generated workload", key, ("jobs", "processors", "load", "seed"))
    workload = generate(
        name,
        jobs=_whole(own, "jobs", 10_000),
        processors=_whole(own, "processors"),
        load=_real(own, "load"),
        seed=_whole(own, "seed", seed),
    )
    return workload if jobs is None else workload.take(slice(0, jobs))


def several(logs: Log | Sequence[Log]) -> Sequence[Log]:
    """One or several, as several."""
    return [logs] if isinstance(logs, str | os.PathLike | Workload) else logs


def _whole(given: Mapping[str, str], key: str, default: int | None = None) -> int | None:
    if key not in given:
        return default
    try:
        return int(given[key])
    except ValueError:
        raise BadValue(key, given[key], "a whole number") from None


def _real(given: Mapping[str, str], key: str) -> float | None:
    try:
        return float(given[key]) if key in given else None
    except ValueError:
        raise BadValue(key, given[key], "a number") from None


def loaded(workload: Workload, asked: Simulation) -> Workload:
    """The workload under the load that was asked for: its gaps divided, then each job with its copies."""
    scaled = scale_load(workload, asked.load_factor)
    try:
        return clone(scaled, asked.clone, asked.seed, shift_s=COPY_SHIFT_S)
    except BadValue as error:  # a log's numbers may be too large to be raised
        raise BadValue("--clone", asked.clone, error.allowed) from None
