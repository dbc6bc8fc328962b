"""Ids, times, sizes, arrays, dependencies and other values, as PBS reads and writes them."""

import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from molokini.compat.pbs import arrays, sizes, times, values
from molokini.compat.pbs.attributes import attributes
from molokini.compat.pbs.depends import dependencies
from molokini.compat.pbs.depends import written as depends_written
from molokini.compat.pbs.ids import read, written
from molokini.compat.pbs.listed import parts_of


@pytest.fixture(autouse=True)
def _utc(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("TZ", "UTC")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("12", (12, -1, False)),
        ("12.srv.example.org", (12, -1, False)),
        ("12[]", (12, -1, True)),
        ("12[].srv", (12, -1, True)),
        ("12[3].srv", (12, 3, False)),
        ("12-3.srv", (12, 3, False)),
    ],
)
def test_ids_are_read_with_and_without_a_server(text: str, found: tuple[int, int, bool]) -> None:
    one = read(text)
    assert one is not None
    assert (one.number, one.index, one.array) == found


@pytest.mark.parametrize("text", ["", "x", "12[", "12[x]", "12[3", "1 2", "-1", "12-", "²", "9" * 30, "1[]]"])
def test_other_words_are_no_ids(text: str) -> None:
    assert read(text) is None


def test_ids_are_written_whole() -> None:
    assert written(7, "srv") == "7.srv"
    assert written(7, "srv", array=True) == "7[].srv"
    assert written(7, "srv", 0) == "7[0].srv"


NOW = 1795419282.0
"""Mon Nov 23 07:34:42 2026 in UTC."""


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("0800", "Mon Nov 23 08:00:00 2026"),
        ("0700", "Tue Nov 24 07:00:00 2026"),
        ("240700.30", "Tue Nov 24 07:00:30 2026"),
        ("220700", "Tue Dec 22 07:00:00 2026"),
        ("11220700", "Mon Nov 22 07:00:00 2027"),
        ("2701020304", "Sat Jan  2 03:04:00 2027"),
        ("202701020304.05", "Sat Jan  2 03:04:05 2027"),
    ],
)
def test_a_time_without_a_date_is_the_next_one(text: str, found: str) -> None:
    assert times.calendar(times.instant_s(text, NOW)) == found


@pytest.mark.parametrize(
    "text", ["", "800", "2500", "0860", "0800.99", "0800.", "13010800", "02300800", "tomorrow"]
)
def test_other_times_are_none(text: str) -> None:
    with pytest.raises(ValueError, match=r".*"):
        times.instant_s(text, NOW)


def test_durations_are_written_with_as_many_hours_as_there_are() -> None:
    assert times.clock(0.9) == "00:00:00"
    assert times.clock(3787.2) == "01:03:07"
    assert times.clock(360_000) == "100:00:00"
    assert times.short_clock(3787) == "01:03"


@pytest.mark.parametrize(
    ("text", "kilobytes"),
    [
        ("1", 1),
        ("64000000", 62500),
        ("100kb", 100),
        ("13mb", 13312),
        ("14GB", 14680064),
        ("1B", 1),
        ("512w", 4),
        ("1kw", 8),
    ],
)
def test_sizes_are_bytes_unless_they_say_else(text: str, kilobytes: int) -> None:
    assert sizes.kilobytes(text) == kilobytes


@pytest.mark.parametrize("text", ["", "0", "-1", "1.5gb", "gb", "4xb", "10 G B", "9" * 30, "nan", "1e3"])
def test_other_sizes_are_none(text: str) -> None:
    with pytest.raises(ValueError, match=r".*"):
        sizes.kilobytes(text)


def test_sizes_in_tables_have_at_most_six_characters() -> None:
    assert [sizes.short(kb) for kb in (0, 100, 477 << 10, 14 << 20, 1025, 1500 << 10)] == [
        "--",
        "100kb",
        "477mb",
        "14gb",
        "1025kb",
        "1500mb",
    ]
    assert sizes.short(1536 << 10, "gb") == "2gb"
    assert sizes.short(64, "mw") == "1mw"


@pytest.mark.parametrize(
    ("read_one", "text", "found"),
    [
        (arrays.pro, "1-10", {"first": 1, "last": 10, "step": 1}),
        (arrays.pro, "0-9:3%2", {"first": 0, "last": 9, "step": 3, "running_limit": 2}),
        (arrays.torque, "1-4", {"first": 1, "last": 4, "step": 1}),
        (arrays.torque, "5", {"first": 5, "last": 5, "step": 1}),
        (arrays.torque, "1,3,5%2", {"first": 1, "last": 5, "step": 2, "running_limit": 2}),
        (arrays.torque, "1-3,4-6", {"first": 1, "last": 6, "step": 1}),
    ],
)
def test_arrays(read_one: Callable[[str], dict[str, int]], text: str, found: dict[str, int]) -> None:
    assert read_one(text) == found


@pytest.mark.parametrize(
    ("read_one", "text"),
    [
        *(
            (arrays.pro, text)
            for text in ("", "5", "5-1", "3-3", "1-10:0", "1-2-3", "1,1", "1-4%0", "a-b", "-1-4")
        ),
        *(
            (arrays.torque, text)
            for text in ("", "1,1,1", "1,2,1-5", "5-1", "1-", "0-99999999999", "0-2000000000,7")
        ),
    ],
)
def test_other_arrays_are_none(read_one: Callable[[str], dict[str, int]], text: str) -> None:
    with pytest.raises(ValueError, match=r".*"):
        read_one(text)


def test_dependencies() -> None:
    found = dependencies("afterok:1.srv:2,afterany:3[]@srv,afterokarray:4[],after:5")
    assert [(one["kind"], one["job_id"]) for one in found] == [
        ("AFTER_OK", 1),
        ("AFTER_OK", 2),
        ("AFTER_ANY", 3),
        ("AFTER_OK", 4),
        ("AFTER", 5),
    ]
    assert depends_written(found, "srv") == "afterok:1.srv:2.srv:4.srv,afterany:3.srv,after:5.srv"


def test_dependencies_on_elements_and_of_others() -> None:
    found = dependencies("on:2,afterok:1[3].srv,beforeany:7.srv:8")
    assert found == [
        {"kind": "ON", "value": 2},
        {"kind": "AFTER_OK", "job_id": 1, "array_index": 3},
        {"kind": "AFTER_ANY", "before": 7},
        {"kind": "AFTER_ANY", "before": 8},
    ]
    assert depends_written(found[:2], "srv") == "on:2,afterok:1[3].srv"


def test_lists_of_indices() -> None:
    for reader in (arrays.pro, arrays.torque):
        assert reader("1,3,5-7%2") == {"indices": [1, 3, 5, 6, 7], "running_limit": 2}
        assert reader("7,1-5:2") == {"first": 1, "last": 7, "step": 2}
    assert arrays.written({"indices": [1, 3, 5, 6, 7]}) == "1,3,5-7"


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("afterok", "no type:job"),
        ("afterok:x", "no job id"),
        ("before:x", "no job id"),
        ("on:0", "expected on:COUNT"),
        ("on", "expected on:COUNT"),
        ("synccount:2", "synccount is not supported"),
        ("odd:1", "no type:job"),
    ],
)
def test_other_dependencies_are_refused(text: str, why: str) -> None:
    with pytest.raises(ValueError, match=why.replace("[", r"\[")):
        dependencies(text)


def test_attributes() -> None:
    made = attributes(
        ["group_list=lab,depend=afterok:1:2,afterany:3,block=true", "x=naccesspolicy:singlejob,umask=022"]
    )
    assert made.spec["group"] == "lab"
    assert len(made.spec["dependencies"]) == 3
    assert made.block
    assert made.shown == {"x": "naccesspolicy:singlejob", "group_list": "lab"}
    assert attributes(["group_list:lab"]).spec == {"group": "lab"}


@pytest.mark.parametrize(
    "text", ["umask=077", "stagein=a@b:c", "sandbox=PRIVATE", "odd=1", "block=maybe", "run_count=3", "x"]
)
def test_other_attributes_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r".*"):
        attributes([text])


@pytest.mark.parametrize(
    ("read_one", "good", "bad"),
    [
        (values.job_name, ("a", "=x", "parsl.torque.1732097447.12" * 4), ("", "a b", "a\nb", "x" * 237)),
        (values.priority, ("0", "-1024", "1023", "+5"), ("", "1024", "x", "1.5", "--5")),
        (values.rerunnable, ("y", "n"), ("", "yes")),
        (values.mail_events, ("n", "abe", "e"), ("", "z", "an")),
        (values.checkpoint, ("n", "c=10", "u"), ("", "c=", "c=x", "z")),
        (values.join, ("oe", "eo", "n"), ("", "o")),
        (values.keep, ("oe", "n", "doe"), ("", "on", "x")),
        (values.shell, ("/bin/bash", "/bin/sh@other,/bin/bash"), ("bash", "/bin/sh@other", "/bin/sh -x")),
        (values.holds, ("u", "uos", "n"), ("", "p", "ux")),
    ],
)
def test_values_of_options(
    read_one: Callable[[str], Any], good: tuple[str, ...], bad: tuple[str, ...]
) -> None:
    for text in good:
        read_one(text)
    for text in bad:
        with pytest.raises(ValueError, match=r".*"):
            read_one(text)


def test_lists_keep_what_is_quoted_together() -> None:
    assert parts_of("A=1,B='x,y',C=a\\,b,D") == ["A=1", "B=x,y", "C=a,b", "D"]
    with pytest.raises(ValueError, match=r".*"):
        parts_of("A='x")
