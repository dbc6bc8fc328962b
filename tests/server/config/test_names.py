"""Names, patterns of names, and addresses."""

import pytest

from molokini.server.config.addresses import host_of, is_loopback, port_of
from molokini.server.config.names import expanded, is_name


@pytest.mark.parametrize("text", ["a", "0", "node001", "a.b_c-d", "x" * 64])
def test_names(text: str) -> None:
    assert is_name(text)
    assert expanded(text) == [text]


@pytest.mark.parametrize(
    "text",
    ["", "-a", ".a", "*", "a b", "a/b", "a\n", "é", "٣", "x" * 65, "[1-2]\n", "n[1-3]/x", "n[1-20000]"],
)
def test_what_is_neither_name_nor_pattern(text: str) -> None:
    assert not is_name(text)
    with pytest.raises(ValueError, match=r".+"):
        expanded(text)


def test_each_name_of_a_pattern_is_one() -> None:
    assert expanded("n[08-10]") == ["n08", "n09", "n10"]
    with pytest.raises(ValueError, match="1 to 64 letters"):
        expanded("x" * 63 + "[10-11]")


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
