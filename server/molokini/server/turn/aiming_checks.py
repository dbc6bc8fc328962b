"""Whether nodes have room for target rates, and what callers may ask of their control."""

from collections.abc import Mapping

from molokini.feedback.admission import CAP
from molokini.feedback.controlling import Rules
from molokini.feedback.searching import Search
from molokini.feedback.targets import target_of
from molokini.model.errors import BadInput, Conflict
from molokini.server.state.jobs import Element
from molokini.server.state.state import State


def taken_of(state: State, node: int, but: tuple[int, int] | None = None) -> int:
    """The sum of the shares that target rates have of the cores of *node*, in millionths of one core."""
    total = 0
    for place, aim in state.aims.items():
        if aim.control is None or place == but:
            continue
        element = state.element(*place)
        if element.status.active:
            total += sum(count for number, count in element.nodes if number == node) * aim.control.target
    return total


def room_on(state: State, node: int, but: tuple[int, int] | None = None) -> int:
    """What is left of the cores of *node* for target rates, in millionths of one core."""
    record = state.machine.nodes[node]
    have = state.cores(record.name) or record.processors
    return CAP * have - taken_of(state, node, but)


def refuse_without_room(state: State, element: Element, target: int) -> None:
    """Raise Conflict where a node of *element* has no room for *target*: then no node has any of it."""
    left = {}
    for number, count in element.nodes:
        room = room_on(state, number, (element.job.id, element.index))
        if state.machine.nodes[number].real and target * count > room:
            left[state.machine.nodes[number].name] = max(0, room // count)
    if left:
        raise Conflict("rate", no_room(target, left))


def no_room(target: int, left: Mapping[str, int]) -> str:
    """Why *target* is refused."""
    told = ", ".join(f"{share / 10_000:g}% on {name}" for name, share in sorted(left.items())[:3])
    return f"{target / 10_000:g}% finds no room: there is {told} left; ask for less, or lower other jobs"


def check_submitted(state: State, rate: str, full: float, nodes: int) -> None:
    """Refuse the rate of a job that is submitted where no *nodes* real nodes have room for it now."""
    asked = target_of("rate", rate)
    if not asked.share and full <= 0:
        return
    target = asked.of(full)
    Rules().check_target(target, CAP)
    real = [number for number, record in enumerate(state.machine.nodes) if record.real]
    left = {state.machine.nodes[number].name: max(0, room_on(state, number)) for number in real}
    if real and sum(room >= target for room in left.values()) < nodes:
        raise Conflict("rate", no_room(target, left))


def rules_asked(threshold: float, period_s: float, step_s: float, search: str) -> dict[str, int]:
    """The rules that a caller asks for; 0 and empty ask for nothing. Raises BadInput."""
    found: dict[str, int] = {}
    for name, value, unit in (
        ("threshold", threshold, 10_000),
        ("first_period", period_s, 1e9),
        ("step", step_s, 1e9),
    ):
        if not 0 <= value < 1e6:
            raise BadInput(f"{name}: {value}: a number from 0 to 10^6")
        if value:
            found[name] = round(value * unit)
    if search:
        if search.upper() not in Search.__members__:
            raise BadInput(f"search: {search}: one of {', '.join(one.name.lower() for one in Search)}")
        found["search"] = Search[search.upper()].value
    return found
