"""One decision about all running jobs does what a decision for each of them does, to the last bit."""

import pickle

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given, settings

from molokini.model.machine import Machine
from molokini.sim.schedule import Schedule, Trace
from molokini.sim.shared_traces import each_by_itself
from molokini.tables import transitions
from molokini.tables.making import make_tables
from tests.kit.replays import prepared
from tests.kit.workloads import Job

NO_END = 1e300


def replayed(jobs: list[Job], processors: int, together: bool, interpreted: bool) -> Schedule:
    """The schedule of ``ps``; *together*: by one decision for all jobs."""
    replay = prepared(jobs, "ps", processors, interpreted=interpreted)
    assert replay.tables.cycle.together == 1, "a plain replay asks for one decision"
    replay.tables.cycle.together = int(together)
    replay.run()
    return replay.schedule()


def changes(trace: Trace) -> list[tuple[float, int, float, float]]:
    """The trace in an order that does not depend on the order of decisions of one pass."""
    columns = (trace.time_s, trace.job, trace.rate, trace.occupied)
    return sorted(zip(*(column.tolist() for column in columns), strict=True))


jobs_drawn = st.lists(
    st.builds(
        Job,
        submit=st.sampled_from([0, 0.1, 0.7, 1, 2, 5, 9.3]),
        run=st.sampled_from([0, 0.3, 1, 1.7, 3, 8]),
        width=st.integers(1, 3),
    ),
    min_size=1,
    max_size=40,
)


@settings(max_examples=60)
@given(jobs_drawn, st.integers(1, 4))
def test_together_is_as_each_by_itself(jobs: list[Job], processors: int) -> None:
    """Starts, ends and every change of a rate are the same."""
    jobs = sorted(jobs, key=lambda job: job.submit)
    one, each = (replayed(jobs, processors, together, True) for together in (True, False))
    assert one.start_s.tobytes() == each.start_s.tobytes()
    assert one.end_s.tobytes() == each.end_s.tobytes()
    assert changes(one.trace) == changes(each.trace)


def test_compiled_is_as_interpreted() -> None:
    jobs = [Job(submit=k * 0.37, run=1.0 + k % 7, width=1 + k % 3) for k in range(60)]
    one, other = (replayed(jobs, 2, True, interpreted) for interpreted in (False, True))
    assert one.end_s.tobytes() == other.end_s.tobytes()
    assert changes(one.trace) == changes(other.trace)


def test_a_hand_worked_case() -> None:
    """On one processor a job of 4 s, and from 2 on one of 1 s: half each until 4, then the rest of 1 s."""
    schedule = replayed([Job(submit=0, run=4), Job(submit=2, run=1)], 1, True, True)
    assert schedule.end_s.tolist() == [5.0, 4.0]
    assert changes(schedule.trace) == [(0, 0, 1, 1), (2, 0, 0.5, 0.5), (2, 1, 0.5, 0.5), (4, 0, 1, 1)]


def test_the_transition_is_that_of_each_job() -> None:
    """Also where one of them goes at this rate already: nothing of it changes."""
    found = []
    for together in (True, False):
        t = make_tables(Machine.counted(8), rows=4)
        for k, rate in enumerate((1.0, 0.3, 0.7)):
            row = transitions.new_row(t)
            t.jobs.width[row], t.jobs.estimate_s[row] = 2, 10.0 + k
            transitions.submit(t, row)
            transitions.start(t, row, 0.1, rate, False)
        if together:
            transitions.share_all(t, 1.3, 0.3)
        else:
            for row in t.queue.running[:3].tolist():
                if t.jobs.rate[row] != 0.3:
                    transitions.set_share(t, row, 1.3, 0.3)
        found.append([t.jobs.work_s, t.jobs.updated_s, t.jobs.rate, t.jobs.expected_end_s])
    for one, other in zip(*found, strict=True):
        assert one.tolist() == other.tolist()


def test_a_late_trace_is_made_once_and_can_be_sent() -> None:
    """What a sweep sends to another process is the whole trace."""
    trace = Trace(np.array([0.0, 1.0]), np.array([0, -1]), np.array([1.0, 0.5]), np.array([1.0, 0.0]))
    late = each_by_itself(trace, np.array([3]), np.array([NO_END]))
    sent = pickle.loads(pickle.dumps(late))
    assert sent.job.tolist() == late.job.tolist() == [0, 0]
    assert late.occupied.tolist() == [1.0, 1.5]
    with pytest.raises(AttributeError):
        _ = late.unheard_of  # type: ignore[attr-defined]


def test_a_trace_without_common_entries_is_left_alone() -> None:
    trace = Trace(np.array([0.0]), np.array([0]), np.array([1.0]), np.array([1.0]))
    assert each_by_itself(trace, np.array([1]), np.array([1.0])) is trace
