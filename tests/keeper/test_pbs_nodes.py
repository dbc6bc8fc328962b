"""PBS' file of nodes: one line a process."""

from types import SimpleNamespace
from typing import Any

import pytest

from molokini.keeper.flavours import PROCESSES, node_lines


def lines(asked: str | None) -> list[str]:
    wish: Any = SimpleNamespace(
        nodes=[("n1", 4), ("n2", 2)], environment={} if asked is None else {PROCESSES: asked}
    )
    return node_lines(wish)


@pytest.mark.parametrize(
    ("asked", "counts"),
    [
        (None, (4, 2)),
        ("node=1", (1, 1)),
        ("node=3", (3, 3)),
        ("each=1:1", (4, 2)),
        ("each=2:1", (2, 1)),
        ("each=1:2", (8, 4)),
        ("each=0:1", (4, 2)),
        ("odd", (4, 2)),
        ("node=", (4, 2)),
        ("node=x", (4, 2)),
    ],
)
def test_a_node_has_as_many_lines_as_were_asked_for(asked: str | None, counts: tuple[int, int]) -> None:
    found = lines(asked)
    assert (found.count("n1"), found.count("n2")) == counts
    assert found == sorted(found)


@pytest.mark.parametrize("asked", ["node=999999999999", "each=1:999999999999", "node=" + "9" * 5000])
def test_no_wish_fills_the_disk(asked: str) -> None:
    assert lines(asked) == ["n1"] * 4 + ["n2"] * 2
