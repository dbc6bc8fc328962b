"""The heap of ends: every running row once, by instant, then job number; moves and drops."""

from hypothesis import given, settings
from hypothesis import strategies as st

from molokini.scheduling.making import make_tables
from molokini.scheduling.tables import Machine
from molokini.sim import agenda
from molokini.sim.prepare import make_agenda
from tests.kit.workloads import workload_of

ROWS = 16
steps = st.lists(
    st.tuples(st.sampled_from(["move", "move", "drop", "take"]), st.integers(0, ROWS - 1), st.integers(0, 6)),
    max_size=60,
)


@given(steps=steps, numbers=st.permutations(range(ROWS)))
@settings(max_examples=250, deadline=None)
def test_ends_as_a_dictionary_would_keep_them(steps: list[tuple[str, int, int]], numbers: list[int]) -> None:
    t = make_tables(Machine.counted(8), rows=ROWS)
    a = make_agenda(workload_of([]), t, [], None, True)
    t.job_number[:] = numbers
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
        assert a.end_count == len(ends)
        if ends:
            assert (a.end_row[0], a.end_s[0]) == (first(), ends[first()])
        assert {row: place >= 0 for row, place in enumerate(a.end_place)} == {
            r: r in ends for r in range(ROWS)
        }
    while ends:
        expected = first()
        assert agenda.first_ends(a, t) == expected
        del ends[expected]
