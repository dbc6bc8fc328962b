"""What a column says of itself is what happens to it: sizes, growth, snapshots, views."""

from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from molokini.compiled.structs import Floats, FloatTable, Ints, RecordFloats, RecordInts
from molokini.model.machine import Machine
from molokini.tables.additions import add_credential, add_nodes, add_shape
from molokini.tables.declared import UNREAD, Axis, Declared, Leaf, Nature, per
from molokini.tables.making import grow, make_tables
from molokini.tables.snapshot_columns import kept, restored
from molokini.tables.tables import WRITABLE_IN_VIEW, Tables


class Rows(Declared):
    count: int
    name: RecordInts = per(Axis.JOB)
    since_s: RecordFloats = per(Axis.JOB, blank=np.inf)
    list: Ints = per(Axis.JOB, times=2, plus=1, used="count", blank=UNREAD)
    found: Ints = per(Axis.JOB, nature=Nature.PASS)
    settled_s: Floats = per(Axis.JOB, blank=-1.0)


class Whole(Declared):
    rows: Rows
    table: FloatTable = per(Axis.NODE, Axis.CLUSTER)


SIZES = {Axis.JOB: 2, Axis.NODE: 3, Axis.CLUSTER: 1}


def test_arrays_are_as_long_as_their_axes_say_and_blank() -> None:
    one = Whole.sized(SIZES)
    assert [len(a) for a in (one.rows.name, one.rows.list, one.rows.found)] == [2, 5, 2]
    assert one.table.shape == (3, 1)
    assert one.rows.since_s.tolist() == [np.inf, np.inf]
    assert one.rows.settled_s.tolist() == [-1.0, -1.0]


def test_what_grows_keeps_what_its_nature_says() -> None:
    one = Whole.sized(SIZES)
    one.rows.name[1], one.rows.since_s[0], one.rows.found[0], one.rows.settled_s[:] = 7, 1.5, 9, 0.0
    one.rows.count, one.rows.list[:2] = 2, [4, 5]
    one.table[2, 0] = 8.0
    one.grow(frozenset({Axis.JOB, Axis.CLUSTER}), {**SIZES, Axis.JOB: 4, Axis.CLUSTER: 2})
    assert one.rows.name.tolist() == [0, 7, 0, 0]
    assert one.rows.since_s.tolist() == [1.5, np.inf, np.inf, np.inf]
    assert one.rows.list[:2].tolist() == [4, 5]
    assert one.rows.list.size == 9
    assert not one.rows.found.any(), "nothing of a pass is carried over"
    assert one.rows.settled_s.tolist() == [0.0, 0.0, -1.0, -1.0], "zeros are contents, too"
    assert one.table.tolist() == [[0.0, 0.0], [0.0, 0.0], [8.0, 0.0]]


def test_other_axes_are_left_alone() -> None:
    one = Whole.sized(SIZES)
    rows, bindings = one.rows.found, one.bindings
    one.grow(frozenset({Axis.NODE}), {**SIZES, Axis.NODE: 5})
    assert one.table.shape == (5, 1)
    assert one.rows.found is rows
    assert one.bindings == bindings + 1


def test_what_is_renewed_is_blank() -> None:
    one = Whole.sized(SIZES)
    one.table[:], one.rows.name[:] = 4.0, 3
    one.renew(frozenset({Axis.NODE}), {**SIZES, Axis.NODE: 1})
    assert one.table.tolist() == [[0.0]]
    assert one.rows.name.tolist() == [3, 3]


def test_a_column_that_says_nothing_of_itself_is_refused() -> None:
    with pytest.raises(AssertionError, match=r"Silent: say per\(\.\.\.\) of \['rows'\]"):

        class Silent(Declared):
            rows: Ints


def test_no_part_of_the_tables_has_more_fields_than_a_reader_can_hold() -> None:
    inside = {name: part for part in Tables.children.values() for name, part in part.children.items()}
    parts = {name: len(part.layout) for name, part in (Tables.children | inside).items()}
    assert max(parts.values()) <= 40, parts
    assert len(Tables.layout) <= 40


LEAVES = {leaf.path: leaf for leaf in Tables.leaves()}


@dataclass(frozen=True)
class Filled:
    """Tables of nodes with room for more of everything, and every array full of a number of its own."""

    tables: Tables
    numbers: dict[str, int]


def filled(rows: int) -> Filled:
    t = make_tables(Machine.uniform(3, 2), [1.0], rows=rows)
    add_credential(t, 1, 1, 1)
    add_shape(t)
    numbers = {}
    for number, (path, leaf) in enumerate(LEAVES.items(), 1):
        leaf.of(t)[...] = numbers[path] = number
    t.queue.tail, t.queue.running_count, t.queue.suspended_count, t.holes.count = 3, 2, 1, 1
    t.jobs.free_rows, t.profile.first, t.profile.last = 1, 2, 4
    return Filled(t, numbers)


def used(leaf: Leaf, t: Tables) -> slice:
    return leaf.owner(t).in_use(leaf.name)


@given(rows=st.integers(4, 9))
def test_kept_tables_come_back_with_all_truth_and_nothing_else(rows: int) -> None:
    one = filled(rows)
    again = restored(kept(one.tables))
    assert again.sizes() == one.tables.sizes()
    for path, leaf in LEAVES.items():
        part = leaf.of(again)[used(leaf, one.tables)]
        if leaf.is_kept or leaf.kind.recorded:
            assert (part == one.numbers[path]).all(), path
        elif leaf.column.blank == 0.0:
            assert not leaf.of(again).any(), path
    assert again.queue.tail == 3
    assert again.profile.last == 0, "numbers of a pass are not kept"


NOT_CARRIED = {"jobs.free_row", "components.next"}
"""Chains and stacks, to which growing adds the new rows in front."""


def test_tables_that_grow_keep_all_that_outlives_a_pass() -> None:
    one = filled(4)
    t = one.tables
    grow(t)
    assert t.jobs.state.size == 16
    for path, leaf in LEAVES.items():
        part = leaf.of(t)[:4][used(leaf, t)]
        if leaf.column.nature is not Nature.PASS and path not in NOT_CARRIED and part.ndim == 1:
            assert (part == one.numbers[path]).all(), path


def test_nodes_that_join_leave_what_is_known_of_others() -> None:
    one = filled(4)
    t = one.tables
    before = t.nodes.state.size
    add_nodes(t, Machine.uniform(2, 4).nodes)
    for path, leaf in LEAVES.items():
        if leaf.column.axis is Axis.NODE:
            assert len(leaf.of(t)) == leaf.column.times * (before + 2) + leaf.column.plus, path
            if leaf.column.nature is not Nature.PASS:
                assert (leaf.of(t)[:before] == one.numbers[path]).all(), path
    assert t.nodes.free[before:, 0].tolist() == [4.0, 4.0]


def test_a_view_lets_policies_write_what_is_theirs_and_nothing_that_is_true() -> None:
    t = make_tables(Machine.uniform(2, 2), [1.0])
    view = t.read_only(WRITABLE_IN_VIEW)
    for path, leaf in LEAVES.items():
        assert leaf.of(view).flags.writeable == (leaf.column.nature is not Nature.TRUTH), path
    assert "jobs.width" not in WRITABLE_IN_VIEW
    assert "cycle.order" in WRITABLE_IN_VIEW
