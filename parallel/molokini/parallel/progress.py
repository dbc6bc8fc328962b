"""A bar on the terminal while something long runs."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from molokini.cycle.ports import Progress


@contextmanager
def progress_bar(what: str) -> Iterator[Progress | None]:
    """A bar on standard error, or in a notebook, while something long runs, if a person looks; else None."""
    if not (sys.stderr.isatty() or "ipykernel" in sys.modules):
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
