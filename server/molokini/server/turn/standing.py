"""The standing reservations of the policy's configuration: made, replaced when it changes, released."""

import logging

from molokini.model.actors import Origin
from molokini.model.errors import BadInput
from molokini.model.facts import Fact, ReservationMade, ReservationReleased
from molokini.model.reservations import StandingReservation, check_together
from molokini.model.site import KnownNode, Misplaced
from molokini.server.state.state import State

log = logging.getLogger("molokini.server.reservations")


def configured_reservations(state: State) -> list[Fact]:
    """What has to happen to have the reservations of the configuration on the nodes that there are.

    Looked at once a policy and once a set of nodes. One on nodes that have not come yet waits for them, and
    the log says so; those that an administrator has given up stay away until then.
    """
    looked_for = (state.policy, len(state.machine.nodes))
    if looked_for == state.reserved_for:
        return []
    state.reserved_for = looked_for
    wanted = {one.name: one for one in _wanted(state)}
    facts: list[Fact] = [
        ReservationReleased(name, Origin.CONFIGURATION)
        for name in sorted(state.configured_reservations)
        if wanted.get(name) != state.reservations[name]
    ]
    kept = {one.name for one in facts if isinstance(one, ReservationReleased)} ^ state.configured_reservations
    facts += [
        ReservationMade(one.as_json(), Origin.CONFIGURATION)
        for name, one in wanted.items()
        if name not in kept and _has_a_name_of_its_own(state, one)
    ]
    return facts


def _wanted(state: State) -> list[StandingReservation]:
    if state.policy is None or not state.machine.nodes:
        return []
    nodes = [
        KnownNode(record.name, record.processors, frozenset(record.features))
        for record in state.machine.by_name.values()
    ]
    try:
        return state.site.reservations(state.tables.machine.processors_in_all, nodes)
    except Misplaced as error:
        log.warning("SRCFG[%s]: %s; no standing reservation is made", error.name, error)
    except BadInput as error:
        log.warning("the standing reservations of the configuration: %s", error)
    return []


def _has_a_name_of_its_own(state: State, one: StandingReservation) -> bool:
    other = state.reservations.get(one.name)
    if other is not None and one.name not in state.configured_reservations:
        log.warning("SRCFG[%s]: an administrator's reservation has this name; none is made", one.name)
        return False
    try:
        check_together([one], state.tables.machine.processors_in_all)
    except BadInput as error:
        log.warning("SRCFG[%s]: %s; none is made", one.name, error)
        return False
    return True
