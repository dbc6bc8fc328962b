"""How long a job of communicating tasks takes, by how its tasks lie over clusters.

Two models of Bucur and Epema, JSSPP 2001. Section 2.4: in an iteration each task sends one message to
every other task, one after the other and synchronously, then computes; all processors are released
together, so the task that takes longest decides. Section 4: a measured application, whose exchange of
borders takes one time inside a cluster and another between clusters.

The time that communication adds is a function of the placement alone: *tasks* tasks, of which the cluster
with the fewest tasks of the job holds *fewest* and the one with the most holds *most*.
"""

from collections.abc import Sequence

from molokini.applications.kinds import JobKind


def extension_s(
    kind: int, alone_s: float, tasks: int, fewest: int, most: int, inside_s: float, between_s: float
) -> float:
    """Seconds that communication adds to the computation, *alone_s*, of a placed job; 0 for other kinds.

    ``inside_s`` and ``between_s`` are the times of one message inside a cluster and between two; for
    ``BORDERS`` the times of all of them, if one cluster holds the job, and if not.
    Below 0 where a job gives its processors up while it communicates: *alone_s* is both together then.
    """
    if (
        kind == JobKind.ALL_TO_ALL
        or kind == JobKind.ALL_TO_ALL_EACH_SECOND
        or kind == JobKind.ALL_TO_ALL_GIVEN_UP
    ):
        # A task's time is linear in the number of tasks in its cluster, so an extreme is the slowest.
        apart_s = (fewest - 1) * inside_s + (tasks - fewest) * between_s
        exchange_s = max(apart_s, (most - 1) * inside_s + (tasks - most) * between_s)
        if kind == JobKind.ALL_TO_ALL_GIVEN_UP:
            return -alone_s * exchange_s / (1.0 + exchange_s)
        return exchange_s if kind == JobKind.ALL_TO_ALL else exchange_s * alone_s
    if kind == JobKind.BORDERS:
        return inside_s if most == tasks else between_s
    return 0.0


def messages_between(parts: Sequence[int]) -> int:
    """Messages between clusters when every task sends one to every other, with *parts* tasks in each."""
    tasks = sum(parts)
    return sum(part * (tasks - part) for part in parts)


def most_messages_between(parts: Sequence[int]) -> int:
    """The same for the task that sends the most of them."""
    return max((sum(parts) - part for part in parts if part > 0), default=0)
