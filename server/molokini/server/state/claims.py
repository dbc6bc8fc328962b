"""Which jobs may be in the queue at all: stopped queues, and limits of what one user may run in one.

A limited user's jobs claim a place before they become rows that a policy sees; a job without a place is held,
and the first of those that wait takes the place of one that ends.
"""

from collections import Counter
from itertools import islice

from molokini.model.text import plural
from molokini.server.state.jobs import Job
from molokini.server.state.kept import Kept
from molokini.server.state.queues import Queue

Key = tuple[str, str]
"""Queue and user."""


class Claims:
    """Places that are taken, and jobs that wait for one."""

    def __init__(self, queues: dict[str, Queue]) -> None:
        self._queues = queues
        self._taken: Counter[Key] = Counter()
        self._waiting: dict[Key, dict[int, None]] = {}

    def kept(self) -> Kept:
        """All of it as plain values, for a snapshot."""
        return {
            "taken": [[*key, count] for key, count in self._taken.items() if count],
            "waiting": [[*key, list(jobs)] for key, jobs in self._waiting.items()],
        }

    def restore(self, kept: Kept) -> None:
        """Become what was kept."""
        for queue, user, count in kept["taken"]:
            self._taken[queue, user] = count
        for queue, user, jobs in kept["waiting"]:
            self._waiting[queue, user] = dict.fromkeys(jobs)

    def room(self, job: Job) -> int:
        """How many more rows jobs like *job* may have now."""
        queue = self._queues.get(job.queue)
        if queue is None:
            return _ENDLESS
        if not self.started(job):
            return 0
        limit = queue.max_running_per_user
        return max(0, limit - self._taken[job.queue, job.user]) if limit else _ENDLESS

    def started(self, job: Job) -> bool:
        """Whether a queue in which *job* may start is not stopped."""
        found = (self._queues.get(name) for name in job.queues)
        return any(queue is not None and queue.started for queue in found)

    def endless(self, queue: str) -> bool:
        """Whether jobs of *queue* may have any number of rows, and no job waits for a place."""
        known = self._queues.get(queue)
        return not self._waiting and (known is None or (known.started and not known.max_running_per_user))

    def take_all(self, queue: str, user: str, count: int) -> None:
        """So many rows of jobs of an endless queue take their places."""
        self._taken[queue, user] += count

    def why_not(self, job: Job) -> str:
        """The reason why there is no room."""
        queue = self._queues[job.queue]
        if not self.started(job):
            several = bool(job.further_queues)
            return f"queue{'s' * several} {', '.join(job.queues)} {'are' if several else 'is'} stopped"
        most = plural(queue.max_running_per_user, "job")
        return f"{job.user} runs {most} in queue {queue.name}, its limit"

    def take(self, job: Job) -> None:
        """A row of *job* takes a place."""
        self._taken[job.queue, job.user] += 1
        self.forget(job)

    def give(self, queue: str, user: str) -> None:
        """A row of such a job gives its place back."""
        self._taken[queue, user] -= 1

    def wait(self, job: Job) -> None:
        """*job* waits for a place, behind those that came before."""
        self._waiting.setdefault((job.queue, job.user), {})[job.id] = None

    def forget(self, job: Job) -> None:
        """*job* waits no longer."""
        if self._waiting:
            key = (job.queue, job.user)
            waiting = self._waiting.get(key, {})
            waiting.pop(job.id, None)
            if not waiting:
                self._waiting.pop(key, None)

    def waits(self, job: Job) -> bool:
        """Whether *job* waits for a place."""
        return job.id in self._waiting.get((job.queue, job.user), {})

    def first(self, queue: str, user: str) -> list[int]:
        """The job that is to have the next place, if any waits."""
        return list(islice(self._waiting.get((queue, user), ()), 1)) if self._waiting else []

    def of_queue(self, queue: str) -> list[int]:
        """All jobs that wait for a place in *queue*."""
        return sorted(n for (name, _), jobs in self._waiting.items() if name == queue for n in jobs)


_ENDLESS = 2**62
