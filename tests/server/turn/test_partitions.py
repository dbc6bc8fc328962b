"""Partitions in a live cluster: they follow the configuration and the nodes, and survive a recovery."""

from molokini.server.queries.explanations import explain
from molokini.server.turn.losing import LoseNodes
from molokini.server.turn.reporting import ReturnNodes
from tests.kit.live import Story, live, nodes
from tests.kit.live_picture import assert_kept

HALVES = """
NODECFG[n2] PARTITION=old
NODECFG[n9] PARTITION=new
USERCFG[ann] PLIST=old
USERCFG[eve] PLIST=new
USERCFG[cy]  PDEF=old
"""


def where(story: Story, job: int) -> list[str]:
    return [story.state.machine.nodes[number].name for number, _ in story.run(job).nodes]


async def test_nobody_spans_them_and_lists_say_who_may_be_where() -> None:
    async with live("maui", [nodes("n[1-3]", 4)]) as story:
        await story.choose("maui", {"maui_config": HALVES})
        theirs = await story.submit(user="ann", processors=3, run_s=50.0)
        waits = await story.submit(user="ann", processors=2, run_s=50.0)
        wide = await story.submit(user="ann", processors=5, run_s=50.0)
        first = await story.submit(user="cy", processors=1, run_s=50.0)
        others = await story.submit(user="cy", processors=8, run_s=50.0)
        assert where(story, theirs) == ["n2"]
        assert where(story, first) == ["n2"], "it tries old before the others"
        assert sorted(where(story, others)) == ["n1", "n3"]
        assert (story.status(waits), story.status(wide)) == ("waiting", "refused")
        found = explain(story.core, story.job(waits), story.run(waits))
        assert found.rule == "reserved-later"
        await assert_kept(story)
        await story.advance(60.0)
        assert story.run(waits).start_s == 50.0


async def test_who_waits_for_nodes_that_have_not_come_starts_on_them_when_they_do() -> None:
    async with live("maui", [nodes("n[1-2]", 4)]) as story:
        await story.choose("maui", {"maui_config": HALVES})
        job = await story.submit(user="eve", processors=3, run_s=50.0)
        found = explain(story.core, story.job(job), story.run(job))
        assert (found.rule, found.limit) == ("wider-than-partitions", 0.0)
        assert "in service in one partition that it may use" in found.text
        await story.submit(user="bob", processors=1, run_s=50.0)
        await story.join_beside([nodes("n[8-9]", 4)], "more")
        await story.settled()
        assert where(story, job) == ["n9"]
        # Everything that names a node of it has come: who is too wide now is so for good.
        wide = await story.submit(user="eve", processors=5, run_s=50.0)
        assert story.status(wide) == "refused"


async def test_a_change_of_the_configuration_counts_from_the_next_iteration_on() -> None:
    async with live("maui", [nodes("n[1-2]", 4)]) as story:
        await story.choose("maui", {"maui_config": HALVES})
        across = await story.submit(user="bob", processors=4, run_s=50.0)
        waits = await story.submit(user="ann", processors=4, run_s=500.0)
        third = await story.submit(user="ann", processors=3, run_s=500.0)
        assert (where(story, across), where(story, waits)) == (["n1"], ["n2"])
        await story.advance(60.0)
        assert story.status(third) == "waiting"
        found = explain(story.core, story.job(third), story.run(third))
        assert found.rule == "reserved-later"
        await story.change_maui("USERCFG[ann]", "PLIST=DEFAULT")
        assert where(story, third) == ["n1"]
        wide = await story.submit(user="ann", processors=5, run_s=5.0)
        assert story.status(wide) == "refused"
        # Without partitions jobs span nodes again, and what runs goes on where it is.
        await story.choose("maui", {"maui_config": "BACKFILLPOLICY FIRSTFIT"})
        across = await story.submit(user="bob", processors=1, run_s=5.0)
        assert (where(story, across), where(story, third)) == (["n1"], ["n1"])
        await story.advance(600.0)
        wide = await story.submit(user="bob", processors=8, run_s=5.0)
        assert sorted(where(story, wide)) == ["n1", "n2"]
        await assert_kept(story)


async def test_a_server_that_starts_again_keeps_to_them() -> None:
    async with live("maui", [nodes("n[1-2]", 4)]) as story:
        await story.choose("maui", {"maui_config": HALVES})
        await story.submit(user="ann", processors=4, run_s=500.0)
        waits = await story.submit(user="ann", processors=4, run_s=50.0)
        journal = story.journal
    async with live("maui", [nodes("n[1-2]", 4)], journal) as story:
        await story.settled()
        assert story.status(waits) == "waiting", "though n1 is idle"
        await story.advance(600.0)
        assert where(story, waits) == ["n2"]


async def test_a_partition_whose_nodes_are_down_keeps_nobody_else_waiting() -> None:
    async with live("maui", [nodes("n[1-2]", 4)]) as story:
        await story.choose("maui", {"maui_config": HALVES})
        await story.do(LoseNodes(["n2"], "root", "given up"))
        waits = await story.submit(user="ann", processors=2, run_s=50.0)
        other = await story.submit(user="bob", processors=4, run_s=50.0, estimate_s=5000.0)
        assert (story.status(waits), where(story, other)) == ("waiting", ["n1"])
        found = explain(story.core, story.job(waits), story.run(waits))
        assert (found.rule, found.limit) == ("wider-than-partitions", 0.0)
        await story.do(ReturnNodes(["n2"], "root"))
        assert where(story, waits) == ["n2"]
