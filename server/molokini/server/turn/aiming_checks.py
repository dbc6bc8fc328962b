"""Whether nodes have room for target rates, and what callers may ask of their control."""

from collections.abc import Mapping
from dataclasses import replace

from molokini.feedback.admission import CAP, cores_for, emptiest, without_room
from molokini.feedback.aims import Aim
from molokini.feedback.controlling import Rules, share_of
from molokini.feedback.deadlines import goal_of
from molokini.feedback.keeping import fitted
from molokini.feedback.searching import Search
from molokini.feedback.targets import target_of
from molokini.model.errors import BadInput, BadValue, Conflict
from molokini.model.job_specs import JobSpec
from molokini.server.state.jobs import Element
from molokini.server.state.rooms import Taken, processors_together, use_of
from molokini.server.state.state import State

REAL_NODES = "leave it out, or join nodes of 'molokini agent --mode process'"

USE_TWICE = "it is given, and to be measured, too (measure_full_use); leave one of them out"


def taken_of(state: State, node: int, but: tuple[int, int] | None = None) -> list[int]:
    """What target rates, of all jobs *but* one, have of each core of *node*, in millionths of it."""
    return Taken(state, but).of(node)


def real_nodes_of(state: State, element: Element) -> dict[str, tuple[int, int]]:
    """The real nodes of *element* by name: the number of each, and the processors that it has there."""
    nodes = state.machine.nodes
    return {nodes[number].name: (number, count) for number, count in element.nodes if nodes[number].real}


def rules_there(state: State, element: Element, rules: Rules) -> Rules:
    """*rules* with the least period and slice that the nodes of *element* keep."""
    return fitted(rules, [state.keeps(name) for name in real_nodes_of(state, element)])


def check_kept(state: State, element: Element, share: int, rules: Rules) -> None:
    """Raise Conflict where a node of *element* does not keep the slices of *share* (0: not known)."""
    for name in real_nodes_of(state, element) if share else ():
        if lacks := state.keeps(name).lacks(share, rules):
            raise Conflict("rate", cannot_keep(share, name, lacks))


def check_not_sliced(state: State, element: Element) -> None:
    """Raise Conflict where *element* is in time slices, in which nobody sees what it uses alone."""
    place = job, index = element.job.id, element.index
    if place in state.sliced:
        name = f"{job}[{index}]" if index >= 0 else f"{job}"
        off = f"'molokini {'rate' if place in state.aims else 'slices'} {name} --off'"
        raise Conflict(
            "full_use", f"job {name} is in time slices, and its use is measured without: give {off} first"
        )


def with_cores(state: State, element: Element, aim: Aim) -> Aim:
    """*aim* with cores on each real node of *element*, by what these keep.

    Raises Conflict where one of them has no room, or does not keep the slices: then no node has any of it. A
    job keeps its cores while they have room.
    """
    place, share = (element.job.id, element.index), aim.share
    rules = rules_there(state, element, aim.rules)
    check_kept(state, element, share, rules)
    control = aim.control.by(rules) if aim.control is not None else None
    aim = replace(aim, rules=rules, control=control)
    chosen: dict[str, tuple[int, ...]] = {}
    shares: dict[str, list[int]] = {}
    all_taken = Taken(state, place)
    for name, (number, count) in real_nodes_of(state, element).items():
        taken = all_taken.of(number)
        cores = cores_for(taken, aim.cores.get(name, ()), count, share, state.keeps(name).share)
        chosen[name] = tuple(cores)
        shares[name] = [taken[core] for core in cores]
    if left := without_room(shares, share, {name: state.keeps(name).share for name in shares}):
        raise Conflict("rate", no_room(share, left))
    return replace(aim, cores=chosen)


def room_of(state: State, element: Element) -> int:
    """The largest share for which all real nodes of *element* have room; at most 90% of a core."""
    place, least = (element.job.id, element.index), CAP
    all_taken = Taken(state, place)
    for name, (number, count) in real_nodes_of(state, element).items():
        taken = all_taken.of(number)
        share = state.keeps(name).share
        least = min(least, share - max(taken[core] for core in emptiest(taken, count)))
    return max(0, least // 1000 * 1000)


def no_room(wanted: int, left: Mapping[str, int]) -> str:
    """Why a target is refused that takes the share *wanted* of each core."""
    told = ", ".join(f"{share / 10_000:g}% on {name}" for name, share in sorted(left.items())[:3])
    return f"{wanted / 10_000:g}% finds no room: there is {told} left; ask for less, or lower other jobs"


def cannot_keep(share: int, name: str, lacks: str) -> str:
    """Why a target is refused that takes *share* of each core, where a node does not keep the slices."""
    return f"{share / 10_000:g}%: node {name} {lacks}"


def check_submitted(state: State, spec: JobSpec, now_s: float) -> None:
    """Refuse the rate of a job that is submitted at *now_s* where too few real nodes have room for it now.

    Where all nodes that are known are emulated, no program reports a rate that could be kept.
    """
    if "full_use" in spec and spec.get("measure_full_use"):
        raise Conflict("full_use", USE_TWICE)
    target = _target_submitted(spec, now_s)
    if state.machine.nodes and not any(record.real for record in state.machine.nodes):
        raise Conflict("rate", "all nodes are emulated, where no program reports its rate; " + REAL_NODES)
    if not target:
        return
    target = share_of(target, use_of(spec))
    nodes, processors = spec.get("resources", {}).get("nodes", 1), processors_together(spec)
    shares, lacking = dict[str, list[int]](), dict[str, str]()
    real = [record for record in state.machine.nodes if record.real]
    all_taken = Taken(state)
    for record in real:
        if lacks := state.keeps(record.name).lacks(target, Rules()):
            lacking[record.name] = lacks
            continue
        taken = all_taken.of(record.number)
        shares[record.name] = [taken[core] for core in emptiest(taken, processors)]
    if lacking and len(shares) < nodes:
        raise Conflict("rate", cannot_keep(target, *next(iter(lacking.items()))))
    left = without_room(shares, target, {name: state.keeps(name).share for name in shares})
    if real and len(shares) - len(left) < nodes:
        raise Conflict("rate", no_room(target, left))


def _target_submitted(spec: JobSpec, now_s: float) -> int:
    """The target of a job that is submitted at *now_s*; 0: not known. Raises BadValue or Conflict."""
    rate, full = spec.get("rate", ""), spec.get("full_rate", 0.0)
    goal = goal_of(rate, spec.get("work", 0), spec.get("deadline_s", 0.0))
    if goal is None:
        asked = target_of("rate", rate)
        if not asked.share and full <= 0:
            return 0
        target = asked.of(full)
        Rules().check_target(target, CAP, use_of(spec))
        return target
    for bound in (goal.least, goal.most):
        Rules().check_target(bound, CAP, use_of(spec))
    if goal.deadline_s <= now_s:
        raise BadValue("deadline_s", goal.deadline_s, f"after the present instant, {now_s:.15g} s")
    if full <= 0:
        return goal.least
    needed = goal.needed(0, now_s, full)
    if needed > goal.most:
        told = f"{goal.work:,} iterations by then need {needed / 10_000:.4g}% of the full rate from now on"
        raise Conflict(
            "deadline_s", f"{told}, and {goal.most / 10_000:g}% is allowed; give more time or less work"
        )
    return goal.chosen(needed)


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
