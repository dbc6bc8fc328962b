"""Replay: a workload, a machine and a policy in; a schedule out.

``Replay`` is the engine with its tables and agenda: it can stop at an instant and go on, start from
any tables, and be copied.
"""

import copy
import traceback
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

import numpy as np

from molokini.availability.placement import NAMES as PLACEMENTS
from molokini.compiled.structs import Floats, Ints
from molokini.cycle.calling import PolicyError, PythonView, functions_of, nothing
from molokini.cycle.complaints import COMPLAINTS
from molokini.cycle.ports import PolicyFunction, Progress
from molokini.model.banks import Accounts
from molokini.model.choices import CHOICES
from molokini.model.decisions import Refusal
from molokini.model.errors import BadInput, BadValue
from molokini.model.machine import Machine
from molokini.model.outages import Outage, outage_facts
from molokini.model.policy import Value
from molokini.model.ranks import RANK_OF, AgendaEvent
from molokini.model.requests import Request
from molokini.model.reservations import Reservation
from molokini.policies import LoadedPolicy
from molokini.sim.agenda import BATCH, EACH
from molokini.sim.compiled import compiled_engine, is_plain
from molokini.sim.engine import ARRIVING, FINISHED, MORE_ROWS, MORE_TRACE, STOPPED, run
from molokini.sim.prepare import make_agenda, more_rows, more_trace
from molokini.sim.reserving import Reservations, Rolling
from molokini.sim.schedule import Interruptions, Places, Schedule, Told, Trace
from molokini.sim.shared_traces import each_by_itself
from molokini.tables.bank_changes import open_bank
from molokini.tables.making import grow, make_tables
from molokini.tables.rows import open_matrix
from molokini.tables.tables import NEVER, Tables
from molokini.tables.usage import charge_as
from molokini.workloads.workload import Workload


class Overrun(StrEnum):
    """What happens to a job that reaches its estimate."""

    KILL = "kill"
    EXTEND = "extend"


class Ties(StrEnum):
    """One pass an instant (the rule), or one pass a fact with arrivals before ends."""

    BATCH = "batch"
    EACH = "each"


@dataclass(frozen=True)
class Options:
    """How to replay. *facts* go on the agenda beside the workload; *requests* are by row of the workload."""

    overrun: Overrun = Overrun.KILL
    overruns_s: Floats | None = None
    """Under KILL how long each job of the workload may run past its estimate; None: not at all."""
    ties: Ties = Ties.BATCH
    placement: str = "first-fit"
    facts: Sequence[AgendaEvent] = ()
    outages: Sequence[Outage] = ()
    """Of nodes, or of counted processors; they become facts, and the schedule tells of them."""
    requests: Mapping[int, Request] | None = None
    reservations: Reservations = ()
    """The reservations of administrators."""
    accounts: Accounts | None = None
    """Which accounts jobs have, and the bank that keeps them; None: jobs have none."""
    services: Ints | None = None
    """The place of the QoS of each job among those of the policy's configuration; -1: it has none."""
    memory_kb: Floats | None = None
    """The memory that each job of the workload uses for each of its processors (0: not known), for policies
    that pack by it; None: of none it is known."""
    least_s: Floats | None = None
    """The shortest limit with which each job may be started, where the policy shortens limits (0: its
    estimate); None: none may be started with a shorter one."""
    node_names: Sequence[str] = ()
    """The names of the nodes, in their order, where reservations name some."""
    parameters: Sequence[float] | None = None
    """The policy's whole vector, where it is more than its declared parameters; else made of their values."""
    interpreted: bool = False
    """Run engine and policy as plain Python: slow, for tests and debuggers."""
    offers: bool = False
    """Find, for each job refused for its deadline, the earliest deadline that could be met (``offer_s``)."""
    step_instants: int = 200_000
    """Instants between two calls of *progress*, at most; fewer where the workload is small."""
    rows: int | None = None
    """Room for so many jobs at a time to begin with; it grows as needed. None: by the workload."""


@dataclass(frozen=True)
class Place:
    """How far a replay has come."""

    policy: str
    """The policy's name, or its file."""
    workload: str
    now_s: float
    passes: int
    deciding: bool
    """Whether it is in a pass: the policy has not returned yet."""
    job: int | None
    """The job of the last decision in this pass, or the first of the queue; None: there is neither."""
    decided: bool


_UNDER_WAY: list["Replay"] = []
"""Replays whose engine runs now, in this process."""


def place_of() -> Place | None:
    """How far the replay that runs in this process is; None: none runs. To be called in another thread."""
    return _UNDER_WAY[-1].place if _UNDER_WAY else None


_LEAST_STEP, _TIMES_TOLD = 200, 100
"""*progress* is called after a hundredth of the jobs: a job under a slow policy may take milliseconds."""
_MOST_ROWS = 65_536
"""Room to begin with for a workload of many jobs: 12 MB, less than its arrays take."""


class Replay:
    """The engine at some instant, with everything it needs to go on."""

    def __init__(
        self,
        workload: Workload,
        machine: Machine,
        policy: LoadedPolicy,
        values: Mapping[str, Value] | None = None,
        options: Options = Options(),
        tables: Tables | None = None,
    ) -> None:
        if options.placement not in PLACEMENTS:
            raise BadValue("placement", options.placement, "one of " + ", ".join(PLACEMENTS))
        self.values = dict(values) if values is not None else policy.declaration.values({})
        counts = policy.declaration.counts(self.values)
        if options.placement == "contiguous" and machine.nodes and counts:
            others = ", ".join(name for name in PLACEMENTS if name != "contiguous")
            allowed = f"one of {others} under {policy.name}, which counts processors and chooses no nodes"
            raise BadValue("placement", options.placement, allowed)
        self.workload, self.machine, self.policy, self.options = workload, machine, policy, options
        policy.declaration.check_machine(self.values, machine.processors, len(machine.nodes))
        kill = options.overrun is Overrun.KILL
        rows = options.rows or max(1, min(len(workload), _MOST_ROWS))
        vector = options.parameters or policy.declaration.vector(self.values)
        self.tables = tables or make_tables(machine, vector, rows)
        if tables is None:
            charge_as(self.tables, *policy.declaration.charged(vector), 0.0)
            open_matrix(self.tables, *policy.declaration.rows(vector))
        self.tables.placing.way = PLACEMENTS.index(options.placement)
        overruns_s = options.overruns_s if kill else None
        self.tables.machine.overrun = 0 if kill and overruns_s is None else 1
        self.tables.cycle.planning = int(policy.begin is not None)
        self.agenda = make_agenda(
            workload,
            self.tables,
            _sorted_facts([*options.facts, *_facts_of(options.outages, workload)]),
            options.requests,
            kill,
            options.accounts,
            overruns_s,
            options.services,
            options.memory_kb if self.tables.matrix.by_memory else None,
            options.least_s,
            policy.declaration.by_array,
        )
        if options.accounts is not None and options.accounts.bank is not None:
            open_bank(self.tables, options.accounts)
            if options.accounts.bank.successful_only:
                self.agenda.workload.bind("failed", workload.failed.astype(np.int64))
        self.agenda.ties = BATCH if options.ties is Ties.BATCH else EACH
        self.tables.cycle.offering = int(options.offers)
        if options.offers:
            self.agenda.results.bind("offer_s", np.zeros(len(workload)))
        if policy.declaration.tells:
            self.agenda.results.bind("came_by", np.full(len(workload), -1, dtype=np.int64))
            self.agenda.results.bind("priority", np.full(len(workload), np.nan))
            self.agenda.results.bind("ran_in", np.full(len(workload), -1, dtype=np.int64))
        self.agenda.counted_only = int(counts)
        self.agenda.in_order = int(policy.declaration.in_order)
        if options.reservations and not policy.declaration.reserves(self.values):
            raise BadInput(f"policy {policy.name} cannot keep jobs out of reservations; choose another")
        names = {name: number for number, name in enumerate(options.node_names)}
        self._rolling = Rolling(options.reservations, self.tables, names) if options.reservations else None
        if self._rolling is not None:
            self._rolling.begin(self.agenda)
        # Who runs at an instant follows from starts and ends then (shared_traces).
        shared = policy.declaration.only_shares and self.plain and not options.reservations
        self.tables.cycle.together = int(shared and tables is None)
        self._functions: tuple[PolicyFunction, PolicyFunction, list[BaseException]] | None = None
        self._prepared_plain = False

    def copy(self) -> "Replay":
        """An independent replay at the same instant: neither changes with the other."""
        twin = copy.copy(self)
        twin.tables, twin.agenda = self.tables.copy(), self.agenda.copy()
        if CHOICES in self.tables.noted:
            twin.tables.noted[CHOICES] = list(self.tables.noted[CHOICES])
        twin._functions = None
        if self._rolling is not None:
            twin._rolling = copy.copy(self._rolling)
            twin._rolling.tables = twin.tables
        return twin

    @property
    def reserved(self) -> tuple[Reservation, ...]:
        """The reservations of administrators that are in the tables now, in their order."""
        return self._rolling.present if self._rolling is not None else ()

    def prepare(self) -> None:
        """Compile, or take from the cache, all that ``run`` will call."""
        plain = self.plain
        if self._functions is None or plain != self._prepared_plain:
            self._prepared_plain = plain
            self._engine = run if self.options.interpreted else compiled_engine(plain)
            self._functions = self._interpreted() if self.options.interpreted else self._compiled()

    @property
    def plain(self) -> bool:
        """Whether the engine for plain replays is enough."""
        return is_plain(self.agenda, self.tables)

    def prepare_policy(self) -> None:
        """Compile the policy alone, or take it from the cache."""
        self._compiled()

    def run(self, until_s: float = NEVER, progress: Progress | None = None) -> bool:
        """Go on to the end, or until no instant up to *until_s* is left; True at the end.

        Raises PolicyError when a policy in Python fails.
        """
        rolling = self._rolling
        while rolling is not None and rolling.next_s <= until_s and rolling.next_s < NEVER:
            if self._run(rolling.stop_s(until_s), progress) or rolling.in_vain(self.agenda):
                return True
            rolling.roll(rolling.next_s)
        return self._run(until_s, progress)

    def _run(self, until_s: float, progress: Progress | None) -> bool:
        self.prepare()
        assert self._functions is not None
        begin, schedule, failures = self._functions
        agenda, tables = self.agenda, self.tables
        agenda.until_s = until_s
        step = self.options.step_instants
        if progress is not None:
            step = min(step, max(_LEAST_STEP, agenda.workload.count // _TIMES_TOLD))
        while True:
            agenda.budget = step
            _UNDER_WAY.append(self)
            try:
                status = self._engine(agenda, tables, begin, schedule)
            except Exception as error:
                # The engine itself raises nothing: the policy, compiled or not, raised this.
                raise self._failed(error) from error
            finally:
                _UNDER_WAY.remove(self)
            if status == MORE_ROWS:
                grow(tables)
                more_rows(agenda, tables)
            elif status == MORE_TRACE:
                more_trace(agenda, tables)
            elif failures:
                if not isinstance(failures[0], Exception):
                    raise failures[0]
                raise self._failed(failures[0]) from failures[0]
            elif tables.cycle.complaint:
                raise self._complained()
            if progress is not None:
                progress(agenda.workload.next, agenda.workload.count)
            if status in (FINISHED, STOPPED):
                return bool(status == FINISHED)

    def _failed(self, error: BaseException) -> PolicyError:
        text = " ".join(str(error).split())
        frames = traceback.extract_tb(error.__traceback__)
        origin = self.policy.schedule.__code__.co_filename
        lines = [frame.lineno for frame in frames if frame.filename == origin]
        line = lines[-1] if lines else None
        return PolicyError(self.policy.origin, f"failed: {type(error).__name__}: {text}", line)

    def _complained(self) -> PolicyError:
        t = self.tables
        row, known = t.cycle.complaint_row, 0 <= t.cycle.complaint_row < t.jobs.state.size
        text = COMPLAINTS[t.cycle.complaint].format(
            row=row,
            job=t.jobs.number[row] if known else "?",
            width=t.jobs.width[row] if known else "?",
            idle=t.cycle.complaint_idle,
        )
        return PolicyError(self.policy.origin, f"at {self.agenda.now:.15g} s it {text}")

    @property
    def place(self) -> "Place":
        """How far this replay is, also while compiled code runs it in another thread."""
        a, t = self.agenda, self.tables
        row = -1
        if t.cycle.decided > 0:
            row = int(t.cycle.decisions[t.cycle.decided - 1, 1])
        elif t.queue.head < t.queue.tail:
            row = int(t.queue.waiting[t.queue.head])
        job = int(t.jobs.number[row]) if 0 <= row < t.jobs.number.size else None
        return Place(
            self.policy.origin,
            self.workload.name,
            float(a.now),
            int(a.passes),
            bool(a.phase == ARRIVING),
            job,
            bool(t.cycle.decided > 0),
        )

    def _compiled(self) -> tuple[PolicyFunction, PolicyFunction, list[BaseException]]:
        def stop() -> None:
            self.agenda.abort = 1

        return functions_of(self.policy.begin, self.policy.schedule, self.tables, stop, self.plain)

    def _interpreted(self) -> tuple[PolicyFunction, PolicyFunction, list[BaseException]]:
        view = PythonView(self.tables)
        self.tables.noted["interpreted"] = True
        begin, schedule = self.policy.begin or nothing, self.policy.schedule
        return (lambda _, now: begin(view.get(), now)), (lambda _, now: schedule(view.get(), now)), []

    def schedule(self, elapsed_s: float = 0.0) -> Schedule:
        """The schedule up to now; NaN for starts and ends that have not happened."""
        a = self.agenda
        codes = a.results.refusal
        return Schedule(
            workload=self._molded(),
            processors=self.machine.processors,
            start_s=_nan(self._starts()),
            end_s=_nan(a.results.ended_s),
            run_s=_nan(self._work()),
            refused_rows=codes != 0,
            refused={
                Refusal(code).name.lower(): int((codes == code).sum())
                for code in np.unique(codes[codes != 0])
            },
            trace=self._trace(),
            policy=self.policy.name,
            parameters={name: _plain(value) for name, value in self.values.items()},
            elapsed_s=elapsed_s,
            info={"instants": a.instants, "passes": a.passes},
            refusals=codes.astype(np.int64),
            interruptions=Interruptions(
                a.results.suspensions.copy(),
                a.results.requeues.copy(),
                a.results.checkpoints.copy(),
                a.results.lost_s.copy(),
            ),
            told=self._told(),
            ran_as=a.results.ran_as.copy() if a.workload.molded else None,
            limit_s=a.results.limit_s.copy() if a.results.limit_s.size else None,
            switch=self.tables.matrix.switch,
            switch_changed=self.tables.matrix.changed == 1,
            grid=self._grid(),
            choices=tuple(self.tables.noted.get(CHOICES, ())),
            outages=tuple(self.options.outages),
            places=self._places(),
        )

    def _told(self) -> Told | None:
        """What the policy says of the starts."""
        if not self.policy.declaration.tells:
            return None
        results = self.agenda.results
        return Told(results.came_by.copy(), results.priority.copy(), results.ran_in.copy())

    def _grid(self) -> tuple[int, float]:
        """Rows and their quantum where a grid says whose turn it is; (0, 0) where none does."""
        matrix = self.tables.matrix
        return (matrix.count, matrix.quantum_s) if matrix.exact and matrix.count > 1 else (0, 0.0)

    def _molded(self) -> Workload:
        """The workload with each job as wide and as long as the policy made it."""
        a = self.agenda
        if not a.workload.molded:
            return self.workload
        return replace(
            self.workload,
            processors=a.workload.width.copy(),
            run_s=a.workload.run_s.copy(),
            estimate_s=a.workload.estimate_s.copy(),
        )

    def _work(self) -> Floats:
        """Work done by the jobs that have ended."""
        a = self.agenda
        by_itself = (a.results.ended_s < NEVER) & (a.results.done_s == NEVER)
        return np.where(by_itself, a.workload.run_s, a.results.done_s)

    def _starts(self) -> Floats:
        """First starts, those of jobs that have not ended included."""
        t, starts = self.tables, self.agenda.results.started_s.copy()
        rows = np.concatenate(
            [t.queue.running[: t.queue.running_count], t.queue.suspended[: t.queue.suspended_count]]
        )
        jobs = t.jobs.serial[rows]
        starts[jobs] = np.minimum(starts[jobs], t.jobs.start_s[rows])
        return starts

    def _places(self) -> Places | None:
        a = self.agenda
        if not self.tables.nodes.count:
            return None
        node, processors = a.places.node[: a.places.used].copy(), a.places.processors[: a.places.used].copy()
        nodes = self.tables.nodes.count
        return Places(
            a.places.first.copy(), a.places.nodes.copy(), node, processors, nodes, self.machine.names
        )

    def _trace(self) -> Trace:
        a, n = self.agenda, self.agenda.rates.count
        trace = Trace(
            a.rates.time_s[:n].copy(),
            a.rates.job[:n].copy(),
            a.rates.rate[:n].copy(),
            a.rates.held[:n].copy(),
            a.rates.stall_s[:n].copy(),
            a.rates.rows[:n].copy(),
            a.rates.home[:n].copy(),
            a.rates.turns[:n].copy(),
        )
        return each_by_itself(trace, self.workload.processors, a.results.ended_s.copy())


def _sorted_facts(facts: Sequence[AgendaEvent]) -> list[AgendaEvent]:
    return sorted(facts, key=lambda fact: (fact.time_s, RANK_OF[fact.kind], fact.subject))


def _facts_of(outages: Sequence[Outage], workload: Workload) -> list[AgendaEvent]:
    return outage_facts(outages, float(workload.submit_s[0]) if len(workload) else -NEVER)


def _nan(values: np.ndarray) -> np.ndarray:
    return np.where(values == NEVER, np.nan, values)


def _plain(value: Value) -> float | int | str:
    return ",".join(f"{number:g}" for number in value) if isinstance(value, tuple) else value
