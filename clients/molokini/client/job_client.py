"""The calls about jobs alone: a command that makes no others need not load what stands behind those."""

from molokini.client.calls import Caller
from molokini.client.connected import Connected
from molokini.client.job_calls import JobCalls
from molokini.client.submitting import Submitting


class JobClient(Connected, Submitting, JobCalls):
    """A connection to one server, with what ``Client`` has for jobs, but for watching and waiting."""

    def __init__(self, caller: Caller) -> None:
        for part in (Connected, Submitting, JobCalls):
            part.__init__(self, caller)
