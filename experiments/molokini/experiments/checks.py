"""What can be seen to be wrong before anything is read or compiled; all complaints are ``BadInput``.

They name the option of the command, which is the name of the argument in Python, too.
"""

import math

from molokini.experiments.asked import MOST_COPIES, Several, Simulation
from molokini.model.errors import BadValue, UnknownName

BREAKDOWNS = ("size", "user", "group", "queue", "partition", "account", "qos", "run_time")


def breakdowns(by: str | None) -> list[str]:
    """The parts of ``--by``. Raises UnknownName."""
    names = [name.strip() for name in (by or "").split(",") if name.strip()]
    for name in names:
        if name not in BREAKDOWNS:
            raise UnknownName("breakdown", name, BREAKDOWNS)
    return list(dict.fromkeys(names))


def check_load_factor(factor: float) -> None:
    """Complain about a factor by which no gap can be divided."""
    if not (math.isfinite(factor) and factor > 0):
        raise BadValue("--load-factor", factor, "a finite number above 0")


def check_run_time_factor(factor: float) -> None:
    """Complain about a factor by which no run time can be multiplied."""
    if not (math.isfinite(factor) and factor > 0):
        raise BadValue("--run-time-factor", factor, "a finite number above 0")


def check_overestimate(phi: float | None) -> None:
    """Complain about what is no share of jobs."""
    if phi is not None and not 0 <= phi <= 1:
        raise BadValue("--overestimate", phi, "the share of right estimates, from 0 to 1")


def check_clone(copies: int) -> None:
    """Complain about a number of copies that is out of range."""
    if not 1 <= copies <= MOST_COPIES:
        raise BadValue("--clone", copies, f"a whole number from 1 to {MOST_COPIES:,}")


def check_statistics(asked: Simulation | Several) -> None:
    """Complain about a threshold or a batch size that no metric can be computed with."""
    if not (math.isfinite(asked.tau) and asked.tau > 0):
        raise BadValue("--tau", asked.tau, "a positive number of seconds")
    if asked.batch_size is not None and asked.batch_size < 1:
        raise BadValue("--batch-size", asked.batch_size, "a whole number of jobs, 1 or more")
    check_seed(asked.seed)


def check_seed(seed: int) -> None:
    """Complain about a seed that nothing can be drawn by."""
    if seed < 0:
        raise BadValue("--seed", seed, "a whole number of 0 or more")


def check_seeds(seeds: int) -> None:
    """Complain about a number of seeds that is out of range."""
    if not 0 <= seeds <= 10_000:
        raise BadValue("--seeds", seeds, "a whole number from 0 to 10,000")
