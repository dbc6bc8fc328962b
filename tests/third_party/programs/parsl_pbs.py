"""parsl with the provider that the first argument names, pbspro or torque: functions run in a job."""

import os
import sys

import parsl
from parsl.config import Config
from parsl.executors import HighThroughputExecutor
from parsl.launchers import SimpleLauncher
from parsl.providers import PBSProProvider, TorqueProvider

NAME = sys.argv[1]
common = {
    "queue": "default",
    "account": "acct",
    "nodes_per_block": 1,
    "init_blocks": 1,
    "max_blocks": 1,
    "walltime": "00:10:00",
    "launcher": SimpleLauncher(),
    "worker_init": f"export PATH={os.path.dirname(sys.executable)}:$PATH",
}
provider = (
    PBSProProvider(cpus_per_node=2, **common)
    if NAME == "pbspro"
    else TorqueProvider(scheduler_options="#PBS -r n", **common)
)
executor = HighThroughputExecutor(
    label="htex", address="127.0.0.1", max_workers_per_node=1, provider=provider, encrypted=False
)


@parsl.python_app
def job_name(number):
    import os

    return number, os.environ["PBS_JOBID"]


if __name__ == "__main__":
    with parsl.load(Config(executors=[executor], strategy="none", run_dir=os.path.abspath("runinfo"))):
        found = [job_name(number).result(timeout=90) for number in (1, 2)]
        assert [number for number, _ in found] == [1, 2], found
        [block] = executor.blocks_to_job_id.values()
        assert {name for _, name in found} == {block}, (found, block)
        states = [status.state.name for status in provider.status([block])]
        assert states == ["RUNNING"], states
        assert provider.cancel([block]) == [True]
    print("parsl", NAME, "done")
