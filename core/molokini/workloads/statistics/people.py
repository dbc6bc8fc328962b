"""Whose jobs they are, what they ask for and what they use: users, estimates, memory, correlations."""

from typing import Any

import numpy as np

from molokini.workloads.statistics.mass import mass_count
from molokini.workloads.workload import SWF_FIELDS, Floats, Ints, Workload

TOP_USERS = 15
MODES = 20
_FEWEST_JOBS, _FEWEST_RANKS = 5, 3
"""Of a user whose rank counts, and ranks through which a line is laid."""
_BINS = 20
_USED_KB, _ASKED_KB = SWF_FIELDS.index("used_memory_kb"), SWF_FIELDS.index("requested_memory_kb")
_BOX = (5, 25, 50, 75, 95)


def top_users(workload: Workload) -> dict[str, Any]:
    """Who submits most: each of the first with jobs, work, median size and run time; and how unequal users
    are.
    """
    known = np.flatnonzero(workload.user >= 0)
    if not known.size:
        nothing: dict[str, Any] = {
            "disparity_of_jobs": None,
            "disparity_of_work": None,
            "zipf": None,
            "top": [],
        }
        return {"users": 0, **nothing, "zipf_of_queues": _of_queues(workload)}
    users, which = np.unique(workload.user[known], return_inverse=True)
    jobs = np.bincount(which).astype(np.int64)
    work = np.bincount(which, weights=(workload.processors * workload.run_s)[known])
    total = float(work.sum())
    top = []
    for place in np.argsort(-jobs, kind="stable")[:TOP_USERS].tolist():
        rows = known[which == place]
        top.append(
            {
                "user": int(users[place]),
                "name": workload.name_of_number("user", int(users[place])),
                "jobs": int(jobs[place]),
                "share_of_jobs": float(jobs[place] / len(workload)),
                "share_of_work": float(work[place] / total) if total else None,
                "median_processors": float(np.median(workload.processors[rows])),
                "median_run_s": float(np.median(workload.run_s[rows])),
            }
        )
    return {
        "users": int(users.size),
        "disparity_of_jobs": _figures(jobs),
        "disparity_of_work": _figures(work),
        "zipf": zipf(jobs),
        "zipf_of_queues": _of_queues(workload),
        "top": top,
    }


def zipf(counts: Ints) -> dict[str, float | int] | None:
    """Zipf's law of *counts* by rank, R = c n^-beta, by least squares in the logarithms of both.

    Ranks with fewer than five are left out: there counts are steps. None for fewer than three ranks.
    ``r_squared`` says how straight they lie. Crovella, JSSPP 2001, section 2.
    """
    ordered = np.sort(counts[counts >= _FEWEST_JOBS])[::-1].astype(np.float64)
    if ordered.size < _FEWEST_RANKS:
        return None
    x, y = np.log(np.arange(1.0, ordered.size + 1.0)), np.log(ordered)
    slope, constant = np.polyfit(x, y, 1)
    left = float(((y - slope * x - constant) ** 2).sum())
    spread = float(((y - y.mean()) ** 2).sum())
    straight = 1.0 - left / spread if spread > 0 else 1.0
    return {"beta": float(-slope), "r_squared": straight, "ranks": int(ordered.size)}


def _of_queues(workload: Workload) -> dict[str, float | int] | None:
    known = workload.queue[workload.queue >= 0]
    return zipf(np.unique(known, return_counts=True)[1]) if known.size else None


def _figures(values: Floats | Ints) -> dict[str, float] | None:
    found = mass_count(values.astype(np.float64))
    return found and {name: found[name] for name in ("joint_items", "n_half", "gini")}


def estimate_quality(workload: Workload) -> dict[str, Any] | None:
    """Run time over estimate in 20 classes, and the commonest estimates; None where no job gave one.

    ``exact`` are the jobs that ran as long as they asked for, ``past`` those that ran longer; neither is in
    a class.
    """
    given = workload.estimated
    if not given.any():
        return None
    run, estimate = workload.run_s[given], workload.estimate_s[given]
    inside = run < estimate
    index = np.minimum((run[inside] / estimate[inside] * _BINS).astype(np.int64), _BINS - 1)
    values, counts = np.unique(estimate, return_counts=True)
    order = np.argsort(-counts, kind="stable")[:MODES]
    return {
        "jobs": int(given.sum()),
        "accuracy": (np.bincount(index, minlength=_BINS) / run.size).tolist(),
        "exact": float((run == estimate).mean()),
        "past": float((run > estimate).mean()),
        "distinct": int(values.size),
        "share_of_modes": float(counts[order].sum() / run.size),
        "modes": [
            {"estimate_s": float(values[place]), "share": float(counts[place] / run.size)} for place in order
        ],
    }


def run_by_size(workload: Workload) -> list[dict[str, Any]]:
    """Five percentiles of the run times of jobs of 1, 2, 3-4, 5-8, ... processors, as far as there are."""
    if not len(workload):
        return []
    exponent = np.ceil(np.log2(workload.processors)).astype(np.int64)
    found = []
    for one in np.unique(exponent).tolist():
        run = workload.run_s[exponent == one]
        cuts = np.percentile(run, _BOX).tolist()
        found.append(
            {
                "from_processors": 1 if one == 0 else 2 ** (one - 1) + 1,
                "to_processors": 2**one,
                "jobs": int(run.size),
                **{f"p{name}": cut for name, cut in zip(_BOX, cuts, strict=True)},
            }
        )
    return found


def correlations(workload: Workload) -> dict[str, Any]:
    """Spearman's rank correlation of what jobs are, and Pearson's of logarithms; None where one is constant.

    ``same_user`` is the rank correlation of a job's run time with that of the user's job before it.
    """
    columns: dict[str, Floats] = {
        "processors": workload.processors.astype(np.float64),
        "run_s": workload.run_s,
        "work_processor_s": workload.processors * workload.run_s,
    }
    known = {name: np.ones(len(workload), np.bool_) for name in columns}
    columns["estimate_s"], known["estimate_s"] = workload.estimate_s, workload.estimated
    memory = _memory(workload)
    columns["memory_kb"], known["memory_kb"] = memory, memory > 0
    ranks = {name: _ranks(values) for name, values in columns.items()}
    pairs = {}
    names = list(columns)
    for place, one in enumerate(names):
        for other in names[place + 1 :]:
            both = known[one] & known[other]
            whole = bool(both.all())
            rank = (
                (ranks[one], ranks[other])
                if whole
                else (_ranks(columns[one][both]), _ranks(columns[other][both]))
            )
            above = both & (columns[one] > 0) & (columns[other] > 0)
            pairs[f"{one} {other}"] = {
                "jobs": int(both.sum()),
                "spearman": _pearson(*rank),
                "pearson_of_logs": _pearson(np.log(columns[one][above]), np.log(columns[other][above])),
            }
    order = np.lexsort((np.arange(len(workload)), workload.user))
    user, run = workload.user[order], ranks["run_s"][order]
    follows = (user[1:] == user[:-1]) & (user[1:] >= 0)
    return {"pairs": pairs, "same_user": _pearson(run[:-1][follows], run[1:][follows])}


def memory(workload: Workload) -> dict[str, Any] | None:
    """Memory per processor, kB, asked for and used, as far as the log has it; None where it has none."""
    asked, used = workload.records[:, _ASKED_KB], workload.records[:, _USED_KB]
    if not ((asked > 0).any() or (used > 0).any()):
        return None
    both = (asked > 0) & (used > 0)
    ratio = used[both] / asked[both]
    return {
        "requested_kb": _cuts(asked[asked > 0]),
        "used_kb": _cuts(used[used > 0]),
        "used_over_requested": _cuts(ratio),
        "above_requested": float((ratio > 1).mean()) if ratio.size else None,
        "x": {"requested_kb": _points(asked[asked > 0]), "used_kb": _points(used[used > 0])},
    }


def _memory(workload: Workload) -> Floats:
    asked, used = workload.records[:, _ASKED_KB], workload.records[:, _USED_KB]
    return np.where(asked > 0, asked, used)


def _cuts(values: Floats) -> dict[str, Any]:
    if not values.size:
        return {"jobs": 0, **{f"p{name}": None for name in _BOX}, "mean": None}
    cuts = np.percentile(values, _BOX).tolist()
    named = {f"p{name}": cut for name, cut in zip(_BOX, cuts, strict=True)}
    return {"jobs": int(values.size), **named, "mean": float(values.mean())}


def _points(values: Floats) -> list[float]:
    """A hundred quantiles, for a curve."""
    return np.quantile(values, np.linspace(0, 1, 101)).tolist() if values.size else []


def _ranks(values: Floats) -> Floats:
    """Ranks from 1; equal values share the mean of theirs."""
    _, which, counts = np.unique(values, return_inverse=True, return_counts=True)
    upto = np.cumsum(counts)
    found: Floats = (upto - (counts - 1) / 2.0)[which]
    return found


def _pearson(one: Floats, other: Floats) -> float | None:
    if one.size < 2:
        return None
    x, y = one - one.mean(), other - other.mean()
    spread = float(np.sqrt((x * x).sum() * (y * y).sum()))
    return float(np.clip((x * y).sum() / spread, -1.0, 1.0)) if spread > 0 else None
