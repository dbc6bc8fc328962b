"""Words and numbers for people; standard library only."""

import math
from collections.abc import Mapping
from typing import Any


def printable(text: str) -> str:
    """*text* as one line that cannot control a terminal: control characters are escaped."""
    return "".join(
        sign if sign.isprintable() else sign.encode("unicode_escape").decode("ascii") for sign in text
    )


def counted_text(part: Mapping[str, Any]) -> str:
    """The part of a replay that counts, as options say it: "from 86400 s, cool-down 5%"."""
    names = {"from_s": "from", "to_s": "to", "warm_up": "warm-up", "cool_down": "cool-down"}
    return ", ".join(
        f"{names[name]} {value}" if isinstance(value, str) else f"{names[name]} {value:.15g} s"
        for name, value in part.items()
    )


def rules_text(options: Mapping[str, Any]) -> str:
    """The rules of a replay that are not the usual ones."""
    overrun = ", overrun extend" if options["overrun"] == "extend" else ""
    part = f", counted: {counted_text(options['counted'])}" if options.get("counted") else ""
    return overrun + (", a pass for each event" if options["ties"] == "each" else "") + part


def duration(seconds: float | None) -> str:
    """Seconds in the two largest units that matter: ``1 h 54 min``, ``3 d 2 h``, ``12 s``."""
    if seconds is None or not math.isfinite(seconds):
        return "-"
    sign = "-" if seconds < 0 else ""
    size = abs(seconds)
    if size < 60:
        return f"{sign}{size:.3g} s" if size < 10 else f"{sign}{size:.0f} s"
    for unit, length, part, smaller in (("d", 86400, "h", 3600), ("h", 3600, "min", 60), ("min", 60, "s", 1)):
        # Rounded first, so that 59 min 59.9 s is 1 h and not 59 min 60 s.
        whole = round(size / smaller)
        if whole * smaller >= length:
            count, rest = divmod(whole, length // smaller)
            return f"{sign}{count:,} {unit}" + (f" {rest} {part}" if rest else "")
    return f"{sign}{size:.0f} s"


def figure(value: float | int | None, digits: int = 2) -> str:
    """A number with separators of thousands; ``-`` where it is undefined."""
    if value is None:
        return "-"
    if isinstance(value, int) or (value == int(value) and abs(value) < 1e15):
        return f"{int(value):,}"
    return f"{value:,.{digits}f}" if abs(value) >= 0.1 else f"{value:.3g}"


def percent(share: float | None, digits: int = 1) -> str:
    """A share of 1 in percent."""
    return "-" if share is None else f"{share:.{digits}%}"


def plural(count: int, noun: str) -> str:
    """A number of things: ``1 job``, ``2,500 jobs``."""
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"


def exact(value: float) -> str:
    """A number as a user would type it: all its digits, no separators, no exponent in daily use."""
    return f"{value:.15g}"


def counted(counts: dict[str, int]) -> str:
    """Counts by name in one line: ``3 not_a_number, 1 wrong_field_count``."""
    return ", ".join(f"{count:,} {name}" for name, count in counts.items())
