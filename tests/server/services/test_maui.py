"""What a server under the policy maui tells: parts of priorities, steps of iterations, its configuration."""

import asyncio
import json
import logging
from pathlib import Path

import pytest

from molokini.app.reloading import Reloader
from molokini.client.client import Client
from molokini.model.errors import MolokiniError
from molokini.policies.maui.configuration.words import Component
from molokini.proto.v1.cluster_service_pb2 import Reservation
from molokini.proto.v1.jobs_pb2 import JobState
from molokini.server.config import load_config
from molokini.server.security.roles import Role
from tests.kit.live import nodes
from tests.kit.maui_file import maui_file, under_maui
from tests.kit.serving import Served, served
from tests.kit.waiting import DEADLINE_S

ROOT = ("root", Role.ADMINISTRATOR)
MORE, LESS = "more than the limit for one job", "fewer processors than the least allowed"


async def crowd(one: Served) -> list[int]:
    """One job that fills the machine (16 processors), and three of different people that wait for it."""
    async with one.client() as ann, one.client("bob") as bob:
        return [
            await ann.submit(processors=16, estimate_s=5000),
            await bob.submit(processors=16, estimate_s=5000),
            await ann.submit(processors=8, estimate_s=5000, qos="high"),
            await bob.submit(processors=2, estimate_s=500),
        ]


async def test_a_priority_is_told_by_its_parts_which_add_up(tmp_path: Path) -> None:
    async with under_maui(tmp_path, "FSWEIGHT 1") as (one, root):
        jobs = await crowd(one)
        await root.advance(3000)
        for job in jobs[1:]:
            found = await root.explain(job)
            assert found.rule not in ("", "none")
            assert found.text
            assert found.priority == pytest.approx(sum(part.product for part in found.priority_parts))
            for part in found.priority_parts:
                assert part.product == pytest.approx(part.component_weight * part.weight * part.factor)
        high = {part.subcomponent: part for part in (await root.explain(jobs[2])).priority_parts}
        assert (high["queue-time"].factor, high["queue-time"].weight) == (50.0, 1.0)
        assert (high["qos"].factor, high["user"].factor, high["processors"].product) == (500, 100, 16)
        assert high["fairshare-user"].factor == pytest.approx(10 - 100), "ann has had all there was"
        assert {part.component for part in high.values()} <= {one.name.lower() for one in Component}
        # Her job stands first, has the first reservation, and nobody is in front of it.
        found = await root.explain(jobs[2])
        assert found.reserved_s == 5000
        t = one.core.state.tables
        element = one.core.state.jobs[jobs[2]].element
        assert element is not None
        assert t.jobs.reserved_s[element.row] == 5000


async def test_a_job_that_may_not_start_has_no_reservation(tmp_path: Path) -> None:
    async with under_maui(tmp_path, "REJECTNEGPRIOJOBS TRUE") as (one, root):
        jobs = await crowd(one)
        await root.advance(3000)
        found = await root.explain(jobs[2])
        assert found.priority < 0
        assert found.rule == "negative-priority"
        assert not found.HasField("reserved_s")


async def test_an_iteration_is_told_step_by_step_and_a_dry_run_does_nothing(tmp_path: Path) -> None:
    async with served(tmp_path, "maui", policy__maui_config=str(maui_file(tmp_path))) as one:
        jobs = await crowd(one)
        async with one.client(*ROOT) as root:
            serial = one.core.journal.last_serial
            told = await root.trace_iteration(dry_run=True)
            assert one.core.journal.last_serial == serial
            assert [step.number for step in told.steps] == list(range(1, 9))
            counts = {count.what: count.count for step in told.steps for count in step.counts}
            assert (counts["jobs-waiting"], counts["jobs-running"], counts["prioritized"]) == (3, 1, 3)
            weighed = [line.job_id for line in told.steps[4].jobs]
            assert sorted(weighed) == sorted(jobs[1:])
            assert [line.priority for line in told.steps[4].jobs] == sorted(
                (line.priority for line in told.steps[4].jobs), reverse=True
            )
            waiting = {
                line.job_id: line.reason
                for step in told.steps
                for line in step.jobs
                if line.decision == "wait"
            }
            assert set(waiting) == set(jobs[1:])
            assert all(waiting.values())
            passes = one.core.reactor.passes
            await root.trace_iteration()
            assert one.core.reactor.passes > passes


async def test_other_policies_have_no_such_steps(root: Client) -> None:
    with pytest.raises(MolokiniError, match="maui"):
        await root.trace_iteration(dry_run=True)
    with pytest.raises(MolokiniError, match="maui"):
        await root.change_maui_parameter("BACKFILLDEPTH", "3")


async def test_the_configuration_in_force_is_shown_and_changed_by_administrators(tmp_path: Path) -> None:
    file = maui_file(tmp_path)
    async with served(tmp_path, "maui", policy__maui_config=str(file)) as one:
        async with one.client() as ann:
            assert "FSINTERVAL" in (await ann.policy()).maui_config
            with pytest.raises(MolokiniError, match="administrator"):
                await ann.change_maui_parameter("BACKFILLDEPTH", "3")
        async with one.client(*ROOT) as root:
            changed = await root.change_maui_parameter("BACKFILLDEPTH", "3")
            assert changed.parameters["backfill_depth"] == "3"
            assert "BACKFILLDEPTH 3" in changed.maui_config
            assert "hush" not in changed.maui_config
            # What is set beside it is kept apart, and the configuration stays.
            beside = await root.set_policy("maui", {"windows": "merged"})
            assert (beside.parameters["windows"], beside.parameters["backfill_depth"]) == ("merged", "3")
            assert dict(beside.given) == {"windows": "merged"}
            with pytest.raises(MolokiniError, match="BACKFILLDEPTH"):
                await root.change_maui_parameter("BACKFILLDEPTH", "-3")
            assert (await root.policy()).parameters["backfill_depth"] == "3"
            json.dumps(dict(beside.parameters))


async def test_a_reload_of_a_bad_file_changes_nothing(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    file = maui_file(tmp_path)
    toml = tmp_path / "cluster.toml"
    toml.write_text(
        'nodes = [{names = "n[1-4]", processors = 4}]\n[policy]\nname = "maui"\nmaui_config = "maui.cfg"\n'
    )
    given = {"server.journal": str(tmp_path / "state")}
    async with (
        served(tmp_path, "maui", offers=[nodes("n[1-4]", 4)], policy__maui_config=str(file)) as one,
        one.client(*ROOT) as root,
    ):
        reloader = Reloader(one.server, lambda: load_config(toml, given))
        await root.change_maui_parameter("BACKFILLDEPTH", "3")
        maui_file(tmp_path, "BACKFILLPOLICY SOMETIMES")
        with caplog.at_level(logging.ERROR):
            await reloader.reload()
        assert "nothing has changed" in caplog.text
        assert "maui.cfg:" in caplog.text
        assert (await root.policy()).parameters["backfill_depth"] == "3"
        maui_file(tmp_path, "BACKFILLPOLICY BESTFIT")
        await reloader.reload()
        found = await root.policy()
        assert (found.parameters["backfill"], found.parameters["backfill_depth"]) == ("bestfit", "0")


async def test_what_is_said_of_particular_nodes_counts_for_those_that_join(tmp_path: Path) -> None:
    lines = ["NODEALLOCATIONPOLICY PRIORITY", "NODECFG[DEFAULT] PRIORITYF=PRIORITY"]
    lines += ["NODECFG[n3] PRIORITY=50", "NODECFG[n2] PRIORITY=20"]
    async with under_maui(tmp_path, *lines) as (one, _), one.client() as ann:
        jobs = [await ann.submit(processors=4, estimate_s=5000, nodes=1) for _ in range(2)]
        found = [[one.node for one in (await ann.job(job)).allocation] for job in jobs]
        assert found == [["n3"], ["n2"]]


async def test_who_is_kept_out_by_reservations_alone_is_told_so(tmp_path: Path) -> None:
    path = tmp_path / "maui.cfg"
    night = "STARTTIME=1:00:00 ENDTIME=2:00:00 DEPTH=1"
    path.write_text(
        f"BACKFILLPOLICY FIRSTFIT\nSRCFG[a] {night} TASKCOUNT=2 RESOURCES=PROCS:1 USERLIST=ann\n"
        f"SRCFG[b] {night} HOSTLIST=n1,n2 USERLIST=bob\n"
        "NODECFG[n1] PARTITION=old\nNODECFG[n2] PARTITION=old\n"
    )
    async with (
        served(tmp_path, "maui", [nodes("n[1-4]", 4)], policy__maui_config=str(path)) as one,
        one.client() as ann,
        one.client(*ROOT) as root,
    ):
        await root.create_reservation(Reservation(name="eve", processors=6, start_s=3600.0, end_s=7200.0))
        job = await ann.submit(processors=8, estimate_s=5400, outcome={"run_s": 10})
        assert (await root.explain(job)).rule == "reserved-for-others"


@pytest.mark.parametrize(
    ("line", "processors", "estimate_s", "why"),
    [
        ("SYSTEMMAXPROCPERJOB 12", 16, 50, f"{MORE} (SYSTEMMAXPROCPERJOB is 12)"),
        ("CLASSCFG[DEFAULT] MAX.WCLIMIT=1000", 1, 5000, f"{MORE} (MAX.WCLIMIT of its class is 1000)"),
        ("CLASSCFG[default] MIN.PROC=4", 3, 50, f"{LESS} (MIN.PROC of its class is 4)"),
    ],
)
async def test_a_job_that_was_refused_is_told_which_limit_it_breaks(
    tmp_path: Path, line: str, processors: int, estimate_s: int, why: str
) -> None:
    async with under_maui(tmp_path, line) as (one, root), one.client("bob") as bob:
        refused = await bob.submit(processors=processors, estimate_s=estimate_s)
        found = await root.explain(refused)
        assert (found.rule, found.text) == ("ended", f"it has ended: refused: it asks for {why}")
        assert (await root.job(await bob.submit(processors=4, estimate_s=90))).state == JobState.RUNNING


async def test_a_job_without_an_estimate_has_that_of_its_class(tmp_path: Path) -> None:
    lines = ("CLASSCFG[default] DEFAULT.WCLIMIT=100", "SYSTEMDEFAULTJOBWALLTIME 300")
    async with under_maui(tmp_path, *lines) as (one, root), one.client() as ann:

        async def estimated(estimate_s: float = 0.0) -> float:
            job = await ann.submit(processors=1, held=True, estimate_s=estimate_s)
            return float((await ann.job(job)).spec.estimate_s)

        assert [await estimated(), await estimated(70.0)] == [100, 70]
        # It ends there.
        job = await ann.submit(processors=1, outcome={"run_s": 5000})
        await root.advance(100)
        assert (await ann.job(job)).state == JobState.TIMED_OUT
        # What was given at the submission stays; the next job gets what is said then.
        waits = await ann.submit(processors=1, held=True)
        await root.change_maui_parameter("CLASSCFG[default]", "DEFAULT.WCLIMIT=200")
        assert [await estimated(), (await ann.job(waits)).spec.estimate_s] == [200, 100]
        await root.change_maui_parameter("CLASSCFG[default]", "DEFAULT.WCLIMIT=0")
        assert await estimated() == 300
        await root.change_maui_parameter("SYSTEMDEFAULTJOBWALLTIME", "0")
        assert await estimated() == one.core.state.queues["default"].default_estimate_s


async def test_a_job_may_run_past_its_limit_and_what_runs_follows_a_change(tmp_path: Path) -> None:
    text = "JOBMAXOVERRUN 50\nRMPOLLINTERVAL 1:00:00\n"
    async with under_maui(tmp_path, text=text) as (one, root), one.client() as ann:
        long, short, plain = [
            await ann.submit(processors=1, estimate_s=100, **more)  # type: ignore[arg-type]
            for more in ({"outcome": {"run_s": 5000}}, {"outcome": {"run_s": 120}}, {})
        ]

        async def states() -> list[int]:
            return [(await ann.job(job)).state for job in (long, short, plain)]

        await root.advance(100)
        assert await states() == [JobState.RUNNING, JobState.RUNNING, JobState.COMPLETED]
        await root.advance(20)
        assert await states() == [JobState.RUNNING, JobState.COMPLETED, JobState.COMPLETED]
        await root.change_maui_parameter("CLASSCFG[default]", "OVERRUN=70")
        await root.advance(49)
        assert (await ann.job(long)).state == JobState.RUNNING
        await root.advance(1)
        assert (await ann.job(long)).state == JobState.TIMED_OUT
        long, other = [await ann.submit(processors=1, estimate_s=100, outcome={"run_s": 5000}) for _ in "ab"]
        await root.change_maui_parameter("CLASSCFG[default]", "OVERRUN=-1")
        await root.advance(1000)
        assert (await ann.job(long)).state == JobState.RUNNING
        # What is behind it already ends it at once: as soon as the agent has heard of it.
        await root.change_maui_parameter("CLASSCFG[default]", "OVERRUN=0")
        async with asyncio.timeout(DEADLINE_S):
            while (await ann.job(other)).state == JobState.RUNNING:
                await asyncio.sleep(0.01)
        assert (await ann.job(other)).state == JobState.TIMED_OUT


async def test_where_no_job_may_run_past_its_limit_any_more_those_that_run_hear_of_it(tmp_path: Path) -> None:
    text = "JOBMAXOVERRUN 1:00:00\nRMPOLLINTERVAL 1:00:00\n"
    async with under_maui(tmp_path, text=text) as (one, root), one.client() as ann:
        job = await ann.submit(processors=1, estimate_s=60, outcome={"run_s": 1000})
        await root.advance(30)
        await root.change_maui_parameter("JOBMAXOVERRUN", "0")
        await root.advance(29)
        assert (await ann.job(job)).state == JobState.RUNNING
        await root.advance(1)
        assert (await ann.job(job)).state == JobState.TIMED_OUT
