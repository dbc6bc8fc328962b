"""What Maui's commands show of a live cluster: every report, and who may see which."""

import json
from pathlib import Path
from typing import Any

import pytest

from molokini.model.errors import MolokiniError
from molokini.proto.v1.cluster_service_pb2 import Reservation, ReservationAccess
from molokini.reports import REPORTS, report
from molokini.reports.snapshot import ReportRequest
from molokini.server.queries.state_snapshot import picture_of
from molokini.server.security.roles import Role
from molokini.server.state.jobs import JobStatus
from tests.kit.maui_file import under_maui
from tests.kit.serving import Served, served
from tests.kit.waiting import eventually

ROOT = ("root", Role.ADMINISTRATOR)


async def crowd(one: Served) -> None:
    """Ann has 10 of 16 processors, a job that ends and one held; bob waits for all, and with an array."""
    async with one.client() as ann, one.client("bob") as bob:
        await ann.submit(processors=2, estimate_s=500, outcome={"run_s": 10})
        await ann.submit(processors=10, estimate_s=5000)
        await bob.submit(processors=16, estimate_s=5000, qos="high", group="physics")
        await ann.submit(processors=1, held=True)
        await bob.submit(processors=12, estimate_s=600, array="1-5%2")


async def test_every_report_is_json_of_the_state_and_changes_nothing(tmp_path: Path) -> None:
    async with under_maui(tmp_path, "REJECTNEGPRIOJOBS FALSE", "USERCFG[DEFAULT] MAXPROC=64") as (one, root):
        await crowd(one)
        await root.advance(1000)
        serial = one.core.journal.last_serial
        found = {
            name: await root.report(name, job="3", node="node001" if name == "node" else "")
            for name in REPORTS
            if name not in ("node", "matrix")
        }
        assert one.core.journal.last_serial == serial
        json.dumps(found, allow_nan=False)
        queue = found["queue"]
        assert (queue["schema"], queue["now_s"], queue["policy"]) == ("molokini.maui.queue/1", 1000.0, "maui")
        assert [(line["job"], line["user"], line["remaining_s"]) for line in queue["active"]] == [
            ("2", "ann", 4000.0)
        ]
        idle = {line["job"]: line for line in queue["idle"]}
        assert (idle["3"]["group"], idle["3"]["qos"], idle["3"]["reserved_s"]) == ("physics", "high", 5000.0)
        assert set(idle) == {"3", "5[1]", "5[2]"}
        held = {line["job"]: (line["rule"], line["count"]) for line in found["blocked"]["jobs"]}
        assert held == {"4": ("held", 1), "5[]": ("not-ready", 3)}
        assert queue["totals"] == {
            "active": 1,
            "idle": 3,
            "blocked": 4,
            "processors_active": 10,
            "processors": 16,
            "nodes_active": 3,
            "nodes": 4,
        }
        totals = found["statistics"]["totals"]
        wanted = (1, pytest.approx(20 / 3600))
        assert (totals["jobs_completed"], totals["dedicated_processor_hours"]) == wanted
        assert (found["start"]["start_s"], found["start"]["by"]) == (5000.0, "reservation")
        assert found["job"]["priority"] == pytest.approx(
            sum(part["product"] for part in found["job"]["priority_parts"])
        )
        assert [line["duration_s"] for line in found["windows"]["windows"]] == [4000.0]
        name = found["nodes"]["nodes"][0]["node"]
        assert [line["job"] for line in (await root.report("node", node=name))["running"]] == ["2"]
        # The one place that computes it, called as the service calls it.
        assert report("queue", picture_of(one.core), ReportRequest()) == queue


async def test_what_was_refused_is_no_finished_job_as_in_a_stopped_simulation(tmp_path: Path) -> None:
    async with under_maui(tmp_path, "SYSTEMMAXPROCPERJOB 8") as (one, root):
        async with one.client() as ann:
            refused = await ann.submit(processors=9, estimate_s=500)
            await ann.submit(processors=2, estimate_s=500, outcome={"run_s": 10})
            await root.advance(100)
            assert one.core.state.jobs[refused].status is JobStatus.REFUSED
        totals = (await root.report("statistics"))["totals"]
        assert (totals["jobs_completed"], totals["jobs_successful"]) == (1, 1)


async def test_what_is_reserved_is_shown_and_taken_into_account(tmp_path: Path) -> None:
    async with served(tmp_path, "maui") as one, one.client(*ROOT) as root:
        made = Reservation(name="ours", processors=4, start_s=100, end_s=200)
        made.access.append(ReservationAccess(kind="group", name="physics"))
        await root.create_reservation(made)
        [line] = (await root.report("reservations"))["reservations"]
        wanted = ("ours", 100.0, {"group": ["physics"]})
        assert (line["reservation"], line["start_s"], line["access"]) == wanted

        async def windows(**asked: Any) -> list[tuple[int, float | None]]:
            found = await root.report("windows", **asked)
            return [(line["processors"], line["duration_s"]) for line in found["windows"]]

        assert await windows() == [(16, 100.0), (12, None)]
        assert await windows(group="physics") == [(16, None)]
        assert await windows(processors=13) == [(16, 100.0)]
        assert await windows(duration_s=101.0) == [(12, None)]


async def test_some_reports_are_for_operators_and_privacy_closes_more(tmp_path: Path) -> None:
    async with served(tmp_path, "maui", security__privacy=True) as one:
        await crowd(one)
        async with one.client() as ann, one.client("olga", Role.OPERATOR) as olga:
            for name in (
                "priorities",
                "fairshare",
                "statistics",
                "blocked",
                "queue",
                "nodes",
                "reservations",
            ):
                with pytest.raises(MolokiniError, match="operator"):
                    await ann.report(name)
                await olga.report(name)
            assert (await ann.report("job", job="2"))["state"] == "running"
            assert (await ann.report("windows"))["windows"]
            with pytest.raises(MolokiniError, match="no job 3"):
                await ann.report("job", job="3")


async def test_without_privacy_users_see_the_queue(one: Served) -> None:
    await crowd(one)
    async with one.client() as ann:
        assert (await ann.report("queue"))["totals"]["active"] == 2
        assert (await ann.report("start", job="3"))["job"] == "3"
        with pytest.raises(MolokiniError, match="operator"):
            await ann.report("statistics")
        for name in ("quue", "job", "node"):
            with pytest.raises(MolokiniError):
                await ann.report(name, job="x" if name == "job" else "", node="n")
        with pytest.raises(MolokiniError, match="duration_s"):
            await ann.report("windows", duration_s=-1.0)


async def test_a_job_that_has_ended_is_told_as_such_to_those_who_may_know(tmp_path: Path) -> None:
    async with served(tmp_path, "maui", security__privacy=True) as one:
        await crowd(one)
        async with one.client() as ann, one.client("zoe") as zoe:
            await ann.cancel([2])
            # It is over when its agent has said so.
            await eventually(lambda: one.core.state.jobs[2].status is JobStatus.CANCELLED)
            for name in ("job", "start"):
                with pytest.raises(
                    MolokiniError, match=r"job 2 has ended \(cancelled\); 'molokini job 2' tells"
                ):
                    await ann.report(name, job="2")
                with pytest.raises(MolokiniError, match=r"no job 2$"):
                    await zoe.report(name, job="2")
                with pytest.raises(MolokiniError, match=r"no job 77$"):
                    await ann.report(name, job="77")
