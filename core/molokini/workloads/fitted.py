"""The model ``fitted:FILE``: jobs from a parameter file that ``molokini workload fit`` has written.

Each attribute is drawn from a stream of its own, so that a change of one leaves the others as they were.
Gaps are drawn in operational time and put in the order of bursts, run times depend on the class of size, all
else is independent: what one user's jobs have in common is not in it.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import cast

import numpy as np

from molokini.model.errors import BadInput
from molokini.model.policy import Kind, Parameter, Value
from molokini.workloads.arriving.feeds import merged, stretch_for
from molokini.workloads.fits.arrivals import bounded
from molokini.workloads.fits.files import Site, read_site
from molokini.workloads.fits.fitting import Table
from molokini.workloads.generated import Generated
from molokini.workloads.rules import LARGEST, from_records
from molokini.workloads.streams import Streams
from molokini.workloads.swf import make_header
from molokini.workloads.workload import SWF_FIELDS, Floats, Workload

NAME = "fitted"
SOURCE = "parameters fitted to a log; the way jobs are made from them is ours"
MOST_JOBS = 10_000_000
MONDAY_S = 4 * 86400
"""UnixStartTime of a made log: Monday, 5 January 1970, 0:00 UTC."""


def from_file(path: str | Path) -> Generated:
    """The model that the parameters in the file *path* describe; BadFile where it is none."""
    site = read_site(path)
    name = f"{NAME}:{path}"

    def make(values: Mapping[str, Value], seed: int) -> Workload:
        load = values.get("load")
        return made(
            site,
            jobs=int(cast(int, values["jobs"])),
            load=float(load) if isinstance(load, int | float) else None,
            seed=seed,
            name=f"{NAME}-{Path(path).stem}",
        )

    return Generated(name, f"jobs as fitted to {site.log}", SOURCE, _parameters(site), make)


def _parameters(site: Site) -> tuple[Parameter, ...]:
    return (
        Parameter(
            "jobs",
            site.jobs,
            "how many jobs",
            Kind.INTEGER,
            "jobs",
            1,
            MOST_JOBS,
            source="as many as the log",
        ),
        Parameter(
            "load",
            "own",
            "offered load; gaps are stretched in operational time; left out: gaps as fitted",
            low=1e-6,
            high=100.0,
            source="ours",
            rare=True,
        ),
    )


def made(site: Site, *, jobs: int, load: float | None = None, seed: int = 0, name: str = NAME) -> Workload:
    """*jobs* jobs of *site*; with *load* gaps are stretched until the offered load is that.

    Raises BadValue for a seed below 0, BadInput for a load that these jobs cannot have.
    """
    streams = Streams(seed)
    sizes = _from_table(site.sizes, streams.of("sizes"), jobs)
    run_s = _run_times(site, sizes, streams)
    asked = _estimates(site, run_s, streams)
    # A job that ran on past its estimate counts up to it, as in the offered load that info tells.
    counted = np.where(asked > 0, np.minimum(run_s, asked), run_s)
    submit_s = _submits(site, streams, sizes * counted, load)
    if submit_s[-1] > LARGEST:
        raise BadInput(f"{name}: {jobs:,} jobs take longer than a log can tell; the gaps are too long")
    records = np.full((jobs, len(SWF_FIELDS)), -1.0)
    columns: dict[str, Floats | float] = {
        "number": np.arange(1.0, jobs + 1),
        "submit_s": submit_s,
        "run_s": run_s,
        "allocated_processors": sizes,
        "requested_processors": sizes,
        "requested_s": asked,
        "status": 1.0,
    }
    if site.users is not None:
        columns["user"] = _from_table(site.users, streams.of("users"), jobs)
    if site.memory is not None:
        columns["requested_memory_kb"] = _memory(site, streams, jobs)
    for field, column in columns.items():
        records[:, SWF_FIELDS.index(field)] = column
    header = make_header(
        Version="2.2",
        Computer=f"generated: {name}",
        Note=f"made by molokini from parameters fitted to {' '.join(site.log.split())}, seed {seed}",
        MaxJobs=jobs,
        MaxRecords=jobs,
        UnixStartTime=MONDAY_S,
        TimeZoneString="UTC",
        MaxProcs=site.processors,
    )
    return from_records(name, records, header)


def _from_table(table: Table, generator: np.random.Generator, count: int) -> Floats:
    upto = np.cumsum(table.shares)
    rows = np.minimum(np.searchsorted(upto, generator.random(count), side="right"), upto.size - 1)
    return np.array(table.values, np.float64)[rows]


def _submits(site: Site, streams: Streams, work: Floats, load: float | None) -> Floats:
    """When jobs of this *work* come, in whole seconds, so that they offer *load*."""
    feed, jobs, stretch = site.arrivals.feed(streams, work.size), work.size, 1.0
    if load is not None:
        if jobs < 2:
            raise BadInput(f"a load of {load:g} cannot be had: there is one job alone")
        stretch = stretch_for([feed], [work], jobs, site.processors, load)
    return np.rint(merged([feed], jobs, stretch).submit_s)


def _run_times(site: Site, sizes: Floats, streams: Streams) -> Floats:
    """Run times in whole seconds; every class of sizes draws for all jobs, so that classes do not mix."""
    tops = np.array([one.most for one in site.runs[:-1]], np.float64)
    which = np.searchsorted(tops, sizes, side="left")
    zero = streams.of("run times of 0").random(sizes.size)
    found = np.zeros(sizes.size)
    for place, one in enumerate(site.runs):
        rows = np.flatnonzero(which == place)
        drawn = bounded(one.distribution, streams.of(f"run times {place}"), sizes.size, one.largest_s)
        # Whole seconds, at least one: 0 has a share of its own.
        found[rows] = np.where(zero[rows] < one.zero_share, 0.0, np.maximum(1.0, np.rint(drawn[rows])))
    return found


def _estimates(site: Site, run_s: Floats, streams: Streams) -> Floats:
    """Estimates by the accuracy of the log's, rounded up to the values its users know; -1: none is given."""
    if site.accuracy is None or site.estimates is None:
        return np.full(run_s.size, -1.0)
    kind = streams.of("kinds of estimates").random(run_s.size)
    accuracy = bounded(site.accuracy, streams.of("accuracy"), run_s.size, 1.0)
    known = np.array(site.estimates.values, np.float64)
    wished = np.maximum(run_s, 1.0) / np.maximum(accuracy, 1e-6)
    rows = np.searchsorted(known, wished)
    # Where that is longer than any, it is one of those that are long enough.
    upto = np.concatenate([[0.0], np.cumsum(site.estimates.shares)])
    least = np.searchsorted(known, run_s)
    point = upto[least] + streams.of("long estimates").random(run_s.size) * (1.0 - upto[least])
    other = np.minimum(np.searchsorted(upto, point, side="right") - 1, known.size - 1)
    fallback = np.where(least < known.size, known[other], np.ceil(run_s))
    rounded = np.where(rows < known.size, known[np.minimum(rows, known.size - 1)], fallback)
    # A job that ran on past its estimate had the largest round one below its run time.
    below = np.searchsorted(known, run_s) - 1
    past = np.where(below >= 0, known[np.maximum(below, 0)], np.maximum(run_s, 1.0))
    exact = np.maximum(run_s, 1.0)
    found = np.where(kind < site.exact_share, exact, rounded)
    found = np.where((kind >= site.exact_share) & (kind < site.exact_share + site.past_share), past, found)
    given = streams.of("whether estimated").random(run_s.size) < site.estimated_share
    return np.where(given, found, -1.0)


def _memory(site: Site, streams: Streams, jobs: int) -> Floats:
    assert site.memory is not None
    drawn = np.rint(bounded(site.memory, streams.of("memory"), jobs, LARGEST))
    return np.where(
        streams.of("whether memory").random(jobs) < site.memory_share, np.maximum(drawn, 1.0), -1.0
    )
