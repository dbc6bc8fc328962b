"""Claims about real nodes, which the recorded run of the benchmark judges: no simulation can."""

import re

from molokini.studies.claims import Claims, Finding, untestable
from molokini.studies.lin2008_feedback.real_figures import HOW, Record, by_real, recorded
from molokini.studies.results import Results
from molokini.studies.rule import exactly, no_more_than_shape

SAID = Claims()
ONLY_REAL = ("C7", "C8", "C9", "C10", "C21")
NEARLY_ALL = 98
"""Percent of a processor that the paper's scheduler could use, almost without misses ..."""
ALMOST = 1.0
"""... which are percent of periods, here."""
SLIGHTLY = (0.1, 0.3)
"""So much apart full speeds differ slightly, and so much in shape; the paper has no figure."""


@SAID("C7", "section 3", "A miss is small in time.")
def _c7(_: Results) -> Finding:
    return by_real("C7", recorded())


@SAID("C8", "section 3", "Periods and slices from hundreds of microseconds to days.")
def _c8(_: Results) -> Finding:
    return by_real("C8", recorded())


@SAID("C9", "section 3", "A new pair is in force within about a millisecond.")
def _c9(_: Results) -> Finding:
    return by_real("C9", recorded())


@SAID("C10", "section 3", "Over 98% of a Pentium 4 can be used, with almost no misses.")
def _c10(_: Results) -> Finding:
    return of_full_cores(recorded())


def of_full_cores(record: Record | None) -> Finding:
    """What a run says: it holds in shape where 90% can be used, as on the paper's other machine."""
    found = by_real("C10", record)
    missed = [one for one in record.of("C10") if f" {NEARLY_ALL}% of" in one.what] if record else []
    return no_more_than_shape(found, bool(missed) and all(one.value <= ALMOST for one in missed))


@SAID("C21", "section 5.4", "Full speeds differ slightly by ratio.")
def _c21(_: Results) -> Finding:
    return of_full_speeds(recorded())


def of_full_speeds(record: Record | None) -> Finding:
    """What a run says of programs whose iterations are meant to be as long."""
    rows = record.of("C21") if record is not None else []
    if record is None or len(rows) < 2:
        return untestable(f"it is about real programs, and no run is recorded: {HOW}")
    speeds = [one.value for one in rows]
    apart = max(speeds) / min(speeds) - 1
    told = "; ".join(f"{re.sub(':? iterations.*', '', one.what)}: {one.value:.3f}/s" for one in rows)
    return exactly(
        0 < apart <= SLIGHTLY[0],
        f"real ({record.where}): {told}; {apart:.0%} apart",
        in_shape=0 < apart <= SLIGHTLY[1],
    )
