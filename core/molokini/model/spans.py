"""Lengths of time as people write them; standard library only."""

import math
import re

from molokini.model.errors import BadValue

FORMS = "seconds, H:MM:SS or D-HH:MM:SS"
_LONGEST_S = 1e15
_CLOCK = re.compile(r"(?:(\d+)-)?(\d+):([0-5]\d):([0-5]\d(?:\.\d+)?)", re.ASCII)
_NUMBER = re.compile(r"\d+(?:\.\d*)?|\.\d+", re.ASCII)
_AMBIGUOUS = re.compile(r"(\d+):([0-5]\d)", re.ASCII)


def seconds(field: str, text: str) -> float:
    """``90``, ``1.5``, ``1:30:00`` or ``2-12:00:00`` in seconds.

    BadValue for anything else, ``10:00`` included: that is 10 minutes to Slurm and PBS, 10 hours to LSF.
    """
    if match := _CLOCK.fullmatch(text):
        days, hours, minutes, rest = match.groups()
        return _finite(
            field, text, int(days or 0) * 86400.0 + int(hours) * 3600.0 + int(minutes) * 60 + float(rest)
        )
    if _NUMBER.fullmatch(text):
        return _finite(field, text, float(text))
    if match := _AMBIGUOUS.fullmatch(text):
        first, second = match.groups()
        raise BadValue(field, text, f"{FORMS}: 0:{first:0>2}:{second} is minutes, {first}:{second}:00 hours")
    raise BadValue(field, text, FORMS)


def _finite(field: str, text: str, value: float) -> float:
    if not math.isfinite(value) or value > _LONGEST_S:
        raise BadValue(field, text, "at most 1e15 seconds")
    return value
