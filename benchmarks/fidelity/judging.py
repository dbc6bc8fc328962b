"""Two accounts of the same jobs, one beside the other: two real runs, or a real run and our replay of it."""

import tarfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from statistics import fmean
from typing import Any

import numpy as np

from molokini.metrics.fidelity import kendall_tau

LEAST_WITHIN = 0.9
_NEAR = 0.03
_TIMES_REAL = 1.5


@dataclass(frozen=True)
class Distance:
    """How far the second account is from the first; waits and differences in seconds."""

    name: str
    jobs: int
    wait_s: float
    other_wait_s: float
    p5_s: float
    p50_s: float
    p95_s: float
    within: float
    """The share of starts that differ by no more than a backfill interval."""
    tau: float
    least_wait_s: float | None = None
    """Of replays that differ in what no log tells, the shortest mean wait and the longest; None: one run."""
    most_wait_s: float | None = None

    @property
    def relative(self) -> float:
        """The difference of mean waits as a share of the first one."""
        return (self.other_wait_s - self.wait_s) / self.wait_s

    @property
    def row(self) -> str:
        """A row of the page."""
        differences = f"{self.p5_s:+.0f} / {self.p50_s:+.0f} / {self.p95_s:+.0f}"
        waits = f"{self.wait_s:.1f} | {self.other_wait_s:.1f}{self._band} | {self.relative:+.1%}"
        return f"| {self.name} | {self.jobs} | {waits} | {differences} | {self.within:.1%} | {self.tau:.3f} |"

    @property
    def _band(self) -> str:
        if self.least_wait_s is None or self.most_wait_s is None:
            return ""
        return f" ({self.least_wait_s:.1f} to {self.most_wait_s:.1f})"


def real_and_real(first: Path, second: Path, interval_s: float) -> Distance:
    """The packs of two runs of one stream: jobs by their submissions, times from the first submission on."""
    one, two = _jobs(first), _jobs(second)
    both = sorted(one.keys() & two.keys())
    submit, start = (np.array([one[job][at] for job in both]) for at in (0, 1))
    submit_2, start_2 = (np.array([two[job][at] for job in both]) for at in (0, 1))
    gap_s = (start_2 - submit_2.min()) - (start - submit.min())
    p5, p50, p95 = np.percentile(gap_s, (5, 50, 95))
    tau = kendall_tau(start_2, start)
    assert tau is not None
    return Distance(
        name="real 2 beside real 1",
        jobs=len(both),
        wait_s=float((start - submit).mean()),
        other_wait_s=float((start_2 - submit_2).mean()),
        p5_s=float(p5),
        p50_s=float(p50),
        p95_s=float(p95),
        within=float((np.abs(gap_s) <= interval_s).mean()),
        tau=tau,
    )


def of_report(name: str, told: Mapping[str, Any]) -> Distance:
    """What the fidelity report of a replay says, and the replays with other phases: their means."""
    wait, gaps, band = told["mean_wait_s"], told["start_difference_s"], told["phases"]["band"]
    return Distance(
        name=name,
        jobs=told["jobs"],
        wait_s=wait["recorded"],
        other_wait_s=band["mean_wait_s"]["mean"],
        p5_s=gaps["p5"],
        p50_s=gaps["p50"],
        p95_s=gaps["p95"],
        within=band["within_interval"]["mean"],
        tau=band["kendall_tau"]["mean"],
        least_wait_s=band["mean_wait_s"]["low"],
        most_wait_s=band["mean_wait_s"]["high"],
    )


def is_near(ours: Distance, real: Distance) -> bool:
    """Whether the mean wait of a replay is as near as promised."""
    return abs(ours.relative) <= most_relative(real)


def starts_are_near(ours: Distance) -> bool:
    """Whether so many of its starts are within an interval as promised."""
    return ours.within >= LEAST_WITHIN


def most_relative(real: Distance) -> float:
    """How far the mean wait of a replay may be off: 3%, or 1.5 times what the real one is from itself."""
    return max(_NEAR, _TIMES_REAL * abs(real.relative))


@dataclass(frozen=True)
class Pooled:
    """Several real runs of one stream, and our replays of them."""

    wait_s: float
    other_wait_s: float
    real_relative: tuple[float, float, float]
    """Of pairs of real runs, by how much their mean waits differ: least, mean, most."""
    real_within: float
    """The mean of the shares of starts within an interval, of pairs of real runs."""
    within: float
    """The same of the replays beside their runs."""

    @property
    def relative(self) -> float:
        """The difference of mean waits as a share of the real one."""
        return (self.other_wait_s - self.wait_s) / self.wait_s


def pooled(packs: Sequence[Path], ours: Sequence[Distance], interval_s: float) -> Pooled:
    """All runs of a stream together: one run of it is a draw of chance, in the real one as here."""
    pairs = [real_and_real(one, other, interval_s) for one, other in combinations(packs, 2)]
    gaps = [abs(pair.relative) for pair in pairs]
    return Pooled(
        wait_s=fmean(one.wait_s for one in ours),
        other_wait_s=fmean(one.other_wait_s for one in ours),
        real_relative=(min(gaps), fmean(gaps), max(gaps)),
        real_within=fmean(pair.within for pair in pairs),
        within=fmean(one.within for one in ours),
    )


def _jobs(pack: Path) -> dict[tuple[int, str], tuple[float, float]]:
    """Submission and start of each job of a *pack* that started, by its place among submissions, and element.

    Numbers differ from run to run: elements of arrays take some when they start.
    """
    with tarfile.open(pack) as tar:
        opened = tar.extractfile("site/sacct.txt")
        assert opened is not None
        lines = opened.read().decode().splitlines()
    head = lines[0].split("|")
    number, submit, start = (head.index(name) for name in ("JobID", "Submit", "Start"))
    rows = [line.split("|") for line in lines[1:]]
    numbers = sorted({int(row[number].partition("_")[0]) for row in rows})
    places = {number: place for place, number in enumerate(numbers)}
    found = {}
    for row in rows:
        submission, _, element = row[number].partition("_")
        if row[start].isdigit():
            found[places[int(submission)], element] = float(row[submit]), float(row[start])
    return found
