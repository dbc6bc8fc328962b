"""Some fault rows on real processes under load: nothing acknowledged is lost, run twice, or stuck.

``python -m tests.torture`` tries all rows, for longer; ``docs/torture.md`` tells how to read what it prints.
"""

import os

import pytest

from tests.torture.driver import torture

SEED = int(os.environ.get("MOLOKINI_SEED", "20261121"))
"""A seed with which CI failed stays failing: put it here by hand to see why."""

GROUPS = {
    "server": ("F1", "F3", "F4", "F5", "F42"),
    "crash points": ("F2",),
    "agents": ("F8", "F9", "F13", "F15", "F16", "F22"),
    "clients": ("F20", "F21", "F40", "F39", "F6", "F32"),
    "state": ("F23", "F27", "F28", "F29", "F30"),
}


@pytest.mark.waits
@pytest.mark.dear("a server and its agents are killed and started again")
@pytest.mark.quick("server")
@pytest.mark.parametrize("rows", GROUPS.values(), ids=GROUPS.keys())
async def test_a_cluster_under_faults(rows: tuple[str, ...]) -> None:
    """Each group is a cluster of its own, so that groups can run side by side."""
    report = await torture(SEED, seconds=150.0, scale=0.25, rows=rows, rounds=1)
    print("\n".join(report.lines()))
    assert report.good, "\n".join(report.lines())
    assert report.verdict.jobs > 20
    assert {*report.rows, *report.skipped} == {*rows}
    assert set(report.skipped) <= {"F23", "F30", "F32"}
