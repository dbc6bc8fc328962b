"""A policy that looks on: it tells what it would have done, and nothing changes by it."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

import pytest

from molokini.client.client import Client
from molokini.client.errors import ServerError
from molokini.model.facts import Fact
from molokini.proto.v1.cluster_service_pb2 import ShadowReport
from molokini.server.queries.shadowing import Charges, Shadow
from molokini.server.security.roles import Role
from molokini.server.services.shadows import MOST
from molokini.server.state.state import State
from molokini.tables.usage import charge_as, present_usage
from tests.kit.maui_file import maui_file, under_maui
from tests.kit.serving import Served, served

DAY_S = 86_400.0

ROOT = ("root", Role.ADMINISTRATOR)


class Watched:
    """A shadow whose reports come one by one."""

    def __init__(self, reports: AsyncIterator[ShadowReport], first: "asyncio.Task[ShadowReport]") -> None:
        self._reports, self._first = reports, first

    async def first(self) -> ShadowReport:
        return await asyncio.wait_for(self._first, 120)

    async def following(self) -> ShadowReport:
        return await asyncio.wait_for(anext(self._reports), 120)


@asynccontextmanager
async def watched(
    one: Served, root: Client, name: str = "", maui_config: str = "", period_s: float = DAY_S
) -> AsyncIterator[Watched]:
    reports = root.shadow(name, maui_config=maui_config, period_s=period_s)
    there = len(one.core.reactor.watching)
    first = asyncio.ensure_future(anext(reports))
    async with asyncio.timeout(30):
        while len(one.core.reactor.watching) == there and not first.done():
            await asyncio.sleep(0.01)
    try:
        yield Watched(reports, first)
    finally:
        first.cancel()
        await asyncio.gather(first, return_exceptions=True)
        await reports.aclose()  # type: ignore[attr-defined]
        async with asyncio.timeout(30):
            while len(one.core.reactor.watching) > there:
                await asyncio.sleep(0.01)


async def three(one: Served) -> list[int]:
    """Half of the 16 processors, all of them, a quarter: the last may be backfilled beside the first."""
    asked = ((8, 1000.0), (16, 2000.0), (4, 500.0))
    async with one.client() as ann:
        return [await ann.submit(processors=p, estimate_s=s, outcome={"run_s": s}) for p, s in asked]


async def starts(root: Client, jobs: list[int]) -> list[float]:
    return [(await root.job(job)).start_s for job in jobs]


async def test_what_would_have_started_sooner(tmp_path: Path) -> None:
    async with served(tmp_path, "fcfs") as one, one.client(*ROOT) as root:
        async with watched(one, root, "easy") as shadow:
            jobs = await three(one)
            await root.advance(DAY_S + 10)
            report = await shadow.first()
        assert await starts(root, jobs) == [0.0, 1000.0, 3000.0]
        assert (report.started, report.same, report.sooner, report.not_yet) == (3, 2, 1, 0)
        assert report.sooner_s == 3000.0
        assert (report.waiting, report.failures, report.to_s) == (0, 0, DAY_S)
        (line,) = report.jobs
        assert (line.job_id, line.user, line.processors) == (jobs[2], "ann", 4)
        assert (line.wished_s, line.started_s) == (0.0, 3000.0)
        assert one.core.reactor.watching == []


async def test_what_would_have_waited(tmp_path: Path) -> None:
    async with served(tmp_path, "firstfit") as one, one.client(*ROOT) as root:
        async with watched(one, root, "fcfs") as shadow:
            jobs = await three(one)
            await root.advance(DAY_S + 10)
            report = await shadow.first()
        assert await starts(root, jobs) == [0.0, 1000.0, 0.0]
        assert (report.same, report.sooner, report.not_yet) == (2, 0, 1)
        assert not report.jobs[0].HasField("wished_s")


async def test_what_waits_in_vain_and_a_day_later(tmp_path: Path) -> None:
    async with served(tmp_path, "fcfs") as one, one.client(*ROOT) as root, AsyncExitStack() as stack:
        shadow = await stack.enter_async_context(watched(one, root, "easy", period_s=600.0))
        jobs = await three(one)
        await root.advance(1500.0)
        first = await shadow.first()
        assert (first.started, first.waiting) == (1, 1)
        assert not first.jobs[0].HasField("started_s")
        second = await shadow.following()
        # From 600 to 1,200 s: the second job started at 1,000 s.
        assert (second.from_s, second.to_s, second.started, second.same) == (600.0, 1200.0, 1, 1)
        await root.cancel([jobs[2]])
        await root.advance(3000.0)
        third = await shadow.following()
        assert third.waiting == 0


async def test_the_running_policy_itself_agrees_with_itself(tmp_path: Path) -> None:
    """With reservations, limits, bypass counts and fairshare: all that a policy remembers."""
    async with under_maui(tmp_path) as (one, root):
        names = dict(one.core.state.rows.names)
        text = (tmp_path / "maui.cfg").read_text()
        async with watched(one, root, maui_config=text) as shadow:
            assert one.core.state.rows.names == names
            for number in range(60):
                async with one.client(("ann", "bob", "eve")[number % 3]) as user:
                    run_s = 300.0 + 370.0 * (number % 7)
                    await user.submit(
                        processors=1 + (number * 5) % 16,
                        estimate_s=2 * run_s,
                        outcome={"run_s": run_s},
                        qos=("high", "", "low")[number % 3],
                    )
                await root.advance(200.0 * (number % 4))
            await root.advance(2 * DAY_S)
            report = await shadow.first()
        assert report.failures == 0
        assert report.started == report.same == 60
        assert len(report.jobs) == 0


class Charging:
    """Charges jobs by itself at each look, and holds that against what the live tables say."""

    def __init__(self, state: State) -> None:
        self.state = state
        self.seen: list[tuple[float, int, float, float]] = []
        self.charges = Charges(int(state.tables.usage.charging), float(state.tables.usage.interval_s))

    def look(self, now: float) -> None:
        live = self.state.tables
        t = live.copy()
        charge_as(t, 0, 1.0, now)
        self.charges.charge(t, now)
        for credential in range(int(live.usage.windows.shape[0])):
            found = (present_usage(t, credential, now), present_usage(live, credential, now))
            self.seen.append((now, credential, *found))

    def compare(self, facts: Sequence[Fact], now: float) -> None:
        self.charges.follow(self.state.tables, now)


async def test_charges_are_those_of_its_own_configuration(tmp_path: Path) -> None:
    async with under_maui(tmp_path) as (one, root):
        charging = Charging(one.core.state)
        one.core.reactor.watching.append(charging)
        for step in range(12):
            async with one.client(("ann", "bob")[step % 2]) as user:
                await user.submit(processors=3, estimate_s=5000.0, outcome={"run_s": 4000.0 + step})
            await root.advance(7000.0)
        assert [
            (at, which, ours, live) for at, which, ours, live in charging.seen if abs(ours - live) > 1e-6
        ] == []
        assert max(ours for _, _, ours, _ in charging.seen) > 10_000


async def test_what_a_new_configuration_would_do(tmp_path: Path) -> None:
    running, proposed = maui_file(tmp_path), "USERCFG[ann] MAXPROC=8\nBACKFILLPOLICY FIRSTFIT\n"
    async with served(tmp_path, "maui", policy__maui_config=str(running)) as one, one.client(*ROOT) as root:
        async with watched(one, root, "maui", proposed) as shadow, one.client() as ann:
            first = await ann.submit(processors=8, estimate_s=100, outcome={"run_s": 100.0})
            second = await ann.submit(processors=8, estimate_s=100, outcome={"run_s": 100.0})
            await root.advance(DAY_S + 1)
            report = await shadow.first()
        assert await starts(root, [first, second]) == [0.0, 0.0]
        assert (report.same, report.not_yet) == (1, 1)
        assert report.jobs[0].job_id == second


@pytest.mark.parametrize(
    ("name", "config", "period_s", "said"),
    [
        ("esy", "", DAY_S, "did you mean 'easy'"),
        ("easy", "QUEUETIMEWEIGHT 1\n", DAY_S, "policy easy has no such file; maui has one"),
        ("maui", "QUEUETIMEWEIGTH 1\n", DAY_S, "QUEUETIMEWEIGHT"),
        ("easy", "", 0.5, "period_s"),
        ("easy", "", float("nan"), "period_s"),
        ("easy", "", float("inf"), "period_s"),
    ],
)
async def test_bad_shadows_refused(
    one: Served, root: Client, name: str, config: str, period_s: float, said: str
) -> None:
    with pytest.raises(ServerError, match=said):
        await anext(root.shadow(name, maui_config=config, period_s=period_s))
    assert one.core.reactor.watching == []


async def test_who_may_and_how_many(one: Served, root: Client, ann: Client) -> None:
    with pytest.raises(ServerError, match="administrator"):
        await anext(ann.shadow("easy"))
    for _ in range(MOST):
        one.core.reactor.watching.append(Shadow("easy", {}, one.core.state, 0.0, DAY_S))
    with pytest.raises(ServerError, match="run already"):
        await anext(root.shadow("easy"))


async def test_a_failure_of_it_is_told_of(one: Served, root: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise ZeroDivisionError("oh")

    async with watched(one, root, "easy") as shadow:
        (looking,) = one.core.reactor.watching
        assert isinstance(looking, Shadow)
        monkeypatch.setattr(looking.running_policy, "decide_on", broken)
        jobs = await three(one)
        await root.advance(DAY_S + 1)
        report = await shadow.first()
    assert report.failures == report.looks > 0
    assert report.last_failure == "ZeroDivisionError: oh"
    assert (await starts(root, jobs))[0] == 0.0
