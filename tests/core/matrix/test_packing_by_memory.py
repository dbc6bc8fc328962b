"""Rows chosen by the memory of their jobs, worked by hand."""

import numpy as np
import pytest

from molokini.model.errors import BadValue
from molokini.model.policy import Value
from molokini.policies import load_policy
from molokini.sim.replay import Replay
from molokini.workloads.workload import Floats
from tests.kit.replays import ends, outcome, prepared, starts
from tests.kit.workloads import Job

GB = 1024.0**2
GANG = ("gs", "mgs", "bgs", "mbgs")


def packed(sizes_gb: list[float], interpreted: bool = True, **values: Value) -> Replay:
    """Serial jobs of 10 s with these memories, all submitted at 0, on three processors in two rows."""
    jobs = [Job(submit=0, run=10) for _ in sizes_gb]
    policy = str(values.pop("policy", "gs"))
    memory_kb: Floats = np.array(sizes_gb) * GB
    given: dict[str, Value] = {"mpl": 2, "packing": "memory", **values}
    return prepared(jobs, policy, 3, given, memory_kb=memory_kb, interpreted=interpreted)


def homes(replay: Replay) -> list[int]:
    """The home row of each job once all have started."""
    replay.run(0.0)
    t = replay.tables
    rows = t.queue.running[: t.queue.running_count]
    homes: list[int] = t.matrix.home[rows][np.argsort(t.jobs.serial[rows])].tolist()
    return homes


@pytest.mark.parametrize("policy", GANG)
def test_the_largest_jobs_are_apart(policy: str) -> None:
    """6 | 5, then 4 beside 5 (9), 3 beside 6 (9); of equal rows the first gets 2 (11), the other 1 (10)."""
    assert homes(packed([6, 5, 4, 3, 2, 1], policy=policy)) == [0, 1, 1, 0, 0, 1]


@pytest.mark.parametrize("policy", GANG)
def test_by_columns_they_stand_as_they_come(policy: str) -> None:
    assert homes(packed([6, 5, 4, 3, 2, 1], policy=policy, packing="columns")) == [0, 0, 0, 1, 1, 1]


def test_memory_counts_for_each_processor() -> None:
    """A job of two processors with 2 GB each weighs 4; beside the next, of 3, the third stands, too."""
    jobs = [Job(submit=0, run=10, width=width) for width in (2, 1, 1)]
    replay = prepared(
        jobs,
        "gs",
        3,
        {"mpl": 2, "packing": "memory"},
        memory_kb=np.array([2.0, 3.0, 0.5]) * GB,
        interpreted=True,
    )
    assert homes(replay) == [0, 1, 1]


@pytest.mark.parametrize("interpreted", [False, True])
def test_a_row_holds_no_more_than_its_memory(interpreted: bool) -> None:
    """Two jobs of 0.6 GB stand in two rows of 1 GB, without copies: 20 s each. The third waits for them, and
    has both rows from then on."""
    replay = packed([0.6, 0.6, 0.6], interpreted, memory_gb=1.0)
    replay.run()
    assert starts(replay) == [0.0, 0.0, 20.0]
    assert ends(replay) == [20.0, 20.0, 30.0]


def test_more_memory_than_a_row_has_is_refused() -> None:
    replay = packed([2.0, 0.5], memory_gb=1.0)
    replay.run()
    assert replay.schedule().refused == {"never_placeable": 1}
    assert ends(replay) == [None, 10.0]


@pytest.mark.parametrize("policy", GANG)
def test_without_memories_rows_are_chosen_by_columns(policy: str) -> None:
    found = []
    for packing in ("memory", "columns"):
        replay = packed([0.0] * 9, policy=policy, packing=packing)
        replay.run()
        found.append(outcome(replay.schedule()))
    assert found[0] == found[1]


def test_a_memory_without_packing_by_it_is_refused() -> None:
    declaration = load_policy("gs").declaration
    with pytest.raises(BadValue, match="packing is memory"):
        declaration.values({"memory_gb": "4"})
