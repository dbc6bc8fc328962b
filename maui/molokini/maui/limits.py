"""Limits of two strengths, ``[SOFT,]HARD``, and fairshare targets with the sign that says what they do."""

import math
import re
from collections.abc import Callable
from dataclasses import dataclass

from molokini.maui.unfit import Unfit
from molokini.policies.maui.configuration.words import TargetKind


@dataclass(frozen=True)
class Limit:
    """A throttling limit; 0 is no limit. The soft one binds priority scheduling and the first backfill pass.

    Raises ValueError where the soft limit is above the hard one (no soft limit is above any hard one).
    """

    soft: float
    hard: float

    def __post_init__(self) -> None:
        if not all(math.isfinite(one) and one >= 0 for one in (self.soft, self.hard)):
            raise Unfit("limits are 0 (none) or more")
        if self.hard and (self.soft > self.hard or not self.soft):
            raise Unfit(f"soft limit {_shown(self.soft)} is above hard limit {_shown(self.hard)}")

    def __bool__(self) -> bool:
        return bool(self.soft or self.hard)


def _shown(limit: float) -> str:
    return f"{limit:g}" if limit else "none (0)"


def read_limit(text: str, number: Callable[[str], float]) -> Limit:
    """A limit from *text*, whose parts *number* reads. Raises ValueError."""
    parts = [part.strip() for part in text.split(",")]
    if len(parts) > 2:
        raise Unfit("more than two limits")
    values = [number(part) for part in parts]
    return Limit(values[0], values[-1])


def write_limit(limit: Limit, number: Callable[[float], str]) -> str:
    """The text of *limit*: one number where both are the same."""
    if limit.soft == limit.hard:
        return number(limit.hard)
    return f"{number(limit.soft)},{number(limit.hard)}"


@dataclass(frozen=True)
class Target:
    """A fairshare target: percent of delivered usage, or for an absolute cap usage itself."""

    value: float
    type: TargetKind = TargetKind.TARGET

    def __post_init__(self) -> None:
        if not math.isfinite(self.value) or self.value < 0:
            raise Unfit("targets are 0 (none) or more")
        if self.type is not TargetKind.ABSOLUTE_CAP and self.value > 100:
            raise Unfit("more than 100 percent")


_TARGET = re.compile(r"(\d+(?:\.\d*)?|\.\d+)([-+~%^]?)", re.ASCII)


def read_target(text: str) -> Target:
    """A target from *text* such as ``10.0-``; ``%`` is another way to write ``~``. Raises ValueError."""
    match = _TARGET.fullmatch(text)
    if not match:
        raise Unfit("not a target")
    suffix = "~" if match[2] == "%" else match[2]
    return Target(float(match[1]), next(kind for kind in TargetKind if str(kind) == suffix))
