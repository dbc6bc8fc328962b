"""Administrative reservations of a replay, and the roll of the standing ones at midnight."""

from collections.abc import Mapping, Sequence

import numpy as np

from molokini.model.errors import BadValue
from molokini.model.reservations import Credential, Reservation, StandingReservation, check_together, fitted
from molokini.sim.agenda import Agenda
from molokini.tables.reservation_changes import set_reservations
from molokini.tables.tables import NEVER, Tables

Reservations = Sequence[Reservation | StandingReservation]

PATIENCE_S = 366 * 86_400.0
"""After so long without any event but midnights a job that still waits will never start."""


class Rolling:
    """Puts reservations into the tables, and rolls the standing ones."""

    def __init__(
        self, reservations: Reservations, tables: Tables, nodes: Mapping[str, int] | None = None
    ) -> None:
        check_together(reservations, tables.machine.processors_in_all)
        self.tables = tables
        self.nodes = nodes or {}
        """Numbers of nodes by name."""
        self.sizes = {name: int(tables.nodes.total[number, 0]) for name, number in self.nodes.items()}
        self.single = [one for one in reservations if isinstance(one, Reservation)]
        self.standing = [one for one in reservations if isinstance(one, StandingReservation)]
        self.present: tuple[Reservation, ...] = ()
        """The reservations in the tables, in their order: each instance of a standing one for itself."""
        self.next_s = -NEVER
        """The next roll; NEVER where nothing is to be rolled."""
        self.quiet_since_s = -NEVER

    def roll(self, now_s: float) -> None:
        """Put the instances of *now_s* into the tables."""
        found = [one for one in self.single if one.end_s > now_s]
        self.next_s = NEVER
        for one in self.standing:
            found.extend(one.instances(now_s))
            self.next_s = min(self.next_s, one.next_roll_s(now_s))
        found = fitted(found, self.tables.machine.processors_in_all, self.sizes)
        check_together(found, self.tables.machine.processors_in_all)
        self.present = tuple(found)
        set_reservations(self.tables, found, _number, self.next_s, self.nodes, int)

    def begin(self, agenda: Agenda) -> None:
        """The first roll, at the first instant of *agenda*."""
        first_s = float(agenda.workload.submit_s[0]) if agenda.workload.count else 0.0
        if agenda.facts.count:
            first_s = min(first_s, float(agenda.facts.time_s[0]))
        self.roll(first_s)
        self.quiet_since_s = first_s

    def stop_s(self, until_s: float) -> float:
        """Where the engine has to stop for the next roll: before the first instant at or after it."""
        return min(until_s, float(np.nextafter(self.next_s, -NEVER)))

    def in_vain(self, agenda: Agenda) -> bool:
        """Whether only midnights are left, and have been for long: a job that waits now never starts."""
        left = (
            agenda.ends.count,
            agenda.workload.count - agenda.workload.next,
            agenda.facts.count - agenda.facts.next,
        )
        if max(left) > 0:
            self.quiet_since_s = self.next_s
            return False
        waits = self.tables.queue.head < self.tables.queue.tail or self.tables.queue.suspended_count > 0
        return not waits or self.next_s - self.quiet_since_s > PATIENCE_S


def _number(kind: Credential, name: str) -> int:
    """The number of a credential, which a log names by its number."""
    try:
        return int(name)
    except ValueError:
        raise BadValue(f"access: {kind.name.lower()}", name, "a number, as in the log") from None
