"""The matrix at an instant: the rows of a replay that was stopped, and what jobs have of them."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from molokini.model.errors import BadValue
from molokini.reports import report
from molokini.reports.snapshot import ReportRequest
from molokini.reports.stopped import picture_of
from molokini.sim.replay import Replay
from tests.kit.matrix_rows import GANG, job, picture
from tests.kit.replays import prepared
from tests.kit.workloads import Job, job_lists


def stopped(jobs: list[Job], policy: str, at_s: float, **values: object) -> Replay:
    replay = prepared(jobs, policy, 4, {"mpl": 2, **values}, interpreted=True)  # type: ignore[dict-item]
    replay.run(at_s)
    return replay


JOBS = [job(3, 20), job(2, 20), job(1, 40), job(4, 20, 5)]


def test_rows_columns_copies_and_rates() -> None:
    found = report("matrix", picture_of(stopped(JOBS, "gs", 6.0), 6.0, {}))
    assert (found["schema"], found["columns"], found["active_row"]) == ("molokini.maui.matrix/1", 4, None)
    assert found["rows"] == [
        {"row": 0, "used": 4, "free": 0, "home_of": ["1", "3"], "copies_of": []},
        {"row": 1, "used": 3, "free": 1, "home_of": ["2"], "copies_of": ["3"]},
    ]
    assert found["waiting"] == 1
    assert found["occupied"] == 7 / 8
    assert [(one["job"], one["home"], one["rows"], one["columns"], one["rate"]) for one in found["jobs"]] == [
        ("1", 0, [0], [[0, 2]], 0.5),
        ("2", 1, [1], [[0, 1]], 0.5),
        ("3", 0, [0, 1], [[3, 3]], 1.0),
    ]


def test_the_row_that_has_the_processors_by_the_grid() -> None:
    for at_s, row in ((6.0, 1), (11.0, 0)):
        replay = stopped(JOBS, "gs", at_s, mode="exact", quantum_s=5.0)
        assert report("matrix", picture_of(replay, at_s, {}))["active_row"] == row


@pytest.mark.parametrize(
    ("mode", "still_s"), [("rate", [2.0, 1.5, 1.0, 0.0]), ("exact", [2.0, 2.0, 1.0, 0.0])]
)
def test_what_a_migration_will_still_cost_is_of_the_instant(mode: str, still_s: list[float]) -> None:
    # At 6 s job 1 migrates to row 1, at 2 s of its slices. By rates it has half of the time; on the grid its
    # next slices are those from 7 s and from 9 s.
    jobs = [job(2, 20), job(2, 3), job(2, 20), job(2, 3), job(4, 5)]
    for at_s, owed_s in zip((6.0, 7.0, 8.0, 14.0), still_s, strict=True):
        replay = stopped(jobs, "mgs", at_s, mode=mode, quantum_s=1.0, migration_cost=2)
        found = report("matrix", picture_of(replay, at_s, {}))["jobs"]
        assert {one["job"]: one["stall_s"] for one in found}["1"] == owed_s


@pytest.mark.parametrize(("mode", "done_s"), [("rate", [3.0, 4.5]), ("exact", [3.0, 4.0])])
def test_work_of_a_job_is_as_of_the_instant_without_what_it_loses(mode: str, done_s: list[float]) -> None:
    # By 6 s job 1 has had three of its seconds; by 13 s 3.5 more, by the grid three; two are lost.
    jobs = [job(2, 20), job(2, 3), job(2, 20), job(2, 3), job(4, 5)]
    for at_s, work_s in zip((6.0, 13.0), done_s, strict=True):
        replay = stopped(jobs, "mgs", at_s, mode=mode, quantum_s=1.0, migration_cost=2)
        one = report("job", picture_of(replay, at_s, {}), ReportRequest(job="1"))
        assert one["work_s"] == work_s


def test_a_policy_without_rows_has_no_matrix() -> None:
    replay = prepared(JOBS, "easy", 4, interpreted=True)
    replay.run(6.0)
    with pytest.raises(BadValue, match="gs, bgs, mgs, mbgs or buddy-gang"):
        report("matrix", picture_of(replay, 6.0, {}))


@given(jobs=job_lists(4, most=8), policy=st.sampled_from(GANG), at_s=st.integers(0, 60))
@settings(max_examples=40, deadline=None)
def test_it_is_the_matrix_by_which_jobs_progress(jobs: list[Job], policy: str, at_s: int) -> None:
    replay = stopped(jobs, policy, float(at_s))
    before = picture(replay.tables)
    found = report("matrix", picture_of(replay, float(at_s), {}))
    lines = [["."] * 4 for _ in found["rows"]]
    for one in found["jobs"]:
        for r in one["rows"]:
            for first, last in one["columns"]:
                for column in range(first, last + 1):
                    lines[r][column] = one["job"]
    assert ["".join(line) for line in lines] == before == picture(replay.tables)
    for one, line in zip(found["rows"], lines, strict=True):
        assert one["free"] == line.count(".")
        assert set(line) - {"."} == {*one["home_of"], *one["copies_of"]}
