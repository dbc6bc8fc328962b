"""Partitions: which nodes are in which (``NODECFG PARTITION``), and who may use them (``PLIST``)."""

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

from molokini.maui.access import Members, Mode
from molokini.maui.model import DEFAULT, MauiConfig
from molokini.maui.sections.credentials import Credential

_Mine: TypeAlias = tuple[Mapping[str, Credential], str]
"""The lines of one type, and the name of the one that counts."""


def partitions_of(config: MauiConfig, nodes: Sequence[str]) -> list[str]:
    """The partition of each of *nodes*; DEFAULT where nothing is said of any."""
    default = config.node.get(DEFAULT)
    otherwise = default.partition if default is not None and default.partition else DEFAULT
    found = []
    for name in nodes:
        own = config.node.get(name)
        found.append(own.partition if own is not None and own.partition else otherwise)
    return found


def barred(
    config: MauiConfig, partitions: Sequence[str], user: str, group: str, queue: str, account: str = ""
) -> int:
    """In which of *partitions* jobs of this user, group, queue and account may not be, a bit each.

    Their QOS is the first default among those of the credentials, as of jobs that ask for none.

    Lists of the credentials and of the system are joined; one that ends in & must have a partition, too; of
    those that end in ^ the first alone counts (user, group, account, QOS, class, system). Without any list
    all are free.
    """
    mine: list[_Mine] = [
        (config.users, user),
        (config.groups, group),
        (config.accounts, account),
        (config.classes, queue),
    ]
    mine.insert(3, (config.qos, _qos(config, mine)))
    told = (_said(lines, name, "partitions") for lines, name in mine)
    lists: list[Members] = [one for one in (*told, config.system.partitions) if one is not None]
    alone = [one for one in lists if one.mode is Mode.ALONE]
    if alone:
        allowed = set(alone[0].names)
    elif lists:
        allowed = {name for one in lists for name in one.names}
        for one in lists:
            if one.mode is Mode.INTERSECTION:
                allowed &= set(one.names)
    else:
        return 0
    return sum(1 << place for place, name in enumerate(partitions) if name not in allowed)


def _qos(config: MauiConfig, mine: Sequence[_Mine]) -> str:
    defaults = [_said(lines, name, "default_qos") for lines, name in mine]
    return next(filter(None, [*defaults, config.system.default_qos]), DEFAULT)


def _said(lines: Mapping[str, Credential], name: str, what: str) -> Any:
    """*what* the line of *name* says, or else DEFAULT's."""
    found = (getattr(lines[one], what) for one in (name, DEFAULT) if one in lines)
    return next(filter(None, found), None)
