"""What is submitted: the options of ``bsub`` as the server's JobSpec."""

from __future__ import annotations

import os

from molokini.compat._types import Any, Invocation, Program, Values
from molokini.compat.job import GROUP
from molokini.compat.lsf.environments import OPEN_MODE, REPORT, chosen, of_job
from molokini.compat.lsf.names import named
from molokini.compat.lsf.programs import name_of
from molokini.compat.lsf.quantities import limit_unit, memory_kb, run_limit_s, whole
from molokini.compat.lsf.requirements import ResourceRequirements, joined, resources
from molokini.compat.submitting import here, without_patterns

USUAL_PRIORITY, MOST_PRIORITY = 50, 100
_MAILS = {"B": "begin", "N": "end", "Ne": "fail"}


def specification(run: Invocation, given: Values, program: Program) -> dict[str, Any]:
    """The JobSpec that *given* asks for. Raises ValueError, and what the transport raises."""
    place, folder = here(run.variables), directory(given, here(run.variables))
    name, array = named(given.one("J"))
    requirement = joined(given.all("R"))
    own = of_job(place, requirement, given.one("P"))
    # Both are set whatever they are: a job that submits another one hands on the variables that it has.
    own |= {OPEN_MODE: _open_mode(given), REPORT: "" if _mails_report(given) else run.transport.cluster}
    spec: dict[str, Any] = {
        "name": name or name_of(program.shown),
        "script": program.script,
        "environment": {**chosen(run.variables, given.all("env")), **own},
        "working_directory": folder,
        "resources": asked_resources(run, given),
        "requeue": given.flag("r") and not given.flag("rn"),
        "first_node_alone": True,
        **_files(given, folder, array is not None),
        **plain(given),
    }
    if given.flag("g"):
        spec["annotations"] = {GROUP: given.one("g")}
    if array is not None:
        spec["array"] = array.document()
        spec["environment"] |= {"LSB_JOBINDEX_STEP": str(array.step), "LSB_JOBINDEX_END": str(array.last)}
    if given.flag("w"):
        from molokini.compat.lsf.depending import dependencies
        from molokini.compat.lsf.users import me

        spec["dependencies"] = dependencies(run, given.one("w"), me())
        if not given.flag("ti"):
            spec["keep_if_never_met"] = True
    if given.flag("b"):
        from molokini.compat.lsf.times import begin_s

        spec["begin_at_s"] = begin_s(given.one("b"), run)
    return spec


def plain(given: Values) -> dict[str, Any]:
    """The fields that one option each sets. Raises ValueError."""
    spec: dict[str, Any] = {}
    for option, field in (("P", "account"), ("G", "group"), ("Jd", "comment")):
        if given.flag(option):
            spec[field] = given.one(option)
    if given.flag("W"):
        spec["estimate_s"] = run_limit_s(given.one("W"))
    if given.flag("sp"):
        spec["user_priority"] = whole(given.one("sp"), "priority", 1, MOST_PRIORITY) - USUAL_PRIORITY
    if given.flag("H"):
        spec["held"] = True
    if events := [event for option, event in _MAILS.items() if given.flag(option)]:
        spec["mail_events"] = events
    if given.flag("u"):
        spec["mail_to"] = given.one("u").replace(",", " ").split()
    return spec


def asked_resources(run: Invocation, given: Values) -> dict[str, Any]:
    """Slots, hosts, memory and the rest, as -n, -nnodes, -R, -M and -gpu ask. Raises ValueError."""
    wanted = ResourceRequirements()
    unit = limit_unit(run.variables, "M")
    for text in given.all("R"):
        wanted.add(text, unit)
    hosts = whole(given.one("nnodes"), "number of hosts", 1) if given.flag("nnodes") else 0
    slots = _slots(given.one("n")) if given.flag("n") else hosts or 1
    limit_kb = memory_kb(given.one("M"), limit_unit(run.variables, "K")) if given.flag("M") else 0
    made = resources(wanted, slots, hosts, limit_kb)
    if given.flag("gpu"):
        from molokini.compat.lsf.gpus import gpus

        made["generic"] = {**wanted.generic, "gpu": gpus(given.one("gpu"), made)}
    return made


def _slots(text: str) -> int:
    least, comma, most = text.partition(",")
    found = whole(least.strip(), "number of slots", 1)
    if comma and whole(most.strip(), "number of slots", 1) < found:
        raise ValueError(f"{text[:40]}: Bad number of slots: expected N, or N,MAX with MAX not below N")
    return found


def directory(given: Values, place: str) -> str:
    """The directory of the job: *place*, or that of ``-cwd``, which is made if it is not there."""
    if not given.flag("cwd"):
        return place
    named_one = given.one("cwd")
    if "%" in named_one:
        raise ValueError(f"-cwd {named_one[:60]} is not supported: a directory has no patterns here")
    path = os.path.join(place, os.path.expanduser(named_one))
    if not os.path.isdir(path):
        _make(path)
    return path


def _make(path: str) -> None:
    try:
        os.makedirs(path)
    except OSError as error:
        raise ValueError(f"-cwd {path[:200]}: {error.strerror}") from None


def _open_mode(given: Values) -> str:
    """To which of its output files the job appends, and which it overwrites."""
    fresh, error_fresh = given.flag("oo"), given.flag("eo")
    if fresh == error_fresh or not (given.flag("e") or error_fresh):
        return "truncate" if fresh else "append"
    return "append-error" if fresh else "append-output"


def _mails_report(given: Values) -> bool:
    """Whether the report of the job would go by mail, and output alone to its file."""
    return given.flag("N") and (given.flag("o") or given.flag("oo"))


def _files(given: Values, folder: str, array: bool) -> dict[str, Any]:
    """Where input and output go. LSF appends to a file unless an option says to overwrite it."""
    made: dict[str, Any] = {}
    out = given.one("oo") or given.one("o")
    made["stdout_path"] = file_path(out, folder, array) if out else f"lsf-%j{'.%a' if array else ''}.out"
    if error := given.one("eo") or given.one("e"):
        made["stderr_path"] = file_path(error, folder, array, "err")
    if given.flag("i"):
        made["stdin_path"] = file_path(given.one("i"), folder, array)
    return made


def file_path(text: str, folder: str, array: bool, ending: str = "out") -> str:
    """*text* with the server's patterns for ``%J`` and ``%I``; in a directory, a file named after the job."""
    made = "".join(_part(part, first) for first, part in _parts(text))
    if text.endswith("/") or os.path.isdir(os.path.join(folder, text)):
        made = f"{made.rstrip('/')}/%j{'.%a' if array else ''}.{ending}"
    return made


def _parts(text: str) -> list[tuple[bool, str]]:
    first, *rest = text.split("%")
    return [(True, first), *((False, part) for part in rest)]


def _part(part: str, first: bool) -> str:
    if first:
        return part
    return (
        {"J": "%j", "I": "%a"}[part[0]] + part[1:] if part[:1] in ("J", "I") else without_patterns("%") + part
    )
