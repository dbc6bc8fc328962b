"""parsl's LSFProvider under its high-throughput executor: blocks as jobs, apps in them. Prints OK, or fails.

Run by an interpreter that has parsl, with the commands of LSF on the path, in a scratch folder.
"""

# mypy: disable-error-code="import-not-found,untyped-decorator"

import time
from pathlib import Path

import parsl
from parsl.config import Config
from parsl.executors import HighThroughputExecutor
from parsl.jobs.states import JobState
from parsl.providers import LSFProvider

DEADLINE_S = 90


@parsl.python_app
def job_and_square(number: int) -> tuple[str, int]:
    import os

    return os.environ["LSB_JOBID"], number * number


def by_itself() -> None:
    """The provider alone: submit, look, cancel; with a file as a word and on standard input."""
    for redirected in (False, True):
        provider = LSFProvider(
            walltime="00:05:00", bsub_redirection=redirected, request_by_nodes=False, cores_per_block=2,
            cores_per_node=2, project="proj", scheduler_options='#BSUB -R "span[hosts=1]"',
        )  # fmt: skip
        provider.script_dir = str(Path.cwd())
        short, long = provider.submit("echo here", 1), provider.submit("sleep 300", 1)
        until = time.monotonic() + DEADLINE_S
        while [one.state for one in provider.status([short, long])] != [JobState.COMPLETED, JobState.RUNNING]:
            assert time.monotonic() < until, provider.status([short, long])
            time.sleep(0.2)
        assert provider.cancel([long]) == [True]
        written = [path.read_text() for path in Path.cwd().glob("parsl.lsf.*.submit.stdout")]
        assert any("here" in text for text in written), written


def main() -> None:
    by_itself()
    provider = LSFProvider(nodes_per_block=1, init_blocks=2, max_blocks=2, walltime="00:05:00")
    executor = HighThroughputExecutor(
        label="lsf", provider=provider, max_workers_per_node=1, address="127.0.0.1", cores_per_worker=1
    )
    with parsl.load(Config(executors=[executor], run_dir="runinfo", strategy="none")):
        found = [job_and_square(number).result(timeout=DEADLINE_S) for number in range(4)]
    assert [square for _, square in found] == [0, 1, 4, 9], found
    assert all(job.isdigit() for job, _ in found), found
    print("OK")


if __name__ == "__main__":
    main()
