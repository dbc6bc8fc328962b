"""``molokini wait`` and ``molokini watch``."""

import math
import sys

from molokini.client.client import Client
from molokini.client.quantities import JobName, job_name, whole
from molokini.client.specs import ENDED, job_text, state_text
from molokini.clients.arguments.jobs import WaitArguments, WatchArguments
from molokini.clients.live.connection import with_client
from molokini.clients.live.documents import event_document
from molokini.clients.live.job_table import job_document
from molokini.clients.live.wording import ended_with
from molokini.clients.show.lines import show_json
from molokini.model.errors import BadValue
from molokini.model.instants import instant
from molokini.model.text import counted, exact, plural, printable
from molokini.proto.v1.job_service_pb2 import JobEvent
from molokini.proto.v1.jobs_pb2 import Job, JobState

TIMED_OUT = 124
"""What ``timeout`` exits with, too."""


def wait(arguments: WaitArguments) -> int:
    """Wait for the ends of jobs, and print which ended badly."""
    names = [job_name(text, "ID") for text in arguments.jobs]
    timeout_s = arguments.timeout
    if timeout_s is not None and not 0 <= timeout_s < math.inf:
        raise BadValue("--timeout", timeout_s, "a number of seconds from 0")
    waited = with_client(lambda client: client.wait(names, timeout_s))
    if arguments.json:
        found = {"all_ended": waited.all_ended, "jobs": [job_document(job) for job in waited.jobs]}
        show_json("molokini.wait/1", found, rows="jobs")
    bad = [job for job in waited.jobs if not ended_well(job) and has_ended(job)]
    for job in bad:
        print(f"molokini: job {_ending(job)}", file=sys.stderr)
    if not waited.all_ended:
        left = sum(not has_ended(job) for job in waited.jobs)
        print(f"molokini: {plural(left, 'job')} not ended after {exact(timeout_s or 0)} s", file=sys.stderr)
        return TIMED_OUT
    return 1 if bad else 0


def watch(arguments: WatchArguments) -> int:
    """Print changes until the caller has enough."""
    names = [job_name(text, "ID") for text in arguments.ids]
    if arguments.after is not None:
        whole("--after", arguments.after)
    if arguments.count is not None:
        whole("--count", arguments.count, 1)

    async def work(client: Client) -> int:
        seen = 0
        events = client.watch(arguments.after, ids=sorted({name.id for name in names}), users=arguments.user)
        async for event in events:
            if names and not _wanted(event, names):
                continue
            _show(event, arguments.json)
            seen += 1
            if seen == arguments.count:
                break
        return 0

    return with_client(work)


def has_ended(job: Job) -> bool:
    """Whether nothing follows."""
    return job.state in ENDED


def ended_well(job: Job) -> bool:
    """Whether the job did what it should, an array in all its elements."""
    well = state_text(JobState.COMPLETED)
    others = any(count for state, count in job.elements.items() if state.lower() != well)
    return job.state == JobState.COMPLETED and not others


def _ending(job: Job) -> str:
    if job.elements:
        return f"{job_text(job)} {counted(dict(job.elements))}"
    how = f"{job_text(job)} {state_text(job.state)}"
    if job.state == JobState.FAILED and (ending := ended_with(job)):
        how += f" with {ending}"
    return how + (f": {printable(job.reason)}" if job.reason else "")


def _wanted(event: JobEvent, names: list[JobName]) -> bool:
    index = event.array_index if event.HasField("array_index") else None
    return any(name.id == event.job_id and name.index in (None, index) for name in names)


def _show(event: JobEvent, as_json: bool) -> None:
    if as_json:
        show_json("molokini.event/1", event_document(event))
    else:
        index = f"[{event.array_index}]" if event.HasField("array_index") else ""
        code = f" exit code {event.exit_code}" if event.exit_code else ""
        reason = f" ({printable(event.reason)})" if event.reason else ""
        kind = printable(event.kind)
        print(f"{event.sequence} {instant(event.time_s)} {event.job_id}{index} {kind}{code}{reason}")
    sys.stdout.flush()  # a program may be reading along
