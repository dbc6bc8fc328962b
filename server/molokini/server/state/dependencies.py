"""When the conditions of one job on others are met, and when they never will be.

Conditions of one group are alternatives, and all groups have to be met; a condition in no group is one of its
own. Each is looked at as it stands now, so that one that was met may be open again, as that a job runs: a job
joins the queue at the first instant at which all are met together.
"""

from collections.abc import Callable, Iterable, Mapping
from enum import IntEnum
from math import inf
from typing import NamedTuple

from molokini.model.job_specs import Dependency
from molokini.server.state.jobs import Element, Job, JobStatus
from molokini.server.state.past import Past
from molokini.server.state.state import State

IN_WORDS = {
    "AFTER_OK": "afterok",
    "AFTER_NOT_OK": "afternotok",
    "AFTER_ANY": "afterany",
    "AFTER": "after",
    "SINGLETON": "singleton",
    "ON": "on",
    "COUNT_DONE": "numdone",
    "COUNT_EXITED": "numexit",
    "COUNT_ENDED": "numended",
    "COUNT_STARTED": "numstart",
    "COUNT_RUNNING": "numrun",
    "COUNT_WAITING": "numpend",
    "COUNT_HELD": "numhold",
}
"""The kinds as users write them."""
WITHOUT_JOB = frozenset({"SINGLETON", "ON"})
"""Kinds that name no other job."""
NO_OTHER = 0
"""Stands among the jobs that a job waits for where it waits for none that is known."""
COMPARED: Mapping[str, Callable[[int, int], bool]] = {
    "EQUAL": lambda number, value: number == value,
    "NOT_EQUAL": lambda number, value: number != value,
    "LESS": lambda number, value: number < value,
    "AT_MOST": lambda number, value: number <= value,
    "MORE": lambda number, value: number > value,
    "AT_LEAST": lambda number, value: number >= value,
}


class Outlook(IntEnum):
    """How a condition stands."""

    NEVER = 0
    """It is not met, and nothing will change that."""
    OPEN = 1
    MET = 2


class Found(NamedTuple):
    """What became of looking at all conditions of a job."""

    outlook: Outlook
    waits_for: frozenset[int]
    """The jobs of conditions that are not met, where not all are."""
    due_s: float
    """The instant from which on a delay is over; infinity: none runs."""
    hopeless: Dependency | None
    """A condition for which it never will be."""


def found_of(state: State, job: Job, now: float, index: int | None = None) -> Found:
    """How the conditions of *job* stand; of its element *index*, with those on elements of the same index."""
    groups: dict[int, list[Dependency]] = {}
    for place, one in enumerate(job.spec.get("dependencies", ())):
        groups.setdefault(one.get("group", 0) or -1 - place, []).append(one)
    outlook, waits, due_s, hopeless = Outlook.MET, set[int](), inf, None
    for group in groups.values():
        looks = [_look_at(state, job, one, now, index) for one in group]
        best = max(look for look, _ in looks)
        if best is Outlook.MET:
            continue
        outlook = min(outlook, best)
        due_s = min([due_s, *(due for _, due in looks)])
        if best is Outlook.NEVER:
            hopeless = hopeless or group[0]
        for one in group:
            waits.update(_others(state, job, one))
    if outlook is not Outlook.MET and not waits:
        waits.add(NO_OTHER)
    return Found(outlook, frozenset(waits), due_s, hopeless)


def element_by_element(dependencies: Iterable[Dependency]) -> bool:
    """Whether an array with these has conditions on elements of the same index."""
    return any(one.get("elementwise") for one in dependencies)


def earlier_namesakes(state: State, job: Job) -> Iterable[int]:
    """Earlier jobs of the same user and name that are not over."""
    theirs = state.open_by_user.get(job.user, {})
    return (other.id for other in theirs.values() if other.id < job.id and other.name == job.name)


def _others(state: State, job: Job, one: Dependency) -> Iterable[int]:
    if one["kind"] == "SINGLETON":
        return earlier_namesakes(state, job)
    return (one["job_id"],) if one["kind"] not in WITHOUT_JOB else ()


def _look_at(state: State, job: Job, one: Dependency, now: float, index: int | None) -> tuple[Outlook, float]:
    """How one condition stands, and the instant at which its delay is over."""
    kind = one["kind"]
    if kind == "ON":
        return Outlook.OPEN, inf
    if kind == "SINGLETON":
        return (Outlook.OPEN if any(earlier_namesakes(state, job)) else Outlook.MET), inf
    other = state.known(one["job_id"])
    if other is None:
        return Outlook.MET, inf
    of_index = one.get("array_index")
    if (
        one.get("elementwise")
        and job.array is not None
        and isinstance(other, Job)
        and other.array is not None
    ):
        if index is None:
            # Element by element: the array as a whole waits for none of them.
            return Outlook.MET, inf
        of_index = index
    met, final, due_s = _stands(one, other, of_index, now)
    if one.get("negated"):
        met = not met
    return (Outlook.MET if met else Outlook.NEVER if final else Outlook.OPEN), due_s


def _stands(one: Dependency, other: Job | Past, index: int | None, now: float) -> tuple[bool, bool, float]:
    """Whether the condition is met, whether that is final, and when its delay is over."""
    if isinstance(other, Past):
        return _stands_past(one, other), True, inf
    elements = _meant(other, index)
    if index is not None and not elements:
        return False, True, inf
    whole = index is None
    over = other.over if whole else elements[0].over
    kind = one["kind"]
    if kind == "AFTER":
        return _after(elements, over, one.get("delay_s", 0.0), now)
    if kind.startswith("COUNT_"):
        number = _count(kind, other if whole else None, elements)
        return COMPARED[one["comparison"]](number, one.get("value", 0)), over, inf
    if not over:
        return False, False, inf
    if kind == "AFTER_ANY":
        return True, True, inf
    well = ended_well(other) if whole else elements[0].status is JobStatus.COMPLETED
    if kind == "AFTER_NOT_OK" and "comparison" in one:
        compare, value = COMPARED[one["comparison"]], one.get("value", 0)
        codes = [each.result.exit_code for each in elements if each.status is not JobStatus.COMPLETED]
        return any(compare(code, value) for code in codes), True, inf
    return well == (kind == "AFTER_OK"), True, inf


def _stands_past(one: Dependency, other: Past) -> bool:
    """Of a job that has left the memory it is known whether all of it has ended well, and no more."""
    kind = one["kind"]
    if kind in ("AFTER", "AFTER_ANY"):
        return True
    if "comparison" in one:
        return False
    return other.well == (kind == "AFTER_OK")


def _meant(other: Job, index: int | None) -> list[Element]:
    if index is None:
        return other.known_elements()
    found = other.element_of(index) or other.unheard(index)
    return [found] if found is not None else []


def _after(elements: list[Element], over: bool, delay_s: float, now: float) -> tuple[bool, bool, float]:
    starts = [each.first_start_s for each in elements if each.first_start_s is not None]
    if over and not starts:
        starts = [each.end_s for each in elements if each.end_s is not None] or [-inf]
    if not starts:
        return False, False, inf
    due_s = min(starts) + delay_s
    # Not final before: a delay ends by itself.
    return due_s <= now, due_s <= now, due_s if due_s > now else inf


def _count(kind: str, whole: Job | None, elements: list[Element]) -> int:
    """How many elements stand so: of the *whole* array, or of the one that is meant."""
    if kind == "COUNT_STARTED":
        return sum(each.first_start_s is not None for each in elements)
    if whole is not None and whole.array is not None:
        counts = whole.array.counts_with_unmade(whole.unmade_status)
    else:
        counts = {elements[0].status: 1}
    return sum(count for status, count in counts.items() if _COUNTED[kind](status))


_COUNTED: Mapping[str, Callable[[JobStatus], bool]] = {
    "COUNT_DONE": lambda status: status is JobStatus.COMPLETED,
    "COUNT_EXITED": lambda status: status.over and status is not JobStatus.COMPLETED,
    "COUNT_ENDED": lambda status: status.over,
    "COUNT_RUNNING": lambda status: status.active,
    "COUNT_WAITING": lambda status: status is JobStatus.WAITING,
    "COUNT_HELD": lambda status: status is JobStatus.HELD,
}


def ended_well(job: Job) -> bool:
    """Whether all of *job*, which is over, has ended well."""
    if job.array is None:
        return job.status is JobStatus.COMPLETED
    return job.array.counts.get(JobStatus.COMPLETED, 0) >= job.array.size
