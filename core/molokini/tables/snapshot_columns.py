"""Tables as plain arrays and numbers that a snapshot can keep, and tables made of them again.

Columns that hold for one pass only, or that a policy replans when it takes over, are left out
(``declared.Nature``). Only the layout that wrote kept tables can read them (``LAYOUT``).
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import reduce
from typing import Any

from numpy.typing import NDArray

from molokini.tables.declared import Axis, Declared, Nature
from molokini.tables.tables import Tables

_LEAVES = [leaf for leaf in Tables.leaves() if leaf.is_kept]


def _numbers(struct: type[Declared], way: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """The paths of all numbers that are kept."""
    if struct.nature is not Nature.PASS:
        yield from ((*way, name) for name in struct.scalars())
    for name, inside in struct.children.items():
        assert issubclass(inside, Declared)
        yield from _numbers(inside, (*way, name))


_NUMBERS = [(".".join(way), way[:-1], way[-1]) for way in _numbers(Tables)]

LAYOUT = [
    *([leaf.path, str(leaf.kind.dtype), leaf.kind.ndim, leaf.kind.recorded] for leaf in Tables.leaves()),
    *([path, "number", 0, False] for path, _, _ in _NUMBERS),
]
"""Every field in its order: tables are restored only where this has not changed."""


@dataclass(frozen=True)
class KeptTables:
    """The contents of tables at one instant."""

    scalars: dict[str, float]
    sizes: dict[str, int]
    """How long each axis is, by its name."""
    arrays: dict[str, NDArray[Any]]
    """The elements of each array that hold something; ``record`` is the record of jobs."""


def kept(tables: Tables) -> KeptTables:
    """A copy of all that *tables* hold between two passes."""
    arrays: dict[str, NDArray[Any]] = {"record": tables.jobs.record.copy()}
    for leaf in _LEAVES:
        used = leaf.of(tables)[leaf.owner(tables).in_use(leaf.name)]
        # Zeros need not be copied: restored tables begin with zeros.
        arrays[leaf.path] = used.copy() if leaf.column.blank or used.any() else used[:0].copy()
    return KeptTables(
        {path: getattr(_struct(tables, way), name) for path, way, name in _NUMBERS},
        {axis.name: size for axis, size in tables.sizes().items()},
        arrays,
    )


def _struct(tables: Tables, way: tuple[str, ...]) -> Any:
    return reduce(getattr, way, tables)


def restored(kept_tables: KeptTables) -> Tables:
    """Tables with those contents; a policy has to take them over before its first pass."""
    tables = Tables.sized({Axis[name]: size for name, size in kept_tables.sizes.items()})
    tables.jobs.record[:] = kept_tables.arrays["record"]
    for path, way, name in _NUMBERS:
        setattr(_struct(tables, way), name, kept_tables.scalars[path])
    for leaf in _LEAVES:
        part = kept_tables.arrays[leaf.path]
        if len(part):
            leaf.of(tables)[leaf.owner(tables).in_use(leaf.name)] = part
    return tables
