"""``molokini accounting export``: the jobs that are over, as the accounting of another system."""

import math
import pwd
from collections.abc import AsyncIterator
from functools import cache

from molokini.accounting.formats import WRITERS, Site, writer_of
from molokini.accounting.record import Record
from molokini.client.client import Client
from molokini.client.specs import ENDED, STATES
from molokini.clients.arguments.accounting import ExportArguments
from molokini.clients.live.connection import with_client
from molokini.clients.live.instants import asked, need_clock
from molokini.clients.output import check_outputs
from molokini.clients.spooling import Spool, write_lines
from molokini.model.errors import BadValue, UnknownName
from molokini.model.facts import NO_INDEX, Ending
from molokini.model.text import plural
from molokini.parallel.progress import progress_bar
from molokini.proto.v1.jobs_pb2 import Job, JobState

PAGE = 2000
"""Jobs that are asked for at a time."""
_ENDINGS = {
    JobState.COMPLETED: Ending.COMPLETED,
    JobState.FAILED: Ending.FAILED,
    JobState.TIMED_OUT: Ending.TIMED_OUT,
    JobState.CANCELLED: Ending.CANCELLED,
    JobState.NODE_LOST: Ending.NODE_LOST,
    JobState.REFUSED: Ending.REFUSED,
}


def export(arguments: ExportArguments) -> None:
    """Write all jobs that ended in the interval."""
    if arguments.format not in WRITERS:
        raise UnknownName("format of accounting", arguments.format, WRITERS)
    given = {"from": ("--from", arguments.from_), "to": ("--to", arguments.to)}
    times = {name: (option, text) for name, (option, text) in given.items() if text is not None}
    need_clock(times)
    check_outputs({"--output": arguments.output})

    async def work(client: Client) -> tuple[int, int]:
        at = await asked(client, times)
        first_s, last_s = at.get("from", -math.inf), at.get("to", math.inf)
        if not first_s < last_s:
            raise BadValue("--to", arguments.to, f"later than --from, {arguments.from_}")
        cluster = await client.cluster()
        site = Site(cluster.name, None, cluster.processors, cluster.nodes)
        writer, jobs = writer_of(arguments.format, site), 0
        with Spool(arguments.output) as spool:
            async for record in _ended(client, cluster.jobs_ended):
                if first_s <= record.end_s < last_s:
                    jobs += 1
                    for line in writer.lines(record):
                        spool.add(*line)
            write_lines(arguments.output, writer.header(), map(writer.finished, spool.lines()))
            return jobs, spool.count

    jobs, lines = with_client(work)
    if arguments.output is not None:
        print(f"{arguments.output}: {plural(jobs, 'job')}, {plural(lines, 'line')} of {arguments.format}")


async def _ended(client: Client, total: int) -> AsyncIterator[Record]:
    """All jobs and elements that are over, by their numbers, with a progress bar on a terminal."""
    ended = [name for name, state in STATES.items() if state in ENDED]
    with progress_bar("accounting") as show:
        done = 0
        async for job in client.jobs(states=ended, expand_arrays=True, page_size=PAGE):
            if job.HasField("end_s"):
                yield record_of(job)
            done += 1
            if show is not None and done % PAGE == 0:
                show(done, max(done, total))


def record_of(job: Job) -> Record:
    """The record of a job, or of an element, that is over."""
    spec, wanted = job.spec, job.spec.resources
    nodes = tuple((part.node, part.processors) for part in job.allocation)
    started = job.HasField("start_s")
    held = sum(count for _, count in nodes) if started else 0
    ending = _ENDINGS.get(job.state, Ending.FAILED)
    return Record(
        number=job.id,
        index=job.array_index if job.HasField("array_index") else NO_INDEX,
        name=spec.name,
        user=job.user,
        uid=_uid(job.user),
        group=spec.group,
        account=spec.account,
        queue=job.chosen_queue or spec.queue,
        qos=spec.qos,
        command=" ".join(spec.argv),
        directory=spec.working_directory,
        submitted_s=job.submitted_s,
        eligible_s=job.eligible_s if job.HasField("eligible_s") else None,
        start_s=job.start_s if started else None,
        end_s=job.end_s,
        suspended_s=job.suspended_s,
        ending=Ending.NOT_STARTED if ending is Ending.FAILED and not started else ending,
        exit_code=job.exit_code,
        signal=job.signal,
        processors=job.promise.processors
        or wanted.processors
        or wanted.nodes * wanted.processors_per_node
        or sum(wanted.components)
        or held,
        wanted_nodes=wanted.nodes,
        allocated=held,
        nodes=nodes if started else (),
        estimate_s=job.limit_s or spec.estimate_s,
        memory_kb=wanted.memory_kb,
        used_kb=job.memory_used_kb,
        cpu_s=job.cpu_s,
        attempt=job.attempt,
    )


@cache
def _uid(user: str) -> int:
    """The number of *user* on this machine; -1 where it knows none."""
    try:
        return pwd.getpwnam(user).pw_uid
    except (KeyError, ValueError):
        return -1
