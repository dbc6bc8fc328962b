"""What is run for the survey of coscheduling: its schemes on parallel, serial and interactive programs."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from molokini.process_sim.accounts import job_accounts
from molokini.process_sim.kinds import bag, interactive, looping
from molokini.process_sim.policies import needs_of
from molokini.process_sim.replaying import ScenarioReplay, prepare
from molokini.process_sim.scenario import (
    MS,
    US,
    Dist,
    Job,
    Prices,
    Process,
    Program,
    S,
    Scenario,
    Settings,
    Step,
)
from molokini.process_sim.words import Draw, Op, Pattern, Wait
from molokini.studies.study import Point, Row, seed_for

NODES = 16
FULL_S = 60
"""CPU seconds of a process of a full run, or seconds that are simulated."""
LEAST_S = 3
GRAINS_US = (1000, 10_000, 100_000)
LIMITS_US = (780, 100_000)
"""What dynamic coscheduling calls coarse, and what implicit coscheduling does."""
INTERVALS_US = (100, 780, 5000, 20_000)
SKEWS = (0, 50)
SLOTS_MS = (50, 200, 500, 1000)
IMPLICIT, DYNAMIC, UNFAIR, PROPOSAL, PLAIN = "sb-computed", "dcs-sb-fair", "dcs-unfair", "tickets", "sb"
POLICIES = (IMPLICIT, DYNAMIC, PROPOSAL, PLAIN)
BY_WIDTH = "tickets-by-width"
"""The proposal where a job has 100 tickets for each of its processes, and not 100 in all."""
MIXED = (*POLICIES, UNFAIR, "sb-starving", "tickets-plain", "dcs-fitted", BY_WIDTH)
NOTHING = (Dist(Draw.CONSTANT, 0), 0.0)


@dataclass(frozen=True)
class Bsp:
    """Three bulk-synchronous jobs on all nodes, alike in grain, to their ends."""

    policy: str
    grain_us: int
    skew: int = 0


@dataclass(frozen=True)
class Mixed:
    """Jobs of three grains, a serial and an interactive process on each node, without end."""

    policy: str
    skew: int = 0


@dataclass(frozen=True)
class Beside:
    """A parallel job beside a serial process on each node."""

    policy: str
    interval_us: int


@dataclass(frozen=True)
class Desk:
    """Interactive processes beside two parallel jobs."""

    policy: str
    slot_ms: int = 0


@dataclass(frozen=True)
class Control:
    """Bags of tasks on eight processors; one application of eight processes is controllable or not."""

    all_controllable: bool


@dataclass(frozen=True)
class ByClass:
    """A wide communicating job and serial ones under the gang scheduler by classes."""

    shares: str


@dataclass(frozen=True)
class Sets:
    """Pairs of activities that use an object in bursts, on four processors."""

    coscheduled: bool
    burst_ms: int


@dataclass(frozen=True)
class Shares:
    """Three CPU-bound processes with 10, 20 and 70 tickets."""


@dataclass(frozen=True)
class Wide:
    """A job on two nodes beside one on each of them (H13)."""

    tracking: bool


@dataclass(frozen=True)
class Sleeper:
    """A process that sleeps 60 ms beside two that compute (H12)."""

    credit: bool


AnyCase = Bsp | Mixed | Beside | Desk | Control | ByClass | Sets | Shares | Wide | Sleeper


def cases() -> list[AnyCase]:
    """Every case once."""
    grains = sorted({*GRAINS_US, *LIMITS_US})
    found: list[AnyCase] = [Bsp(policy, grain) for grain in grains for policy in (*POLICIES, "gang")]
    found += [Bsp(policy, grain, SKEWS[1]) for grain in GRAINS_US for policy in (*POLICIES, "gang")]
    found += [Mixed(policy, skew) for skew in SKEWS for policy in MIXED]
    beside = (IMPLICIT, DYNAMIC, "dcs-fitted", PROPOSAL, "alone")
    found += [Beside(policy, k) for k in INTERVALS_US for policy in beside]
    found += [Desk("dhc", slot) for slot in SLOTS_MS]
    found += [Desk(policy) for policy in (PLAIN, PROPOSAL)]
    found += [Control(every) for every in (True, False)]
    found += [ByClass(shares) for shares in ("even", "classes")]
    found += [Sets(together, burst) for burst in (100, 100_000) for together in (True, False)]
    found += [Shares(), Wide(True), Wide(False), Sleeper(True), Sleeper(False)]
    return found


def prepare_all() -> None:
    """Compile what all runs need."""
    prepare(("local", IMPLICIT, DYNAMIC, PROPOSAL, "dhc", "process-control", "rawsi"))


def settings(name: str, **given: object) -> Settings:
    """A policy by the names of this study."""
    if name == PLAIN:
        return Settings(wait=Wait.BLOCK)
    if name == "alone":
        return Settings()
    if name == "gang":
        return _named("dhc", slot="500ms", cross="0ns")
    variants: dict[str, tuple[str, dict[str, str]]] = {
        UNFAIR: (DYNAMIC, {"fair": "false"}),
        "dcs-fitted": (DYNAMIC, {"slack": "0ns"}),
        "sb-starving": (IMPLICIT, {"starving": "quanta"}),
        "tickets-plain": (PROPOSAL, {"borrowing": "false"}),
        BY_WIDTH: (PROPOSAL, {}),
    }
    policy, values = variants.get(name, (name, {}))
    return _named(policy, **values, **given)


def _named(policy: str, **given: object) -> Settings:
    values = {name: str(value) for name, value in given.items()}
    return Settings(policy, Wait.BLOCK, given=needs_of(policy).values(policy, values))


def run(point: Point) -> Row:
    """Measure one case."""
    case, seed = point.case, seed_for("survey", point.seed) % (2**31)
    span = max(LEAST_S * S, round(FULL_S * point.length * S))
    match case:
        case Bsp():
            return _bsp(case, span, seed)
        case Mixed():
            return _mixed(case, 2 * span, seed)
        case Beside():
            return _beside(case, span, seed)
        case Desk():
            return _desk(case, span, seed)
        case Control():
            return _control(case, span, seed)
        case ByClass():
            return _by_class(case, 4 * span, seed)
        case Sets():
            return _sets(case, 4 * span, seed)
        case Shares():
            return _shares()
        case Wide():
            return _wide(case)
        case Sleeper():
            return _sleeper(case)
    raise AssertionError(case)


def _parallel(name: str, grain_us: int, span_ns: int | None, skew: int) -> Job:
    """A ring on all nodes; without a span it goes on without end."""
    grain = Dist(Draw.EXPONENTIAL, grain_us * US)
    rounds = -1 if span_ns is None else max(1, span_ns // (grain_us * US))
    programs = looping(NODES, grain, Pattern.RING, 1000, rounds, NOTHING, skew / 100)
    return Job(name, [Process(program) for program in programs])


def _ended(scenario: Scenario) -> ScenarioReplay:
    return ScenarioReplay(scenario).finish()


def _bsp(case: Bsp, span: int, seed: int) -> Row:
    """When the last of the three jobs ends; the ideal gang changes rows for nothing."""
    jobs = [_parallel(f"J{k}", case.grain_us, span, case.skew) for k in range(3)]
    prices = replace(Prices(), switch=0) if case.policy == "gang" else Prices()
    scenario = Scenario("bsp", NODES, jobs, seed=seed, prices=prices, settings=settings(case.policy))
    done = _ended(scenario)
    lines = job_accounts(done)
    return {
        "completion_s": int(done.world.now) / S,
        "response_s": sum(line["response_ns"] for line in lines) / S / len(lines),
        "spin_s": sum(line["spin_ns"] for line in lines) / S / NODES,
        "events": int(done.world.events),
    }


def _used(line: dict[str, int]) -> float:
    return sum(line[f"{name}_ns"] for name in ("compute", "spin", "send", "receive")) / S


def _jain(values: Sequence[float]) -> float:
    return sum(values) ** 2 / (len(values) * sum(value**2 for value in values))


def _mixed(case: Mixed, until: int, seed: int) -> Row:
    """CPU time of the three parallel jobs and of the serial processes; how interactive ones are served."""
    endless = (Step(Op.COMPUTE, Dist(Draw.CONSTANT, 10**6 * S)),)
    desk = _desk_program(10**9)
    jobs = [_parallel(f"J{grain}", grain, None, case.skew) for grain in GRAINS_US]
    if case.policy == BY_WIDTH:
        jobs = [replace(job, tickets=100 * NODES) for job in jobs]
    jobs += [Job(f"L{node}", [Process(endless, node)]) for node in range(NODES)]
    jobs += [Job(f"D{node}", [Process(desk, node)]) for node in range(NODES)]
    scenario = Scenario("mixed", NODES, jobs, seed=seed, until_ns=until, settings=settings(case.policy))
    done = _ended(scenario)
    lines = job_accounts(done)
    fine, middle, coarse = (_used(line) / NODES for line in lines[:3])
    serial = sum(_used(line) for line in lines[3 : 3 + NODES]) / NODES
    desks = lines[3 + NODES :]
    bursts = sum(line["compute_ns"] for line in desks) / MS
    waited = sum(line["ready_ns"] for line in desks) / MS
    computed = sum(line["compute_ns"] for line in lines[:3]) / S / NODES
    elapsed = until / S
    return {
        "fine": fine / elapsed,
        "middle": middle / elapsed,
        "coarse": coarse / elapsed,
        "serial": serial / elapsed,
        "jain": _jain((fine, middle, coarse, serial)),
        "jain_of_jobs": _jain((*(NODES * one for one in (fine, middle, coarse)), serial)),
        "progress": computed / elapsed,
        "desk_wait_ms": waited / max(1.0, bursts),
        "events": int(done.world.events),
    }


def _desk_program(bursts: int) -> Program:
    return interactive(bursts, Dist(Draw.CONSTANT, MS), Dist(Draw.CONSTANT, 100 * MS))


def _beside(case: Beside, span: int, seed: int) -> Row:
    """Response, CPU time and share of the parallel job; ``alone``: without the serial processes, spinning."""
    endless = (Step(Op.COMPUTE, Dist(Draw.CONSTANT, 10**6 * S)),)
    jobs = [_parallel("J", case.interval_us, span, 0)]
    if case.policy != "alone":
        jobs += [Job(f"L{node}", [Process(endless, node)]) for node in range(NODES)]
    until = 40 * span
    made = settings(case.policy)
    scenario = Scenario("beside", NODES, jobs, seed=seed, until_ns=until, settings=made)
    # The serial processes go on without end: first find out when the job ends.
    first = _ended(scenario)
    line = job_accounts(first)[0]
    response = line["end_ns"] if line["end_ns"] is not None else until
    return {
        "response_s": response / S,
        "used_s": _used(line) / NODES,
        "share": _used(line) / NODES / (response / S),
    }


def _desk(case: Desk, span: int, seed: int) -> Row:
    """How long an interactive burst waits for a CPU."""
    jobs = [_parallel(f"J{k}", 1000, None, 0) for k in range(2)]
    jobs += [Job(f"D{node}", [Process(_desk_program(10**9))]) for node in range(NODES)]
    given = {"slot": f"{case.slot_ms}ms"} if case.slot_ms else {}
    made = settings(case.policy, **given)
    lines = job_accounts(_ended(Scenario("desk", NODES, jobs, seed=seed, until_ns=span, settings=made)))[2:]
    bursts = sum(line["compute_ns"] for line in lines) / MS
    return {"wait_ms": sum(line["ready_ns"] for line in lines) / MS / max(1.0, bursts)}


def _control(case: Control, span: int, seed: int) -> Row:
    """Shares of CPU time of an application of eight processes and of two more."""
    task = Dist(Draw.EXPONENTIAL, 20 * MS)
    jobs = [Job(f"A{k}", [Process(one) for one in bag(8, task)], tasks=10**9) for k in range(3)]
    if not case.all_controllable:
        program = (Step(Op.COMPUTE, task), Step(Op.LOOP, peer=0, count=-1))
        jobs[0] = Job("A0", [Process(program) for _ in range(8)])
    made = _named("process-control", poll="1s")
    scenario = Scenario("control", 1, jobs, 8, seed, 4 * span, settings=made)
    used = [_used(line) for line in job_accounts(_ended(scenario))]
    return {"first_share": used[0] / sum(used)}


def _by_class(case: ByClass, until: int, seed: int) -> Row:
    """CPU time of a process of a job as wide as the machine, and of serial jobs, two on each node."""
    endless = (Step(Op.COMPUTE, Dist(Draw.CONSTANT, 10**6 * S)),)
    jobs = [_parallel("wide", 10_000, None, 0)]
    jobs += [Job(f"L{k}", [Process(endless)]) for k in range(2 * NODES)]
    made = _named("dhc", shares=case.shares)
    lines = job_accounts(_ended(Scenario("classes", NODES, jobs, seed=seed, until_ns=until, settings=made)))
    return {
        "wide": _used(lines[0]) / NODES / (until / S),
        "serial": sum(_used(line) for line in lines[1:]) / (2 * NODES) / (until / S),
    }


def _sets(case: Sets, until: int, seed: int) -> Row:
    """Rounds of four pairs: each activity computes alone, then the pair meets often for the burst."""
    meetings = max(1, case.burst_ms // 2)
    jobs = []
    for pair in range(4):
        programs = []
        for me in (0, 1):
            programs.append(
                (
                    Step(Op.COMPUTE, Dist(Draw.EXPONENTIAL, 2000 * MS if case.burst_ms < 1000 else MS)),
                    Step(Op.COMPUTE, Dist(Draw.CONSTANT, MS)),
                    Step(Op.ACCESS, peer=pair),
                    Step(Op.SEND, peer=1 - me, size=100),
                    Step(Op.RECV, peer=1 - me),
                    Step(Op.LOOP, peer=1, count=meetings, which=0),
                    Step(Op.LOOP, peer=0, count=-1, which=1),
                )
            )
        jobs.append(Job(f"P{pair}", [Process(one) for one in programs]))
    made = _named("rawsi", threshold=10 if case.coscheduled else 10**9)
    scenario = Scenario("sets", 1, jobs, 4, seed, until, settings=made)
    lines = job_accounts(_ended(scenario))
    return {"progress": sum(line["compute_ns"] for line in lines) / S / 4 / (until / S)}


_LONG = (Step(Op.COMPUTE, Dist(Draw.CONSTANT, 10**6 * S)),)
_FREE = Prices(0, 0, 0, 0, 0, Prices().byte, 0, 0, 0, 0)


def _shares() -> Row:
    """The largest distance of CPU time from t / T of it, at several instants, ms."""
    tickets, worst = (10, 20, 70), 0.0
    for until in (70 * MS, 990 * MS, 7 * S):
        jobs = [Job(f"J{t}", [Process(_LONG, 0)], tickets=t) for t in tickets]
        made = _named(PROPOSAL)
        scenario = Scenario("shares", 1, jobs, until_ns=until, prices=_FREE, settings=made)
        spent = _ended(scenario).world.procs.spent[:, 0]
        for t, has in zip(tickets, spent.tolist(), strict=True):
            worst = max(worst, abs(has - until * t / sum(tickets)))
    return {"error_ms": worst / MS}


def _wide(case: Wide) -> Row:
    """CPUs that the wide job has, behind the first broadcasts, and that a narrow one has."""
    jobs = [
        Job("J1", [Process(_LONG, 0), Process(_LONG, 1)]),
        Job("J2", [Process(_LONG, 0)]),
        Job("J3", [Process(_LONG, 1)]),
    ]
    made = _named(PROPOSAL, tracking=str(case.tracking).lower())
    used = []
    for until in (3 * S, 9 * S):
        scenario = Scenario("wide", 2, jobs, until_ns=until, prices=_FREE, settings=made)
        used.append(_ended(scenario).world.procs.spent[:, 0].astype(float))
    has = (used[1] - used[0]) / (6 * S)
    return {"wide": float(has[0] + has[1]), "narrow": float(has[2])}


def _sleeper(case: Sleeper) -> Row:
    """How far the sleeper is from a third of the CPU over sleep and credit, ms."""
    sleeps = (Step(Op.IO, Dist(Draw.CONSTANT, 60 * MS), count=1 << 30), *_LONG)
    jobs = [Job("A", [Process(sleeps, 0)]), *(Job(name, [Process(_LONG, 0)]) for name in "BC")]
    made = _named(PROPOSAL, sleep_credit=str(case.credit).lower())
    scenario = Scenario("sleeper", 1, jobs, until_ns=120 * MS, prices=_FREE, settings=made)
    return {"error_ms": abs(float(_ended(scenario).world.procs.spent[0, 0]) / MS - 40)}
