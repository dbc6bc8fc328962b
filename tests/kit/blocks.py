"""Gang scheduling in blocks: how its classes and slots are set, and what it refuses and how it says so."""

from collections import Counter
from typing import Any

import pytest
from hypothesis import strategies as st

from molokini.sim.agenda import next_instant
from molokini.sim.replay import Replay
from molokini.tables.tables import Tables
from tests.kit.matrix_rows import columns_of

REFUSED = [
    ({"alpha_m": "0.9"}, "alpha_m: 0.9 is not allowed; it must be a number from 0 to alpha_l, 0.8"),
    ({"alpha_l": "1.5"}, "alpha_l: '1.5' is not allowed; it must be a number from 0 to 1"),
    ({"k_m": "-1"}, "k_m: '-1' is not allowed; it must be a whole number from 0 to 1,000,000,000"),
    ({"k_l": "-1"}, "k_l: '-1' is not allowed; it must be a whole number from 0 to 1,000,000,000"),
    ({"slots": "0"}, "slots: '0' is not allowed; it must be a whole number from 1 to 992"),
    ({"longest_s": "0"}, "longest_s: '0' is not allowed; it must be a number from 0.001"),
    ({"repack": "maybe"}, "repack: 'maybe' is not allowed; it must be one of yes, no"),
]
SIX = "processors: 6 is not allowed; it must be a power of two under buddy-gang, such as 4 or 8"
"""A machine of six processors."""
PROCESSORS = 8
LONGEST_S = 12.0
"""No job of these is longer."""
ALL_MEDIUM = {"alpha_m": 0.0, "alpha_l": 1.0, "longest_s": LONGEST_S}
"""But for jobs of estimate 0, which are short."""


@st.composite
def block_settings(draw: st.DrawFn) -> dict[str, Any]:
    """Classes, limits, and how slots are used."""
    alpha_m, alpha_l = sorted(draw(st.tuples(*[st.sampled_from([0.0, 0.15, 0.5, 0.8, 1.0])] * 2)))
    return {
        "longest_s": LONGEST_S,
        "alpha_m": alpha_m,
        "alpha_l": alpha_l,
        "k_m": draw(st.sampled_from([0, 1, 2, 6])),
        "k_l": draw(st.sampled_from([0, 1, 2])),
        "slots": draw(st.sampled_from([1, 3, 62, 100])),
        "repack": draw(st.sampled_from(["yes", "no"])),
        "several_slots": draw(st.sampled_from(["yes", "no"])),
        "backfill": draw(st.sampled_from(["skip", "none"])),
    }


def block_of(t: Tables, row: int) -> range:
    """The columns that a job keeps others from."""
    width = int(t.jobs.width[row])
    first = columns_of(t, row)[0]
    assert columns_of(t, row) == list(range(first, first + width))
    size = 1 << (width - 1).bit_length()
    assert first % size == 0, "a block is not aligned"
    return range(first, first + size)


def running(t: Tables) -> list[int]:
    """The rows of the jobs that run."""
    found: list[int] = t.queue.running[: t.queue.running_count].tolist()
    return found


def load_of(t: Tables, rows: list[int]) -> Counter[int]:
    """How many of these jobs have each column."""
    return Counter(column for row in rows for column in block_of(t, row))


def each_event(replay: Replay) -> Any:
    """The tables after each event of a replay that has not begun."""
    while not replay.run(next_instant(replay.agenda, replay.tables)):
        yield replay.tables


UNLIMITED: dict[str, Any] = {"alpha_m": 1.0, "alpha_l": 1.0, "k_m": 0, "k_l": 0, "longest_s": 100.0}
"""All jobs are short."""
both_ways = pytest.mark.parametrize("interpreted", [True, False], ids=["interpreted", "compiled"])
