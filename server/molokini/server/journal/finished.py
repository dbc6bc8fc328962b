"""Records of finished jobs as both databases hold them: tables beside the entries, sealed line by line.

An array has a line for itself and one for each part of its elements.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import TypeAlias

from molokini.server.journal.port import Finished, Runs, StateDamaged, Which
from molokini.server.journal.seals import is_intact, seal

COLUMNS = "number, user_name, queue, name, version, body, crc"
RUN_COLUMNS = "number, last_index, version, body, crc"
PAGE_BYTES = 1 << 20
"""What is read at once ends after so much: scripts may be large."""
FinishedRow: TypeAlias = tuple[int, str, str, str, int, str, int]
RunsRow: TypeAlias = tuple[int, int, int, str, int]


def finished_rows(jobs: Iterable[Finished]) -> list[FinishedRow]:
    """*jobs* as they are stored."""
    return [(one.number, one.user, one.queue, one.name, one.version, one.body, _seal(one)) for one in jobs]


def runs_rows(runs: Iterable[Runs]) -> list[RunsRow]:
    """*runs* as they are stored."""
    return [(one.number, one.last, one.version, one.body, _seal_runs(one)) for one in runs]


def _seal(one: Finished) -> int:
    return seal(one.number, 0.0, "\0".join((one.user, one.queue, one.name)), one.version, one.body)


def _seal_runs(one: Runs) -> int:
    return seal(one.number, one.last, "runs", one.version, one.body)


def opened_rows(rows: Iterable[Sequence[object]], place: str) -> Iterator[Finished]:
    """The records of stored *rows*; StateDamaged, naming *place*, where one was changed. The first page."""
    size = 0
    for *values, crc in rows:
        one = Finished(*values)  # type: ignore[arg-type]
        if not is_intact(partial(_seal, one), crc):
            raise StateDamaged(f"{place}: the record of finished job {one.number} was changed")
        yield one
        size += len(one.body)
        if size > PAGE_BYTES:
            return


def opened_runs(row: Sequence[object] | None, place: str) -> Runs | None:
    """The part of a stored *row*; StateDamaged where it was changed."""
    if row is None:
        return None
    *values, crc = row
    one = Runs(*values)  # type: ignore[arg-type]
    if not is_intact(partial(_seal_runs, one), crc):
        raise StateDamaged(f"{place}: the record of elements of finished job {one.number} was changed")
    return one


def condition(which: Which, is_one_of: Callable[[str, Sequence[object]], str]) -> str:
    """What of a WHERE clause *which* asks for, as *is_one_of* writes it; it is given the values, too.

    No more than that: a clause that may or may not mean something keeps a database from its indices.
    """
    names = (which.name,) if which.name else ()
    wanted = {"number": which.numbers, "user_name": which.users, "queue": which.queues, "name": names}
    return "".join(f" AND {is_one_of(column, values)}" for column, values in wanted.items() if values)
