"""What a specification may say by itself: its texts, its numbers, its array."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from molokini.model.errors import BadValue
from molokini.model.facts import Spec
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


_SHORT = frozenset({"name", "queue", "account", "group", "qos", "notify"})
_LONG = frozenset({"stdin_path", "stdout_path", "stderr_path", "working_directory", "comment"})
_MOST_CHARACTERS = 4096
MOST_OF_KEY = 128


def check_texts(spec: Spec, limits: Limits) -> None:
    """BadValue where a text is too long or holds control characters."""
    for field, value in spec.items():
        if field in _SHORT or field in _LONG:
            most = limits.text_characters if field in _SHORT else _MOST_CHARACTERS
            if len(value) > most or not printable(value):
                raise BadValue(field, short(value), f"at most {most} characters, no control characters")
        elif field in _CHECKS:
            _CHECKS[field](value, limits)


def _check_key(key: str, limits: Limits) -> None:
    if len(key) > MOST_OF_KEY or not printable(key):
        raise BadValue("submission_key", short(key), f"at most {MOST_OF_KEY} printable characters")


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
_CHECKS: dict[str, Callable[[Any, Limits], None]] = {
    "mail_to": _check_mail("mail_to"),
    "mail_events": _check_mail("mail_events"),
    "submission_key": _check_key,
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


def check_numbers(spec: Spec, limits: Limits) -> None:
    """BadValue where a number is outside its range, or no number at all."""
    estimate_s = spec["estimate_s"]
    if not 0 < estimate_s <= limits.most_estimate_s:
        raise BadValue("estimate_s", estimate_s, f"more than 0 and at most {limits.most_estimate_s:.0f}")
    for field in ("begin_at_s", "deadline_s"):
        if field in spec and not 0 <= spec[field] < _LATEST_S:
            raise BadValue(field, spec[field], "an instant from 0 to 2^43 seconds")
    if "user_priority" in spec and not -1024 <= spec["user_priority"] <= 1023:
        raise BadValue("user_priority", spec["user_priority"], "from -1024 to 1023")
    if "system_priority" in spec and not -(10**9) <= spec["system_priority"] <= 2 * 10**9:
        raise BadValue("system_priority", spec["system_priority"], "from -1,000,000,000 to 2,000,000,000")
    for field, value in spec.get("outcome", {}).items():
        most, words = OUTCOMES[field]
        if not 0 <= value <= most:
            raise BadValue(f"outcome.{field}", value, words)


def check_priorities(spec: Spec, before: Spec) -> None:
    """BadValue where a user, who is no operator, asks for a priority that the job has not had *before*."""
    if spec.get("user_priority", 0) > max(0, before.get("user_priority", 0)):
        raise BadValue("user_priority", spec["user_priority"], "at most 0 unless by an operator")
    if spec.get("system_priority", 0) != before.get("system_priority", 0):
        raise BadValue("system_priority", spec["system_priority"], "changed by operators alone")


_LATEST_S = 2.0**43
OUTCOMES: dict[str, tuple[float, str]] = {
    "run_s": (_LATEST_S, "from 0 to 2^43 seconds"),
    "node_dies_after_s": (_LATEST_S, "from 0 to 2^43 seconds"),
    "exit_code": (255, "from 0 to 255"),
    "signal": (64, "from 0 to 64"),
    "memory_kb": (2**53, "from 0 to 2^53 kilobytes"),
    "never_starts": (1, "true or false"),
}
"""What each field of an outcome may be: from 0 to a number, and that in words."""


def check_array(spec: Spec, limits: Limits) -> None:
    """BadValue where the indices of an array are none or too many."""
    array = spec.get("array")
    if array is None:
        return
    first, last, step = array.get("first", 0), array.get("last", 0), array.get("step", 0) or 1
    if step < 1:
        raise BadValue("array.step", step, "1 or more")
    if not 0 <= first <= last < 2**31:
        raise BadValue("array", f"{first}-{last}", "from 0 to 2^31 - 1, the first not after the last")
    if (last - first) // step + 1 > limits.array_elements:
        raise BadValue("array", f"{first}-{last}:{step}", f"at most {limits.array_elements:,} elements")
    if not 0 <= array.get("running_limit", 0) < 2**31:
        raise BadValue("array.running_limit", array["running_limit"], "zero or more")
    spec["array"] = {
        "first": first,
        "last": last,
        "step": step,
        "running_limit": array.get("running_limit", 0),
    }


def all_in_order(field: str, column: Sequence[Any], limits: Limits, most_estimate_s: float) -> bool:
    """Whether no value of this *field* would be refused; texts are looked at as one, which is much faster."""
    if field == "estimate_s":
        return all(0 < value <= most_estimate_s for value in column)
    if field == RUN_S:
        return all(0 <= value <= _LATEST_S for value in column)
    if field == "argv":
        return "\0" not in "".join(map("".join, column))
    if field == "script":
        return all(_fits(script, limits) and "\0" not in script for script in column)
    most = _MOST_CHARACTERS if field in _LONG else limits.text_characters if field in _SHORT else MOST_OF_KEY
    return max(map(len, column)) <= most and printable("".join(column))
