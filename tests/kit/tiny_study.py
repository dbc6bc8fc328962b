"""A study that takes no time: the means of noise with a bias, and claims of every kind about them.

As a process (``python -m tests.kit.tiny_study OUTPUT WORKERS``) it can be stopped at a gate: where the
environment's TINY_GATE names a file, runs of the larger biases wait until that file is there.
"""

import os
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from molokini.clients.arguments.runs import StudyArguments
from molokini.clients.failures import guarded
from molokini.metrics.curves import Panel, Range
from molokini.studies.claims import Claim, Figure, Finding, Verdict, open_claim
from molokini.studies.results import Results
from molokini.studies.rule import above, below, within
from molokini.studies.shown import Picture, Table, curve
from molokini.studies.study import Point, Row, Size, Study, seed_for

GATED_FROM = 0.3
BIASES = tuple(round(0.1 * step, 1) for step in range(10))


@dataclass(frozen=True)
class Noise:
    """Noise around a bias."""

    bias: float


def run(point: Point) -> Row:
    """The mean of so many draws that a case shares with all others of its seed."""
    gate = os.environ.get("TINY_GATE")
    assert isinstance(point.case, Noise)
    while gate and point.case.bias >= GATED_FROM and not Path(gate).exists():
        time.sleep(0.01)
    draws = np.random.default_rng(seed_for("tiny", point.seed)).random(int(1000 * point.length))
    return {"mean": float(draws.mean()) + point.case.bias, "draws": draws.size, "never": None}


def _grows(results: Results) -> Finding:
    pairs = list(zip(BIASES[1:], BIASES[:-1], strict=True))
    found = above([results.difference(Noise(more), Noise(less), "mean") for more, less in pairs])
    clear = sum(results.difference(Noise(more), Noise(less), "mean").above for more, less in pairs)
    return Finding(found.verdict, f"{clear} of {len(pairs)} steps grow")


def _shrinks(results: Results) -> Finding:
    fall = results.difference(Noise(BIASES[-1]), Noise(BIASES[0]), "mean")
    return Finding(below([fall]).verdict, f"it changed by {fall}")


def _starts_at_a_half(results: Results) -> Finding:
    ours = results.mean(Noise(0.0), "mean")
    figures = [Figure("mean without bias", 0.5, ours)]
    return Finding(within(ours, 0.4, 0.6).verdict, f"the mean is {ours}", figures)


def _of_what_was_not_run(results: Results) -> Finding:
    return Finding(Verdict.HOLDS, str(results.mean(Noise(7.0), "mean")))


def _of_what_is_undefined(results: Results) -> Finding:
    return Finding(Verdict.HOLDS, str(results.mean(Noise(0.0), "never")))


def _pictures(results: Results) -> list[Picture]:
    found = [results.mean(Noise(bias), "mean") for bias in BIASES]
    noise = curve("noise", BIASES, found)
    panel = Panel("means", "bias (1)", "mean (1)", [noise], [Range("the middle", 0.4, 0.6)], zero=True)
    return [Picture("means", "Figure 1: means", "They grow.", [panel, panel, panel])]


def _tables(results: Results) -> list[Table]:
    rows = [[f"{bias:g}", f"{results.mean(Noise(bias), 'mean').mean:.4f}"] for bias in BIASES]
    return [Table("means | by bias", "Table 1", ["bias", "ours"], rows)]


STUDY = Study(
    name="tiny",
    title="Noise with a bias",
    paper="Nobody: On noise (never)",
    summary="Means of noise.",
    cases=lambda: [Noise(bias) for bias in BIASES],
    run=run,
    prepare=lambda: None,
    sources=["tests.kit.tiny_study"],
    claims=[
        Claim("grows", "section 1", "The mean grows with the bias.", _grows),
        Claim("shrinks", "section 1", "The mean shrinks with the bias.", _shrinks),
        Claim("half", "section 2, table 1", "Without bias the mean is | a half.", _starts_at_a_half),
        Claim("missing", "section 3", "A bias of 7 is best.", _of_what_was_not_run),
        Claim("undefined", "section 3", "What is undefined is large.", _of_what_is_undefined),
        open_claim("seen", "section 4", "People like noise.", "no people were asked"),
    ],
    pictures=_pictures,
    tables=_tables,
    length="1,000 draws",
    readings=["*Noise* is uniform on [0, 1)."],
    full=Size("full", 6, 1.0),
    quick=Size("quick", 3, 0.1),
)


def arguments(output: Path, workers: int = 1, **more: object) -> StudyArguments:
    """What the command would have been given."""
    return StudyArguments(output=str(output), workers=workers, **more)  # type: ignore[arg-type]


def main(output: str, workers: str) -> int:
    """Run as the command does."""
    from molokini.clients.study import run as run_command

    return guarded(lambda: run_command(STUDY, arguments(Path(output), int(workers))) and 0)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
