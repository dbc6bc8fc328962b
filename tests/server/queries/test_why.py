"""Why a job waits: the same reason from every command, under every policy, and advice that helps."""

import io
import re
from asyncio import to_thread
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, redirect_stdout
from pathlib import Path

import pytest

from molokini.client.client import Client
from molokini.compat.tool import ended
from molokini.compiled.compilation import interpreting
from molokini.proto.v1.cluster_service_pb2 import Reservation, ReservationAccess
from molokini.proto.v1.jobs_pb2 import JobState
from molokini.server.security.roles import Role
from tests.kit.serving import Served, served

POLICIES = ("fcfs", "firstfit", "easy", "easy-depth", "conservative", "maui")
NODES = ("n1", "n2", "n3", "n4")
"""Of four processors each."""
HOUR_S = 3600.0


class At:
    """A cluster under one policy, to which things happen, and its administrator."""

    def __init__(self, served: Served, root: Client, folder: Path) -> None:
        self.served, self.root, self._home = served, root, str(folder / "state")

    async def submit(self, processors: int, hours: float = 2.0, **more: object) -> int:
        job = await self.root.submit(processors=processors, estimate_s=hours * HOUR_S, **more)  # type: ignore[arg-type]
        # A turn begins when the pass of the one before is carried out.
        await self.root.reset_statistics()
        return job

    async def reserve(self, processors: int, hours: float, until: float = 5.0, user: str = "") -> None:
        access = [ReservationAccess(kind="user", name=user)] if user else []
        await self.root.create_reservation(
            Reservation(
                name="maint",
                processors=processors,
                start_s=hours * HOUR_S,
                end_s=until * HOUR_S,
                access=access,
            )
        )

    async def says(self, system: str, command: str, *line: object) -> str:
        """What a command of a batch system prints."""

        def run() -> str:
            with redirect_stdout(io.StringIO()) as out:
                assert ended(system, command, [str(word) for word in line], self._home) == 0
            return out.getvalue()

        return await to_thread(run)


@asynccontextmanager
async def cluster(folder: Path, policy: str) -> AsyncIterator[At]:
    with interpreting():
        async with served(folder, policy) as one, one.client("root", Role.ADMINISTRATOR) as root:
            yield At(one, root, folder)


async def reserved_now(at: At) -> int:
    await at.reserve(16, 0.0)
    return await at.submit(4)


async def reserved_in_part(at: At) -> int:
    await at.reserve(10, 0.0)
    return await at.submit(8)


async def reserved_ahead(at: At) -> int:
    await at.reserve(16, 1.0)
    return await at.submit(4)


async def reserved_behind_what_runs(at: At) -> int:
    """Until the reservation begins there is room for two processors, and in it for two as well."""
    await at.submit(14, 0.5)
    await at.reserve(14, 1.0)
    return await at.submit(4)


async def drained(at: At) -> int:
    await at.root.drain(NODES, "firmware")
    return await at.submit(4)


async def drained_in_part(at: At) -> int:
    await at.root.drain(NODES[2:], "firmware")
    return await at.submit(10)


async def down(at: At) -> int:
    await at.root.down(NODES[1:], "power")
    return await at.submit(6)


async def behind(at: At) -> int:
    await at.submit(12, 1.0)
    await at.submit(16)
    return await at.submit(2)


async def too_wide(at: At) -> int:
    await at.submit(12, 1.0)
    return await at.submit(8)


async def beside_drained(at: At) -> int:
    """Six are free, four of them where no job can start."""
    await at.submit(10, 1.0)
    await at.root.drain(NODES[3:], "firmware")
    return await at.submit(6)


Cause = Callable[[At], Awaitable[int]]
PLANS = {"easy-depth", "conservative", "maui"}
"""Policies that have a plan for a job that finds no room."""
CAUSES: dict[Cause, tuple[str, dict[str, str]]] = {
    reserved_now: ("reserved-for-others", {}),
    reserved_in_part: ("reserved-for-others", {}),
    reserved_ahead: ("reserved-for-others", {}),
    reserved_behind_what_runs: ("not-enough-free", dict.fromkeys(PLANS, "reserved-later")),
    drained: ("nodes-unavailable", {}),
    drained_in_part: ("nodes-unavailable", {}),
    # Maui puts off what finds too little in service.
    down: ("nodes-unavailable", {"maui": "deferred"}),
    behind: (
        "would-delay-the-head",
        {
            "fcfs": "behind-the-head",
            "firstfit": "running",
            **dict.fromkeys(PLANS, "reserved-later"),
            "maui": "would-delay-the-head",
        },
    ),
    too_wide: ("not-enough-free", dict.fromkeys(PLANS, "reserved-later")),
    # The plan of conservative has room for it: it counts processors, not nodes.
    beside_drained: (
        "not-enough-free",
        {**dict.fromkeys(PLANS, "reserved-later"), "conservative": "not-enough-free"},
    ),
}
"""What happens, and which rule then blocks the last job: under most policies, and under others."""


@pytest.mark.quick(one_in=17)
@pytest.mark.parametrize("cause", CAUSES, ids=lambda cause: cause.__name__)
@pytest.mark.parametrize("policy", POLICIES)
async def test_every_policy_says_what_keeps_a_job_waiting(policy: str, cause: Cause, tmp_path: Path) -> None:
    usual, others = CAUSES[cause]
    async with cluster(tmp_path, policy) as at:
        job = await cause(at)
        told = await at.root.explain(job)
        assert told.rule == others.get(policy, usual), told.text
        if told.rule == "running":
            return
        listed = await at.root.job(job)
        assert (listed.reason, listed.waiting.rule) == (told.text, told.rule)
        await check_advice(at, job, list(told.what_would_help))


async def check_advice(at: At, job: int, helps: list[str]) -> None:
    """Each word of advice that can be taken at once starts the job."""
    known = await at.root.job(job)
    runs = [one async for one in at.root.jobs(states=["running"])]
    assert not [text for text in helps if "running jobs" in text] or runs, helps
    for text in helps:
        change: dict[str, object] = {}
        if narrower := re.search(r"asking for at most (\d+) processor", text):
            change = {"processors": int(narrower[1])}
        elif before := re.fullmatch(r"an estimate that ends before (\d+) s", text):
            change = {"hours": float(before[1]) / HOUR_S}
        elif shorter := re.search(r"an estimate of at most (\d+):(\d\d):(\d\d)", text):
            hours, minutes, seconds = map(int, shorter.groups())
            change = {"hours": hours + minutes / 60 + seconds / HOUR_S}
        if change:
            await at.root.cancel([job])
            asked = known.spec
            spec = {"processors": asked.resources.processors, "hours": asked.estimate_s / HOUR_S} | change
            taken = await at.submit(**spec)  # type: ignore[arg-type]
            assert (await at.root.job(taken)).state == JobState.RUNNING, text
            await at.root.cancel([taken])


TEXTS: dict[Cause, str] = {
    reserved_now: "4 processors are requested, 0 are free and not reserved for others: "
    "reservation maint keeps 16 processors until 18000 s",
    reserved_in_part: "8 processors are requested, 6 are free and not reserved for others: "
    "reservation maint keeps 10 processors until 18000 s",
    reserved_ahead: "reservation maint keeps 16 processors from 3600 s until 18000 s, "
    "and this job, which may run until 7200 s, would overlap it",
    drained: "all nodes are draining (firmware)",
    drained_in_part: "10 processors are requested, 8 are on nodes that take new work; "
    "n[3-4] are draining (firmware)",
    down: "6 processors are requested, 4 are on nodes that take new work; n[2-4] are down (power)",
    too_wide: "8 processors are requested, 4 are free",
    beside_drained: "6 processors are requested, 2 are free, "
    "and 4 on nodes that take no new work: n4 is draining (firmware)",
}
HELPS: dict[Cause, list[str]] = {
    reserved_now: ["the end of the reservation"],
    reserved_in_part: ["asking for at most 6 processors", "the end of the reservation"],
    reserved_ahead: [
        "an estimate of at most 1:00:00, until the reservation begins",
        "the end of the reservation",
    ],
    reserved_behind_what_runs: ["the end of running jobs", "asking for at most 2 processors"],
    drained: ["the return of nodes"],
    drained_in_part: ["the return of nodes", "asking for at most 8 processors"],
    down: ["the return of nodes", "asking for at most 4 processors"],
    too_wide: ["the end of running jobs", "asking for at most 4 processors"],
    beside_drained: ["the end of running jobs", "asking for at most 2 processors"],
}
SLURM: dict[Cause, str] = {
    reserved_now: "(ReqNodeNotAvail, Reserved for maintenance)",
    reserved_ahead: "(ReqNodeNotAvail, Reserved for maintenance)",
    drained: "(ReqNodeNotAvail, UnavailableNodes:n[1-4])",
    drained_in_part: "(ReqNodeNotAvail, UnavailableNodes:n[3-4])",
    down: "(ReqNodeNotAvail, UnavailableNodes:n[2-4])",
    behind: "(Priority)",
    too_wide: "(Resources)",
}


@pytest.mark.quick(one_in=3)
@pytest.mark.parametrize("cause", CAUSES, ids=lambda cause: cause.__name__)
async def test_every_command_says_the_same(cause: Cause, tmp_path: Path) -> None:
    async with cluster(tmp_path, "fcfs") as at:
        job = await cause(at)
        told = await at.root.explain(job)
        assert told.text == TEXTS.get(cause, told.text)
        assert list(told.what_would_help) == HELPS.get(cause, list(told.what_would_help))
        said = await at.says("maui", "checkjob", job)
        assert f"job cannot run now ({told.text})" in said
        assert re.findall("would help: (.*)", said) == list(told.what_would_help)
        [listed] = [one async for one in at.root.jobs(ids=[job])]
        assert listed.reason == told.text
        flat = re.sub(r"\n\s*", "", await at.says("pbs", "qstat", "-f", job))
        assert re.sub(" ", "", f"comment=NotRunning:{told.text}") in re.sub(" ", "", flat)
        assert told.text in await at.says("lsf", "bjobs", "-p", job)
        said = await at.says("slurm", "squeue", "-h", "-o", "%R", "-j", job)
        assert said.strip() == SLURM.get(cause, said.strip())


async def held(at: At) -> int:
    return await at.submit(4, held=True)


async def dependent(at: At) -> int:
    first = await at.submit(4)
    return await at.submit(4, after={"afterok": first})


async def later(at: At) -> int:
    return await at.submit(4, begin_at_s=HOUR_S)


async def at_a_limit(at: At) -> int:
    await at.root.set_queue("small", max_running_per_user=1)
    await at.submit(4, queue="small")
    return await at.submit(4, queue="small")


UNSEEN: dict[Cause, tuple[str, str, str]] = {
    held: ("held", "held by user", "(JobHeldUser)"),
    dependent: ("dependency", "waits for job 1", "(Dependency)"),
    later: ("begin-time", "not before 3600 s of the scheduling clock", "(BeginTime)"),
    at_a_limit: ("queue-limit", "root runs 1 job in queue small, its limit", "(QOSMaxJobsPerUserLimit)"),
}
"""What keeps a job from being a candidate: rule, text, and Slurm's word."""


@pytest.mark.parametrize("cause", UNSEEN, ids=lambda cause: cause.__name__)
async def test_a_job_that_no_policy_sees_says_why(cause: Cause, tmp_path: Path) -> None:
    rule, text, word = UNSEEN[cause]
    async with cluster(tmp_path, "fcfs") as at:
        job = await cause(at)
        told = await at.root.explain(job)
        assert (told.rule, told.text) == (rule, text)
        [listed] = [one async for one in at.root.jobs(ids=[job])]
        assert listed.reason == text
        assert (await at.says("slurm", "squeue", "-h", "-o", "%R", "-j", job)).strip() == word


async def test_a_reservation_that_admits_some_and_has_not_begun(tmp_path: Path) -> None:
    async with cluster(tmp_path, "easy") as at:
        await at.reserve(16, 1.0, user="ann")
        job = await at.submit(4)
        assert "access to the reservation" in (await at.root.explain(job)).what_would_help
        said = await at.says("slurm", "squeue", "-h", "-o", "%R", "-j", job)
        assert said == "(ReqNodeNotAvail, May be reserved for other job)\n"
        assert "Reason=ReqNodeNotAvail,_May_be_reserved_for_other_job " in await at.says(
            "slurm", "scontrol", "show", "job", job
        )
        assert " State=INACTIVE " in await at.says("slurm", "scontrol", "show", "reservation")
        await at.served.advance(HOUR_S)
        assert " State=ACTIVE " in await at.says("slurm", "scontrol", "show", "reservation")


async def test_what_is_reserved_beyond_what_the_head_waits_for_is_not_the_first_reason(
    tmp_path: Path,
) -> None:
    """The head is promised 1,800 s; the reservation begins at 3,600 s."""
    async with cluster(tmp_path, "easy") as at:
        await at.submit(12, 0.5)
        await at.submit(16, 0.5)
        await at.reserve(16, 1.0)
        job = await at.submit(4)
        told = await at.root.explain(job)
        assert (told.rule, told.limit) == ("would-delay-the-head", 1800.0)
        assert list(told.what_would_help) == ["an estimate that ends before 1800 s"]
        short = await at.submit(4, 0.5)
        assert (await at.root.job(short)).state == JobState.RUNNING


async def test_a_paused_scheduler_comes_before_any_other_reason(tmp_path: Path) -> None:
    async with cluster(tmp_path, "conservative") as at:
        await at.root.pause_scheduling(reason="rewiring")
        starts, waits = await at.submit(4), await at.submit(16)
        assert (await at.root.job(starts)).reason == "scheduling is paused (rewiring)"
        told = await at.root.explain(waits)
        assert told.text == "scheduling is paused (rewiring); besides, it has a reservation at 7200 s"


async def test_elements_of_an_array_have_the_reason_too(tmp_path: Path) -> None:
    async with cluster(tmp_path, "firstfit") as at:
        await at.reserve(16, 1.0)
        job = await at.root.submit(processors=4, estimate_s=2 * HOUR_S, array="1-3")
        said = await at.says("slurm", "squeue", "-h", "-o", "%i %R", "-j", job)
        assert said == f"{job}_[1-3] (ReqNodeNotAvail, Reserved for maintenance)\n"
