"""The places of rows: what has several numbers has them all, and nothing lies over another."""

from enum import IntEnum
from itertools import pairwise

import pytest

from molokini.policies.maui.configuration.settings import MOST_QOS
from molokini.policies.maui.configuration.slots import (
    BUCKET_ROW,
    KINDS,
    NODE_ROW,
    PAIR_ROW,
    QOS_BITS,
    QOS_WORDS,
    ROW,
    Column,
    NodeColumn,
    Pair,
)
from molokini.policies.maui.configuration.words import LimitKind, NodeTerm

LONG = {Column.QOS_LIST: QOS_WORDS}
LONG |= dict.fromkeys((Column.SOFT, Column.HARD, Column.IDLE), KINDS)
LONG |= dict.fromkeys((Column.SOFT_OVERRIDE, Column.HARD_OVERRIDE, Column.IDLE_OVERRIDE), KINDS)


@pytest.mark.parametrize(
    ("columns", "long", "row"),
    [(Column, LONG, ROW), (NodeColumn, {NodeColumn.TERMS: len(NodeTerm)}, NODE_ROW), (Pair, {}, PAIR_ROW)],
)
def test_columns_lie_side_by_side_and_fill_the_row(
    columns: type[IntEnum], long: dict[int, int], row: int
) -> None:
    places = [*sorted(columns), row]
    assert places[0] == 0
    for place, following in pairwise(places):
        assert place + long.get(place, 1) == following, f"{place!r}"


def test_there_is_a_bit_for_every_qos_and_a_number_for_every_kind_of_limit() -> None:
    assert QOS_WORDS * QOS_BITS >= MOST_QOS + 1
    assert BUCKET_ROW == 1 + QOS_WORDS
    assert sorted(LimitKind) == list(range(KINDS))
