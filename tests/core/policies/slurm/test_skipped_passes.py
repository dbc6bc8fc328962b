"""A backfill pass that can start nothing is not made: the same comes of it, and the timer keeps its phase."""

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from molokini.policies.slurm.knowledge.kept_state import mine
from tests.kit.replays import outcome
from tests.kit.slurm import Ran, Sbatch, settings_of, slurm


@st.composite
def streams(draw: st.DrawFn) -> list[Sbatch]:
    """Jobs that often fill the small machine, submitted within two minutes."""
    jobs = []
    for _ in range(draw(st.integers(1, 12))):
        nodes = draw(st.sampled_from([0, 0, 1, 2, 4]))
        jobs.append(
            Sbatch(
                float(draw(st.integers(0, 120))),
                float(draw(st.integers(1, 90))),
                float(draw(st.integers(1, 4))),
                tasks=draw(st.sampled_from([1, 2, 4, 8, 16])),
                nodes=nodes,
                queue=draw(st.sampled_from(["batch", "low"])),
            )
        )
    return sorted(jobs, key=lambda job: job.at)


def run(jobs: list[Sbatch], chosen: dict[str, Any], skipping: bool, compiled: bool = False) -> Ran:
    ran = slurm([replace(job, x=False) for job in jobs], settings_of(chosen), compiled=compiled)
    # Where sizes that are found in passes change priorities, all of a pass is made.
    mine(ran.replay.tables).whole = 0 if skipping else 1
    assert ran.replay.run()
    return ran


CHOSEN: list[dict[str, Any]] = [
    {"bf_interval_s": 10.0},
    {"bf_interval_s": 7.0, "backfill_phase_s": -3.0, "completing_s": 0.0},
]


@pytest.mark.parametrize("chosen", CHOSEN, ids=str)
@given(jobs=streams())
@settings(max_examples=60, deadline=None)
def test_the_same_comes_of_a_run_that_skips_no_pass(chosen: dict[str, Any], jobs: list[Sbatch]) -> None:
    skips, whole = run(jobs, chosen, skipping=True), run(jobs, chosen, skipping=False)
    assert outcome(skips.replay.schedule()) == outcome(whole.replay.schedule())
    assert mine(whole.replay.tables).skipped == 0
    assert mine(skips.replay.tables).passes == mine(whole.replay.tables).passes
    assert mine(skips.replay.tables).last_backfill_s == mine(whole.replay.tables).last_backfill_s


def test_passes_of_a_full_machine_are_skipped() -> None:
    jobs = [Sbatch(0, 100, 3, tasks=16, nodes=4), Sbatch(1, 10, 1, tasks=1), Sbatch(20, 10, 1, tasks=1)]
    assert mine(run(jobs, CHOSEN[0], skipping=True).replay.tables).skipped > 0


def test_sizes_of_whole_nodes_are_found_while_nothing_can_start() -> None:
    """Nodes that are never shared count whole once a pass has looked for them, and so does the size."""
    chosen = {"select_type": "linear", "priority_weight_job_size": 1000.0, "priority_calc_period_s": 60.0}
    jobs = [Sbatch(0, 1000, 100, tasks=16, nodes=4), Sbatch(1, 5, 10, tasks=1)]
    told = [slurm(jobs, settings_of(chosen)).until(at_s).priorities()[1] for at_s in (2.0, 100.0)]
    assert told == [float(int((1 / 4 + 1 / 16) / 2 * 1000)), (1 / 4 + 4 / 16) / 2 * 1000]
