"""2DCS-TDM: the cluster's time in divisions, one for each class, kept by all nodes together (section 2.5).

Zhang and Sivasubramaniam 2001, section 4.2. Real-time processes by earliest deadline, best-effort ones by
periodic boost and spin-block. What a class leaves idle in its division the other may use. Promises the
real-time class x / (x + y) of every window as long as both divisions.
"""

from molokini.compiled.compilation import inner, kernel
from molokini.process_sim.classes import (
    common_hook,
    earliest,
    earliest_of_all,
    place_of_class,
    prepare_classes,
    present_of,
    quantum_over_of_class,
    ready_of_class,
    retry_queue,
)
from molokini.process_sim.levels import pick_in_levels
from molokini.process_sim.tables import World
from molokini.process_sim.verbs import synchronize, timer
from molokini.process_sim.words import Hook, Kind


def policy(w: World, hook: int, subject: int, value: int) -> int:
    """Decide for one CPU; only divisions are common to all."""
    if hook == Hook.PICK:
        return _pick(w, subject)
    if hook == Hook.READY:
        ready_of_class(w, subject, value)
    elif hook == Hook.QUANTUM_END:
        quantum_over_of_class(w, subject)
    elif hook == Hook.TIMER:
        _change_division(w)
    elif hook == Hook.PLACE:
        return place_of_class(w, subject, w.asked.sync)
    elif hook == Hook.DEPART:
        retry_queue(w, w.asked.sync)
    elif hook == Hook.START:
        prepare_classes(w)
        w.queues.division = Kind.RT.value
        timer(w, _length(w), 0)
    else:
        return common_hook(w, hook, subject)
    return 0


@inner
def _length(w: World) -> int:
    """How long the present division lasts, without synchronization."""
    real_time = w.asked.cycle * w.asked.x // (w.asked.x + w.asked.y)
    if w.queues.division == Kind.RT:
        return int(real_time)
    return int(w.asked.cycle - real_time)


@kernel
def _change_division(w: World) -> None:
    w.queues.division = 1 - w.queues.division
    synchronize(w, w.now + w.asked.sync)
    timer(w, w.now + w.asked.sync + _length(w), 0)


@inner
def _pick(w: World, cpu: int) -> int:
    in_levels = pick_in_levels(w, cpu, present_of(w, cpu, Kind.BE))
    if w.queues.division == Kind.BE:
        if in_levels >= 0:
            return in_levels
    else:
        hungry = earliest(w, cpu, True)
        if hungry >= 0:
            return hungry
        if in_levels >= 0:
            return in_levels
    return earliest_of_all(w, cpu)
