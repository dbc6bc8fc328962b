"""Jobs that arrive when they might start: held, dependent and later jobs of a site's log."""

from dataclasses import replace

import numpy as np

from molokini.workloads.recorded import Recorded
from molokini.workloads.workload import SWF_FIELDS, Floats, Workload

_SUBMIT = SWF_FIELDS.index("submit_s")
_WAIT = SWF_FIELDS.index("wait_s")
LATER = "eligible_after_submission"
"""The note that counts jobs whose arrival is later than their submission."""


def at_eligible(workload: Workload) -> Workload:
    """*workload* with each job arriving when it became eligible, where its record says when that was.

    A record that says an instant before the submission, or after the start, is not believed: its job arrives
    when it was submitted. Elements of an array with a limit arrive with the first of them: records call them
    eligible from when the limit let them go. The workload itself where nothing changes.
    """
    told = workload.recorded
    if told is None:
        return workload
    at_s, submit_s = _with_first_elements(told), workload.submit_s
    with np.errstate(invalid="ignore"):
        later = (at_s > submit_s) & ~(at_s > told.start_s)
    if not later.any():
        return workload
    moved_s = np.where(later, at_s, submit_s)
    records = workload.records.copy()
    records[:, _SUBMIT] = moved_s
    records[later, _WAIT] -= (moved_s - submit_s)[later]
    notes = {**workload.notes, LATER: int(later.sum())}
    moved = replace(workload, submit_s=moved_s, records=records, notes=notes)
    return moved.take(np.lexsort((moved.number, moved_s)))


def _with_first_elements(told: Recorded) -> Floats:
    """When each job became eligible; of elements of arrays with a limit, the first of them."""
    limited = (told.array > 0) & (told.array_limit > 0) & np.isfinite(told.eligible_s)
    if not limited.any():
        return told.eligible_s
    _, place = np.unique(told.array[limited], return_inverse=True)
    first_s = np.full(int(place.max()) + 1, np.inf)
    np.minimum.at(first_s, place, told.eligible_s[limited])
    at_s = told.eligible_s.copy()
    at_s[limited] = first_s[place]
    return at_s
