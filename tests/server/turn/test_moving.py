"""Real processes stay where they are: policies that would move them are refused, rows keep to their nodes."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from molokini.agents.session import RegistrationRefused
from molokini.model.errors import BadInput, Conflict, MolokiniError
from molokini.proto.v1 import agent_service_pb2 as wire
from molokini.server.server import Server, Settings
from molokini.server.services.slicing_service import sliced_jobs
from molokini.server.turn.changing import NotNow
from molokini.server.turn.losing import LoseNodes
from molokini.server.turn.operating import ChangeMauiParameter, DrainNodes, SetPolicy
from molokini.server.turn.preempting import ResumeJob, SuspendJob
from molokini.server.turn.reporting import ReturnNodes
from tests.kit.live import MemoryJournal, Story, live, nodes
from tests.kit.live_picture import assert_kept, assert_sound
from tests.kit.matrix_rows import picture
from tests.kit.voices import Voice, joined


@pytest.mark.parametrize(
    ("names", "real", "policy", "refused"),
    [
        ("n[1-2]", True, ("srpt", {}), True),
        ("n[1-2]", True, ("maui", {"preempt": "suspend"}), True),
        ("n[1-2]", True, ("maui", {"preempt": "requeue"}), False),
        ("n[1-2]", True, ("easy", {}), False),
        # On one node there is no other place.
        ("n1", True, ("srpt", {}), False),
        ("n[1-2]", False, ("srpt", {}), False),
    ],
)
async def test_a_policy_that_moves_jobs_is_refused_where_nodes_are_real(
    names: str, real: bool, policy: tuple[str, dict[str, str]], refused: bool
) -> None:
    async with live(offers=[nodes(names, real=real)]) as story:
        change = SetPolicy(*policy, "root")
        if not refused:
            await story.do(change)
            return
        with pytest.raises(Conflict, match=f"{policy[0]} moves jobs between nodes"):
            await story.do(change)
        assert story.state.policy == ("fcfs", {})


TOLD = "policy: srpt moves jobs between nodes, and those on the real node n1 cannot be: choose another policy"


async def test_the_refusal_says_what_to_do_and_mauis_parameter_is_refused_too() -> None:
    async with live("maui", offers=[nodes("n[1-2]", real=True)]) as story:
        with pytest.raises(Conflict) as refused:
            await story.do(SetPolicy("srpt", {}, "root"))
        assert str(refused.value).startswith(TOLD)
        with pytest.raises(Conflict, match="maui moves jobs"):
            await story.do(ChangeMauiParameter("PREEMPTPOLICY", "SUSPEND", "root"))
        await story.do(ChangeMauiParameter("PREEMPTPOLICY", "REQUEUE", "root"))


@pytest.mark.parametrize(("first", "second"), [(True, True), (True, False), (False, True)])
async def test_an_agent_of_real_nodes_does_not_join_such_a_policy(first: bool, second: bool) -> None:
    """Nothing that runs changes, and whoever starts the agent is told at once."""
    async with live("srpt", offers=[nodes("n1", real=first)]) as story:
        with pytest.raises(RegistrationRefused, match=r"policy srpt moves jobs .* then let the agent join"):
            await story.join_beside([nodes("m1", real=second)], "other")
        assert [record.name for record in story.state.machine.nodes] == ["n1"]


async def test_nodes_that_all_pretend_join_it() -> None:
    async with live("srpt", offers=[nodes("n1")]) as story:
        await story.join_beside([nodes("m1")], "other")
        assert len(story.state.machine.nodes) == 2


async def test_a_server_does_not_start_with_such_a_policy_in_its_configuration() -> None:
    journal = MemoryJournal()
    async with live(offers=[nodes("n[1-2]", real=True)], journal=journal):
        pass
    with pytest.raises(BadInput, match="srpt moves jobs"):
        await Server.open(journal, Settings("srpt", clock=None))


MOVER = """
from molokini.cycle.verbs import migrate, resume, start, suspend
from molokini.model.policy import Policy
from molokini.tables.tables import View

POLICY = Policy(name="mover", summary="moves", promise="none", source="a test")


def schedule(view: View, now: float) -> None:
    for k in range(view.queue.running_count):
        migrate(view, view.queue.running[k])
    for k in range(view.queue.head, view.queue.tail):
        start(view, view.queue.waiting[k])
"""


@pytest.mark.deep
async def test_a_file_that_does_not_declare_its_moves_decides_nothing(tmp_path: Path) -> None:
    policy = tmp_path / "mover.py"
    policy.write_text(MOVER, encoding="utf-8")
    async with live(str(policy), offers=[nodes("n[1-2]", real=True)]) as story:
        job = await story.submit(nodes=1, processors_per_node=4)
        assert story.run(job).nodes == ((0, 4),)
        await story.submit(nodes=1, processors_per_node=4)
        await story.until(lambda: bool(story.core.reactor.last_policy_error))
        told = f"decided to move job {job}, whose real processes stay on node n1"
        assert told in story.core.reactor.last_policy_error
        await story.settled()
        assert story.run(job).nodes == ((0, 4),)
        assert_sound(story.state)


# Rows on real nodes.


TWO_ROWS = {"mpl": "2", "quantum_s": "0.1"}


@asynccontextmanager
async def taking_turns(names: str = "n[1-2]", processors: int = 2) -> AsyncIterator[Story]:
    """A server whose real nodes take turns in two rows."""
    async with live("easy", [nodes(names, processors, real=True)]) as story:
        await choose_rows(story, "gs")
        yield story


async def choose_rows(story: Story, policy: str, **values: str) -> None:
    """Let this policy decide from now on."""
    await story.choose(policy, {**TWO_ROWS, **values})


@pytest.mark.parametrize("policy", ["gs", "bgs"])
async def test_a_job_runs_on_the_nodes_of_its_columns(policy: str) -> None:
    async with taking_turns() as story:
        await choose_rows(story, policy)
        jobs = [await story.submit(processors=width, run_s=10.0) for width in (3, 1, 2, 2)]
        assert picture(story.state.tables) == ["1112", "3344"]
        found = [story.run(job).nodes for job in jobs]
        assert found == [((0, 2), (1, 1)), ((1, 1),), ((0, 2),), ((1, 2),)]
        assert_sound(story.state)
        await story.advance(100.0)
        assert [story.run(job).end_s for job in jobs] == [20.0] * 4


async def test_an_agent_hears_of_slices_on_one_grid() -> None:
    async with live("easy", []) as story:
        story.state.zero_s = lambda: 1000.25
        voice = await joined(story, offers=[nodes("n1", 2, real=True)])
        await choose_rows(story, "gs", mpl="4", context_switch="0.5")
        first = await story.submit(processors=2, run_s=30.0)
        second = await story.submit(processors=2, run_s=30.0)
        one, other = await voice.hears("launch", 2)
        # Alone it has all rows; the change of rows takes its part all the same.
        assert (one.rate, list(one.slicing.row), one.HasField("rows")) == (0.5, [0, 1, 2, 3], False)
        assert (other.rate, list(other.slicing.row), other.HasField("rows")) == (0.25, [1, 3], False)
        [order] = await voice.hears("order")
        assert (order.kind, order.attempt.job_id, order.rate) == (wire.Order.SLICE, first, 0.25)
        assert (list(order.slicing.row), order.slicing.rows, order.slicing.quantum_s) == ([0, 2], 4, 0.1)
        assert order.slicing.origin_s == pytest.approx(1000.25 % 0.4)
        listed = {line.job.id: list(line.slicing.row) for line in sliced_jobs(story.core).jobs}
        assert listed == {first: [0, 2], second: [1, 3]}


async def test_a_change_of_rows_is_told_though_the_work_goes_on_as_before() -> None:
    """By rates one row is like another; on real nodes it is not."""
    async with live("easy", []) as story:
        voice = await joined(story, offers=[nodes("n1", 2, real=True)])
        await choose_rows(story, "gs", mpl="3")
        jobs = [await story.submit(processors=width, run_s=30.0) for width in (1, 1, 2, 1, 1, 2)]
        assert picture(story.state.tables) == ["12", "33", "45"]
        for ended in (jobs[1], jobs[3]):
            left = len(story.state.by_row)
            voice.report(wire.Report.ENDED, ended)
            while len(story.state.by_row) == left:
                await story.settled()
        assert picture(story.state.tables) == ["66", "33", "15"]
        told = {one.attempt.job_id: one for one in voice.of("launch")}
        told |= {one.attempt.job_id: one for one in voice.of("order")}
        assert {job: list(told[job].slicing.row) for job in (1, 3, 5, 6)} == {1: [2], 3: [1], 5: [2], 6: [0]}
        assert {told[job].rate for job in (1, 3, 5, 6)} == {1 / 3}


async def test_an_agent_that_comes_again_hears_of_the_same_slices() -> None:
    async with live("easy", []) as story:
        voice = await joined(story, offers=[nodes("n1", 2, real=True)])
        await choose_rows(story, "gs")
        for _ in range(2):
            await story.submit(processors=2, run_s=30.0)
        await voice.hears("launch", 2)
        await voice.gone()
        other = Voice(story, boot_id="b2")
        other.register(nodes("n1", 2, real=True))
        [welcome] = await other.hears("welcome")
        assert [(list(one.slicing.row), one.rate) for one in welcome.attempts] == [([0], 0.5), ([1], 0.5)]


async def test_one_row_is_no_slice() -> None:
    async with live("easy", []) as story:
        voice = await joined(story, offers=[nodes("n1", 2, real=True)])
        await choose_rows(story, "gs", mpl="1", quantum_s="0.001")
        await story.submit(processors=2, run_s=30.0)
        [launch] = await voice.hears("launch")
        assert (launch.HasField("slicing"), launch.rate) == (False, 1.0)


@pytest.mark.parametrize(
    ("policy", "values", "told"),
    [
        ("mgs", {}, "policy: mgs migrates jobs, and real processes cannot be: choose gs or bgs"),
        ("mbgs", {}, "policy: mbgs migrates jobs, and real processes cannot be"),
        ("buddy-gang", {}, "policy: buddy-gang has rows of no fixed number"),
        ("gs", {"quantum_s": "0.009"}, "quantum_s: 0.009 is not allowed; it must be from 0.01 to 86,400 s"),
        ("bgs", {"mpl": "5", "quantum_s": "0.004"}, "quantum_s: 0.004 is not allowed; it must be from 0.005"),
        ("gs", {"quantum_s": "86401"}, "quantum_s: 86401.0 is not allowed"),
    ],
)
async def test_what_real_nodes_cannot_do_is_refused(policy: str, values: dict[str, str], told: str) -> None:
    """By command, when an agent joins, and when a server starts."""
    migrating = {**TWO_ROWS, "migration_cost": "0"}
    usual = {"mgs": migrating, "mbgs": migrating, "buddy-gang": {}}
    values = {**usual.get(policy, TWO_ROWS), **values}
    journal = MemoryJournal()
    async with live("easy", [nodes("n1", 2, real=True)], journal=journal) as story:
        with pytest.raises(BadInput) as refused:
            await story.do(SetPolicy(policy, values, "root"))
        assert str(refused.value).startswith(told)
    with pytest.raises(BadInput) as refused:
        await Server.open(journal, Settings(policy, parameters=values, clock=None))
    assert str(refused.value).startswith(told)
    async with live("easy", [nodes("n1", 2)]) as story:
        await story.do(SetPolicy(policy, values, "root"))
        with pytest.raises(RegistrationRefused, match=told.split(":")[-1].strip()):
            await story.join_beside([nodes("m1", 2, real=True)], "other")


async def test_real_jobs_outside_of_rows_end_first() -> None:
    """Their processes are where no column of theirs need be."""
    async with live("easy", [nodes("n[1-2]", 2, real=True)]) as story:
        job = await story.submit(processors=2, run_s=10.0)
        with pytest.raises(NotNow, match=f"job {job} runs on node n1, outside of rows: gs has to wait until"):
            await choose_rows(story, "gs")
        await story.advance(10.0)
        await choose_rows(story, "gs")
        await story.submit(processors=2, run_s=10.0)
        await choose_rows(story, "bgs")


async def test_a_resumed_job_stands_in_its_own_columns_again_or_waits() -> None:
    async with taking_turns() as story:
        a, b, c = [await story.submit(processors=2, run_s=40.0) for _ in range(3)]
        assert picture(story.state.tables) == ["1122", "3322"]
        await story.do(SuspendJob(b, -1, "root"))
        d, e = [await story.submit(processors=2, run_s=10.0) for _ in range(2)]
        assert picture(story.state.tables) == ["1144", "3355"]
        with pytest.raises(MolokiniError, match="no room on node n2 now, and real processes stay"):
            await story.do(ResumeJob(b, -1, "root"))
        await assert_kept(story)
        await story.advance(20.0)
        await story.do(ResumeJob(b, -1, "root"))
        assert picture(story.state.tables) == ["1122", "3322"]
        assert story.run(b).nodes == ((1, 2),)
        await assert_kept(story)
        await story.advance(200.0)
        assert [story.status(job) for job in (a, b, c, d, e)] == ["completed"] * 5


async def test_jobs_beside_a_lost_node_stay_where_they_are() -> None:
    async with taking_turns("n[1-3]") as story:
        jobs = [await story.submit(processors=2, run_s=50.0) for _ in range(3)]
        await story.do(LoseNodes(["n2"], "root", "power"))
        # What was on the node stands behind the first one; what was on the third stays there.
        assert picture(story.state.tables) == ["11..33", "22..33"]
        assert [story.run(job).nodes for job in jobs] == [((0, 2),), ((0, 2),), ((2, 2),)]
        assert_sound(story.state)
        await story.do(ReturnNodes(["n2"], "root"))
        late = [await story.submit(processors=width, run_s=50.0) for width in (4, 2)]
        assert picture(story.state.tables) == ["115533", "224444"]
        assert [story.run(job).nodes for job in late] == [((1, 2), (2, 2)), ((1, 2),)]
        await story.advance(500.0)
        assert [story.status(job) for job in (*jobs, *late)] == ["completed"] * 5


async def test_a_draining_node_keeps_its_jobs_and_gets_no_others() -> None:
    async with taking_turns("n[1-2]") as story:
        first, wide = [await story.submit(processors=width, run_s=20.0) for width in (2, 4)]
        await story.do(DrainNodes(["n1"], "root", "repair"))
        later = await story.submit(processors=2, run_s=20.0)
        assert picture(story.state.tables) == ["1133", "2222"]
        assert story.run(later).nodes == ((1, 2),)
        last = await story.submit(processors=2, run_s=20.0)
        assert story.status(last) == "waiting"
        await story.advance(500.0)
        assert story.run(last).nodes == ((1, 2),)
        assert [story.status(job) for job in (first, wide, later, last)] == ["completed"] * 4
        assert_sound(story.state)
