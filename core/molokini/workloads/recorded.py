"""What a site's accounting says of each job beside what it asked for: whose it was, and what became of it."""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Rows = NDArray[np.intp] | NDArray[np.bool_]


@dataclass(frozen=True)
class Recorded:
    """One element a job in each array; instants are seconds of the log, NaN where nothing is known."""

    account: Ints
    """By its number in ``Workload.names["account"]``; -1: none is known."""
    qos: Ints
    """By its number in ``Workload.names["qos"]``; -1: none is known."""
    submit_s: Floats
    eligible_s: Floats
    """From when on it might start."""
    start_s: Floats
    end_s: Floats
    priority: Floats
    started_by: Ints
    """One of ``StartedBy``, as the record says (``Flags`` of sacct)."""
    least_nodes: Ints
    """0: it did not say."""
    most_nodes: Ints
    """0: it did not say."""
    least_s: Floats
    """The least time limit that it asked for, seconds; 0: none below its estimate."""
    alone: NDArray[np.bool_]
    """Whether its nodes took no other job."""
    licenses: Ints
    """What it held, by its number in ``Workload.names["licenses"]`` (``a:2,b:1``); -1: nothing."""
    generic: Ints
    """What it asked for, by its number in ``Workload.names["generic"]`` (``gres/gpu:2``); -1: nothing."""
    constraint: Ints
    """The features that it asked of its nodes, by its number in ``Workload.names["constraint"]`` (``a&b``);
    -1: none."""
    array: Ints
    """The number of the array of which it is an element; 0: of none."""
    array_limit: Ints
    """How many elements of that array may run at a time; 0: any number, or it is not known."""
    reservation: Ints
    """In which it ran, by its number in ``Workload.names["reservation"]``; -1: in none."""

    def __len__(self) -> int:
        return int(self.account.size)

    def take(self, rows: Rows | slice) -> "Recorded":
        """Of these jobs."""
        return replace(self, **{name: getattr(self, name)[rows] for name in self.__dataclass_fields__})
