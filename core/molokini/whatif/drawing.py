"""What is not known of the hours to come, drawn from the past: run times, and jobs that arrive."""

from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from molokini.compiled.structs import Floats, Ints
from molokini.whatif.present import Past, Present

_HOUR_S = 3600
_WEEK = 168
_DAY = 24
_FEWEST = 5
"""Ended jobs of a user from which on the user's own accuracy counts."""


class Arriving(StrEnum):
    """Which jobs arrive in the hours to come."""

    NONE = "none"
    RESAMPLED = "resampled"
    """Those of a past hour of the same day of the week, else of the same hour of the day, drawn for each."""


@dataclass(frozen=True)
class Arrivals:
    """Jobs that arrive, in order of time."""

    submit_s: Floats
    run_s: Floats
    estimate_s: Floats
    processors: Ints
    user: Ints
    group: Ints
    queue: Ints

    def __len__(self) -> int:
        return int(self.submit_s.size)


def no_arrivals() -> Arrivals:
    """None at all."""
    whole, number = np.zeros(0, dtype=np.int64), np.zeros(0)
    return Arrivals(number, number, number, whole, whole, whole, whole)


@dataclass(frozen=True)
class Draw:
    """One way in which the hours to come may go."""

    run_s: Floats
    """The run time of each job that is there, by row."""
    arrivals: Arrivals


def by_estimates(present: Present) -> Draw:
    """Every job takes its estimate, and none arrives."""
    t, count = present.tables, len(present.jobs)
    return Draw(t.jobs.estimate_s[:count].copy(), no_arrivals())


def drawn(present: Present, hours: float, seed: int, arriving: Arriving) -> Draw:
    """Run times by how exact estimates of the same user were; arrivals as *arriving* says."""
    generator = np.random.default_rng([seed, 1])
    run_s = _run_times(present, generator)
    if arriving is Arriving.NONE:
        return Draw(run_s, no_arrivals())
    return Draw(run_s, _resampled(present, hours, np.random.default_rng([seed, 2])))


def _shares(past: Past) -> tuple[Floats, Ints]:
    """Which share of its estimate each ended job has used, and whose it was."""
    run_s = past.end_s - past.start_s
    known = np.isfinite(run_s) & (run_s >= 0) & (past.estimate_s > 0)
    return np.clip(run_s[known] / past.estimate_s[known], 0.0, 1.0), past.user[known]


def _run_times(present: Present, generator: np.random.Generator) -> Floats:
    t, count = present.tables, len(present.jobs)
    shares, whose = _shares(present.past)
    estimate_s = t.jobs.estimate_s[:count]
    if not shares.size:
        return estimate_s.copy()
    user = t.credentials.user[t.jobs.credential[:count]]
    order = np.argsort(shares, kind="stable")
    of_all = shares[order]
    of_user = {int(one): np.sort(shares[whose == one]) for one in np.unique(user)}
    left_s = np.where(np.isfinite(t.jobs.expected_end_s[:count]), t.jobs.expected_end_s[:count], np.inf)
    done = np.zeros(count)
    running = np.arange(present.waiting, present.waiting + t.queue.running_count)
    left_s = np.maximum(left_s[running] - present.now_s, 0.0)
    done[running] = 1.0 - np.clip(left_s / np.maximum(estimate_s[running], 1e-9), 0.0, 1.0)
    chances = generator.random(count)
    found = np.ones(count)
    for row in range(count):
        own = of_user[int(user[row])]
        samples = own if own.size >= _FEWEST else of_all
        # Of a job that runs it is known that it uses more than it has used.
        first = int(np.searchsorted(samples, done[row], side="right")) if done[row] > 0 else 0
        if first < samples.size:
            found[row] = samples[first + int(chances[row] * (samples.size - first))]
    return np.maximum(found * estimate_s, 0.0)


def _resampled(present: Present, hours: float, generator: np.random.Generator) -> Arrivals:
    past, now = present.past, present.now_s
    if not past.submit_s.size:
        return no_arrivals()
    slot = np.floor(past.submit_s / _HOUR_S).astype(np.int64)
    first, last = int(slot.min()), int(np.floor(now / _HOUR_S)) - 1
    picked, shifted = list[Ints](), list[Floats]()
    for hour in range(int(np.floor(now / _HOUR_S)), int(np.ceil((now + hours * _HOUR_S) / _HOUR_S))):
        known = _alike(hour, first, last)
        if not known.size:
            continue
        other = int(generator.choice(known))
        rows = np.flatnonzero(slot == other)
        picked.append(rows)
        shifted.append(past.submit_s[rows] + (hour - other) * float(_HOUR_S))
    rows = np.concatenate(picked) if picked else np.zeros(0, dtype=np.int64)
    submit_s = np.concatenate(shifted) if shifted else np.zeros(0)
    kept = (submit_s > now) & (submit_s <= now + hours * _HOUR_S)
    rows, submit_s = rows[kept], submit_s[kept]
    order = np.argsort(submit_s, kind="stable")
    rows, submit_s = rows[order], submit_s[order]
    run_s = np.nan_to_num(past.end_s[rows] - past.start_s[rows], nan=np.inf)
    return Arrivals(
        submit_s,
        np.clip(run_s, 0.0, past.estimate_s[rows]),
        past.estimate_s[rows],
        past.processors[rows],
        past.user[rows],
        past.group[rows],
        past.queue[rows],
    )


def _alike(hour: int, first: int, last: int) -> Ints:
    """Past hours from *first* to *last* at the same hour of the week, else of the day, else all."""
    past: Ints = np.arange(first, last + 1)
    for period in (_WEEK, _DAY, 1):
        same: Ints = past[(past - hour) % period == 0]
        if same.size:
            return same
    return past[:0]
