"""Cleaning a log: records removed by filters, and a report of what is odd in the rest.

Filters are applied one after the other, so each count is of what the earlier ones left, as in the archive's
headers. Records keep their numbers: a cleaned log has gaps in them.
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from molokini.workloads.calendar import calendar
from molokini.workloads.downtime import Downtimes, downtimes
from molokini.workloads.rules import judge
from molokini.workloads.tools.filter_language import Filter
from molokini.workloads.tools.flurries import Flurry, flurries
from molokini.workloads.tools.notes import counted, noted, removed_line
from molokini.workloads.tools.whole import WholeLog
from molokini.workloads.workload import SWF_FIELDS

_UNKNOWN = -1.0
_NEEDED = ("wait_s", "run_s", "requested_s", "user")
"""Fields without which much cannot be said of a log."""


@dataclass(frozen=True)
class Removed:
    """One filter and how many records it removed."""

    filter: str
    jobs: int


@dataclass(frozen=True)
class Cleaned:
    """A cleaned log, what each filter removed, and what the report says of the rest."""

    log: WholeLog
    removed: tuple[Removed, ...]
    oddities: dict[str, int]
    downtimes: Downtimes
    flurries: tuple[Flurry, ...]
    """Candidates in the cleaned log."""

    def report(self) -> dict[str, Any]:
        """All of it, ready for JSON."""
        gaps = zip(self.downtimes.start_s.tolist(), self.downtimes.length_s.tolist(), strict=True)
        return {
            "records": len(self.log) + sum(one.jobs for one in self.removed),
            "kept": len(self.log),
            "unread_lines": dict(self.log.unread),
            "removed": [asdict(one) for one in self.removed],
            "oddities": self.oddities,
            "downtimes": [{"start_s": start, "length_s": length} for start, length in gaps],
            "flurry_candidates": [{**asdict(one), "filter": one.filter} for one in self.flurries],
        }


def clean(log: WholeLog, filters: Sequence[Filter]) -> Cleaned:
    """*log* without the records that *filters* are about, under a header that tells them."""
    kept = np.ones(len(log), np.bool_)
    removed = []
    for one in filters:
        gone = one.holds(log) & kept
        kept &= ~gone
        removed.append(Removed(one.text, int(gone.sum())))
    rest = log.take(kept) if removed else log
    if removed:
        told = [removed_line(one.filter, one.jobs) for one in removed]
        header = noted(
            counted(log.header, len(rest)), f"cleaned by molokini from {log.name}; filters:", *told
        )
        rest = WholeLog(log.name, rest.records, header, log.unread)
    return Cleaned(rest, tuple(removed), oddities(rest), _downtimes(rest), tuple(flurries(rest)))


def oddities(log: WholeLog) -> dict[str, int]:
    """How many records are odd, by what is odd in them; kinds without any are left out."""
    run, asked, number = log.column("run_s"), log.column("requested_s"), log.column("number")
    submit, cpu = log.column("submit_s"), log.column("cpu_s")
    widest = np.maximum(log.column("allocated_processors"), log.column("requested_processors"))
    found = {
        "no job": int((judge(log.records) != 0).sum()),
        "wider than the machine": 0 if log.machine is None else int((widest > log.machine).sum()),
        "run time above the requested time": int(((asked > 0) & (run > asked)).sum()),
        "run time 0": int((run == 0).sum()),
        "processor time above the run time": int(((cpu > run) & (run >= 0)).sum()),
        "submitted before the record above": int((np.diff(submit) < 0).sum()),
        "number of another record": int(len(number) - np.unique(number).size),
    }
    for name in SWF_FIELDS:
        found[f"negative {name}"] = int(((log.column(name) < 0) & (log.column(name) != _UNKNOWN)).sum())
    for name in _NEEDED:
        found[f"unknown {name}"] = int((log.column(name) == _UNKNOWN).sum())
    return {name: count for name, count in found.items() if count}


def _downtimes(log: WholeLog) -> Downtimes:
    submit_s = np.sort(log.column("submit_s"))
    return downtimes(submit_s, calendar(log.header, submit_s).hour)
