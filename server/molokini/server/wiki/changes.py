"""When each job has changed last, and the nodes: an outside scheduler asks for what is new since then."""

import time
from collections.abc import Callable, Iterator

from molokini.model import facts as h
from molokini.model.facts import Fact
from molokini.server.state.jobs import Job
from molokini.server.state.state import State

SHOWN_S = 300.0
"""A job that is over is shown for so long, of the scheduling clock or of real time: whichever is longer."""
_OF_NODES = (h.NodesAdded, h.NodeDrained, h.NodeLost, h.NodeReturned, h.QueueSet, h.QueueRemoved, h.PolicySet)
_OF_PLACES = (h.JobStarted, h.JobEnded, h.JobSuspended, h.JobResumed, h.JobMoved, h.JobRequeued)


class Changes:
    """Found out, at each look, from the facts that the state remembers; what is older is of the beginning."""

    def __init__(self, state: State, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._state, self._monotonic = state, monotonic
        self._after = state.serial
        self._began_s = self.nodes_s = state.now
        self._jobs: dict[int, tuple[float, float]] = {}
        """By job: the instant of its last change, and when that was on the monotonic clock."""

    def look(self) -> None:
        """Take account of everything up to now."""
        state, monotonic_s = self._state, self._monotonic()
        if state.events and state.events[0][0] > self._after + 1 and state.serial > self._after:
            # What is forgotten may have been about any of them.
            self._began_s = self.nodes_s = state.now
            self._jobs = {}
        for serial, time_s, fact in state.events_after(self._after):
            self._after = serial
            for number in _jobs_of(fact):
                self._jobs[number] = time_s, monotonic_s
            if isinstance(fact, _OF_NODES + _OF_PLACES):
                self.nodes_s = time_s
        self._after = state.serial
        self._forget()

    def of(self, job: Job) -> float:
        """The instant at which *job* has changed last, or before which it has."""
        return self._jobs.get(job.id, (self._began_s, 0.0))[0]

    def shown(self, job: Job, over_s: float) -> bool:
        """Whether *job*, which has been over since *over_s*, is still to be shown."""
        known = self._jobs.get(job.id)
        if known is not None and self._monotonic() - known[1] <= SHOWN_S:
            return True
        return self._state.present_s() - over_s <= SHOWN_S

    def _forget(self) -> None:
        if len(self._jobs) > 2 * len(self._state.jobs) + 1000:
            self._jobs = {number: at for number, at in self._jobs.items() if number in self._state.jobs}


def _jobs_of(fact: Fact) -> Iterator[int]:
    if isinstance(fact, h.JobsSubmitted):
        yield from range(fact.first_id, fact.first_id + len(fact.specs))
    elif fact.EVENT:
        yield getattr(fact, "job")  # noqa: B009
