"""Jobs over several clusters: taken or refused, placed, made longer by their messages."""

from typing import Any

import pytest

from molokini.applications.communicating import extension_s
from molokini.applications.kinds import JobKind
from molokini.model.errors import BadValue, Conflict
from molokini.model.facts import JobStarted, NodesAdded
from molokini.model.job_specs import Resources
from molokini.proto.v1 import jobs_pb2 as wire
from molokini.server.queries.explanations import explain
from molokini.server.state.queues import Queue
from molokini.server.translate import job_to_wire, spec_from_wire, spec_to_wire
from molokini.server.turn.changing import Alter, NotNow
from molokini.server.turn.checks import Limits
from molokini.server.turn.losing import LoseNodes
from molokini.server.turn.operating import DrainNodes, SetPolicy, SetQueue
from molokini.server.turn.reporting import ReturnNodes
from tests.kit.live import MemoryJournal, Story, again, live, nodes
from tests.kit.live_picture import assert_same, assert_sound

MACHINE = [nodes(f"c{k}-[1-8]", 1, cluster=f"c{k}") for k in range(4)]

POLICY = "fcfs-worstfit"


def lies(story: Story, number: int) -> list[int]:
    """Processors in each cluster, clusters in their order."""
    held = dict.fromkeys(story.state.machine.clusters, 0)
    for node, processors in story.run(number).nodes:
        held[story.state.machine.nodes[node].cluster] += processors
    return list(held.values())


async def test_each_kind_of_request_lies_as_it_asks() -> None:
    async with live(POLICY, MACHINE) as story:
        ordered = await story.submit(components=[1, 4, 2], request="ORDERED", run_s=10.0)
        assert lies(story, ordered) == [1, 4, 2, 0]
        unordered = await story.submit(components=[2, 2, 5], request="UNORDERED", run_s=10.0)
        # Largest first, each to the emptiest that is left: 7, 4, 6 and 8 are idle.
        assert lies(story, unordered) == [2, 0, 2, 5]
        total = await story.submit(processors=4, request="TOTAL", run_s=10.0)
        assert lies(story, total) == [4, 0, 0, 0]
        flexible = await story.submit(processors=9, request="FLEXIBLE", run_s=10.0)
        assert sum(lies(story, flexible)) == 9
        assert sum(part > 0 for part in lies(story, flexible)) == 3
        assert story.job(ordered).spec["resources"]["processors"] == 7
        await story.advance(10.0)
        assert {story.status(n) for n in (ordered, unordered, total, flexible)} == {"completed"}


UNEQUAL = [nodes("a[1-8]", 1, cluster="a"), nodes("b[1-4]", 1, cluster="b"), nodes("d[1-2]", 2, cluster="d")]


async def test_components_that_do_not_say_are_unordered() -> None:
    async with live(POLICY, UNEQUAL) as story:
        number = await story.submit(components=[3, 6], run_s=10.0)
        assert lies(story, number) == [6, 3, 0]


@pytest.mark.parametrize(
    ("asked", "field"),
    [
        ({"components": [9], "request": "UNORDERED"}, "processors: 9"),
        ({"components": [8, 5], "request": "UNORDERED"}, "components: 5"),
        ({"components": [4, 4, 4], "request": "UNORDERED"}, None),
        ({"components": [5, 4, 4], "request": "UNORDERED"}, None),
        ({"components": [5, 5], "request": "UNORDERED"}, "components: 5"),
        ({"components": [1, 1, 1, 1], "request": "UNORDERED"}, "components: 4"),
        ({"components": [8, 4, 4], "request": "ORDERED"}, None),
        ({"components": [4, 8], "request": "ORDERED"}, "components: 8 .*cluster b"),
        ({"components": [1, 1, 1, 1], "request": "ORDERED"}, "components: 4"),
        # Only the sum counts, however wide the components are.
        ({"components": [9, 7], "request": "FLEXIBLE"}, None),
        ({"components": [16], "request": "FLEXIBLE"}, None),
        ({"processors": 17, "request": "FLEXIBLE"}, "processors: 17"),
        ({"processors": 8, "request": "TOTAL"}, None),
        ({"components": [5, 4], "request": "TOTAL"}, "processors: 9"),
        ({"components": [9, 1]}, "components: 9"),
        ({"components": [0], "request": "UNORDERED"}, "resources.components: 0"),
        ({"components": [3, -1]}, "resources.components: -1"),
        ({"components": [2**62, 2**62]}, "resources.components"),
        ({"components": [1] * 1001, "request": "FLEXIBLE"}, "resources.components: 1001"),
        ({"processors": 4, "request": "ORDERED"}, "resources.components"),
        ({"request": "FLEXIBLE"}, "processors: 0"),
        ({"components": [2, 2], "processors": 5}, "resources.processors: 5"),
        ({"components": [2, 2], "processors": 4}, None),
        ({"components": [2, 2], "nodes": 2}, "resources.nodes"),
        ({"components": [2, 2], "request": "SIDEWAYS"}, "resources.request"),
    ],
)
async def test_only_what_no_placement_holds_is_refused(asked: dict[str, Any], field: str | None) -> None:
    async with live(POLICY, UNEQUAL) as story:
        if field is None:
            number = await story.submit(run_s=1.0, **asked)
            assert story.status(number) == "running"
            return
        with pytest.raises(BadValue, match=field):
            await story.submit(run_s=1.0, **asked)
        assert not story.state.jobs


async def test_with_one_cluster_there_is_one_component() -> None:
    async with live(POLICY, [nodes("n[1-4]", 2)]) as story:
        with pytest.raises(BadValue, match="at most the 1 cluster"):
            await story.submit(components=[2, 2])
        assert lies(story, await story.submit(components=[5], request="ORDERED", run_s=1.0)) == [5]


def ended_s(story: Story, number: int) -> float:
    end_s = story.run(number).end_s
    assert end_s is not None
    return end_s


@pytest.mark.parametrize("pattern", ["ALL_TO_ALL", "BORDERS", "ALL_TO_ALL_EACH_SECOND"])
async def test_a_job_takes_as_long_as_its_messages_make_it(pattern: str) -> None:
    talk: dict[str, Any] = {"communication": {"pattern": pattern, "inside_s": 0.5, "between_s": 10.0}}
    async with live(POLICY, MACHINE) as story:
        apart = await story.submit(components=[4, 2, 2], run_s=3.0, estimate_s=1e4, **talk)
        together = await story.submit(processors=6, request="TOTAL", run_s=3.0, estimate_s=1e4, **talk)
        alone = await story.submit(processors=1, run_s=3.0, **talk)
        await story.advance(1e4)
        kind = JobKind[pattern]
        assert ended_s(story, apart) == 3.0 + extension_s(kind, 3.0, 8, 2, 4, 0.5, 10.0)
        assert ended_s(story, together) == 3.0 + extension_s(kind, 3.0, 6, 6, 6, 0.5, 10.0)
        assert ended_s(story, alone) == 3.0 + extension_s(kind, 3.0, 1, 1, 1, 0.5, 10.0)
        assert ended_s(story, together) < ended_s(story, apart)


TALK: dict[str, Any] = {"communication": {"pattern": "ALL_TO_ALL", "inside_s": 0.5, "between_s": 10.0}}


async def test_messages_count_for_the_estimate() -> None:
    async with live(POLICY, MACHINE) as story:
        killed = await story.submit(components=[4, 4], run_s=3.0, estimate_s=5.0, **TALK)
        unsaid = await story.submit(components=[1, 1], estimate_s=5.0, **TALK)
        await story.advance(10.0)
        assert (story.status(killed), ended_s(story, killed)) == ("timed-out", 5.0)
        assert (story.status(unsaid), ended_s(story, unsaid)) == ("completed", 5.0)


async def test_work_done_grows_with_time_alone() -> None:
    async with live(POLICY, MACHINE) as story:
        number = await story.submit(components=[4, 4], run_s=3.0, **TALK)
        await story.advance(20.0)
        told = job_to_wire(story.job(number), story.run(number), story.state)
        assert told.work_s == 20.0
        assert {(part.cluster, part.processors) for part in told.allocation} == {("c0", 1), ("c1", 1)}


async def test_a_job_that_starts_again_takes_what_its_new_place_asks() -> None:
    async with live(POLICY, MACHINE) as story:
        number = await story.submit(processors=8, request="FLEXIBLE", run_s=3.0, **TALK)
        assert lies(story, number) == [8, 0, 0, 0]
        await story.advance(1.0)
        await story.do(DrainNodes([f"c{k}-1" for k in (1, 2, 3)], "root", "a fan"))
        await story.do(LoseNodes(["c0-8"], "root", "power"))
        assert lies(story, number) != [8, 0, 0, 0]
        apart = sorted(part for part in lies(story, number) if part)
        await story.advance(1e3)
        length = 3.0 + extension_s(JobKind.ALL_TO_ALL, 3.0, 8, apart[0], apart[-1], 0.5, 10.0)
        assert ended_s(story, number) == 1.0 + length
        await story.do(ReturnNodes(["c0-8"], "root"))


@pytest.mark.parametrize(
    ("changed", "field"),
    [
        ({"pattern": "GOSSIP"}, "communication.pattern"),
        ({"pattern": "NONE"}, "communication.pattern"),
        ({"inside_s": -1.0}, "communication.inside_s"),
        ({"inside_s": float("nan")}, "communication.inside_s"),
        ({"between_s": float("inf")}, "communication.between_s"),
        ({"between_s": 0.25}, "communication.between_s"),
    ],
)
async def test_messages_that_cannot_be_meant_are_refused(changed: dict[str, Any], field: str) -> None:
    async with live(POLICY, MACHINE) as story:
        with pytest.raises(BadValue, match=field):
            await story.submit(communication={**TALK["communication"], **changed})


async def test_times_of_a_message_are_the_clusters_where_the_job_does_not_say() -> None:
    async with live(POLICY, MACHINE) as story:
        with pytest.raises(Conflict, match=r"communication.inside_s.*configuration"):
            await story.submit(communication={"pattern": "BORDERS"})
        story.limits = Limits(message_inside_s=0.25, message_between_s=4.0)
        number = await story.submit(components=[1, 1], communication={"pattern": "BORDERS"}, run_s=1.0)
        await story.advance(10.0)
        assert ended_s(story, number) == 5.0
        load = {"load": 5.0, "send_s": 1.0, "compute_s": 1.0}
        with pytest.raises(Conflict, match="communication: a divisible job"):
            await story.submit(communication={"pattern": "BORDERS"}, divisible=load, estimate_s=0.0)


async def test_memory_features_and_queues_hold_for_each_component() -> None:
    machine = [
        nodes("a[1-4]", 2, cluster="a", memory_kb=1000),
        nodes("b[1-4]", 2, cluster="b", memory_kb=4000, features=["fast"]),
        nodes("d[1-4]", 2, cluster="d", memory_kb=4000),
    ]
    async with live("fcfs", machine) as story:
        big = await story.submit(components=[2, 2], memory_kb=2000, run_s=5.0)
        assert lies(story, big) == [0, 2, 2]
        fast = await story.submit(components=[3], features=["fast"], run_s=5.0)
        assert lies(story, fast) == [0, 3, 0]
        with pytest.raises(BadValue, match="resources"):
            await story.submit(components=[3, 3], features=["fast"])
        await story.do(SetQueue(Queue("own", nodes=("a1", "a2", "d4")), "root"))
        own = await story.submit(components=[1, 4], queue="own", run_s=5.0)
        assert lies(story, own) == [4, 0, 1]


async def test_it_is_explained_where_processors_are_free_and_where_not() -> None:
    async with live(POLICY, MACHINE) as story:
        await story.submit(components=[5, 5, 5, 5], run_s=9.0)
        wide = await story.submit(components=[4], run_s=9.0)
        told = explain(story.core, story.job(wide), story.run(wide))
        assert told.rule == "not-enough-free"
        assert told.text == (
            "4 processors are requested, 12 are free, but not in the clusters that it asks for: "
            "3 of c0, 3 of c1, 3 of c2, 3 of c3"
        )
        wanted = ["the end of running jobs", "smaller components, or a flexible request"]
        assert list(told.what_would_help) == wanted
        await story.do(Alter(wide, "ann", {"resources": {"processors": 13}}, Limits(), True))
        told = explain(story.core, story.job(wide), story.run(wide))
        assert told.text == "13 processors are requested, 12 are free"


async def test_it_is_explained_that_processors_are_free_on_the_wrong_nodes() -> None:
    async with live("fcfs", [nodes("n[1-2]", 4)]) as story:
        for _ in range(2):
            await story.submit(nodes=1, processors_per_node=3, run_s=9.0)
        pair = await story.submit(nodes=1, processors_per_node=2, run_s=9.0)
        told = explain(story.core, story.job(pair), story.run(pair))
        assert (
            told.text == "2 processors are requested, 2 are free, but not on nodes that could hold its tasks"
        )


@pytest.mark.parametrize("policy", ["easy", "sjf"])
async def test_other_policies_place_them_all_the_same(policy: str) -> None:
    async with live(policy, MACHINE) as story:
        number = await story.submit(components=[3, 2], run_s=5.0, **TALK)
        wide = await story.submit(components=[8, 8, 8], run_s=5.0, estimate_s=1e3, **TALK)
        assert lies(story, number) == [3, 2, 0, 0]
        await story.advance(1e3)
        assert sorted(lies(story, wide)) == [0, 8, 8, 8]
        assert story.status(wide) == "completed"


@pytest.mark.parametrize("policy", ["conservative", "srpt"])
@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ({"components": [3, 2]}, "components .3, 2., processors 5"),
        ({"processors": 4, "request": "FLEXIBLE"}, "processors 4, request FLEXIBLE"),
        ({"nodes": 2, "processors_per_node": 1}, "nodes 2, processors_per_node 1"),
    ],
)
async def test_a_counting_policy_refuses_wishes_for_it(policy: str, asked: Resources, told: str) -> None:
    async with live(policy, MACHINE) as story:
        with pytest.raises(Conflict, match=rf"resources: policy {policy} .*\(needs_nodes\).* wants {told}"):
            await story.submit(**asked, run_s=5.0)
        plain = await story.submit(processors=20, run_s=5.0)
        waiting = await story.submit(processors=20, run_s=5.0)
        with pytest.raises(Conflict, match="needs_nodes"):
            await story.do(Alter(waiting, "ann", {"resources": asked}, Limits(), True))
        # What does not touch its resources may be altered.
        await story.do(Alter(waiting, "ann", {"comment": "soon"}, Limits(), True))
        assert story.status(plain) == "running"


async def test_such_a_policy_does_not_take_over_from_one_that_took_such_jobs() -> None:
    async with live("easy", MACHINE) as story:
        first = await story.submit(components=[3, 2], run_s=5.0)
        with pytest.raises(NotNow, match=r"policy srpt looks at no nodes \(needs_nodes\), .* job 1 wishes"):
            await story.do(SetPolicy("srpt", {}, "root"))
        await story.submit(components=[3, 2], run_s=5.0)
        with pytest.raises(NotNow, match="2 jobs wish"):
            await story.do(SetPolicy("srpt", {}, "root"))
        await story.advance(5.0)
        assert story.status(first) == "completed"
        await story.do(SetPolicy("srpt", {}, "root"))
        with pytest.raises(Conflict, match="policy srpt only counts"):
            await story.submit(components=[3, 2], run_s=5.0)
        await story.do(SetPolicy("easy", {}, "root"))
        # Accepted before and again: what a policy takes is not remembered for another one.
        assert await story.submit(components=[3, 2], run_s=5.0) == 3


async def test_conservative_by_cluster_takes_over_such_jobs() -> None:
    async with live("easy", MACHINE) as story:
        await story.submit(components=[3, 2], run_s=5.0)
        with pytest.raises(NotNow, match="policy conservative looks at no nodes"):
            await story.do(SetPolicy("conservative", {}, "root"))
        with pytest.raises(BadValue, match="one of anywhere, clusters"):
            await story.do(SetPolicy("conservative", {"place": "racks"}, "root"))
        await story.choose("conservative", {"place": "clusters"})
        number = await story.submit(components=[3, 2], run_s=5.0)
        assert sorted(lies(story, number)) == [0, 0, 2, 3]


async def test_components_may_be_altered_while_it_waits() -> None:
    async with live(POLICY, MACHINE) as story:
        await story.submit(processors=32, run_s=5.0)
        number = await story.submit(components=[2, 2], run_s=5.0)
        with pytest.raises(BadValue, match="processors: 9"):
            await story.do(Alter(number, "ann", {"resources": {"components": [9]}}, Limits(), True))
        wanted: Resources = {"components": [3, 1], "request": "ORDERED"}
        await story.do(Alter(number, "ann", {"resources": wanted}, Limits(), True))
        assert story.job(number).spec["resources"] == {**wanted, "processors": 4}
        await story.advance(5.0)
        assert lies(story, number) == [3, 1, 0, 0]


async def test_one_agent_a_cluster_and_a_job_over_all_of_them() -> None:
    journal = MemoryJournal()
    async with live("easy-worstfit", MACHINE[:1], journal) as story:
        for place, offer in enumerate(MACHINE[1:], 1):
            await story.join_beside([offer], f"agent{place}")
        assert list(story.state.machine.clusters.values()) == [8, 8, 8, 8]
        number = await story.submit(components=[4, 4, 4, 4], run_s=3.0, estimate_s=1e3, **TALK)
        assert lies(story, number) == [4, 4, 4, 4]
        await story.advance(500.0)
        assert ended_s(story, number) == 3.0 + extension_s(JobKind.ALL_TO_ALL, 3.0, 16, 4, 4, 0.5, 10.0)
        assert [fact.cluster for fact in journal.facts(NodesAdded)] == ["c0", "c1", "c2", "c3"]
        assert len(journal.facts(JobStarted)) == 1


async def test_recovery_equals_life_and_ends_when_it_would_have() -> None:
    journal = MemoryJournal()
    async with live("conservative-worstfit", MACHINE, journal) as story:
        runs = await story.submit(components=[4, 2, 2], run_s=3.0, estimate_s=1e3, **TALK)
        waits = await story.submit(components=[8, 8, 8], run_s=3.0, estimate_s=1e3, **TALK)
        await story.advance(30.0)
        assert_same(await again(journal), story.state)
        assert_sound(story.state)
    async with live("conservative-worstfit", MACHINE, MemoryJournal(journal.entries, 2)) as story:
        assert story.run(runs).parts == (4, 2, 2)
        await story.advance(1e3)
        length = 3.0 + extension_s(JobKind.ALL_TO_ALL, 3.0, 8, 2, 4, 0.5, 10.0)
        assert ended_s(story, runs) == length
        assert story.run(waits).start_s == length
        assert ended_s(story, waits) == length + 3.0 + extension_s(
            JobKind.ALL_TO_ALL, 3.0, 24, 8, 8, 0.5, 10.0
        )


def test_a_specification_comes_back_from_the_journal_as_it_was_sent() -> None:
    sent = wire.JobSpec(
        resources=wire.Resources(components=[4, 2, 2], request=wire.Resources.ORDERED),
        communication=wire.Communication(pattern=wire.Communication.BORDERS, inside_s=0.0, between_s=1.0),
    )
    kept = spec_from_wire(sent).spec
    assert kept["resources"] == {"components": [4, 2, 2], "request": "ORDERED"}
    assert kept["communication"] == {"pattern": "BORDERS", "inside_s": 0.0, "between_s": 1.0}
    assert spec_to_wire(kept) == sent


@pytest.mark.parametrize(
    "sent",
    [
        {"resources": wire.Resources(request=99)},  # type: ignore[arg-type]
        {"communication": wire.Communication()},
        {"communication": wire.Communication(pattern=99)},  # type: ignore[arg-type]
    ],
)
def test_kinds_that_there_are_not_are_refused(sent: dict[str, Any]) -> None:
    with pytest.raises(BadValue, match=r"request|pattern"):
        spec_from_wire(wire.JobSpec(**sent))
