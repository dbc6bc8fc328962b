"""The JSON of commands on a live cluster in a file: whole or not at all, or piece by piece as it comes.

Commands that replay write theirs themselves (``output.py``), beside what they print.
"""

import contextlib
import io
from collections.abc import Iterator

from molokini.clients.arguments.shared import STANDARD_OUTPUT, JsonArguments


@contextlib.contextmanager
def json_written(arguments: object) -> Iterator[None]:
    """Inside, what is printed goes to the file that *arguments* name behind ``--json``, if they name one.

    The file is written at the end, if nothing was raised inside. The file of a command whose output has no
    end grows line by line. Raises BadFile for a file that cannot be written, before anything is done.
    """
    if not isinstance(arguments, JsonArguments) or arguments.json_file in (None, STANDARD_OUTPUT):
        yield
        return
    from molokini.clients.output import check_outputs
    from molokini.workloads.atomic import atomic_path

    name = str(arguments.json_file)
    check_outputs({"--json": name})
    if arguments.json_goes_on:
        with open(name, "w", encoding="ascii", buffering=1) as file, contextlib.redirect_stdout(file):
            yield
        return
    text = io.StringIO()
    with contextlib.redirect_stdout(text):
        yield
    with atomic_path(name) as temporary:
        temporary.write_text(text.getvalue(), encoding="ascii")
