"""What the policy keeps: nothing of it lies over another, and nothing of a job is left to the next."""

from itertools import pairwise

from molokini.policies.maui.knowledge.memory import DECIDED, HARD, INELIGIBLE, SOFT, Memory, mine
from molokini.tables.transitions import cancel
from tests.kit.maui import at, maui
from tests.kit.workloads import Job


def test_no_two_names_are_the_same_place() -> None:
    for array in {member.array for member in Memory.members.values()}:
        members = sorted(
            (one for one in Memory.members.values() if one.array == array), key=lambda one: one.place
        )
        for one, following in pairwise(members):
            assert one.place + (one.length or 1) <= following.place


def test_levels_are_in_order_so_that_at_least_is_a_comparison() -> None:
    assert DECIDED < INELIGIBLE < HARD < SOFT


def test_what_is_known_of_a_job_is_gone_with_it() -> None:
    t = at(maui([Job(0, 100, 8), Job(1, 50, 8)]), 1)
    row = int(t.queue.waiting[t.queue.head])
    assert (mine(t).listed[row], mine(t).level[row], mine(t).reserved_s[row]) == (1, SOFT, 100)
    cancel(t, row, 1.0)
    assert (mine(t).listed[row], mine(t).level[row], mine(t).reserved_s[row]) == (0, 0, 0)
