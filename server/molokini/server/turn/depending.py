"""Which conditions on other jobs a submission, or a change of a job, may name."""

from molokini.model.errors import BadValue, Conflict
from molokini.model.job_specs import LATEST_S, Dependency, JobSpec
from molokini.server.state.dependencies import COMPARED, IN_WORDS, WITHOUT_JOB
from molokini.server.state.jobs import Job
from molokini.server.state.state import State
from molokini.server.turn.checks import Limits

_MOST_GROUPS = 1_000_000
_MOST = 2**31 - 1


def check_dependencies(state: State, user: str, spec: JobSpec, limits: Limits) -> None:
    """BadValue or Conflict where a job of *user* cannot have the dependencies of *spec*."""
    dependencies = spec.get("dependencies", ())
    if len(dependencies) > limits.dependencies:
        raise BadValue("dependencies", len(dependencies), f"at most {limits.dependencies:,}")
    for one in dependencies:
        kind = one.get("kind", "KIND_UNSPECIFIED")
        if kind not in IN_WORDS:
            *names, last = IN_WORDS
            raise BadValue("dependencies.kind", 0, f"{', '.join(names)} or {last}")
        if kind == "SINGLETON" and not spec.get("name"):
            raise Conflict("dependencies", f"{IN_WORDS[kind]} needs a job with a name")
        _check_numbers(one)
        if kind not in WITHOUT_JOB:
            _check_other(state, user, one)


def with_elements(state: State, spec: JobSpec) -> JobSpec:
    """*spec*, where a condition on the own number of an element is one on that element."""
    if not spec.get("dependencies"):
        return spec
    made: list[Dependency] = []
    for one in spec["dependencies"]:
        number = one.get("job_id", 0)
        place = state.numbers.get(number) if state.known(number) is None else None
        made.append(one if place is None else {**one, "job_id": place[0], "array_index": place[1]})
    return {**spec, "dependencies": made}


def _check_numbers(one: Dependency) -> None:
    if not 0 <= one.get("group", 0) <= _MOST_GROUPS:
        raise BadValue("dependencies.group", one["group"], f"from 0 to {_MOST_GROUPS:,}")
    if not 0.0 <= one.get("delay_s", 0.0) < LATEST_S:
        raise BadValue("dependencies.delay_s", one["delay_s"], "from 0 to 2^43 seconds")
    if not 0 <= one.get("value", 0) <= _MOST:
        raise BadValue("dependencies.value", one["value"], "from 0 to 2^31 - 1")
    counts = one["kind"].startswith("COUNT_")
    if counts and one.get("comparison") not in COMPARED:
        raise BadValue("dependencies.comparison", "unset", "one of " + ", ".join(COMPARED))
    if "comparison" in one and not counts and one["kind"] != "AFTER_NOT_OK":
        raise Conflict("dependencies", f"{IN_WORDS[one['kind']]} compares no number")
    if one.get("delay_s") and one["kind"] != "AFTER":
        raise Conflict("dependencies", f"{IN_WORDS[one['kind']]} has no delay")


def _check_other(state: State, user: str, one: Dependency) -> None:
    other = state.known(one.get("job_id", 0))
    # Another's job and no job at all look the same: ids are not to be guessed.
    if other is None or other.user != user:
        raise BadValue("dependencies.job_id", one.get("job_id", 0), "the id of a job of the same user")
    index = one.get("array_index")
    if index is not None and isinstance(other, Job) and (other.array is None or not other.array.has(index)):
        raise BadValue("dependencies.array_index", index, f"the index of an element of job {one['job_id']}")


def check_no_circle(state: State, job: Job, spec: JobSpec) -> None:
    """Conflict where *job*, with the dependencies of *spec*, would wait for itself."""
    ahead = [one["job_id"] for one in spec.get("dependencies", ()) if one["kind"] not in WITHOUT_JOB]
    seen: set[int] = set()
    while ahead:
        number = ahead.pop()
        if number == job.id:
            raise Conflict("dependencies", f"job {job.id} would wait for itself")
        if number not in seen and number in state.open_jobs:
            seen.add(number)
            ahead.extend(state.open_jobs[number].waits_for)
