"""More or less load from the same jobs: by shorter gaps between them, or by copies of them.

Shorter gaps keep each job and change the rhythm (a day no longer has 24 hours); copies keep the
rhythm and add likeness. Which of the two is right depends on the question.
"""

import math
from dataclasses import replace

import numpy as np

from molokini.model.errors import BadValue
from molokini.workloads.rules import LARGEST
from molokini.workloads.workload import SWF_FIELDS, Floats, Workload

_NUMBER, _SUBMIT, _PRECEDING = (SWF_FIELDS.index(name) for name in ("number", "submit_s", "preceding"))


def offered_load(workload: Workload, processors: int, *, kill: bool = True) -> float | None:
    """Work submitted over what *processors* could do meanwhile; above 1 the queue grows without end.

    Work is processors times run time, the run time cut at the estimate if *kill*. Meanwhile is from
    the first submit to the last. None where all jobs are submitted at one instant.
    """
    if processors < 1:
        raise BadValue("processors", processors, "a whole number of 1 or more")
    if len(workload) == 0:
        return None
    run = np.minimum(workload.run_s, workload.estimate_s) if kill else workload.run_s
    span = float(workload.submit_s[-1] - workload.submit_s[0])
    return float(workload.processors @ run) / processors / span if span > 0 else None


def scale_load(workload: Workload, factor: float) -> Workload:
    """The same jobs with every gap between submits divided by *factor*; the first submit stays.

    Offered load becomes *factor* times what it was. Submit times are no longer whole seconds.
    """
    if not (math.isfinite(factor) and factor > 0):
        raise BadValue("load factor", factor, "a number above 0")
    if factor == 1 or len(workload) == 0:
        return workload
    first = workload.submit_s[0]
    return _resubmitted(workload, first + (workload.submit_s - first) / factor)


def _resubmitted(workload: Workload, submit_s: Floats) -> Workload:
    records = workload.records.copy()
    records[:, _SUBMIT] = submit_s
    # Gaps may have shrunk to nothing: ties are ordered by number, as everywhere.
    moved = replace(workload, submit_s=submit_s, records=records)
    return moved.take(np.lexsort((moved.number, submit_s)))


def shaken(workload: Workload, most_s: float, seed: int) -> Workload:
    """Each job submitted up to *most_s* seconds sooner or later, but not before 0; drawn from *seed*.

    A result that survives this does not depend on the log's exact instants (Tsafrir and Feitelson, IEEE IISWC
    2006).
    """
    if not (math.isfinite(most_s) and most_s >= 0):
        raise BadValue("shake", most_s, "a number of seconds, 0 or more")
    drawn = np.random.default_rng(seed).uniform(-most_s, most_s, len(workload))
    return _resubmitted(workload, np.maximum(workload.submit_s + drawn, 0.0))


def clone(workload: Workload, copies: int, seed: int, *, shift_s: int = 600) -> Workload:
    """Each job *copies* times in all (1: unchanged), the added ones up to *shift_s* seconds later.

    Shifts are whole seconds from 1 on, drawn from *seed*. The added jobs get new numbers, above all
    that there were; one that follows another (SWF field 17) follows that one's copy.
    """
    if copies < 1:
        raise BadValue("copies", copies, "a whole number of 1 or more")
    if shift_s < 1:
        raise BadValue("shift_s", shift_s, "a whole number of seconds, 1 or more")
    if copies == 1 or len(workload) == 0:
        return workload
    step = int(workload.number.max())
    if step * copies > LARGEST:
        raise BadValue("copies", copies, "small enough for job numbers below 2^53")
    generator = np.random.default_rng(seed)
    size = len(workload)
    rows = np.tile(np.arange(size), copies)
    raised = np.repeat(np.arange(copies, dtype=np.int64) * step, size)
    shift = np.zeros(size * copies)
    shift[size:] = generator.integers(1, shift_s, size * (copies - 1), endpoint=True)
    many = workload.take(rows)
    number, submit_s, records = many.number + raised, many.submit_s + shift, many.records.copy()
    records[:, _NUMBER], records[:, _SUBMIT] = number, submit_s
    follows = records[:, _PRECEDING] > 0
    records[follows, _PRECEDING] += raised[follows]
    many = replace(many, number=number, submit_s=submit_s, records=records)
    return many.take(np.lexsort((number, submit_s)))
