"""What the shell starts as ``molokini``.

The commands are a table (``commands.py``). Typer reads command lines by it (``typer_commands.py``); a plain
line of a command that scripts call most is carried out without Typer (``quick.py``).
"""

import os
import sys

from molokini.clients.failures import INTERRUPTED, TERMINATED, guarded
from molokini.clients.parted_words import joined
from molokini.clients.quick import quick


def run(arguments: list[str]) -> int:
    """Run the command line *arguments*; the exit code."""
    return guarded(lambda: _run(arguments))


def _run(arguments: list[str]) -> object:
    if (plain := quick(arguments)) is not None:
        return plain()
    from molokini.clients.typer_commands import app_for

    # A bare "molokini" is a question, not a mistake.
    arguments = joined(arguments)
    return app_for(arguments)(arguments or ["--help"], prog_name="molokini", standalone_mode=False)


def main() -> None:
    """What the shell starts."""
    code = run(sys.argv[1:])
    if code in (INTERRUPTED, TERMINATED):
        # At once: Python would wait for threads that wait for workers that are no more.
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)
    sys.exit(code)


if __name__ == "__main__":
    main()
