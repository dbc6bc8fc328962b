"""A policy's own memory and parameters, by name."""

import numpy as np
import pytest

from molokini.compiled.structs import RecordFloats, RecordInts
from molokini.model.errors import BadValue
from molokini.model.machine import Machine
from molokini.model.policy import Kind, Parameter, Policy
from molokini.tables.making import make_tables
from molokini.tables.tables import Tables
from molokini.tables.workspace import (
    Choice,
    Numbers,
    Parameters,
    SomeFloats,
    SomeInts,
    Workspace,
    parameter,
    several,
)


class Plan(Workspace):
    """Some of every kind."""

    start_s: RecordFloats
    planned: RecordInts
    next_s: float
    left: SomeFloats = several(3)
    end_s: RecordFloats
    again: int
    slots: SomeInts = several(2)
    last_s: float


class Wanted(Parameters):
    """One of every kind."""

    depth: int = parameter(4, "how deep", low=1, high=9)
    share: float = parameter(0.5, "how much", name="part")
    first_come: Choice = parameter("queue", "who goes first", choices=("queue", "shortest"))
    cutoffs: Numbers = parameter((1.0, 2.0), "where to cut", low=0.0, high=1e6)


POLICY = Policy("x", "s", "p", "a test", parameters=Wanted.declared())


def tables(**given: str) -> Tables:
    return make_tables(Machine.counted(4), POLICY.vector(POLICY.values(given)))


def test_fields_do_not_overlap() -> None:
    t = tables()
    mine = Plan.of(t)
    mine.start_s[5], mine.end_s[5], mine.planned[5] = 1.0, 2.0, 3
    mine.next_s, mine.last_s, mine.again = 4.0, 5.0, 6
    mine.left[:], mine.slots[:] = 7.0, 8
    assert (mine.start_s[5], mine.end_s[5], mine.planned[5]) == (1.0, 2.0, 3)
    assert (mine.next_s, mine.last_s, mine.again) == (4.0, 5.0, 6)
    assert (mine.left.tolist(), mine.slots.tolist()) == ([7.0] * 3, [8] * 2)
    assert np.count_nonzero(t.memory_f) == 2
    assert np.count_nonzero(t.global_f) == 5


def test_it_is_zero_at_first() -> None:
    mine = Plan.of(tables())
    assert not mine.start_s.any()
    assert (mine.next_s, mine.again) == (0.0, 0)


def test_a_workspace_that_wants_more_than_there_is_does_not_come_into_being() -> None:
    with pytest.raises(AssertionError, match="Hungry needs more than there is of global_f"):

        class Hungry(Workspace):
            much: SomeFloats = several(10_000)


def test_parameters_are_declared_with_names_and_kinds() -> None:
    declared = {one.name: one.kind for one in Wanted.declared()}
    assert declared == {
        "depth": Kind.INTEGER,
        "part": Kind.NUMBER,
        "first-come": Kind.CHOICE,
        "cutoffs": Kind.LIST,
    }
    with pytest.raises(BadValue, match="from 1 to 9"):
        POLICY.values({"depth": "10"})


def test_parameters_have_their_values_and_types() -> None:
    given = {"depth": "7", "part": "0.25", "first-come": "shortest", "cutoffs": "1,20,300"}
    wanted = Wanted.of(tables(**given))
    assert (wanted.depth, wanted.share, wanted.first_come) == (7, 0.25, 1)
    assert [type(value) for value in (wanted.depth, wanted.share, wanted.first_come)] == [int, float, int]
    assert wanted.cutoffs.tolist() == [1.0, 20.0, 300.0]
    assert Wanted.of(tables()).cutoffs.tolist() == [1.0, 2.0]


def test_a_list_comes_last() -> None:
    with pytest.raises(AssertionError, match="Deeper: a list comes last, alone"):

        class Deeper(Wanted):
            more: int = parameter(1, "one more")


def test_parameters_of_a_base_class_come_first() -> None:
    class More(Parameters):
        one: int = parameter(1, "one")

    class Most(More):
        two: int = parameter(2, "two")

    assert [one.name for one in Most.declared()] == ["one", "two"]
    t = make_tables(Machine.counted(1), [10.0, 20.0])
    assert (Most.of(t).one, Most.of(t).two, More.of(t).one) == (10, 20, 10)


class Weighed(Parameters, separator="_"):
    """Several in a row, and places behind them that are no parameters."""

    base_load: float = parameter(1.5, "first")
    weights: SomeFloats = tuple(Parameter(f"{name}_weight", 0.0, name) for name in ("small", "large"))  # type: ignore[assignment]
    row_count: int
    rows: SomeFloats = several(2)


def test_several_parameters_stand_in_a_row_and_numbers_that_are_none_behind_them() -> None:
    assert [one.name for one in Weighed.declared()] == ["base_load", "small_weight", "large_weight"]
    t = make_tables(Machine.counted(1), [1.5, 2.0, 3.0, 4.0, 5.0, 6.0])
    weighed = Weighed.of(t)
    assert (weighed.base_load, weighed.weights.tolist()) == (1.5, [2.0, 3.0])
    assert (weighed.row_count, weighed.rows.tolist()) == (4, [5.0, 6.0])
