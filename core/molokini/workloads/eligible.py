"""Jobs that arrive when they might start: held, dependent and later jobs of a site's log."""

from dataclasses import replace

import numpy as np

from molokini.workloads.workload import SWF_FIELDS, Workload

_SUBMIT = SWF_FIELDS.index("submit_s")
_WAIT = SWF_FIELDS.index("wait_s")
LATER = "eligible_after_submission"
"""The note that counts jobs whose arrival is later than their submission."""


def at_eligible(workload: Workload) -> Workload:
    """*workload* with each job arriving when it became eligible, where its record says when that was.

    A record that says an instant before the submission, or after the start, is not believed: its job arrives
    when it was submitted. The workload itself where nothing changes.
    """
    told = workload.recorded
    if told is None:
        return workload
    at_s, submit_s = told.eligible_s, workload.submit_s
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
