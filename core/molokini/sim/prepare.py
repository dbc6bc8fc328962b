"""Make the agenda of a workload; and make more room for one that runs out of it."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from molokini.compiled.structs import Floats, Struct
from molokini.model.banks import Accounts
from molokini.model.errors import BadValue
from molokini.model.ranks import AgendaEvent
from molokini.model.requests import MOST_CHOICES, Component, Request, Shape
from molokini.model.resources import WIDTH, Resource
from molokini.sim.agenda import Agenda
from molokini.sim.arrays import limited_arrays
from molokini.sim.happenings import places_wanted
from molokini.tables.additions import add_application, add_credentials, add_shape, add_shapes
from molokini.tables.tables import NEVER, Tables
from molokini.workloads.components import Components
from molokini.workloads.placed import check_placed, fitted, placed_of
from molokini.workloads.workload import Workload

_RATES = {
    **dict.fromkeys(("time_s", "rate", "held", "stall_s"), np.float64),
    **dict.fromkeys(("job", "rows", "home", "turns"), np.int64),
}
_PLACES = ("node", "processors")
_Arrays: TypeAlias = dict[str, NDArray[Any]]


def make_agenda(
    workload: Workload,
    tables: Tables,
    facts: Sequence[AgendaEvent],
    requests: Mapping[int, Request] | None,
    kill: bool,
    accounts: Accounts | None = None,
    overruns_s: Floats | None = None,
    services: NDArray[np.int64] | None = None,
    memory_kb: Floats | None = None,
    least_s: Floats | None = None,
    by_array: bool = False,
) -> Agenda:
    """The agenda of *workload* and *facts* (sorted) for an engine over *tables*.

    With *kill* the true run time is capped here, once, by the estimate plus *overruns_s*, if these are given.
    *accounts* says which accounts its jobs have, *services* the place of the QoS of each; -1: it has none.
    *memory_kb* is the memory of each for each of its processors, None where the policy does not go by it.
    *least_s* is the shortest limit with which each may be started; 0: its estimate, None: so of all.
    *by_array*: whether the policy goes by which jobs are elements of one array.
    """
    _check(workload)
    rows, jobs = tables.jobs.state.size, len(workload)
    limit_s = workload.estimate_s if overruns_s is None else workload.estimate_s + overruns_s
    run_s = np.minimum(workload.run_s, limit_s) if kill else workload.run_s
    placed, estimate_s, widths = placed_of(workload), workload.estimate_s, _widths(workload, requests)
    molded = placed is not None and placed.molded
    limits = least_s is not None or bool((tables.jobs.least_s > 0.0).any())
    if placed is not None and molded:
        processors = tables.machine.processors_in_all
        run_s, estimate_s, widths = fitted(placed, run_s, estimate_s, widths, processors)
    columns, components = _request_arrays(workload, requests or {}, tables)
    limited = limited_arrays(workload)
    agenda = Agenda(
        workload={
            "submit_s": _floats(workload.submit_s),
            "number": _ints(workload.number),
            "estimate_s": _floats(estimate_s),
            # Where the place decides, jobs get their run time, and the cap with it, when they start.
            "run_s": _floats(run_s).copy() if placed is not None or limits else _floats(run_s),
            "overrun_s": _floats(np.empty(0) if overruns_s is None else overruns_s),
            "failed": np.zeros(0, dtype=np.int64),
            "amount": _floats(placed.amount if placed is not None else np.empty(0)),
            "costs_s": _floats(placed.costs_s.reshape(-1) if placed is not None else np.empty(0)),
            "deadline_s": _floats(placed.deadline_s if placed is not None else np.empty(0)),
            "memory_kb": _floats(np.empty(0) if memory_kb is None else memory_kb),
            "of_array": _elements(workload) if by_array else np.zeros(0, dtype=np.int64),
            **limited,
            "least_s": _floats(np.empty(0) if least_s is None else least_s),
            "whole_s": _floats(run_s).copy() if limits else np.empty(0),
            "width": widths,
            "credential": _credentials(workload, tables, accounts, services),
            **columns,
        },
        components=components,
        facts=_fact_columns(facts),
        ends={
            "at_s": np.zeros(rows),
            "row": np.zeros(rows, dtype=np.int64),
            "place": np.full(rows, -1, dtype=np.int64),
            "order": np.zeros(rows, dtype=np.int64),
        },
        results=_no_results(jobs, molded, limits),
        rates={name: np.zeros(64, dtype=kind) for name, kind in _RATES.items()},
        places={
            "first": np.zeros(jobs if tables.nodes.count else 0, dtype=np.int64),
            "nodes": np.zeros(jobs if tables.nodes.count else 0, dtype=np.int64),
            **{name: np.zeros(64, dtype=np.int64) for name in _PLACES},
        },
    )
    agenda.now = -NEVER
    agenda.until_s = NEVER
    agenda.workload.count, agenda.facts.count = jobs, len(facts)
    agenda.workload.arrays = limited["array_left"].size
    agenda.workload.wishes = int(workload.components is not None or bool(requests))
    agenda.workload.shorter = int(least_s is not None)
    agenda.workload.elements = int(agenda.workload.of_array.size > 0)
    if placed is not None:
        agenda.workload.kind, agenda.workload.molded = placed.kind, int(molded)
        agenda.workload.costs_row = add_application(tables, *placed.costs_s[0].tolist()) if molded else 0
    return agenda


def _elements(workload: Workload) -> NDArray[np.int64]:
    """The number of the array of each job, 0: of none; empty where none is an element."""
    told = workload.recorded
    if told is None or not (told.array > 0).any():
        return np.zeros(0, dtype=np.int64)
    return _ints(told.array)


def _licenses(components: Sequence[Component]) -> NDArray[np.int64]:
    """``MOST_LICENSES`` numbers a component; empty where none holds licences."""
    if not any(component.licenses for component in components):
        return np.zeros(0, dtype=np.int64)
    return np.array([one for component in components for one in component.packed_licenses], dtype=np.int64)


def _fact_columns(facts: Sequence[AgendaEvent]) -> _Arrays:
    """What happens beside the jobs, a column each."""
    return {
        "time_s": np.array([fact.time_s for fact in facts], dtype=np.float64),
        "kind": np.array([fact.kind for fact in facts], dtype=np.int64),
        "subject": np.array([fact.subject for fact in facts], dtype=np.int64),
        "amount": np.array([fact.amount for fact in facts], dtype=np.int64),
    }


def _no_results(jobs: int, molded: bool, limits: bool) -> _Arrays:
    """The columns of results before anything has happened."""
    return {
        **{name: np.full(jobs, NEVER) for name in ("started_s", "first_reserved_s", "ended_s", "done_s")},
        **{
            name: np.zeros(jobs, dtype=np.int64)
            for name in ("refusal", "suspensions", "requeues", "checkpoints")
        },
        "offer_s": np.zeros(0),
        "came_by": np.zeros(0, dtype=np.int64),
        "priority": np.zeros(0),
        "ran_in": np.zeros(0, dtype=np.int64),
        "row_of": np.full(jobs, -1, dtype=np.int64),
        "lost_s": np.zeros(jobs),
        "ran_as": np.zeros(jobs if molded else 0, dtype=np.int64),
        "limit_s": np.zeros(jobs if limits else 0),
    }


def _credentials(
    workload: Workload, tables: Tables, accounts: Accounts | None, services: NDArray[np.int64] | None
) -> NDArray[np.int64]:
    """The credential of each job; the tables get those that they do not have yet."""
    none = np.full(len(workload), -1, dtype=np.int64)
    own = none if accounts is None or accounts.jobs is None else np.array([*accounts.jobs], dtype=np.int64)
    qos = none if services is None else _ints(services)
    columns = np.stack([_ints(workload.user), _ints(workload.group), _ints(workload.queue), own, qos])
    new, of_job = _distinct(columns)
    if accounts is not None:
        new[3] = [
            account if account >= 0 else accounts.of.get((user, group, queue), -1)
            for user, group, queue, account, _ in new.T.tolist()
        ]
    return of_job + add_credentials(tables, new)


def _distinct(columns: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The distinct columns of a matrix, sorted, and which of them each column is."""
    key = np.zeros(columns.shape[1], dtype=np.int64)
    for values in columns:
        if (values == values[:1]).all():
            continue  # as accounts and QoSes are, and in many logs groups and queues: nothing to tell apart
        distinct, place = np.unique(values, return_inverse=True)
        # Folded row by row, so that the key never exceeds the square of the number of columns.
        key = np.unique(key * max(1, distinct.size) + place, return_inverse=True)[1]
    _, first = np.unique(key, return_index=True)
    return columns[:, first], key.astype(np.int64)


def more_rows(agenda: Agenda, tables: Tables) -> None:
    """Make as much room in the agenda as in the tables, which have grown."""
    rows = tables.jobs.state.size
    for name in agenda.ends.columns():
        ends = getattr(agenda.ends, name)
        agenda.ends.bind(name, _longer(ends, rows, -1 if name == "place" else 0))


def more_trace(agenda: Agenda, tables: Tables) -> None:
    """Make room for the decisions of the pass, or for what a loss puts back, twice as much as is needed.

    And for the nodes on which jobs start in this pass.
    """
    wanted = 2 * (agenda.rates.count + max(tables.cycle.decided, tables.queue.running_count))
    _grow(agenda.rates, _RATES, wanted)
    if tables.nodes.count > 0:
        _grow(agenda.places, _PLACES, 2 * (agenda.places.used + places_wanted(tables)))


def _grow(struct: Struct, names: Iterable[str], wanted: int) -> None:
    """Make room for *wanted* elements in these arrays of *struct*, which are equally long."""
    for name in names:
        array = getattr(struct, name)
        if array.size < wanted:
            struct.bind(name, _longer(array, wanted, 0))


def _longer(array: NDArray[Any], size: int, fill: int) -> NDArray[Any]:
    longer = np.empty(size, dtype=array.dtype)
    longer[: array.size] = array
    longer[array.size :] = fill
    return longer


def _check(workload: Workload) -> None:
    for name in ("submit_s", "run_s", "estimate_s"):
        if not np.isfinite(getattr(workload, name)).all():
            raise BadValue(name, "nan or infinity", "a finite number for every job")
    if len(workload) and (workload.run_s.min() < 0 or workload.processors.min() < 1):
        raise BadValue("workload", workload.name, "jobs of run time 0 or more and of one processor or more")
    check_placed(workload)
    later = np.diff(workload.submit_s)
    if later.size and (later.min() < 0 or np.any((later == 0) & (np.diff(workload.number) <= 0))):
        raise BadValue("workload", workload.name, "in order of submit time, then job number")


def _floats(values: Floats) -> Floats:
    return np.ascontiguousarray(values, dtype=np.float64)


def _ints(values: NDArray[Any]) -> NDArray[np.int64]:
    return np.ascontiguousarray(values, dtype=np.int64)


def _widths(workload: Workload, requests: Mapping[int, Request] | None) -> NDArray[np.int64]:
    widths = _ints(workload.processors).copy() if requests else _ints(workload.processors)
    for job, request in (requests or {}).items():
        widths[job] = request.processors
    return widths


def _request_arrays(
    workload: Workload, requests: Mapping[int, Request], tables: Tables
) -> tuple[_Arrays, _Arrays]:
    """What jobs wish for beyond counted processors: columns of the jobs, and of their components."""
    if workload.components is None:
        return _arrays_of_requests(len(workload), requests, tables)
    if requests:
        raise BadValue("requests", workload.name, "left out: the workload brings its own")
    return _arrays_of_components(workload.components, tables)


def _arrays_of_components(components: Components, tables: Tables) -> tuple[_Arrays, _Arrays]:
    kind = components.kind
    first_shape = add_shapes(tables, int(kind.max(initial=0)))
    size = components.tasks.size
    need = np.zeros((size, WIDTH))
    need[:, Resource.PROCESSORS] = 1.0
    columns = {
        "request": np.where(components.count > 0, components.first, -1),
        "shape": np.where(components.count > 0, kind - 1 + first_shape, 0),
        "component_count": _ints(components.count),
    }
    return columns, {
        "tasks": _ints(components.tasks),
        "where": _ints(components.where),
        "per_node": np.zeros(size, dtype=np.int64),
        "spread": _ints(components.spread),
        **{
            name: np.zeros(size, dtype=np.int64)
            for name in ("features", "one_of", "apart", "least_nodes", "most_nodes", "alone")
        },
        "any_of": np.zeros(size * MOST_CHOICES, dtype=np.int64),
        "licenses": np.zeros(0, dtype=np.int64),
        "need": need.reshape(-1),
    }


def _arrays_of_requests(
    jobs: int, requests: Mapping[int, Request], tables: Tables
) -> tuple[_Arrays, _Arrays]:
    jobs = jobs if requests else 0
    first = np.full(jobs, -1, dtype=np.int64)
    count = np.zeros(jobs, dtype=np.int64)
    shape = np.zeros(jobs, dtype=np.int64)
    shapes: dict[str, int] = {}
    components: list[Component] = []
    for job, request in sorted(requests.items()):
        if request.shape not in (Shape.RIGID, Shape.COMPONENTS):
            raise BadValue("shape", request.shape.name.lower(), "rigid or components")
        if not request.counted:
            first[job], count[job] = len(components), len(request.components)
            components.extend(request.components)
            words = request.words
            if words not in shapes:
                shapes[words] = add_shape(tables)
            shape[job] = shapes[words]
    need = np.zeros((len(components), WIDTH))
    for k, component in enumerate(components):
        for resource in Resource:
            need[k, resource] = component.need.get(resource, 0.0)
    columns = {
        "request": first,
        "shape": shape,
        "component_count": count,
    }
    return columns, {
        "tasks": np.array([c.tasks for c in components], dtype=np.int64),
        "where": np.array([c.where for c in components], dtype=np.int64),
        "per_node": np.array([c.tasks_per_node for c in components], dtype=np.int64),
        "features": np.array([c.features for c in components], dtype=np.int64),
        "any_of": np.array([bits for c in components for bits in _choices(c)], dtype=np.int64),
        "one_of": np.array([c.one_of for c in components], dtype=np.int64),
        "apart": np.array([c.apart for c in components], dtype=np.int64),
        "spread": np.array([c.spread for c in components], dtype=np.int64),
        "least_nodes": np.array([c.least_nodes for c in components], dtype=np.int64),
        "most_nodes": np.array([c.most_nodes for c in components], dtype=np.int64),
        "alone": np.array([c.alone for c in components], dtype=np.int64),
        "licenses": _licenses(components),
        "need": need.reshape(-1),
    }


def _choices(component: Component) -> tuple[int, ...]:
    """Its sets of features, and zeros up to ``MOST_CHOICES``."""
    return (*component.any_of, *(0,) * (MOST_CHOICES - len(component.any_of)))
