"""What co-allocated jobs ask for and how they communicate, as arrays beside those of the workload."""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from molokini.applications.kinds import JobKind

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Rows = NDArray[np.intp] | NDArray[np.bool_]


@dataclass(frozen=True)
class Components:
    """The components of each job, by job: those from ``first`` on, ``count`` of them, one processor a task.

    The components of one job stand in the order in which they are placed: where each wants a cluster of its
    own, the largest first.
    """

    first: Ints
    count: Ints
    tasks: Ints
    where: Ints
    """The cluster it must go to, or ``ANYWHERE``."""
    spread: Ints
    """One of ``Spread``."""

    def take(self, rows: Rows | slice) -> "Components":
        """The components of these jobs."""
        return replace(self, first=self.first[rows], count=self.count[rows])

    @property
    def kind(self) -> Ints:
        """A number for each job, from 1: jobs that ask for the same have the same number."""
        key = self.count.copy()
        for place in range(int(self.count.max(initial=0))):
            there = np.flatnonzero(self.count > place)
            at = self.first[there] + place
            for column in (self.tasks, self.where, self.spread):
                values = column[at]
                if values.size and values.min() == values.max():
                    continue
                # Folded column by column, so that the key never exceeds the square of the number of jobs.
                distinct, asked = np.unique(values, return_inverse=True)
                folded = np.zeros_like(key)
                folded[there] = asked + 1
                key = np.unique(key * (distinct.size + 1) + folded, return_inverse=True)[1]
        return np.asarray(np.unique(key, return_inverse=True)[1] + 1, dtype=np.int64)


@dataclass(frozen=True)
class Communication:
    """How the jobs of a workload communicate; one element a job.

    ``run_s`` of the workload is their computation alone.
    """

    pattern: JobKind
    inside_s: Floats
    between_s: Floats

    def take(self, rows: Rows | slice) -> "Communication":
        """The communication of these jobs."""
        return replace(self, inside_s=self.inside_s[rows], between_s=self.between_s[rows])
