"""dask-jobqueue's LSFCluster: two workers, each a job, compute a sum. Prints OK, or fails.

Run by an interpreter that has dask-jobqueue, with the commands of LSF on the path, in a scratch folder.
"""

# mypy: disable-error-code="import-not-found"

import subprocess
import time

from dask.distributed import Client
from dask_jobqueue import LSFCluster

DEADLINE_S = 120


def listed() -> list[str]:
    words = ["bjobs", "-noheader", "-o", "jobid job_name"]
    return subprocess.run(words, capture_output=True, text=True, check=True).stdout.splitlines()


def square(number: int) -> int:
    return number * number


def computed(use_stdin: bool) -> None:
    with LSFCluster(
        cores=1,
        memory="500MB",
        queue="default",
        project="proj",
        walltime="0:05",
        use_stdin=use_stdin,
        scheduler_options={"host": "127.0.0.1"},
        log_directory="logs",
        job_name="dask-worker",
    ) as cluster:
        cluster.scale(jobs=2)
        with Client(cluster) as client:
            client.wait_for_workers(2, timeout=DEADLINE_S)
            assert len(listed()) == 2, listed()
            assert client.submit(sum, client.map(square, range(10))).result(timeout=DEADLINE_S) == 285
    until = time.monotonic() + DEADLINE_S
    while listed():
        assert time.monotonic() < until, listed()
        time.sleep(0.2)


if __name__ == "__main__":
    computed(use_stdin=True)
    computed(use_stdin=False)
    print("OK")
