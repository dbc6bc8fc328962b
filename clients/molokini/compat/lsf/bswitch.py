"""``bswitch``."""

from __future__ import annotations

from molokini.compat._types import Invocation
from molokini.compat.failures import Refused
from molokini.compat.lsf.changing import WHICH, open_ones, targets
from molokini.compat.lsf.commanding import USUAL, given_to
from molokini.compat.lsf.failing import CODE, refusal
from molokini.compat.options import refused

OPTIONS = (
    *USUAL,
    *WHICH,
    refused("-app", "NAME", "there are no application profiles"),
    refused("-sla", "NAME", "there are no service classes"),
)


def run(run: Invocation) -> int:
    """Move jobs that wait to another queue."""
    given = given_to(run, OPTIONS, "queue [job ... | 0]")
    if not given.words:
        raise refusal(run, "bswitch: expected a destination queue")
    queue, given.words = given.words[0], given.words[1:]
    left, code = open_ones(run, targets(run, given))
    for one in left:
        asked = {"job": {"id": one.number}, "spec": {"queue": queue}, "fields": ["queue"]}
        try:
            run.transport.call("JobService", "AlterJob", asked)
        except Refused as error:
            unknown = error.field == "queue" and error.reason == "bad_value"
            run.complain(f"{queue}: No such queue" if unknown else f"Job <{one.shown}>: {error}")
            code = CODE
        else:
            run.say(f"Job <{one.shown}> is switched to queue <{queue}>")
    return code
