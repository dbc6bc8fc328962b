"""Divisible jobs at their submission: costs and deadline filled in, and why one is refused at once."""

from collections.abc import Sequence

from molokini.applications.divisible import LEAST
from molokini.applications.kinds import WHOLE
from molokini.applications.placed import run_s, together
from molokini.model.errors import BadValue, Conflict
from molokini.model.job_specs import LATEST_S, Divisible, JobSpec
from molokini.server.state.loads import COSTS, Load
from molokini.server.state.queues import Queue
from molokini.server.state.state import State

MOST_LOAD = 2.0**53
_OWN_RESOURCES = frozenset({"processors"})
_OF_A_UNIT = frozenset({"send_s", "compute_s"})
"""Costs that are above 0; a set-up may take no time."""


def with_load(
    spec: JobSpec, queue: Queue, state: State, now: float, costs: Sequence[float | None]
) -> JobSpec:
    """*spec* of a divisible job as it is kept: all costs (the cluster's *costs* where it does not say), the
    deadline as an instant, and the width and time that it has until a policy divides it. Raises BadValue.
    """
    wanted = spec["divisible"]
    for field in ("array", "estimate_s", "least_estimate_s"):
        if spec.get(field):
            raise Conflict(field, "a divisible job cannot have it")
    for name in spec.get("resources", {}).keys() - _OWN_RESOURCES:
        raise Conflict(f"resources.{name}", "a divisible job takes processors alone")
    _check_queue(queue)
    size = _checked("load", wanted.get("load", 0.0), MOST_LOAD, above=True)
    full: JobSpec = {**spec, "divisible": {"load": size, **_costs(wanted, costs)}}
    deadline_s = _deadline(spec, now)
    if deadline_s:
        full["deadline_s"] = deadline_s
    return _as_one_piece(full, queue, state)


def _as_one_piece(spec: JobSpec, queue: Queue, state: State) -> JobSpec:
    """With the width and estimate that it has until a policy divides it."""
    processors = spec.get("resources", {}).get("processors") or state.tables.machine.processors_in_all
    if queue.max_processors:
        processors = min(processors, queue.max_processors)
    if not state.tables.machine.processors_in_all:
        raise Conflict("divisible", "the cluster has no nodes yet; submit divisible jobs once one has joined")
    load = Load.of(spec)
    assert load is not None
    # Other widths than the machine has are refused with those of all other jobs, a little later.
    fitting = min(max(1, processors), state.tables.machine.processors_in_all)
    estimate_s = run_s(WHOLE, load.size, together(fitting), load.costs.numbers)
    return {**spec, "resources": {"processors": processors}, "estimate_s": estimate_s}


def check_deadline(deadline_s: float, now: float) -> None:
    """BadValue where a deadline has passed."""
    if 0.0 < deadline_s <= now:
        raise BadValue("deadline_s", deadline_s, f"after the present instant, {now:.15g} s")


def _check_queue(queue: Queue) -> None:
    if queue.nodes:
        raise Conflict("queue", f"queue {queue.name} has nodes of its own and takes no divisible jobs")


def check_change(changes: JobSpec, queue: Queue, now: float) -> None:
    """BadValue where *changes* cannot be made to a divisible job."""
    for field in ("estimate_s", "least_estimate_s", "resources"):
        if field in changes:
            raise Conflict(
                field, "it cannot be altered: the time and width of a divisible job follow from its load"
            )
    _check_queue(queue)
    check_deadline(changes.get("deadline_s", 0.0), now)


def _deadline(spec: JobSpec, now: float) -> float:
    """The instant of the deadline; 0: none."""
    deadline_s, after_s = spec.get("deadline_s", 0.0), spec["divisible"].get("deadline_after_s")
    if after_s is None:
        if not 0.0 <= deadline_s < LATEST_S:
            raise BadValue("deadline_s", deadline_s, "an instant from 0 to 2^43 seconds")
        check_deadline(deadline_s, now)
        return float(deadline_s)
    if deadline_s:
        raise Conflict("divisible.deadline_after_s", "a job has this or deadline_s, not both")
    return now + _checked("deadline_after_s", after_s, LATEST_S, above=True)


def _costs(wanted: Divisible, costs: Sequence[float | None]) -> Divisible:
    """All four costs, by their names on the wire."""
    said = (
        wanted.get("send_s"),
        wanted.get("compute_s"),
        wanted.get("setup_send_s"),
        wanted.get("setup_compute_s"),
    )
    made = []
    for name, its, given in zip(COSTS, said, costs, strict=True):
        value = given if its is None else its
        if value is None:
            raise Conflict(f"divisible.{name}", "neither the job nor the configuration gives it")
        made.append(_checked(name, value, LATEST_S, above=name in _OF_A_UNIT))
    send_s, compute_s, setup_send_s, setup_compute_s = made
    return {
        "send_s": send_s,
        "compute_s": compute_s,
        "setup_send_s": setup_send_s,
        "setup_compute_s": setup_compute_s,
    }


def _checked(name: str, value: float, most: float, above: bool = False) -> float:
    if not (LEAST <= value <= most or (value == 0 and not above)):
        least = f"from {LEAST:g}" if above else f"0, or from {LEAST:g}"
        raise BadValue(f"divisible.{name}", value, f"{least} to {most:.15g}")
    return float(value)
