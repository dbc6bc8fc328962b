"""How many unfinished jobs there may be of a user and in a queue."""

from collections import Counter
from collections.abc import Iterable

from molokini.model.errors import Conflict
from molokini.server.state.queues import Queue
from molokini.server.state.state import State
from molokini.server.turn.command import Draft

_UNLIMITED = 2**62


class OverLimit(Conflict):
    """A limit of unfinished jobs is reached: the request is valid, but has to wait until some have ended."""


class QueueDisabled(Conflict):
    """The queue takes no jobs."""


class NotOfQueue(Conflict):
    """The queue takes no jobs of this user."""


def check_access(state: State, draft: Draft, user: str, queue: Queue) -> None:
    """Conflict where *queue* does not take one more job of *user*."""
    if not queue.enabled:
        raise QueueDisabled("queue", f"queue {queue.name} is disabled and takes no jobs")
    if queue.users and user not in queue.users:
        raise NotOfQueue("queue", f"{user} may not use queue {queue.name}")
    check_count(state, draft, (queue.name, user), queue.max_jobs_per_user, f"of {user} in queue {queue.name}")
    check_count(state, draft, (queue.name, ""), queue.max_jobs, f"in queue {queue.name}")


def check_count(state: State, draft: Draft, key: tuple[str, str], most: int, whose: str) -> None:
    """Conflict where there are *most* already; 0 does not limit."""
    count = state.open_counts[key] + draft.submitted[key]
    if most and count >= most:
        raise OverLimit(
            "queue" if key[0] else "user",
            f"there may be at most {most:,} unfinished {'job' if most == 1 else 'jobs'} {whose}; submit it "
            "again when one has ended",
        )


class Places:
    """What limits of counts leave to the jobs of one user, asked for once where many come together."""

    def __init__(self, state: State, draft: Draft, user: str, most: int) -> None:
        """*most*: unfinished jobs that the user may have in all; 0 does not limit."""
        self._state, self._draft, self._user, self._most = state, draft, user, most
        self._queue: Queue | None = None
        self._left = self._taken = 0

    def ask(self, queue: Queue) -> None:
        """Conflict where *queue* does not take one more."""
        if queue is self._queue and self._taken < self._left:
            return
        self.settle()
        state, draft, user = self._state, self._draft, self._user
        check_access(state, draft, user, queue)
        check_count(state, draft, ("", user), self._most, f"of {user}")
        self._queue, self._left = queue, self._room(queue)

    def _room(self, queue: Queue) -> int:
        """How many more may come, one at least."""
        counts, drafted = self._state.open_counts, self._draft.submitted
        most = self._most_of(queue)
        return min((n - counts[key] - drafted[key] for key, n in most.items() if n), default=_UNLIMITED)

    def _most_of(self, queue: Queue) -> dict[tuple[str, str], int]:
        """The limits of counts, as they are counted; 0 does not limit."""
        return {
            (queue.name, self._user): queue.max_jobs_per_user,
            (queue.name, ""): queue.max_jobs,
            ("", self._user): self._most,
        }

    def take(self) -> None:
        """One more has come, into the queue that was asked for last."""
        self._taken += 1

    def settle(self) -> None:
        """Let the draft know how many came."""
        if self._taken and self._queue is not None:
            for key in ((self._queue.name, self._user), (self._queue.name, ""), ("", self._user)):
                self._draft.submitted[key] += self._taken
        self._queue, self._left, self._taken = None, 0, 0

    def take_all(self, wanted: Iterable[tuple[Queue, int]]) -> bool:
        """So many more for each queue, if there is room for all of them; whether there is."""
        counts: Counter[tuple[str, str]] = Counter()
        for queue, count in wanted:
            if not queue.enabled or (queue.users and self._user not in queue.users):
                return False
            for key, limit in self._most_of(queue).items():
                counts[key] += count
                if limit and self._state.open_counts[key] + self._draft.submitted[key] + counts[key] > limit:
                    return False
        self._draft.submitted.update(counts)
        return True
