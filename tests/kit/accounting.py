"""Records of accounting for tests: one that says everything, and any that a cluster could write."""

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

from hypothesis import strategies as st

from molokini.accounting.record import Found, Lines, Place, Record, SkippedLine
from molokini.model.facts import NO_INDEX, Ending

FULL = Record(
    number=68350,
    name="t1",
    user="ann",
    uid=1001,
    group="lab",
    account="acct1",
    queue="batch",
    qos="high",
    command="run.sh a",
    directory="/home/ann",
    submitted_s=1365512507.25,
    eligible_s=1365512510.0,
    start_s=1365512600.75,
    end_s=1365516200.5,
    processors=4,
    wanted_nodes=2,
    allocated=4,
    nodes=(("n1", 2), ("n2", 2)),
    estimate_s=3600.0,
    memory_kb=512,
    used_kb=2048,
    cpu_s=7140.0,
    attempt=2,
)
"""A job of a morning in April 2013: 2 processors on each of 2 nodes for an hour."""


BARE = Record(number=9, submitted_s=100.0, start_s=200.0, end_s=260.0)
"""A job of which nothing more is known."""


def record(**changes: Any) -> Record:
    """``FULL`` with changes."""
    return replace(FULL, **changes)


def placed(lines: Iterable[str], path: str = "log") -> Lines:
    """Lines with their places."""
    return [(Place(path, number), line) for number, line in enumerate(lines, 1)]


def jobs_of(read: Callable[[Lines], Found], *lines: str) -> list[Record]:
    """The jobs that *read* finds in *lines*, all of which it must take."""
    found = list(read(placed(lines)))
    assert [one for one in found if isinstance(one, SkippedLine)] == []
    return [one[1] for one in found if not isinstance(one, SkippedLine)]


def reasons_of(read: Callable[[Lines], Found], *lines: str) -> list[tuple[int, str]]:
    """Line and reason of what *read* leaves out of *lines*."""
    return [(one.place.line, one.reason) for one in read(placed(lines)) if isinstance(one, SkippedLine)]


NAMES = st.text(st.characters(codec="utf-8"), max_size=12) | st.text(
    "ab \"';|=,()[]+*:._-\t\n\\", max_size=12
)
"""Anything that a user may call something, and what formats stumble over."""
_NODES = st.text("abcn0123456789-", min_size=1, max_size=6).filter(lambda name: name[0].isalpha())
_ENDED = st.sampled_from(
    [Ending.COMPLETED, Ending.FAILED, Ending.TIMED_OUT, Ending.CANCELLED, Ending.NODE_LOST]
)
_UNSTARTED = st.sampled_from([Ending.CANCELLED, Ending.NOT_STARTED, Ending.REFUSED])


@st.composite
def records(draw: st.DrawFn, number: int | None = None) -> Record:
    """Any job that is over, as a cluster would tell of it."""
    submitted = draw(st.floats(1, 4e9, allow_nan=False))
    started = draw(st.booleans())
    start = submitted + draw(st.floats(0, 1e6)) if started else None
    ending = draw(_ENDED if started else _UNSTARTED)
    names = draw(st.lists(_NODES, unique=True, min_size=1, max_size=4))
    nodes = tuple((name, draw(st.integers(1, 128))) for name in names) if started else ()
    allocated = sum(count for _, count in nodes)
    failed = ending is Ending.FAILED
    # What runs on past its limit was not ended by its user.
    least_s = 10**7 + 2 if ending is Ending.CANCELLED else 1
    signal = draw(st.integers(0, 64)) if failed else 0
    processors = draw(st.integers(1, 100_000))
    return Record(
        number=draw(st.integers(1, 10**9)) if number is None else number,
        index=draw(st.one_of(st.just(NO_INDEX), st.integers(1, 1000))),
        name=draw(NAMES),
        user=draw(NAMES),
        uid=draw(st.integers(0, 65535)),
        group=draw(NAMES),
        account=draw(NAMES),
        queue=draw(NAMES),
        qos=draw(NAMES),
        command=draw(NAMES),
        directory=draw(NAMES),
        submitted_s=submitted,
        eligible_s=submitted,
        start_s=start,
        end_s=(submitted if start is None else start) + draw(st.floats(0, 1e7)),
        ending=ending,
        exit_code=draw(st.integers(1, 255)) if failed and not signal else 0,
        signal=signal,
        processors=processors,
        allocated=allocated,
        nodes=nodes,
        estimate_s=draw(st.just(0) | st.integers(least_s, 2 * 10**7)),
        # All of it together stays a number that logs hold.
        memory_kb=draw(st.integers(0, min(2**40, 2**53 // processors))),
        used_kb=draw(st.integers(0, 2**40)),
        cpu_s=draw(st.integers(0, 10**9)),
        attempt=draw(st.integers(1, 9)) if started else 0,
    )
