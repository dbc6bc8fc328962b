"""A timeline of CPUs as one document for a browser."""

from os import PathLike, fspath
from typing import Any

import numpy as np

from molokini.page.columns import column
from molokini.page.single import document
from molokini.process_sim.replaying import ScenarioReplay
from molokini.process_sim.tracing import rows_of
from molokini.process_sim.words import SEGMENTS, Segment
from molokini.workloads.atomic import atomic_path

SCHEMA = "molokini.page-inside/1"


def write_timeline_page(
    done: ScenarioReplay, window_ns: tuple[int, int], heading: str, file: str | PathLike[str]
) -> None:
    """Write what the CPUs of *done* did in *window_ns* to *file*; the same bytes for the same run."""
    text = document(heading, timeline_data(done, window_ns, heading))
    with atomic_path(fspath(file)) as temporary:
        temporary.write_text(text, encoding="utf-8")


def timeline_data(done: ScenarioReplay, window_ns: tuple[int, int], heading: str) -> dict[str, Any]:
    """What ``recorded.js`` reads. Pieces name the row of their CPU and that of their process, -1: none."""
    rows = rows_of(done)
    of_cpu = {cpu: place for place, (cpu, process, _) in enumerate(rows) if process < 0}
    of_process = {(cpu, process): place for place, (cpu, process, _) in enumerate(rows) if process >= 0}
    pieces = done.pieces
    pairs = pieces[:, :2].tolist()
    columns = {
        "start": column(pieces[:, 3]),
        "length": column(pieces[:, 4] - pieces[:, 3]),
        "segment": column(pieces[:, 2]),
        "cpu": column(np.array([of_cpu[cpu] for cpu, _ in pairs], dtype=np.int64)),
        "process": column(np.array([of_process.get(pair, -1) for pair in map(tuple, pairs)], dtype=np.int64)),
    }
    return {
        "schema": SCHEMA,
        "title": heading,
        "from_ns": window_ns[0],
        "to_ns": window_ns[1],
        "rows": [{"name": name, "cpu": process < 0} for _, process, name in rows],
        "segments": [Segment(place).name.lower() for place in range(SEGMENTS)],
        "columns": columns,
    }
