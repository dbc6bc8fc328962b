"""``molokini jobs`` and ``molokini job``."""

from collections.abc import Sequence

from molokini.client.coallocation import clusters_text, communication_text, components_text
from molokini.client.job_client import JobClient
from molokini.client.quantities import JobName, clock_time, job_name, memory_text
from molokini.client.specs import job_text, state_text, state_value
from molokini.clients.arguments.jobs import JobArguments, JobsArguments
from molokini.clients.live.connection import with_job_client
from molokini.clients.live.documents import spec_document
from molokini.clients.live.emulation import emulated_text
from molokini.clients.live.job_table import (
    HOLDERS,
    LISTED,
    at,
    elapsed,
    estimate,
    has_exit_code,
    job_document,
    processors,
    reason,
    work,
)
from molokini.clients.live.messages import told
from molokini.clients.live.pace import pace_document, pace_facts
from molokini.clients.live.promises import chunks_text, deadline_text, promise_text
from molokini.clients.live.usage import (
    USAGE_COLUMNS,
    JobUsage,
    amounts,
    usage_document,
    usage_facts,
    usage_row,
    usages,
)
from molokini.clients.live.wording import array_text, dependencies_text, outcome_text, queues_text
from molokini.clients.show.lines import show_facts, show_json, show_listing, show_things
from molokini.model.errors import BadValue
from molokini.model.instants import instant
from molokini.model.text import counted, figure, plural
from molokini.proto.v1.jobs_pb2 import Job


def jobs(arguments: JobsArguments) -> int:
    """Print the jobs that match, all of them or none."""
    names = [job_name(text, "ID") for text in arguments.ids]
    if any(name.index is not None for name in names):
        raise BadValue(
            "ID", " ".join(arguments.ids), "whole jobs; 'molokini job ID[INDEX]' shows one element"
        )
    for state in arguments.state:
        state_value(state)

    async def work(client: JobClient) -> tuple[list[Job], list[JobUsage]]:
        found = client.jobs(
            users=arguments.user,
            queues=arguments.queue,
            states=arguments.state,
            ids=[name.id for name in names],
            name=arguments.name or "",
            include_ended=arguments.all or bool(names),
            expand_arrays=arguments.elements,
            deadline_met=arguments.deadline_met,
        )
        listed = [job async for job in found]
        return listed, await usages(client, listed) if arguments.usage else []

    found, used = with_job_client(work)
    if arguments.json:
        lines = [job_document(job) for job in found]
        for line, one in zip(lines, used, strict=False):
            line["usage"] = usage_document(one)
        show_json("molokini.jobs/1", {"jobs": lines}, rows="jobs")
    elif arguments.usage:
        rows = [usage_row(job, one, processors(job)) for job, one in zip(found, used, strict=True)]
        show_listing(USAGE_COLUMNS, rows)
    else:
        show_things(LISTED, found)
    # A script that asks for a job by its number must not take an empty list for its end.
    return told(f"no job {name}" for name in _missing(names, found, filtered(arguments)))


def filtered(arguments: JobsArguments) -> bool:
    """Whether more than the ids decides which jobs are listed."""
    given = (arguments.user, arguments.queue, arguments.state, arguments.name)
    return any(given) or arguments.deadline_met is not None


def _missing(names: Sequence[JobName], found: Sequence[Job], filtered: bool) -> list[JobName]:
    """Those of *names* that there are not, as far as the answer tells."""
    known = {job.id for job in found}
    return [] if filtered else [name for name in dict.fromkeys(names) if name.id not in known]


def job(arguments: JobArguments) -> int:
    """Print all about one job, or what it has used."""
    name = job_name(arguments.job, "ID")
    if arguments.usage:
        return _job_usage(name, arguments.json)
    found = with_job_client(lambda client: client.job(name))
    if arguments.json:
        document = {**job_document(found), **spec_document(found.spec), "emulated": found.emulated}
        show_json("molokini.job/1", document)
    else:
        show_facts(_facts(found))
    return 0


def _job_usage(name: JobName, json: bool) -> int:
    async def work(client: JobClient) -> tuple[Job, JobUsage]:
        found = await client.job(name)
        [used] = await usages(client, [found])
        return found, used

    found, used = with_job_client(work)
    if json:
        document = {
            **job_document(found),
            **spec_document(found.spec),
            "usage": {**usage_document(used), **pace_document(found)},
        }
        show_json("molokini.job/1", document)
    else:
        show_facts({**usage_facts(found, used, processors(found)), **pace_facts(found)})
    return 0


def _facts(job: Job) -> dict[str, str]:
    spec, wanted = job.spec, job.spec.resources
    generic = counted(dict(sorted(wanted.generic.items())))
    return {
        "job": job_text(job),
        "name": spec.name,
        "user": job.user,
        "state": state_text(job.state),
        "reason": reason(job),
        "held by": ", ".join(HOLDERS.get(hold, str(hold)) for hold in job.holds),
        "command": " ".join(spec.argv),
        "script": plural(len(spec.script.splitlines()), "line") if spec.script else "",
        "emulated": outcome_text(spec) or emulated_text(job),
        "directory": spec.working_directory,
        "input": spec.stdin_path,
        "output": spec.stdout_path,
        "error": spec.stderr_path,
        # Values may be secrets, and other people may see the screen: they are in the JSON.
        "environment": " ".join(sorted(spec.environment)),
        "array": array_text(spec),
        "after": dependencies_text(spec),
        "processors": processors(job),
        "nodes": str(wanted.nodes or ""),
        "components": components_text(wanted),
        "communication": communication_text(spec),
        "memory": f"{memory_text(wanted.memory_kb)} a processor" if wanted.memory_kb else "",
        "generic": generic,
        "licences": counted(dict(sorted(wanted.licenses.items()))),
        "features": ", ".join(wanted.features),
        "constraint": wanted.constraint,
        "estimate": estimate(job),
        "least estimate": clock_time(spec.least_estimate_s) if spec.least_estimate_s else "",
        "queue": queues_text(spec),
        "started in queue": job.chosen_queue,
        "account": spec.account,
        "group": spec.group,
        "qos": spec.qos,
        "priority": str(spec.user_priority or ""),
        "submitted": at(job, "submitted_s"),
        "not before": instant(spec.begin_at_s) if spec.begin_at_s else "",
        "load": figure(spec.divisible.load) if spec.HasField("divisible") else "",
        "deadline": instant(spec.deadline_s) if spec.deadline_s else "",
        "deadline was": deadline_text(job),
        "promise": promise_text(job.promise) if job.HasField("promise") else "",
        "chunks": chunks_text(job.chunks) if job.HasField("chunks") else "",
        "eligible": at(job, "eligible_s"),
        "promised start": at(job, "reserved_s"),
        "started": at(job, "start_s"),
        "ended": at(job, "end_s"),
        "ends by": at(job, "expected_end_s"),
        "elapsed": elapsed(job),
        "work": work(job),
        "attempt": str(job.attempt or ""),
        "exit code": str(job.exit_code) if has_exit_code(job) else "",
        "signal": str(job.signal or ""),
        **amounts(job),
        "in clusters": clusters_text(job),
        "nodes held": ", ".join(f"{part.node}:{part.processors}" for part in job.allocation),
        "comment": spec.comment,
        "mail": " ".join([*spec.mail_events, *(f"to {address}" for address in spec.mail_to)]),
        "notify": spec.notify,
        "starts": "on the first node alone" if spec.first_node_alone else "",
        "when a node fails": "the others go on" if spec.keep_going else "",
        "runs again": "" if not spec.HasField("requeue") else "yes" if spec.requeue else "no",
    }
