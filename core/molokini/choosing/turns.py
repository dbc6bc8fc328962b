"""A pass of ``adaptive``: whether to look ahead, which candidate to choose, and its pass."""

from math import floor, inf

from molokini.choosing.candidates import Candidate, candidates_of
from molokini.choosing.looking import prospects
from molokini.choosing.objectives import OBJECTIVES
from molokini.compiled.compilation import interpreted
from molokini.cycle.calling import compiled_function
from molokini.cycle.verbs import wake_at
from molokini.model.choices import CHOICES, ChoiceMade
from molokini.model.policy import text_from_numbers
from molokini.tables.sizes import GLOBAL_WORDS
from molokini.tables.tables import View
from molokini.tables.workspace import SomeFloats, SomeInts, Workspace, several

_EVERY, _HYSTERESIS, _OBJECTIVE, _TEXT = range(4)
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


mine = Memory.of


def begin_chosen(view: View, now: float) -> None:
    """``begin`` of the chosen candidate; before the first choice there is nothing to begin."""
    chosen = int(mine(view).chosen)
    if chosen:
        _begin(view, now, _among(view)[chosen - 1])


def schedule_chosen(view: View, now: float) -> None:
    """The pass of the chosen candidate, after a look ahead where one is due."""
    among, memory = _among(view), mine(view)
    waiting = view.queue.tail - view.queue.head
    every_s = float(view.parameters[_EVERY])
    period = floor(now / every_s) + 1 if every_s else 0
    due = period != memory.looked_in if every_s else view.queue.arrived > 0 or not memory.chosen
    if due and waiting > 1:
        memory.looked_in = period
        _choose(view, now, among)
    elif not memory.chosen:
        memory.chosen = 1
        _note(view, ChoiceMade(now, among[0].text, "", (), int(waiting), _FIRST))
        _begin(view, now, among[0])
    chosen = among[int(memory.chosen) - 1]
    with view.lent("parameters", chosen.vector):
        _call(chosen.policy.schedule, view, now)
    if every_s and waiting > 1:
        wake_at(view, period * every_s)


def _among(view: View) -> tuple[Candidate, ...]:
    return candidates_of(text_from_numbers(view.parameters[_TEXT:].tolist()))


def _choose(view: View, now: float, among: tuple[Candidate, ...]) -> None:
    """Look ahead; the best candidate decides from now on, unless the present one is nearly as good."""
    memory = mine(view)
    objective = _NAMES[int(view.parameters[_OBJECTIVE])]
    found = prospects(view, now, among, objective)
    present = int(memory.chosen) - 1
    best = min(range(len(among)), key=lambda k: (found.costs[k], k))
    chosen, reason = best, f"least {objective}"
    if present >= 0 and best != present:
        wanted = found.costs[present] * (1.0 - float(view.parameters[_HYSTERESIS]))
        if found.costs[best] >= wanted and found.costs[present] < inf:
            chosen, reason = present, f"{among[best].text} is better, but not by the hysteresis"
    _note(
        view,
        ChoiceMade(
            at_s=now,
            chosen=among[chosen].text,
            before=among[present].text if present >= 0 else "",
            costs=tuple((one.text, cost) for one, cost in zip(among, found.costs, strict=True)),
            jobs=found.jobs,
            reason=reason,
        ),
    )
    if chosen != present:
        memory.chosen = chosen + 1
        _begin(view, now, among[chosen])


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
            _call(chosen.policy.begin, view, now)


def _call(function: object, view: View, now: float) -> None:
    if interpreted() or view.noted.get("interpreted"):
        function(view, now)  # type: ignore[operator]
    else:
        compiled_function(function)(view, now)  # type: ignore[arg-type]
