"""When an answer comes: as soon as what was asked for is durable, or after the pass for who wants that."""

import asyncio
from typing import Any

import pytest

from molokini.model.errors import BadInput
from molokini.server.state.state import State
from molokini.server.turn.changing import Cancel, Hold, NoSuchJob
from molokini.server.turn.checks import Limits
from molokini.server.turn.command import Command, Draft
from molokini.server.turn.operating import NoteCommand
from molokini.server.turn.submitting import Submit
from tests.kit.live import Story, live, spec_of
from tests.kit.waiting import DEADLINE_S


class Late(Command):
    """Waits for the pass, unless it is refused."""

    def __init__(self, refused: bool) -> None:
        super().__init__()
        self.after_pass, self.refused = True, refused

    def check(self, state: State, draft: Draft) -> str:
        if self.refused:
            raise BadInput("no")
        NoteCommand("ann", "late").check(state, draft)
        return "done"


def answered_at_the_pass(
    story: Story, commands: list[Command], monkeypatch: pytest.MonkeyPatch
) -> list[list[bool]]:
    """Filled at each pass: which of *commands* have their answers by then."""
    found: list[list[bool]] = []
    think = story.core.reactor.running_policy.decide

    def watched(state: State, now: float) -> Any:
        found.append([one.answer is not None and one.answer.done() for one in commands])
        return think(state, now)

    monkeypatch.setattr(story.core.reactor.running_policy, "decide", watched)
    return found


async def test_who_asks_nothing_of_the_pass_is_answered_before_it(monkeypatch: pytest.MonkeyPatch) -> None:
    async with live() as story:
        job = await story.submit(run_s=50.0)
        commands: list[Command] = [
            Hold(job, "ann", "user"),
            Submit("ann", [spec_of(run_s=1.0)], Limits()),
            Cancel(77, -1, "ann"),
            Late(refused=True),
            Late(refused=False),
        ]
        answered = answered_at_the_pass(story, commands, monkeypatch)
        posts = [story.core.reactor.post(one) for one in commands]
        async with asyncio.timeout(DEADLINE_S):
            held, submitted, unknown, refused, late = await asyncio.gather(*posts, return_exceptions=True)
        assert (held, submitted, late) == (None, [2], "done")
        assert isinstance(unknown, NoSuchJob)
        assert str(refused) == "no"
        assert answered[0] == [True, True, True, True, False]
