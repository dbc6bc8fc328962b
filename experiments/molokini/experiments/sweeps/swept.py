"""What came of a sweep, for programs."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from os import fspath
from pathlib import Path
from typing import TYPE_CHECKING, Any

from molokini.experiments.parts import plain_values
from molokini.experiments.result import File, Named, digits, frame, html_table
from molokini.experiments.sweeps.certain import Standing, not_yet
from molokini.experiments.sweeps.row_tables import PLACES, Columns
from molokini.experiments.sweeps.summary import Summary
from molokini.metrics.comparison import HIGHER_IS_BETTER
from molokini.model.errors import MissingExtra
from molokini.model.text import plural
from molokini.model.version import version
from molokini.workloads.atomic import atomic_path

if TYPE_CHECKING:
    from pandas import DataFrame

SCHEMA = "molokini.sweep/1"
MOST_NOT_YET = 20
"""Scenarios of which is told what certainty needs."""
_MOST_PAIRS = 6


@dataclass(frozen=True, repr=False)
class Swept:
    """What came of a sweep: a row of figures a point, and what follows from them."""

    document: Mapping[str, Any]
    """What ``molokini sweep --json`` writes."""
    kept: Sequence[Mapping[str, Any]]
    """The rows, where there is no folder that has them."""
    html: str
    """The report as one page."""
    folder: Path | None
    """Where the table (``rows.parquet``) and the report (``report.html``) are."""
    columns: Columns
    """What the table has."""

    @property
    def results(self) -> list[dict[str, Any]]:
        """One a point: key, workload, processors, factors, seed, policy, its parameters, and all metrics."""
        if self.folder is None:
            return [{**row, "metrics": Named("metric", row["metrics"])} for row in self.kept]
        return [self._nested(row) for row in _read(self.folder / "rows.parquet")]

    def to_pandas(self) -> "DataFrame":
        """A table with one row a point, each parameter and metric a column. MissingExtra without pandas."""
        if self.folder is not None:
            return frame(_read(self.folder / "rows.parquet"))
        return frame([self._flat(row) for row in self.kept])

    def write_report(self, file: File) -> None:
        """Write the report as one page that opens in a browser without a server."""
        with atomic_path(fspath(file)) as temporary:
            temporary.write_text(self.html, encoding="utf-8")

    @property
    def certain(self) -> bool:
        """Whether the best variant of each scenario is certainly the best."""
        return bool(self.document["certain"])

    def __repr__(self) -> str:
        told = "certain" if self.certain else "not yet certain"
        policies = [f"{one['variant']}: {self._figures(one)}" for one in self.document["variants"][:10]]
        return "\n".join([f"Sweep of {plural(self.document['points'], 'point')}, {told}", *policies])

    def _nested(self, row: Mapping[str, Any]) -> dict[str, Any]:
        """A row of the file as ``results`` has it."""
        named = {
            name: row[column] for name, column in self.columns.parameters.items() if row[column] is not None
        }
        metrics = {name: row[name] for name in self.columns.metrics}
        return {
            **{name: row[name] for name in PLACES},
            "parameters": named,
            "metrics": Named("metric", metrics),
        }

    def _flat(self, row: Mapping[str, Any]) -> dict[str, Any]:
        """A row of ``results`` as the file has it."""
        named = {column: row["parameters"].get(name) for name, column in self.columns.parameters.items()}
        metrics = {name: row["metrics"].get(name) for name in self.columns.metrics}
        return {**{name: row[name] for name in PLACES}, **named, **metrics}

    def _figures(self, one: Mapping[str, Any]) -> str:
        return ", ".join(f"{name} {digits(one['means'][name])}" for name in self.document["objectives"])

    def _repr_html_(self) -> str:
        """The same as a table, for notebooks."""
        names = self.document["objectives"]
        rows = [
            [one["variant"], *(digits(one["means"][name]) for name in names)]
            for one in self.document["variants"][:30]
        ]
        return html_table(f"Sweep of {plural(self.document['points'], 'point')}", ["", *names], rows)


def document_of(
    summary: Summary, standings: Sequence[Standing], points: int, run: Mapping[str, Any]
) -> dict[str, Any]:
    """Everything that reports show, ready for JSON; only ``run`` differs from run to run."""
    one, objectives = summary.planned, list(summary.planned.asked.objectives)
    texts = [one.scenario_text(each.scenario) for each in standings]
    names = [axis.name for axis in summary.axes]
    pairs = [(first, second) for first, second in combinations(names, 2)]
    return {
        "schema": SCHEMA,
        "sweep": one.digest,
        "points": points,
        "scenarios": one.space.scenarios,
        "seeds": one.space.seeds,
        "objectives": objectives,
        "better": {name: "higher" if name in HIGHER_IS_BETTER else "lower" for name in objectives},
        "axes": [{"name": axis.name, "levels": list(axis.levels)} for axis in summary.axes],
        "variants": _variants(summary),
        "front": [one.labels[at] for at in summary.front()],
        "effects": [_effect(summary, metric, axis) for metric in objectives for axis in range(len(names))],
        "interactions": [
            _interaction(summary, metric, first, second) for metric in objectives for first, second in pairs
        ],
        "certain": all(not each.rivals for each in standings),
        "best": [
            each.as_dict(one.labels, text)
            for each, text in zip(standings[:MOST_NOT_YET], texts, strict=False)
        ],
        "uncertain": sum(bool(each.rivals) for each in standings),
        "not_yet": not_yet(standings, one.labels, texts)[:MOST_NOT_YET],
        "run": {**run, "version": version()},
    }


def _variants(summary: Summary) -> list[dict[str, Any]]:
    one, objectives = summary.planned, summary.planned.asked.objectives
    found = [
        {
            "variant": label,
            "policy": chosen.name,
            "parameters": plain_values(
                {name: chosen.values[name] for name in one.varied if name in chosen.values}
            ),
            "means": {metric: summary.mean(metric, at) for metric in objectives},
            "wins": int(summary.wins[at]),
            "losses": int(summary.losses[at]),
            "scenarios": int(summary.contests[at]),
        }
        for at, (label, chosen) in enumerate(zip(one.labels, one.plan.policies, strict=True))
    ]
    metric = objectives[0]
    sign = -1.0 if metric in HIGHER_IS_BETTER else 1.0
    worst = float("inf")

    def rank(row: dict[str, Any]) -> float:
        mean = row["means"][metric]
        return worst if mean is None else sign * mean

    return sorted(found, key=rank)


def _effect(summary: Summary, metric: str, at: int) -> dict[str, Any]:
    axis = summary.axes[at]
    sums = summary.effects[metric, axis.name]
    means = [
        float(total / count) if count else None for total, count in zip(sums.total, sums.count, strict=True)
    ]
    share = summary.share(metric, axis.name)
    return {"metric": metric, "axis": axis.name, "share_of_variance": share, "means": means}


def _interaction(summary: Summary, metric: str, first: str, second: str) -> dict[str, Any]:
    sums = summary.pairs[metric, first, second]
    width = next(len(axis.levels) for axis in summary.axes if axis.name == second)
    means = [
        float(total / count) if count else None for total, count in zip(sums.total, sums.count, strict=True)
    ]
    return {
        "metric": metric,
        "axes": [first, second],
        "share_of_variance": summary.interaction(metric, first, second),
        "means": [means[at : at + width] for at in range(0, len(means), width)],
    }


def _read(file: Path) -> list[dict[str, Any]]:
    try:
        from pyarrow import parquet
    except ImportError:
        raise MissingExtra("pyarrow", "parquet", "the table of a sweep (Parquet)") from None
    found: list[dict[str, Any]] = parquet.read_table(file).to_pylist()
    return found
