"""Administrators' reservations: made, and given up."""

from collections.abc import Mapping

from molokini.model.actors import Actor
from molokini.model.errors import BadInput, BadValue, Conflict, UnknownName
from molokini.model.facts import PolicySet, ReservationMade, ReservationReleased
from molokini.model.ranks import Rank
from molokini.model.reservations import Reservation, StandingReservation, check_together, entry_of, placed
from molokini.policies import load_policy
from molokini.server.state.state import State
from molokini.server.turn.changing import NotNow
from molokini.server.turn.command import Command, Draft, RetryNextTurn
from molokini.server.turn.submitting import check_licenses

_OTHERS = (ReservationMade, ReservationReleased, PolicySet)
"""What a turn may hold one of: the next has to see what it has made."""


class MakeReservation(Command):
    """Keep processors for some, once or again and again."""

    rank = Rank.BOUNDARY

    def __init__(self, reservation: Reservation | StandingReservation, by: Actor) -> None:
        self.reservation, self.by = reservation, by

    def check(self, state: State, draft: Draft) -> Reservation | StandingReservation:
        """What was made, with the processors of each of its nodes."""
        if any(isinstance(fact, _OTHERS) for fact in draft.facts):
            raise RetryNextTurn
        sizes = {name: record.processors for name, record in state.machine.by_name.items()}
        made = placed(self.reservation, sizes)
        if isinstance(made, Reservation) and made.end_s <= draft.now:
            raise BadValue(f"reservation {made.name}: end_s", made.end_s, f"later than now, {draft.now:g}")
        check_queues(state, made)
        check_policy(*(state.policy or ("", {})), any_reserved=True)
        new = made.instances(draft.now) if isinstance(made, StandingReservation) else []
        names = {one.name for one in state.instances}
        if made.name in names or any(one.name in state.reservations for one in new):
            raise Conflict("name", f"an instance of a standing reservation is called {made.name!r} already")
        check_together([*state.reservations.values(), made], state.tables.machine.processors_in_all)
        check_together([*state.instances, *new], state.tables.machine.processors_in_all)
        check_licenses(state, made.terms.licenses)
        draft.facts.append(ReservationMade(made.as_json(), self.by))
        return made


def check_queues(state: State, made: Reservation | StandingReservation) -> None:
    """UnknownName where *made* admits a queue that does not exist: no job could ever come from it."""
    for entry in made.access.get("queue", ()):
        # What is called so is meant, even where its last letter would be a sign.
        if entry not in state.queues and (name := entry_of(entry)[0]) not in state.queues:
            raise UnknownName("queue", name, state.queues)


class ReleaseReservation(Command):
    """Give a reservation up, with all instances of a standing one."""

    rank = Rank.BOUNDARY

    def __init__(self, name: str, by: Actor) -> None:
        self.name, self.by = name, by

    def check(self, state: State, draft: Draft) -> None:
        if any(isinstance(fact, _OTHERS) for fact in draft.facts):
            raise RetryNextTurn
        if self.name not in state.reservations and self.name in {one.name for one in state.instances}:
            whole = self.name.rpartition(".")[0]
            raise Conflict(
                "reservation", f"{self.name!r} ends only with its standing reservation: release {whole!r}"
            )
        if self.name not in state.reservations:
            raise UnknownName("reservation", self.name, state.reservations)
        draft.facts.append(ReservationReleased(self.name, self.by))


def check_policy(name: str, parameters: Mapping[str, str], any_reserved: bool) -> None:
    """NotNow where the policy *name* cannot keep jobs out of what is reserved."""
    if not any_reserved:
        return
    try:
        declaration = load_policy(name).declaration if name else None
        reservable = declaration is None or declaration.reserves(declaration.values(parameters))
    except BadInput:
        # A policy from a file that has gone since: another is about to take over.
        return
    if not reservable:
        raise NotNow(f"policy {name} cannot keep jobs out of reservations")
