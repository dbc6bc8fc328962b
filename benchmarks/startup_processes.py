"""Processes of the start-up benchmark (memory JOBS, log FILE, cold POLICY): each prints a number."""

import resource
import sys
import time


def memory_of(jobs: int) -> int:
    """Peak kilobytes of a replay of so many generated jobs."""
    from benchmarks.replays import replay_once
    from molokini.workloads.synthetic import benchmark_workload

    replay_once(benchmark_workload(jobs=jobs, load=0.85, seed=1), 1024, "easy")
    return _peak_kb()


def memory_of_log(path: str) -> int:
    """Peak kilobytes of a replay of a log."""
    from benchmarks.replays import replay_once
    from molokini.workloads.readers import read_workload

    workload = read_workload(path)
    replay_once(workload, workload.machine_processors or int(workload.processors.max()), "easy")
    return _peak_kb()


def cold(policy: str) -> float:
    """Seconds for which the engine and *policy* are compiled."""
    from molokini.experiments.replaying import compile_both
    from molokini.model.machine import Machine
    from molokini.policies import load_policy
    from molokini.sim.replay import Replay
    from molokini.workloads.synthetic import benchmark_workload

    replay = Replay(benchmark_workload(jobs=10), Machine.counted(1024), load_policy(policy))
    began_s = time.perf_counter()
    compile_both(replay)
    return time.perf_counter() - began_s


def _peak_kb() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def main(what: str, value: str) -> None:
    """Print the number that was asked for."""
    if what == "memory":
        print(memory_of(int(value)))
    elif what == "log":
        print(memory_of_log(value))
    else:
        print(cold(value))


if __name__ == "__main__":
    main(*sys.argv[1:])
