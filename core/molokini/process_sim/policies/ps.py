"""2DCS-PS: each node shares its time between the classes by virtual time (section 2.6).

Zhang and Sivasubramaniam 2001, section 4.3. At a scheduling event the class runs that has used less of its
share; within them as under 2DCS-TDM. Promises the real-time class x / (x + y) in the long run only, and
the other class nothing beside a real-time process that never blocks, unless that class has a quantum.
"""

from molokini.compiled.compilation import inner, kernel
from molokini.process_sim.classes import (
    common_hook,
    earliest_of_all,
    place_of_class,
    prepare_classes,
    present_of,
    quantum_over_of_class,
    ready_of_class,
    retry_queue,
)
from molokini.process_sim.levels import pick_in_levels
from molokini.process_sim.ready import best_level
from molokini.process_sim.tables import RT_LIST, World
from molokini.process_sim.verbs import touch_job
from molokini.process_sim.words import Hook, Kind, Why


def policy(w: World, hook: int, subject: int, value: int) -> int:
    """Decide for one CPU."""
    if hook == Hook.PICK:
        return _pick(w, subject)
    if hook == Hook.READY:
        if value != Why.PREEMPTED and value != Why.EXPIRED:
            _scheduling_event(w, subject)
        ready_of_class(w, subject, value)
    elif hook == Hook.QUANTUM_END:
        quantum_over_of_class(w, subject)
        w.cpus.asked[subject] = 1
    elif hook == Hook.PLACE:
        return place_of_class(w, subject, 0)
    elif hook == Hook.DEPART:
        _departed(w, subject)
        retry_queue(w, 0)
    elif hook == Hook.START:
        prepare_classes(w)
    else:
        return common_hook(w, hook, subject)
    return 0


@inner
def _charge(w: World, cpu: int) -> None:
    """Book the time since the last look on the virtual time of its class, in units of 1 / (x y)."""
    elapsed = w.now - w.cpus.charged_at[cpu]
    w.cpus.charged_at[cpu] = w.now
    if w.cpus.charged[cpu] == Kind.RT:
        w.cpus.vt_rt[cpu] += elapsed * w.asked.y
    elif w.cpus.charged[cpu] == Kind.BE:
        w.cpus.vt_be[cpu] += elapsed * w.asked.x


@inner
def _has_any(w: World, cpu: int, kind: int) -> bool:
    """Whether a process of the class runs or is ready."""
    if present_of(w, cpu, kind) >= 0:
        return True
    if kind == Kind.RT:
        return bool(w.cpus.mask[cpu] >> RT_LIST & 1)
    return bool(best_level(w, cpu) >= 0)


@kernel
def _scheduling_event(w: World, p: int) -> None:
    """*p* is about to become ready: a class of which none was ready begins where the other stands."""
    cpu, kind = w.procs.cpu[p], w.procs.kind[p]
    w.cpus.asked[cpu] = 1
    _charge(w, cpu)
    if _has_any(w, cpu, kind):
        return
    if kind == Kind.RT:
        w.cpus.vt_rt[cpu] = w.cpus.vt_be[cpu]
    else:
        w.cpus.vt_be[cpu] = w.cpus.vt_rt[cpu]


@kernel
def _departed(w: World, job: int) -> None:
    first = w.jobs.first[job]
    for p in range(first, first + w.jobs.count[job]):
        w.cpus.asked[w.procs.cpu[p]] = 1
    touch_job(w, job)


@inner
def _pick(w: World, cpu: int) -> int:
    _charge(w, cpu)
    if w.cpus.asked[cpu]:
        w.cpus.asked[cpu] = 0
        w.cpus.chosen[cpu] = Kind.BE.value
        if w.cpus.vt_rt[cpu] <= w.cpus.vt_be[cpu]:
            w.cpus.chosen[cpu] = Kind.RT.value
    choice = _of_class(w, cpu, w.cpus.chosen[cpu])
    if choice < 0:
        choice = _of_class(w, cpu, 1 - w.cpus.chosen[cpu])
    w.cpus.charged[cpu] = -1
    if choice >= 0:
        w.cpus.charged[cpu] = w.procs.kind[choice]
    return choice


@inner
def _of_class(w: World, cpu: int, kind: int) -> int:
    if kind == Kind.RT:
        return earliest_of_all(w, cpu)
    return pick_in_levels(w, cpu, present_of(w, cpu, Kind.BE))
