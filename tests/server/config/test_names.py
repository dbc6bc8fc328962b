"""Patterns of names."""

import pytest

from molokini.server.config.addresses import host_of, is_loopback, port_of
from molokini.server.config.names import expanded


@pytest.mark.parametrize(
    ("pattern", "names"),
    [
        ("head", ("head",)),
        ("node[001-003]", ("node001", "node002", "node003")),
        ("n[9-11]", ("n9", "n10", "n11")),
        ("n[1,03-04]x", ("n1x", "n03x", "n04x")),
        ("r[1-2]-[01-02]", ("r1-01", "r1-02", "r2-01", "r2-02")),
    ],
)
def test_a_pattern_stands_for_names(pattern: str, names: tuple[str, ...]) -> None:
    assert expanded(pattern) == names


@pytest.mark.parametrize(
    "pattern",
    [
        "",
        "n[]",
        "n[3-1]",
        "n[1-2-3]",
        "n[a]",
        "n[1",
        "n]",
        "-n",
        "n[1]/x",
        "n\n",
        "n[1,]",
        "[1-1000][1-1001]",
        "n[0-1000000]",
        "n[1-999999999999999]",
        "ñ",
        "n[٣]",
        "x" * 65,
    ],
)
def test_what_is_no_pattern_is_refused(pattern: str) -> None:
    with pytest.raises(ValueError, match=r".+"):
        expanded(pattern)


@pytest.mark.parametrize(
    ("address", "host", "port", "loopback"),
    [
        ("127.0.0.1:7077", "127.0.0.1", 7077, True),
        ("127.8.9.1:0", "127.8.9.1", 0, True),
        ("localhost:1", "localhost", 1, True),
        ("[::1]:5", "::1", 5, True),
        ("[::]:5", "::", 5, False),
        ("0.0.0.0:5", "0.0.0.0", 5, False),
        ("head.example:5", "head.example", 5, False),
    ],
)
def test_addresses(address: str, host: str, port: int, loopback: bool) -> None:
    assert (host_of(address), port_of(address), is_loopback(address)) == (host, port, loopback)
