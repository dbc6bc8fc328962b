"""What facts about administrators' reservations make of a state."""

from molokini.model import facts as h
from molokini.model.actors import Origin
from molokini.model.reservations import Reservation, StandingReservation, of_json
from molokini.server.state.effects.table import effect_of
from molokini.server.state.state import State
from molokini.tables.tables import NEVER


@effect_of(h.ReservationMade)
def reservation_made(state: State, fact: h.ReservationMade) -> None:
    """An administrator has reserved something."""
    made = of_json(fact.reservation)
    state.reservations[made.name] = made
    if fact.by == Origin.CONFIGURATION:
        state.configured_reservations.add(made.name)
    if isinstance(made, StandingReservation):
        state.instances.extend(made.instances(state.now))
    put_reservations(state)


@effect_of(h.ReservationReleased)
def reservation_released(state: State, fact: h.ReservationReleased) -> None:
    """It is given up, with its instances."""
    gone = state.reservations.pop(fact.name)
    state.configured_reservations.discard(fact.name)
    if isinstance(gone, StandingReservation):
        state.instances = [one for one in state.instances if one.name.rpartition(".")[0] != gone.name]
    put_reservations(state)


@effect_of(h.ReservationsRolled)
def reservations_rolled(state: State, fact: h.ReservationsRolled) -> None:
    """What is over is gone, what comes next is reserved."""
    for one in list(state.reservations.values()):
        if isinstance(one, Reservation) and one.end_s <= state.now:
            del state.reservations[one.name]
    state.instances = [made for one in fact.instances if isinstance(made := of_json(one), Reservation)]
    put_reservations(state)


def put_reservations(state: State) -> None:
    """Tell the tables of the reservations as they are now."""
    single = [one for one in state.reservations.values() if isinstance(one, Reservation)]
    rolls = [
        one.next_roll_s(state.now)
        for one in state.reservations.values()
        if isinstance(one, StandingReservation)
    ]
    ends = [one.end_s for one in single]
    next_s = min([*rolls, *ends], default=NEVER)
    state.rows.reserve([*single, *state.instances], next_s, state.site.services())
