"""``bsub``."""

from __future__ import annotations

from molokini.compat._types import Any, Invocation, Values
from molokini.compat.failures import Refused
from molokini.compat.lsf.bsub_options import OPTIONS
from molokini.compat.lsf.commanding import given_to
from molokini.compat.lsf.failing import refusal
from molokini.compat.lsf.programs import program_of
from molokini.compat.lsf.specification import specification
from molokini.compat.options import Reader
from molokini.compat.scripts import NoScript
from molokini.compat.submitting import submit

_DEFAULT_QUEUE = "LSB_DEFAULTQUEUE"


def run(run: Invocation) -> int:
    """Submit one job, and say its number and queue."""
    given = given_to(run, OPTIONS, "[command [arguments]] [< script]", stops=True)
    try:
        program = program_of(run, given.words)
        given = given.behind(Reader(OPTIONS, words=True).read_script(program.lines))
        spec = specification(run, given, program)
    except NoScript as error:
        raise refusal(run, _no_script(error)) from None
    except ValueError as error:
        raise refusal(run, str(error)) from None
    named, queue = _queue(run, given)
    number = _submitted(run, {**spec, "queue": queue})
    if "BSUB_QUIET" not in run.variables:
        run.say(f"Job <{number}> is submitted to {'' if named else 'default '}queue <{queue}>.")
    if given.flag("K"):
        from molokini.compat.lsf.waiting import until_over

        return until_over(run, number)
    return 0


def _no_script(error: NoScript) -> str:
    if error.kind == "empty":
        return "Empty job"
    return f"{error.name}: {error.why}"


def _queue(run: Invocation, given: Values) -> tuple[bool, str]:
    """Whether the user has named a queue, and the queue; of several the first that takes jobs."""
    names = given.one("q").replace(",", " ").split()
    if len(names) == 1:
        return True, names[0]
    names_or_usual = names or run.variables.get(_DEFAULT_QUEUE, "").replace(",", " ").split()
    if len(names_or_usual) == 1:
        return bool(names), names_or_usual[0]
    queues = run.transport.call("ClusterService", "ListQueues", {})["queues"]
    if not names_or_usual:
        return False, queues[0]["name"]
    open_ones = [one["name"] for one in queues if one.get("enabled")]
    return bool(names), next((name for name in names_or_usual if name in open_ones), names_or_usual[0])


def _submitted(run: Invocation, spec: dict[str, Any]) -> int:
    try:
        return submit(run, spec)
    except Refused as error:
        raise refusal(run, said(error, spec)) from None


def said(error: Refused, spec: dict[str, Any]) -> str:
    """What LSF says where the server refuses the job *spec*."""
    queue = spec.get("queue", "")
    if error.reason == "unknown_name" and error.field == "queue":
        return f"{queue}: No such queue"
    if error.reason == "queue_disabled":
        return f"{queue}: Queue is closed"
    if error.reason == "not_of_queue":
        return f"{queue}: User cannot use the queue"
    return str(error)
