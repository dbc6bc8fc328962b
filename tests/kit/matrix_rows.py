"""Jobs, settings and outcomes of policies of rows."""

from typing import Any

import numpy as np
from hypothesis import strategies as st

from molokini.policies import load_policy
from molokini.sim.replay import Replay
from molokini.tables.rows import rows_of
from molokini.tables.tables import Tables
from tests.kit.replays import ends, finished, starts
from tests.kit.workloads import Job

BLOCKS = "buddy-gang"
GANG = ("gs", "bgs", "mgs", "mbgs")
Spans = list[tuple[float | None, float | None]]


def job(width: int, run: float, at: float = 0.0) -> Job:
    """A job in the order in which scenarios write them."""
    return Job(at, run, width)


def spans(jobs: list[Job], policy: str, columns: int = 4, rows: int = 2, **values: Any) -> Spans:
    """(start, end) of every job, in plain Python, without any rounding beyond the tenth digit."""
    replay = finished(jobs, policy, columns, {"mpl": rows, **values}, interpreted=True)
    return spans_of(replay)


def spans_of(replay: Replay) -> Spans:
    """(start, end) of every job."""
    found = zip(starts(replay), ends(replay), strict=True)
    return [tuple(None if at is None else round(at, 9) for at in both) for both in found]  # type: ignore[misc]


def picture(t: Tables) -> list[str]:
    """The rows of the matrix: the number of the job in every column, a dot where there is none."""
    width = int(t.machine.processors_in_all)
    lines = [["."] * width for _ in range(t.matrix.count)]
    for row in t.queue.running[: t.queue.running_count].tolist():
        for r in range(t.matrix.count):
            if rows_of(t, row) >> r & 1:
                for column in columns_of(t, row):
                    assert lines[r][column] == ".", f"two jobs in row {r}, column {column}"
                    lines[r][column] = str(t.jobs.number[row])
    return ["".join(line) for line in lines]


def columns_of(t: Tables, row: int) -> list[int]:
    """The columns of a job."""
    return numbers_in(t.matrix.bits[row])


def numbers_in(words: Any) -> list[int]:
    """The columns of a set that is kept as bits of several numbers."""
    bits = 0
    for word, part in enumerate(np.asarray(words).tolist()):
        bits |= part << 62 * word
    return [column for column in range(bits.bit_length()) if bits >> column & 1]


@st.composite
def row_settings(draw: st.DrawFn) -> dict[str, Any]:
    """How rows take turns, and what migration costs."""
    return {
        "mpl": draw(st.integers(1, 4)),
        "context_switch": draw(st.sampled_from([0.0, 0.25])),
        "switch": draw(st.sampled_from(["every", "changed"])),
        "columns": draw(st.sampled_from(["lowest", "emptiest"])),
        "mode": draw(st.sampled_from(["rate", "exact"])),
        "quantum_s": 4.0,
        "migration_cost": draw(st.sampled_from([0.0, 1.0])),
        "migrated_tasks": draw(st.sampled_from([0, 2, 64])),
    }


def declared_of(policy: str, values: dict[str, Any]) -> dict[str, Any]:
    """Those that the policy has."""
    declared = {parameter.name for parameter in load_policy(policy).declaration.parameters}
    return {name: value for name, value in values.items() if name in declared}
