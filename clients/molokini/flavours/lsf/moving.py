"""``btop`` and ``bbot``: before, or behind, the user's other jobs of the queue, by their priorities."""

from __future__ import annotations

from molokini.flavours.failures import Refused
from molokini.flavours.lsf.commanding import USUAL, given_to
from molokini.flavours.lsf.failing import CODE, refusal
from molokini.flavours.lsf.names import job_references
from molokini.flavours.lsf.selecting import Wish, found, missing
from molokini.flavours.lsf.states import stat
from molokini.flavours.options import refused

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from molokini.flavours.tool import Run

OPTIONS = (*USUAL, refused("-u", "USER", "name the job"))
_FIELDS = ("user", "spec.queue", "spec.user_priority")
_LEAST, _MOST = -1024, 1023


def move(run: Run, top: bool) -> int:
    """Move the job that is named to one end of its user's jobs."""
    given = given_to(run, OPTIONS, "job [position]")
    if given is None:
        return 0
    wish = Wish()
    try:
        wish.references = [one for word in given.words[:1] for one in job_references(word)]
    except ValueError as error:
        raise refusal(run, str(error)) from None
    if not wish.references or len(given.words) > 2:
        raise refusal(run, f"{run.name}: job ID is wanted")
    if given.words[1:] not in ([], ["1"]):
        raise refusal(run, f"position {given.words[1][:20]} is not supported: a job moves to the very end, 1")
    lines = found(run, wish, _FIELDS)
    for name in missing(lines, wish):
        raise refusal(run, f"Job <{name}>: No matching job found")
    if stat(lines[0]) not in ("PEND", "PSUSP"):
        raise refusal(run, f"Job <{given.words[0]}>: Job has started already, or has ended")
    _check_policy(run)
    return _moved(run, lines[0], top)


def _check_policy(run: Run) -> None:
    """Only a policy that ranks jobs can be told an order. Raises Failed for another one."""
    policy = run.road.call("ClusterService", "GetPolicy", {})
    if not policy.get("maui_config"):
        raise refusal(
            run,
            f"{run.name} is not supported by the policy {policy.get('name', '')}: "
            "it goes by the times of submission, whatever the priorities",
        )


def _moved(run: Run, job: dict[str, Any], top: bool) -> int:
    wish = Wish()
    wish.users, wish.queues = [job["user"]], [job["spec"]["queue"]]
    others = [
        int(one["spec"].get("user_priority", 0))
        for one in found(run, wish, _FIELDS)
        if one["id"] != job["id"] and stat(one) in ("PEND", "PSUSP")
    ]
    priority = max([0, *others]) + 1 if top else min([0, *others]) - 1
    wanted = {"user_priority": min(_MOST, max(_LEAST, priority))}
    asked = {"job": {"id": job["id"]}, "spec": wanted, "fields": ["user_priority"]}
    try:
        run.road.call("JobService", "AlterJob", asked)
    except Refused as error:
        run.complain(f"Job <{job['id']}>: {error}")
        return CODE
    run.say(f"Job <{job['id']}> has been moved to position 1 from {'top' if top else 'bottom'}.")
    return 0
