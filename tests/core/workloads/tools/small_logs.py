"""Whole logs for tests, and what hypothesis makes of them."""

from collections.abc import Mapping, Sequence

import numpy as np
from hypothesis import strategies as st

from molokini.workloads.header import parse_header
from molokini.workloads.tools.whole import WholeLog
from molokini.workloads.workload import SWF_FIELDS

DATED = (
    "; Version: 2.2",
    "; MaxProcs: 64",
    "; UnixStartTime: 843480031",
    "; TimeZoneString: Europe/Stockholm",
)


def log_of(*jobs: Mapping[str, float], header: Sequence[str] = DATED, name: str = "built.swf") -> WholeLog:
    """A log of these jobs: fields by their names, unknown unless given, numbered from 1."""
    records = np.full((len(jobs), len(SWF_FIELDS)), -1.0)
    for row, job in enumerate(jobs):
        records[row, :2] = row + 1, 0
        for name_of, value in job.items():
            records[row, SWF_FIELDS.index(name_of)] = value
    return WholeLog(name, records, parse_header(header))


@st.composite
def logs(draw: st.DrawFn, most: int = 30) -> WholeLog:
    """Small logs in order of number, some records no job, submits over a month or within a minute."""
    span = draw(st.sampled_from([60, 86400 * 40]))
    count = draw(st.integers(2, most))
    submits = draw(st.lists(st.integers(0, span), min_size=count, max_size=count))
    numbers = draw(st.lists(st.integers(1, 999), min_size=count, max_size=count, unique=True))
    field = st.lists(st.integers(-1, 5), min_size=count, max_size=count)
    runs, users, sizes, preceding = (draw(field) for _ in range(4))
    if draw(st.booleans()):
        submits.sort()
    jobs = [
        {"number": number, "submit_s": submit, "run_s": run, "user": user, "requested_processors": size}
        | {"preceding": before, "cpu_s": 0.1 * run, "queue": user}
        for number, submit, run, user, size, before in zip(
            sorted(numbers), submits, runs, users, sizes, preceding, strict=True
        )
    ]
    return log_of(*jobs)
