import numpy as np
import pytest
from hypothesis import given

from molokini.plots.layout import Pieces, place, segments
from molokini.sim.schedule import Schedule
from tests.kit.schedules import NAN, Ran, random_workload, replayed, schedule, schedules, trace


def boxes(pieces: Pieces) -> set[tuple[float, ...]]:
    columns = (pieces.job, pieces.start_s, pieces.end_s, pieces.low, pieces.high)
    return set(zip(*(column.tolist() for column in columns), strict=True))


def overlaps(pieces: Pieces) -> int:
    """Pairs of pieces that share some area: every pair is looked at."""
    start, end = pieces.start_s[:, None], pieces.end_s[:, None]
    low, high = pieces.low[:, None], pieces.high[:, None]
    in_time = (start < end.T) & (end > start.T)
    in_space = (low < high.T - 1e-5) & (high - 1e-5 > low.T)
    return (int(np.count_nonzero(in_time & in_space)) - len(pieces)) // 2


def test_the_lowest_hole_that_is_wide_enough() -> None:
    story = schedule(
        Ran(0, 0, 10, processors=1),
        Ran(0, 0, 5, processors=1),
        Ran(0, 0, 9, processors=1),
        Ran(0, 5, 2, processors=2),
    )
    # At 5 processor 1 is free alone, and 3: two in a row are nowhere, so that the job is split.
    assert boxes(place(story, 10.0)) == {
        (0, 0, 10, 0, 1),
        (1, 0, 5, 1, 2),
        (2, 0, 9, 2, 3),
        (3, 5, 7, 1, 2),
        (3, 5, 7, 3, 4),
    }


def test_contiguous_is_preferred_to_low() -> None:
    story = schedule(Ran(0, 0, 5), Ran(0, 0, 10), Ran(0, 5, 3, processors=2))
    assert (2, 5, 8, 2, 4) in boxes(place(story, 10.0))


def test_a_suspended_job_leaves_a_gap_and_may_come_back_elsewhere() -> None:
    story = schedule(
        Ran(0, 0, 6, processors=2, end=14),
        Ran(0, 3, 20, processors=2),
        changes=trace((3, 0, 0, 0), (11, 0, 1, 2)),
    )
    assert boxes(place(story, 23.0)) == {(0, 0, 3, 0, 2), (1, 3, 23, 0, 2), (0, 11, 14, 2, 4)}


def test_shared_processors_are_stacked() -> None:
    halves = trace((0, 0, 0.5, 2), (0, 1, 0.5, 2), (8, 1, 1, 4))
    story = schedule(Ran(0, 0, 4, processors=4, end=8), Ran(0, 0, 6, processors=4, end=10), changes=halves)
    assert boxes(place(story, 10.0)) == {(0, 0, 8, 0, 2), (1, 0, 8, 2, 4), (1, 8, 10, 0, 4)}


def test_what_changes_nothing_makes_no_new_piece() -> None:
    again = trace((0, 0, 1, 2), (3, 0, 0.5, 2), (5, 0, 0, 0))
    assert len(place(schedule(Ran(0, 0, 5, processors=2), changes=again), 5.0)) == 1


def test_unfinished_jobs_reach_to_the_horizon_and_run_times_of_zero_are_not_drawn() -> None:
    story = schedule(Ran(0, 0, 10, end=NAN), Ran(0, 0, 0), Ran(0, None, 5))
    assert boxes(place(story, 7.0)) == {(0, 0, 7, 0, 1)}


def test_nothing_at_all() -> None:
    assert len(place(schedule(), 1.0)) == 0


@given(schedules())
def test_no_two_jobs_share_a_processor_and_all_their_area_is_drawn(story: Schedule) -> None:
    pieces = place(story, float(story.end_s.max()))
    assert overlaps(pieces) == 0
    assert pieces.low.min(initial=0) >= 0
    assert pieces.high.max(initial=0) <= story.processors
    area = np.bincount(
        pieces.job,
        weights=(pieces.end_s - pieces.start_s) * (pieces.high - pieces.low),
        minlength=len(story.workload),
    )
    assert area == pytest.approx(story.run_s * story.workload.processors)


def test_a_crowded_machine_of_shares_never_overlaps() -> None:
    # Seven jobs of three sevenths of a machine each, all changed at every instant.
    lines = [(float(t), job, (1 + t % 2) / 7, 4 * (1 + t % 2) / 7 / 2) for t in range(20) for job in range(7)]
    story = schedule(*[Ran(0, 0, 20, processors=4) for _ in range(7)], changes=trace(*lines))
    pieces = place(story, 20.0)
    assert overlaps(pieces) == 0
    assert len(pieces) >= 7 * 20


def test_segments_are_in_order_of_start_then_job() -> None:
    story = replayed(random_workload(200, 16), 16)
    job, start_s, _, _ = segments(story, float(story.end_s.max()))
    assert (np.lexsort((job, start_s)) == np.arange(job.size)).all()
