"""psij-python's LSF executor: submit, follow, attributes, output, cancel, list. Prints OK, or fails.

Run by an interpreter that has psij-python, with the commands of LSF on the path, in a scratch folder.
"""

# mypy: disable-error-code="import-not-found,no-any-return"

import getpass
import sys
from datetime import timedelta
from pathlib import Path

from psij import Job, JobAttributes, JobExecutor, JobSpec, JobState, ResourceSpecV1, SubmitException

WAIT = timedelta(seconds=60)


def executor() -> JobExecutor:
    made = JobExecutor.get_instance("lsf")
    # As often as a test wants to look; users wait half a minute.
    made.config.initial_queue_polling_delay = 0.2
    made.config.queue_polling_interval = 0.5
    return made


def ended(job: Job) -> JobState:
    status = job.wait(timeout=WAIT)
    assert status is not None, f"job {job.native_id} has not ended: {job.status}"
    return status.state


def _listed(lsf: JobExecutor) -> list[str]:
    lsf._current_user = getpass.getuser
    return lsf.list()


def refusal(lsf: JobExecutor, attributes: JobAttributes) -> str:
    try:
        lsf.submit(Job(JobSpec(executable="/bin/true", attributes=attributes)))
    except SubmitException as error:
        return str(error)
    return "taken"


def main() -> None:
    lsf, here = executor(), Path.cwd()
    out = here / "out.txt"
    resources = ResourceSpecV1(node_count=1, processes_per_node=2, cpu_cores_per_process=1)
    attributes = JobAttributes(
        duration=timedelta(minutes=5), account="proj", custom_attributes={"lsf.core_isolation": "0"}
    )
    well = Job(
        JobSpec(
            executable="/bin/sh",
            arguments=["-c", "echo $A; pwd; sleep 0.3"],
            name="well",
            directory=here,
            environment={"A": "from the spec"},
            stdout_path=out,
            resources=resources,
            attributes=attributes,
        )
    )
    lsf.submit(well)
    bad = Job(JobSpec(executable="/bin/sh", arguments=["-c", "exit 7"], directory=here))
    lsf.submit(bad)
    long = Job(JobSpec(executable="/bin/sleep", arguments=["300"], directory=here))
    lsf.submit(long)
    assert long.wait(timeout=WAIT, target_states=[JobState.ACTIVE]) is not None
    try:
        ids = lsf.list()
    except OSError:
        # It asks for the name with which somebody has logged in, which a program in a test has not.
        ids = _listed(lsf)
    assert {well.native_id, bad.native_id, long.native_id} <= set(ids), ids
    long.cancel()
    assert ended(well) == JobState.COMPLETED, well.status
    assert out.read_text().split("\n")[:2] == ["from the spec", str(here)], out.read_text()
    assert ended(bad) == JobState.FAILED
    assert bad.status.exit_code == 7, bad.status
    assert ended(long) in (JobState.CANCELED, JobState.FAILED), long.status
    assert "No such queue" in refusal(lsf, JobAttributes(queue_name="nowhere"))
    print("OK")


main()
sys.exit(0)
