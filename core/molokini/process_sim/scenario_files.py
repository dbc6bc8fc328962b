"""Scenario files (TOML): read whole, or refused with file, key, value and what is allowed."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from pathlib import Path
from typing import Any

from molokini.model.errors import BadFile, BadInput, BadValue, Conflict
from molokini.process_sim.arriving import Arrivals, arriving_jobs
from molokini.process_sim.building import check_machine, check_memory
from molokini.process_sim.checking import check_frames, check_scenario, check_settings
from molokini.process_sim.job_tables import TableReader, pipeline_keys
from molokini.process_sim.keys import Keys, whole_of
from molokini.process_sim.kinds import PATTERNS, mean_ns
from molokini.process_sim.memory_files import memory_of, tasks_of
from molokini.process_sim.memory_jobs import MemoryTasks, memory_jobs
from molokini.process_sim.policies import named_policies, needs_of
from molokini.process_sim.scenario import LOCAL_NAMES, SCHEMES, Job, Prices, Program, Scenario, Settings
from molokini.process_sim.schedules import scheduled_jobs
from molokini.process_sim.words import Arrival, Draw, Op, Wait

MOST_NODES = 65_536
MOST_SEED = 2**31 - 1
WAITS = {wait.name.lower(): wait for wait in Wait}
ARRIVALS = {arrival.name.lower(): arrival for arrival in Arrival}


@dataclass(frozen=True)
class Source:
    """A scenario as its file says it: what can be varied without reading it again."""

    scenario: Scenario
    """With the jobs that the file lists, and no arriving ones."""
    arrivals: Arrivals | None = None
    file: str = field(default="")
    tasks: MemoryTasks | None = None

    def made(self, seed: int | None = None, settings: Settings | None = None, **loads: float) -> Scenario:
        """The scenario with arriving jobs, under this seed and these settings; *loads* of ``Arrivals``."""
        seed = self.scenario.seed if seed is None else seed
        settings = settings or self.scenario.settings
        jobs = list(self.scenario.jobs)
        if self.arrivals is not None:
            arrivals = replace(self.arrivals, **loads)  # type: ignore[arg-type]
            # Beforehand, or making them would take all the memory that is refused.
            check_memory(f"{self.file}: [arrivals]", *arrivals.expected(self.scenario.nodes))
            jobs += arriving_jobs(arrivals, self.scenario.nodes, seed, self.scenario.prices)
        elif self.tasks is not None:
            jobs += memory_jobs(self.tasks, self.scenario.nodes, seed, self.tasks.interval_ns)
        elif loads:
            raise Conflict(
                ", ".join(sorted(loads)), f"{self.file} has no [arrivals] whose load it could change"
            )
        # Of what arrives by chance there may be nothing in a short time: then the machine is idle.
        if not jobs and self.arrivals is None and self.tasks is None:
            raise BadInput(
                f"{self.file}: no jobs: a scenario needs [[job]], [arrivals], [tasks] or [schedule]"
            )
        check_memory(
            self.file,
            sum(len(job.processes) for job in jobs),
            sum(len(job.processes) ** 2 for job in jobs),
        )
        made = replace(self.scenario, seed=seed, settings=settings, jobs=jobs)
        check_scenario(self.file, made)
        return made


def read_scenario(path: str) -> Source:
    """The scenario of the TOML file *path*. Raises BadFile, BadValue, UnknownName or Conflict."""
    try:
        text = Path(path).read_bytes().decode()
    except OSError as error:
        raise BadFile(path, error.strerror or str(error)) from None
    except UnicodeDecodeError:
        raise BadFile(path, "not text in UTF-8") from None
    try:
        values = tomllib.loads(text)
    except ValueError as error:
        # A number of thousands of digits is one, too.
        raise BadFile(path, f"not TOML: {error}") from None
    except RecursionError:
        raise BadFile(path, "not TOML that can be read: lists or tables are nested too deep") from None
    return scenario_of(values, path)


def scenario_of(values: Mapping[str, Any], file: str) -> Source:
    """The scenario that *values* say, as TOML has them; *file* is how errors call it."""
    keys = Keys(file, "", values)
    name = keys.text("name", Path(file).stem)
    nodes = keys.whole("nodes", 1, 1, MOST_NODES)
    cpus, cpus_of = _cpus(keys, nodes)
    speeds = _speeds(keys, nodes)
    check_machine(keys.field("nodes"), sum(cpus_of) if cpus_of else nodes * cpus)
    prices = _prices(keys.table("costs"))
    settings = _settings(keys.table("scheduling"))
    check_settings(file, settings, prices)
    until = keys.duration("until", 0) or None
    seed = keys.whole("seed", 1, 0, MOST_SEED)
    reader = TableReader(file, nodes, prices)
    jobs: list[Job] = []
    for table in keys.tables("job"):
        jobs += reader.jobs(table)
    arrivals = _arrivals(keys.table("arrivals"), nodes) if keys.has("arrivals") else None
    if keys.has("schedule"):
        jobs += scheduled_jobs(keys.table("schedule"), nodes)
    memory = memory_of(keys.table("memory")) if keys.has("memory") or keys.has("tasks") else None
    tasks = tasks_of(keys.table("tasks")) if keys.has("tasks") else None
    keys.done()
    scenario = Scenario(
        name, nodes, jobs, cpus, seed, until, prices, settings, memory=memory, cpus_of=cpus_of, speeds=speeds
    )
    check_scenario(file, scenario)
    _check_ends(file, scenario, arrivals)
    return Source(scenario, arrivals, file, tasks)


def _cpus(keys: Keys, nodes: int) -> tuple[int, tuple[int, ...]]:
    """CPUs a node: the same number of all, or a list."""
    given = keys.raw("cpus_per_node")
    if not isinstance(given, list):
        return keys.whole("cpus_per_node", 1, 1, 1024), ()
    if not all(isinstance(one, int) and not isinstance(one, bool) and 1 <= one <= 1024 for one in given):
        raise keys.refuse("cpus_per_node", "a whole number from 1 to 1,024, or a list with one of each node")
    _check_length(keys, "cpus_per_node", len(given), nodes)
    return max(given), tuple(given)


def _speeds(keys: Keys, nodes: int) -> tuple[int, ...]:
    """Speeds of nodes in thousandths; empty where all are alike."""
    given = keys.raw("speeds", [])
    allowed = "a list of numbers from 0.001 to 1,000, one of each node; 1 computes as programs say"
    if not isinstance(given, list):
        raise keys.refuse("speeds", allowed)
    for one in given:
        if not isinstance(one, int | float) or isinstance(one, bool) or not 0.001 <= one <= 1000:
            raise keys.refuse("speeds", allowed)
    if given:
        _check_length(keys, "speeds", len(given), nodes)
    return tuple(round(1000 * one) for one in given)


def _check_length(keys: Keys, key: str, length: int, nodes: int) -> None:
    if length != nodes:
        raise Conflict(keys.field(key), f"{length} values for {nodes} nodes; give one of each node")


def _check_ends(file: str, scenario: Scenario, arrivals: Arrivals | None) -> None:
    """A run must end: by itself, or because the file says when."""
    if scenario.until_ns is None and arrivals is not None:
        raise BadInput(
            f'{file}: until: with [arrivals] it must say how long is simulated, as until = "10min"'
        )
    endless = [job.name for job in scenario.jobs if _never_ends(job)]
    if scenario.until_ns is None and endless:
        raise BadInput(
            f'{file}: until: {endless[0]} never ends; say how long is simulated, as until = "10min"'
        )


def _never_ends(job: Job) -> bool:
    """Whether *job* goes on without end, as far as its programs can tell."""
    if job.pipeline is not None:
        return job.pipeline.duration_ns is None
    programs = {id(process.program): process.program for process in job.processes}
    return any(_loops_for_ever(program) for program in programs.values())


def _loops_for_ever(program: Program) -> bool:
    """Whether it has a loop without end that takes time; a run names one that takes none."""
    for place, step in enumerate(program):
        inside = program[step.peer : place]
        if step.op is Op.LOOP and step.count < 0 and not any(one.op is Op.TAKE for one in inside):
            return any(one.dist is not None and mean_ns(one.dist) > 0 for one in inside)
    return False


def _prices(keys: Keys) -> Prices:
    plain = Prices()
    names = ("send", "receive", "latency", "local_latency", "switch", "interrupt", "move", "check")
    found = {name: keys.duration(name, getattr(plain, name)) for name in names}
    rate = keys.size("bytes_per_second", plain.bytes_a_second)
    byte = keys.number("send_ns_per_byte", 0.0, 0.0, 1e9)
    keys.done()
    return Prices(**found, bytes_a_second=rate, byte=Fraction(byte).limit_denominator(10**6))


def local_of(where: str, name: str) -> tuple[Wait, Arrival]:
    """The two parts of a local policy by name, or by ``WAIT+ARRIVAL``. Raises BadValue."""
    if name in LOCAL_NAMES:
        return LOCAL_NAMES[name]
    wait, plus, arrival = name.partition("+")
    if plus and wait in WAITS and arrival in ARRIVALS:
        return WAITS[wait], ARRIVALS[arrival]
    parts = f"{'|'.join(WAITS)} + {'|'.join(ARRIVALS)}"
    known = ", ".join((*LOCAL_NAMES, *named_policies()))
    raise BadValue(where, name, f"one of {known}, or {parts} as block+boost")


def ratio_of(where: str, text: object) -> tuple[int, int]:
    """The fairness ratio ``x:y``. Raises BadValue."""
    left, colon, right = text.partition(":") if isinstance(text, str) else ("", "", "")
    x, y = whole_of(left), whole_of(right)
    if not colon or x is None or y is None or not 0 < x + y <= 1000:
        raise BadValue(where, text, "x:y, whole numbers of which one is above 0, 1,000 at most together")
    return x, y


def _settings(keys: Keys) -> Settings:
    plain = Settings()
    scheme = keys.choice("scheme", "local", (*SCHEMES, *named_policies()))
    local = keys.text("local", "spin")
    if local in named_policies():
        scheme = local
    if scheme in named_policies():
        local = "sb"
    wait, arrival = local_of(keys.field("local"), local)
    if keys.has("wait"):
        wait = WAITS[keys.choice("wait", "spin", tuple(WAITS))]
    if keys.has("arrival"):
        arrival = ARRIVALS[keys.choice("arrival", "none", tuple(ARRIVALS))]
    x, y = ratio_of(keys.field("ratio"), keys.raw("ratio", "2:1"))
    found = Settings(
        scheme,
        wait,
        arrival,
        keys.duration("spin", 0) if keys.has("spin") else None,
        keys.duration("boost", plain.boost_ns),
        keys.duration("quantum", 0),
        x,
        y,
        keys.whole("rows", plain.rows, 2, 16),
        keys.duration("row_quantum", plain.row_quantum_ns),
        keys.duration("cycle", plain.cycle_ns),
        keys.duration("sync", plain.sync_ns),
        keys.flag("admission", False),
        keys.choice("admission_work", "period", ("period", "frame")),
        keys.duration("top_quantum", 0),
        keys.flag("carry_over", False),
        keys.flag("gang_switch", True),
        keys.flag("sated_last", True),
        keys.flag("ticked", False),
        _given(keys, scheme),
    )
    keys.done()
    return found


def _given(keys: Keys, scheme: str) -> tuple[int, ...]:
    """Parameters of the policy, from the table [scheduling.set]."""
    given = keys.raw("set", {})
    if not isinstance(given, Mapping):
        raise keys.refuse("set", "a table of parameters of the policy, as [scheduling.set]")
    return needs_of(scheme).values(keys.field("set"), given) if given else ()


def _arrivals(keys: Keys, nodes: int) -> Arrivals:
    plain = Arrivals()
    pipeline = pipeline_keys(keys)
    zeta = keys.distribution("zeta", "uniform 3600us 4800us")
    if zeta.kind not in (Draw.UNIFORM, Draw.CONSTANT):
        raise keys.refuse("zeta", "'uniform FROM TO' or one duration")
    bounds = (zeta.a, zeta.b if zeta.kind is Draw.UNIFORM else zeta.a)
    if bounds[1] == 0:
        raise keys.refuse("zeta", "above 0ns")
    work = keys.distribution("work", "erlang 120s 4")
    if mean_ns(work) == 0:
        raise keys.refuse("work", "above 0ns on average")
    check_frames(keys.field("zeta"), pipeline.frames, bounds[1])
    found = Arrivals(
        keys.number("rt_load", plain.rt_load, 0, 100),
        keys.number("be_load", plain.be_load, 0, 100),
        keys.duration("for", plain.for_ns),
        pipeline,
        bounds,
        keys.whole("stages", nodes, 1, 4096) if keys.has("stages") else None,
        work,
        keys.distribution("compute", "exponential 5ms"),
        keys.distribution("io", "10ms"),
        keys.number("io_chance", plain.io_chance, 0, 1),
        keys.number("skew", 0, 0, 2),
        keys.size("message", plain.message),
        tuple(PATTERNS[name] for name in _pattern_names(keys)),
    )
    keys.done()
    return found


def _pattern_names(keys: Keys) -> list[str]:
    names = keys.raw("patterns", ["ring", "neighbour", "all-to-all", "random"])
    if not isinstance(names, list) or not names or not all(name in list(PATTERNS) for name in names):
        raise keys.refuse("patterns", f"a list of some of {', '.join(PATTERNS)}")
    return names
