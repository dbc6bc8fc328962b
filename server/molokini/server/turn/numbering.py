"""Elements of arrays get numbers of their own, from the counter of jobs, when they come apart from the rest.

That is at their start, a hold, or an end. The last element of an array that has none yet keeps the number of
the array, as in Slurm.
"""

from collections.abc import Sequence

from molokini.model.facts import (
    NO_INDEX,
    ElementsNumbered,
    Fact,
    JobEnded,
    JobHeld,
    JobsSubmitted,
    JobStarted,
)
from molokini.server.state.state import State

_OF_ONE = (JobStarted, JobEnded, JobHeld)


def numbered(state: State, facts: Sequence[Fact]) -> Sequence[Fact]:
    """*facts*, and before them the numbers of those elements that come apart by them."""
    apart: dict[int, dict[int, None]] = {}
    submitted = 0
    for fact in facts:
        if isinstance(fact, JobsSubmitted):
            submitted += len(fact.specs)
        elif isinstance(fact, _OF_ONE) and fact.index != NO_INDEX:
            job = state.jobs.get(fact.job)
            if job is None or job.array is None or job.array.numbered < 0:
                continue
            element = job.element_of(fact.index)
            if element is None or not element.number:
                apart.setdefault(job.id, {})[fact.index] = None
    if not apart:
        return facts
    made: list[Fact] = []
    next_id = state.next_id + submitted
    for number, found in apart.items():
        indices = tuple(found)
        array = state.jobs[number].array
        assert array is not None
        last = NO_INDEX
        if array.numbered + len(indices) == array.size:
            *others, last = indices
            indices = tuple(others)
        made.append(ElementsNumbered(number, next_id, indices, last))
        next_id += len(indices)
    return [*made, *facts]
