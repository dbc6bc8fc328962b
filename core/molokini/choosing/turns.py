"""A pass of ``adaptive``: whether to look ahead, which candidate to choose, and its pass."""

from math import floor, inf

from molokini.choosing.candidates import Candidate, Family, by_overhead, candidates_of
from molokini.choosing.looking import Prospects, called, prospects
from molokini.choosing.objectives import OBJECTIVES
from molokini.choosing.plans import overhead_of
from molokini.cycle.verbs import wake_at
from molokini.matrix.draining import drain_rows
from molokini.model.choices import CHOICES, STANDING, ChoiceMade, StandingChoice
from molokini.model.policy import text_from_numbers
from molokini.tables.sizes import GLOBAL_WORDS
from molokini.tables.tables import View
from molokini.tables.workspace import SomeFloats, SomeInts, Workspace, several

_EVERY, _HYSTERESIS, _OBJECTIVE, _CHOOSER, _OVERHEAD, _TEXT = range(6)
_NAMES = tuple(OBJECTIVES)
_FIRST = "the first of the candidates, until several jobs wait"
_OWN = 4
"""Numbers of this policy's own, behind those of its candidates."""


class Memory(Workspace):
    """What it keeps from pass to pass, at the end of the memory: its candidates have the beginning."""

    of_candidates_f: SomeFloats = several(GLOBAL_WORDS - _OWN)
    of_candidates_i: SomeInts = several(GLOBAL_WORDS - _OWN)
    looked_in: float
    """The period of the last look, counted from 1; 0: it has not looked yet."""
    chosen: int
    """The candidate that decides, counted from 1; 0: none is chosen."""
    wanted: int
    """The one that is to decide once no job runs, counted from 1; 0: none."""


mine = Memory.of


def begin_chosen(view: View, now: float) -> None:
    """``begin`` of the chosen candidate; before the first choice there is nothing to begin."""
    among = _among(view)
    _go_on(view, among)
    chosen = int(mine(view).chosen)
    if chosen:
        _begin(view, now, among[chosen - 1])


def schedule_chosen(view: View, now: float) -> None:
    """The pass of the chosen candidate, after a look ahead where one is due."""
    among, memory = _among(view), mine(view)
    waiting = view.queue.tail - view.queue.head
    every_s = float(view.parameters[_EVERY])
    period = floor(now / every_s) + 1 if every_s else 0
    due = period != memory.looked_in if every_s else view.queue.arrived > 0 or not memory.chosen
    # A single load is a choice, too: in which order it is planned decides whether it is admitted.
    several_wait = waiting > (0 if among[0].family is Family.LOADS else 1)
    if due and several_wait:
        memory.looked_in = period
        _choose(view, now, among)
    elif not memory.chosen:
        _note(view, ChoiceMade(now, among[0].text, "", (), int(waiting), _FIRST))
        _change(view, now, among, 0)
    if memory.wanted and not _runs(view):
        chosen, before = among[int(memory.wanted) - 1], among[int(memory.chosen) - 1]
        _note(view, ChoiceMade(now, chosen.text, before.text, (), int(waiting), "no job runs any more"))
        _change(view, now, among, int(memory.wanted) - 1)
    chosen = among[int(memory.chosen) - 1]
    with view.lent("parameters", chosen.vector):
        if not memory.wanted:
            called(chosen.policy.schedule, view, now)
        elif chosen.family is Family.ROWS:
            called(drain_rows, view, now)
    if every_s and several_wait:
        wake_at(view, period * every_s)


def _among(view: View) -> tuple[Candidate, ...]:
    return candidates_of(text_from_numbers(view.parameters[_TEXT:].tolist()))


def _runs(view: View) -> bool:
    return bool(view.queue.running_count or view.queue.suspended_count)


def _go_on(view: View, among: tuple[Candidate, ...]) -> None:
    """Take over what an earlier process has chosen, where this one has no memory of a choice."""
    memory, before = mine(view), view.noted.get(STANDING)
    if memory.chosen or not isinstance(before, StandingChoice):
        return
    places = {one.text: place for place, one in enumerate(among, 1)}
    memory.chosen = places.get(before.chosen, 0)
    memory.wanted = places.get(before.wanted, 0) if memory.chosen else 0
    memory.looked_in = before.period if memory.chosen else 0.0


def _choose(view: View, now: float, among: tuple[Candidate, ...]) -> None:
    """Look ahead; the best candidate decides from now on, unless the present one is nearly as good."""
    memory = mine(view)
    present = int(memory.chosen) - 1
    objective = _NAMES[int(view.parameters[_OBJECTIVE])]
    found = prospects(view, now, among, objective, among[present] if present >= 0 else None)
    if view.parameters[_CHOOSER] == 1.0:
        chosen, reason = _by_overhead(view, among, found, present)
    else:
        chosen, reason = _by_prospects(view, among, found, present)
    waits = 0 <= present != chosen and among[present].family is not among[chosen].family and _runs(view)
    memory.wanted = chosen + 1 if waits else 0
    if waits:
        reason = f"{reason}: {among[chosen].text}, once no job runs"
    decides = present if waits else chosen
    _note(
        view,
        ChoiceMade(
            at_s=now,
            chosen=among[decides].text,
            before=among[present].text if present >= 0 else "",
            costs=tuple((one.text, cost) for one, cost in zip(among, found.costs, strict=True)),
            jobs=found.jobs,
            reason=reason,
        ),
    )
    if decides != present:
        _change(view, now, among, decides)
    else:
        _keep(view, among)


def _by_prospects(
    view: View, among: tuple[Candidate, ...], found: Prospects, present: int
) -> tuple[int, str]:
    """The candidate of the least cost, but for the hysteresis; and why."""
    objective = _NAMES[int(view.parameters[_OBJECTIVE])]
    best = min(range(len(among)), key=lambda k: (found.costs[k], k != present, k))
    if present >= 0 and best != present:
        wanted = found.costs[present] * (1.0 - float(view.parameters[_HYSTERESIS]))
        if found.costs[best] >= wanted and found.costs[present] < inf:
            return present, f"{among[best].text} is better, but not by the hysteresis"
    return best, f"least {objective}"


def _by_overhead(view: View, among: tuple[Candidate, ...], found: Prospects, present: int) -> tuple[int, str]:
    """MWF where sending costs much, else EDF, unless a deadline that was promised would be missed."""
    waiting = view.queue.waiting[view.queue.head : view.queue.tail]
    edf, mwf = by_overhead(among)
    overhead, most = overhead_of(view, waiting), float(view.parameters[_OVERHEAD])
    if overhead is None:
        return max(present, 0), "no load waits"
    chosen = mwf if overhead >= most else edf
    if found.costs[chosen] == inf and present >= 0:
        return present, f"{among[chosen].text} would miss a deadline that was promised"
    return chosen, f"sending costs {overhead:.3g} of computing"


def _change(view: View, now: float, among: tuple[Candidate, ...], chosen: int) -> None:
    """This candidate decides from now on."""
    memory = mine(view)
    memory.chosen, memory.wanted = chosen + 1, 0
    _begin(view, now, among[chosen])
    _keep(view, among)


def _keep(view: View, among: tuple[Candidate, ...]) -> None:
    """Note what another process would have to know."""
    memory = mine(view)
    wanted = among[int(memory.wanted) - 1].text if memory.wanted else ""
    chosen = among[int(memory.chosen) - 1].text
    view.noted[STANDING] = StandingChoice(chosen, wanted, float(memory.looked_in))


def _note(view: View, made: ChoiceMade) -> None:
    view.noted.setdefault(CHOICES, []).append(made)


def _begin(view: View, now: float, chosen: Candidate) -> None:
    """The candidate begins, with no memory of another one's."""
    memory = mine(view)
    memory.of_candidates_f[:] = 0.0
    memory.of_candidates_i[:] = 0
    view.memory_f[...] = 0.0
    view.memory_i[...] = 0
    view.profile.first = view.profile.last = 0
    if chosen.policy.begin is not None:
        with view.lent("parameters", chosen.vector):
            called(chosen.policy.begin, view, now)
