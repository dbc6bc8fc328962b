"""Small schedules in blocks of columns, worked out by hand; four columns unless a test says otherwise."""

from molokini.metrics.measures import measure
from molokini.model.ranks import AgendaEvent, EventKind
from tests.kit.blocks import UNLIMITED, both_ways
from tests.kit.matrix_rows import BLOCKS, job, picture, spans_of
from tests.kit.replays import prepared

FRAGMENTS = [job(2, 10), job(2, 2), job(2, 2), job(2, 10), job(4, 3, at=4)]
OF_MANY_SIZES = [job(2, 2), job(2, 12), job(4, 4), job(1, 2)]


@both_ways
def test_repacking_joins_fragments_in_one_slot(interpreted: bool) -> None:
    replay = prepared(FRAGMENTS, BLOCKS, 4, UNLIMITED, interpreted=interpreted)
    replay.run(until_s=0.0)
    assert picture(replay.tables)[:2] == ["1122", "3344"]
    replay.run(until_s=4.0)
    assert picture(replay.tables)[:3] == ["5555", "1144", "...."]
    assert replay.run()
    assert spans_of(replay) == [(0, 15), (0, 4), (0, 4), (0, 15), (4, 10)]


@both_ways
def test_without_repacking_fragments_stay_in_their_slots(interpreted: bool) -> None:
    values = {**UNLIMITED, "repack": "no"}
    replay = prepared(FRAGMENTS, BLOCKS, 4, values, interpreted=interpreted)
    replay.run(until_s=4.0)
    assert picture(replay.tables)[:3] == ["1144", "1144", "5555"]
    assert replay.run()
    assert spans_of(replay) == [(0, 15), (0, 4), (0, 4), (0, 15), (4, 13)]


@both_ways
def test_a_column_that_is_lost_keeps_no_job_out_that_does_not_use_it(interpreted: bool) -> None:
    """The last of eight: a job of three takes the first three of the second block of four."""
    jobs = [job(3, 100), job(3, 100, at=1), job(3, 30, at=5)]
    lost = [AgendaEvent(0.5, EventKind.NODE_LOST, -1, 1)]
    replay = prepared(jobs, BLOCKS, 8, UNLIMITED, interpreted=interpreted, facts=lost)
    replay.run(until_s=1.0)
    assert picture(replay.tables)[0] == "111.222."
    assert replay.run()
    assert spans_of(replay) == [(0, 130), (1, 101), (5, 65)]


@both_ways
def test_a_job_runs_in_each_slot_in_which_its_block_is_idle(interpreted: bool) -> None:
    replay = prepared(OF_MANY_SIZES, BLOCKS, 4, UNLIMITED, interpreted=interpreted)
    replay.run(until_s=0.0)
    assert picture(replay.tables)[:4] == ["3333", "1122", "4.22", "...."]
    assert replay.run()
    assert spans_of(replay) == [(0, 6), (0, 16), (0, 10), (0, 6)]
    found = measure(replay.schedule())
    assert (found["mean_slots"], found["max_slots"]) == (2.0, 3.0)


def test_a_job_may_have_one_slot_alone() -> None:
    values = {**UNLIMITED, "several_slots": "no"}
    replay = prepared(OF_MANY_SIZES, BLOCKS, 4, values, interpreted=True)
    replay.run(until_s=0.0)
    assert picture(replay.tables)[:3] == ["3333", "1122", "4..."]


@both_ways
def test_more_slots_than_a_number_has_bits(interpreted: bool) -> None:
    count = 130
    wide = [job(4, 1) for _ in range(count)] + [job(1, 1, at=count)]
    replay = prepared(wide, BLOCKS, 4, {**UNLIMITED, "slots": 200}, interpreted=interpreted)
    replay.run(until_s=0.0)
    assert picture(replay.tables)[count - 1] == str(count) * 4
    assert replay.run()
    assert spans_of(replay) == [(0, count)] * count + [(count, count + 1)]
    assert measure(replay.schedule())["max_slots"] == count
