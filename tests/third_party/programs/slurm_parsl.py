"""parsl's Slurm provider: a block of the high-throughput executor runs applications; a job's states alone."""

import sys
import time
from pathlib import Path

import parsl
from parsl.app.app import bash_app, python_app
from parsl.config import Config
from parsl.executors import HighThroughputExecutor
from parsl.jobs.states import JobState
from parsl.launchers import SimpleLauncher, SrunLauncher
from parsl.providers import SlurmProvider


@python_app
def square(number):
    return number * number


@bash_app
def greet(stdout=None):
    return "echo greetings from $SLURM_JOB_NAME"


def states(folder: Path) -> None:
    provider = SlurmProvider(
        partition="default", walltime="00:05:00", launcher=SimpleLauncher(), exclusive=False, worker_init=""
    )
    provider.script_dir = str(folder)
    good = provider.submit("echo fine; exit 0", 1, "good")
    bad = provider.submit("exit 4", 1, "bad")
    long = provider.submit("sleep 300", 1, "long")
    found = {}
    ends = time.monotonic() + 60
    while time.monotonic() < ends:
        found = dict(zip(("good", "bad", "long"), provider.status([good, bad, long]), strict=True))
        if found["good"].terminal and found["bad"].terminal and found["long"].state == JobState.RUNNING:
            break
        time.sleep(0.2)
    print("good", found["good"].state.name, found["good"].stdout.strip())
    print("bad", found["bad"].state.name)
    print("long", found["long"].state.name, provider.cancel([long]))
    print("long", provider.status([long])[0].state.name)


def main(folder: Path) -> None:
    states(folder)
    provider = SlurmProvider(
        partition="default",
        walltime="00:05:00",
        launcher=SrunLauncher(),
        nodes_per_block=1,
        cores_per_node=2,
        mem_per_node=1,
        init_blocks=1,
        max_blocks=1,
        exclusive=False,
        worker_init=f"export PATH={Path(sys.executable).parent}:$PATH",
    )
    executor = HighThroughputExecutor(
        label="ours", address="127.0.0.1", max_workers_per_node=2, provider=provider, encrypted=False
    )
    with parsl.load(Config(executors=[executor], run_dir=str(folder / "runs"), usage_tracking=0)):
        print("squares", [one.result(timeout=90) for one in [square(number) for number in range(5)]])
        greet(stdout=str(folder / "greeting")).result(timeout=60)
        print("greeting", (folder / "greeting").read_text().split(".")[0].strip())


if __name__ == "__main__":
    main(Path(sys.argv[1]))
