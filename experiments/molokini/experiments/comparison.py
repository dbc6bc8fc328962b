"""What came of a comparison or a sweep, for programs."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from molokini.experiments.result import (
    SHOWN,
    Columns,
    File,
    Named,
    columns_of,
    digits,
    drawn,
    frame,
    html_table,
)
from molokini.metrics import Cell
from molokini.model.errors import BadInput
from molokini.model.text import counted_text, plural
from molokini.sim.schedule import Schedule

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from pandas import DataFrame

PICTURED = (
    "mean_wait_s",
    "p95_wait_s",
    "mean_bounded_slowdown",
    "mean_response_s",
    "utilization",
    "loss_of_capacity",
)
"""The panels of the picture."""


LINES_SHOWN = 30
"""Replays of which a comparison shows figures where it is shown by itself."""


@dataclass(frozen=True, repr=False)
class Comparison:
    """What came of workloads under several policies."""

    document: Mapping[str, Any]
    """What ``molokini compare --json`` writes."""
    cells: Sequence[Cell]
    replayed: Sequence[Schedule]
    """One a policy, where there is one replay a policy; else none."""
    tau_s: float

    def _repr_html_(self) -> str:
        """The same as a table, for notebooks."""
        replays = self.document["results"]
        rows = [[_named(row), *_figures(row)] for row in replays[:LINES_SHOWN]]
        left = len(replays) - LINES_SHOWN
        below = f"... and {left:,} more: results, to_pandas()" if left > 0 else ""
        return html_table(f"Comparison of {plural(len(replays), 'replay')}", ["", *SHOWN], rows, below)

    def __repr__(self) -> str:
        replays = self.document["results"]
        rows = [["", *SHOWN], *([_named(row), *_figures(row)] for row in replays[:LINES_SHOWN])]
        name, *widths = (max(map(len, column)) for column in zip(*rows, strict=True))
        lines = ["  ".join([row[0].ljust(name), *map(str.rjust, row[1:], widths)]) for row in rows]
        if len(replays) > LINES_SHOWN:
            lines.append(f"... and {len(replays) - LINES_SHOWN:,} more: results, to_pandas()")
        return "\n".join([f"Comparison of {plural(len(replays), 'replay')}", *lines])

    @cached_property
    def results(self) -> list[dict[str, Any]]:
        """One a replay: workload, load factor, seed, policy, its parameters, and all metrics."""
        values = {one["label"]: one["parameters"] for one in self.document["policies"]}
        return [
            {**row, "parameters": values[row["policy"]], "metrics": Named("metric", row["metrics"])}
            for row in self.document["results"]
        ]

    @property
    def comparisons(self) -> Sequence[Mapping[str, Any]]:
        """Each policy but the first against the first: differences with their intervals and verdicts."""
        found: Sequence[Mapping[str, Any]] = self.document["comparisons"]
        return found

    @property
    def metrics(self) -> dict[str, Mapping[str, Any]]:
        """Metrics by policy. BadInput where there are several replays a policy, which ``results`` has."""
        rows = self.document["results"]
        found: dict[str, Mapping[str, Any]] = {row["policy"]: Named("metric", row["metrics"]) for row in rows}
        if len(found) < len(self.document["results"]):
            raise BadInput("there are several replays of each policy: take results, or to_pandas()")
        return found

    @cached_property
    def schedules(self) -> dict[str, Columns]:
        """The columns of each policy's schedule. BadInput where none are kept."""
        return {one.policy: columns_of(one) for one in self._whole()}

    def to_pandas(self) -> "DataFrame":
        """A table with one row a replay, each parameter and metric a column. MissingExtra without pandas."""
        return frame([_flat(row) for row in self.results])

    def plot(self, what: str = "comparison", file: File | None = None, *, log_axis: bool = False) -> "Figure":
        """A picture, also written to *file* where one is named: comparison, ecdf or difference."""
        from molokini.plots import difference, distributions

        drawers: dict[str, Callable[[], Figure]] = {
            "comparison": lambda: self._drawn(log_axis),
            "ecdf": lambda: distributions(self._whole(), self.tau_s, self._heading),
            "difference": lambda: difference(*self._pair(), self._heading),
        }
        return drawn(drawers, what, file)

    def _whole(self) -> Sequence[Schedule]:
        if not self.replayed:
            raise BadInput(
                "schedules are kept where there is one replay per policy: one log, load and no seeds"
            )
        return self.replayed

    def _pair(self) -> tuple[Schedule, Schedule]:
        whole = self._whole()
        if len(whole) != 2:
            raise BadInput(f"the difference needs two policies; {len(whole)} are given")
        return whole[0], whole[1]

    def _drawn(self, log_axis: bool) -> "Figure":
        from molokini.plots import Parts, comparison

        files = [workload["file"] for workload in self.document["workloads"]]
        shown = [cell for cell in self.cells if cell.metric in PICTURED]
        shown.sort(key=lambda cell: (files.index(cell.workload), PICTURED.index(cell.metric)))
        parts = [Parts(**one) for one in self.document["breakdowns"]]
        sizes = {one["file"]: ", ".join((*_size(one), *self._part)) for one in self.document["workloads"]}
        return comparison(shown, parts=parts, sizes=sizes, logarithmic=log_axis)

    @property
    def _part(self) -> list[str]:
        counted, phi = self.document["options"].get("counted"), self.document["overestimate"]
        parts = [f"estimates by phi {phi:.15g}"] if phi is not None else []
        return [*parts, *([f"counted: {counted_text(counted)}"] if counted else [])]

    @property
    def _heading(self) -> str:
        """The factors, the estimates and the part that counts."""
        factor, longer = self.document["load_factors"][0], self.document["run_time_factors"][0]
        parts = [f"load factor {factor:.15g}"] if factor != 1 else []
        parts += [f"run-time factor {longer:.15g}"] if longer != 1 else []
        return ", ".join([*parts, *self._part])


def _named(row: Mapping[str, Any]) -> str:
    """A replay by what tells it from others."""
    parts = [row["workload"], row["policy"]]
    parts += [f"load {row['load_factor']:.6g}"] if row["load_factor"] != 1 else []
    parts += [f"run times {row['run_time_factor']:.6g}"] if row["run_time_factor"] != 1 else []
    parts += [f"seed {row['seed']}"] if row["seed"] is not None else []
    return ", ".join(parts)


def _figures(row: Mapping[str, Any]) -> list[str]:
    return [digits(row["metrics"][name]) for name in SHOWN]


def _size(workload: Mapping[str, Any]) -> tuple[str, str]:
    return plural(workload["jobs"], "job"), plural(workload["cluster"]["processors"], "processor")


def _flat(row: Mapping[str, Any]) -> dict[str, Any]:
    """A row of single values: counts by reason and the like stay in ``results``."""
    own = {name: value for name, value in row.items() if name not in ("parameters", "metrics")}
    single = {name: value for name, value in row["metrics"].items() if not isinstance(value, Mapping)}
    return {**own, **row["parameters"], **single}
