"""Whatever is ordered, work is conserved; whatever happens to the agent, its reports are the same.

The hand computation keeps a list of (instant, rate) and adds up; it knows nothing of heaps and movable ends.
"""

from dataclasses import dataclass, field
from fractions import Fraction

from hypothesis import given, settings
from hypothesis import strategies as st

from molokini.proto.v1.agent_service_pb2 import Acknowledge, Launch, Order, Report
from tests.kit.agents import agent, launch, order, resumed, welcomed

rates = st.sampled_from([0.25, 0.5, 0.75, 1.0, 1 / 3, 2.0])
gaps = st.floats(0.0, 50.0)
changes = st.lists(
    st.tuples(gaps, st.sampled_from(["suspend", "resume", "rate"]), rates), min_size=0, max_size=12
)


@dataclass
class ByHand:
    """One job as a server's tables have it, counted with the transitions' operations."""

    run_s: float
    work_s: float = 0.0
    updated_s: float = 0.0
    rate: float = 1.0
    suspended: bool = False
    phases: list[tuple[float, float]] = field(default_factory=lambda: [(0.0, 1.0)])

    def end_s(self) -> float | None:
        if self.suspended:
            return None
        left_s = max(0.0, self.run_s - self.work_s)
        return self.updated_s + left_s if self.rate == 1.0 else self.updated_s + left_s / self.rate

    def change(self, at_s: float, what: str, rate: float) -> Order | None:
        """Apply a change that is legal now; None for one that is not."""
        if (what == "resume") != self.suspended:
            return None
        if not self.suspended:
            self.work_s += self.rate * (at_s - self.updated_s)
        self.updated_s = at_s
        self.suspended = what == "suspend"
        if not self.suspended:
            self.rate = rate
        self.phases.append((at_s, 0.0 if self.suspended else self.rate))
        kind = {"suspend": Order.SUSPEND, "resume": Order.RESUME, "rate": Order.SET_RATE}[what]
        return order(kind, 1, at_s, rate=rate)

    def welcome(self, first: Launch) -> Launch:
        return resumed(first, self.work_s, self.updated_s, self.rate, self.suspended)


def work_by(phases: list[tuple[float, float]], end_s: float) -> Fraction:
    """The work of all phases up to *end_s*, exactly."""
    bounds = [at_s for at_s, _ in phases[1:]] + [end_s]
    return sum(
        (
            Fraction(rate) * (Fraction(until) - Fraction(at))
            for (at, rate), until in zip(phases, bounds, strict=True)
        ),
        Fraction(0),
    )


@settings(max_examples=150, deadline=None)
@given(st.floats(0.0, 200.0), changes, st.sets(st.integers(0, 12)))
async def test_the_end_is_the_one_computed_by_hand(
    run_s: float, script: list[tuple[float, str, float]], killed_before: set[int]
) -> None:
    """Also when the agent is killed, again and again, and made anew from the server's welcome (F8, F9)."""
    job, first, now = ByHand(run_s), launch(1, 0.0, run_s), 0.0
    server = await welcomed(agent())
    server.send(first)
    reports, done = await server.granted(0.0)
    for step, (gap_s, what, rate) in enumerate(script):
        assert (done.next_s if done.HasField("next_s") else None) == (None if reports else job.end_s())
        now += gap_s
        if reports or (done.HasField("next_s") and done.next_s <= now):
            break
        if step in killed_before:
            await server.kill()
            server = await welcomed(agent(), now, [job.welcome(first)])
        change = job.change(now, what, rate)
        if change is not None:
            server.send(change)
        reports, done = await server.granted(now)
    if job.suspended:
        server.send(job.change(now, "resume", 1.0))  # type: ignore[arg-type]
    reports += await server.run_to_end()
    await server.close()
    (report,) = reports
    assert report.at_s == max(job.end_s() or 0.0, 0.0), "to the last bit"
    assert abs(work_by(job.phases, report.at_s) - Fraction(run_s)) <= Fraction(1, 10**9)


jobs = st.lists(st.tuples(st.floats(0.0, 30.0), st.floats(0.0, 60.0)), min_size=1, max_size=15)


class Books:
    """A server's side that acts at whole seconds, takes reports by serial, and can lose its agent."""

    def __init__(self, work: list[tuple[float, float]]) -> None:
        self.waiting = sorted(
            (launch(k + 1, float(int(start_s)), run_s) for k, (start_s, run_s) in enumerate(work)),
            key=lambda one: (one.start_s, one.attempt.job_id),
        )
        self.running: dict[int, Launch] = {}
        self.ends: list[tuple[float, int]] = []
        self.taken = 0

    def take(self, reports: list[Report]) -> None:
        for report in reports:
            if report.serial > self.taken:
                assert report.serial == self.taken + 1, "no gap"
                self.taken = report.serial
                if self.running.pop(report.attempt.job_id, None):
                    self.ends.append((report.at_s, report.attempt.job_id))

    def due(self, now_s: float) -> list[Launch]:
        started = [one for one in self.waiting if one.start_s == now_s]
        self.running |= {one.attempt.job_id: one for one in started}
        return started

    def present(self) -> list[Launch]:
        return [resumed(one, 0.0, one.start_s) for one in self.running.values()]


@settings(max_examples=60, deadline=None)
@given(jobs, st.dictionaries(st.integers(0, 100), st.sampled_from(["kill", "cut", "lose"]), max_size=25))
async def test_kills_and_cuts_change_no_end(work: list[tuple[float, float]], faults: dict[int, str]) -> None:
    """ "kill": the agent dies. "cut": the connection does. "lose": also what it has just reported."""
    books = Books(work)
    one = agent()
    server = await welcomed(one)
    for now in range(100):
        fault = faults.get(now)
        reports, _ = await server.granted(float(now))
        if fault != "lose":
            books.take(reports)
            server.send(Acknowledge(serial=books.taken))
        if fault:
            await (server.kill() if fault == "kill" else server.close())
            if fault == "kill":
                one, books.taken = agent(), 0
            server = await welcomed(one, float(now), books.present())
            books.take((await server.granted(float(now)))[0])
        server.send(*books.due(float(now)))
    await server.close()
    assert not books.running
    assert sorted(books.ends) == sorted(
        (one.start_s + one.spec.outcome.run_s, one.attempt.job_id) for one in books.waiting
    )


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 1000), st.integers(1, 49))
async def test_failures_by_the_seed_are_found_again_by_an_agent_made_anew(seed: int, killed_at: int) -> None:
    """Jobs of one node each; what the server has heard of losses decides what its welcome names."""

    async def history(kill: int | None) -> list[tuple[str, float]]:
        lost: list[tuple[str, float]] = []
        server = await welcomed(agent(seed=seed, mtbf_s=300.0, repair_s=40.0))
        running = {f"node{k}": launch(k, 0.0, 1e6, nodes=[f"node{k}"]) for k in range(1, 9)}
        server.send(*running.values())
        for step in range(50):
            if step == kill:
                await server.kill()
                server = await welcomed(
                    agent(seed=seed, mtbf_s=300.0, repair_s=40.0),
                    step * 20.0,
                    [resumed(one, 0.0, 0.0) for one in running.values()],
                )
            for report in (await server.granted(step * 20.0))[0]:
                if report.kind == Report.NODE_LOST and report.node in running:
                    del running[report.node]
                    lost.append((report.node, report.at_s))
        await server.close()
        return lost

    assert sorted(await history(killed_at)) == sorted(await history(None))


def test_the_hand_computation_sees_lost_work() -> None:
    assert work_by([(0.0, 1.0), (5.0, 0.0), (9.0, 0.5)], 19.0) == 10
