"""The jobs of a run: read, generated, or given; and brought to the load that was asked for."""

import os
from collections.abc import Sequence
from typing import cast

from molokini.experiments.asked import COPY_SHIFT_S, Log, Settings, Simulation
from molokini.experiments.choosing import settings
from molokini.experiments.models import made_of, spec_of
from molokini.model.errors import BadFile, BadInput, BadValue
from molokini.workloads.frames import is_frame, workload_of_frame
from molokini.workloads.lengths import lengthen, overestimate
from molokini.workloads.readers import read_workload
from molokini.workloads.scaling import clone, scale_load
from molokini.workloads.workload import Workload

_PACKED_FILES = (".tar.gz", ".tgz", ".tar")
"""Endings of names of several files in one, which no reader of logs takes."""


def read_log(
    log: Log,
    *,
    strict: bool = False,
    jobs: int | None = None,
    seed: int = 0,
    form: str | None = None,
    given: Settings = (),
    per_node: int | None = None,
) -> Workload:
    """The log in a file, or a generated workload, ``lublin?jobs=1000&load=0.9``; or what is one.

    *seed* is for a generated workload that names none, *given* has values of its parameters; *form*: the
    format of a file, None: as it looks; *per_node*: processors of each node, if a log tells of nodes alone.
    """
    for option, count in (("--jobs", jobs), ("--procs-per-node", per_node)):
        if count is not None and count < 1:
            raise BadValue(option, count, "a whole number of 1 or more")
    spec = spec_of(log)
    if spec is not None:
        return made_of(spec, given).workload(seed, jobs)
    if settings(given):
        raise BadInput("--set gives values to a model (NAME?key=value), and the log is a file")
    if is_frame(log):
        return workload_of_frame(log, strict=strict, limit=jobs)
    if isinstance(log, Workload):
        return log if jobs is None else log.take(slice(0, jobs))
    path = os.fspath(cast("str | os.PathLike[str]", log))
    if path.lower().endswith(_PACKED_FILES) and os.path.exists(path):
        cause = (
            "simulate, compare and verify take a pack of files; unpack it (tar xf), and give the log in it"
        )
        raise BadFile(path, cause)
    return read_workload(
        path,
        strict=strict,
        limit=jobs,
        form=form,
        per_node=per_node,
    )


def several(logs: Log | Sequence[Log]) -> Sequence[Log]:
    """One or several, as several."""
    if isinstance(logs, str | os.PathLike | Workload) or is_frame(logs):
        return [cast(Log, logs)]
    return cast(Sequence[Log], logs)


def check_run_times(workload: Workload) -> None:
    """Complain about jobs whose run times follow from something else."""
    if workload.loads is not None:
        raise BadInput("--run-time-factor and --overestimate are of run times; divisible loads have sizes")


def lengthened(workload: Workload, factor: float, phi: float | None, seed: int) -> Workload:
    """Run times and estimates *factor* times as long; then estimates by *phi* and *seed*, if not None."""
    longer = lengthen(workload, factor)
    return longer if phi is None else overestimate(longer, phi, seed)


def loaded(workload: Workload, asked: Simulation) -> Workload:
    """The workload under the load that was asked for: longer jobs, divided gaps, each job with its copies."""
    if asked.run_time_factor != 1 or asked.overestimate is not None:
        check_run_times(workload)
    longer = lengthened(workload, asked.run_time_factor, asked.overestimate, asked.seed)
    scaled = scale_load(longer, asked.load_factor)
    try:
        return clone(scaled, asked.clone, asked.seed, shift_s=COPY_SHIFT_S)
    except BadValue as error:  # a log's numbers may be too large to be raised
        raise BadValue("--clone", asked.clone, error.allowed) from None
