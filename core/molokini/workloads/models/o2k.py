"""The NCSA Origin 2000 workload of Chiang and Vernon (JSSPP 2001), by the roadmap at the end of their paper.

Arrivals first, then processors, memory given processors, requested time given both, actual time given the
request, peak memory given requested memory and actual time. The tables are in a file, which says of each what
is published and what is ours. Memory is per processor in SWF, in kB.
"""

from collections.abc import Mapping

import numpy as np

from molokini.model.policy import Kind, Parameter, Value
from molokini.workloads.arriving.cycles import Cycle, of_week
from molokini.workloads.arriving.feeds import Feed
from molokini.workloads.distributions import H2
from molokini.workloads.generator import Generated
from molokini.workloads.models.common import (
    OWN,
    Stream,
    in_seconds,
    made,
    one_feed,
    others_cycle,
    parameters,
    whole,
)
from molokini.workloads.models.o2k_tables import Tables, piecewise, read_tables
from molokini.workloads.streams import Streams
from molokini.workloads.workload import Floats, Ints, Workload

_MINUTE, _HOUR = 60.0, 3600.0
_GB, _MB = 1024.0 * 1024.0, 1024.0
"""In kB."""

PARAMETERS: tuple[Parameter, ...] = (
    *parameters(processors=960),
    Parameter(
        "tables",
        "",
        "a file with other tables, in the form of the one that comes with the package",
        Kind.TEXT,
        source="the file says which are published and which are ours",
        rare=True,
    ),
)


def make(values: Mapping[str, Value], seed: int) -> Workload:
    """The workload of these *values*. Raises BadInput, above all for tables that cannot be used."""
    tables, streams, jobs = read_tables(str(values.get("tables", ""))), Streams(seed), whole(values, "jobs")
    sizes = np.minimum(
        tables.processors.at(streams.of("processors").random(jobs)), whole(values, "processors")
    )
    memory_gb = _memory_gb(tables, sizes, streams.of("memory").random(jobs))
    request_s = _requests_s(tables, sizes, memory_gb, streams)
    run_s = in_seconds(values, _run_s(tables, sizes, request_s, streams))
    memory_kb = np.ceil(memory_gb * _GB / sizes)
    columns = {
        "requested_s": request_s,
        "requested_memory_kb": memory_kb,
        "used_memory_kb": np.rint(_peaks(tables, run_s, streams) * memory_kb),
    }
    short = run_s < _MINUTE
    columns["used_memory_kb"][short] = np.minimum(
        columns["used_memory_kb"][short], np.floor(tables.peaks["minute_most_mb"] * _MB / sizes[short])
    )
    feeds, user = _arrivals(values, tables, streams, jobs)
    return made(f"o2k-{seed}", values, streams, [Stream(sizes, run_s, columns)], feeds, user)


def week(tables: Tables) -> tuple[Cycle, float]:
    """The rhythm of a week, and the mean rate of arrivals in it, a second."""
    rates = tables.arrivals
    low, middle, peak = rates["low"], rates["middle"], rates["peak"]
    weekday = [low] * 16 + [peak] * 20 + [middle] * 12
    half = range(48)
    busy = [2 * rates["weekend_from_h"] <= one < 2 * rates["weekend_to_h"] for one in half]
    weekend = [middle if one else low for one in busy]
    mean = float(np.mean([*weekday * 5, *weekend * 2]))
    return of_week(weekday, weekend, weekend), mean / _HOUR


def _arrivals(
    values: Mapping[str, Value], tables: Tables, streams: Streams, jobs: int
) -> tuple[list[Feed], Ints | None]:
    cycle, rate = week(tables)
    if str(values["arrivals"]) != OWN:
        return one_feed(values, streams, 1.0 / rate, cycle)
    gaps = H2.balanced(1.0 / rate, tables.arrivals["cv"]).sample(streams.of("gaps"), jobs)
    other = others_cycle(values)
    return [Feed(np.cumsum(gaps), cycle if other is None else other)], None


def _memory_gb(tables: Tables, sizes: Floats, uniform: Floats) -> Floats:
    found = np.empty(sizes.size)
    which = np.searchsorted([one.processors for one in tables.memory], sizes)
    for place, one in enumerate(tables.memory):
        here = which == place
        found[here] = piecewise(tables.memory_ends_gb, one.shares, uniform[here])
    return found


def _requests_s(tables: Tables, sizes: Floats, memory_gb: Floats, streams: Streams) -> Floats:
    """Requested times: the class of time by the class of size, then a value of that class."""
    count = sizes.size
    size_class = size_classes(tables, sizes, memory_gb)
    chance, time_class = streams.of("time classes").random(count), np.empty(count, np.int64)
    for place, one in enumerate(tables.sizes):
        which = np.searchsorted([cut.processors for cut in one.ranges], sizes)
        for cut_place, cut in enumerate(one.ranges):
            here = (size_class == place) & (which == cut_place)
            upto = np.cumsum(cut.shares)[:-1]
            time_class[here] = np.searchsorted(upto, chance[here], side="right")
    uniform, hours = streams.of("requests").random(count), np.empty(count)
    for place, table in enumerate(tables.requests):
        here = time_class == place
        hours[here] = table.at(uniform[here])
    return np.asarray(np.rint(hours * _HOUR))


def size_classes(tables: Tables, sizes: Floats, memory_gb: Floats) -> Ints:
    """The smallest class of size that holds each job; the last where none does."""
    found = np.full(sizes.size, len(tables.sizes) - 1)
    for place in range(len(tables.sizes) - 2, -1, -1):
        one = tables.sizes[place]
        found[(sizes <= one.processors) & (memory_gb <= one.memory_gb)] = place
    return found.astype(np.int64)


def _run_s(tables: Tables, sizes: Floats, request_s: Floats, streams: Streams) -> Floats:
    """Actual times given requests and processors."""
    times, count = tables.times, request_s.size
    kind, place = streams.of("ratio kinds").random(count), streams.of("ratios").random(count)
    extra = streams.of("overruns").random((2, count))
    default = np.isin(request_s, times["default_hours"] * _HOUR)
    wide = sizes > times["wide_above"]
    other_middle = np.where(wide, times["wide_middle"], times["other_middle"])
    middle = np.where(default, times["default_middle"], other_middle) * request_s
    time_class = np.searchsorted(times["default_hours"] * _HOUR, request_s)
    other_high = np.where(wide, times["wide_high"], times["other_high"][time_class])
    high = np.where(default, times["default_high"][time_class], other_high) * request_s
    upto = np.cumsum([times["minute"], times["half"], times["upper"], times["top"]])
    from_s = np.minimum(_MINUTE, middle)
    found = np.where(
        kind < upto[0],
        np.minimum(_MINUTE**place, request_s),
        np.where(
            kind < upto[1],
            from_s * (middle / from_s) ** place,
            np.where(
                kind < upto[2],
                middle + place * (high - middle),
                np.where(kind < upto[3], high + place * (request_s - high), request_s),
            ),
        ),
    )
    over = (request_s == _MINUTE) & (extra[0] < times["overrun"])
    found = np.where(over, request_s + _HOUR * extra[1] ** 3, found)
    exact = (request_s == 5.0 * _HOUR) & (extra[0] < times["exact_5h"])
    return np.where(exact, request_s, found)


def _peaks(tables: Tables, run_s: Floats, streams: Streams) -> Floats:
    """Peak over requested memory."""
    peaks = tables.peaks
    kind, place = streams.of("peak kinds").random(run_s.size), streams.of("peaks").random(run_s.size)
    low, most = peaks["low_least"], peaks["low_most"]
    longer = np.where(
        kind < peaks["above"],
        1.0 + place * (peaks["above_most"] - 1.0),
        np.where(
            kind < peaks["above"] + peaks["low"],
            low * (most / low) ** place,
            most + place * (1.0 - most),
        ),
    )
    return np.where(run_s < _MINUTE, place * peaks["minute_most"], longer)


MODELS = (
    Generated(
        "o2k",
        "a large shared-memory machine: processors, memory, requests and peaks of memory",
        "Chiang and Vernon, JSSPP 2001: roadmap and Table 4; the other tables are ours",
        PARAMETERS,
        make,
        note="the paper's distributions are figures: tables are ours, set near what its text states",
    ),
)
