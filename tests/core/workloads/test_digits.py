import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from molokini.workloads.digits import NOT_FINITE, NUMBER, PAD, TEXT, parse_numbers


def parse(*tokens: str) -> tuple[list[float], list[int]]:
    text, starts, ends = b" " * PAD, [], []
    for token in tokens:
        starts.append(len(text))
        text += token.encode()
        ends.append(len(text))
        text += b" "
    values, faults = parse_numbers(text, np.array(starts), np.array(ends))
    return values.tolist(), faults.tolist()


@pytest.mark.parametrize("length", range(1, 40))
def test_whole_numbers_of_every_length(length: int) -> None:
    digits = ("1234567890" * 4)[:length]
    for token in (digits, "-" + digits, "0" * length, "9" * length, "+" + digits):
        assert parse(token, "7") == ([float(token), 7.0], [NUMBER, NUMBER])


@pytest.mark.parametrize("length", [1, 7, 8, 9, 15, 16, 17, 33])
def test_every_wrong_byte_at_every_place_is_seen(length: int) -> None:
    for place in range(length):
        for wrong in "/:;aA@~\x7f_":
            token = "1" * place + wrong + "1" * (length - place - 1)
            assert parse(token)[1] == [TEXT], token


def test_neighbours_do_not_disturb_each_other() -> None:
    values, faults = parse("99999999", "x", "1", "-", "-1", "nan", "00000001", "1e3", "1e999")
    assert faults == [NUMBER, TEXT, NUMBER, TEXT, NUMBER, NOT_FINITE, NUMBER, NUMBER, NOT_FINITE]
    assert [value for value, fault in zip(values, faults, strict=True) if fault == NUMBER] == [
        99999999.0, 1.0, -1.0, 1.0, 1000.0,
    ]  # fmt: skip


@pytest.mark.deep
def test_more_strange_tokens_than_one_batch_holds() -> None:
    tokens = ["1.5", "text", "2.25e2"] * 20_000
    values, faults = parse(*tokens)
    assert faults == [NUMBER, TEXT, NUMBER] * 20_000
    assert values[0::3] == [1.5] * 20_000
    assert values[2::3] == [225.0] * 20_000


@given(
    st.lists(
        st.one_of(st.floats(allow_nan=False, allow_infinity=False).map(repr), st.integers().map(str)),
        min_size=1,
    )
)
def test_numbers_come_out_as_python_reads_them(tokens: list[str]) -> None:
    values, faults = parse(*tokens)
    for token, value, fault in zip(tokens, values, faults, strict=True):
        assert value == float(token)
        assert fault == (NUMBER if math.isfinite(float(token)) else NOT_FINITE)
