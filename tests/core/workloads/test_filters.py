import pytest

from molokini.model.errors import BadValue
from molokini.workloads.filters import by_processors, by_users, first_jobs, in_window, with_note
from tests.core.workloads.builders import workload

JOBS = workload((0, 1, 1), (5, 1, 2), (5, 1, 8), (9, 1, 4), header=("; MaxProcs: 8",))
JOBS.user[:] = [1, 2, 1, -1]


def test_a_window_holds_its_start_and_not_its_end() -> None:
    assert in_window(JOBS, 0, 5).number.tolist() == [1]
    assert in_window(JOBS, 5, 9).number.tolist() == [2, 3]
    assert in_window(JOBS, 5, float("inf")).records[:, 0].tolist() == [2, 3, 4]


def test_users_and_sizes() -> None:
    assert by_users(JOBS, [1]).number.tolist() == [1, 3]
    assert by_users(JOBS, {2, -1}).number.tolist() == [2, 4]
    assert by_users(JOBS, ()).number.tolist() == []
    assert by_processors(JOBS, 2, 4).number.tolist() == [2, 4]
    assert by_processors(JOBS, least=4).number.tolist() == [3, 4]


def test_the_first_jobs_and_a_note() -> None:
    part = with_note(first_jobs(JOBS, 2), "cut")
    assert part.number.tolist() == [1, 2]
    assert part.header.lines == ("; MaxProcs: 8", "; Note: cut")
    assert part.machine_processors == 8
    assert JOBS.header.lines == ("; MaxProcs: 8",)
    assert len(first_jobs(JOBS, 99)) == 4


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: in_window(JOBS, 5, 5),
        lambda: in_window(JOBS, float("nan"), 5),
        lambda: by_processors(JOBS, 4, 2),
        lambda: first_jobs(JOBS, 0),
    ],
)
def test_impossible_ranges_are_refused(wrong: object) -> None:
    assert callable(wrong)
    with pytest.raises(BadValue):
        wrong()
