"""From the options of ``submit`` and ``alter`` to the fields of a job."""

import math
import os
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

from molokini.client.coallocation import communication, components
from molokini.client.quantities import job_name, memory_kb, whole
from molokini.clients.arguments.submit import SubmitArguments, WishArguments
from molokini.model.errors import BadFile, BadInput, BadValue, UnknownName
from molokini.model.spans import seconds

MOST_SCRIPT_BYTES = 1 << 20
_UNITS_S = {"s": 1, "m": 60, "h": 3600, "d": 86400}
_KINDS = ("afterok", "afternotok", "afterany", "after", "singleton")
_OUTCOMES = ("run", "exit", "signal", "memory", "node-dies", "never-starts")
_MAIL_EVENTS = ("begin", "end", "fail")
_STANDARD_INPUT = "-"
MOST_PROCESSORS = 2**31 - 1


def wished(arguments: WishArguments) -> dict[str, Any]:
    """The fields that *arguments* set, but for instants, for which the clock may have to be asked."""
    estimate_s = None if arguments.estimate is None else seconds("--estimate", arguments.estimate)
    if estimate_s == 0:
        # On the wire it means that there is no estimate.
        raise BadValue("--estimate", arguments.estimate, "more than 0 seconds")
    fields = {
        "processors": _counted("--processors", arguments.processors),
        "nodes": _counted("--nodes", arguments.nodes),
        "processors_per_node": _counted("--processors-per-node", arguments.processors_per_node),
        "components": None
        if arguments.components is None
        else components("--components", arguments.components),
        "request": arguments.request,
        "memory_kb": None if arguments.memory is None else memory_kb("--memory", arguments.memory),
        "gpus": None if arguments.gpus is None else whole("--gpus", arguments.gpus),
        "features": tuple(arguments.feature) or None,
        "constraint": arguments.constraint,
        "estimate_s": estimate_s,
        "least_estimate_s": None
        if arguments.least_estimate is None
        else seconds("--least-estimate", arguments.least_estimate),
        **_queues(arguments.queue),
        "account": arguments.account,
        "group": arguments.group,
        "qos": arguments.qos,
        "user_priority": _priority(arguments.priority),
        "name": arguments.name,
        "requeue": arguments.requeue,
        "comment": arguments.comment,
    }
    return {name: value for name, value in fields.items() if value is not None}


def instants(arguments: WishArguments) -> dict[str, tuple[str, str]]:
    """The instants that were given, by field: the option, and what it says."""
    deadline = arguments.deadline
    if deadline is not None and deadline.startswith("@"):
        deadline = deadline.removeprefix("@")
    elif isinstance(arguments, SubmitArguments) and arguments.divisible is not None:
        # Counted from the submission, by the server.
        deadline = None
    elif deadline is not None and isinstance(arguments, SubmitArguments) and arguments.work is not None:
        # So is this one, where it is a time and no date; by the clock that is asked for.
        with suppress(BadValue):
            deadline = f"+{_long_s(deadline):.17g}"
    given = (("begin_at_s", "--begin", arguments.begin), ("deadline_s", "--deadline", deadline))
    return {name: (option, text) for name, option, text in given if text is not None}


def _long_s(text: str) -> float:
    """``2h``, or what every option takes as a length of time. Raises BadValue."""
    number, unit = text[:-1], _UNITS_S.get(text[-1:], 0)
    return seconds("--deadline", number) * unit if unit else seconds("--deadline", text)


def submitted(arguments: SubmitArguments) -> dict[str, Any]:
    """All fields of the job to be submitted, but for instants; its script is read."""
    more: dict[str, Any] = {
        "first_node_alone": arguments.first_node_alone or None,
        "keep_going": arguments.keep_going or None,
        "rate": arguments.rate,
        "full_rate": arguments.full_rate,
        **full_use(arguments.full_use),
        "work": arguments.work,
        "working_directory": os.path.abspath(arguments.directory or os.curdir),
        "stdin_path": arguments.input,
        "stdout_path": arguments.output,
        "stderr_path": arguments.error,
        "environment": _environment(arguments),
        "after": [pair for text in arguments.after for pair in _dependencies(text)] or None,
        "array": arguments.array,
        "held": arguments.hold or None,
        "mail_events": [_mail_event(text) for text in arguments.mail_on] or None,
        "mail_to": list(arguments.mail_to) or None,
        "notify": arguments.notify,
        "outcome": None if arguments.emulate is None else outcome(arguments.emulate),
        "divisible": _divisible(arguments),
        "communication": communication(arguments.communication, arguments.message),
        **_work(arguments),
    }
    return {**wished(arguments), **{name: value for name, value in more.items() if value is not None}}


def full_use(text: str | None) -> dict[str, Any]:
    """The fields of ``--full-use``: a share of a processor, or that it is measured. Raises BadValue."""
    if text is None:
        return {}
    if text == "measured":
        return {"measure_full_use": True}
    try:
        share = float(text)
    except ValueError:
        share = math.nan
    if not 0.01 <= share <= 1:
        raise BadValue("--full-use", text, "from 0.01 to 1, or measured")
    return {"full_use": share}


def _queues(text: str | None) -> dict[str, Any]:
    """The fields of ``--queue``: one name, or several with commas between them. Raises BadValue."""
    if text is None or "," not in text:
        return {"queue": text}
    names = [name.strip() for name in text.split(",")]
    if not all(names):
        raise BadValue("--queue", text, "a name, or names with commas between them")
    first, *further = dict.fromkeys(names)
    return {"queue": first, "further_queues": further or None}


def _mail_event(text: str) -> str:
    if text not in _MAIL_EVENTS:
        raise UnknownName("event for --mail-on", text, _MAIL_EVENTS)
    return text


def _divisible(arguments: SubmitArguments) -> dict[str, float] | None:
    """The load, its costs, and its deadline where that counts from the submission."""
    costs = {
        "send_s": ("--cms", arguments.cms),
        "compute_s": ("--cps", arguments.cps),
        "setup_send_s": ("--st", arguments.st),
        "setup_compute_s": ("--sc", arguments.sc),
    }
    if arguments.divisible is None:
        for option, value in costs.values():
            if value is not None:
                raise BadValue(option, value, "used with --divisible")
        return None
    made = {"load": _amount("--divisible", arguments.divisible, above=True)}
    made |= {
        # A set-up may take no time.
        name: _amount(option, value, above=not name.startswith("setup"))
        for name, (option, value) in costs.items()
        if value is not None
    }
    if arguments.deadline is not None and not arguments.deadline.startswith("@"):
        after_s = seconds("--deadline", arguments.deadline.removeprefix("+"))
        made["deadline_after_s"] = _amount("--deadline", after_s, above=True)
    return made


def _amount(option: str, value: float, above: bool = False) -> float:
    if not (math.isfinite(value) and (value > 0 or (value == 0 and not above))):
        raise BadValue(option, value, "a finite number " + ("above 0" if above else "of 0 or more"))
    return value


def outcome(text: str) -> dict[str, Any]:
    """``run=5,exit=137`` as fields of an Outcome."""
    found: dict[str, Any] = {}
    for part in text.split(","):
        name, _, value = part.partition("=")
        if name not in _OUTCOMES:
            raise UnknownName("outcome for --emulate", name, _OUTCOMES)
        field, made = _outcome(name, value)
        if field in found:
            raise BadValue("--emulate", text, f"without a second {name!r}")
        found[field] = made
    return found


def _outcome(name: str, value: str) -> tuple[str, Any]:
    option = f"--emulate {name}"
    match name:
        case "run":
            return "run_s", seconds(option, value)
        case "exit":
            return "exit_code", _number(option, value, 255)
        case "signal":
            return "signal", _number(option, value, 64)
        case "memory":
            return "memory_kb", memory_kb(option, value)
        case "node-dies":
            found = seconds(option, value)
            if not found:
                raise BadValue(option, value, "a time above 0")  # 0 means that no node dies
            return "node_dies_after_s", found
    if value:
        raise BadValue(option, value, "without a value")
    return "never_starts", True


def _number(field: str, text: str, most: int) -> int:
    if not (text.isascii() and text.isdigit()):
        raise BadValue(field, text, f"a whole number from 0 to {most}")
    return whole(field, int(text), 0, most)


def _counted(field: str, value: int | None) -> int | None:
    return None if value is None else whole(field, value, 1, MOST_PROCESSORS)


def _priority(value: int | None) -> int | None:
    return None if value is None else whole("--priority", value, -1024, 1023)


def _environment(arguments: SubmitArguments) -> dict[str, str] | None:
    found = {}
    for text in arguments.env:
        name, equals, value = text.partition("=")
        if not name:
            raise BadValue("--env", text, "NAME=VALUE, or the NAME of a variable")
        if not equals and name not in os.environ:
            raise BadInput(f"--env {name}: the variable is not set here; give NAME=VALUE")
        if name in found:
            raise BadValue("--env", text, f"without a second value for {name!r}")
        found[name] = value if equals else os.environ[name]
    return found or None


def _dependencies(text: str) -> list[tuple[str, int]]:
    kind, *jobs = text.split(":")
    if kind not in _KINDS:
        raise UnknownName("kind of dependency", kind, _KINDS)
    if kind == "singleton":
        if jobs:
            raise BadValue("--after", text, "singleton alone")
        return [(kind, 0)]
    named = [job_name(job, "--after") for job in jobs]
    if not named or any(job.index is not None for job in named):
        raise BadValue("--after", text, "KIND:ID, or KIND:ID:ID for several jobs")
    return [(kind, job.id) for job in named]


def _work(arguments: SubmitArguments) -> dict[str, Any]:
    """The command or script; a job that is emulated needs neither."""
    if arguments.argv and arguments.script:
        raise BadInput("submit takes a script or a command after --, not both")
    if len(arguments.script) > 1:
        raise BadInput("submit takes one script; a command with its arguments goes after --")
    if arguments.argv:
        return {"argv": list(arguments.argv)}
    if arguments.script:
        name = arguments.script[0]
        shown = (
            {} if arguments.name is not None or name == _STANDARD_INPUT else {"name": Path(name).name[:255]}
        )
        return {"script": _script(name), **shown}
    if arguments.emulate is None and arguments.divisible is None:
        raise BadInput(
            "submit needs a script, or a command behind --, or --emulate (such as --emulate run=60)"
        )
    return {}


def _script(name: str) -> str:
    try:
        if name == _STANDARD_INPUT:
            content = sys.stdin.buffer.read(MOST_SCRIPT_BYTES + 1)
        else:
            with open(name, "rb") as file:
                content = file.read(MOST_SCRIPT_BYTES + 1)
    except OSError as error:
        raise BadFile(name, f"cannot be read: {error.strerror or error}") from None
    if len(content) > MOST_SCRIPT_BYTES:
        raise BadFile(name, f"is larger than a job script may be ({MOST_SCRIPT_BYTES:,} bytes)")
    if not content.strip():
        raise BadFile(name, "is empty")
    try:
        return content.decode()
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise BadFile(name, "is not text in UTF-8", line) from None
