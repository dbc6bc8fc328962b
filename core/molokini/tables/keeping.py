"""Tables as plain arrays and numbers that can be put away, and tables made of them again.

What holds for one pass only, and what a policy plans anew when it takes over, is left out. Kept tables are
read by the layout that wrote them alone (``LAYOUT``).
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from molokini.compiled.structs import ColumnType
from molokini.model.machine import Machine as _Machine
from molokini.tables.making import make_tables
from molokini.tables.tables import Tables
from molokini.tables.writable import BY_RULES, OF_POLICIES

_OF_A_PASS = (
    "decision",
    "order",
    "reason",
    "memory",
    "planned",
    "cluster",
    "global",
    "profile",
    "parameters",
    "node_scratch",
    "node_barred",
    "node_round",
    *OF_POLICIES,
    "placed",
    "rank",
    "scope",
    "credential_scope",
    "credential_base",
    "credential_past",
    "credential_weighed",
    *BY_RULES,
    "partition_",
    "kept_",
    "list",
    "few",
    "least",
    "node_later",
    "node_beside",
    "credential_open",
    "bank_spare",
)
"""Beginnings of names of arrays whose contents are not kept."""

LAYOUT = [
    [name, str(kind.dtype), kind.ndim, kind.recorded]
    if isinstance(kind, ColumnType)
    else [name, str(kind), 0]
    for name, (_, kind) in Tables.layout.items()
]
"""Every field in its order: tables are restored only where this is what it was."""

_ARRAYS = [name for name, kind in Tables.columns().items() if not kind.recorded]
_SCALARS = {name: kind for name, (_, kind) in Tables.layout.items() if not isinstance(kind, ColumnType)}


@dataclass(frozen=True)
class KeptTables:
    """The contents of tables at one instant."""

    scalars: dict[str, float]
    shapes: dict[str, tuple[int, ...]]
    """Of every array beside the record."""
    arrays: dict[str, NDArray[Any]]
    """The first elements of those arrays that hold something; ``record`` is the record."""


def kept(tables: Tables) -> KeptTables:
    """A copy of all that *tables* hold between two passes."""
    arrays: dict[str, NDArray[Any]] = {"record": tables.record.copy()}
    for name in _ARRAYS:
        array = getattr(tables, name)
        if not name.startswith(_OF_A_PASS):
            arrays[name] = array[: _in_use(tables, name)].copy()
    return KeptTables(
        {name: getattr(tables, name) for name in _SCALARS},
        {name: getattr(tables, name).shape for name in _ARRAYS},
        arrays,
    )


def _in_use(tables: Tables, name: str) -> int:
    if name.startswith("hole"):
        return tables.hole_count
    counts = {
        "waiting": tables.waiting_tail,
        "running": tables.running_count,
        "suspended": tables.suspended_count,
        "free_row": tables.free_rows,
    }
    return counts.get(name, len(getattr(tables, name)))


def restored(kept_tables: KeptTables) -> Tables:
    """Tables with those contents; a policy has to take them over before its first pass."""
    tables = make_tables(_Machine(0), rows=1)
    record = kept_tables.arrays["record"]
    tables.lengthen_record(len(record))
    tables.record[:] = record
    for name in _ARRAYS:
        empty = np.zeros(kept_tables.shapes[name], dtype=getattr(tables, name).dtype)
        part = kept_tables.arrays.get(name)
        if part is not None:
            empty[: len(part)] = part
        tables.bind(name, empty)
    for name, value in kept_tables.scalars.items():
        setattr(tables, name, value)
    return tables
