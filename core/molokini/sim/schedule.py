"""The schedule: what a replay did with each job of a workload.

Made by the engine; read by metrics, pictures and writers.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from molokini.model.choices import ChoiceMade
from molokini.model.outages import Outage
from molokini.workloads.workload import Floats, Ints, Workload

Bools: TypeAlias = NDArray[np.bool_]

ALL_TIME = (-math.inf, math.inf)
"""No warm-up and no cool-down: every job counts."""


def _none() -> Floats:
    return np.zeros(0)


def _no_rows() -> Ints:
    return np.zeros(0, dtype=np.int64)


@dataclass(frozen=True)
class Trace:
    """Every change of a job's rate between its start and its end, in order of time.

    Empty for a policy that only starts jobs. From ``time_s[k]`` on, job ``job[k]`` (its row in the
    workload) progresses at ``rate[k]`` seconds of work a second; 0 is suspended. ``occupied[k]``
    is the number of processors that the job holds from then on: its width, 0 while suspended, and
    width * rate where processors are shared. In a matrix of rows it is width * rows / (all rows), context
    switches included, which the rate is without.
    """

    time_s: Floats
    job: Ints
    rate: Floats
    occupied: Floats
    stall_s: Floats = field(default_factory=_none)
    """Seconds of its slices that the job loses from then on to its migration; empty: none does."""
    rows: Ints = field(default_factory=_no_rows)
    """The rows of the matrix in which the job stands from then on, as bits: of the first 62 of them."""
    home: Ints = field(default_factory=_no_rows)
    turns: Ints = field(default_factory=_no_rows)
    """How many rows take turns then, where these are only those in use; 0: all that there are."""


@dataclass(frozen=True)
class Interruptions:
    """How often each job was taken off its processors, and what it lost by that."""

    suspensions: Ints
    requeues: Ints
    """Returns to the queue, those with work that was kept included."""
    checkpoints: Ints
    """Returns to the queue with the work that was done."""
    lost_s: Floats
    """Work that was done and lost, in seconds at rate 1."""


@dataclass(frozen=True)
class Told:
    """What the policy says of the last start of each job."""

    started_by: Ints
    """By which pass it came, a ``StartedBy``."""
    priority: Floats
    """The priority that accounting keeps of it; NaN where the job has not started."""
    queue: Ints
    """The number of the queue in which the job started; -1: it has not started."""


@dataclass(frozen=True)
class Places:
    """The nodes on which each job started last: those of job k stand from ``first[k]`` on."""

    first: Ints
    count: Ints
    """One element a job; 0: it has not started, or has whole columns of a matrix."""
    node: Ints
    """Number of the node, from 0."""
    processors: Ints
    """How many the job had there."""
    nodes: int
    """How many nodes the machine has."""
    names: tuple[str, ...] = ()
    """What they are called, where they have names of their own."""


@dataclass(frozen=True)
class Schedule:
    """Starts and ends, one element a job of ``workload``; NaN where it never happened.

    ``run_s`` is the work that was done, in seconds at rate 1: the true run time, or the estimate
    where the job was killed at it. ``refused`` counts refused jobs by reason; ``refused_rows``
    marks them. Jobs that still waited or ran when the replay was stopped have NaN in ``start_s``
    or ``end_s`` without being refused.
    """

    workload: Workload
    processors: int
    start_s: Floats
    end_s: Floats
    run_s: Floats
    refused_rows: Bools
    refused: Mapping[str, int]
    trace: Trace
    policy: str
    parameters: Mapping[str, float | int | str | bool]
    elapsed_s: float = 0.0
    """Seconds of real time that the replay alone took, without reading and compilation."""
    info: Mapping[str, float] = field(default_factory=dict)
    refusals: Ints | None = None
    """Why each job was refused (a number of ``Refusal``), 0 where it was not."""
    counted_s: tuple[float, float] = ALL_TIME
    """Metrics and pictures are about the jobs submitted from the first of these instants until before the
    second, and about what the machine did between them. The replay itself is whole."""
    interruptions: Interruptions | None = None
    """None where they were not counted."""
    told: Told | None = None
    """None where the policy says nothing of its starts."""
    ran_as: Ints | None = None
    """The ``JobKind`` as which the policy has molded each job (0: it has not), where jobs are molded."""
    limit_s: Floats | None = None
    """The limit that the last start of each job gave it in place of its estimate (0: none), if starts may."""
    switch: float = 0.0
    """The part of each time slice that a context switch took; 0 where there are no slices."""
    switch_changed: bool = False
    """Whether it took it of those slices alone before which the job did not run."""
    places: Places | None = None
    """None where processors are only counted."""
    grid: tuple[int, float] = (0, 0.0)
    """Rows and their quantum, where these have the processors in turn: slice k lasts from k to k + 1 quanta
    and belongs to row k modulo their number. 0 rows: there is no such grid."""
    outages: Sequence[Outage] = ()
    """When processors were away."""
    choices: Sequence[ChoiceMade] = ()
    """What a policy chose that chooses among others, in order of time."""

    @cached_property
    def queue(self) -> Ints:
        """The number of the queue in which each job ran, as far as it has a name, else of what it asked for:
        these differ where jobs name several queues, or one that there is not.
        """
        asked = self.workload.queue
        if self.told is None:
            return asked
        ran_in = self.told.queue
        return np.where((ran_in >= 0) & (ran_in < len(self.workload.names.get("queue", ()))), ran_in, asked)

    @cached_property
    def finished(self) -> Bools:
        """Which jobs ran to their end."""
        return np.isfinite(self.end_s)

    @cached_property
    def counted(self) -> Bools:
        """Which jobs metrics are about."""
        first, last = self.counted_s
        return (self.workload.submit_s >= first) & (self.workload.submit_s < last)
