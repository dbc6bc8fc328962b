"""The tables [[job]] of a scenario file: kinds of jobs, and programs written out."""

from dataclasses import replace
from fractions import Fraction
from typing import Any, cast, get_args

from molokini.model.errors import BadValue, Conflict, UnknownName
from molokini.process_sim.building import check_memory
from molokini.process_sim.checking import check_frames, check_period
from molokini.process_sim.iterating import iterating_of
from molokini.process_sim.keys import Keys, duration
from molokini.process_sim.kinds import (
    PATTERNS,
    bag,
    client_server,
    cycle_in,
    interactive,
    looping,
    pipeline,
    rounds_of,
)
from molokini.process_sim.memory_files import job_pages
from molokini.process_sim.nas import ALLOWED, nas_processes, processes_of
from molokini.process_sim.scenario import Frames, Job, Pipeline, Prices, Process, Program, S, Step
from molokini.process_sim.texts import program_of
from molokini.process_sim.words import Op

KINDS = (
    *("program", "bsp", "best-effort", "real-time", "client-server", "interactive", "serial", "bag"),
    *("nas", "iterating"),
)
MOST_PROCESSES = 10**9
MOST_OBJECTS = 256
_MOST_DENOMINATOR = 5000
"""Of frames a second: enough for 30000/1001; the ns of a million frames stay a whole number of a table."""


def pipeline_keys(keys: Keys) -> Pipeline:
    """What makes a job a real-time job."""
    plain = Pipeline()
    rate = keys.number("frames_per_second", 30.0, 0.001, 1e6)
    frames = keys.whole("frames", plain.frames, 1, 10**6)
    frame_ns = Fraction(S) / Fraction(rate).limit_denominator(_MOST_DENOMINATOR)
    check_period(keys.field("frames"), frames * frame_ns)
    return Pipeline(
        frames,
        frame_ns,
        keys.duration("duration", 180 * S) or None,
        keys.duration("patience", 15 * S),
        cast(Frames, keys.choice("source", plain.source, get_args(Frames))),
        keys.whole("warmup_periods", 0, 0, 10**6),
    )


class TableReader:
    """Reads the tables of one file, and counts what they would need."""

    def __init__(self, file: str, nodes: int, prices: Prices) -> None:
        self._file, self._nodes, self._prices = file, nodes, prices
        self._processes = self._channels = 0
        self._objects: dict[str, int] = {}

    def jobs(self, keys: Keys) -> list[Job]:
        """The jobs of one table: as many as it has copies."""
        kind = keys.choice("kind", "program", KINDS)
        field = keys.field("copies")
        name = keys.text("name", keys.where.replace("[", "").replace("]", ""))
        arrival = keys.duration("arrival", 0)
        copies = keys.whole("copies", 1, 1, 10**6)
        made = getattr(self, f"_{kind.replace('-', '_')}")(keys, name, copies)
        tickets = keys.whole("tickets", 100, 1, 10**6)
        job: Job = job_pages(keys, replace(made, tickets=tickets))
        keys.done()
        self._count(field, len(job.processes), copies)
        if copies == 1:
            return [_at(job, name, arrival)]
        return [_at(job, f"{name}-{k + 1}", arrival) for k in range(copies)]

    def _size(self, keys: Keys, key: str, default: int, copies: int, least: int = 1, extra: int = 0) -> int:
        size = keys.whole(key, default, least, MOST_PROCESSES)
        self._check(keys.field(key), size + extra, copies)
        return size

    def _check(self, field: str, size: int, copies: int) -> tuple[int, int]:
        """Processes and channels so far, with so many more jobs of this size."""
        found = self._processes + size * copies, self._channels + size**2 * copies
        check_memory(field, *found)
        return found

    def _count(self, field: str, size: int, copies: int) -> None:
        self._processes, self._channels = self._check(field, size, copies)

    def _nodes_of(self, keys: Keys, size: int) -> list[int | None]:
        given = keys.raw("nodes")
        if given is None:
            return [None] * size
        if not isinstance(given, list) or not all(_is_node(node, self._nodes) for node in given):
            raise keys.refuse("nodes", f"a list of nodes, whole numbers from 0 to {self._nodes - 1:,}")
        if len(given) != size:
            without = f"process {len(given)} has no node" if len(given) < size else "there are too many"
            raise Conflict(keys.field("nodes"), f"{len(given)} nodes for {size} processes: {without}")
        return list(given)

    def _of(self, keys: Keys, programs: list[Program], tasks: int = 0) -> Job:
        nodes = self._nodes_of(keys, len(programs))
        processes = [Process(program, node) for program, node in zip(programs, nodes, strict=True)]
        return Job("", processes, tasks=tasks)

    def _loop_of(self, keys: Keys, copies: int, compute: str, io_chance: float) -> Job:
        size = self._size(keys, "processes", 2, copies)
        grain = keys.distribution("compute", compute)
        io = (keys.distribution("io", "10ms"), keys.number("io_chance", io_chance, 0, 1))
        pattern = PATTERNS[keys.choice("pattern", "ring", tuple(PATTERNS))]
        message, skew = keys.size("message", 1000), keys.number("skew", 0, 0, 2)
        work = keys.duration("work", 10 * S)
        rounds = keys.whole("rounds", 1, 1, 10**12) if keys.has("rounds") else rounds_of(work, grain, io)
        return self._of(keys, looping(size, grain, pattern, message, rounds, io, skew))

    def _bsp(self, keys: Keys, name: str, copies: int) -> Job:
        return self._loop_of(keys, copies, "5ms", 0.0)

    def _best_effort(self, keys: Keys, name: str, copies: int) -> Job:
        return self._loop_of(keys, copies, "exponential 5ms", 0.02)

    def _client_server(self, keys: Keys, name: str, copies: int) -> Job:
        clients = self._size(keys, "clients", 1, copies, extra=1)
        requests = keys.whole("requests", 100, 1, 10**9)
        think, service = keys.distribution("think", "exponential 10ms"), keys.distribution("service", "1ms")
        return self._of(keys, client_server(clients, requests, think, service, keys.size("message", 1000)))

    def _interactive(self, keys: Keys, name: str, copies: int) -> Job:
        bursts = keys.whole("bursts", 100, 1, 10**9)
        burst, think = keys.distribution("burst", "5ms"), keys.distribution("think", "exponential 1s")
        return self._of(keys, [interactive(bursts, burst, think)])

    def _serial(self, keys: Keys, name: str, copies: int) -> Job:
        return self._of(keys, [(Step(Op.COMPUTE, keys.distribution("work", "10s")),)])

    def _bag(self, keys: Keys, name: str, copies: int) -> Job:
        size = self._size(keys, "processes", 2, copies)
        tasks = keys.whole("tasks", 100, 1, 10**9)
        return self._of(keys, bag(size, keys.distribution("task", "exponential 100ms")), tasks)

    def _nas(self, keys: Keys, name: str, copies: int) -> Job:
        program = keys.text("program", "")
        count = processes_of(program)
        if count is None:
            raise keys.refuse("program", ALLOWED)
        nodes = self._nodes_of(keys, count)
        part, grain = keys.number("part", 1.0, 1e-6, 1.0), keys.number("grain", 1.0, 1e-3, 1.0)
        return Job("", nas_processes(program, nodes, part, grain))

    def _iterating(self, keys: Keys, name: str, copies: int) -> Job:
        size = self._size(keys, "processes", 4, copies)
        return iterating_of(keys, size, self._prices, self._nodes_of(keys, size))

    def _program(self, keys: Keys, name: str, copies: int) -> Job:
        tables = keys.tables("process")
        if not tables:
            raise keys.refuse("process", "one or more tables [[job.process]] with a program each")
        names = [table.text("name", str(rank)) for rank, table in enumerate(tables)]
        if len(set(names)) < len(names):
            raise BadValue(f"{self._file}: {keys.where}.process.name", names, "another name for each process")
        processes = []
        for rank, table in enumerate(tables):
            node = table.whole("node", 0, 0, self._nodes - 1) if table.has("node") else None
            program = program_of(table.field("program"), table.raw("program"), names, self._objects)
            table.done()
            if len(self._objects) > MOST_OBJECTS:
                raise Conflict(table.field("program"), f"more than {MOST_OBJECTS} objects; use fewer")
            processes.append(Process(program, node, names[rank]))
        placed = [process.node is not None for process in processes]
        if any(placed) and not all(placed):
            without = names[placed.index(False)]
            raise Conflict(
                f"{self._file}: {keys.where}", f"process {without} has no node, and others have one"
            )
        return Job("", processes)

    def _real_time(self, keys: Keys, name: str, copies: int) -> Job:
        made = pipeline_keys(keys)
        tables = keys.tables("stage")
        if tables:
            zetas, edges = self._stages(keys, tables)
        else:
            zetas = self._zetas(keys, keys.raw("zeta", ["4ms"]))
            edges = [(k, k + 1) for k in range(len(zetas) - 1)]
        check_frames(keys.field("zeta"), made.frames, max(zetas))
        nodes = self._nodes_of(keys, len(zetas))
        return Job("", pipeline(zetas, edges, made, self._prices, nodes), pipeline=made)

    def _zetas(self, keys: Keys, values: Any) -> list[int]:
        found = [duration(value) for value in values] if isinstance(values, list) else [None]
        if None in found or not found:
            raise keys.refuse("zeta", "a list of durations, one a stage, as ['4ms', '3ms']")
        return [value for value in found if value is not None]

    def _stages(self, keys: Keys, tables: list[Keys]) -> tuple[list[int], list[tuple[int, int]]]:
        """Work a frame by process, and who sends to whom: stages of one process are one."""
        names = [table.text("name", f"T{k + 1}") for k, table in enumerate(tables)]
        if len(set(names)) < len(names):
            raise BadValue(f"{self._file}: {keys.where}.stage.name", names, "another name for each stage")
        places = [table.whole("process", k, 0, 4095) for k, table in enumerate(tables)]
        count = keys.whole("processes", max(places) + 1, 1, 4096)
        if max(places) >= count:
            raise Conflict(
                keys.field("processes"),
                f"{len(tables)} stages on {count} processes: stage {names[places.index(max(places))]} has "
                "none; "
                "give stages a process each, several may share one",
            )
        zetas = [0] * count
        edges: set[tuple[int, int]] = set()
        stages: list[tuple[int, int]] = []
        for k, table in enumerate(tables):
            zetas[places[k]] += table.duration("zeta", 4_000_000)
            for before in self._before(table, k, names):
                stages.append((before, k))
                if places[before] != places[k]:
                    edges.add((places[before], places[k]))
            table.done()
        for size, graph, called in (
            (len(tables), stages, names),
            (count, sorted(edges), [str(k) for k in range(count)]),
        ):
            if cycle := cycle_in(size, graph):
                path = " -> ".join(called[k] for k in [*cycle, cycle[0]])
                raise Conflict(keys.field("stage"), f"the graph has a cycle, {path}; frames could never pass")
        return zetas, sorted(edges)

    def _before(self, table: Keys, k: int, names: list[str]) -> list[int]:
        after = table.raw("after", [names[k - 1]] if k else [])
        if not isinstance(after, list):
            raise table.refuse("after", "a list of stages, by name")
        for name in after:
            if name not in names:
                raise UnknownName(f"stage of {table.field('after')}", str(name), names)
        return [names.index(name) for name in after]


def _is_node(node: object, nodes: int) -> bool:
    return isinstance(node, int) and not isinstance(node, bool) and 0 <= node < nodes


def _at(job: Job, name: str, arrival: int) -> Job:
    return replace(job, name=name, arrival_ns=arrival)
