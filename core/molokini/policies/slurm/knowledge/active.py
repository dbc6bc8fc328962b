"""Jobs that have been placed: those that run, and suspended ones, which keep what limits count."""

from molokini.compiled.compilation import inner
from molokini.tables.tables import View


@inner
def active_count(view: View) -> int:
    """How many run or are suspended."""
    return int(view.queue.running_count + view.queue.suspended_count)


@inner
def active_row(view: View, k: int) -> int:
    """Number *k* of them."""
    if k < view.queue.running_count:
        return int(view.queue.running[k])
    return int(view.queue.suspended[k - view.queue.running_count])
