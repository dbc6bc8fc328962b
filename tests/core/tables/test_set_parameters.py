"""A policy's parameters, and what it counts beside them, are as many."""

from molokini.model.machine import Machine
from molokini.tables.making import make_tables, set_parameters


def test_what_is_counted_is_as_long_as_the_parameters_and_stays_where_they_are_as_many() -> None:
    t = make_tables(Machine.counted(4))
    set_parameters(t, [1.0, 2.0, 3.0])
    assert t.parameters.tolist() == [1.0, 2.0, 3.0]
    assert t.site.tallies.tolist() == [0.0] * 3
    t.site.tallies[1] = 7.0
    set_parameters(t, [4.0, 5.0, 6.0])
    assert t.site.tallies.tolist() == [0.0, 7.0, 0.0]
    set_parameters(t, [4.0])
    assert t.site.tallies.tolist() == [0.0]
