"""A scenario becomes tables."""

from collections.abc import Sequence
from math import ceil

import numpy as np

from molokini.model.errors import Conflict
from molokini.process_sim.needs import Needs
from molokini.process_sim.policies import needs_of
from molokini.process_sim.programs import MOST_OPERATIONS
from molokini.process_sim.randomness import mixed
from molokini.process_sim.scenario import Dist, Job, Process, Program, Scenario, Step
from molokini.process_sim.stamps import SPARE
from molokini.process_sim.tables import (
    LISTS,
    NO_END,
    NOT_QUEUED,
    RUN_NEXT,
    Agenda,
    Channels,
    Costs,
    Cpus,
    Jobs,
    LogColumn,
    Memory,
    Own,
    Parameters,
    Processes,
    Programs,
    Queues,
    Stamps,
    Trace,
    World,
)
from molokini.process_sim.words import NEVER, SEGMENTS, Op, Segment, State

MOST_BYTES = 1 << 32
"""Of memory that tables may take."""
_PROCESS_BYTES = 8 * (len(Processes.columns()) + 9)
_CPU_BYTES = 8 * (len(Cpus.columns()) + 2 * LISTS + SEGMENTS + 40)
"""With its part of the agenda, and its column of a matrix of 16 rows."""
_TRACE_ROWS = 200_000
_MOST_REPORTS = 1_000_000
"""That are written down; later ones are not."""
_MOST_AT_ONCE = 200_000
"""Facts of one instant, beside 100 a process: then nothing goes on but the instant itself."""


def check_memory(name: str, processes: int, channels: int) -> None:
    """Raise Conflict where tables of this size are more than ``MOST_BYTES``."""
    needed = processes * _PROCESS_BYTES + 16 * channels
    if needed > MOST_BYTES:
        raise Conflict(
            name,
            f"{processes:,} processes with {channels:,} channels need {needed / 2**30:,.1f} GiB of tables, "
            f"and {MOST_BYTES >> 30} GiB are allowed; take fewer or smaller jobs",
        )


def check_machine(name: str, cpus: int) -> None:
    """Raise Conflict where the tables of so many CPUs are more than ``MOST_BYTES``."""
    needed = cpus * _CPU_BYTES
    if needed > MOST_BYTES:
        raise Conflict(
            name,
            f"{cpus:,} CPUs need {needed / 2**30:,.1f} GiB of tables, and {MOST_BYTES >> 30} GiB are "
            "allowed; take fewer nodes, or fewer CPUs a node",
        )


def build(scenario: Scenario, window_ns: tuple[int, int] | None = None, needs: Needs | None = None) -> World:
    """The tables of *scenario* before its first instant.

    *window_ns*: what the CPUs do between these instants is written down. *needs*: of a policy of one's own.
    """
    needs = needs or needs_of(scenario.settings.scheme)
    jobs = sorted(scenario.jobs, key=lambda job: job.arrival_ns)
    count = sum(len(job.processes) for job in jobs)
    channels = sum(len(job.processes) ** 2 for job in jobs)
    check_memory(scenario.name, count, channels)
    programs = _Programs()
    world = World(
        cpus=_cpus(scenario),
        procs=_processes(jobs, programs, scenario),
        jobs=_jobs(jobs, scenario),
        channels=Channels(
            waiting=_zeros(channels),
            last=_zeros(channels),
            accesses=np.zeros((max(1, _objects(jobs)), max(1, count)), dtype=np.int64),
            rates=np.zeros((max(1, _objects(jobs)), max(1, count)), dtype=np.int64),
        ),
        programs=programs.tables(),
        agenda=_agenda(scenario.cpus, count),
        costs=Costs(),
        asked=Parameters(),
        queues=Queues(slots=np.full((max(1, scenario.settings.rows), scenario.cpus), -1, dtype=np.int64)),
        trace=Trace(rows=np.zeros((_TRACE_ROWS if window_ns else 1, 5), dtype=np.int64)),
        own=_own(needs, scenario, count, jobs),
        memory=_memory(jobs, scenario, count),
        stamps=_stamps(count, channels) if needs.stamps else _stamps(0, 0),
    )
    _play_all(world)
    _set_costs(world.costs, scenario)
    _set_parameters(world.asked, scenario)
    world.asked.stamped = int(needs.stamps)
    world.until = scenario.until_ns if scenario.until_ns is not None else NEVER
    world.budget = 1 << 62
    world.most_at_once = world.stuck_at = _MOST_AT_ONCE + 100 * count
    world.seed = scenario.seed
    world.live = len(jobs)
    world.culprit = -1
    world.cpus_a_node = scenario.cpus_a_node
    world.queues.row = -1
    for name in ("rt_first", "rt_last", "be_first", "be_last"):
        setattr(world.queues, name, -1)
    if window_ns is not None:
        world.trace.on, world.trace.since, world.trace.until = 1, *window_ns
    return world


def _own(needs: Needs, scenario: Scenario, processes: int, jobs: Sequence[Job]) -> Own:
    def table(rows: int, columns: int) -> np.ndarray:
        return np.zeros((max(1, rows), max(1, columns)), dtype=np.int64)

    given = scenario.settings.given or needs.defaults
    plan = [
        (number, *one) for number, job in enumerate(jobs) if job.rate is not None for one in job.rate.targets
    ]
    reports = sum(job.rate.iterations for job in jobs if job.rate is not None) if needs.logs else 0
    return Own(
        given=np.array(given or (0,), dtype=np.int64),
        procs=table(processes, needs.process),
        cpus=table(scenario.cpus, needs.cpu),
        jobs=table(len(jobs), needs.job),
        cluster=_zeros(needs.cluster),
        # Job -1 has no target.
        plan=np.array(plan or [(-1, 0, 0)], dtype=np.int64),
        log=table(min(reports, _MOST_REPORTS), len(LogColumn)),
    )


_BY_PROCESS = (
    *("vir", "wrk", "res", "wrk_mean", "wrk_sd", "phase", "phase_end"),
    *("counted", "ran_at", "faulting", "faults", "draws"),
)


def _memory(jobs: Sequence[Job], scenario: Scenario, count: int) -> Memory:
    size = count if scenario.memory is not None else 1
    by_node = {name: _zeros(scenario.nodes) for name in ("needed", "load", "load_at")}
    made = Memory(**{name: _zeros(size) for name in _BY_PROCESS}, **by_node)
    if scenario.memory is None:
        return made
    told = scenario.memory
    made.on, made.pages, made.page_in, made.block = 1, told.pages, told.page_in, told.block
    made.fault_ns, made.printed = told.fault_ns, int(told.printed)
    for p, process in enumerate(one for job in jobs for one in job.processes):
        if (pages := process.pages) is not None:
            made.vir[p], made.wrk_mean[p], made.wrk_sd[p] = pages.vir, pages.wrk_mean, pages.wrk_sd
            made.phase[p] = pages.phase_ns
    return made


def _objects(jobs: Sequence[Job]) -> int:
    """Named objects that programs use."""
    steps = (step for job in jobs for one in job.processes for step in one.program)
    return 1 + max((step.peer for step in steps if step.op == Op.ACCESS), default=-1)


def _zeros(count: int) -> np.ndarray:
    return np.zeros(max(1, count), dtype=np.int64)


def _stamps(processes: int, channels: int) -> Stamps:
    count = 2 * SPARE if processes else 1
    runs = np.zeros((count, 4), dtype=np.int64)
    runs[:, RUN_NEXT] = [*range(1, count), -1]
    made = Stamps(
        word=_zeros(processes),
        byte=_zeros(processes),
        head=_zeros(channels) - 1,
        tail=_zeros(channels) - 1,
        runs=runs,
    )
    made.left = count
    return made


def _cpus(scenario: Scenario) -> Cpus:
    count = scenario.cpus
    shape = (count, LISTS)
    cpus = Cpus(
        heads=np.full(shape, -1, dtype=np.int64),
        tails=np.full(shape, -1, dtype=np.int64),
        moved=np.zeros((count, SEGMENTS), dtype=np.int64),
        spent=np.zeros((count, SEGMENTS), dtype=np.int64),
    )
    none = dict.fromkeys(
        ("proc", "context", "favoured", "first_note", "last_note", "first", "charged", "ran"), -1
    )
    cpus.lengthen_record(count, key=NO_END, segment=Segment.IDLE, ticked=-1, **none)
    for cpu, node in enumerate(scenario.node_of_cpu):
        cpus.node[cpu] = node
        cpus.speed[cpu] = scenario.speeds[node] if scenario.speeds else 1000
    return cpus


def _processes(jobs: Sequence[Job], programs: "_Programs", scenario: Scenario) -> Processes:
    count = sum(len(job.processes) for job in jobs)
    made = Processes(spent=np.zeros((max(1, count), 8), dtype=np.int64), parked=_zeros(count))
    made.lengthen_record(
        count, cpu=-1, home=-1, queue=-1, waits=-1, beside=-1, sender=-1, segment=Segment.BETWEEN
    )
    made.state[:] = State.NEW
    p = channel = 0
    places = _Places(scenario)
    for number, job in enumerate(jobs):
        places.begin()
        for rank, process in enumerate(job.processes):
            made.job[p], made.rank[p], made.kind[p] = number, rank, job.kind
            made.pc[p] = programs.place_of(process.program)
            made.key[p] = (mixed(number * 65_537 + 11) << 32 >> 2) ^ mixed((rank + 1) * 40_503 + number)
            made.work[p] = _work(process, scenario)
            size = len(job.processes)
            made.peers[p], made.out[p], made.into[p] = size, channel + rank * size, channel + rank
            if process.node is not None:
                made.cpu[p] = places.cpu_on(process.node)
            p += 1
        channel += len(job.processes) ** 2
    return made


class _Places:
    """Processes of one job on one node go to its CPUs in turn."""

    def __init__(self, scenario: Scenario) -> None:
        self._cpus: dict[int, list[int]] = {}
        for cpu, node in enumerate(scenario.node_of_cpu):
            self._cpus.setdefault(node, []).append(cpu)
        self._taken: dict[int, int] = {}

    def begin(self) -> None:
        """Another job."""
        self._taken.clear()

    def cpu_on(self, node: int) -> int:
        """The next CPU of *node*."""
        place = self._taken.get(node, 0)
        self._taken[node] = place + 1
        return self._cpus[node][place % len(self._cpus[node])]


def _work(process: Process, scenario: Scenario) -> int:
    return process.zeta_ns if scenario.settings.admission_work == "frame" else process.work_ns


def _rows_kept(job: Job, scenario: Scenario) -> int:
    """Rows of 1gs that have the time for a frame of the process with most work in the time of a frame."""
    settings, pipeline = scenario.settings, job.pipeline
    if settings.scheme != "1gs" or not settings.admission or pipeline is None:
        return 1
    switch = scenario.prices.switch if settings.gang_switch else 0
    cycle_ns = settings.rows * (settings.row_quantum_ns + settings.sync_ns)
    work_ns = cycle_ns * max(process.zeta_ns for process in job.processes)
    wanted = ceil(work_ns / (pipeline.frame_ns * max(1, settings.row_quantum_ns - switch)))
    # One more than there are is as well as any more: such a job is refused.
    return min(max(wanted, 1), settings.rows + 1)


def _jobs(jobs: Sequence[Job], scenario: Scenario) -> Jobs:
    made = Jobs()
    made.lengthen_record(
        len(jobs),
        placed=-1,
        end=-1,
        duration=-1,
        patience=-1,
        period_start=-1,
        last_frames=-1,
        next=NOT_QUEUED,
    )
    made.period_den[:] = 1
    made.frame_den[:] = 1
    first = channel = 0
    for number, job in enumerate(jobs):
        size = len(job.processes)
        made.first[number], made.count[number], made.channel[number] = first, size, channel
        made.kind[number], made.arrival[number], made.live[number] = job.kind, job.arrival_ns, size
        made.fixed[number] = int(all(process.node is not None for process in job.processes))
        made.bag[number], made.tickets[number] = job.tasks, job.tickets
        made.copies[number] = _rows_kept(job, scenario)
        if job.rate is not None:
            made.full[number], made.use[number] = job.rate.full_ns, job.rate.use
        if job.pipeline is not None:
            _set_pipeline(made, number, job)
        first, channel = first + size, channel + size * size
    return made


def _set_pipeline(made: Jobs, number: int, job: Job) -> None:
    pipeline = job.pipeline
    assert pipeline is not None
    period = pipeline.frames * pipeline.frame_ns
    made.frames_a_period[number] = made.room[number] = pipeline.frames
    made.period_num[number], made.period_den[number] = period.numerator, period.denominator
    made.skipped[number] = pipeline.skipped
    if pipeline.duration_ns is not None:
        made.duration[number] = pipeline.duration_ns
    if pipeline.patience_ns is not None:
        made.patience[number] = pipeline.patience_ns
    if pipeline.source == "ahead":
        made.lead[number] = pipeline.frames
    if pipeline.source != "ready":
        made.frame_num[number] = pipeline.frame_ns.numerator
        made.frame_den[number] = pipeline.frame_ns.denominator


class _Programs:
    """All programs one behind the other, each once; and the distributions, each once."""

    def __init__(self) -> None:
        self._rows: list[tuple[int, int, int, int]] = []
        self._places: dict[Program, int] = {}
        self._dists: dict[Dist, int] = {}

    def place_of(self, program: Program) -> int:
        """Where *program* begins."""
        if program not in self._places:
            place = self._places[program] = len(self._rows)
            self._rows += [self._row(step, place) for step in program]
            self._rows.append((Op.EXIT, 0, 0, 0))
        return self._places[program]

    def _row(self, step: Step, place: int) -> tuple[int, int, int, int]:
        dist = 0 if step.dist is None else self._dists.setdefault(step.dist, len(self._dists))
        match step.op:
            case Op.COMPUTE | Op.SLEEP:
                return step.op, dist, 0, 0
            case Op.ACCESS:
                return step.op, step.peer, 0, 0
            case Op.IO:
                return step.op, dist, step.count, 0
            case Op.LOOP | Op.TAKE:
                return step.op, place + step.peer, step.count, step.which
            case Op.EXCHANGE:
                return step.op, step.pattern, step.size, int(step.pattern == 3)
            case _:
                return step.op, step.peer, step.size, 0

    def tables(self) -> Programs:
        """Both as arrays."""
        draws = [(int(one.kind), one.a, one.b) for one in self._dists] or [(0, 0, 0)]
        rows = self._rows or [(Op.EXIT, 0, 0, 0)]
        return Programs(ops=np.array(rows, dtype=np.int64), draws=np.array(draws, dtype=np.int64))


def heap_spare(cpus: int) -> int:
    """Entries of the heap for which there is room at the beginning of each fact."""
    return MOST_OPERATIONS + 256 + 4 * cpus


def _agenda(cpus: int, processes: int) -> Agenda:
    size = 1
    while size < cpus:
        size *= 2
    tree = np.full(2 * size, -1, dtype=np.int64)
    tree[size : size + cpus] = np.arange(cpus)
    spare = heap_spare(cpus)
    room = 2 * spare + 4 * processes
    agenda = Agenda(tree=tree, heap=np.zeros((room, 4), dtype=np.int64), touched=_zeros(2 * cpus + 1))
    agenda.size, agenda.full = size, room - spare
    return agenda


def _play_all(world: World) -> None:
    tree = world.agenda.tree
    for node in range(world.agenda.size - 1, 0, -1):
        left, right = tree[2 * node], tree[2 * node + 1]
        tree[node] = left if left >= 0 else right


def _set_costs(costs: Costs, scenario: Scenario) -> None:
    prices, settings = scenario.prices, scenario.settings
    for name in ("send", "receive", "latency", "local_latency", "switch", "interrupt", "move", "check"):
        setattr(costs, name, getattr(prices, name))
    if settings.scheme == "1gs" and not settings.gang_switch:
        costs.switch = 0
    costs.wire_num, costs.wire_den = prices.wire.numerator, prices.wire.denominator
    costs.byte_num, costs.byte_den = prices.byte.numerator, prices.byte.denominator
    costs.tick = settings.boost_ns if settings.has_checks else 0


def _set_parameters(asked: Parameters, scenario: Scenario) -> None:
    settings = scenario.settings
    asked.wait, asked.arrival = settings.wait, settings.arrival
    asked.spin = scenario.prices.baseline_ns if settings.spin_ns is None else settings.spin_ns
    asked.quantum = settings.quantum_ns
    asked.x, asked.y = settings.x, settings.y
    asked.rows, asked.row_quantum = settings.rows, settings.row_quantum_ns
    asked.cycle, asked.sync = settings.cycle_ns, settings.sync_ns
    asked.admission = int(settings.admission)
    asked.top_quantum, asked.carry = settings.top_quantum_ns, int(settings.carry_over)
    asked.sated_last = int(settings.sated_last)
    asked.ticked = int(settings.ticked)
    asked.unlike = int(any(speed != 1000 for speed in scenario.speeds))
