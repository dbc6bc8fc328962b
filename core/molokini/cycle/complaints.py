"""Complaints: what a policy can do wrong that would corrupt the tables, or break what administrators reserve.

The pass is thrown away, and a replay stops; the sentence names the job.
"""

from molokini.compiled.compilation import kernel, seldom
from molokini.tables.tables import View

NOT_A_JOB = 1
NOT_IN_STATE = 2
NOT_ENOUGH = 3
TOO_MUCH = 4
UNRESERVABLE = 5
NOT_IN_ROWS = 6
COMPLAINTS = {
    NOT_A_JOB: "named row {row}, which is not a row of the tables",
    NOT_IN_STATE: "asked for job {job} (row {row}) what its state does not allow, or asked twice",
    NOT_ENOUGH: "started job {job}, which needs {width} processors, where {idle} are idle",
    TOO_MUCH: "made more decisions about row {row} than a pass allows",
    UNRESERVABLE: "started job {job} molded or shared beside reservations: it needs reservable=False",
    NOT_IN_ROWS: "put job {job}, which needs {width} columns, where the matrix has no such place",
}
"""The sentence of each, behind the name of the policy."""


@kernel
def complain(view: View, complaint: int, row: int) -> None:
    """Note the first thing that this policy did wrong."""
    seldom()
    if view.cycle.complaint == 0:
        view.cycle.complaint = complaint
        view.cycle.complaint_row = row
        view.cycle.complaint_idle = view.machine.idle
