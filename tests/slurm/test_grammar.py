"""Lines of a slurm.conf: continued, commented, quoted; and those of ``scontrol show config``."""

import pytest

from molokini.slurm.grammar import BadLine, Line, included, joined, pairs


def told(text: str) -> list[tuple[str, str]]:
    return [(one.key, one.value) for line in joined("slurm.conf", text) for one in pairs(line)]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("A=1 B=two", [("A", "1"), ("B", "two")]),
        ("A = 1  # a comment", [("A", "1")]),
        ('Reason="not there" State=DOWN', [("Reason", "not there"), ("State", "DOWN")]),
        ("Prolog=/a\\#b", [("Prolog", "/a#b")]),
        ("Flags=one,\\\ntwo", [("Flags", "one,two")]),
        ("# all\n\n  \n", []),
        ("SchedulerParameters=bf_interval=30,defer", [("SchedulerParameters", "bf_interval=30,defer")]),
        ("KillWait                = 30 sec", [("KillWait", "30")]),
        ("SlurmctldHost[0]        = head(10.0.0.1)", [("SlurmctldHost[0]", "head(10.0.0.1)")]),
        ("PriorityParameters      = (null)", [("PriorityParameters", "")]),
        ("X=1\r\nY=2\r\n", [("X", "1"), ("Y", "2")]),
    ],
)
def test_a_line_is_its_pairs(text: str, found: list[tuple[str, str]]) -> None:
    assert told(text) == found


def test_a_continued_line_stands_where_it_begins() -> None:
    assert [(one.line, one.text) for one in joined("f", "A=1\nB=2,\\\n3\nC=4")] == [
        (1, "A=1"),
        (2, "B=2,3"),
        (4, "C=4"),
    ]


@pytest.mark.parametrize("text", ["what is this", "=3", "A=1 B"])
def test_what_is_no_pair_is_said(text: str) -> None:
    with pytest.raises(BadLine, match="is no Key=Value"):
        pairs(Line("slurm.conf", 1, text))


@pytest.mark.parametrize(
    ("text", "name"),
    [("Include parts.conf", "parts.conf"), ("include  /etc/x", "/etc/x"), ("IncludeX=1", None)],
)
def test_includes_are_found(text: str, name: str | None) -> None:
    assert included(text) == name
