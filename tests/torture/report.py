"""What a run has come to, for people and for machines."""

import statistics
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.torture.checking import Verdict


@dataclass
class Report:
    """Counts of a run."""

    seed: int
    folder: Path
    verdict: Verdict = field(default_factory=Verdict)
    rows: dict[str, int] = field(default_factory=dict)
    """How often each row was tried."""
    failures: dict[str, list[str]] = field(default_factory=dict)
    skipped: dict[str, str] = field(default_factory=dict)
    figures: dict[str, dict[str, Any]] = field(default_factory=dict)
    kills: int = 0
    recoveries_s: list[float] = field(default_factory=list)
    elapsed_s: float = 0.0

    @property
    def good(self) -> bool:
        return self.verdict.good and not self.failures

    def as_json(self) -> dict[str, Any]:
        return {
            "schema": "molokini.torture/1",
            "seed": self.seed,
            "good": self.good,
            "kills": self.kills,
            "jobs": self.verdict.jobs,
            "starts": self.verdict.starts,
            "facts": self.verdict.facts,
            "requeued": self.verdict.requeued,
            "nodes_lost": self.verdict.nodes_lost,
            "counts": self.verdict.counts(),
            "recovery_s": _spread(self.recoveries_s),
            "rows": self.rows,
            "skipped": self.skipped,
            "failures": self.failures,
            "figures": self.figures,
            "elapsed_s": round(self.elapsed_s, 1),
        }

    def lines(self) -> list[str]:
        """The same in sentences."""
        verdict = self.verdict
        counts = ", ".join(f"{name.replace('_', ' ')} {count}" for name, count in verdict.counts().items())
        lines = [
            f"seed {self.seed}: {self.kills:,} kills, {verdict.jobs:,} jobs, {verdict.starts:,} starts, "
            f"{verdict.requeued:,} requeued, {self.elapsed_s:.0f} s",
            f"must be 0: {counts}",
        ]
        if self.recoveries_s:
            spread = _spread(self.recoveries_s)
            lines.append(f"recovery: median {spread['median']:.2f} s, worst {spread['worst']:.2f} s")
        lines += [f"row {row} x {count}: {_shown(self.figures.get(row))}" for row, count in self.rows.items()]
        lines += [f"row {row} skipped: {why}" for row, why in self.skipped.items()]
        lines += [f"row {row} FAILED: {text}" for row, texts in self.failures.items() for text in texts]
        lines += [f"{name}: {text}" for name, found in verdict.found.items() for text in found[:10]]
        if not self.good:
            lines.append(f"ledgers, logs and states are kept in {self.folder}")
        return lines


def _shown(figures: dict[str, Any] | None) -> str:
    return ", ".join(f"{name} {value}" for name, value in (figures or {}).items()) or "done"


def _spread(values: list[float]) -> dict[str, float]:
    if not values:
        return {}
    return {
        "count": len(values),
        "median": round(statistics.median(values), 3),
        "worst": round(max(values), 3),
    }
