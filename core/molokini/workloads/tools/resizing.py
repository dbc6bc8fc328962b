"""A log for a machine of another size: wider or narrower jobs, or more of them.

*Widths*: every size is multiplied by the ratio of the machines and brought back to the grid of the log's own
sizes (powers of two stay powers of two, whole nodes whole nodes, one processor one, all of the machine all
of it), and the gaps between submits are then stretched as a whole so that the offered load stays. *Copies*:
every job comes as often as the ratio says, the fraction by chance; copies are shifted by up to an hour. Both
are ours: there is no rule that all would agree on.
"""

import math
from dataclasses import dataclass

import numpy as np

from molokini.model.errors import BadInput, BadValue
from molokini.workloads.header import LARGEST_MACHINE
from molokini.workloads.rules import LARGEST
from molokini.workloads.tools.notes import counted, noted, with_value
from molokini.workloads.tools.whole import WholeLog
from molokini.workloads.workload import SWF_FIELDS, Floats

SHIFT_S = 3600
_NUMBER, _SUBMIT, _PRECEDING = (SWF_FIELDS.index(name) for name in ("number", "submit_s", "preceding"))
_SIZES = tuple(SWF_FIELDS.index(name) for name in ("allocated_processors", "requested_processors"))


@dataclass(frozen=True)
class Resized:
    """The log for the other machine, and offered load before and after (None where it cannot be told)."""

    log: WholeLog
    load_before: float | None
    load_after: float | None
    gaps_times: float
    """By what the gaps between submits were multiplied."""


def resize(
    log: WholeLog,
    processors: int,
    *,
    by: str = "widths",
    narrow: bool = False,
    seed: int = 0,
) -> Resized:
    """*log* for a machine of *processors*; *by* is ``widths`` or ``copies``.

    Raises BadInput where the header tells no machine, where jobs are wider than the log's own machine, and
    where the widest job does not fit the new machine, unless *narrow* allows *widths* to narrow it.
    """
    if not 1 <= processors <= LARGEST_MACHINE:
        raise BadValue("--processors", processors, f"a whole number from 1 to {LARGEST_MACHINE:,}")
    if log.machine is None:
        raise BadInput(f"{log.name}: the header does not say how large its machine is (MaxProcs)")
    widest = int(max(log.widths.max(), 0))
    if widest > log.machine:
        raise BadInput(
            f"{log.name}: its widest job has {widest:,} processors, its machine {log.machine:,}; remove such "
            "jobs first: molokini workload clean --filter 'proc>machine or reqproc>machine'"
        )
    if widest > processors and (by == "copies" or not narrow):
        way = (
            "with --by widths --narrow all jobs are narrowed"
            if by == "widths"
            else "copies do not narrow jobs"
        )
        raise BadValue(
            "--processors",
            processors,
            f"{widest:,} or more, the width of the widest job of {log.name}; {way}",
        )
    ratio = processors / log.machine
    records = _wider(log, ratio, processors) if by == "widths" else _copied(log, ratio, seed)
    changed = WholeLog(log.name, records, with_value(log.header, "MaxProcs", processors))
    before, after = load(log, log.machine), load(changed, processors)
    times = after / before if by == "widths" and before and after else 1.0
    if times != 1.0:
        first = records[:, _SUBMIT].min()
        records[:, _SUBMIT] = np.rint(first + (records[:, _SUBMIT] - first) * times)
    note = f"scaled by molokini from {log.name}, {log.machine} processors, to {processors} by {by}"
    more = f"gaps between submits times {times:.6g}" if by == "widths" else f"seed {seed}"
    header = noted(counted(changed.header, len(records)), f"{note}; {more}")
    result = WholeLog(log.name, records, header)
    return Resized(result, before, load(result, processors), times)


def load(log: WholeLog, processors: int) -> float | None:
    """Work of all jobs over what *processors* could do between the first submit and the last."""
    run, width = log.column("run_s"), log.widths
    known = (run > 0) & (width > 0)
    submit_s = log.column("submit_s")
    span = float(np.ptp(submit_s)) if len(log) else 0.0
    return float((run * width)[known].sum()) / (span * processors) if span > 0 and known.any() else None


def grid(widths: Floats) -> int:
    """The processors of which every job but those of one processor asks for a multiple."""
    several = widths[widths > 1].astype(np.int64)
    return int(np.gcd.reduce(several)) if several.size else 1


def _wider(log: WholeLog, ratio: float, most: int) -> Floats:
    records = log.records.copy()
    step = grid(log.widths)
    for column in _SIZES:
        old = records[:, column].copy()
        records[:, column] = np.where(old == log.machine, most, _scaled(old, ratio, step, most))
    return records


def _scaled(widths: Floats, ratio: float, step: int, most: int) -> Floats:
    """*widths* times *ratio*, on the grid: 1 stays 1, powers of two become the nearest power (by ratio)."""
    found = widths.copy()
    several = widths > 1
    old = widths[several]
    wished = old * ratio
    whole = np.maximum(step * np.rint(wished / step), min(step, most))
    exponent = np.log2(old)
    power = exponent == np.floor(exponent)
    nearest = np.exp2(np.maximum(np.rint(np.log2(wished)), 0.0))
    new = np.where(power, nearest, whole)
    new = np.where(new > most, step * math.floor(most / step) or most, new)
    found[several] = np.maximum(new, 1.0)
    return found


def _copied(log: WholeLog, ratio: float, seed: int) -> Floats:
    generator = np.random.Generator(np.random.PCG64(seed))
    whole, fraction = math.floor(ratio), ratio - math.floor(ratio)
    times = whole + (generator.random(len(log)) < fraction)
    rows = np.repeat(np.arange(len(log)), times)
    if not rows.size:
        raise BadInput(f"{log.name}: at {ratio:.3g} of its machine no job is left")
    place = np.arange(rows.size) - np.repeat(np.cumsum(times) - times, times)
    records = log.records[rows]
    added = place > 0
    shift = generator.integers(1, SHIFT_S, rows.size, endpoint=True)
    step = float(log.records[:, _NUMBER].max())
    if step * times.max() > LARGEST:
        raise BadInput(f"{log.name}: its job numbers are too large for copies with numbers of their own")
    records[added, _SUBMIT] += shift[added]
    records[:, _NUMBER] += place * step
    # A copy follows the copy of the job that its original follows, where there is one.
    follows = added & (records[:, _PRECEDING] > 0)
    wished = records[follows, _PRECEDING] + place[follows] * step
    there = np.isin(wished, records[:, _NUMBER])
    records[np.flatnonzero(follows)[there], _PRECEDING] = wished[there]
    return records[np.lexsort((records[:, _NUMBER], records[:, _SUBMIT]))]
