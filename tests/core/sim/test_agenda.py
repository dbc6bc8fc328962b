"""The heap of ends: every running row once, by instant, then job number; moves and drops."""

from hypothesis import example, given, settings
from hypothesis import strategies as st

from molokini.model.machine import Machine
from molokini.sim import agenda
from molokini.sim.prepare import make_agenda
from molokini.tables.making import make_tables
from molokini.workloads.synthetic import benchmark_workload
from tests.kit.workloads import workload_of

ROWS = 16
Step = tuple[str, int, int]
WHATS = ["move", "move", "drop", "take"]
instants = st.one_of(st.integers(0, 6), st.integers(0, 40))
some_steps = st.lists(st.tuples(st.sampled_from(WHATS), st.integers(0, ROWS - 1), instants), max_size=50)


@st.composite
def filling_steps(draw: st.DrawFn) -> list[Step]:
    """Steps that begin by filling the heap: it has to be three levels deep for some mistakes to show."""
    rows = draw(st.permutations(range(ROWS)))[: draw(st.integers(7, ROWS))]
    return [("move", row, draw(instants)) for row in rows] + draw(some_steps)


# What fills the hole of the row at 11 comes from another branch, and has to rise above the 10 over it.
RISING = [("move", row, at) for row, at in enumerate((1, 10, 2, 11, 12, 5, 3))]


@example(steps=[*RISING, ("drop", 3, 0)], numbers=list(range(ROWS)))
@given(steps=st.one_of(some_steps, filling_steps()), numbers=st.permutations(range(ROWS)))
@settings(max_examples=250, deadline=None)
def test_ends_as_a_dictionary_would_keep_them(steps: list[Step], numbers: list[int]) -> None:
    t = make_tables(Machine.counted(8), rows=ROWS)
    a = make_agenda(workload_of([]), t, [], None, True)
    t.jobs.number[:] = numbers
    ends: dict[int, int] = {}

    def first() -> int:
        return min(ends, key=lambda row: (ends[row], numbers[row]))

    for what, row, at in steps:
        if what == "move":
            agenda.move_end(a, t, row, float(at))
            ends[row] = at
        elif what == "drop":
            agenda.drop_end(a, t, row)
            ends.pop(row, None)
        elif ends:
            expected = first()
            assert agenda.first_ends(a, t) == expected
            del ends[expected]
        assert a.ends.count == len(ends)
        if ends:
            assert (a.ends.row[0], a.ends.at_s[0]) == (first(), ends[first()])
        assert {row: place >= 0 for row, place in enumerate(a.ends.place)} == {
            r: r in ends for r in range(ROWS)
        }
    while ends:
        expected = first()
        assert agenda.first_ends(a, t) == expected
        del ends[expected]


def test_an_end_is_found_that_was_added_before_anybody_asked() -> None:
    """Where ends stand is kept only from the first that is moved or dropped on."""
    t = make_tables(Machine.counted(8), rows=ROWS)
    a = make_agenda(workload_of([]), t, [], None, True)
    t.jobs.number[:] = range(ROWS)
    for row in range(ROWS):
        agenda.add_end(a, t, row, float(ROWS - row))
    assert agenda.first_ends(a, t) == ROWS - 1
    agenda.drop_end(a, t, 2)
    agenda.drop_end(a, t, ROWS - 1)  # has ended: nothing to drop
    agenda.move_end(a, t, 0, 0.5)
    agenda.move_end(a, t, ROWS - 1, 0.75)
    ended = [agenda.first_ends(a, t) for _ in range(a.ends.count)]
    assert ended == [0, *range(ROWS - 1, 2, -1), 1]
    assert (a.ends.place == -1).all()


def test_a_workload_of_plain_jobs_brings_no_components() -> None:
    jobs = benchmark_workload(jobs=10)
    a = make_agenda(jobs, make_tables(Machine.counted(8), rows=ROWS), [], None, True)
    assert a.workload.component_count.size == a.workload.request.size == a.workload.shape.size == 0
