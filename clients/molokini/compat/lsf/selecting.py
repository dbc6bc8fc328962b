"""Which jobs a command is about: by number, name, user, queue and group; elements of arrays one by one."""

from __future__ import annotations

from molokini.compat._types import Any, Invocation, Iterator, Sequence, Values
from molokini.compat.indices import indices_of
from molokini.compat.job import GROUP, Job, fields_of
from molokini.compat.listing import jobs
from molokini.compat.lsf.names import job_references, matches
from molokini.compat.lsf.states import FINISHED, stat
from molokini.compat.lsf.users import me

ALL_JOBS = 0
"""The number that stands for all jobs to which the other options apply."""
CLEAN_PERIOD_S = 3600.0
"""Time for which listings include a job that has ended; a listing by job ID has no such limit."""
STATE_FIELDS = ("state", "cause", "reason", "holds", "start_s", "exit_code", "signal", "elements")
"""What is needed of each job to tell its state, and whether it is an array."""


class Wish:
    """Which jobs to select. An empty field selects all of them."""

    def __init__(self) -> None:
        self.users: list[str] = []
        self.queues: list[str] = []
        self.name = self.host = self.project = self.group = ""
        self.references: list[tuple[int, int | None]] = []
        self.finished = False
        """Whether jobs that have ended are selected, too."""
        self.lately = True
        """Of these only those that have ended in the last hour."""

    @property
    def numbers(self) -> list[int]:
        """The jobs that were named by their numbers."""
        return list(dict.fromkeys(number for number, _ in self.references))


def wish_of(given: Values, finished: bool = False) -> Wish:
    """What the usual options (-u, -q, -J, -m, -P, -g) and the words of a command want. Raises ValueError."""
    wish = Wish()
    wish.references = [one for word in given.words for one in job_references(word)]
    if any(number == ALL_JOBS for number, _ in wish.references):
        wish.references = []
    user = given.one("u")
    wish.users = [] if user == "all" else user.split() if user else [] if wish.references else [me()]
    wish.queues = given.one("q").split()
    wish.name, wish.host = given.one("J"), given.one("m")
    wish.project, wish.group = given.one("P"), given.one("g")
    wish.finished = finished
    return wish


def found(run: Invocation, wish: Wish, fields: Sequence[str]) -> list[Job]:
    """The jobs and elements that *wish* is about, in the order of their numbers."""
    asked = _asked(wish)
    since_s = _kept_since_s(run) if wish.finished and wish.lately and not wish.references else 0.0
    if since_s:
        asked["ended_since_s"] = since_s
    fields = [*dict.fromkeys((*STATE_FIELDS, *fields, *_needed(wish)))]
    listed = list(jobs(run, fields, **asked))
    arrays = [one.id for one in listed if one.elements is not None]
    known: dict[int, list[Job]] = {}
    ranges: dict[int, dict[str, int]] = {}
    for start in range(0, len(arrays), 10_000):
        part = arrays[start : start + 10_000]
        for one in jobs(run, ("spec.array",), job_ids=part):
            ranges[one.id] = one.array or {}
        for one in jobs(run, fields, job_ids=part, expand_arrays=True):
            known.setdefault(one.id, []).append(one)
    lines = (line for one in listed for line in _lines(one, ranges.get(one.id), known))
    wanted = [line for line in lines if _is_wanted(line, wish)]
    return [one for one in wanted if stat(one) not in FINISHED or one.answer.get("end_s", since_s) >= since_s]


def _asked(wish: Wish) -> dict[str, Any]:
    asked: dict[str, Any] = {}
    if wish.references:
        asked["job_ids"] = wish.numbers
    elif wish.finished:
        asked["include_ended"] = True
    if wish.users:
        asked["users"] = wish.users
    if wish.queues:
        asked["queues"] = wish.queues
    return asked


def _needed(wish: Wish) -> list[str]:
    needed = []
    if wish.finished:
        needed.append("end_s")
    if wish.name:
        needed.append("spec.name")
    if wish.host:
        needed.append("allocation")
    if wish.project:
        needed.append("spec.account")
    if wish.group:
        needed += fields_of(GROUP)
    return needed


def _lines(one: Job, array: dict[str, Any] | None, known: dict[int, list[Job]]) -> Iterator[Job]:
    """The job, or the elements of the *array*: those that the server knows one by one, and the others."""
    if array is None:
        yield one
        return
    by_index = {element.index: element for element in known.get(one.id, ())}
    state = _state_of_others(one)
    for index in indices_of(array):
        # An element whose turn has not come is known by its array alone.
        line = by_index.get(index) or Job({**one.answer, "array_index": index, "state": state})
        line.spec["array"] = array
        yield line


def _state_of_others(one: Job) -> str:
    if stat(one) in FINISHED:
        return "CANCELLED"
    return "HELD" if one.holds else "WAITING"


def _is_wanted(line: Job, wish: Wish) -> bool:
    index = line.index
    if wish.references:
        if not any(line.id == number and at in (None, index) for number, at in wish.references):
            return False
    elif not wish.finished and stat(line) in FINISHED:
        # An element that has ended, of an array that has not.
        return False
    if wish.name and not _is_called(wish.name, line.name, index):
        return False
    if wish.host and wish.host not in [name for name, _ in line.nodes]:
        return False
    if wish.project and line.account != wish.project:
        return False
    return not wish.group or line.annotation(GROUP) == wish.group


def _is_called(pattern: str, name: str, index: int | None) -> bool:
    return matches(pattern, name) or (index is not None and matches(pattern, f"{name}[{index}]"))


def _kept_since_s(run: Invocation) -> float:
    """Since when jobs must have ended to be listed."""
    from molokini.compat.lsf.times import now_s

    return max(0.0, now_s(run) - CLEAN_PERIOD_S)


def missing(lines: list[Job], wish: Wish) -> list[str]:
    """Names of those jobs and elements that *wish* names and that are not among *lines*."""
    numbers = {line.id for line in lines}
    elements = {(line.id, line.index) for line in lines}
    return [
        str(number) if index is None else f"{number}[{index}]"
        for number, index in wish.references
        if (number not in numbers if index is None else (number, index) not in elements)
    ]
