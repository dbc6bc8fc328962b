"""What each step of a living world can be about, as the plain world stands.

Hypothesis draws one of these: a job by its name, an array by its number, a node, a reservation.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from hypothesis import strategies as st
from hypothesis.stateful import precondition

from tests.kit.living_story import PREEMPTS, LivingStory, named, read
from tests.kit.plain_live import PlainLive
from tests.kit.plain_world import HELD, RUNNING, SUSPENDED, WAITING, PlainJob
from tests.kit.worlds import NAMES, USERS

T = TypeVar("T")


begun = precondition(lambda story: story.begun)
connected = precondition(lambda story: story.begun and story.connected)
"""The agent is there."""
silent = precondition(lambda story: story.begun and not story.connected)


def one_of(which: Callable[[Any], Sequence[T]]) -> st.SearchStrategy[T]:
    """One of what *which* finds in the story as it stands."""
    return st.runner().flatmap(lambda story: st.sampled_from(which(story)))


def where(which: Callable[[Any], object]) -> Callable[[Any], Any]:
    """Only where *which* finds any, once the story has begun."""
    return precondition(lambda story: story.begun and bool(which(story)))


def waiting(story: LivingStory) -> list[str]:
    return story.jobs(WAITING)


def running(story: LivingStory) -> list[str]:
    return story.jobs(RUNNING) if story.connected else []


def open_alone(story: LivingStory) -> list[str]:
    """Jobs that have not started, no elements of arrays."""
    return [job for job in story.jobs(WAITING, HELD) if "[" not in job]


def counted(story: LivingStory) -> list[str]:
    return [job for job in open_alone(story) if not story.plain.called(read(job)).wishes]


def alterable(story: LivingStory) -> list[str]:
    return open_alone(story) + [job for job in running(story) if "[" not in job]


def kept(story: LivingStory) -> list[str]:
    """Jobs that are held by themselves, and not with their array or by a begin time."""
    plain = story.plain
    those = [job for job in plain.there(HELD) if job.row in plain.apart or _of(plain, job) in plain.held]
    return named(plain, [job for job in those if plain.alone(job) or job.row in plain.apart])


def put_off_able(story: LivingStory) -> list[int]:
    active = {_of(story.plain, job) for job in story.plain.there(RUNNING, SUSPENDED)}
    return sorted({_of(story.plain, job) for job in story.plain.there(WAITING, HELD)} - active)


def free_arrays(story: LivingStory) -> list[int]:
    return [number for number in story.plain.arrays() if number not in story.plain.held]


def held_arrays(story: LivingStory) -> list[int]:
    return [number for number in story.plain.arrays() if number in story.plain.held]


def cancellable_arrays(story: LivingStory) -> list[int]:
    """Those that run end when their agents say so, and between that others may start in their place."""
    plain = story.plain
    active = Counter(_of(plain, job) for job in plain.there(RUNNING, SUSPENDED))
    return [n for n in plain.arrays() if not active[n] or (len(plain.all_of(n)) == 1 and story.connected)]


def cancellable(story: LivingStory) -> list[str]:
    return story.jobs() if story.connected else story.jobs(WAITING, HELD)


def suspendable(story: LivingStory) -> list[str]:
    return running(story) if story.policy != PREEMPTS else []


def suspended(story: LivingStory) -> list[str]:
    return story.jobs(SUSPENDED) if story.policy != PREEMPTS and story.connected else []


def up(story: LivingStory) -> list[str]:
    return [name for name in story.nodes if name not in story.down] if story.connected else []


def undrained(story: LivingStory) -> list[str]:
    drained = {NAMES[node] for node in story.plain.drained}
    return [name for name in story.nodes if name not in drained]


def away(story: LivingStory) -> list[str]:
    """Nodes that take no work and would if an operator said so."""
    drained = {NAMES[node] for node in story.plain.drained}
    return sorted(story.down | drained) if story.connected else []


def reservations(story: LivingStory) -> list[str]:
    return [one.name for one in story.plain.world.reservations]


def strangers(story: LivingStory) -> list[int]:
    """Users who have access to no reservation of processors anywhere: one at most is plain to say."""
    those = [one for one in story.plain.world.reservations if not one.terms.hosts]
    known = {name for one in those for name in one.access.get("user", ())}
    return [0, *(user for user in USERS if str(user) not in known)]


def _of(plain: PlainLive, job: PlainJob) -> int:
    return plain.name_of(job)[0]
