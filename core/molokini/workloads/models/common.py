"""What all models of rigid jobs have in common: how many jobs, which machine, when they come, estimates."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import cast

import numpy as np

from molokini.model.errors import BadValue
from molokini.model.policy import Kind, Parameter, Value
from molokini.workloads.arriving import processes
from molokini.workloads.arriving.cycles import EVEN, Cycle
from molokini.workloads.arriving.feeds import Feed, merged, stretch_for
from molokini.workloads.arriving.rhythms import RHYTHMS, rhythm
from molokini.workloads.estimates.table import PARAMETERS as ESTIMATE_PARAMETERS
from molokini.workloads.estimates.table import estimated
from molokini.workloads.header import LARGEST_MACHINE
from molokini.workloads.models.assembling import Column, assembled
from molokini.workloads.streams import Streams
from molokini.workloads.synthetic import MOST_JOBS
from molokini.workloads.workload import Floats, Ints, Workload

OWN = "own"
"""As the model itself has it."""

_OURS = "ours"
_ARRIVALS = ("poisson", "h2", "on-off", "visits", "sessions")


def parameters(processors: int, load: float | None = None, jobs: int = 10_000) -> tuple[Parameter, ...]:
    """The common ones, with these defaults; without a *load* the model has arrivals of its own."""
    own = () if load is not None else (OWN,)
    return (
        Parameter("jobs", jobs, "how many jobs", Kind.INTEGER, "jobs", 1, MOST_JOBS, source=_OURS),
        Parameter(
            *("processors", processors, "of the machine", Kind.INTEGER, "processors", 1, LARGEST_MACHINE),
            source=_OURS,
        ),
        Parameter(
            "load",
            "own" if load is None else load,
            "offered load; gaps are stretched in operational time, so the day keeps its rhythm"
            + ("" if load is not None else "; left out: the model's own arrivals"),
            low=1e-6,
            high=100.0,
            source=_OURS,
            rare=load is None,
        ),
        Parameter(
            "arrivals",
            (*own, *_ARRIVALS)[0],
            "gaps: exponential, hyper-exponential, self-similar by on/off sources or by visits, sessions",
            Kind.CHOICE,
            choices=(*own, *_ARRIVALS),
            source=_OURS,
        ),
        Parameter("gap-cv", 2.0, "of hyper-exponential gaps", low=1.0, high=100.0, source=_OURS),
        Parameter(
            "tail",
            1.4,
            "exponent of periods and sessions; H = (3 - tail)/2",
            low=1.01,
            high=1.99,
            source=_OURS,
        ),
        Parameter(
            "burst", 20.0, "jobs of an on period or a visit on average", low=0.1, high=1e6, source=_OURS
        ),
        Parameter("think", 1200.0, "between jobs of a session", unit="s", low=0.001, high=1e7, source=_OURS),
        Parameter("users", 100, "who begin sessions", Kind.INTEGER, "users", 1, 1_000_000, source=_OURS),
        Parameter(
            "cycle",
            OWN,
            "rhythm of arrivals: the model's own, none, a day, a week",
            Kind.CHOICE,
            choices=(OWN, *RHYTHMS),
            source=_OURS,
        ),
        *ESTIMATE_PARAMETERS,
        Parameter(
            "seconds", "whole", "of all times", Kind.CHOICE, choices=("whole", "fractions"), source=_OURS
        ),
    )


@dataclass(frozen=True)
class Stream:
    """Jobs of one kind in the order of their arrival; more than will be needed is well."""

    processors: Floats
    run_s: Floats
    columns: Mapping[str, Floats] = field(default_factory=dict)
    """Others of SWF's fields."""

    def __len__(self) -> int:
        return int(self.run_s.size)


class TooFew(Exception):
    """Jobs of one kind were drawn up to the last, and more might come: for the model that drew them."""


def number(values: Mapping[str, Value], name: str) -> float:
    """The value of a parameter that is a number."""
    return float(cast(float, values[name]))


def whole(values: Mapping[str, Value], name: str) -> int:
    """The value of a parameter that is a whole number."""
    return int(cast(int, values[name]))


def others_cycle(values: Mapping[str, Value]) -> Cycle | None:
    """The rhythm that was asked for instead of the model's own, or None."""
    asked = str(values["cycle"])
    return None if asked == OWN else rhythm(asked)


def arrived(values: Mapping[str, Value], streams: Streams, mean_gap_s: float) -> processes.Arrived:
    """Instants of operational time, as ``arrivals`` asks for them."""
    jobs, how = whole(values, "jobs"), str(values["arrivals"])
    tail, burst = number(values, "tail"), number(values, "burst")
    if how == "h2":
        return processes.hyper(streams, jobs, mean_gap_s, number(values, "gap-cv"))
    if how == "on-off":
        return processes.on_off(streams, jobs, mean_gap_s, tail, burst)
    if how == "visits":
        return processes.visits(streams, jobs, mean_gap_s, tail, burst)
    if how == "sessions":
        think_s, users = number(values, "think"), whole(values, "users")
        return processes.sessions(streams, jobs, mean_gap_s, tail, think_s, users)
    return processes.poisson(streams, jobs, mean_gap_s)


def made(
    name: str,
    values: Mapping[str, Value],
    streams: Streams,
    kinds: Sequence[Stream],
    feeds: Sequence[Feed],
    user: Ints | None = None,
) -> Workload:
    """The workload of the first ``jobs`` jobs of *kinds*, which come by *feeds*, at the load asked for.

    Raises BadInput for a load that cannot be had, ``TooFew`` where there are not enough jobs of a kind.
    """
    jobs, processors = whole(values, "jobs"), whole(values, "processors")
    stretch = 1.0
    if "load" in values:
        works = [kind.processors * kind.run_s for kind in kinds]
        stretch = stretch_for(feeds, works, jobs, processors, number(values, "load"))
    coming = merged(feeds, jobs, stretch)
    if any(count == len(kind) < jobs for count, kind in zip(coming.counts, kinds, strict=True)):
        raise TooFew
    if "load" in values and is_whole(values) and jobs > 1 and np.ptp(np.rint(coming.submit_s)) == 0.0:
        raise BadValue("load", values["load"], "less: these jobs would all come within one second")
    columns = {
        field_name: _joined([kind.columns[field_name] for kind in kinds], coming.counts, coming.feed)
        for field_name in kinds[0].columns
    }
    run_s = _joined([kind.run_s for kind in kinds], coming.counts, coming.feed)
    sizes = _joined([kind.processors for kind in kinds], coming.counts, coming.feed)
    if user is not None:
        columns["user"] = user.astype(np.float64)
    return finished(name, values, streams, coming.submit_s, Stream(sizes, run_s, columns))


def finished(
    name: str, values: Mapping[str, Value], streams: Streams, submit_s: Floats, jobs: Stream
) -> Workload:
    """The workload of *jobs*, submitted in this order at *submit_s*, with the estimates asked for."""
    rounded = is_whole(values)
    columns: dict[str, Column] = dict(jobs.columns)
    if "requested_s" not in columns:
        columns["requested_s"] = estimated(values, streams, jobs.run_s, rounded)
    columns |= {
        "run_s": jobs.run_s,
        "allocated_processors": jobs.processors,
        "requested_processors": jobs.processors,
    }
    clock_s = np.rint(submit_s) if rounded else submit_s
    return assembled(name, whole(values, "processors"), clock_s, columns)


def is_whole(values: Mapping[str, Value]) -> bool:
    """Whether all times are whole seconds."""
    return str(values["seconds"]) == "whole"


def in_seconds(values: Mapping[str, Value], run_s: Floats) -> Floats:
    """Run times in the seconds asked for, 1 s at least where they are whole."""
    return np.maximum(1.0, np.rint(run_s)) if is_whole(values) else run_s


def one_feed(
    values: Mapping[str, Value], streams: Streams, mean_gap_s: float, own: Cycle = EVEN
) -> tuple[list[Feed], Ints | None]:
    """The arrivals of a model without any of its own, in its rhythm *own* or another; and whose they are."""
    coming = arrived(values, streams, mean_gap_s)
    other = others_cycle(values)
    return [Feed(coming.instants_s, own if other is None else other)], coming.user


def _joined(parts: Sequence[Floats], counts: Sequence[int], feed: Ints) -> Floats:
    """The first of each of *parts* in the order in which they come."""
    if len(parts) == 1:
        return parts[0][: counts[0]]
    joined = np.empty(feed.size)
    for place, (part, count) in enumerate(zip(parts, counts, strict=True)):
        joined[feed == place] = part[:count]
    return joined
