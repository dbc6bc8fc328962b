"""What is said of commands that no node runs: all nodes, or those of the job, are emulated."""

import sys

from molokini.model.text import printable
from molokini.proto.v1.jobs_pb2 import Job, JobSpec

REAL_NODES = "'molokini up --mode process' and 'molokini agent --mode process' run commands"
_LONGEST = 40


def told_emulated(spec: JobSpec, emulated: bool) -> None:
    """Say on the stream of errors that the command of *spec* is not run, where it has one and no outcome."""
    if not emulated or not pretends(spec):
        return
    name = printable(spec.argv[0]) if spec.argv else "the script"
    name = name if len(name) <= _LONGEST else name[:_LONGEST] + "..."
    print(
        f"molokini: the nodes are emulated: {name} is not run, the job pretends to run for its estimate; "
        f"--emulate run=SECONDS says for how long; {REAL_NODES}",
        file=sys.stderr,
    )


def pretends(spec: JobSpec) -> bool:
    """Whether a job of *spec* has a command, and no outcome that says what an emulated node makes of it."""
    return bool(spec.argv or spec.script) and not spec.HasField("outcome")


def emulated_text(job: Job) -> str:
    """Of a job on emulated nodes what becomes of its command; empty for any other."""
    return (
        "its command is not run, it pretends for its estimate" if job.emulated and pretends(job.spec) else ""
    )
