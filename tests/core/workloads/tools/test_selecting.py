import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from molokini.model.errors import BadInput, BadValue
from molokini.workloads.tools.resizing import grid, load, resize
from molokini.workloads.tools.selecting import cut, select
from molokini.workloads.tools.whole import WholeLog
from tests.core.workloads.tools.small_logs import log_of

HEADER = ("; Version: 2.2", "; MaxProcs: 10")


def _steps(waits: bool) -> WholeLog:
    """Ten days of jobs of one hour: day d keeps d processors busy all the time."""
    return log_of(
        *(
            {
                "submit_s": 86400.0 * day + 3600 * hour,
                "wait_s": 0 if waits else -1,
                "run_s": 3600,
                "requested_processors": day + 1,
            }
            for day in range(10)
            for hour in range(24)
        ),
        header=HEADER,
    )


@pytest.mark.parametrize("waits", [True, False])
def test_the_day_with_the_wished_utilization_is_found(waits: bool) -> None:
    log = _steps(waits)
    found = select(log, 0.5, 86400, tolerance=0.001)
    assert found.by == ("waits" if waits else "submits")
    assert len(found.periods) == 1
    assert found.periods[0].start_s == 4 * 86400
    assert found.periods[0].utilization == pytest.approx(0.5)
    part = cut(log, found.periods[0], found.by)
    assert set(part.widths) == {5}
    assert len(part) == found.periods[0].jobs == 24
    assert "utilization 0.5000" in part.header.lines[-1]


def test_work_that_began_before_the_window_counts_in_it() -> None:
    log = log_of(
        {"submit_s": 0, "wait_s": 0, "run_s": 1000, "requested_processors": 5},
        {"submit_s": 1000, "wait_s": 0, "run_s": 1, "requested_processors": 1},
        header=HEADER,
    )
    assert select(log, 0.5, 500, most=9).periods[0].utilization == pytest.approx(0.5)
    periods = select(log, 0.5, 500, most=9).periods
    starts = sorted(period.start_s for period in periods)
    assert (np.diff(starts) >= 500).all()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"utilization": 0.0}, "--utilization"),
        ({"utilization": 1.5}, "--utilization"),
        ({"length_s": 0.0}, "--length"),
        ({"length_s": 1e9}, "the window"),
        ({"tolerance": 0.0}, "--tolerance"),
        ({"most": 0}, "--count"),
        ({"utilization": 0.99, "tolerance": 0.001, "length_s": 4 * 86400.0}, "they go from 0.250 to 0.8"),
    ],
)
def test_what_cannot_be_selected_is_told(arguments: dict[str, float], words: str) -> None:
    wanted = {"utilization": 0.5, "length_s": 86400.0, **arguments}
    with pytest.raises(BadInput, match=words):
        select(_steps(True), **wanted)  # type: ignore[arg-type]
    with pytest.raises(BadInput, match="does not give the size"):
        select(log_of({}, {"submit_s": 9}, header=()), 0.5, 5)


def _sized(*widths: int, machine: int = 64) -> WholeLog:
    jobs = (
        {"submit_s": 100 * place, "run_s": 50, "requested_processors": width, "preceding": place}
        for place, width in enumerate(widths)
    )
    return log_of(*jobs, header=("; Version: 2.2", f"; MaxProcs: {machine}"))


def test_widths_stay_on_their_grid_and_the_load_is_kept() -> None:
    log = _sized(1, 2, 4, 8, 16, 24, 64, 48)
    found = resize(log, 128)
    assert found.log.widths.tolist() == [1, 4, 8, 16, 32, 48, 128, 96]
    assert found.load_after == pytest.approx(found.load_before, rel=0.01)
    assert found.log.machine == 128
    assert "from built.swf, 64 processors, to 128 by widths" in found.log.header.lines[-1]
    nodes = _sized(8, 24, 40, machine=48)
    assert grid(nodes.widths) == 8
    assert set(resize(nodes, 100).log.widths % 8) == {0}


def test_jobs_of_one_processor_stay_and_all_of_the_machine_is_all_of_it() -> None:
    found = resize(_sized(1, 100, machine=100), 150).log
    assert found.widths.tolist() == [1, 150]


def test_copies_are_jobs_of_their_own() -> None:
    log = _sized(*[1, 2, 64] * 200)
    found = resize(log, 160, by="copies", seed=3)
    assert len(found.log) == pytest.approx(1500, abs=60)
    number = found.log.column("number")
    assert np.unique(number).size == number.size
    assert found.log.widths.max() == 64
    assert found.gaps_times == 1.0
    again = resize(log, 160, by="copies", seed=3)
    assert again.log.records.tobytes() == found.log.records.tobytes()
    assert (np.diff(found.log.column("submit_s")) >= 0).all()
    # The same work a job, so the load stays but for chance.
    assert load(found.log, 160) == pytest.approx(load(log, 64) or 0, rel=0.08)


def test_a_machine_below_the_widest_job_is_refused_unless_jobs_may_be_narrowed() -> None:
    log = _sized(1, 32, 64)
    for by in ("widths", "copies"):
        with pytest.raises(BadValue, match="64 or more, the width of the widest job"):
            resize(log, 63, by=by)
    assert resize(log, 32, narrow=True).log.widths.tolist() == [1, 16, 32]
    with pytest.raises(BadInput, match="remove such jobs first"):
        resize(_sized(65, machine=64), 128)
    with pytest.raises(BadInput, match="MaxProcs"):
        resize(log_of({}, header=()), 128)
    with pytest.raises(BadValue, match="--processors"):
        resize(log, 0)


@given(
    st.lists(st.integers(1, 64), min_size=2, max_size=30),
    st.integers(1, 300),
    st.sampled_from(["widths", "copies"]),
    st.booleans(),
)
def test_jobs_fit_the_machine_scaled_to(widths: list[int], processors: int, by: str, narrow: bool) -> None:
    log = _sized(*widths)
    try:
        found = resize(log, processors, by=by, narrow=narrow)
    except BadInput:
        assert max(widths) > processors or by == "copies"
        return
    assert found.log.widths.min() >= 1
    assert found.log.widths.max() <= processors
    if by == "widths":
        assert np.array_equal(found.log.column("number"), log.column("number"))
        if processors == 64:
            assert found.log.widths.tolist() == widths
