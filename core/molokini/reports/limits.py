"""``diagnose -u -g -a -c -Q``: the limits of each credential, and beside them what its jobs use now."""

from typing import Any

from molokini.model.credentials import CredentialType
from molokini.model.errors import BadValue
from molokini.reports.snapshot import ClusterSnapshot, ReportRequest, in_order
from molokini.reports.waiting import eligible
from molokini.shared.introspection import OpenJobs

DEFAULT = "DEFAULT"
"""The line that counts for every credential without one."""
BY_NAME = {**{kind.name.lower(): kind for kind in CredentialType}, "class": CredentialType.QUEUE}


def limits(p: ClusterSnapshot, asked: ReportRequest) -> dict[str, Any]:
    """Each credential with a line of its own or open jobs, its limits, and its use; *by* is of one type.

    Raises BadValue for another type, and under another policy.
    """
    p.require("limits")
    if asked.by and asked.by not in BY_NAME:
        raise BadValue("by", asked.by, "user, group, account, queue (class) or qos")
    kinds = [BY_NAME[asked.by].name.lower()] if asked.by else [kind.name.lower() for kind in CredentialType]
    waiting = p.waiting()
    idle = [row for row in waiting if eligible(p, row)]
    blocked = [row for row in waiting if not eligible(p, row)]
    told = p.insight.limits(OpenJobs(p.tables, p.now, p.name, p.running(), idle, blocked))
    found = [
        one
        for one in sorted(told, key=_place)
        if one["type"] in kinds and getattr(asked, one["type"]) in ("", one["name"])
    ]
    return {"by": kinds[0] if asked.by else "", "credentials": found}


def _place(one: dict[str, Any]) -> tuple[Any, ...]:
    kind, name, pair = CredentialType[one["type"].upper()], one["name"], one["pair_name"]
    return int(kind), name == DEFAULT, in_order(name), pair is not None, in_order(pair)
