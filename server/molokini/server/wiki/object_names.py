"""Names on the wire: of jobs and elements of arrays, and lists of nodes with a place for each task."""

import re
from collections import Counter

from molokini.model.errors import BadValue
from molokini.model.facts import NO_INDEX
from molokini.model.names import expand
from molokini.server.state.jobs import Element
from molokini.server.wiki.messages import BAD_REQUEST, REFUSED, WikiError

MOST_TASKS = 1_000_000
"""Of one start."""
_JOB = re.compile(r"([0-9]{1,18})(?:\[([0-9]{1,10})\])?", re.ASCII)
_TIMES = re.compile(r"(.+?)(?:\*([0-9]{1,7}))?", re.ASCII | re.DOTALL)
_BETWEEN = re.compile(r":(?![^\[]*\])")
"""A colon that is not inside brackets."""


def name_of(element: Element) -> str:
    """What *element* is called: ``7``, or ``7[3]`` of an array."""
    return str(element.job.id) if element.index == NO_INDEX else f"{element.job.id}[{element.index}]"


def job_named(text: str) -> tuple[int, int]:
    """Number and index of the job called *text*. WikiError where that is no name of a job."""
    found = _JOB.fullmatch(text)
    if found is None:
        raise WikiError(REFUSED if text else BAD_REQUEST, f"no job {text[:60]!r}" if text else "no ARG=")
    return int(found[1]), int(found[2]) if found[2] else NO_INDEX


def tasks_by_node(text: str) -> dict[str, int]:
    """Tasks of each node of a TASKLIST: ``a:a:b``, or ``n[1-2]*2:b``. WikiError for what is none."""
    counts: Counter[str] = Counter()
    total = 0
    for part in _BETWEEN.split(text):
        found = _TIMES.fullmatch(part)
        try:
            names = expand(found[1]) if found is not None else []
        except BadValue as error:
            raise WikiError(BAD_REQUEST, f"TASKLIST: {error}") from None
        times = int(found[2] or 1) if found is not None else 0
        total += times * len(names)
        if not 0 < total <= MOST_TASKS or not times:
            raise WikiError(BAD_REQUEST, f"TASKLIST has from 1 to {MOST_TASKS:,} tasks, one name for each")
        for name in names:
            counts[name] += times
    return dict(counts)
