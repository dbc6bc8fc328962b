"""Values of more than one part: percentages, fairshare metrics, resources, expressions, policies."""

import re
from dataclasses import dataclass, fields
from typing import Any

from molokini.maui.kinds import Choice, Duration, Kind, Number, Whole, Word, shortest
from molokini.maui.limits import Target, read_target
from molokini.maui.times import Moment, read_duration, read_moment, unusual, write_duration
from molokini.maui.unfit import Unfit
from molokini.policies.maui.configuration.words import Charge, NodeTerm, TargetKind


@dataclass(frozen=True)
class Weight:
    """A component's weight; one written in percent counts as 10 and keeps the percentage."""

    value: float
    percent: float | None = None


class ComponentWeight(Kind):
    """A weight, or a percentage."""

    allowed = "a number, or a percentage such as 20%"

    def read(self, text: str) -> Weight:
        if text.endswith("%"):
            return Weight(10.0, Number(0, 100).read(text[:-1]))
        return Weight(Number().read(text))

    def take(self, value: Any) -> Weight:
        if isinstance(value, Weight):
            return value
        return self.read(value) if isinstance(value, str) else Weight(Number().take(value))

    def write(self, value: Weight) -> str:
        return shortest(value.value) if value.percent is None else f"{shortest(value.percent)}%"

    def plain(self, value: Weight) -> Any:
        return Number().plain(value.value) if value.percent is None else self.write(value)


class FairshareTarget(Kind):
    """A fairshare target."""

    allowed = "a percentage from 0 to 100, with + (floor), - (ceiling), ~ or % (cap) or ^ behind it"

    def read(self, text: str) -> Target:
        return read_target(text)

    def take(self, value: Any) -> Target:
        if isinstance(value, Target):
            return value
        return self.read(value) if isinstance(value, str) else Target(Number().take(value))

    def write(self, value: Target) -> str:
        return shortest(value.value) + str(value.type)

    def plain(self, value: Target) -> Any:
        return Number().plain(value.value) if value.type is TargetKind.TARGET else self.write(value)


@dataclass(frozen=True)
class FairshareRule:
    """The metric, and whether deltas are ratios (``%``) instead of differences."""

    metric: Charge = Charge.NONE
    ratio: bool = False


class FairsharePolicy(Kind):
    """``FSPOLICY``."""

    allowed = "one of NONE, DEDICATEDPS, DEDICATEDPES, UTILIZEDPS, perhaps with % behind it"
    values = FairshareRule
    _METRIC = Choice(
        Charge,
        {
            "PSDEDICATED": "DEDICATEDPS",
            "PESDEDICATED": "DEDICATEDPES",
            "PSUTILIZED": "UTILIZEDPS",
            **dict.fromkeys(("TRUE", "ON", "YES", "1"), "DEDICATEDPS"),
            **dict.fromkeys(("FALSE", "OFF", "NO", "0"), "NONE"),
        },
    )

    def read(self, text: str) -> FairshareRule:
        metric = self._METRIC.read(text.removesuffix("%"))
        return FairshareRule(metric, text.endswith("%") and metric is not Charge.NONE)

    def write(self, value: FairshareRule) -> str:
        return str(value.metric) + "%" * value.ratio


@dataclass(frozen=True)
class Resources:
    """What one task takes of one node; -1 processors are all of them, memory, disk and swap are MB."""

    procs: int = -1
    mem: int = 0
    disk: int = 0
    swap: int = 0


class TaskResources(Kind):
    """``PROCS:1,MEM:512``."""

    allowed = "resources such as PROCS:1,MEM:512, out of PROCS, MEM, DISK, SWAP"
    values = Resources

    def read(self, text: str) -> Resources:
        found: dict[str, int] = {}
        for part in [one for one in re.split(r"[\s,;]+", text) if one]:
            name, _, amount = part.replace("=", ":").partition(":")
            if name.casefold() not in {field.name for field in fields(Resources)}:
                raise Unfit(f"no resource named {name!r}")
            found[name.casefold()] = Whole(-1 if name.casefold() == "procs" else 0).read(amount)
        return Resources(**found)

    def write(self, value: Resources) -> str:
        given = {field.name: getattr(value, field.name) for field in fields(value)}
        return ",".join(
            f"{name.upper()}:{amount}" for name, amount in given.items() if amount or name == "procs"
        )


_TERM = Choice(NodeTerm)
_PART = re.compile(r"\s*([-+]?)\s*(?:(\d+\.?\d*|\.\d+)\s*\*\s*)?([A-Za-z]+)\s*", re.ASCII)


class NodePriority(Kind):
    """``PRIORITYF``: a weighted sum of properties of a node."""

    allowed = "a sum such as SPEED + .01*AMEM - 10*JOBCOUNT, of " + ", ".join(map(str, NodeTerm))
    values = tuple

    def read(self, text: str) -> tuple[tuple[float, NodeTerm], ...]:
        found: list[tuple[float, NodeTerm]] = []
        at = 0
        while at < len(text):
            match = _PART.match(text, at)
            if not match or (found and not match[1]):
                raise ValueError
            weight = float(match[2] or 1)
            found.append((-weight if match[1] == "-" else weight, _TERM.read(match[3])))
            at = match.end()
        if not found:
            raise ValueError
        return tuple(found)

    def write(self, value: tuple[tuple[float, NodeTerm], ...]) -> str:
        text = ""
        for weight, term in value:
            sign = "-" if weight < 0 else "+" if text else ""
            factor = "" if abs(weight) == 1 else f"{shortest(abs(weight))}*"
            text += f" {sign} {factor}{term}" if text else f"{sign}{factor}{term}"
        return text


class Resource(Word):
    """A resource of a node that a policy may name; all of them where it names none."""

    PROC = "PROC"
    MEM = "MEM"
    SWAP = "SWAP"
    DISK = "DISK"
    ALL = "ALL"


class Availability(Word):
    """Which view of a node counts."""

    COMBINED = "COMBINED"
    DEDICATED = "DEDICATED"
    UTILIZED = "UTILIZED"


class Availabilities(Kind):
    """``NODEAVAILABILITYPOLICY``."""

    allowed = "POLICY[:RESOURCE], of COMBINED, DEDICATED, UTILIZED and PROC, MEM, SWAP, DISK; may be repeated"
    values, between = tuple, " "

    def read(self, text: str) -> tuple[tuple[Availability, Resource], ...]:
        found = []
        for part in text.split():
            policy, _, resource = part.upper().partition(":")
            found.append((Availability(policy), Resource(resource or "ALL")))
        if not found:
            raise ValueError
        return tuple(found)

    def write(self, value: tuple[tuple[Availability, Resource], ...]) -> str:
        return " ".join(policy if of is Resource.ALL else f"{policy}:{of}" for policy, of in value)


class LimitPolicy(Word):
    """When a job that uses more than it asked for is acted upon."""

    ALWAYS = "ALWAYS"
    EXTENDEDVIOLATION = "EXTENDEDVIOLATION"
    BLOCKEDWORKLOADONLY = "BLOCKEDWORKLOADONLY"


class LimitAction(Word):
    """What is done to a job that uses more than it asked for."""

    CANCEL = "CANCEL"
    REQUEUE = "REQUEUE"
    SUSPEND = "SUSPEND"


@dataclass(frozen=True)
class ResourceLimit:
    """What happens to jobs that use more of *resource* than they asked for, for longer than *time_s*."""

    resource: Resource
    policy: LimitPolicy
    action: LimitAction
    time_s: int = 0

    def __str__(self) -> str:
        time = f":{write_duration(self.time_s)}" if self.time_s else ""
        return f"{self.resource}:{self.policy}:{self.action}{time}"


class ResourceLimits(Kind):
    """``RESOURCELIMITPOLICY``."""

    allowed = "RESOURCE:POLICY:ACTION[:TIME], such as MEM:ALWAYS:CANCEL; may be repeated"
    values, between = tuple, " "

    def read(self, text: str) -> tuple[ResourceLimit, ...]:
        found = []
        for part in text.split():
            resource, policy, action, *time = part.split(":", 3)
            time_s = Duration().read(time[0]) if time else 0
            found.append(
                ResourceLimit(
                    Resource(resource.upper()),
                    LimitPolicy(policy.upper()),
                    LimitAction(action.upper()),
                    time_s,
                )
            )
        if not found:
            raise ValueError
        return tuple(found)

    def write(self, value: tuple[ResourceLimit, ...]) -> str:
        return " ".join(map(str, value))

    def plain(self, value: tuple[ResourceLimit, ...]) -> Any:
        return [str(one) for one in value]


class Day(Word):
    """A day of the week."""

    MON = "MON"
    TUE = "TUE"
    WED = "WED"
    THU = "THU"
    FRI = "FRI"
    SAT = "SAT"
    SUN = "SUN"


class Days(Kind):
    """Days of the week; ``ALL`` is each."""

    allowed = "ALL, or days with commas between them, of Mon, Tue, Wed, Thu, Fri, Sat, Sun"

    def read(self, text: str) -> tuple[Day, ...]:
        return self.take([part for part in re.split(r"[\s,:|]+", text.strip("[]")) if part])

    def take(self, value: Any) -> tuple[Day, ...]:
        if isinstance(value, str):
            return self.read(value)
        if not isinstance(value, list | tuple) or not value:
            raise ValueError
        if [str(one).upper() for one in value] == ["ALL"]:
            return tuple(Day)
        named = {Day(str(one).upper()[:3]) for one in value if _is_day(str(one))}
        if len(named) != len({str(one).upper()[:3] for one in value}):
            raise ValueError
        return tuple(day for day in Day if day in named)

    def write(self, value: tuple[Day, ...]) -> str:
        return "ALL" if len(value) == len(Day) else ",".join(day.capitalize() for day in value)

    def plain(self, value: tuple[Day, ...]) -> Any:
        return self.write(value) if len(value) == len(Day) else [day.capitalize() for day in value]


_LONG_DAYS = ("MONDAY", "TUESDAY", "WEDNESDAY", "THURSDAY", "FRIDAY", "SATURDAY", "SUNDAY")


def _is_day(text: str) -> bool:
    return len(text) >= 3 and any(day.startswith(text.upper()) for day in _LONG_DAYS)


@dataclass(frozen=True)
class LongestOverlap:
    """The longest that a job may overlap a reservation (-1: no bound); *required* joins it by AND."""

    seconds: int = -1
    required: bool = False


class TimeLimit(Kind):
    """``TIMELIMIT=1:00:00*``."""

    allowed = "a time [[[DD:]HH:]MM:]SS, perhaps with * behind it, or -1"

    def read(self, text: str) -> LongestOverlap:
        seconds = read_duration(text.removesuffix("*"))
        if seconds < -1:
            raise ValueError
        return LongestOverlap(seconds, text.endswith("*"))

    def remark(self, text: str, value: LongestOverlap) -> str:
        return f"read as {self.write(value)}" if unusual(text.removesuffix("*")) else ""

    def take(self, value: Any) -> LongestOverlap:
        if isinstance(value, LongestOverlap):
            return value
        return self.read(value) if isinstance(value, str) else LongestOverlap(Duration(-1).take(value))

    def write(self, value: LongestOverlap) -> str:
        return write_duration(value.seconds) + "*" * value.required


class Instant(Kind):
    """A point in time."""

    allowed = "an instant HH[:MM[:SS]][_MO[/DD[/YY]]], or +[[[DD:]HH:]MM:]SS"
    values = Moment

    def read(self, text: str) -> Moment:
        return read_moment(text)
