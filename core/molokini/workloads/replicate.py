"""Replications of a recorded workload: the same jobs, arriving in another rhythm.

A log is one sample of what might have happened. A replication keeps every job, the order of the jobs,
the first submit and the last, and so the offered load; it cuts the gaps between arrivals into blocks of
neighbours and puts the blocks in another order, drawn from the seed. Bursts shorter than a block
survive, the tie between a burst and the jobs that came in it does not, and days and weeks are mixed. So
the spread over replications says how much a result owes to the exact moments of arrival; it says
nothing of other jobs or users.
"""

import math
from dataclasses import replace

import numpy as np

from molokini.model.errors import BadValue
from molokini.workloads.workload import SWF_FIELDS, Workload

_SUBMIT = SWF_FIELDS.index("submit_s")


def resample_arrivals(workload: Workload, seed: int, *, block: int | None = None) -> Workload:
    """*workload* with its gaps between arrivals in another order, drawn from *seed*.

    *block* is the number of neighbouring gaps that stay together, by default the square root of the
    number of jobs; the first cut falls anywhere inside a block.
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
    submit_s = workload.submit_s[0] + np.concatenate([[0.0], np.cumsum(gaps[order])])
    records = workload.records.copy()
    records[:, _SUBMIT] = submit_s
    moved = replace(workload, submit_s=submit_s, records=records)
    # Jobs that now share an instant are ordered by number, as everywhere.
    return moved.take(np.lexsort((moved.number, submit_s)))
