"""A configuration as one text: ``slurm.conf`` with what it includes, and its database as a dump."""

import math
from collections.abc import Iterable, Mapping
from dataclasses import fields
from typing import Any

from molokini.slurm.database import PARENT, Accounting, Association, Qos
from molokini.slurm.declared import Parameter, parameters_of

_NAMED: dict[type, dict[str, Parameter]] = {
    section: {one.field: one for one in parameters_of(section, "")} for section in (Association, Qos)
}
_OWN = frozenset({"account", "user", "partition"})


def dump_of(accounting: Accounting) -> list[str]:
    """*accounting* as lines of ``sacctmgr dump``, in its order."""
    lines = [f"QOS - '{one.name}'{_keys(one, Qos)}" for one in accounting.qos]
    if not accounting.associations:
        return lines
    lines.append(f"Cluster - '{accounting.cluster}'" + _keys(accounting.associations[0], Association))
    parent = "root"
    for one in accounting.associations[1:]:
        if one.parent != parent:
            parent = one.parent
            lines.append(f"Parent - '{parent}'")
        title = f"User - '{one.user}'" if one.user else f"Account - '{one.account}'"
        partition = f":Partition='{one.partition}'" if one.partition else ""
        usage = f":RawUsage={one.usage_s:.0f}" if one.usage_s else ""
        lines.append(title + partition + _keys(one, Association) + usage)
    return lines


def _keys(one: Association | Qos, section: type) -> str:
    named: Mapping[str, Parameter] = _NAMED[section]
    parts = []
    for told in fields(one):
        if told.name not in named or told.name in _OWN:
            continue
        value, default = getattr(one, told.name), told.default
        if value != default:
            parts.append(f":{named[told.name].name}={_text(told.name, value)}")
    return "".join(parts)


def _text(name: str, value: Any) -> str:
    if name == "shares" and value == PARENT:
        return "parent"
    if name.endswith("_s"):
        return "-1" if math.isinf(value) or value < 0 else f"'0:{int(value // 60)}:{int(value % 60)}'"
    if isinstance(value, frozenset):
        return f"'{','.join(sorted(value))}'"
    if isinstance(value, tuple) and value and isinstance(value[0], tuple):
        return f"'{','.join(f'{key}={amount:.15g}' for key, amount in value)}'"
    if isinstance(value, tuple):
        return f"'{','.join(value)}'"
    return f"{value:.15g}" if isinstance(value, int | float) else f"'{value}'"


def whole_text(lines: Iterable[str], accounting: Accounting) -> str:
    """Lines of a slurm.conf and its database, as one text that reads back to the same."""
    return "\n".join([*lines, *dump_of(accounting), ""])
