"""Numbers as a file of the page holds them: byte by byte, compressed, in base64."""

import base64
import gzip
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Numbers: TypeAlias = NDArray[np.float64] | NDArray[np.int64]

NONE = -(2**31)
"""In a column of whole numbers: there is no value (in others that is NaN)."""
_MOST = 2**31 - 1


def column(values: Numbers) -> dict[str, Any]:
    """*values* as ``recorded.js`` reads them back, to the bit: whole numbers in 4 bytes, others in 8.

    NaN stands for no value. A column that grows is kept as its differences.
    """
    numbers = np.asarray(values, dtype=np.float64)
    known = np.isfinite(numbers)
    whole = numbers[known]
    if whole.size and (np.any(whole != np.floor(whole)) or np.abs(whole).max() > _MOST):
        return _packed("f64", False, numbers.astype("<f8"))
    ints = np.full(numbers.size, NONE, dtype=np.int64)
    ints[known] = whole.astype(np.int64)
    differences = np.diff(ints, prepend=0)
    grows = bool(known.all() and np.all(differences[1:] >= 0))
    return _packed("i32", grows, (differences if grows else ints).astype("<i4"))


def _packed(kind: str, grows: bool, values: NDArray[Any]) -> dict[str, Any]:
    # All first bytes, then all second ones: neighbours are alike, and compress well.
    shuffled = values.view(np.uint8).reshape(values.size, values.itemsize).T.tobytes()
    data = base64.b64encode(gzip.compress(shuffled, 9, mtime=0)).decode("ascii")
    return {"kind": kind, "grows": grows, "data": data}
