"""Every command about a job in every state of a job: what it makes of it, or why it is refused."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from molokini.model.errors import MolokiniError
from molokini.server.turn.changing import Alter, Cancel, Hold, Release, Requeue, Signal
from molokini.server.turn.checks import Limits
from molokini.server.turn.command import Command
from molokini.server.turn.preempting import ResumeJob, SuspendJob
from molokini.server.turn.running_policy import RunningPolicy
from molokini.server.turn.starting import StartJob
from tests.kit.job_states import STATES, Subject
from tests.kit.live import Story, live
from tests.kit.live_picture import assert_kept
from tests.kit.waiting import DEADLINE_S

POLICY = RunningPolicy("fcfs", {})
"""It decides in each of these stories."""


def _alter(**changes: Any) -> Callable[[int, int], Command]:
    fields: Any = changes
    return lambda job, index: Alter(job, "ann", fields, Limits(), False)


COMMANDS: dict[str, Callable[[int, int], Command]] = {
    "cancel": lambda job, index: Cancel(job, index, "ann"),
    "hold": lambda job, index: Hold(job, "ann", "user", "", index),
    "release": lambda job, index: Release(job, "ann", ["user"], index),
    "release another hold": lambda job, index: Release(job, "ann", ["system"], index),
    "requeue": lambda job, index: Requeue(job, index, "ann"),
    "suspend": lambda job, index: SuspendJob(job, index, "ann"),
    "resume": lambda job, index: ResumeJob(job, index, "ann"),
    "start": lambda job, index: StartJob(job, index, "ann", POLICY),
    "signal": lambda job, index: Signal(job, index, "ann", 10),
    "alter name": _alter(name="other"),
    "alter estimate": _alter(estimate_s=200.0),
    "alter resources": _alter(resources={"processors": 2}),
    "alter begin": _alter(begin_at_s=700.0),
    "alter queue": _alter(queue="other"),
    "alter argv": _alter(argv=["other"]),
}

REFUSALS = {
    "no job": "unknown",
    "has ended": "has ended",
    "does not run": "does not run",
    "does not wait": "does not wait",
    "is not a candidate yet": "not yet",
    "name one of its elements": "an array",
    "must not run again": "runs once",
    "is being cancelled": "is being cancelled",
    "is not suspended": "is not suspended",
    "there is no room": "no room",
    "can be changed only while it waits": "runs",
    "only an operator may lengthen": "longer",
    "must be one of account": "no such change",
    "must be one of default": "no such queue",
}
"""What a refusal says, in short."""


async def outcome(story: Story, subject: Subject, command: Command) -> str:
    """Where *subject* stands after *command*, or why nothing was done."""
    job, index = subject
    before = [one.kind for one in story.journal.entries]
    try:
        await story.do(command)
    except MolokiniError as error:
        assert [one.kind for one in story.journal.entries] == before
        [found] = [short for part, short in REFUSALS.items() if part in str(error)]
        return found
    known = story.job(job).element_of(index) or story.job(job).unheard(index)
    if known is None:
        return ", ".join([f"{n} {status}" for status, n in sorted(story.counted(job).items())])
    told = [known.status.value]
    told += ["to " + known.stopping] if known.stopping else []
    told += ["again"] if known.attempt > 1 else []
    told += ["with a hold"] if known.holds or story.job(job).holds else []
    return " ".join(told)


MADE: dict[str, dict[str, str]] = {
    "cancel": {
        "cancelled with a hold": "held, cancelled, apart",
        "cancelled": (
            "waiting, dependent, later, running, only once, suspended, no room, first, ended, "
            "active, next, new"
        ),
        "running to cancel": "being cancelled, being requeued",
        "completed": "completed",
        "68 cancelled": "array",
    },
    "hold": {
        "held with a hold": "held, waiting, dependent, later, next, apart, new",
        "running with a hold": "running, only once, first, active",
        "suspended with a hold": "suspended, no room",
        "running to cancel with a hold": "being cancelled",
        "running to requeue with a hold": "being requeued",
        "1 cancelled, 65 held, 2 running": "array",
    },
    "release": {
        "running": "held, running, only once, first, active",
        "waiting": "waiting, next, apart, new",
        "held": "dependent, later",
        "suspended": "suspended, no room",
        "running to cancel": "being cancelled",
        "running to requeue": "being requeued",
        "1 cancelled, 2 running, 65 waiting": "array",
    },
    "release another hold": {
        "held with a hold": "held, apart",
        "waiting": "waiting, next, new",
        "held": "dependent, later",
        "running": "running, only once, first, active",
        "suspended": "suspended, no room",
        "running to cancel": "being cancelled",
        "running to requeue": "being requeued",
        "1 cancelled, 1 held, 2 running, 64 waiting": "array",
    },
    "requeue": {
        "does not run": "held, waiting, dependent, later, completed, cancelled, ended, next, apart, new",
        "running again": "running, suspended, first, active",
        "runs once": "only once",
        "waiting": "no room",
        "is being cancelled": "being cancelled",
        "running to requeue": "being requeued",
        "1 cancelled, 1 held, 2 running, 64 waiting": "array",
    },
    "suspend": {
        "does not run": (
            "held, waiting, dependent, later, suspended, no room, being cancelled, being requeued, "
            "completed, cancelled, ended, next, apart, new"
        ),
        "suspended": "running, only once, first, active",
        "1 cancelled, 1 held, 2 running, 2 suspended, 64 waiting": "array",
    },
    "resume": {
        "is not suspended": (
            "held, waiting, dependent, later, running, only once, being cancelled, being requeued, "
            "completed, cancelled, array, first, ended, active, next, apart, new"
        ),
        "running": "suspended",
        "no room": "no room",
    },
    "start": {
        "does not wait": (
            "held, dependent, later, running, only once, suspended, no room, being cancelled, "
            "being requeued, first, active, apart"
        ),
        "no room": "waiting, next",
        "not yet": "new",
        "an array": "array",
    },
    "signal": {
        "does not run": "held, waiting, dependent, later, completed, cancelled, ended, next, apart, new",
        "running": "running, only once, first, active",
        "suspended": "suspended, no room",
        "running to cancel": "being cancelled",
        "running to requeue": "being requeued",
        "1 cancelled, 1 held, 2 running, 64 waiting": "array",
    },
    "alter name": {
        "held with a hold": "held",
        "waiting": "waiting",
        "held": "dependent, later",
        "running": "running, only once",
        "suspended": "suspended, no room",
        "running to cancel": "being cancelled",
        "running to requeue": "being requeued",
        "1 cancelled, 1 held, 2 running, 64 waiting": "array",
    },
    "alter estimate": {
        "held with a hold": "held",
        "waiting": "waiting",
        "held": "dependent, later",
        "longer": "running, only once, suspended, no room, being cancelled, being requeued, array",
    },
    "alter resources": {
        "held with a hold": "held",
        "waiting": "waiting",
        "held": "dependent, later",
        "runs": "running, only once, suspended, no room, being cancelled, being requeued, array",
    },
    "alter begin": {
        "held with a hold": "held",
        "held": "waiting, dependent, later",
        "runs": "running, only once, suspended, no room, being cancelled, being requeued, array",
    },
    "alter queue": {
        "no such queue": "held, waiting, dependent, later",
        "runs": "running, only once, suspended, no room, being cancelled, being requeued, array",
    },
    "alter argv": {
        "no such change": (
            "held, waiting, dependent, later, running, only once, suspended, no room, being cancelled, "
            "being requeued, array"
        ),
    },
}
"""Of each command: what it makes of what, or why it is refused; every state is somewhere."""

OTHERWISE = {"has ended": "completed, cancelled, ended", "unknown": "unknown, none"}
"""Of each command that makes nothing of these."""
WHOLE_ONLY = ("first", "ended", "active", "next", "apart", "new", "none")
"""Elements, of which nothing can be altered alone."""


def expected(command: str, state: str) -> str:
    rows = [*MADE[command].items(), *OTHERWISE.items()]
    [found, *_] = [made for made, states in rows if state in states.split(", ")]
    return found


async def told(story: Story, subject: Subject, names: tuple[str, ...], at_once: bool) -> list[str]:
    """What is answered to these commands, and the journal after that."""
    commands = [COMMANDS[name](*subject) for name in names]
    if at_once:
        posts = [story.core.reactor.post(command) for command in commands]
        found = await asyncio.wait_for(asyncio.gather(*posts, return_exceptions=True), DEADLINE_S)
    else:
        found = []
        for command in sorted(commands, key=lambda one: one.rank):
            found += await asyncio.gather(story.do(command), return_exceptions=True)
        if commands[0].rank > commands[1].rank:
            found.reverse()
    await story.settled()
    # Of a signal the answer is what gets it.
    answers = [str(one) if isinstance(one, Exception) else "done" for one in found]
    return answers + [f"{one.kind} {one.body}" for one in story.journal.entries if one.kind != "ReportsTaken"]


@pytest.mark.quick(one_in=17)
@pytest.mark.parametrize("state", STATES)
@pytest.mark.parametrize("command", COMMANDS)
async def test_what_a_command_makes_of_a_job_or_why_it_is_refused(command: str, state: str) -> None:
    if command.startswith("alter") and state in WHOLE_ONLY:
        return
    async with live() as story:
        subject = await STATES[state](story)
        assert await outcome(story, subject, COMMANDS[command](*subject)) == expected(command, state)
        await assert_kept(story)


VERBS: tuple[str, ...] = ("cancel", "hold", "release", "requeue", "suspend", "resume", "start", "signal")
VERBS += ("alter estimate", "alter begin")


@pytest.mark.quick(one_in=11)
@pytest.mark.parametrize("state", ["held", "running"])
@pytest.mark.parametrize("first", VERBS)
async def test_two_commands_of_one_instant_are_as_one_after_the_other(first: str, state: str) -> None:
    for second in VERBS:
        async with live() as one, live() as other:
            at_once = await told(one, await STATES[state](one), (first, second), True)
            in_turn = await told(other, await STATES[state](other), (first, second), False)
            assert at_once == in_turn
