"""``qmove``: moves jobs that wait to another queue."""

from __future__ import annotations

from molokini.compat._types import Invocation
from molokini.compat.pbs.altering import alter
from molokini.compat.pbs.commanding import USUAL, given_to
from molokini.compat.pbs.failing import usage as wrong
from molokini.compat.pbs.server import here_is, server_name

OPTIONS = (*USUAL,)


def run(run: Invocation) -> int:
    """Move the jobs; the exit code is that of the last that could not be moved."""
    given = given_to(run, OPTIONS, "queue job id...")
    if len(given.words) < 2:
        raise wrong(run, "expected a queue and a job id (see qmove --help)")
    queue, _, server = given.words[0].partition("@")
    name = server_name(run) if server else ""
    if not queue or not here_is(name, server):
        raise wrong(run, f"{given.words[0][:60]!r}: must be a queue of this server")
    return alter(run, given.words[1:], {"queue": queue})
