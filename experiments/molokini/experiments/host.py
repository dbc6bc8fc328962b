"""The caller of a run, as far as it looks on: a command does, a notebook does not."""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass

from molokini.cycle.ports import Progress
from molokini.policies import LoadedPolicy

Guard = Callable[[LoadedPolicy], AbstractContextManager[object]]


def _no_bar(what: str) -> AbstractContextManager[Progress | None]:
    return nullcontext()


def _plainly(error: BaseException) -> tuple[str, int]:
    from molokini.parallel.guarding import plainly  # which a single replay does not need

    return plainly(error)


@dataclass(frozen=True)
class Host:
    """What is called around the steps of a run; nothing changes what comes of it."""

    guard: Guard = nullcontext
    """Around each replay under a policy, in whatever process it is."""
    compiling: Callable[[Sequence[str]], AbstractContextManager[object]] = nullcontext
    """Around what compiles policies of these names, where they are not in the cache."""
    bar: Callable[[str], AbstractContextManager[Progress | None]] = _no_bar
    note: Callable[[str], object] = str
    """Called with each line that the user of a result should read, as soon as it is known."""
    describe: Callable[[BaseException], tuple[str, int]] = _plainly
    """One line about an error in another process, and its exit code."""
    where: Callable[[], str] = str
    """What another process is doing that does not end."""


NOBODY = Host()
