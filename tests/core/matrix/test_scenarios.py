"""Small schedules worked out by hand: four columns, two rows, evenly shared, unless a test says otherwise."""

import pytest

from tests.kit.matrix_rows import job, picture, spans
from tests.kit.replays import prepared

FULL = [job(4, 10), job(4, 10), job(4, 10)]
IN_THE_WAY = [job(2, 20), job(2, 3), job(2, 20), job(2, 3), job(4, 5)]
TO_FILL = [job(2, 10), job(2, 10), job(1, 10), job(1, 2), job(1, 10), job(1, 2)]


def test_two_full_rows() -> None:
    assert spans(FULL, "gs") == [(0, 20), (0, 20), (20, 30)]


def test_two_full_rows_with_a_context_switch() -> None:
    end, last = round(20 / 0.95, 9), round(30 / 0.95, 9)
    assert spans(FULL, "gs", context_switch=0.05) == [(0, end), (0, end), (end, last)]


def test_two_full_rows_on_the_grid() -> None:
    assert spans(FULL, "gs", mode="exact", quantum_s=4) == [(0, 18), (0, 22), (18, 30)]


def test_jobs_beside_each_other_stand_in_both_rows() -> None:
    assert spans([job(2, 6), job(2, 6)], "gs") == [(0, 6), (0, 6)]


def test_copies_go_round_by_the_order_of_starts() -> None:
    assert spans([job(4, 9), job(4, 9)], "gs", rows=3) == [(0, 13.5), (0, 18)]


def test_compaction_makes_room_for_a_new_job() -> None:
    jobs = [job(2, 10), job(3, 4), job(1, 20), job(4, 3, at=9)]
    assert spans(jobs, "gs") == [(0, 17), (0, 8), (0, 23), (9, 15)]


def test_on_the_grid_a_job_moves_to_the_row_whose_slice_begins_at_this_instant() -> None:
    # Rows 1123 and 4445. At 8 s row 0 is next, and 3 and 4 have ended: 5 may have the whole slice of row 0.
    jobs = [job(2, 40), job(1, 40), job(1, 4), job(3, 4), job(1, 40), job(4, 4, at=8)]
    assert spans(jobs, "gs", mode="exact", quantum_s=4)[5] == (8, 16)


def test_without_compaction_the_new_job_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("molokini.policies.gs.compact", lambda view, now, planned: None)
    jobs = [job(2, 10), job(3, 4), job(1, 20), job(4, 3, at=9)]
    assert spans(jobs, "gs") == [(0, 14), (0, 8), (0, 23), (14, 20)]


@pytest.mark.parametrize("policy", ["gs", "mgs"])
def test_columns_in_the_way_without_migration(policy: str) -> None:
    none = {"migration_cost": 2, "migrated_tasks": 1} if policy == "mgs" else {}
    assert spans(IN_THE_WAY, policy, **none) == [(0, 40), (0, 6), (0, 40), (0, 6), (40, 45)]


@pytest.mark.parametrize("tasks", [2, 64])
def test_columns_in_the_way_and_migration(tasks: int) -> None:
    free = spans(IN_THE_WAY, "mgs", migration_cost=0, migrated_tasks=tasks)
    assert free == [(0, 28), (0, 6), (0, 28), (0, 6), (6, 16)]
    dear = spans(IN_THE_WAY, "mgs", migration_cost=2, migrated_tasks=tasks)
    assert dear == [(0, 30), (0, 6), (0, 29), (0, 6), (6, 16)]


@pytest.mark.parametrize("policy", ["mgs", "mbgs"])
def test_moves_that_need_no_migration_go_on_when_the_tasks_of_a_slice_are_spent(policy: str) -> None:
    # At 2 s both tasks that may migrate in this slice do. At 8 s job 5 starts in row 1; job 4 moves there in
    # its own column, which is free, and so row 0 has two columns for job 6.
    jobs = [job(1, 3), job(2, 5, at=2), job(2, 3, at=2), job(1, 7, at=2), job(3, 8, at=3), job(2, 8, at=3)]
    found = spans(jobs, policy, migration_cost=0, migrated_tasks=2, quantum_s=40)
    assert found == [(0, 3), (2, 12), (2, 8), (2, 10), (8, 24), (8, 24)]


def test_a_copy_for_which_others_move() -> None:
    assert spans(TO_FILL, "gs") == [(0, 20), (0, 20), (0, 20), (0, 4), (0, 20), (0, 4)]
    migrated = spans(TO_FILL, "mgs", migration_cost=0)
    assert migrated == [(0, 12), (0, 16), (0, 16), (0, 4), (0, 16), (0, 4)]


def test_one_row() -> None:
    jobs = [job(3, 10), job(2, 10), job(1, 10)]
    assert spans(jobs, "gs", rows=1) == [(0, 10), (10, 20), (10, 20)]
    assert spans(jobs, "bgs", rows=1) == [(0, 10), (10, 20), (0, 10)]


def test_the_matrix_of_the_paper() -> None:
    """Zhang et al., figure 7: jobs 4 and 5 run twice as fast as the others."""
    jobs = [job(8, 100), job(8, 100), job(4, 100), job(2, 100), job(2, 100), job(4, 100)]
    replay = prepared(jobs, "gs", 8, {"mpl": 4}, interpreted=True)
    replay.run(until_s=0.0)
    t = replay.tables
    assert picture(t) == ["11111111", "22222222", "33334455", "66664455"]
    rates = {int(t.jobs.number[row]): float(t.jobs.rate[row]) for row in t.queue.running[:6].tolist()}
    assert rates == {1: 0.25, 2: 0.25, 3: 0.25, 4: 0.5, 5: 0.5, 6: 0.25}
