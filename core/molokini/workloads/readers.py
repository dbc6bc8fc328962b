"""Workload files of every format, chosen by the ending of the name."""

from collections.abc import Callable
from pathlib import Path
from typing import Protocol

from molokini.model.errors import BadValue
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


def _format(path: str | Path) -> tuple[Reader, Writer] | None:
    name = Path(path).name.lower()
    return next((pair for ending, pair in FORMATS.items() if name.endswith(ending)), None)


def read_workload(path: str | Path, *, strict: bool = False, limit: int | None = None) -> Workload:
    """Read a workload in the format that its name says; any other name is taken for SWF.

    *strict* and *limit* as for ``read_swf``. Raises ``BadFile``, and ``MissingExtra`` for Parquet
    without its library.
    """
    known = _format(path)
    read = read_swf if known is None else known[0]
    return read(path, strict=strict, limit=limit)


def write_workload(workload: Workload, path: str | Path) -> None:
    """Write a workload in the format that the name says, whole or not at all.

    Raises ``BadValue`` for a name that says none, ``BadFile`` where it cannot be written.
    """
    known = _format(path)
    if known is None:
        raise BadValue("output file", str(path), f"a name that ends in {', '.join(FORMATS)}")
    known[1](workload, path)
