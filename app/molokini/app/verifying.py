"""The same decisions, shown: one workload through the simulator and through the live server.

Every job of the live run goes the whole way: submit, reactor, journal (SQLite, full sync), agent link,
emulated agent, report, journal. What happened is then read from the journal alone, and every start, end,
suspension and resumption is compared with the simulator's.
"""

import asyncio
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from molokini.accounting.fields import counts_of
from molokini.agents.agent import EmulatedAgent
from molokini.app.memory_link import join
from molokini.app.verified_machine import machine_of, node_sizes, offers_of, site_of
from molokini.experiments.choosing import Chosen, choose
from molokini.experiments.maui_files import choose_configured
from molokini.experiments.replaying import prepared
from molokini.model.coallocation import RequestKind
from molokini.model.codec import decode
from molokini.model.credentials import queues_in
from molokini.model.decisions import Refusal
from molokini.model.errors import MolokiniError
from molokini.model.facts import (
    Ending,
    JobEnded,
    JobMolded,
    JobRequeued,
    JobResumed,
    JobShared,
    JobsSubmitted,
    JobStarted,
    JobSuspended,
    LienPlaced,
    RowsSet,
)
from molokini.model.job_specs import JobSpec, Outcome, Resources
from molokini.model.requests import ANYWHERE, Spread
from molokini.model.site import CONFIGURATION, NOT_YET
from molokini.server.journal.sqlite import SqliteJournal
from molokini.server.policies import check_parameters, configuration_of
from molokini.server.server import Server, Settings, recovered
from molokini.server.state.loads import COSTS
from molokini.server.state.queues import Queue
from molokini.server.time.clock import ClockKind
from molokini.server.turn.checks import Limits
from molokini.server.turn.submitting import Submit
from molokini.sim.replay import Options
from molokini.sim.reserving import PATIENCE_S
from molokini.sim.schedule import Schedule
from molokini.tables.tables import Tables
from molokini.workloads.workload import SWF_FIELDS, Header, Workload

_REST_CHECK_S = 0.1
SNAPSHOT_EVERY = 200
"""So often that a run which was killed goes on from one."""
AGENT = "emulated"
Progress = Callable[[int, int], None]
_NONE: Mapping[str, str] = {}
_MEMORY = SWF_FIELDS.index("requested_memory_kb")


@dataclass
class History:
    """What happened to each job, by its place in the workload."""

    start_s: NDArray[np.float64]
    end_s: NDArray[np.float64]
    changes: list[tuple[float, int, float]] = field(default_factory=list)
    """(instant, job, seconds of work a second from then on; 0: it does not run), sorted: of every suspension,
    requeue and resumption, and of jobs that share processors every start and every other rate."""
    processors: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    """What each divisible job ran on; empty where the workload has none."""
    refused: dict[int, str] = field(default_factory=dict)
    """Why the policy refused a job."""
    queues: dict[int, str] = field(default_factory=dict)
    """The queue in which each job was started that names several."""
    accounts: dict[str, tuple[int, int]] = field(default_factory=dict)
    """Of each account of the bank that has paid or is about to: its balance and its liens."""
    facts: int = 0
    """Journalled facts about jobs."""
    epochs: int = 1

    def differences(self, other: "History") -> dict[str, float]:
        """The largest differences: of starts and of ends in seconds, and of processors. And how many
        suspensions and resumptions, rates, refusals (or reasons) and accounts only one of them has.
        """
        return {
            "start_s": _largest(self.start_s, other.start_s),
            "end_s": _largest(self.end_s, other.end_s),
            "suspends_and_resumes": float(len(_stops(self.changes) ^ _stops(other.changes))),
            "rates": float(len(set(self.changes) ^ set(other.changes))),
            "processors": float(np.abs(self.processors - other.processors).max(initial=0)),
            "refused": float(len(self.refused.items() ^ other.refused.items())),
            "queues": float(len(self.queues.items() ^ other.queues.items())),
            "accounts": float(len({name for name, _ in self.accounts.items() ^ other.accounts.items()})),
        }


def _stops(changes: list[tuple[float, int, float]]) -> set[tuple[float, int, bool]]:
    return {(time_s, job, rate > 0) for time_s, job, rate in changes}


def _largest(one: NDArray[np.float64], other: NDArray[np.float64]) -> float:
    if not np.array_equal(np.isnan(one), np.isnan(other)):
        return float("inf")
    both = ~np.isnan(one)
    return float(np.abs(one[both] - other[both]).max(initial=0.0))


class LogFeeder:
    """Submits the jobs of a workload, each at its own instant, from place *first* on."""

    def __init__(
        self,
        core: Server,
        workload: Workload,
        first: int,
        named: bool = False,
        unsaid: NDArray[np.bool_] | None = None,
    ) -> None:
        """*unsaid*: of each job whether it is submitted without an estimate."""
        self.core, self.workload, self.next, self.named = core, workload, first, named
        self.unsaid = np.zeros(len(workload), dtype=np.bool_) if unsaid is None else unsaid
        self.failed = workload.failed
        """Of each job, whether its log says so: a bank that charges for success alone does not charge it."""
        self.limits = Limits()
        self.refused: BaseException | None = None

    async def advance(self, now: float) -> float:
        """Submit everything that is due; the next instant of submission."""
        work = self.workload
        while self.next < len(work) and work.submit_s[self.next] <= now:
            user = work.name_of("user", self.next) if self.named else "user"
            failed = self.named and bool(self.failed[self.next])
            spec = spec_of(work, self.next, self.named, failed, self.core.state.site.licenses)
            if self.unsaid[self.next]:
                del spec["estimate_s"]
            command = Submit(user, [spec], self.limits)
            self.core.reactor.post(command).add_done_callback(self._answered)
            self.next += 1
        return float(work.submit_s[self.next]) if self.next < len(work) else float("inf")

    def _answered(self, answer: "asyncio.Future[list[int | Exception]]") -> None:
        if answer.cancelled() or self.refused is not None:
            return
        self.refused = answer.exception()
        if self.refused is None:
            self.refused = next((one for one in answer.result() if isinstance(one, Exception)), None)


def spec_of(
    workload: Workload,
    job: int,
    named: bool = False,
    failed: bool = False,
    counted: Collection[str] = (),
) -> JobSpec:
    """One job of a log as its user would have submitted it, with what the log says became of it.

    With *named* it says queue, group, account and QOS, too, and the licences that are *counted*. One that
    *failed* ends with an exit code.
    """
    loads = workload.loads
    if loads is not None:
        load: Any = {"load": float(loads.size[job]), **dict(zip(COSTS, loads.costs.numbers, strict=True))}
        return {
            "name": str(int(workload.number[job])),
            "divisible": load,
            "deadline_s": float(workload.submit_s[job] + loads.deadline_s[job]),
        }
    outcome: Outcome = {"run_s": float(workload.run_s[job])}
    if failed:
        outcome["exit_code"] = 1
    spec: JobSpec = {
        "name": str(int(workload.number[job])),
        "estimate_s": float(workload.estimate_s[job]),
        "resources": _resources(workload, job),
        "outcome": outcome,
    }
    if named and (queues := queues_in(workload.name_of("queue", job))):
        spec["queue"], *further = queues
        if further:
            spec["further_queues"] = further
    if named and (group := workload.name_of("group", job)):
        spec["group"] = group
    if named and (told := workload.recorded) is not None:
        if (number := int(told.account[job])) > 0:
            spec["account"] = workload.name_of_number("account", number)
        if (number := int(told.qos[job])) > 0:
            spec["qos"] = workload.name_of_number("qos", number)
        if told.least_s[job] > 0.0:
            spec["least_estimate_s"] = float(told.least_s[job])
        if (number := int(told.licenses[job])) > 0:
            asked = counts_of("", workload.name_of_number("licenses", number))
            if held := {name: count for name, count in asked.items() if name in counted}:
                spec["resources"]["licenses"] = held
    if (how := workload.communication) is not None:
        spec["communication"] = {
            "pattern": how.pattern.name,
            "inside_s": float(how.inside_s[job]),
            "between_s": float(how.between_s[job]),
        }
    return spec


def _resources(workload: Workload, job: int) -> Resources:
    """How wide it is, and how it wants to lie over clusters."""
    width: Resources = {"processors": int(workload.processors[job])}
    asked = workload.components
    if asked is None or not asked.count[job]:
        return width
    own = slice(asked.first[job], asked.first[job] + asked.count[job])
    sizes, where = asked.tasks[own].tolist(), asked.where[own].tolist()
    if asked.spread[own][0] == Spread.CLUSTERS:
        return {**width, "request": RequestKind.FLEXIBLE.name}
    if where[0] == ANYWHERE:
        return {**width, "components": sizes, "request": RequestKind.UNORDERED.name}
    in_order = [size for _, size in sorted(zip(where, sizes, strict=True))]
    return {**width, "components": in_order, "request": RequestKind.ORDERED.name}


def configured_policy(
    policy: str, config: str | None, parameters: Mapping[str, str] = _NONE, beside: Sequence[str] = ()
) -> Chosen:
    """The policy as both runs have it, with the file *config* and those *beside* it, if one is given.

    The timer (RMPOLLINTERVAL) is the live one's alone: a replay finds the instants that matter by itself;
    where it did not, the runs would differ. Raises BadFile, BadInput.
    """
    given = [f"{name}={value}" for name, value in parameters.items()]
    if config is None:
        return choose([policy], given, ())[0]
    # To a live server a node that it does not know is one that may still come.
    return replace(choose_configured([config], given, policy, beside)[0], other_nodes=NOT_YET)


def _with_computed(
    workload: Workload, processors: int, policy: str, parameters: Mapping[str, str]
) -> Mapping[str, str]:
    """*parameters*, and what a simulation computes from *workload*: a server has to be given it."""
    chosen = configured_policy(policy, None, parameters)
    name = chosen.policy.declaration.computed
    found = chosen.values_for(workload, processors).get(name, ())
    assert isinstance(found, tuple)
    return {**parameters, name: ",".join(repr(float(one)) for one in found)} if found else parameters


def limited(chosen: Chosen, workload: Workload) -> NDArray[np.bool_]:
    """Of each job whether it has no estimate but the one that the policy's configuration gives it."""
    return ~workload.estimated & chosen.workload(workload).estimated


def everybody_known(workload: Workload) -> Workload:
    """*workload* with a user and a queue for each job: a live one has both, whatever a log knows."""
    found = {}
    for kind in ("user", "queue"):
        numbers = getattr(workload, kind)
        unset = max(int(numbers.max(initial=-1)) + 1, len(workload.names.get(kind, ())))
        found[kind] = np.where(numbers < 0, unset, numbers)
    return replace(workload, user=found["user"], queue=found["queue"])


def as_submitted(workload: Workload) -> Workload:
    """*workload* with what ``spec_of`` says of its jobs: elements of arrays are submitted one by one, each as
    a job, and no job says how many nodes it wants, or how much memory.
    """
    told = workload.recorded
    if told is None:
        return workload
    nothing, records = np.zeros(len(workload), dtype=np.int64), workload.records.copy()
    records[:, _MEMORY] = -1.0
    plain = replace(
        told,
        array=nothing,
        array_limit=nothing,
        least_nodes=nothing,
        most_nodes=nothing,
        alone=nothing > 0,
        generic=nothing,
    )
    return replace(workload, records=records, recorded=plain)


def as_live(workload: Workload) -> Workload:
    """*workload* as a live cluster with credentials has it: second 0 of the log is that of the calendars."""
    return replace(everybody_known(workload), header=Header())


async def live_run(
    workload: Workload,
    processors: int,
    policy: str,
    folder: Path,
    progress: Progress | None = None,
    config: str | None = None,
    parameters: Mapping[str, str] = _NONE,
    synced: bool = True,
    beside: Sequence[str] = (),
) -> None:
    """Run *workload* live on virtual time on the state in *folder*; go on where an earlier run was killed.

    With *config*, the file that configures the policy, and those *beside* it, jobs come with all their
    credentials.
    Without *synced* no write waits for the disk: the journal need not survive a power cut. Raises BadInput
    for a policy that a live server cannot have, MolokiniError where it refuses a job or its policy fails.
    """
    if config is None:
        parameters = _with_computed(workload, processors, policy, parameters)
    named, queues, unsaid, site = config is not None, list[Queue](), None, None
    if named:
        workload = everybody_known(workload)
        chosen = configured_policy(policy, config, parameters, beside)
        unsaid, site = limited(chosen, workload), site_of(chosen)
    check_parameters(policy, parameters, processors, len(node_sizes(workload, processors, site)))
    if named:
        first = np.unique(workload.queue, return_index=True)[1]
        names = [queues_in(workload.name_of("queue", int(job))) for job in first]
        queues = [Queue(name) for name in dict.fromkeys(chain.from_iterable(names))]
    journal = await SqliteJournal.open(folder, new=True, synced=synced)
    start_s = float(workload.submit_s[0]) if len(workload) else 0.0
    said = {} if config is None else {CONFIGURATION: configuration_of(policy, config, beside)}
    settings = Settings(
        policy,
        {**parameters, **said},
        clock=ClockKind.VIRTUAL,
        start_s=start_s,
        queues=queues,
        lease_s=0.0,
        snapshot_every=SNAPSHOT_EVERY,
    )
    core = await Server.open(journal, settings)
    agent = EmulatedAgent(
        AGENT, offers_of(workload, processors, site), follows_clock=True, monotonic=_monotonic
    )
    link = asyncio.create_task(join(agent, core.hub))
    while AGENT not in core.hub.sessions and not link.done():
        # Time stands until the agent has come: its nodes are the machine.
        await core.reactor.turn(core.clock.now())
        await asyncio.sleep(0)
    feeder = LogFeeder(core, workload, core.state.next_id - 1, named, unsaid)
    core.feed(feeder)
    running = core.start()
    all_ended = asyncio.create_task(_all_ended(core, feeder, len(workload), progress))
    try:
        await asyncio.wait([running, all_ended, link], return_when=asyncio.FIRST_COMPLETED)
        for task in (all_ended, running, link):
            if task.done():
                task.result()
    finally:
        all_ended.cancel()
        await core.stop()
        link.cancel()
        await asyncio.gather(all_ended, link, return_exceptions=True)


async def _all_ended(core: Server, feeder: LogFeeder, jobs: int, progress: Progress | None) -> None:
    """Return when all have ended, or when those that wait would wait without end, as they do in a simulation.

    Where reservations roll at midnight, time never stands: then it is a year without anything else.
    """
    ended, quiet_since_s = -1, core.clock.now()
    while core.state.ended < jobs:
        if feeder.refused is not None:
            raise MolokiniError(f"the live server refused a job that the simulator took: {feeder.refused}")
        if core.reactor.last_policy_error:
            raise MolokiniError(f"the live server cannot run this policy: {core.reactor.last_policy_error}")
        if core.timekeeper.at_rest and feeder.next >= jobs and not core.reactor.mailbox:
            return
        if feeder.next < jobs or core.state.tables.queue.running_count or core.state.ended != ended:
            ended, quiet_since_s = core.state.ended, core.clock.now()
        elif core.clock.now() - quiet_since_s > PATIENCE_S:
            return
        # No turn tells that nothing is due any more.
        with suppress(TimeoutError):
            async with asyncio.timeout(_REST_CHECK_S), core.reactor.turned:
                await core.reactor.turned.wait()
        if progress is not None:
            progress(core.state.ended, jobs)


def _monotonic() -> float:
    return asyncio.get_running_loop().time()


async def history_of(folder: Path, jobs: int) -> History:
    """What the journal in *folder* says has happened."""
    made, paid = History(np.full(jobs, np.nan), np.full(jobs, np.nan)), False
    journal = await SqliteJournal.open(folder, new=False)
    try:
        made.epochs = journal.epoch - 1
        async for entry in journal.read(0):
            fact = decode(entry)
            if isinstance(fact, JobsSubmitted):
                made.facts += len(fact.specs)
            elif isinstance(fact, JobStarted):
                made.start_s[fact.job - 1] = np.fmin(made.start_s[fact.job - 1], entry.time_s)
                if fact.queue:
                    made.queues[fact.job - 1] = fact.queue
                if fact.attempt > 1 or not fact.exclusive:
                    made.changes.append((entry.time_s, fact.job - 1, fact.rate))
            elif isinstance(fact, JobMolded):
                made.processors.resize(jobs)
                made.processors[fact.job - 1] = fact.processors
            elif isinstance(fact, JobEnded) and fact.ending is Ending.REFUSED:
                made.refused[fact.job - 1] = fact.why
            elif isinstance(fact, JobEnded):
                made.end_s[fact.job - 1] = fact.at_s
            elif isinstance(fact, JobSuspended | JobRequeued):
                made.changes.append((entry.time_s, fact.job - 1, 0.0))
            elif isinstance(fact, JobResumed | JobShared):
                made.changes.append((entry.time_s, fact.job - 1, fact.rate))
            elif isinstance(fact, RowsSet):
                made.changes += [(entry.time_s, place[0] - 1, place[-1]) for place in fact.places]
            paid = paid or isinstance(fact, LienPlaced)
            made.facts += isinstance(fact, _FACTS)
        if paid:
            state = await recovered(journal)
            rows = {row: name for name, row in state.ledger.accounts.items()}
            made.accounts = _accounts(state.tables, lambda row: rows[row])
    finally:
        await journal.close()
    made.changes.sort()
    return made


def _chosen_queues(schedule: Schedule) -> dict[int, str]:
    """The queue in which each job was started that names several."""
    workload, told = schedule.workload, schedule.told
    if told is None:
        return {}
    several = [len(queues_in(name)) > 1 for name in workload.names.get("queue", ())]
    rows = np.flatnonzero(np.isin(workload.queue, np.flatnonzero(several)) & (told.queue >= 0))
    return {int(row): workload.name_of_number("queue", int(told.queue[row])) for row in rows}


def _accounts(t: Tables, name_of: Callable[[int], str]) -> dict[str, tuple[int, int]]:
    rows = np.flatnonzero((t.bank.debited > 0) | (t.bank.lien > 0)).tolist()
    return {name_of(row): (int(t.bank.balance[row]), int(t.bank.lien[row])) for row in rows}


_FACTS = (JobMolded, JobStarted, JobEnded, JobSuspended, JobRequeued, JobResumed, JobShared, RowsSet)


def simulated_history(
    workload: Workload,
    processors: int,
    policy: str,
    config: str | None = None,
    parameters: Mapping[str, str] = _NONE,
    beside: Sequence[str] = (),
) -> History:
    """The same workload through the simulator."""
    chosen = configured_policy(policy, config, parameters, beside)
    # Some policies choose by the number of a job; a server numbers jobs as they come, a log may have gaps.
    workload = replace(as_submitted(workload), number=np.arange(1, len(workload) + 1))
    if config is not None:
        workload = as_live(workload)
    else:
        # Without a configuration the live jobs are all of one user, who names no group and no queue.
        alike = np.zeros(len(workload), dtype=np.int64)
        workload = replace(workload, user=alike, group=alike, queue=alike)
    on_nodes = config is not None or chosen.policy.declaration.by_node
    machine = machine_of(workload, processors, on_nodes, site_of(chosen))
    # A live server does not know the memory of jobs.
    unknown = Options(memory_kb=np.zeros(len(workload)))
    replay = prepared(workload, machine, chosen, unknown)
    replay.prepare()
    replay.run()
    schedule = replay.schedule()
    trace = schedule.trace
    changes = zip(trace.time_s.tolist(), trace.job.tolist(), trace.rate.tolist(), strict=True)
    made = History(schedule.start_s, schedule.end_s, sorted(changes))
    if workload.loads is not None:
        made.processors = np.where(schedule.finished, schedule.workload.processors, 0)
    made.queues = _chosen_queues(schedule)
    accounts = replay.options.accounts
    if accounts is not None:
        names = {number: name for name, number in accounts.numbers.items()}
        made.accounts = _accounts(replay.tables, lambda row: names[int(replay.tables.bank.number[row])])
    refusals = replay.agenda.results.refusal
    for job in np.flatnonzero(refusals).tolist():
        made.refused[job] = Refusal(int(refusals[job])).name.lower().replace("_", " ")
    return made
