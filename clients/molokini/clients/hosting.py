"""The command as the host of a run: it says what takes long, and ends what does not end."""

import sys

from molokini.clients.compiling import compilation_told
from molokini.clients.failures import describe
from molokini.clients.watching import stuck, watched
from molokini.experiments.host import Host
from molokini.parallel.progress import progress_bar


def note(text: str) -> None:
    """Say on standard error what the user of a result should know."""
    print(f"molokini: {text}", file=sys.stderr)


COMMAND = Host(watched, compilation_told, progress_bar, note, describe, stuck)
