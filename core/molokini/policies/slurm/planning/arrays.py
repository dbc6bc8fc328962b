"""How many elements of an array a backfill pass plans in each partition: reference, section 3.3 (e, n).

Elements of an array stand together in the queue of a partition, so that the array that was looked at last is
all that has to be known. One that ran before, or that has another limit than the element before it, is a job
of its own, as it is in Slurm.
"""

from molokini.compiled.compilation import inner, kernel
from molokini.policies.slurm.configuration.line_layout import PartCount
from molokini.policies.slurm.configuration.parameters import parameters
from molokini.policies.slurm.knowledge.who import part_row
from molokini.tables.tables import View

_ENOUGH = 1e9


@kernel
def forget_arrays(view: View) -> None:
    """A pass begins: no array has been looked at."""
    for part in range(parameters(view).partition_count):
        view.site.tallies[part_row(view, part) + PartCount.ARRAY] = 0.0


@inner
def is_element(view: View, row: int) -> bool:
    """Whether a job is an element of an array that has never run."""
    return bool(view.queue.array[row] > 0 and view.jobs.attempt[row] == 1)


@kernel
def is_passed_over(view: View, row: int, part: int) -> bool:
    """Whether a pass leaves out a job: its array has its plans, or one of its elements could have none."""
    if not is_element(view, row):
        return False
    at = part_row(view, part)
    array, limit_s = view.site.tallies[at + PartCount.ARRAY], view.site.tallies[at + PartCount.ARRAY_LIMIT_S]
    if array != view.queue.array[row] or limit_s != view.jobs.estimate_s[row]:
        view.site.tallies[at + PartCount.ARRAY] = view.queue.array[row]
        view.site.tallies[at + PartCount.ARRAY_LIMIT_S] = view.jobs.estimate_s[row]
        view.site.tallies[at + PartCount.ARRAY_PLANS] = 0.0
        return False
    most = max(1, parameters(view).bf_max_job_array_resv)
    return bool(view.site.tallies[at + PartCount.ARRAY_PLANS] >= most)


@inner
def plans_no_elements(view: View, row: int) -> bool:
    """Whether a job is an element, and those get no plans at all."""
    return parameters(view).bf_max_job_array_resv == 0 and is_element(view, row)


@inner
def note_element(view: View, row: int, part: int, planned: bool) -> None:
    """A job has been tested and did not start; where it got no plan, no other element of its array will."""
    if is_element(view, row):
        view.site.tallies[part_row(view, part) + PartCount.ARRAY_PLANS] += 1.0 if planned else _ENOUGH
