"""Real processes stay where they are: policies that would move them are refused, and a resume waits."""

from pathlib import Path
from typing import Any

import pytest

from molokini.agents.session import RegistrationRefused
from molokini.model.errors import BadInput, Conflict
from molokini.server.server import Server, Settings
from molokini.server.turn.changing import NotNow
from molokini.server.turn.operating import ChangeMauiParameter, SetPolicy
from molokini.server.turn.preempting import ResumeJob, SuspendJob
from tests.kit.live import MemoryJournal, live, nodes
from tests.kit.live_picture import assert_kept, assert_sound

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
TOLD = "policy: srpt moves jobs between nodes, and those on the real node n1 cannot be: choose another policy"


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


async def test_the_refusal_says_what_to_do() -> None:
    async with live(offers=[nodes("n[1-2]", real=True)]) as story:
        with pytest.raises(Conflict) as refused:
            await story.do(SetPolicy("srpt", {}, "root"))
        assert str(refused.value).startswith(TOLD)


async def test_mauis_parameter_for_it_is_refused_too() -> None:
    async with live("maui", offers=[nodes("n[1-2]", real=True)]) as story:
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


@pytest.mark.parametrize("asked", [{"nodes": 1, "processors_per_node": 3}, {"processors": 3}])
async def test_a_resume_goes_on_on_the_nodes_of_the_job_and_on_no_others(asked: dict[str, Any]) -> None:
    """One task of three processors needs them all, and so do three tasks of one."""
    async with live(offers=[nodes("n[1-2]", real=True)]) as story:
        job = await story.submit(**asked, run_s=50.0)
        await story.do(SuspendJob(job, -1, "root"))
        blocking = await story.submit(nodes=1, processors_per_node=2, run_s=5.0)
        assert (story.run(job).nodes, story.run(blocking).nodes) == (((0, 3),), ((0, 2),))
        with pytest.raises(NotNow, match="no room on node n1 now, and real processes stay where they are"):
            await story.do(ResumeJob(job, -1, "root"))
        await story.advance(6.0)
        elsewhere = await story.submit(nodes=1, processors_per_node=1, run_s=50.0)
        assert story.run(elsewhere).nodes == ((0, 1),)
        await story.do(ResumeJob(job, -1, "root"))
        assert (story.status(job), story.run(job).nodes) == ("running", ((0, 3),))
        await assert_kept(story)


async def test_a_resume_finds_its_place_where_processors_were_counted() -> None:
    async with live(offers=[nodes("n[1-2]", real=True)]) as story:
        job = await story.submit(processors=6, run_s=50.0)
        assert story.run(job).nodes == ((0, 4), (1, 2))
        await story.do(SuspendJob(job, -1, "root"))
        await story.do(ResumeJob(job, -1, "root"))
        assert (story.status(job), story.run(job).nodes) == ("running", ((0, 4), (1, 2)))
        assert_sound(story.state)
