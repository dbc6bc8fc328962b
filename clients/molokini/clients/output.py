"""Files that the command writes: checked before anything runs, and written whole or not at all."""

import importlib.util
import json
import os
import sys
import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from molokini.model.errors import BadFile, BadInput, BadValue, MissingExtra
from molokini.workloads.atomic import atomic_path

STANDARD_OUTPUT = "-"
TABLE_ENDINGS = (".csv", ".csv.gz", ".swf", ".swf.gz", ".parquet", ".trace")
_NO_JSON = (*TABLE_ENDINGS, ".cfg", ".toml", ".py")
"""What the inputs of commands are called: a word behind ``--json`` may have been meant as one."""


def check_outputs(files: Mapping[str, str | None], sources: Iterable[str] = ()) -> None:
    """Complain now about output files (by option) that could not be written later.

    None of them may be one of *sources*, nor named twice.
    """
    taken = {os.path.realpath(source): "the input" for source in sources}
    for option, name in files.items():
        if name is None or name == STANDARD_OUTPUT:
            continue
        if not name:
            raise BadValue(option, name, "the name of a file")
        if option == "--json" and name.lower().endswith(_NO_JSON):
            raise BadInput(f"--json {name}: that is no name of JSON; write --json=- for standard output")
        path = Path(name)
        real = os.path.realpath(path)
        if real in taken:
            raise BadInput(f"{option} {name}: that is {taken[real]}, too")
        taken[real] = f"the file of {option}"
        if path.is_dir():
            raise BadFile(name, "is a directory")
        if not path.parent.is_dir():
            raise BadFile(name, f"there is no folder {str(path.parent)!r} to write it to")
        if not path.exists() or path.is_file():
            _try_folder(name, Path(real).parent)


def _try_folder(name: str, folder: Path) -> None:
    # Permissions do not tell all: some file systems refuse even an administrator.
    try:
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        raise BadFile(name, f"nothing can be written to its folder: {error.strerror or error}") from None


def check_table(option: str, name: str | None) -> None:
    """Complain about the ending of a workload or schedule file, or a missing Parquet library."""
    if name is None:
        return
    if not name.lower().endswith(TABLE_ENDINGS):
        raise BadValue(option, name, "a file name that ends in one of " + ", ".join(TABLE_ENDINGS))
    if name.lower().endswith(".parquet") and importlib.util.find_spec("pyarrow") is None:
        raise MissingExtra("pyarrow", "parquet", "Parquet")


def check_picture(option: str, name: str | None) -> None:
    """Complain about the ending of a picture; MissingExtra without the library that draws it."""
    if name is None:
        return
    from molokini.plots.files import checked_format

    try:
        checked_format(name)
    except BadValue as error:
        raise BadValue(option, name, error.allowed) from None


def write_json(results: Mapping[str, Any], name: str | None) -> None:
    """Write *results* to the file *name*, to standard output for ``-``, nowhere for None."""
    if name is None:
        return
    # Only ASCII: no terminal obeys what a log's header holds, and any encoding can carry it.
    text = json.dumps(results, indent=2, allow_nan=False) + "\n"
    if name == STANDARD_OUTPUT:
        sys.stdout.write(text)
        return
    with atomic_path(name) as temporary:
        temporary.write_text(text, encoding="ascii")
