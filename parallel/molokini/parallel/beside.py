"""One piece of work in a forked process, while this one does another."""

import multiprocessing
import os
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout, suppress


@contextmanager
def beside(work: Callable[[], object]) -> Iterator[None]:
    """Do *work* in a process of its own while the block runs, and wait for both.

    What comes of *work* must be found elsewhere: neither its result nor its failure comes back. Where there
    is one core alone, it is not begun at all. The process says nothing, and does not outlive this one.
    """
    if len(os.sched_getaffinity(0)) < 2:
        yield
        return
    process = multiprocessing.get_context("fork").Process(target=_quietly, args=(work,), daemon=True)
    process.start()
    try:
        yield
        process.join()
    finally:
        process.kill()
        process.join()


def _quietly(work: Callable[[], object]) -> None:
    # Ctrl-C goes to the whole group; the parent alone answers it, and to the signal that ends it, too.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    with open(os.devnull, "w") as nowhere, redirect_stdout(nowhere), redirect_stderr(nowhere):
        # What is written below Python, by a library in C, goes the same way.
        os.dup2(nowhere.fileno(), 1)
        os.dup2(nowhere.fileno(), 2)
        with suppress(Exception):
            work()
