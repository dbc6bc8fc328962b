"""The rows of a sweep as one table: in Parquet, or as Python values.

The bytes of the file depend on the points and their figures alone: groups of rows are always as large, and
nothing says when, where or in how many parts they came.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from molokini.experiments.choosing import text_of
from molokini.experiments.parts import plain_value
from molokini.experiments.sweeps.measuring import Rows
from molokini.experiments.sweeps.planning import Planned
from molokini.experiments.sweeps.space import Key
from molokini.model.errors import MissingExtra
from molokini.workloads.atomic import atomic_path

GROUP = 4_096
"""Rows of a group of the file, and the most that are in memory."""
PLACES = ("key", "workload", "processors", "load_factor", "run_time_factor", "seed", "policy")


@dataclass(frozen=True)
class Columns:
    """What the table has: places of the points, parameters, metrics."""

    planned: Planned
    metrics: tuple[str, ...]
    whole: tuple[bool, ...]

    @property
    def parameters(self) -> dict[str, str]:
        """The column of each parameter that varies: its name, unless another column is called so."""
        taken = {*PLACES, *self.metrics}
        return {name: f"{name}_parameter" if name in taken else name for name in self.planned.varied}

    def kind(self, name: str) -> str:
        """Of a parameter: whole, number or text."""
        values = [one.values[name] for one in self.planned.plan.policies if name in one.values]
        if all(isinstance(value, int) and not isinstance(value, bool) for value in values):
            return "whole"
        numbers = all(isinstance(value, int | float) and not isinstance(value, bool) for value in values)
        return "number" if numbers else "text"

    def places(self, keys: np.typing.NDArray[np.int64]) -> Iterator[tuple[Any, ...]]:
        """What stands in the first columns of each row, in the order of ``PLACES``, then its policy."""
        one, space = self.planned, self.planned.space
        for row in keys.tolist():
            key = Key(*row)
            entry, sample, factor = space.place(key.scenario)
            load, longer = space.factors[sample][factor]
            log, processors = one.plan.logs[entry].name, one.plan.machines[entry].processors
            seed = space.seed_of(key)
            name = one.key(key.scenario, key.variant, seed)
            yield name, log, processors, load, longer, seed, one.labels[key.variant], key.variant


def columns_of(planned: Planned, blocks: Iterator[Rows]) -> Columns:
    """The metrics of all *blocks*, in the order of their first appearance, and which are whole numbers."""
    found: dict[str, bool] = {}
    for rows in blocks:
        for name, whole in zip(rows.names, rows.whole, strict=True):
            found[name] = found.get(name, True) and whole
    return Columns(planned, tuple(found), tuple(found.values()))


def write_parquet(columns: Columns, blocks: Callable[[], Iterator[Rows]], file: Path) -> None:
    """Write all rows to *file*, whole or not at all. MissingExtra without pyarrow."""
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError:
        raise MissingExtra("pyarrow", "parquet", "the table of a sweep (Parquet)") from None
    schema = _schema(pyarrow, columns)
    # One writer, one thread, arrays of one size: memory stays, and so do the bytes.
    with (
        atomic_path(file) as temporary,
        parquet.ParquetWriter(temporary, schema, compression="zstd", version="2.6") as writer,
    ):
        for rows in _groups(blocks()):
            arrays = _arrays(pyarrow, schema, columns, rows)
            writer.write_table(pyarrow.Table.from_arrays(arrays, schema=schema), row_group_size=GROUP)


def _schema(pyarrow: Any, columns: Columns) -> Any:
    kinds = {"whole": pyarrow.int64(), "number": pyarrow.float64(), "text": pyarrow.string()}
    of_places = ["text", "text", "whole", "number", "number", "whole", "text"]
    fields = list(zip(PLACES, (kinds[kind] for kind in of_places), strict=True))
    fields += [(column, kinds[columns.kind(name)]) for name, column in columns.parameters.items()]
    fields += [
        (name, kinds["whole" if whole else "number"])
        for name, whole in zip(columns.metrics, columns.whole, strict=True)
    ]
    return pyarrow.schema(fields)


def _arrays(pyarrow: Any, schema: Any, columns: Columns, rows: Sequence[Rows]) -> list[Any]:
    keys = np.concatenate([each.keys for each in rows])
    *places, policies = zip(*columns.places(keys), strict=True)
    arrays = [pyarrow.array(column, schema.field(at).type) for at, column in enumerate(places)]
    for name in columns.parameters:
        told = _told(columns, name)
        kind = schema.field(len(arrays)).type
        arrays.append(pyarrow.array([told(policy) for policy in policies], kind))
    for name in columns.metrics:
        values = np.concatenate([each.column(name) for each in rows])
        kind = schema.field(len(arrays)).type
        nothing = np.isnan(values)
        if kind == pyarrow.int64():
            arrays.append(pyarrow.array(np.where(nothing, 0, values).astype(np.int64), kind, mask=nothing))
        else:
            arrays.append(pyarrow.array(values, kind, mask=nothing))
    return arrays


def _told(columns: Columns, name: str) -> Callable[[int], Any]:
    """The value of a parameter under each policy of the plan, as the column holds it."""
    kind = columns.kind(name)

    @cache
    def told(policy: int) -> Any:
        values = columns.planned.plan.policies[policy].values
        if name not in values:
            return None
        value = values[name]
        return text_of(value) if kind == "text" else value

    return told


def _groups(blocks: Iterator[Rows]) -> Iterator[list[Rows]]:
    """*blocks* cut and joined so that each group but the last has as many rows."""
    held: list[Rows] = []
    count = 0
    for block in blocks:
        rows = block
        while count + len(rows) >= GROUP:
            room = GROUP - count
            yield [*held, _cut(rows, slice(0, room))]
            held, count, rows = [], 0, _cut(rows, slice(room, None))
        if len(rows):
            held.append(rows)
            count += len(rows)
    if held:
        yield held


def _cut(rows: Rows, part: slice) -> Rows:
    return Rows(rows.keys[part], rows.names, rows.values[part], rows.whole)


def dictionaries(columns: Columns, blocks: Iterator[Rows]) -> Iterator[dict[str, Any]]:
    """A row a point, as values of Python: its parameters and its metrics are dictionaries of their own."""
    for rows in blocks:
        for place, values in zip(columns.places(rows.keys), rows.values, strict=True):
            *told, policy = place
            values_of_policy = columns.planned.plan.policies[policy].values
            parameters = {
                name: plain_value(values_of_policy[name])
                for name in columns.planned.varied
                if name in values_of_policy
            }
            metrics = {
                name: None if np.isnan(value) else int(value) if whole else float(value)
                for name, whole, value in zip(rows.names, rows.whole, values, strict=True)
            }
            named = dict(zip(PLACES, told, strict=True))
            yield {**named, "parameters": parameters, "metrics": metrics}
