"""``btop`` and ``bbot``: before, or behind, the user's other jobs of the queue, by their priorities.

The priorities are those that the policy has found. What the user asked for (``bsub -sp``) is read by no
policy that ranks jobs, so an administrator's number is added, as Maui's ``setspri -r`` does.
"""

from __future__ import annotations

import json

from molokini.compat._types import Invocation, Job
from molokini.compat.failures import Refused
from molokini.compat.lsf.commanding import USUAL, given_to
from molokini.compat.lsf.failing import CODE, refusal
from molokini.compat.lsf.names import job_references
from molokini.compat.lsf.selecting import Wish, found, missing
from molokini.compat.lsf.states import stat
from molokini.compat.options import refused

OPTIONS = (*USUAL, refused("-u", "USER", "name the job"))
_FIELDS = ("user", "spec.queue", "spec.system_priority")
_BY_HAND = 1_000_000_000
"""From here on an administrator's number stands in the place of a priority."""


def run(run: Invocation) -> int:
    """Move the job that is named to one end of its user's jobs."""
    given = given_to(run, OPTIONS, "job [position]")
    wish = Wish()
    try:
        wish.references = [one for word in given.words[:1] for one in job_references(word)]
    except ValueError as error:
        raise refusal(run, str(error)) from None
    if not wish.references or len(given.words) > 2:
        raise refusal(run, f"{run.name}: expected a job ID")
    if given.words[1:] not in ([], ["1"]):
        raise refusal(run, f"position {given.words[1][:20]} is not supported: a job moves to the very end, 1")
    lines = found(run, wish, _FIELDS)
    for name in missing(lines, wish):
        raise refusal(run, f"Job <{name}>: No matching job found")
    if stat(lines[0]) not in ("PEND", "PSUSP"):
        raise refusal(run, f"Job <{given.words[0]}>: Job has started already, or has ended")
    _check_policy(run)
    return _moved(run, lines[0], run.name == "btop")


def _check_policy(run: Invocation) -> None:
    """Only a policy that ranks jobs can be told an order. Raises Failed for another one."""
    policy = run.transport.call("ClusterService", "GetPolicy", {})
    if not policy.get("weighs"):
        raise refusal(
            run,
            f"{run.name} is not supported by the policy {policy.get('name', '')}: "
            "it goes by the times of submission, whatever the priorities",
        )


def _moved(run: Invocation, job: Job, top: bool) -> int:
    number, priorities = job.id, _priorities(run)
    if number not in priorities:
        raise refusal(
            run, f"Job <{number}>: it is held or far back in the queue, and the policy has not ranked it"
        )
    wish = Wish()
    wish.users, wish.queues = [job.user], [job.queue]
    others = [
        priorities[one.id] for one in found(run, wish, _FIELDS) if one.id != number and one.id in priorities
    ]
    before = job.system_priority
    if not top and before >= _BY_HAND:
        raise refusal(run, f"Job <{number}>: its priority was set by hand; 'setspri 0 {number}' clears that")
    wanted = _above(priorities[number], others, before) if top else _below(priorities[number], others, before)
    asked = {"job": {"id": number}, "spec": {"system_priority": wanted}, "fields": ["system_priority"]}
    try:
        run.transport.call("JobService", "AlterJob", asked)
    except Refused as error:
        run.complain(f"Job <{number}>: {error}")
        return CODE
    run.say(f"Job <{number}> has been moved to position 1 from {'top' if top else 'bottom'}.")
    return 0


def _priorities(run: Invocation) -> dict[int, float]:
    """The priority of each job that is ranked; of an array that of the element that is ranked highest."""
    told = run.transport.call("ClusterService", "GetReport", {"name": "priorities"})
    found: dict[int, float] = {}
    for line in json.loads(told["json"])["jobs"]:
        found.setdefault(int(line["job"].partition("[")[0]), line["priority"])
    return found


def _above(own: float, others: list[float], before: int) -> int:
    """What is to be added to a job of priority *own*, in place of *before*, so that it is above *others*."""
    highest = max(others, default=own - 1.0)
    if own > highest:
        return before
    if highest >= _BY_HAND:
        return int(highest) + 1
    return min(before + int(highest - own) + 1, _BY_HAND - 1)


def _below(own: float, others: list[float], before: int) -> int:
    """The same, so that it is below them."""
    lowest = min(others, default=own + 1.0)
    if own < lowest:
        return before
    return max(before - int(own - lowest) - 1, 1 - _BY_HAND)
