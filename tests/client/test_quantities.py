import pytest

from molokini.client.quantities import (
    ArrayRange,
    JobName,
    array_range,
    clock_time,
    job_name,
    memory_kb,
    memory_text,
)
from molokini.model.errors import BadValue
from molokini.model.spans import seconds


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("0", 0),
        ("90", 90),
        ("1.5", 1.5),
        (".5", 0.5),
        ("1:30:00", 5400),
        ("100:00:00", 360000),
        ("2-12:00:00", 216000),
    ],
)
def test_seconds(text: str, value: float) -> None:
    assert seconds("f", text) == value


@pytest.mark.parametrize(
    "text",
    [
        "",
        " 4",
        "-5",
        "1e400",
        "1e3",
        "nan",
        "inf",
        "1:60:00",
        "1:00:60",
        "10:00",
        "1.5.2",
        "9" * 20,
        "\u0661",
    ],
)
def test_no_seconds(text: str) -> None:
    with pytest.raises(BadValue, match="f: "):
        seconds("f", text)


@pytest.mark.parametrize(
    ("text", "value"), [("1K", 1), ("512M", 512 << 10), ("4G", 4 << 20), ("4GiB", 4 << 20), ("1.5t", 3 << 29)]
)
def test_memory(text: str, value: int) -> None:
    assert memory_kb("f", text) == value


@pytest.mark.parametrize(
    "text", ["", "4", "0K", "0.5K", "-1G", "10 G B", " 4G", "1.5.2G", "nanG", "9" * 30 + "P"]
)
def test_no_memory(text: str) -> None:
    with pytest.raises(BadValue, match="f: "):
        memory_kb("f", text)


def test_arrays() -> None:
    assert array_range("f", "1-100:2%10") == ArrayRange(1, 100, 2, 10)
    assert array_range("f", "0-99") == ArrayRange(0, 99)
    assert array_range("f", "7") == ArrayRange(7, 7)
    for text in ("", "5-1", "1-10:0", "1-10%0", "1,2", "1-2-3", "-1", f"0-{1 << 63}"):
        with pytest.raises(BadValue, match="f: "):
            array_range("f", text)


def test_jobs() -> None:
    assert job_name("12") == job_name("12[]") == JobName(12)
    assert job_name("12[0]") == JobName(12, 0)
    assert str(JobName(12, 3)) == "12[3]"
    assert str(JobName(12)) == "12"


def test_texts() -> None:
    assert [clock_time(value) for value in (0, 59.6, 3661, 90061)] == [
        "0:00:00",
        "0:01:00",
        "1:01:01",
        "1-01:01:01",
    ]
    assert [memory_text(size) for size in (0, 1, 1024, 1536, 4 << 20)] == ["0K", "1K", "1M", "1536K", "4G"]
