"""What the policy tells of itself: why jobs wait, the numbers by which they rank, and their parts."""

from dataclasses import replace
from typing import Any

import pytest

from molokini.model.decisions import Rule
from molokini.policies import load_policy
from molokini.policies.slurm.configuration.settings import Partition
from molokini.policies.slurm.configuration.words import PartitionState
from molokini.tables.tables import NEVER
from tests.kit.slurm import FOUR, WEIGHTS, Ran, Sbatch, settings_of, slurm

INSIGHT = load_policy("slurm").insight
HOLDER = Sbatch(0, 1000, 100, **FOUR)


def told(ran: Ran, number: int) -> tuple[str, str]:
    """The word for why a job waits, and the sentence."""
    t, row = ran.asked(70.0), ran.row(number)
    rule = Rule(int(t.reasons.rule[row]))
    sentence = INSIGHT.told(t, row, rule)
    return INSIGHT.word(t, row), sentence[0] if sentence is not None else ""


@pytest.mark.parametrize(
    ("own", "word", "says"),
    [
        ({"max_time_s": 1800.0}, "PartitionTimeLimit", "its time limit, 1 h, is beyond the MaxTime of its"),
        ({"max_nodes": 1.0}, "PartitionNodeLimit", "it needs 2 nodes at least and may have 1 at most"),
        ({"min_nodes": 3}, "PartitionNodeLimit", "it needs 3 nodes at least and may have 2 at most"),
        ({"state": PartitionState.DOWN}, "PartitionDown", "its partition is down"),
        ({"allow_accounts": ("a",)}, "AccountNotAllowed", "its account may not use its partition"),
        ({}, "Resources", ""),
    ],
)
def test_a_partition_that_keeps_a_job_out_is_the_reason(own: dict[str, Any], word: str, says: str) -> None:
    jobs = [HOLDER, Sbatch(1, 5, 60, nodes=2, queue="low")]
    parts = (Partition("batch"), Partition("low", **own))
    found, sentence = told(slurm(jobs, settings_of(partitions=parts)).until(70.0), 1)
    assert found == word
    assert sentence.startswith(says)


def test_priorities_are_those_of_the_passes_and_their_parts_add_up() -> None:
    jobs = [
        HOLDER,
        Sbatch(1, 5, 20, nodes=1, tasks=4, user="sys", queue="low", qos="high", nice=100),
        Sbatch(1, 5, 10, tasks=1, user="daemon"),
    ]
    ran = slurm(jobs, settings_of(WEIGHTS)).until(2.0)
    t, wanted = ran.asked(2.0), ran.priorities()
    rows = [ran.row(number) for number in wanted]
    assert INSIGHT.priorities(t) == dict(zip(rows, wanted.values(), strict=True))
    for row, found in zip(rows, INSIGHT.explained(t, rows, 2.0), strict=True):
        assert found.priority == INSIGHT.priorities(t)[row]
        assert int(sum(part.product for part in found.parts)) == found.priority
    assert {part.component for part in found.parts} >= {"fairshare", "job-size", "partition", "tres"}


@pytest.mark.parametrize("nodes", [4, 3])
def test_a_plan_is_told_where_there_is_one(nodes: int) -> None:
    """Also where backfill leaves out jobs that cannot start: all on a full machine, the widest on another."""
    jobs = [
        replace(HOLDER, nodes=nodes, tasks=4 * nodes),
        Sbatch(1, 5, 60, nodes=4, tasks=16),
        Sbatch(2, 5, 600, nodes=9),
    ]
    ran = slurm(jobs, settings_of({"bf_interval_s": 10.0})).until(70.0)
    t = ran.asked(70.0)
    assert 6000.0 <= INSIGHT.planned_s(t, ran.row(1)) < 6060.0
    assert INSIGHT.planned_s(t, ran.row(2)) == NEVER
    assert INSIGHT.ranked(t)[0] == ran.row(1)


@pytest.mark.parametrize(("again", "wanted"), [("off", 1.0), ("on", 600.0)])
def test_priorities_of_running_jobs_are_found_again_where_that_is_asked(again: str, wanted: float) -> None:
    """A point a second: it started at once, and two calculations have been made since."""
    aging = {"priority_weight_age": 604_800.0, "calculate_running": again}
    ran = slurm([HOLDER, Sbatch(1, 5, 5, **FOUR)], settings_of(aging)).until(700.0)
    assert INSIGHT.priority_at_start(ran.replay.tables, ran.row(0)) == wanted
