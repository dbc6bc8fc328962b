"""psij-python with the executor that the first argument names: run, output, failure, cancel, list."""

import os
import pwd
import sys
import tempfile
from datetime import timedelta
from pathlib import Path

from psij import (
    Job,
    JobAttributes,
    JobExecutor,
    JobSpec,
    JobState,
    ResourceSpecV1,
)

# psij asks for the name of the terminal's user, and a test has no terminal.
os.getlogin = lambda: pwd.getpwuid(os.getuid()).pw_name

NAME = sys.argv[1]
folder = Path(tempfile.mkdtemp(dir="."))
executor = JobExecutor.get_instance(NAME)
executor.config.queue_polling_interval = 1
executor.config.initial_queue_polling_delay = 1


def spec(*command: str, **more: object) -> JobSpec:
    made = JobSpec(executable=command[0], arguments=list(command[1:]), directory=folder.absolute(), **more)
    made.stdout_path = folder.absolute() / "out.txt"
    made.stderr_path = folder.absolute() / "err.txt"
    return made


def check(job: Job, state: JobState, exit_code: int | None) -> None:
    status = job.wait(timedelta(seconds=60))
    assert status is not None, "no final state"
    assert (status.state, status.exit_code) == (state, exit_code), status


def main() -> None:
    attributes = JobAttributes(duration=timedelta(minutes=3), queue_name="default", account="acct")
    attributes.set_custom_attribute("pbs.c", "n")
    resources = ResourceSpecV1(node_count=1, processes_per_node=2, memory=64 << 20)
    run = spec("/bin/sh", "-c", "echo out $WORD; echo err >&2; wc -l < $PBS_NODEFILE", launcher="single")
    run.attributes, run.resources, run.environment, run.name = (
        attributes,
        resources,
        {"WORD": "hello"},
        "first",
    )
    job = Job(run)
    executor.submit(job)
    check(job, JobState.COMPLETED, 0)
    text = (folder / "out.txt").read_text()
    assert text.split() == ["out", "hello", "2"], text
    assert (folder / "err.txt").read_text() == "err\n"

    failed = Job(spec("/bin/sh", "-c", "exit 7", launcher="single"))
    executor.submit(failed)
    check(failed, JobState.FAILED, 7)

    long = Job(spec("/bin/sleep", "600", launcher="single"))
    executor.submit(long)
    long.wait(timedelta(seconds=60), target_states=[JobState.ACTIVE])
    assert long.native_id in executor.list(), executor.list()
    long.cancel()
    check(long, JobState.CANCELED, None)
    print("psij", NAME, "done")


main()
