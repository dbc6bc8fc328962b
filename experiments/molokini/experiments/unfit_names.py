"""Names that jobs have and a configuration lacks: counted, with what is assumed of these jobs."""

from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np

from molokini.accounting.fields import counts_of
from molokini.model.credentials import queues_in
from molokini.model.site import Site
from molokini.workloads.workload import Workload

LICENSE, GENERIC = "license", "resource"
_COUNTED = {LICENSE: "licenses", GENERIC: "generic"}
"""Kinds of which a job has so many, by the names of their columns."""
_SHOWN = 3


def unfit(site: Site, workloads: Sequence[Workload]) -> list[str]:
    """Names that the jobs have and the configuration lacks, a line for each kind, with what is assumed."""
    lines = []
    known = {kind: {name.lower() for name in names} for kind, names in site.known_names().items()}
    for workload in workloads:
        for kind, assumed in site.assumptions().items():
            counts = _named(workload, kind)
            if not known.get(kind) and kind not in _COUNTED:
                # The configuration does not list them.
                continue
            if kind == "queue":
                counts = _queues_of_lists(counts)
            gone = {name: count for name, count in counts.items() if name.lower() not in known[kind]}
            if gone:
                most = sorted(gone, key=lambda name: -gone[name])[:_SHOWN]
                more = f" and {len(gone) - _SHOWN:,} more" if len(gone) > _SHOWN else ""
                jobs = sum(gone.values())
                whose = f"{workload.name}: {kind} {', '.join(most)}{more} ({jobs:,} jobs)"
                lines.append(f"{whose} not in the configuration: {assumed}")
    return lines


def _queues_of_lists(counts: Mapping[str, int]) -> dict[str, int]:
    """How many jobs name each queue, perhaps among several."""
    found: Counter[str] = Counter()
    for name, count in counts.items():
        for one in queues_in(name) or (name,):
            found[one] += count
    return found


def _named(workload: Workload, kind: str) -> dict[str, int]:
    """How many jobs have each name of a *kind*."""
    if kind in _COUNTED:
        return _held(workload, _COUNTED[kind])
    if kind in ("account", "qos"):
        if workload.recorded is None:
            return {}
        numbers = getattr(workload.recorded, kind)
    else:
        numbers = getattr(workload, kind)
    values, counts = np.unique(numbers, return_counts=True)
    names = {
        workload.name_of_number(kind, int(value)): int(count)
        for value, count in zip(values, counts, strict=True)
    }
    return {name: count for name, count in names.items() if name}


def _held(workload: Workload, column: str) -> dict[str, int]:
    """How many jobs hold something of each name."""
    found: Counter[str] = Counter()
    if workload.recorded is not None:
        held, counts = np.unique(getattr(workload.recorded, column), return_counts=True)
        for number, count in zip(held.tolist(), counts.tolist(), strict=True):
            for name in counts_of("", workload.name_of_number(column, number)) if number > 0 else ():
                found[name] += count
    return found
