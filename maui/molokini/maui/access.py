"""Rights of jobs: access lists of standing reservations, lists of QOSes and partitions, and flags."""

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from enum import StrEnum
from typing import Any

from molokini.maui.kinds import SEPARATORS, Kind, Name, is_name
from molokini.maui.unfit import Unfit
from molokini.policies.maui.configuration.words import ListRule, QosFlag


class Affinity(StrEnum):
    """Whether a job that matches prefers the reservation's nodes; its value is the suffix."""

    POSITIVE = "+"
    NEUTRAL = "="
    NEGATIVE = "-"


@dataclass(frozen=True)
class Entry:
    """One entry of a reservation's access list: ``!bad``, ``lab*``, ``long-``."""

    name: str
    affinity: Affinity = Affinity.POSITIVE
    required: bool = False
    denied: bool = False

    def __post_init__(self) -> None:
        if not is_name(self.name) or set(self.name) & set("!*+:") or self.name.endswith("-"):
            raise Unfit("not a name")

    def __str__(self) -> str:
        suffix = "" if self.affinity is Affinity.POSITIVE else str(self.affinity)
        return f"{'!' * self.denied}{self.name}{'*' * self.required}{suffix}"


_ENTRY = re.compile(r"(!?)([^!*+=]+?)([*+=-]*)")


def read_entry(text: str) -> Entry:
    """An entry from *text*. Raises ValueError."""
    match = _ENTRY.fullmatch(text)
    if not match:
        raise Unfit("not an entry of an access list")
    signs = match[3]
    affinities = [sign for sign in signs if sign != "*"]
    if len(affinities) > 1 or signs.count("*") > 1:
        raise Unfit("too many signs")
    affinity = Affinity(affinities[0]) if affinities else Affinity.POSITIVE
    return Entry(match[2], affinity, "*" in signs, bool(match[1]))


class Entries(Kind):
    """The entries of one type of an access list."""

    allowed = "a list of names, each with ! before it or *, +, =, - behind it"

    def read(self, text: str) -> tuple[Entry, ...]:
        return self.take([part for part in SEPARATORS.split(text) if part])

    def take(self, value: Any) -> tuple[Entry, ...]:
        if isinstance(value, str):
            return self.read(value)
        if not isinstance(value, list | tuple) or not value:
            raise ValueError
        return tuple(one if isinstance(one, Entry) else read_entry(one) for one in value)

    def write(self, value: tuple[Entry, ...]) -> str:
        return ",".join(map(str, value))

    def plain(self, value: tuple[Entry, ...]) -> Any:
        return [str(one) for one in value]


@dataclass(frozen=True)
class Members:
    """QOSes, partitions or accounts that an object gives access to."""

    names: tuple[str, ...]
    rule: ListRule = ListRule.ADD


class MemberList(Kind):
    """A list of QOSes, partitions or accounts; *empty*: it may have none, so that nothing is accessible."""

    values, between = Members, ","

    def __init__(self, empty: bool = False) -> None:
        self.empty = empty
        self.allowed = "a list of names with commas between them, & or ^ at its end"
        if empty:
            self.allowed += "; or nothing: none of them"

    def read(self, text: str) -> Members:
        rule = next(rule for rule in (ListRule.ALL, ListRule.ALONE, ListRule.ADD) if text.endswith(str(rule)))
        names = [part for part in SEPARATORS.split(text.removesuffix(str(rule))) if part]
        if not (names or self.empty) or not all(
            is_name(name) and not set(name) & set("&^") for name in names
        ):
            raise ValueError
        return Members(tuple(dict.fromkeys(names)), rule)

    def write(self, value: Members) -> str:
        return ",".join(value.names) + str(value.rule)

    def plain(self, value: Members) -> Any:
        return self.write(value) if value.rule else list(value.names)


class Flags(Kind):
    """Flags by name, some of which take a name behind a colon (``ADVRES:weekend``)."""

    between = ","

    def __init__(self, known: Collection[str], taking: Collection[str] = ()) -> None:
        self.known, self.taking = known, taking
        self.allowed = "flags with commas between them, out of " + ", ".join(known)

    def _nearest(self, word: str) -> str:
        near = get_close_matches(word.upper(), self.known, n=1)
        return f", the nearest is {near[0]!r}" if near else ""

    def read(self, text: str) -> tuple[str, ...]:
        found: list[str] = []
        for word in [part for part in re.split(r"[\s,|]+", text) if part]:
            open_flag = False
            for part in word.split(":"):
                if open_flag and part.upper() not in self.known:
                    found[-1] += ":" + Name().read(part)
                    open_flag = False
                    continue
                if part.upper() not in self.known:
                    raise Unfit(f"no flag named {part!r}{self._nearest(part)}")
                found.append(part.upper())
                open_flag = part.upper() in self.taking
        if not found:
            raise ValueError
        return tuple(dict.fromkeys(found))

    def write(self, value: tuple[str, ...]) -> str:
        return ",".join(value)

    def plain(self, value: tuple[str, ...]) -> Any:
        return list(value)


_OF_JOBS = (QosFlag.NO_QUEUE, QosFlag.RESTARTABLE)
UNKNOWN_TO_MAUI = "IGNMAXJOB"
"""A flag that the maui.cfg has with which Maui comes, and that Maui itself passes over."""
QOS_FLAGS = [*(str(flag) for flag in QosFlag if flag not in _OF_JOBS), UNKNOWN_TO_MAUI]
"""What a QOS may be allowed or made to do."""

JOB_FLAGS: Mapping[str, str] = {
    "ADVRES": "runs inside a reservation alone",
    "BACKFILL": "may be backfilled",
    "BENCHMARK": "a benchmark",
    "BESTEFFORT": "starts with what there is",
    "BYNAME": "names its reservation",
    "DEDICATED": "nodes are not shared with other jobs",
    "DEDICATEDNODE": "nodes are not shared with other jobs",
    "GLOBALQUEUE": "in the global queue",
    "HOSTLIST": "runs on the hosts of its list",
    "IGNNODEPOLICIES": "policies of nodes are ignored",
    "NASINGLETASK": "one task of it on a node",
    "NOQUEUE": "removed if it cannot start when it is submitted",
    "NORMSTART": "starts by the scheduler's choice",
    "PREEMPTEE": "may be preempted",
    "PREEMPTOR": "may preempt",
    "PRESTART": "prepared before it starts",
    "REMOTE": "runs elsewhere",
    "RESMAP": "its resources are mapped",
    "RESTARTABLE": "may be requeued",
    "SHAREDRESOURCES": "shares resources with other jobs",
    "SPAN": "may span partitions",
    "SPVIOLATION": "violates a soft limit",
}
"""What a job may be."""

FOLLOWED_JOB_FLAGS = {
    "DEDICATED": QosFlag.DEDICATED,
    "DEDICATEDNODE": QosFlag.DEDICATED,
    "NOQUEUE": QosFlag.NO_QUEUE,
    "PREEMPTEE": QosFlag.PREEMPTEE,
    "PREEMPTOR": QosFlag.PREEMPTOR,
    "RESTARTABLE": QosFlag.RESTARTABLE,
}
"""Of these those that do something here, and what."""
IDLE_QOS_FLAGS = ("USERESERVED", "RUNNOW", "IGNSRMAXTIME", "IGNHOSTLIST", UNKNOWN_TO_MAUI)
"""Flags of QOSes that do nothing here."""

RESERVATION_FLAGS: Mapping[str, str] = {
    "STANDINGRES": "a standing reservation",
    "SINGLEUSE": "gone after one job",
    "BYNAME": "jobs must ask for it by name",
    "META": "made by a meta scheduler",
    "PREEMPTEE": "its jobs may be preempted",
    "TIMEFLEX": "may move in time",
    "SPACEFLEX": "may move to other nodes",
    "DEDICATEDNODE": "takes whole nodes",
    "DEDICATEDRESOURCE": "overlaps no other reservation",
    "ADVRES": "an advance reservation",
    "FORCE": "made whatever is in its way",
    "OWNERPREEMPT": "its owner's jobs may preempt others inside it",
    "IGNSTATE": "states of nodes are ignored",
}
"""What a reservation may be."""

SIMULATION_FLAGS: Mapping[str, str] = {
    f"IGN{what}": f"{text} of the trace is not looked at"
    for what, text in {
        "HOSTLIST": "the list of hosts",
        "CLASS": "the class",
        "QOS": "the QOS",
        "MODE": "the mode",
        "FEATURES": "the list of features",
        "FRAME": "the frame",
        "ALL": "all of this",
    }.items()
}
"""What of a trace is not looked at."""
