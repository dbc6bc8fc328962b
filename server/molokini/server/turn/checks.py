"""What a specification may say by itself: its texts, its numbers, its array."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import gcd
from typing import Any

from molokini.model.errors import BadValue
from molokini.model.job_specs import FIELDS, OF_OUTCOME, ArraySpec, JobSpec, Length, Range
from molokini.server.turn.asked import RUN_S


@dataclass(frozen=True, slots=True)
class Limits:
    """What a single submission may hold, and what it is given where it does not say."""

    script_bytes: int = 2**20
    environment_bytes: int = 2**18
    environment_variables: int = 1000
    array_elements: int = 1_000_000
    dependencies: int = 1000
    text_characters: int = 255
    jobs_per_user: int = 1_000_000
    most_estimate_s: float = 100 * 365.25 * 86400
    costs: tuple[float | None, ...] = (None, None, 0.0, 0.0)
    """What a unit of a divisible load costs where its job does not say, as ``loads.COSTS``; None: it must."""
    message_inside_s: float | None = None
    """How long a message takes inside a cluster where a communicating job does not say; None: it must say."""
    message_between_s: float | None = None
    """The same between two clusters."""


_LENGTHS = {name: field.length for name, field in FIELDS.items() if field.length is not None}
_RANGES = {name: field.range for name, field in FIELDS.items() if field.range is not None}
_RANGES_OF_OUTCOME = {name: field.range for name, field in OF_OUTCOME.items() if field.range is not None}


def check_texts(spec: JobSpec, limits: Limits) -> None:
    """BadValue where a text is too long or holds control characters."""
    given: Any = spec
    for field, value in given.items():
        if field in _CHECKS:
            _CHECKS[field](value, limits)
        elif (length := _LENGTHS.get(field)) is not None:
            most = most_characters(length, limits)
            if len(value) > most or not printable(value):
                words = (
                    "printable characters" if length is Length.KEY else "characters, no control characters"
                )
                raise BadValue(field, short(value), f"at most {most} {words}")


def most_characters(length: Length, limits: Limits) -> int:
    """How many characters a text of this length may have."""
    return limits.text_characters if length is Length.SHORT else int(length.value)


def _check_script(script: str, limits: Limits) -> None:
    if not _fits(script, limits):
        raise BadValue("script", "(too long)", f"at most {limits.script_bytes:,} bytes")
    if "\0" in script:
        raise BadValue("script", "(with a NUL)", "without NUL characters")


def _fits(script: str, limits: Limits) -> bool:
    return len(script) <= limits.script_bytes and len(script.encode()) <= limits.script_bytes


def _check_argv(argv: list[str], limits: Limits) -> None:
    for part in argv:
        if "\0" in part:
            raise BadValue("argv", "(with a NUL)", "without NUL characters")


def _check_environment(environment: dict[str, str], limits: Limits) -> None:
    if len(environment) > limits.environment_variables:
        raise BadValue("environment", len(environment), f"at most {limits.environment_variables:,} variables")
    size = 0
    for name, value in environment.items():
        size += len(name.encode()) + len(value.encode()) + 2
        if not name or "=" in name or not printable(name) or "\0" in value:
            raise BadValue("environment", short(name), "names without =, values without NUL")
    if size > limits.environment_bytes:
        raise BadValue("environment", f"{size:,} bytes", f"at most {limits.environment_bytes:,} bytes")


def _check_annotations(annotations: dict[str, str], limits: Limits) -> None:
    if len(annotations) > _MOST_ANNOTATIONS:
        raise BadValue("annotations", len(annotations), f"at most {_MOST_ANNOTATIONS}")
    size = 0
    for name, value in annotations.items():
        size += len(name.encode()) + len(value.encode())
        if not 0 < len(name) <= limits.text_characters or not printable(name) or "\0" in value:
            allowed = f"names of 1 to {limits.text_characters} printable characters, values without NUL"
            raise BadValue("annotations", short(name), allowed)
    if size > _ANNOTATION_BYTES:
        raise BadValue("annotations", f"{size:,} bytes", f"at most {_ANNOTATION_BYTES:,} bytes")


_MOST_ANNOTATIONS, _ANNOTATION_BYTES = 64, 2**16


def _check_mail(field: str) -> Callable[[list[str], Limits], None]:
    def check(texts: list[str], limits: Limits) -> None:
        if len(texts) > _MOST_MAIL:
            raise BadValue(field, len(texts), f"at most {_MOST_MAIL}")
        for text in texts:
            if len(text) > limits.text_characters or not printable(text):
                allowed = f"at most {limits.text_characters} characters, no control characters"
                raise BadValue(field, short(text), allowed)

    return check


_MOST_MAIL = 100
"""Addresses, and events, of one job."""


def _check_further_queues(names: list[str], limits: Limits) -> None:
    if len(names) > _MOST_FURTHER_QUEUES:
        raise BadValue("further_queues", len(names), f"at most {_MOST_FURTHER_QUEUES}")


_MOST_FURTHER_QUEUES = 47
"""With its own queue as many as the policy ``slurm`` has places for."""
_CHECKS: dict[str, Callable[[Any, Limits], None]] = {
    "further_queues": _check_further_queues,
    "mail_to": _check_mail("mail_to"),
    "mail_events": _check_mail("mail_events"),
    "script": _check_script,
    "argv": _check_argv,
    "environment": _check_environment,
    "annotations": _check_annotations,
}


def printable(text: str) -> bool:
    """Whether *text* holds no control character and no mark that turns the direction of writing."""
    return text.isprintable() and (text.isascii() or _TURNING.isdisjoint(text))


_TURNING = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u200e\u200f\u2028\u2029")


def short(text: str) -> str:
    """*text* as an error line shows it."""
    return text if len(text) <= 60 else text[:57] + "..."


def check_numbers(spec: JobSpec, limits: Limits) -> None:
    """BadValue where a number is outside its range, or no number at all."""
    estimate_s = spec["estimate_s"]
    if not 0 < estimate_s <= limits.most_estimate_s:
        raise BadValue("estimate_s", estimate_s, f"more than 0 and at most {limits.most_estimate_s:.0f}")
    _check_ranges(spec, _RANGES)
    least_s = spec.get("least_estimate_s", 0.0)
    if least_s > estimate_s:
        raise BadValue("least_estimate_s", least_s, f"at most estimate_s, {estimate_s:.15g}")
    if "outcome" in spec:
        _check_ranges(spec["outcome"], _RANGES_OF_OUTCOME, "outcome.")


def _check_ranges(given: Mapping[str, Any], ranges: Mapping[str, Range], within: str = "") -> None:
    for name, allowed in ranges.items():
        value = given.get(name)
        if value is not None and not allowed.holds(value):
            raise BadValue(within + name, value, allowed.words)


def check_priorities(spec: JobSpec, before: JobSpec) -> None:
    """BadValue where a user, who is no operator, asks for a priority that the job has not had *before*."""
    if spec.get("user_priority", 0) > max(0, before.get("user_priority", 0)):
        raise BadValue("user_priority", spec["user_priority"], "at most 0 unless by an operator")
    if spec.get("system_priority", 0) != before.get("system_priority", 0):
        raise BadValue("system_priority", spec["system_priority"], "changed by operators alone")


def with_array(spec: JobSpec, limits: Limits) -> JobSpec:
    """*spec* with all fields of its array. BadValue where its indices are none or too many."""
    array = spec.get("array")
    if array is None:
        return spec
    limit = array.get("running_limit", 0)
    if not 0 <= limit < 2**31:
        raise BadValue("array.running_limit", limit, "zero or more")
    if array.get("indices"):
        return {**spec, "array": _with_own_numbers(_listed(array, limits), array)}
    first, last, step = array.get("first", 0), array.get("last", 0), array.get("step", 0) or 1
    if step < 1:
        raise BadValue("array.step", step, "1 or more")
    if not 0 <= first <= last < 2**31:
        raise BadValue("array", f"{first}-{last}", "from 0 to 2^31 - 1, the first not after the last")
    if (last - first) // step + 1 > limits.array_elements:
        raise BadValue("array", f"{first}-{last}:{step}", f"at most {limits.array_elements:,} elements")
    made: ArraySpec = {"first": first, "last": last, "step": step, "running_limit": limit}
    return {**spec, "array": _with_own_numbers(made, array)}


def _with_own_numbers(made: ArraySpec, asked: ArraySpec) -> ArraySpec:
    return {**made, "own_numbers": True} if asked.get("own_numbers") else made


def _listed(array: ArraySpec, limits: Limits) -> ArraySpec:
    """An array whose indices are given one by one; a progression again, where they are one."""
    indices = sorted(set(array["indices"]))
    if any(array.get(name) for name in ("first", "last", "step")):
        raise BadValue("array.indices", short(str(indices)), "without first, last and step")
    if indices[0] < 0 or indices[-1] >= 2**31:
        wrong = indices[0] if indices[0] < 0 else indices[-1]
        raise BadValue("array.indices", wrong, "from 0 to 2^31 - 1")
    if len(indices) != len(array["indices"]):
        raise BadValue("array.indices", short(str(array["indices"])), "each index once")
    if len(indices) > limits.array_elements:
        raise BadValue("array", f"{len(indices)} indices", f"at most {limits.array_elements:,} elements")
    step = gcd(*(one - indices[0] for one in indices)) or 1
    made: ArraySpec = {
        "first": indices[0],
        "last": indices[-1],
        "step": step,
        "running_limit": array.get("running_limit", 0),
    }
    if (indices[-1] - indices[0]) // step + 1 != len(indices):
        made["indices"] = indices
    return made


def all_in_order(field: str, column: Sequence[Any], limits: Limits, most_estimate_s: float) -> bool:
    """Whether no value of this *field* would be refused; texts are looked at as one, which is much faster."""
    if field == "estimate_s":
        return all(0 < value <= most_estimate_s for value in column)
    if field == RUN_S:
        return all(map(_RANGES_OF_OUTCOME["run_s"].holds, column))
    if field == "argv":
        return "\0" not in "".join(map("".join, column))
    if field == "script":
        return all(_fits(script, limits) and "\0" not in script for script in column)
    return max(map(len, column)) <= most_characters(_LENGTHS[field], limits) and printable("".join(column))
