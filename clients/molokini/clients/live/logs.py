"""``molokini logs``: what a job has written, read where it writes it.

This command reads the file as its caller; a server that handed out files would have to guard them. So the
file has to be visible here, as on a cluster with common folders, or where the job runs on this machine.
"""

import asyncio
import os
import stat
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path

from molokini.client.client import Client
from molokini.client.quantities import JobName, job_name
from molokini.client.specs import ENDED, job_text, state_text
from molokini.clients.arguments.jobs import LogsArguments
from molokini.clients.live.connection import with_client
from molokini.clients.live.emulation import REAL_NODES
from molokini.model.errors import BadInput, BadValue
from molokini.model.hostlists import folded
from molokini.proto.v1.jobs_pb2 import Job
from molokini.supervisor.patterns import default_output, filled, of_node, values_of

_NOTHING = Path("/dev/null")
_LOOK_S = 0.1
_PART = 65_536
_SHOWN = 10
"""Nodes that a refusal names."""


def logs(arguments: LogsArguments) -> int:
    """Print the standard output of a job, or its standard error; with --follow until it has ended."""
    name = job_name(arguments.job, "ID")

    async def work(client: Client) -> int:
        found = await client.job(name)
        if arguments.follow:
            await _follow(client, name, arguments.error, arguments.node)
        else:
            path = path_of(found, arguments.error, arguments.node)
            if not path.exists():
                raise BadInput(_missing(found, path, arguments.node))
            _print_from(path, 0)
        return 0

    return with_client(work)


def path_of(job: Job, error: bool, on: str | None = None) -> Path:
    """The file that *job* writes on the node *on*, or on its first one, as the agent there names it.

    Raises BadInput where that cannot be told.
    """
    spec = job.spec
    if job.elements:
        raise BadInput(f"job {job.id} is an array; name one of its elements: {job.id}[{spec.array.first}]")
    place, node = _place(job, on)
    index = job.array_index if job.HasField("array_index") else -1
    values = values_of(job.id, index, job.user, spec.name, node)
    pattern = (spec.stderr_path if error else "") or spec.stdout_path or default_output(index)
    try:
        path = filled(of_node(pattern, place), values)
    except ValueError as fault:
        raise BadInput(f"job {job_text(job)} has no output: {pattern}: {fault}") from None
    return Path(spec.working_directory or os.path.expanduser(f"~{job.user}")) / path


def _place(job: Job, on: str | None) -> tuple[int, str]:
    """Which of the nodes of *job* it is, from 0, and its name."""
    nodes = [part.node for part in job.allocation]
    if on is None or not nodes:
        return 0, nodes[0] if nodes else ""
    if on not in nodes:
        more = f" and {len(nodes) - _SHOWN:,} more" if len(nodes) > _SHOWN else ""
        raise BadValue("--node", on, f"a node of job {job_text(job)}: {', '.join(nodes[:_SHOWN])}{more}")
    return nodes.index(on), on


def _missing(job: Job, path: Path, on: str | None) -> str:
    if not job.HasField("start_s"):
        return f"job {job_text(job)} has not started: {state_text(job.state)}; --follow waits for it"
    if job.emulated:
        return _nothing_written(job)
    where = f", it ran on {_place(job, on)[1]}" if job.allocation else ""
    return f"{path}: there is no such file on this machine{where}"


def _nothing_written(job: Job) -> str:
    nodes = folded(part.node for part in job.allocation) or "all nodes"
    verb = "is" if len(job.allocation) == 1 else "are"
    return f"job {job_text(job)} writes nothing: {nodes} {verb} emulated; {REAL_NODES}"


async def _follow(client: Client, name: JobName, error: bool, on: str | None) -> None:
    """Print what there is, then what comes, until the job has ended and all of it is printed."""
    ended = asyncio.ensure_future(_ended(client.wait([name])))
    files: list[_Followed] = []
    try:
        while True:
            over = ended.done()
            if not files:
                found = await client.job(name)
                # Where it runs may be a part of the name.
                begun = found.HasField("start_s") or found.state in ENDED
                if begun and found.emulated:
                    raise BadInput(_nothing_written(found))
                files = _files_of(found, error, on) if begun else []
            # All, though one were enough: none is to be left out.
            there = [file.print_more(over) for file in files]
            if over and not any(there):
                found = await client.job(name)
                raise BadInput(_missing(found, path_of(found, error, on), on))
            if over:
                ended.result()
                return
            await asyncio.wait([ended], timeout=_LOOK_S)
    finally:
        ended.cancel()
        await asyncio.gather(ended, return_exceptions=True)


def _files_of(job: Job, error: bool, on: str | None) -> list["_Followed"]:
    """What *job* writes: on the node *on*, else on all of its own, with their names where they are many."""
    nodes = [part.node for part in job.allocation]
    if on is not None or len(nodes) < 2 or job.spec.first_node_alone:
        return [_Followed(path_of(job, error, on))]
    paths = {path_of(job, error, node): node for node in reversed(nodes)}
    if len(paths) == 1:
        return [_Followed(path) for path in paths]
    return [_Followed(path, f"{node}: ".encode()) for path, node in reversed(paths.items())]


async def _ended(waiting: Awaitable[object]) -> None:
    await waiting


class _Followed:
    """A file that grows, and how far it is printed: as it is, or line by line with *prefix*."""

    def __init__(self, path: Path, prefix: bytes = b"") -> None:
        self._path, self._prefix = path, prefix
        self._read = 0
        self._begun = b""
        """A line whose end has not come."""

    def print_more(self, last: bool) -> bool:
        """Print what has come, with *last* also a line without an end; whether the file is there."""
        if not self._path.exists():
            return False
        if self._prefix:
            if self._path.stat().st_size < self._read:
                self._begun = b""
            self._read = _read_from(self._path, self._read, self._print_lines)
            if last and self._begun:
                self._print_lines(b"\n")
        else:
            self._read = _print_from(self._path, self._read)
        sys.stdout.buffer.flush()
        return True

    def _print_lines(self, part: bytes) -> None:
        *lines, self._begun = (self._begun + part).split(b"\n")
        sys.stdout.buffer.writelines(self._prefix + line + b"\n" for line in lines)


def _print_from(path: Path, place: int) -> int:
    """Print the file from *place* on, byte by byte as it is; where it ends now."""
    end = _read_from(path, place, sys.stdout.buffer.write)
    sys.stdout.buffer.flush()
    return end


def _read_from(path: Path, place: int, take: Callable[[bytes], object]) -> int:
    """Give *take* what is in the file from *place* on; where it ends now."""
    try:
        with open(path, "rb", opener=_at_once) as file:
            found = os.fstat(file.fileno())
            if not stat.S_ISREG(found.st_mode) and path != _NOTHING:
                raise BadInput(f"{path}: not a regular file, so it cannot be the output of a job")
            # A file that has become shorter was started over.
            file.seek(place if place <= found.st_size else 0)
            while part := file.read(_PART):
                take(part)
            return file.tell()
    except OSError as error:
        raise BadInput(f"{path}: {error.strerror or error}") from None


def _at_once(path: str, flags: int) -> int:
    """Open what may be a FIFO by now, and wait for no writer: the folder is the job's owner's."""
    return os.open(path, flags | os.O_NONBLOCK | os.O_NOCTTY)
