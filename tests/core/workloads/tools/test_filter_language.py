import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from molokini.model.errors import BadInput
from molokini.workloads.tools.filter_language import SHORT_NAMES, BadFilter, read_filter, read_filters
from molokini.workloads.workload import SWF_FIELDS
from tests.core.workloads.tools.small_logs import log_of

LOG = log_of(
    {"number": 7, "submit_s": 0, "user": 50, "allocated_processors": 1, "run_s": 10, "requested_s": 5},
    {"number": 8, "submit_s": 3600, "user": 50, "allocated_processors": 64, "run_s": 7200, "requested_s": -1},
    {"number": 9, "submit_s": 86400, "user": 3, "allocated_processors": 128, "run_s": 20, "requested_s": 30},
)


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("user=50 and (job>=8 and job<=64542)", [8]),
        ("user=50", [7, 8]),
        ("job<=8", [7, 8]),
        ("job<8", [7]),
        ("job>8", [9]),
        ("user=3 or proc=1", [7, 9]),
        ("user=3 or user=50 and job=7", [7, 9]),
        ("(user=3 or user=50) and job=7", [7]),
        ("not user=50", [9]),
        ("not not user=50 and not (job=7)", [8]),
        ("user!=50", [9]),
        ("user <> 50", [9]),
        ("allocated_processors == 64", [8]),
        ("run>=2h", [8]),
        ("run>1.5m AND run<3h", [8]),
        ("run>reqtime", [7]),
        ("proc>machine", [9]),
        ("reqtime=-1", [8]),
        # 843480031 is 14:00:31 on 23 September 1996 in Stockholm.
        ("submit<=1996-09-23 14:00:31", [7]),
        ("submit<1996-09-23 15:00:32", [7, 8]),
        ("submit>1996-09-24", [9]),
    ],
)
def test_a_filter_is_about_these(text: str, numbers: list[int]) -> None:
    assert LOG.column("number")[read_filter(text).holds(LOG)].tolist() == numbers


@pytest.mark.parametrize(
    ("text", "column", "words"),
    [
        ("usr=3", 1, "no field named 'usr'; did you mean 'user'?"),
        ("user=3 and (job>=4", 12, "this bracket is not closed"),
        ("user=3 and (job>=4 job=5)", 20, "'and', 'or' or ')' is missing"),
        ("user=3)", 7, "no bracket open"),
        ("user=3 job=4", 8, "'and' or 'or' is missing"),
        ("user=", 6, "a value is missing"),
        ("user", 5, "is missing"),
        ("user 3", 6, "has to stand"),
        ("user=3 and", 11, "a field's name is missing"),
        ("and user=3", 1, "'and' where a field's name"),
        ("", 1, "a field's name is missing"),
        ("user=3;", 7, "not part of a filter"),
        ("user=0x10", 6, "not part of a filter"),
        ("submit<2012-13-45", 8, "there is no date"),
        ("run<2012-01-01", 5, "'submit' alone"),
        ("(" * 200 + "job=1" + ")" * 200, 101, "100 brackets"),
    ],
)
def test_a_bad_filter_is_told_with_its_column(text: str, column: int, words: str) -> None:
    with pytest.raises(BadFilter) as raised:
        read_filter(text, "mine.txt", 3)
    assert (raised.value.line, raised.value.column) == (3, column)
    assert str(raised.value).startswith(f"mine.txt, line 3, column {column}: ")
    assert words in str(raised.value)


def test_filters_of_a_file_one_a_line() -> None:
    found = read_filters("# flurries\n\nuser = 50   # the large one\njob<=8\n", "f")
    assert [one.text for one in found] == ["user = 50", "job<=8"]
    with pytest.raises(BadFilter, match="f, line 4, column 1"):
        read_filters("\n\n\nusr=1\n", "f")


def test_what_a_log_does_not_tell_cannot_be_compared() -> None:
    silent = log_of({}, header=())
    for text, told in (("submit<2012-01-01", "UnixStartTime"), ("proc>machine", "how large")):
        with pytest.raises(BadInput, match=told):
            read_filter(text).holds(silent)


def test_every_field_has_a_name() -> None:
    for name in (*SHORT_NAMES, *SWF_FIELDS):
        assert read_filter(f"{name}>=-1").holds(LOG).all()


@given(st.text("abujoser0123456789=<>()! \t@éand", max_size=40))
def test_any_text_is_a_filter_or_told_where_it_is_none(text: str) -> None:
    try:
        mask = read_filter(text).holds(LOG)
    except BadFilter as error:
        column = error.column
    else:
        assert mask.dtype == np.bool_
        return
    assert 1 <= column <= len(text) + 1
