"""What a text in a scenario file says: durations, distributions, bytes, whole numbers."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from molokini.model.errors import BadInput
from molokini.process_sim.keys import MOST_NS, bytes_of, distribution, duration, whole_of
from molokini.process_sim.scenario import Dist, shown
from molokini.process_sim.scenario_files import ratio_of
from molokini.process_sim.texts import program_of
from molokini.process_sim.words import Draw

DIGITS = "9" * 5000
NS = st.integers(0, MOST_NS)
DISTS = st.one_of(
    st.builds(Dist, st.sampled_from([Draw.CONSTANT, Draw.EXPONENTIAL]), NS),
    st.builds(lambda ends: Dist(Draw.UNIFORM, min(ends), max(ends)), st.tuples(NS, NS)),
    st.builds(lambda mean, order: Dist(Draw.ERLANG, mean, order), NS, st.integers(1, 1000)),
)


@given(DISTS)
def test_a_distribution_is_shown_as_a_file_says_it(dist: Dist) -> None:
    assert distribution(str(dist)) == dist


@given(NS)
def test_a_duration_is_shown_as_a_file_says_it(ns: int) -> None:
    assert duration(shown(ns)) == ns


@pytest.mark.parametrize(
    ("text", "ns"),
    [
        ("0ns", 0),
        ("1.5ms", 1_500_000),
        (" 2 min ", 120 * 10**9),
        ("1e3us", 10**6),
        ("0.1ns", 0),
        ("7300h", MOST_NS),
    ],
)
def test_a_duration_has_a_unit(text: str, ns: int) -> None:
    assert duration(text) == ns


@pytest.mark.parametrize(
    "text",
    # The first three would take for ever to be written out as whole numbers.
    [
        "1e999999999s",
        "1e-999999999s",
        "0e999999999s",
        f"{DIGITS}s",
        "-1ms",
        "7301h",
        "5",
        "ms",
        "",
        "nans",
        "NaNs",
        "Infinitys",
        "1/0s",
        "1 ms ms",
        "²ms",
        "1ms\x00",
        "soon",
        5,
        None,
        True,
        1.5,
        ["1ms"],
    ],
)
def test_what_is_no_duration_says_none(text: object) -> None:
    assert duration(text) is None
    assert distribution(text) is None


@pytest.mark.parametrize(
    "text", ["erlang 5ms ²", "erlang 5ms 0", "erlang 5ms 1001", "erlang 5ms", "uniform 2ms 1ms"]
)
def test_what_is_no_distribution_says_none(text: str) -> None:
    assert distribution(text) is None


@pytest.mark.parametrize(
    ("text", "size"),
    [(0, 0), (10**12, 10**12), ("0", 0), ("7", 7), ("7B", 7), ("7 KB", 7000), ("1000000MB", 10**12)],
)
def test_bytes_may_have_a_unit(text: object, size: int) -> None:
    assert bytes_of(text) == size


@pytest.mark.parametrize(
    "text",
    [
        10**12 + 1,
        "1000001MB",
        DIGITS,
        f"{DIGITS}MB",
        "²KB",
        "²",
        "-1",
        "1.5KB",
        "KB",
        "",
        "1kb",
        True,
        None,
        1.0,
    ],
)
def test_what_is_no_number_of_bytes_says_none(text: object) -> None:
    assert bytes_of(text) is None


@pytest.mark.parametrize("text", ["²", "٣", "", " 1", "-1", "1.0", "1e3", DIGITS])
def test_a_whole_number_has_plain_digits(text: str) -> None:
    assert whole_of(text) is None
    assert whole_of("007") == 7


@pytest.mark.parametrize(
    "text", ["²:1", "1:²", f"{DIGITS}:1", "2", "2:", ":1", "0:0", "2:1:1", "-1:2", "999:2", 2, None]
)
def test_what_is_no_ratio_is_refused(text: object) -> None:
    with pytest.raises(BadInput, match=r"it must be x:y|it is missing"):
        ratio_of("ratio", text)
    assert ratio_of("ratio", "999:1") == (999, 1)
    assert ratio_of("ratio", "0:3") == (0, 3)


@pytest.mark.parametrize(
    "line",
    [
        "repeat ²",
        f"repeat {DIGITS}",
        "send ²",
        "send A ²KB",
        f"send A {DIGITS}",
        "",
        "  ",
        "io 1ms chance nan",
        "io 1ms chance 2",
        "receive",
        "receive A B",
        "exchange",
        "reply 1 2",
        "compute",
        "end 3",
        "repeat 0",
    ],
)
def test_a_line_of_a_program_that_cannot_be_understood_is_refused(line: str) -> None:
    with pytest.raises(BadInput, match="program"):
        program_of("program", ["compute 1ms", line], ["A"])


def test_a_reply_needs_somebody_to_reply_to() -> None:
    for lines in (
        ["reply 1KB", "receive any"],
        ["repeat 2", "reply", "receive any", "end"],
        ["receive A", "reply"],
    ):
        with pytest.raises(BadInput, match="behind a 'receive any'"):
            program_of("program", lines, ["A"])
    assert len(program_of("program", ["receive any", "repeat 2", "reply", "end"], ["A"])) == 3
