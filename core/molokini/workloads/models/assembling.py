"""From columns to a workload: what every model of rigid jobs does at its end."""

from collections.abc import Mapping
from typing import TypeAlias

import numpy as np

from molokini.workloads.rules import from_records
from molokini.workloads.swf import make_header
from molokini.workloads.workload import SWF_FIELDS, Floats, Ints, Workload

Column: TypeAlias = Floats | Ints | float
"""One value a job, or the same for all."""


def assembled(
    name: str,
    processors: int,
    submit_s: Floats,
    columns: Mapping[str, Column],
    labels: Mapping[str, object] | None = None,
) -> Workload:
    """The workload of these *columns* (SWF's names), jobs numbered from 1, -1 in all that is not given.

    *labels* go into the header beside the usual ones.
    """
    jobs = len(submit_s)
    records = np.full((jobs, len(SWF_FIELDS)), -1.0)
    given = {"number": np.arange(1.0, jobs + 1), "submit_s": submit_s, "status": 1.0, **columns}
    for field, column in given.items():
        records[:, SWF_FIELDS.index(field)] = column
    header = make_header(
        Version="2.2",
        Computer=f"generated: {name}",
        MaxJobs=jobs,
        MaxRecords=jobs,
        MaxProcs=processors,
        **dict(labels or {}),
    )
    return from_records(name, records, header)
