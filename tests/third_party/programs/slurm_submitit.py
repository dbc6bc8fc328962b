"""submitit: a function, an array, several tasks, an error, a cancelled job, one that goes on."""

import os
import sys
import time
from pathlib import Path

import submitit
from submitit.core.utils import FailedJobError, UncompletedJobError


def add(left: int, right: int) -> int:
    return left + right


def rank() -> tuple[int, int, str]:
    environment = submitit.JobEnvironment()
    return environment.global_rank, environment.num_tasks, environment.hostnames[0]


def fail() -> None:
    raise ValueError("on purpose")


class Counting:
    """Counts until it is told to go on; saves how far it came."""

    def __init__(self) -> None:
        self.so_far = 0

    def __call__(self) -> int:
        if self.so_far:
            return self.so_far
        Path("counting").touch()
        while True:
            self.so_far += 1
            time.sleep(0.05)

    def checkpoint(self) -> submitit.helpers.DelayedSubmission:
        return submitit.helpers.DelayedSubmission(self)


def until(condition) -> None:
    ends = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < ends
        time.sleep(0.05)


def result(job):
    until(lambda: job.done(force_check=True))
    return job.results()


def main(folder: Path) -> None:
    os.chdir(folder)
    executor = submitit.AutoExecutor(folder=folder / "%j", cluster="slurm")
    executor.update_parameters(timeout_min=5, slurm_partition="default", name="one of ours", mem_gb=0.1)
    print("add", result(executor.submit(add, 2, 3)))
    executor.update_parameters(slurm_array_parallelism=2)
    print("array", [result(job)[0] for job in executor.map_array(add, [1, 2, 3], [10, 20, 30])])
    executor.update_parameters(tasks_per_node=2)
    print("ranks", [found[:2] for found in result(executor.submit(rank))])
    executor.update_parameters(tasks_per_node=1)
    failed = executor.submit(fail)
    until(lambda: failed.done(force_check=True))
    print("failed", isinstance(failed.exception(), FailedJobError), "on purpose" in str(failed.exception()))
    endless = executor.submit(time.sleep, 300)
    until(lambda: endless.watcher.get_state(endless.job_id, mode="force") == "RUNNING")
    endless.cancel()
    until(lambda: endless.watcher.get_state(endless.job_id, mode="force").startswith("CANCELLED by"))
    print("cancelled", isinstance(endless.exception(), UncompletedJobError))
    counting = executor.submit(Counting())
    until((folder / "counting").exists)
    time.sleep(0.3)
    counting._interrupt()
    print("went on", result(counting)[0] > 0)


main(Path(sys.argv[1]))
