"""Records of finished jobs as both databases hold them: a table beside the entries, sealed line by line."""

from collections.abc import Iterable, Sequence
from typing import TypeAlias

from molokini.server.journal.port import Finished, StateDamaged, Which
from molokini.server.journal.seals import seal

COLUMNS = "number, user_name, queue, name, version, body, crc"
FinishedRow: TypeAlias = tuple[int, str, str, str, int, str, int]


def finished_rows(jobs: Iterable[Finished]) -> list[FinishedRow]:
    """*jobs* as they are stored."""
    return [(one.number, one.user, one.queue, one.name, one.version, one.body, _seal(one)) for one in jobs]


def _seal(one: Finished) -> int:
    return seal(one.number, 0.0, "\0".join((one.user, one.queue, one.name)), one.version, one.body)


def opened_rows(rows: Iterable[Sequence[object]], place: str) -> list[Finished]:
    """The records of stored *rows*; StateDamaged, naming *place*, where one was changed."""
    found = []
    for *values, crc in rows:
        one = Finished(*values)  # type: ignore[arg-type]
        if _seal(one) != crc:
            raise StateDamaged(f"{place}: the record of finished job {one.number} was changed")
        found.append(one)
    return found


def sqlite_condition(which: Which) -> tuple[str, list[object]]:
    """What of a WHERE clause *which* asks for, and its values."""
    text, values = "", list[object]()
    for column, wanted in (("number", which.numbers), ("user_name", which.users), ("queue", which.queues)):
        if wanted:
            text += f" AND {column} IN ({','.join('?' * len(wanted))})"
            values += wanted
    if which.name:
        text += " AND name = ?"
        values.append(which.name)
    return text, values
