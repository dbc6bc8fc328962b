"""A DataFrame of pandas as a workload. Nothing of pandas is imported here: who has a DataFrame has pandas."""

from pathlib import Path
from typing import Any

import numpy as np

from molokini.model.errors import BadFile
from molokini.workloads.columns import OF_A_REPLAY, check_names, field_of, workload_of
from molokini.workloads.workload import SWF_FIELDS, Header, Workload

NAME = "DataFrame"
"""What such a workload is called, unless ``frame.attrs["name"]`` says something else."""


def is_frame(value: object) -> bool:
    """Whether *value* is a DataFrame."""
    kind = type(value)
    return kind.__name__ == NAME and kind.__module__.partition(".")[0] == "pandas"


def workload_of_frame(frame: Any, *, strict: bool = False, limit: int | None = None) -> Workload:
    """The jobs in the rows of *frame*, which has the columns of a CSV log or of a schedule.

    Raises ``BadFile`` for columns that are not known or missing, all in one line; *strict* and *limit* as for
    ``read_swf``, where "lines" are rows from 1.
    """
    path = Path(str(frame.attrs.get("name", NAME)))
    names = [str(name) for name in frame.columns]
    check_names(path, names)
    cells = {}
    for place, name in enumerate(names):
        if field_of(name) not in SWF_FIELDS and name not in OF_A_REPLAY:
            continue
        column = frame.iloc[:, place].to_numpy()
        if column.dtype.kind in "mM":
            raise BadFile(
                str(path), f"column {name!r} holds {column.dtype}; it must be numbers, seconds of a log"
            )
        cells[name] = column
    lines = np.arange(1, len(frame) + 1)
    return workload_of(path, cells, lines, Header(), strict=strict, limit=limit)
