"""Workload files of every format, chosen by what a file holds, or by the ending of its name."""

from collections.abc import Callable
from pathlib import Path
from typing import Protocol

from molokini.accounting.formats import READERS as HISTORIES
from molokini.model.errors import BadFile, BadValue, UnknownName
from molokini.workloads.detection import detected
from molokini.workloads.histories import form_of_folder, read_history
from molokini.workloads.maui_trace import read_trace, write_trace
from molokini.workloads.swf import read_swf, write_swf
from molokini.workloads.tables import read_csv, read_parquet, write_table
from molokini.workloads.workload import Workload


class Reader(Protocol):
    """A function that reads a file of one format."""

    def __call__(self, path: str | Path, *, strict: bool = False, limit: int | None = None) -> Workload:
        """The workload in the file; raises ``BadFile``."""
        ...


Writer = Callable[[Workload, str | Path], None]

FORMATS: dict[str, tuple[Reader, Writer]] = {
    ".swf": (read_swf, write_swf),
    ".swf.gz": (read_swf, write_swf),
    ".csv": (read_csv, write_table),
    ".csv.gz": (read_csv, write_table),
    ".parquet": (read_parquet, write_table),
    ".trace": (read_trace, write_trace),
}
"""Reader and writer by the ending of a file's name."""


INPUT_FORMATS = ("swf", "csv", "parquet", "trace", *HISTORIES)
"""Names by which a reader can be chosen."""


def _format(path: str | Path) -> tuple[Reader, Writer] | None:
    name = Path(path).name.lower()
    return next((pair for ending, pair in FORMATS.items() if name.endswith(ending)), None)


def format_of(path: str | Path) -> str:
    """A name of ``INPUT_FORMATS``: by what the file holds where that tells, else by how its name ends.

    A folder has the format of what is in it. Raises BadFile.
    """
    path = Path(path)
    if path.is_dir():
        form = form_of_folder(path)
        if form is None:
            raise BadFile(str(path), f"the folder holds no accounting ({', '.join(HISTORIES)})")
        return form
    name = path.name.lower()
    ending = next((ending for ending in FORMATS if name.endswith(ending)), None)
    content = None if ending == ".parquet" else detected(path)
    # A trace is known by its many words alone; a name that says something else is right.
    if content is not None and (content in HISTORIES or ending is None):
        return content
    return ending.split(".")[1] if ending else "swf"


def read_workload(
    path: str | Path,
    *,
    strict: bool = False,
    limit: int | None = None,
    form: str | None = None,
    per_node: int | None = None,
) -> Workload:
    """Read a workload in the format *form*; None: that of its content or name, SWF where neither tells.

    *strict* and *limit* as for ``read_swf``; *per_node*: processors of each node, for accounting that tells
    of nodes alone. Raises ``BadFile``, ``UnknownName`` for a format that there is not, and ``MissingExtra``
    for Parquet without its library.
    """
    if form is not None and form not in INPUT_FORMATS:
        raise UnknownName("input format", form, INPUT_FORMATS)
    chosen = form or format_of(path)
    if chosen in HISTORIES:
        return read_history(path, chosen, strict=strict, limit=limit, per_node=per_node)
    return FORMATS[f".{chosen}"][0](path, strict=strict, limit=limit)


def write_workload(workload: Workload, path: str | Path) -> None:
    """Write a workload in the format that the name says, whole or not at all.

    Raises ``BadValue`` for a name that says none, ``BadFile`` where it cannot be written.
    """
    known = _format(path)
    if known is None:
        raise BadValue("output file", str(path), f"a name that ends in {', '.join(FORMATS)}")
    known[1](workload, path)
