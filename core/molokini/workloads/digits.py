"""Decimal text to float64, for millions of numbers at a time.

Most numbers of a log are whole and short. Those are read eight digits at once: the eight bytes
that end at a number's last digit are one 64-bit word, and three multiplications turn its digits
into their value. Anything else (fractions, exponents, text) takes a slower way that accepts plain
decimal numbers alone: no underscores, no hexadecimal, no text.
"""

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from molokini.workloads.workload import Floats, Ints

Bytes: TypeAlias = NDArray[np.uint8]
Words: TypeAlias = NDArray[np.uint64]
Faults: TypeAlias = NDArray[np.uint8]

PAD = 16
"""Bytes that must precede the first number, so that two words before its end can be read."""

NUMBER, TEXT, NOT_FINITE = 0, 1, 2
"""What a token is: a number, no number at all, a NaN or an infinity."""

_BATCH = 1 << 14
_WIDE = 32
_DECIMAL = np.isin(np.arange(256), np.frombuffer(b"\x000123456789+-.eE", np.uint8))
_ENDLESS = np.array([sign + word for sign in (b"", b"+", b"-") for word in (b"nan", b"inf", b"infinity")])


def parse_numbers(text: bytes, starts: Ints, ends: Ints) -> tuple[Floats, Faults]:
    """The numbers at ``text[start:end]`` and, for each, NUMBER, TEXT or NOT_FINITE.

    Every end must be PAD bytes or more into *text*. The value of a token that is no number is NaN or
    infinite. No token may hold a byte below the space.
    """
    chars = np.frombuffer(text, np.uint8)
    words: Words = np.ndarray((len(text) - 7,), "<u8", text, strides=(1,))
    negative = (chars[starts] == ord("-")) & (ends - starts > 1)
    digits = ends - starts - negative
    values, strange = _whole(words[ends - 8], digits)
    longer = np.flatnonzero((digits > 8) & (digits <= 16))
    if longer.size:
        _extend(values, strange, words, ends, digits, longer)
    values[negative] *= -1.0
    faults = np.zeros(len(values), np.uint8)
    odd = np.flatnonzero(strange)
    for first in range(0, len(odd), _BATCH):
        some = odd[first : first + _BATCH]
        values[some], faults[some] = _strange(text, chars, starts[some], ends[some])
    faults[(faults == NUMBER) & ~np.isfinite(values)] = NOT_FINITE
    return values, faults


def _whole(words: Words, digits: Ints) -> tuple[Floats, NDArray[np.bool_]]:
    """Values of words whose last *digits* bytes are digits; True where it is not so simple."""
    unused = ((8 - digits) * 8).clip(0, 56).astype(np.uint64)
    value = (words ^ np.uint64(0x3030303030303030)) >> unused << unused
    # A byte above nine carries into its own top bit, or has it set already.
    above_nine = ((value + np.uint64(0x7676767676767676)) | value) & np.uint64(0x8080808080808080)
    value = value * np.uint64(2561) >> np.uint64(8)
    value = (value & np.uint64(0x00FF00FF00FF00FF)) * np.uint64(6553601) >> np.uint64(16)
    value = (value & np.uint64(0x0000FFFF0000FFFF)) * np.uint64(42949672960001) >> np.uint64(32)
    return value.astype(np.float64), (above_nine != 0) | (digits > 8) | (digits < 1)


def _extend(
    values: Floats, strange: NDArray[np.bool_], words: Words, ends: Ints, digits: Ints, rows: NDArray[np.intp]
) -> None:
    """Whole numbers of nine to sixteen digits: the low eight, and those before them."""
    low, low_strange = _whole(words[ends[rows] - 8], np.full(len(rows), 8))
    high, high_strange = _whole(words[ends[rows] - 16], digits[rows] - 8)
    # In integers: a sixteen-digit number must be rounded once, at the end.
    both = high.astype(np.uint64) * np.uint64(100_000_000) + low.astype(np.uint64)
    values[rows] = both.astype(np.float64)
    strange[rows] = low_strange | high_strange


def _strange(text: bytes, chars: Bytes, starts: Ints, ends: Ints) -> tuple[Floats, Faults]:
    lengths = ends - starts
    width = int(min(lengths.max(), _WIDE))
    columns = np.arange(width)
    letters = chars[np.minimum(starts[:, None] + columns, len(chars) - 1)]
    letters[columns >= lengths[:, None]] = 0
    tokens = letters.view(f"S{width}").ravel()
    values = np.full(len(starts), np.nan)
    faults = np.full(len(starts), TEXT, np.uint8)
    wide = lengths > _WIDE
    decimal = _DECIMAL[letters].all(axis=1) & ~wide
    values[decimal], faults[decimal] = _decimals(tokens[decimal])
    words = np.flatnonzero(~decimal & ~wide)
    if words.size:
        faults[words[np.isin(np.char.lower(tokens[words]), _ENDLESS)]] = NOT_FINITE
    for row in np.flatnonzero(wide):
        values[row], faults[row] = _decimal(text[starts[row] : ends[row]])
    return values, faults


def _decimals(tokens: NDArray[np.bytes_]) -> tuple[Floats, Faults]:
    try:
        return tokens.astype(np.float64), np.zeros(len(tokens), np.uint8)
    except ValueError:  # one of them at least is the likes of 1.5.2
        pairs = [_decimal(token) for token in tokens.tolist()]
        return np.array([value for value, _ in pairs]), np.array([fault for _, fault in pairs], np.uint8)


def _decimal(token: bytes) -> tuple[float, int]:
    if not _DECIMAL[np.frombuffer(token, np.uint8)].all() or b"\x00" in token:
        return float("nan"), TEXT
    try:
        return float(token), NUMBER
    except ValueError:
        return float("nan"), TEXT
