"""Several factors by which a workload is changed, as they are asked for: numbers, or a range in text."""

import math
from collections.abc import Sequence

from molokini.model.errors import BadValue

MOST = 1000
"""Steps of a range."""


def several_factors(option: str, given: str | float | Sequence[float]) -> list[float]:
    """Numbers, ``0.8,0.9``, or ``0.8:1.2:0.1``, the end included. Raises BadValue, which names *option*."""
    wanted = "a finite number above 0, several separated by commas, or FIRST:LAST:STEP"
    text = given if isinstance(given, str) else ""
    try:
        if isinstance(given, str):
            numbers = [float(part) for part in text.replace(":", ",").split(",")]
        else:
            numbers = [float(given)] if isinstance(given, int | float) else [float(one) for one in given]
    except ValueError:
        raise BadValue(option, given, wanted) from None
    if not numbers or not all(math.isfinite(number) and number > 0 for number in numbers):
        raise BadValue(option, given, wanted)
    if ":" in text:
        if len(numbers) != 3 or "," in text or numbers[1] < numbers[0]:
            raise BadValue(option, text, wanted)
        first, last, step = numbers
        count = math.floor((last - first) / step + 1e-9) + 1
        if count > MOST:
            raise BadValue(option, text, f"of at most {MOST:,} steps")
        # Rounded, so that 0.8 + 2 * 0.1 is 1 and not next to it.
        numbers = [round(first + at * step, 9) for at in range(count)]
    return list(dict.fromkeys(numbers))
