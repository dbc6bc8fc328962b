"""One replay, timed: the functions that every command runs a policy with."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from time import perf_counter

from molokini.clients.preparing import Chosen
from molokini.scheduling.ports import Progress
from molokini.scheduling.tables import NEVER, Machine
from molokini.sim.replay import Options, Replay
from molokini.sim.schedule import Schedule
from molokini.workloads.workload import Workload


def replayed(
    workload: Workload, machine: Machine, chosen: Chosen, options: Options, progress: Progress | None = None
) -> Schedule:
    """The schedule of *workload*; its ``elapsed_s`` is the replay alone, compilation left out."""
    return finished(prepared(workload, machine, chosen, options), progress)


def prepared(workload: Workload, machine: Machine, chosen: Chosen, options: Options) -> Replay:
    """A replay of *workload*, everything compiled that it will call."""
    replay = Replay(workload, machine, chosen.policy, chosen.values, options)
    replay.prepare()
    return replay


def finished(replay: Replay, progress: Progress | None = None) -> Schedule:
    """The schedule of *replay*, run to its end and timed."""
    before = perf_counter()
    replay.run(NEVER, progress)
    return replay.schedule(perf_counter() - before)


@contextmanager
def progress_bar(what: str) -> Iterator[Progress | None]:
    """A bar on standard error while something long runs, if a person is looking; else None."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import Progress as Bar
    from rich.text import Text

    # Drawn when something is done and not by a thread: a sweep forks.
    with Bar(console=Console(stderr=True), transient=True, auto_refresh=False) as bar:
        task = bar.add_task(str(Text(what).markup), total=None)

        def show(done: int, total: int) -> None:
            bar.update(task, completed=done, total=total, refresh=True)

        yield show
