"""Older spellings: a parameter for an attribute, and limits that bear their owner in their name.

``SRSTARTTIME[test] 8:00:00`` is ``SRCFG[test] STARTTIME=8:00:00``. A number may stand for a name:
``QOSNAME[1] high`` and ``QOSPRIORITY[1] 100`` are ``QOSCFG[high] PRIORITY=100``. A limit of each user,
``MAXJOBPERUSERCOUNT 3,4``, is ``USERCFG[DEFAULT] MAXJOB=3,4``. Lines are rewritten before anything looks at
them.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from molokini.maui.grammar import Line

_QOS = {
    "NAME": "",
    "PRIORITY": "PRIORITY",
    "FLAGS": "QFLAGS",
    "QTWEIGHT": "QTWEIGHT",
    "XFWEIGHT": "XFWEIGHT",
    "QTTARGET": "QTTARGET",
    "XFTARGET": "XFTARGET",
    "FSTARGET": "FSTARGET",
}
_SR = {
    "NAME": "",
    **{
        same: same
        for same in [
            "PERIOD",
            "DEPTH",
            "DAYS",
            "STARTTIME",
            "ENDTIME",
            "WSTARTTIME",
            "WENDTIME",
            "TASKCOUNT",
            "RESOURCES",
            "HOSTLIST",
            "TPN",
            "PARTITION",
            "USERLIST",
            "GROUPLIST",
            "ACCOUNTLIST",
            "CLASSLIST",
            "QOSLIST",
            "JOBATTRLIST",
            "TIMELIMIT",
            "MAXTIME",
            "TIMELOGIC",
            "ACCESS",
            "OWNER",
            "CHARGEACCOUNT",
            "PRIORITY",
            "FLAGS",
        ]
    },
    "FEATURES": "NODEFEATURES",
    "NODEFEATURES": "NODEFEATURES",
}
_RM = {
    "NAME": "",
    **{
        same: same
        for same in [
            "TYPE",
            "HOST",
            "SERVER",
            "PORT",
            "EPORT",
            "NMHOST",
            "NMPORT",
            "TIMEOUT",
            "AUTHTYPE",
            "SUSPENDSIG",
            "SUBTYPE",
        ]
    },
}
_NUMBERED: Mapping[str, tuple[str, Mapping[str, str]]] = {
    "QOS": ("QOSCFG", _QOS),
    "SR": ("SRCFG", _SR),
    "RM": ("RMCFG", _RM),
}
_NUMBERED_NAME = re.compile(r"(QOS|SR|RM)([A-Z]+)")
_KEPT = {"RMTIMEOUT", "RMAUTHTYPE", "RMPOLLINTERVAL", "QOSFEATURES", "QOSWEIGHT", "QOSCAP", "QOSFSWEIGHT"}
"""Names that are parameters of today where they have no number (weights may have a partition's)."""

_WHOSE = {
    "USER": "USERCFG",
    "GROUP": "GROUPCFG",
    "ACCOUNT": "ACCOUNTCFG",
    "CLASS": "CLASSCFG",
    "QOS": "QOSCFG",
}
_COUNTED = {
    "JOBQUEUED": "MAXIJOB",
    "JOB": "MAXJOB",
    "PROCSECOND": "MAXPS",
    "PROC": "MAXPROC",
    "NODE": "MAXNODE",
    "PS": "MAXPS",
    "PE": "MAXPE",
    "WC": "MAXWC",
    "MEM": "MAXMEM",
}
_LIMIT = re.compile(rf"(S?)MAX({'|'.join(_COUNTED)})PER({'|'.join(_WHOSE)})(COUNT|POLICY)?")

Rewritten = tuple[Line, Line]
"""A line as it is written, and as it is meant."""


def modern(lines: Sequence[Line]) -> list[Rewritten]:
    """*lines*, each with what it means today."""
    names = _names(lines)
    soft = _soft(lines)
    return [(line, _modern(line, names, soft)) for line in lines]


def _modern(line: Line, names: Mapping[tuple[str, str], str], soft: Mapping[tuple[str, str], str]) -> Line:
    limit = _LIMIT.fullmatch(line.name)
    if limit and line.index is None:
        return _limit(line, limit, soft)
    match = _numbered(line)
    if match is None:
        return line
    object_, attributes = _NUMBERED[match[1]]
    id_ = names.get((match[1], line.index or "0"), line.index or "0")
    attribute = attributes[match[2]]
    joined = ",".join(line.words) if match[2].endswith("LIST") else line.value
    return replace(line, name=object_, index=id_, words=(f"{attribute}={joined}",) if attribute else ())


def _numbered(line: Line) -> re.Match[str] | None:
    match = _NUMBERED_NAME.fullmatch(line.name)
    if match is None or match[2] not in _NUMBERED[match[1]][1]:
        return None
    if line.name in _KEPT and line.index is None:
        return None
    return match


def _names(lines: Sequence[Line]) -> dict[tuple[str, str], str]:
    """The names that numbers stand for."""
    found = {}
    for line in lines:
        match = _numbered(line)
        if match is not None and match[2] == "NAME" and line.words:
            found[match[1], line.index or "0"] = line.words[0]
    return found


def _soft(lines: Sequence[Line]) -> dict[tuple[str, str], str]:
    """The soft limits, by what they count and whose they are."""
    found = {}
    for line in lines:
        match = _LIMIT.fullmatch(line.name)
        if match and match[1] and match[4] != "POLICY":
            found[match[2], match[3]] = line.value
    return found


def _limit(line: Line, match: re.Match[str], soft: Mapping[tuple[str, str], str]) -> Line:
    """The limit; a soft one joins its hard one, and a policy that is OFF takes the limit away."""
    object_, attribute = _WHOSE[match[3]], _COUNTED[match[2]]
    if match[4] == "POLICY":
        off = line.value.upper() in ("OFF", "FALSE", "NO", "0", "NONE")
        return replace(line, name=object_, index="DEFAULT", words=(f"{attribute}=0",) if off else ())
    value = ",".join(line.words)
    if match[1]:
        return replace(line, name=object_, index="DEFAULT", words=())
    if "," not in value and (match[2], match[3]) in soft:
        value = f"{soft[match[2], match[3]]},{value}"
    return replace(line, name=object_, index="DEFAULT", words=(f"{attribute}={value}",))
