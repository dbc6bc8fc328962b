"""Commands that change jobs: ``molokini cancel``, ``hold``, ``alter``, ``signal``, ``start`` and so on."""

import signal as signals
from collections.abc import Awaitable, Callable, Sequence

from molokini.client.client import Client
from molokini.client.quantities import JobName, job_name
from molokini.clients.arguments.jobs import (
    ChangeArguments,
    HoldArguments,
    ReleaseArguments,
    SignalArguments,
    StartArguments,
)
from molokini.clients.arguments.submit import AlterArguments
from molokini.clients.live.connection import with_client
from molokini.clients.live.documents import spec_document
from molokini.clients.live.instants import asked, need_clock
from molokini.clients.live.job_table import job_document
from molokini.clients.live.messages import told
from molokini.clients.live.submit_fields import instants, wished
from molokini.clients.show.lines import show_json
from molokini.model.errors import BadInput, BadValue
from molokini.proto.v1.jobs_pb2 import Job

Change = Callable[[Client, Sequence[JobName]], Awaitable[list[str]]]


def cancel(arguments: ChangeArguments) -> int:
    """End jobs."""
    return _changed(arguments.jobs, lambda client, jobs: client.cancel(jobs, arguments.reason))


def hold(arguments: HoldArguments) -> int:
    """Hold jobs."""
    return _changed(arguments.jobs, lambda client, jobs: client.hold(jobs, arguments.reason, arguments.hold))


def release(arguments: ReleaseArguments) -> int:
    """Release jobs."""
    given = (arguments.reason, arguments.hold, arguments.all_holds)
    return _changed(arguments.jobs, lambda client, jobs: client.release(jobs, *given))


def requeue(arguments: ChangeArguments) -> int:
    """Put running jobs back."""
    return _changed(arguments.jobs, lambda client, jobs: client.requeue(jobs, arguments.reason))


def suspend(arguments: ChangeArguments) -> int:
    """Stop running jobs."""
    return _changed(arguments.jobs, lambda client, jobs: client.suspend(jobs, arguments.reason))


def resume(arguments: ChangeArguments) -> int:
    """Let suspended jobs go on."""
    return _changed(arguments.jobs, lambda client, jobs: client.resume(jobs, arguments.reason))


def start(arguments: StartArguments) -> int:
    """Start jobs now."""
    return _changed(
        arguments.jobs,
        lambda client, jobs: client.start(
            jobs,
            arguments.reason,
            nodes=arguments.node,
            ignore_limits=arguments.ignore_limits,
            ignore_reservations=arguments.ignore_reservations,
        ),
    )


def signal(arguments: SignalArguments) -> int:
    """Send a signal."""
    number = signal_number(arguments.signal)
    return _changed(arguments.jobs, lambda client, jobs: client.signal(jobs, number))


def alter(arguments: AlterArguments) -> int:
    """Change what a job asks for."""
    name, fields, times = job_name(arguments.job, "ID"), wished(arguments), instants(arguments)
    if name.index is not None:
        # The server would do it to all of them.
        raise BadValue("ID", arguments.job, "a whole job; an array is altered as a whole")
    if not fields and not times:
        raise BadInput(
            "alter needs at least one option that says what to change (see 'molokini alter --help')"
        )

    need_clock(times)

    async def work(client: Client) -> Job:
        return await client.alter(name, **fields, **await asked(client, times))  # type: ignore[arg-type]

    altered = with_client(work)
    if arguments.json:
        show_json("molokini.job/1", {**job_document(altered), **spec_document(altered.spec)})
    return 0


def signal_number(text: str) -> int:
    """``10``, ``USR1`` or ``SIGUSR1``."""
    if text.isascii() and text.isdigit():
        number = int(text)
    else:
        name = text.upper()
        known = signals.Signals.__members__
        number = int(known.get(name if name.startswith("SIG") else f"SIG{name}", 0))
    if not 1 <= number <= 64:
        raise BadValue("SIGNAL", text, "a number from 1 to 64 or a name such as TERM")
    return number


def _changed(texts: Sequence[str], change: Change) -> int:
    names = [job_name(text, "ID") for text in texts]
    return told(with_client(lambda client: change(client, names)))
