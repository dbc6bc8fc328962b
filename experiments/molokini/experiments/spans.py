"""Lengths of time as people write them: ``7d``, ``12h``, ``90m``, ``3600``."""

import math
import re

from molokini.model.errors import BadValue
from molokini.workloads.tools.filter_language import UNITS_S

_SPAN = re.compile(r"(\d+(?:\.\d+)?)\s*([smhdw]?)")


def span_s(field: str, text: str) -> float:
    """*text* in seconds; BadValue names *field*."""
    match = _SPAN.fullmatch(text.strip())
    value = float(match[1]) * UNITS_S[match[2] or "s"] if match else math.nan
    if not 0 <= value <= 1e12:
        raise BadValue(field, text, "a length of time as 7d, 12h, 90m or 3600 (seconds)")
    return value
