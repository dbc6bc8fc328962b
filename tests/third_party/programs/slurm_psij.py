"""psij's Slurm executor: jobs that end well, badly, by cancelling; attributes; the list of its jobs."""

import sys
from datetime import timedelta
from pathlib import Path

from psij import Job, JobAttributes, JobExecutor, JobSpec, JobState, ResourceSpecV1

WAIT = timedelta(seconds=60)


def main(folder: Path) -> None:
    executor = JobExecutor.get_instance("slurm")
    executor.config.queue_polling_interval = 1
    executor.config.initial_queue_polling_delay = 1
    good = Job(
        JobSpec(
            executable="/bin/sh",
            arguments=["-c", 'echo "$SLURM_NTASKS $FRUIT"; cat "$PSIJ_NODEFILE" | wc -l'],
            stdout_path=folder / "good.out",
            environment={"FRUIT": "a pear"},
            directory=folder,
            name="good one",
            attributes=JobAttributes(duration=timedelta(minutes=5), queue_name="default"),
            resources=ResourceSpecV1(process_count=2, processes_per_node=2, cpu_cores_per_process=1),
            launcher="single",
        )
    )
    bad = Job(JobSpec(executable="/bin/sh", arguments=["-c", "exit 5"], launcher="single"))
    long = Job(JobSpec(executable="/bin/sleep", arguments=["300"], launcher="single"))
    for job in (good, bad, long):
        executor.submit(job)
    print("listed", {job.native_id for job in (good, bad, long)} <= set(executor.list()))
    print("good", good.wait(WAIT).state.name, (folder / "good.out").read_text().split("\n")[:2])
    status = bad.wait(WAIT)
    print("bad", status.state.name, status.exit_code)
    long.wait(WAIT, [JobState.ACTIVE])
    long.cancel()
    print("long", long.wait(WAIT).state.name)
    attached = Job()
    executor.attach(attached, good.native_id)
    print("attached", attached.wait(WAIT).state.name)


main(Path(sys.argv[1]))
