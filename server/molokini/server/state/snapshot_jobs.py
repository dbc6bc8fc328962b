"""Jobs in a snapshot: as tuples of values that never change, as lines of JSON, and as jobs again.

A hundred thousand jobs are taken up at a start, so each is one assignment; a test holds these to the slots.
"""

from collections.abc import Iterable
from operator import attrgetter
from sys import intern
from typing import Any, TypeAlias

from molokini.model.happened import NO_INDEX
from molokini.model.requests import Component, Request, Shape, Spread
from molokini.model.resources import Resource
from molokini.server.state.jobs import NO_HOLDS, NO_JOBS, Array, Element, Job, Standing
from molokini.server.state.loads import Cut, Load

JobPicture: TypeAlias = tuple[tuple[Any, ...], tuple[Any, ...] | None, list[tuple[Any, ...]]]
"""A job at one instant: its own values, those of its array, those of its elements."""

OF_JOB = (
    *("_text", "request", "account", "name", "queue", "user", "holds", "waits_for", "credential"),
    *("deadline_s", "eligible_s", "estimate_s", "id", "may_run_again", "submitted_s", "user_priority"),
    *("version", "load", "communicates"),
)
OF_ELEMENT = (
    *("row", "_standing", "nodes", "holds", "attempt", "end_s", "exit_code", "first_start_s", "index"),
    *("memory_kb", "reason", "reserved_s", "signal", "start_s", "stopping", "left_at", "left_attempt"),
    *("cut", "earliest_deadline_s", "parts"),
)
OF_ARRAY = ("dropped", "ended", "first", "limit", "made", "passed", "size", "step")
FIELDS = [OF_JOB, OF_ELEMENT, OF_ARRAY]
_job, _element, _array = attrgetter(*OF_JOB), attrgetter(*OF_ELEMENT), attrgetter(*OF_ARRAY)

_STANDINGS = {str(one): one for one in Standing}


def picture_of(job: Job) -> JobPicture:
    """*job* as it is now."""
    array = job.array
    if array is None:
        return _job(job), None, [_element(job.element)]
    values = (*_array(array), sorted(array.apart), sorted(array.back), dict(array.counts))
    return _job(job), values, [_element(one) for one in array.elements.values()]


class _Shared:
    """Numbers for objects that many jobs share, by their identity, which holds as long as the pictures do."""

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


class _Alike:
    """Numbers for the values of elements, their rows left out: jobs that wait have mostly the same ones.

    Each is compared with the last alone, which costs little: equal values share nearly all objects.
    """

    def __init__(self) -> None:
        self._last: tuple[Any, ...] = ()
        self._count = 0
        self.new: list[tuple[Any, ...]] = []

    def number(self, values: tuple[Any, ...]) -> int:
        if values != self._last:
            self._last = values
            self._count += 1
            self.new.append(values)
        return self._count - 1

    def take_new(self) -> list[list[Any]]:
        new, self.new = self.new, []
        return [[standing, nodes, sorted(own), *more] for standing, nodes, own, *more in new]


class Writer:
    """Makes lines of pictures; texts, requests and values that jobs share are written once."""

    def __init__(self) -> None:
        self._texts, self._requests, self._elements = _Shared(), _Shared(), _Alike()

    def part(self, pictures: Iterable[JobPicture]) -> dict[str, Any]:
        """*pictures* as JSON, with the texts and requests that are met first in them."""
        jobs = [self._line(*one) for one in pictures]
        requests = [_of_request(request) for request in self._requests.take_new()]
        texts, elements = self._texts.take_new(), self._elements.take_new()
        return {"texts": texts, "requests": requests, "elements": elements, "jobs": jobs}

    def _line(self, values: tuple[Any, ...], array: Any, elements: list[tuple[Any, ...]]) -> list[Any]:
        text, request, account, name, queue, user, holds, waits_for, *rest = values
        numbers = (self._texts.number(text), self._requests.number(request))
        runs = [(self._elements.number(one[1:]), one[0]) for one in elements]
        held, after = sorted(holds) if holds else (), sorted(waits_for) if waits_for else ()
        return [(*numbers, account, name, queue, user, held, after, *rest), array, runs]


def _of_request(request: Request) -> list[Any]:
    return [int(request.shape), [_of_component(one) for one in request.components]]


def _of_component(one: Component) -> list[Any]:
    need = {int(resource): amount for resource, amount in one.need.items()}
    return [one.tasks, need, one.where, one.tasks_per_node, one.features, int(one.spread)]


class Reader:
    """Makes jobs of lines again, part by part, in the order in which they were written."""

    def __init__(self) -> None:
        self._texts: list[str] = []
        self._requests: list[Request] = []
        self._elements: list[list[Any]] = []

    def jobs(self, part: dict[str, Any]) -> Iterable[Job]:
        """The jobs of *part*."""
        self._texts.extend(part["texts"])
        self._requests.extend(map(_request_of, part["requests"]))
        self._elements.extend(part["elements"])
        for values, array, elements in part["jobs"]:
            job = Job.__new__(Job)
            self._fill(job, values)
            job.array = _array_of(array) if array is not None else None
            job.element = None
            for number, row in elements:
                _add_element(job, row, self._elements[number])
            yield job

    def _fill(self, job: Job, values: list[Any]) -> None:
        (
            text,
            request,
            account,
            name,
            queue,
            user,
            holds,
            waits_for,
            job.credential,
            job.deadline_s,
            job.eligible_s,
            job.estimate_s,
            job.id,
            job.may_run_again,
            job.submitted_s,
            job.user_priority,
            job.version,
            load,
            job.communicates,
        ) = values
        job.load = Load(*load) if load is not None else None
        job._text, job.request = self._texts[text], self._requests[request]
        job.account, job.name, job.queue, job.user = (
            intern(account),
            intern(name),
            intern(queue),
            intern(user),
        )
        job.holds = frozenset(holds) if holds else NO_HOLDS
        job.waits_for = frozenset(waits_for) if waits_for else NO_JOBS


def _add_element(job: Job, row: int, stored: list[Any]) -> None:
    element = Element.__new__(Element)
    element.job, element.row = job, row
    (
        standing,
        nodes,
        holds,
        element.attempt,
        element.end_s,
        element.exit_code,
        element.first_start_s,
        element.index,
        element.memory_kb,
        element.reason,
        element.reserved_s,
        element.signal,
        element.start_s,
        element.stopping,
        element.left_at,
        element.left_attempt,
        cut,
        element.earliest_deadline_s,
        parts,
    ) = stored
    element.parts = tuple(parts)
    element.cut = Cut(*cut) if cut is not None else None
    element._standing = _STANDINGS[standing]
    element.nodes = tuple([(node, count) for node, count in nodes])
    element.holds = frozenset(holds) if holds else NO_HOLDS
    if element.index == NO_INDEX:
        job.element = element
    else:
        assert job.array is not None
        job.array.elements[element.index] = element


def _array_of(stored: list[Any]) -> Array:
    made = Array.__new__(Array)
    *values, apart, back, counts = stored
    for name, value in zip(OF_ARRAY, values, strict=True):
        setattr(made, name, value)
    made.apart, made.back = set(apart), set(back)
    made.counts = {_STANDINGS[name]: count for name, count in counts.items()}
    made.elements = {}
    return made


def _request_of(stored: list[Any]) -> Request:
    shape, components = stored
    return Request(tuple(_component_of(*one) for one in components), Shape(shape))


def _component_of(
    tasks: int, need: dict[str, float], where: int, per_node: int, features: int, spread: int
) -> Component:
    amounts = {Resource(int(resource)): amount for resource, amount in need.items()}
    return Component(tasks, amounts, where, per_node, features, Spread(spread))
