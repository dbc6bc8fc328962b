"""Jobs in a snapshot: as tuples of values that never change, as columns of JSON, and as jobs again.

Each slot of a job, of an element and of an array is a column; a result is a column for each figure.
"""

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain, islice
from operator import attrgetter
from sys import intern
from typing import Any, NamedTuple, TypeAlias, TypeVar

from molokini.model.facts import NO_INDEX
from molokini.model.requests import Component, Request, Shape, Spread
from molokini.model.resources import Resource
from molokini.model.run_results import FIGURES, result_of
from molokini.server.state.jobs import NO_HOLDS, NO_JOBS, Array, Element, Job, JobStatus
from molokini.server.state.kept import Kept
from molokini.server.state.loads import Cut, Load

_OWN_OF_ELEMENT = tuple(sorted({*Element.__slots__} - {"job", "result"}))
OF_JOB = ("_text", "request", *sorted({*Job.__slots__} - {"_text", "request", "array", "element"}))
OF_ELEMENT = (*_OWN_OF_ELEMENT, *(f"result.{name}" for name in FIGURES))
OF_ARRAY = tuple(sorted({*Array.__slots__} - {"apart", "back", "counts", "elements"}))
FIELDS = [OF_JOB, OF_ELEMENT, OF_ARRAY]
_job, _element, _array = attrgetter(*OF_JOB), attrgetter(*OF_ELEMENT), attrgetter(*OF_ARRAY)

_STATUSES = {str(one): one for one in JobStatus}
_JOBS_A_PART = 1000

T = TypeVar("T")
Columns: TypeAlias = list[list[Any]]
"""Values field by field; a field that is the same for all is there once."""


class JobsInSnapshot(NamedTuple):
    """Jobs at one instant."""

    jobs: list[tuple[Any, ...]]
    """Of each job its own values."""
    counts: list[int]
    """So many elements of each job are known."""
    elements: list[tuple[Any, ...]]
    """Of each element its values, job after job."""
    arrays: dict[int, tuple[Any, ...]]
    """Of each job that is an array, by its place among the jobs, the values of that."""


def jobs_for_snapshot(jobs: Iterable[Job]) -> JobsInSnapshot:
    """*jobs* as they are now. The server stands still for it, so that nothing here is done job by job."""
    found = list(jobs)
    known = [job.known_elements() for job in found]
    arrays = {place: _values_of(job.array) for place, job in enumerate(found) if job.array is not None}
    elements = list(map(_element, chain.from_iterable(known)))
    return JobsInSnapshot(list(map(_job, found)), list(map(len, known)), elements, arrays)


def _values_of(array: Array) -> tuple[Any, ...]:
    return (*_array(array), sorted(array.apart), sorted(array.back), dict(array.counts))


# Writing.


class _Shared:
    """Numbers for objects that many jobs share, by their identity, valid as long as the records live."""

    def __init__(self) -> None:
        self._numbers: dict[int, int] = {}
        self.new: list[Any] = []
        """Those that were met first since this was emptied."""

    def number(self, value: Any) -> int:
        number = self._numbers.get(id(value))
        if number is None:
            number = self._numbers[id(value)] = len(self._numbers)
            self.new.append(value)
        return number

    def take_new(self) -> list[Any]:
        new, self.new = self.new, []
        return new


class Writer:
    """Writes job records in parts; texts and requests that jobs share are written once."""

    def __init__(self) -> None:
        self._texts, self._requests = _Shared(), _Shared()

    def parts(self, pictures: JobsInSnapshot) -> Iterator[tuple[list[str], Kept]]:
        """*pictures*, some jobs at a time: the texts that occur first in them, and JSON of all else."""
        of_elements = iter(pictures.elements)
        for start in range(0, len(pictures.jobs), _JOBS_A_PART):
            jobs = pictures.jobs[start : start + _JOBS_A_PART]
            counts = pictures.counts[start : start + _JOBS_A_PART]
            elements = list(islice(of_elements, sum(counts)))
            places = [place for place in range(len(jobs)) if start + place in pictures.arrays]
            arrays = [(place, *pictures.arrays[start + place]) for place in places]
            yield self._part(jobs, counts, elements, arrays)

    def _part(
        self,
        jobs: list[tuple[Any, ...]],
        counts: list[int],
        elements: list[tuple[Any, ...]],
        arrays: list[tuple[Any, ...]],
    ) -> tuple[list[str], Kept]:
        texts, requests, *plain = zip(*jobs, strict=True)
        numbers = [list(map(self._texts.number, texts)), list(map(self._requests.number, requests))]
        return self._texts.take_new(), {
            "requests": [_of_request(request) for request in self._requests.take_new()],
            "count": len(jobs),
            "jobs": [*map(_packed, numbers), *_columns(OF_JOB[2:], plain)],
            "elements": _columns(OF_ELEMENT, zip(*elements, strict=True)),
            "counts": _packed(counts),
            "arrays": arrays,
        }


def _columns(names: Iterable[str], columns: Iterable[tuple[Any, ...]]) -> Columns:
    packed = zip(names, map(_packed, columns), strict=False)
    return [list(map(sorted, values)) if name in _SETS else values for name, values in packed]


_SETS = frozenset({"holds", "waits_for"})


def _packed(column: "list[Any] | tuple[Any, ...]") -> list[Any]:
    """*column*, or its first value alone where all are equal, and of one type."""
    first = column[0]
    equal = column[-1] == first and column.count(first) == len(column)
    # 1 and 1.0 and True are equal, and are not the same to a reader.
    if equal and (not isinstance(first, int | float) or len(set(map(type, column))) == 1):
        return [first]
    return list(column)


def _of_request(request: Request) -> list[Any]:
    return [int(request.shape), [_of_component(one) for one in request.components]]


def _of_component(one: Component) -> list[Any]:
    need = {int(resource): amount for resource, amount in one.need.items()}
    kept = [one.tasks, need, one.where, one.tasks_per_node, one.features, int(one.spread)]
    of_nodes = [one.least_nodes, one.most_nodes, int(one.alone)]
    of_features = [list(one.any_of), one.one_of, int(one.apart)]
    if one.licenses:
        return [*kept, *of_nodes, *of_features, [list(kind) for kind in one.licenses]]
    if any(of_features):
        return [*kept, *of_nodes, *of_features]
    return [*kept, *of_nodes] if any(of_nodes) else kept


# Reading.

_OF_COLUMN: dict[str, Callable[[Any], Any]] = {
    **dict.fromkeys(("account", "name", "queue", "user"), intern),
    "holds": lambda holds: frozenset(holds) if holds else NO_HOLDS,
    "waits_for": lambda jobs: frozenset(jobs) if jobs else NO_JOBS,
    "load": lambda load: Load(*load) if load is not None else None,
    "_status": _STATUSES.__getitem__,
    "nodes": lambda nodes: tuple([(node, count) for node, count in nodes]),
    "cut": lambda cut: Cut(*cut) if cut is not None else None,
    "parts": tuple,
    "left_at": tuple,
    "further_queues": lambda names: tuple(map(intern, names)),
}
"""What a value of JSON is made into, by the field; all others are what they were."""


class Reader:
    """Makes jobs of parts again, in the order in which they were written."""

    def __init__(self) -> None:
        self._texts: list[str] = []
        self._requests: list[Request] = []

    def jobs(self, new_texts: list[str], part: Kept) -> list[Job]:
        """The jobs of *part*, which came with *new_texts*."""
        self._texts.extend(new_texts)
        self._requests.extend(map(_request_of, part["requests"]))
        count = part["count"]
        texts, requests, *plain = part["jobs"]
        columns = [
            _whole([self._texts[number] for number in texts], count),
            _whole([self._requests[number] for number in requests], count),
            *_read(OF_JOB[2:], plain, count),
        ]
        jobs = _made(Job, count, OF_JOB, columns)
        counts = _whole(part["counts"], count)
        arrays = {place: values for place, *values in part["arrays"]}
        for place, job in enumerate(jobs):
            job.array = _array_of(arrays[place]) if place in arrays else None
            job.element = None
        owners = [job for job, known in zip(jobs, counts, strict=True) for _ in range(known)]
        for element in _elements_of(owners, part["elements"]) if owners else ():
            if element.index == NO_INDEX:
                element.job.element = element
            else:
                assert element.job.array is not None
                element.job.array.elements[element.index] = element
        return jobs


def _made(kind: type[T], count: int, names: Iterable[str], columns: Columns) -> list[T]:
    """So many objects of *kind* with these attributes. Column by column, in C: at a start there are many."""
    made = [kind.__new__(kind) for _ in range(count)]
    for name, column in zip(names, columns, strict=True):
        deque(map(getattr(kind, name).__set__, made, column), maxlen=0)
    return made


def _elements_of(owners: list[Job], stored: Columns) -> list[Element]:
    """The elements of these jobs, one for each time that a job is there."""
    columns = _read(OF_ELEMENT, stored, len(owners))
    own, figures = columns[: len(_OWN_OF_ELEMENT)], columns[len(_OWN_OF_ELEMENT) :]
    results = list(map(result_of, zip(*figures, strict=True)))
    return _made(Element, len(owners), ("job", *_OWN_OF_ELEMENT, "result"), [owners, *own, results])


def _read(names: Iterable[str], columns: Columns, count: int) -> Columns:
    made = []
    for name, column in zip(names, columns, strict=False):
        read = _OF_COLUMN.get(name)
        made.append(_whole(list(map(read, column)) if read is not None else column, count))
    return made


def _whole(column: list[Any], count: int) -> list[Any]:
    """*column* for so many jobs or elements again."""
    return column * count if len(column) == 1 else column


def _array_of(stored: list[Any]) -> Array:
    made = Array.__new__(Array)
    *values, apart, back, counts = stored
    for name, value in zip(OF_ARRAY, values, strict=True):
        setattr(made, name, value)
    made.apart, made.back = set(apart), set(back)
    made.counts = {_STATUSES[name]: count for name, count in counts.items()}
    made.elements = {}
    return made


def _request_of(stored: list[Any]) -> Request:
    shape, components = stored
    return Request(tuple(_component_of(*one) for one in components), Shape(shape))


def _component_of(
    tasks: int,
    need: dict[str, float],
    where: int,
    per_node: int,
    features: int,
    spread: int,
    least_nodes: int = 0,
    most_nodes: int = 0,
    alone: int = 0,
    any_of: Sequence[int] = (),
    one_of: int = 0,
    apart: int = 0,
    licenses: Sequence[Sequence[int]] = (),
) -> Component:
    amounts = {Resource(int(resource)): amount for resource, amount in need.items()}
    return Component(
        tasks,
        amounts,
        where,
        per_node,
        features,
        any_of=tuple(any_of),
        one_of=one_of,
        apart=bool(apart),
        spread=Spread(spread),
        least_nodes=least_nodes,
        most_nodes=most_nodes,
        alone=bool(alone),
        licenses=tuple((number, count) for number, count in licenses),
    )
