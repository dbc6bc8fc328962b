"""Worlds to look ahead in: tables and an agenda that are made once and used again and again."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from molokini.compiled.pieces import Piece
from molokini.compiled.structs import Ints, Struct
from molokini.sim.agenda import Agenda
from molokini.tables.declared import UNREAD, Axis, Declared, Nature
from molokini.tables.excerpts import excerpt_into, room_for, rows_of
from molokini.tables.making import sizes_by_jobs
from molokini.tables.tables import NEVER, Tables

_LEAST_ROWS = 64
_TRACE = 64
_KEPT = 8
"""Worlds that wait for the next look ahead, at most."""


class World:
    """One set of tables and an agenda of some size.

    ``master`` is filled from the present tables once a look ahead; ``tables`` becomes as it is for each
    policy.
    """

    def __init__(self, sizes: dict[Axis, int]) -> None:
        self._blank = Piece(Tables.sized(sizes), _is_copied)
        self._master = Piece(Tables.sized(sizes), _is_copied)
        self._scratch = Piece(Tables.sized(sizes), _is_copied)
        self.agenda = _agenda(sizes[Axis.JOB], len(self._scratch.struct.nodes.group))

    @property
    def tables(self) -> Tables:
        """The tables in which a policy is tried."""
        return self._scratch.struct

    @property
    def master(self) -> Tables:
        """The present state: waiting jobs have the rows from 0 on, running ones follow."""
        return self._master.struct

    def fill(self, t: Tables, waiting: Ints) -> None:
        """Take over the present state of *t*, with the rows *waiting* of its queue."""
        self._master.become(self._blank)
        excerpt_into(self.master, t, waiting)

    def renew(self) -> None:
        """Make ``tables`` as the present state is, and the agenda empty."""
        self._scratch.become(self._master)
        agenda = self.agenda
        agenda.rates.count = agenda.places.used = agenda.ends.count = 0
        agenda.ends.places_kept = agenda.ends.starts = 0
        agenda.results.started_s.fill(NEVER)
        agenda.results.ended_s.fill(NEVER)
        agenda.results.refusal.fill(0)


@contextmanager
def world_for(t: Tables, waiting: Ints) -> Iterator[World]:
    """A world that has taken over the present state of *t*; no other thread has it meanwhile.

    Two threads of a server may look ahead at once.
    """
    rows = room_for(t, rows_of(t, waiting))
    size = max(_LEAST_ROWS, 1 << rows.bit_length())
    sizes = {**t.sizes(), **sizes_by_jobs(size, t.machine.processors_in_all)}
    key = tuple(sizes.values())
    spare = _spare.get(key)
    try:
        world = spare.pop() if spare else World(sizes)
    except IndexError:
        world = World(sizes)
    try:
        world.fill(t, waiting)
        yield world
    finally:
        if len(_spare) >= _KEPT and key not in _spare:
            _spare.clear()
        _spare.setdefault(key, []).append(world)


_spare: dict[tuple[int, ...], list[World]] = {}


def _is_copied(kind: type[Struct], name: str) -> bool:
    """Not what means nothing outside a pass and is written before it is read; nor the profile."""
    assert issubclass(kind, Declared)
    column = kind.declared[name]
    if column.axis is Axis.STEP:
        return False
    return not (column.nature is Nature.PASS and column.blank is UNREAD)


_BY_JOB = {
    "workload": ("number", "estimate_s", "run_s", "width"),
    "ends": ("at_s", "row", "place", "order"),
    "results": (
        *("started_s", "first_reserved_s", "ended_s", "done_s", "refusal", "row_of"),
        *("suspensions", "requeues", "checkpoints", "lost_s"),
    ),
}
"""Arrays of the agenda that have an element for each job; others have none, but for traces."""


def _agenda(rows: int, nodes: int) -> Agenda:
    """An agenda for jobs that are all there already."""
    arrays: dict[str, dict[str, Any]] = {}
    for part, kind in Agenda.children.items():
        arrays[part] = {}
        for name, column in kind.columns().items():
            size = rows if name in _BY_JOB.get(part, ()) else 0
            if part in ("rates", "places"):
                size = _TRACE
                if name in ("first", "nodes"):
                    size = rows if nodes else 0
            arrays[part][name] = np.zeros(size, dtype=str(column.dtype))
    made = Agenda(**arrays)
    made.ends.place[:] = -1
    return made
