"""A stream of small jobs from a seed, and what happens to the machine meanwhile."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from benchmarks.fidelity.slurm_site import USERS

JOBS, SEED = 300, 43
_MEAN_GAP_S = 2.4
_DRAINED, _DRAINED_FROM_S, _DRAINED_TO_S = "n3", 120.0, 240.0
_SIZES = (
    ("-n", "1"),
    ("-n", "2"),
    ("-N", "1", "-n", "4"),
    ("-n", "8"),
    ("-N", "2", "--exclusive"),
    ("-n", "14"),
)
_SHARES = (0.42, 0.20, 0.14, 0.12, 0.08, 0.04)


@dataclass(frozen=True)
class Act:
    """A command, and when it is given, in seconds from the begin of the stream."""

    at_s: float
    command: tuple[str, ...]


def stream(jobs: int = JOBS, seed: int = SEED) -> list[Act]:
    """*jobs* jobs (each element of an array is one), and a node that is drained for a while."""
    node = ("scontrol", "update", f"nodename={_DRAINED}")
    acts = [
        *_submissions(jobs, np.random.default_rng(seed)),
        Act(_DRAINED_FROM_S, (*node, "state=drain", "reason=disk")),
        Act(_DRAINED_TO_S, (*node, "state=resume")),
    ]
    return sorted(acts, key=lambda act: act.at_s)


def _submissions(jobs: int, draw: np.random.Generator) -> Iterator[Act]:
    at_s, left = 0.0, jobs
    while left:
        elements = min(left, int(draw.integers(3, 7))) if draw.random() < 0.06 else 1
        yield Act(at_s, _submission(draw, elements))
        at_s += float(draw.exponential(_MEAN_GAP_S)) * elements
        left -= elements


def _submission(draw: np.random.Generator, elements: int) -> tuple[str, ...]:
    account = str(draw.choice(list(USERS), p=(0.5, 0.3, 0.2)))
    user = str(draw.choice(USERS[account], p=(0.7, 0.3)))
    size = _SIZES[int(draw.choice(len(_SIZES), p=_SHARES))]
    partition = str(draw.choice(("batch", "short", "wide"), p=(0.55, 0.2, 0.25)))
    run_s = int(np.clip(draw.lognormal(2.4, 0.7), 3, 45))
    limit_min = 1 if partition == "short" else int(draw.choice((1, 2, 3, 10), p=(0.4, 0.3, 0.2, 0.1)))
    qos = "high" if draw.random() < 0.15 else "normal"
    array = (f"--array=1-{elements}",) if elements > 1 else ()
    whose = (f"--uid={user}", "-A", account, "-q", qos, "-p", partition)
    return ("sbatch", *whose, *size, "-t", str(limit_min), *array, *_QUIET, "--wrap", f"exec sleep {run_s}")


_QUIET = ("-D", "/", "-o", "/dev/null")
