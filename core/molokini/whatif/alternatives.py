"""When a request would start: as it is, smaller, shorter, or in another queue. Nothing is submitted."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from molokini.compiled.structs import Ints
from molokini.model.errors import BadValue
from molokini.whatif.drawing import Arrivals, Draw, by_estimates, no_arrivals
from molokini.whatif.present import Present
from molokini.whatif.scenarios import Scenario, outcome

SHARES = (0.5, 0.25)
"""Of the processors, and of the estimate, that are tried."""
MOST_QUEUES = 4
HORIZON_S = 30 * 86_400.0
"""How far ahead a start is looked for."""


@dataclass(frozen=True)
class Wanted:
    """A request of counted processors; credentials by number (-1: none)."""

    processors: int
    estimate_s: float
    user: int = -1
    group: int = -1
    queue: int = -1


@dataclass(frozen=True)
class Alternative:
    """One way to ask, and when it would start."""

    what: str
    processors: int
    estimate_s: float
    queue: str
    start_s: float | None
    """None: not within the horizon."""
    end_s: float | None
    """By its estimate."""


def alternatives_of(
    present: Present, scenario: Scenario, wanted: Wanted, queues: Sequence[str] = (), row: int = -1
) -> list[Alternative]:
    """When *wanted* would start behind all that waits; or the waiting job of *row* in its own place.

    By estimates, and without arrivals. *queues* are others that could take it. Raises BadValue.
    """
    most = present.tables.machine.processors_in_all
    if not 1 <= wanted.processors <= most:
        raise BadValue("processors", wanted.processors, f"from 1 to the machine's {most:,}")
    if not 0 < wanted.estimate_s < float("inf"):
        raise BadValue("duration_s", wanted.estimate_s, "above 0 seconds")
    numbers = {name: number for number, name in enumerate(present.names)}
    own = present.names[wanted.queue] if 0 <= wanted.queue < len(present.names) else ""
    found = [_tried(present, scenario, "as it is", wanted, own, row)]
    for share in SHARES:
        fewer = int(wanted.processors * share)
        # A job that wishes for nodes or memory says itself how it may be cut.
        if fewer >= 1 and not (row >= 0 and present.tables.jobs.needs_placement[row]):
            asked = replace(wanted, processors=fewer)
            found.append(_tried(present, scenario, "fewer processors", asked, own, row))
    for share in SHARES:
        asked = replace(wanted, estimate_s=wanted.estimate_s * share)
        found.append(_tried(present, scenario, "a shorter estimate", asked, own, row))
    for name in [one for one in queues if one != own][:MOST_QUEUES]:
        asked = replace(wanted, queue=numbers.get(name, -1))
        found.append(_tried(present, scenario, "another queue", asked, name, row))
    return found


def _tried(
    present: Present, scenario: Scenario, what: str, wanted: Wanted, queue: str, row: int
) -> Alternative:
    until_s = present.now_s + HORIZON_S
    if row >= 0:
        state, draw, place = _altered(present, row, wanted), None, row
    else:
        state, place = present, len(present.jobs)
        draw = Draw(by_estimates(present).run_s, _one(present, wanted))
    done = outcome(state, scenario, draw or Draw(by_estimates(state).run_s, no_arrivals()), until_s)
    start_s = float(done.start_s[place])
    if row < 0 and start_s == done.submit_s[place]:
        # At once: it was put in behind the present instant to stand behind all that waits.
        start_s = present.now_s
    known = bool(np.isfinite(start_s))
    return Alternative(
        what,
        wanted.processors,
        wanted.estimate_s,
        queue,
        start_s if known else None,
        start_s + wanted.estimate_s if known else None,
    )


def _one(present: Present, wanted: Wanted) -> Arrivals:
    def whole(number: int) -> Ints:
        return np.array([number], dtype=np.int64)

    estimate_s = np.array([wanted.estimate_s])
    return Arrivals(
        # Behind all that is there, at the first instant after now.
        np.array([np.nextafter(present.now_s, np.inf)]),
        estimate_s,
        estimate_s.copy(),
        whole(wanted.processors),
        whole(wanted.user),
        whole(wanted.group),
        whole(wanted.queue),
    )


def _altered(present: Present, row: int, wanted: Wanted) -> Present:
    """The same state, in which the waiting job of *row* asks for *wanted*."""
    t = present.tables.copy()
    t.jobs.width[row], t.jobs.estimate_s[row] = wanted.processors, wanted.estimate_s
    # What was promised was promised to another request.
    t.jobs.reserved_s[row] = np.inf
    return replace(present, tables=t)
