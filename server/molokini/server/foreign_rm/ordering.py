"""What has been decided here, as orders to the resource manager, in the order of the decisions."""

import logging
from collections import deque
from collections.abc import Callable

from molokini.model.facts import (
    Ending,
    Fact,
    JobEnded,
    JobRequeued,
    JobResumed,
    JobStarted,
    JobStopping,
    JobSuspended,
)
from molokini.server.foreign_rm.commands import EndTold, RequeueTold
from molokini.server.foreign_rm.foreign_jobs import ForeignJob, Jobs
from molokini.server.foreign_rm.foreign_records import AGENT, Stage
from molokini.server.state.state import State
from molokini.server.turn.command import Command
from molokini.server.wiki.client import Refused, Unanswered, WikiClient
from molokini.server.wiki.messages import escaped

log = logging.getLogger("molokini.server.foreign_rm")


class Ordering:
    """An executor: it gets every fact, and sends the resource manager the commands that follow from it."""

    def __init__(self, state: State, jobs: Jobs, client: WikiClient, call: Callable[[], None]) -> None:
        """*call* is called when there is something to send."""
        self._state, self._jobs, self._client, self._call = state, jobs, client, call
        self._orders: deque[tuple[Fact, str]] = deque()

    def send_orders(self, fact: Fact, now: float) -> None:
        """Keep the order that *fact* means, if it means one."""
        if not isinstance(
            fact, JobStarted | JobSuspended | JobResumed | JobStopping | JobEnded | JobRequeued
        ):
            return
        known = self._jobs.by_number.get(fact.job)
        if known is None:
            if isinstance(fact, JobStarted):
                log.warning("job %d does not belong to the resource manager, and cannot run there", fact.job)
                self._orders.append((fact, ""))
                self._call()
            return
        if order := self._order(fact, known):
            self._orders.append((fact, f"CMD={order[0]} ARG={known.record.name}{order[1]}"))
            self._call()

    def _order(self, fact: Fact, known: ForeignJob) -> tuple[str, str] | None:
        """The command and what stands behind its job; None where that is as it is there already."""
        stage = known.record.stage
        if getattr(fact, "by", "") == AGENT:
            return None
        if isinstance(fact, JobStarted) and stage is not Stage.RUNNING:
            return "STARTJOB", f" TASKLIST={self._tasks(fact, known)}"
        if isinstance(fact, JobSuspended) and stage is not Stage.SUSPENDED:
            return "SUSPENDJOB", ""
        if isinstance(fact, JobResumed) and stage is not Stage.RUNNING:
            return "RESUMEJOB", ""
        if isinstance(fact, JobRequeued) or (isinstance(fact, JobStopping) and fact.how == "requeue"):
            return ("REQUEUEJOB", "") if stage in (Stage.RUNNING, Stage.SUSPENDED) else None
        if isinstance(fact, JobStopping | JobEnded) and not stage.over:
            late = isinstance(fact, JobEnded) and fact.ending is Ending.TIMED_OUT
            return "CANCELJOB", f" TYPE={'WALLCLOCK' if late else 'ADMIN'}"
        return None

    def _tasks(self, fact: JobStarted, known: ForeignJob) -> str:
        """A node for each of its tasks, as many times as it has tasks there."""
        element = self._state.element(fact.job, fact.index)
        nodes = self._state.machine.nodes
        each = known.record.each
        return ":".join(
            escaped(nodes[number].name)
            for number, processors in element.nodes
            for _ in range(max(1, processors // each))
        )

    async def send_one(self) -> Command | bool | None:
        """Send the next order; what follows from a refusal, True where nothing does. None: there was none.

        Raises Unreachable, after which it is still the next, and Unanswered, after which the looks tell.
        """
        if not self._orders:
            return None
        fact, order = self._orders[0]
        attempt, number = getattr(fact, "attempt", 0), getattr(fact, "job")  # noqa: B009
        if not order:
            self._orders.popleft()
            return EndTold(number, Ending.NOT_STARTED, 0.0, 0, "no job of the resource manager")
        known = self._jobs.by_number.get(number)
        try:
            await self._client.ask(order)
        except Refused as error:
            log.warning("%s: %s", order.partition(" TASKLIST")[0], error)
            self._orders.popleft()
            if isinstance(fact, JobStarted):
                self._jobs.refused(number)
                return RequeueTold(number, attempt, str(error), held=True)
            return True
        except Unanswered:
            self._orders.popleft()
            raise
        self._orders.popleft()
        self._believe(fact, known)
        return True

    def _believe(self, fact: Fact, known: ForeignJob | None) -> None:
        """It is so there now, whatever an older look has shown."""
        if known is not None:
            known.idle_looks = 0
            known.believe(_AFTER.get(type(fact)))


_AFTER: dict[type, Stage] = {
    JobStarted: Stage.RUNNING,
    JobResumed: Stage.RUNNING,
    JobSuspended: Stage.SUSPENDED,
}
