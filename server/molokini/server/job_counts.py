"""How many jobs of each queue stand where: counted in pieces, since there may be very many."""

from collections import Counter
from collections.abc import Iterator, Sequence

from molokini.server.cooperative import Yielder
from molokini.server.state.jobs import Job, JobStatus
from molokini.server.state.state import State

Standing = Counter[tuple[str, JobStatus]]
"""By queue and state: jobs that have not ended, of arrays each such element."""

_PIECE = 500
"""Jobs that are counted at a time."""


async def standing(state: State) -> Standing:
    """The open jobs of *state*; others have their turn in between."""
    found, yielder = Standing(), Yielder()
    jobs = list(state.open_jobs.values())
    for first in range(0, len(jobs), _PIECE):
        found.update(_places(jobs[first : first + _PIECE]))
        await yielder.maybe_yield()
    return found


async def held(state: State) -> int:
    """How many open jobs are held, an array as one."""
    found, yielder = 0, Yielder()
    jobs = list(state.open_jobs.values())
    for first in range(0, len(jobs), _PIECE):
        found += sum(job.status is JobStatus.HELD for job in jobs[first : first + _PIECE])
        await yielder.maybe_yield()
    return found


def _places(jobs: Sequence[Job]) -> Iterator[tuple[str, JobStatus]]:
    for job in jobs:
        element = job.element
        if element is not None:
            yield job.queue, element.status
            continue
        for one in job.known_elements():
            if not one.status.over:
                yield job.queue, one.status
