"""What co-allocated jobs ask for and how they communicate, as arrays beside those of the workload."""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from molokini.applications.communicating import Pattern

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Rows = NDArray[np.intp] | NDArray[np.bool_]


@dataclass(frozen=True)
class Components:
    """The components of each job, by job: those from ``first`` on, ``count`` of them, one processor a task.

    The components of one job stand in the order in which they are placed: those of a job that wants a cluster
    for each largest first.
    """

    first: Ints
    count: Ints
    tasks: Ints
    where: Ints
    """The cluster it must go to, or ``ANYWHERE``."""
    spread: Ints
    """One of ``Spread``."""

    def take(self, rows: Rows | slice) -> "Components":
        """Those of these jobs."""
        return replace(self, first=self.first[rows], count=self.count[rows])

    @property
    def kind(self) -> Ints:
        """Jobs that ask for the same have the same number, from 1."""
        widest = int(self.count.max(initial=0))
        places = np.minimum(self.first[:, None] + np.arange(widest), max(0, self.tasks.size - 1))
        asked = np.stack([self.tasks[places], self.where[places], self.spread[places]], axis=2)
        asked[np.arange(widest) >= self.count[:, None]] = -2
        flat = asked.reshape(len(self.first), -1)
        return np.unique(flat, axis=0, return_inverse=True)[1].reshape(-1).astype(np.int64) + 1


@dataclass(frozen=True)
class Communication:
    """How the jobs of a workload communicate; one element a job.

    ``run_s`` of the workload is their computation alone.
    """

    pattern: Pattern
    inside_s: Floats
    between_s: Floats

    def take(self, rows: Rows | slice) -> "Communication":
        """That of these jobs."""
        return replace(self, inside_s=self.inside_s[rows], between_s=self.between_s[rows])
