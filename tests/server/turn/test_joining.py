"""Submissions of one instant share a line of the journal, and leave what they would leave apart."""

import asyncio
import itertools

from hypothesis import given
from hypothesis import strategies as st

from molokini.model.errors import BadValue
from molokini.model.facts import Fact, JobHeld, JobsSubmitted
from molokini.model.written_specs import WrittenSpec
from molokini.server.turn.joining import joined
from molokini.server.turn.submitting import Submit
from tests.kit.live import Story, spec_of
from tests.kit.live_picture import assert_kept

MOST = 10


def kinds() -> st.SearchStrategy[list[tuple[str, int]]]:
    return st.lists(st.tuples(st.sampled_from(["ann", "bob", ""]), st.integers(1, 12)), max_size=12)


@given(kinds())
def test_neighbours_of_one_user_become_one_and_nothing_else_changes(parts: list[tuple[str, int]]) -> None:
    facts: list[Fact] = []
    number = 1
    for user, count in parts:
        if not user:
            facts.append(JobHeld(1, "user", "ann"))
            continue
        facts.append(
            JobsSubmitted(number, user, tuple(WrittenSpec({"name": str(number + k)}) for k in range(count)))
        )
        number += count
    made = joined(facts, MOST)
    assert list(_single(made)) == list(_single(facts))
    for one, following in itertools.pairwise(made):
        if isinstance(one, JobsSubmitted) and isinstance(following, JobsSubmitted):
            assert one.user != following.user or len(one.specs) + len(following.specs) > MOST
    sizes = [len(one.specs) for one in made if isinstance(one, JobsSubmitted)]
    assert max(sizes, default=0) <= max(MOST, *[count for _, count in parts], 0)


def _single(facts: list[Fact]) -> list[object]:
    found: list[object] = []
    for fact in facts:
        if isinstance(fact, JobsSubmitted):
            found += [(fact.first_id + k, fact.user, spec) for k, spec in enumerate(fact.specs)]
        else:
            found.append(fact)
    return found


async def test_clients_of_one_turn_share_a_line_and_each_has_an_id_of_his_own(story: Story) -> None:
    reactor = story.core.reactor
    users = ["ann", "ann", "bob", "ann", "ann", "ann"]
    answers = [
        reactor.post(Submit(user, [spec_of(name=f"{user}{k}")], story.limits)) for k, user in enumerate(users)
    ]
    refused = reactor.post(Submit("ann", [spec_of(processors=10**6)], story.limits))
    assert await asyncio.gather(*answers) == [[1], [2], [3], [4], [5], [6]]
    assert isinstance((await refused)[0], BadValue)
    lines = story.journal.facts(JobsSubmitted)
    wanted = [("ann", 1, 2), ("bob", 3, 1), ("ann", 4, 3)]
    assert [(one.user, one.first_id, len(one.specs)) for one in lines] == wanted
    assert [story.job(k + 1).name for k in range(6)] == [f"{user}{k}" for k, user in enumerate(users)]
    await assert_kept(story)
