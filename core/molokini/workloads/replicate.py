"""Replications of a recorded workload: the same jobs, in another order of events.

A log is one sample of what might have happened. A replication keeps every job, the gap in front of it,
the first submit and the last, and so the offered load; it cuts the arrivals after the first into blocks
of neighbours, each job with its gap, and puts the blocks in another order, drawn from the seed. Jobs of
one burst stay together (the many small jobs of one user within a minute); patterns longer than a block,
such as days and weeks, are mixed. So the spread over replications says how much a result depends on the
order in which the jobs happened to come; it says nothing about other jobs or users.
"""

import math
from dataclasses import replace

import numpy as np

from molokini.model.errors import BadValue
from molokini.workloads.workload import SWF_FIELDS, Workload

_SUBMIT = SWF_FIELDS.index("submit_s")


def resample_arrivals(workload: Workload, seed: int, *, block: int | None = None) -> Workload:
    """*workload* with blocks of its arrivals in another order, drawn from *seed*.

    *block* is the number of neighbours that stay together, by default the square root of the number of
    jobs; the first cut falls anywhere inside a block. Jobs keep their numbers.
    """
    if seed < 0:
        raise BadValue("seed", seed, "a whole number of 0 or more")
    if block is not None and block < 1:
        raise BadValue("block", block, "a whole number of 1 or more")
    if len(workload) < 3:
        return workload
    generator = np.random.default_rng(seed)
    gaps = np.diff(workload.submit_s)
    size = block or max(1, math.isqrt(len(workload)))
    cuts = np.arange(int(generator.integers(1, size, endpoint=True)), gaps.size, size)
    parts = np.split(np.arange(gaps.size), cuts)
    order = np.concatenate([parts[part] for part in generator.permutation(len(parts))])
    moved = workload.take(np.concatenate([[0], order + 1]))
    submit_s = workload.submit_s[0] + np.concatenate([[0.0], np.cumsum(gaps[order])])
    records = moved.records.copy()
    records[:, _SUBMIT] = submit_s
    moved = replace(moved, submit_s=submit_s, records=records)
    # Jobs that share an instant are ordered by number, as everywhere.
    return moved.take(np.lexsort((moved.number, submit_s)))
