"""Patterns of node names."""

import pytest

from molokini.model.errors import BadValue
from molokini.model.names import MOST_NAMES, expand


@pytest.mark.parametrize(
    ("pattern", "names"),
    [
        ("login1", ["login1"]),
        ("node[1-3]", ["node1", "node2", "node3"]),
        ("node[08-11]", ["node08", "node09", "node10", "node11"]),
        ("n[1,3-4].local", ["n1.local", "n3.local", "n4.local"]),
        ("r[1-2]n[1-2]", ["r1n1", "r1n2", "r2n1", "r2n2"]),
    ],
)
def test_a_pattern_stands_for_these(pattern: str, names: list[str]) -> None:
    assert expand(pattern) == names


def test_ten_thousand_names_are_the_most() -> None:
    assert len(expand("node[00001-10000]")) == MOST_NAMES
    with pytest.raises(BadValue, match="10001"):
        expand("node[0-10000]")


@pytest.mark.parametrize("pattern", ["n[0-999999999]", "n[0-9999][0-9999][0-9999][0-9999]"])
def test_a_huge_pattern_is_refused_before_it_is_expanded(pattern: str) -> None:
    with pytest.raises(BadValue, match="at most 10000"):
        expand(pattern)


@pytest.mark.parametrize(
    "pattern",
    [
        "",
        "n[",
        "n]",
        "n[]",
        "n[a-b]",
        "n[1-2-3]",
        "n[3-1]",
        "n[1,1]",
        "n[1-3,2]",
        "n[1,]",
        "n 1",
        "n\n",
        "n[[1]]",
        "é1",
        "n[1234567890]",
        "n[-1]",
        "..",
        "-n",
        "a/b",
    ],
)
def test_what_is_no_pattern_is_refused_by_name(pattern: str) -> None:
    with pytest.raises(BadValue, match=r"^names: "):
        expand(pattern)


@pytest.mark.parametrize("pattern", ["x" * 2000, "n\x00", "n[1-2]" * 300])
def test_nor_is_what_is_too_long_or_cannot_be_printed(pattern: str) -> None:
    with pytest.raises(BadValue, match=r"^names: "):
        expand(pattern)
