import pytest

from molokini.workloads.header import (
    decode_line,
    header_integer,
    machine_processors,
    parse_header,
    with_lines,
)


def test_labels_keep_their_order_and_may_repeat() -> None:
    header = parse_header(["; Version: 2.2", ";", "; Note: one", "; Queue:  1  fast (2 h)", "; Note: two"])
    assert header.labels == (("Version", "2.2"), ("Note", "one"), ("Queue", "1  fast (2 h)"), ("Note", "two"))
    assert header.first("Note") == "one"
    assert header.first("note") is None


def test_indented_lines_continue_the_value_above() -> None:
    header = parse_header(
        [
            "; Information: http://a/",
            ";              http://b/",
            "; Note: types,",
            ";\tsee: http://c/",
            ";",
            ";   stray: x",
        ]
    )
    assert header.labels == (("Information", "http://a/\nhttp://b/"), ("Note", "types,\nsee: http://c/"))
    assert len(header.lines) == 6


def test_labels_are_known_in_whatever_way_they_are_set() -> None:
    header = parse_header(
        [";MaxProcs:64", ";    MaxNodes : 8", " ; Own-Label: kept", "; http://no.label/", "; 12:30"]
    )
    assert header.labels == (
        ("MaxProcs", "64"),
        ("MaxNodes", "8"),
        ("Own-Label", "kept\nhttp://no.label/\n12:30"),
    )


@pytest.mark.parametrize(
    ("lines", "processors"),
    [
        (["; MaxProcs: 1152 (1024, 128)", "; MaxNodes: 144"], 1152),
        (["; MaxNodes: 144"], 144),
        (["; MaxProcs: unknown", "; MaxNodes: 144"], 144),
        (["; MaxProcs: -1", "; MaxNodes: 0"], None),
        (["; MaxProcs: (80, 16)"], 80),
        ([f"; MaxProcs: {2**31}"], None),
        (["; MaxProcs: " + "9" * 5000], None),
        (["; MaxProcs:"], None),
        ([], None),
    ],
)
def test_the_machine_is_max_procs_or_else_max_nodes(lines: list[str], processors: int | None) -> None:
    assert machine_processors(parse_header(lines)) == processors


def test_bytes_that_are_no_utf8_are_kept_one_by_one() -> None:
    assert decode_line("; Note: é".encode()) == "; Note: é"
    assert decode_line(b"; Note: \xe9") == "; Note: é"


def test_lines_can_be_added() -> None:
    header = with_lines(parse_header(["; MaxJobs: 5"]), "; Note: cut")
    assert header.lines == ("; MaxJobs: 5", "; Note: cut")
    assert header.first("Note") == "cut"
    assert header_integer(header, "MaxJobs") == 5
