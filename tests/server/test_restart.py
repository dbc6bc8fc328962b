"""A server that starts again on its state: what was changed by command, and what the configuration says."""

from molokini.server.clock import ClockKind
from molokini.server.core import Core, Settings
from molokini.server.state.queues import Queue
from molokini.server.turn.operating import SetPolicy, SetQueue
from tests.kit.live import MemoryJournal, live


async def started(journal: MemoryJournal, policy: str = "easy", **settings: object) -> Core:
    given = {"clock": ClockKind.STEPPED, **settings}
    return await Core.open(MemoryJournal(journal.entries), Settings(policy, **given))  # type: ignore[arg-type]


async def test_a_policy_that_was_set_by_command_stays_until_the_configuration_says_another() -> None:
    async with live("easy") as story:
        await story.do(SetPolicy("easy", {"order": "shortest"}, "root"))
        again = await started(story.journal)
        assert again.reactor.thinker.values == {"order": "shortest"}
        other = await started(story.journal, "fcfs")
        assert other.reactor.thinker.policy.name == "fcfs"


async def test_a_queue_that_was_changed_by_command_stays_until_the_configuration_changes_it() -> None:
    configured = Queue("night", max_jobs=5)
    async with live(queues=(configured,)) as story:
        await story.do(SetQueue(Queue("night", max_jobs=7), "root"))
        again = await started(story.journal, "fcfs", queues=(configured,))
        assert again.state.queues["night"].max_jobs == 7
        changed = await started(story.journal, "fcfs", queues=(Queue("night", max_jobs=9),))
        assert changed.state.queues["night"].max_jobs == 9
