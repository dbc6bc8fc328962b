"""Figures for Prometheus: jobs, nodes, waits and passes; some under the names of Slurm's exporters, too.

Labels are bounded: queues, states, rules and size classes. No job and no user is one.
"""

import asyncio
import logging
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress

from prometheus_client import CollectorRegistry, Histogram, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from molokini.model.facts import Fact, JobStarted
from molokini.server.cooperative import Yielder
from molokini.server.job_counts import Standing, standing
from molokini.server.server import Server
from molokini.server.state.jobs import JobStatus
from molokini.server.state.node_names import NodeStatus

log = logging.getLogger("molokini.server")

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
COUNT_S = 5.0
"""Jobs are counted again after so long, beside the scrapes, which read the last counts."""
WATCHED_S = 120.0
"""That goes on for so long after a scrape."""
OPEN = (JobStatus.HELD, JobStatus.WAITING, JobStatus.RUNNING, JobStatus.SUSPENDED)
SIZES = ((1, "1"), (8, "2-8"), (64, "9-64"), (512, "65-512"))
"""Widths of jobs in classes, by the largest of each; wider ones are ``513+``."""
WIDEST = "513+"

_WAITS_S = (1, 10, 60, 300, 900, 3600, 4 * 3600, 12 * 3600, 86_400, 3 * 86_400, 7 * 86_400)
_PASSES_S = (0.0001, 0.0003, 0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 3, 10)


def size_of(processors: int) -> str:
    """The class of a job of so many processors."""
    return next((name for most, name in SIZES if processors <= most), WIDEST)


class Metrics:
    """The figures of one server. Observations begin with it; what a state knows was there before."""

    def __init__(self, core: Server) -> None:
        self._core = core
        self._registry = CollectorRegistry(auto_describe=False)
        loop = asyncio.get_running_loop()
        self._time = loop.time
        self._counted_serial = -1
        self._scraped_s = 0.0
        self._counting: asyncio.Task[None] | None = None
        self._jobs = Standing()
        self._nodes: Counter[NodeStatus] = Counter()
        self._busy = 0
        self._pass_began_s = 0.0
        self._wait = Histogram(
            "molokini_job_wait_seconds",
            "From the instant at which a job could start to its first start, on the scheduling clock.",
            ("queue", "size"),
            buckets=_WAITS_S,
            registry=self._registry,
        )
        self._ineligible = Histogram(
            "molokini_job_ineligible_seconds",
            "From the submission to the instant at which a job could start, on the scheduling clock.",
            ("queue",),
            buckets=_WAITS_S,
            registry=self._registry,
        )
        self._pass = Histogram(
            "molokini_pass_seconds",
            "A pass of the policy and the commit of its decisions.",
            buckets=_PASSES_S,
            registry=self._registry,
        )
        self._started = Counter[str]()
        self._registry.register(_Present(self))
        core.reactor.measuring.append(self)

    # As an observer of the reactor.

    def look(self, now: float) -> None:
        """A pass begins."""
        self._pass_began_s = self._time()

    def compare(self, facts: Sequence[Fact], now: float) -> None:
        """It has decided *facts*, which are kept."""
        try:
            self._pass.observe(self._time() - self._pass_began_s)
            for fact in facts:
                if isinstance(fact, JobStarted) and fact.attempt == 1:
                    self._observe_start(fact, now)
        except Exception:
            # The turn goes on, whatever is wrong with its figures.
            log.exception("a pass was not measured")

    def _observe_start(self, fact: JobStarted, now: float) -> None:
        job = self._core.state.jobs.get(fact.job)
        if job is None or job.eligible_s is None:
            return
        self._started[job.queue] += 1
        width = sum(piece[1] for piece in fact.placed)
        self._wait.labels(job.queue, size_of(width)).observe(max(0.0, now - job.eligible_s))
        self._ineligible.labels(job.queue).observe(max(0.0, job.eligible_s - job.submitted_s))

    # As text.

    async def text(self) -> bytes:
        """All figures, in Prometheus' text format. Jobs and nodes are those of some seconds ago at most."""
        self._scraped_s = self._time()
        if self._counting is None or self._counting.done():
            await self._count()
            self._counting = asyncio.create_task(self._count_again(), name="counts of jobs")
        return generate_latest(self._registry)

    async def stop(self) -> None:
        """Count no more."""
        task, self._counting = self._counting, None
        if task is not None:
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task

    async def _count_again(self) -> None:
        """Keep the counts new while somebody asks for them."""
        while self._time() - self._scraped_s < WATCHED_S:
            await asyncio.sleep(COUNT_S)
            if self._counted_serial != self._core.state.serial:
                await self._count()

    async def _count(self) -> None:
        """Go over the open jobs and the nodes, in pieces: others are served in between."""
        state, yielder, serial = self._core.state, Yielder(), self._core.state.serial
        jobs = await standing(state)
        nodes, busy = Counter[NodeStatus](), 0
        for record in list(state.machine.nodes):
            nodes[record.status] += 1
            busy += record.status is NodeStatus.UP and self._has_work(record.number)
            await yielder.maybe_yield()
        self._jobs, self._nodes, self._busy = jobs, nodes, busy
        self._counted_serial = serial

    def present(self) -> Iterator[Metric]:
        """What the state says now."""
        state = self._core.state
        jobs = self._jobs
        queues = list(state.queues)
        by_state = GaugeMetricFamily("molokini_jobs", "Open jobs.", labels=("queue", "state"))
        for queue in queues:
            for status in OPEN:
                by_state.add_metric((queue, status.value), jobs[queue, status])
        yield by_state
        yield from self._of_nodes()
        yield from self._as_exporters_do(Counter({s: sum(jobs[q, s] for q in queues) for s in OPEN}))
        yield CounterMetricFamily("molokini_jobs_ended", "Jobs that have ended.", value=state.ended)
        yield CounterMetricFamily("molokini_facts", "Facts in the journal.", value=state.serial)
        yield CounterMetricFamily("molokini_passes", "Passes of the policy.", value=self._core.reactor.passes)
        yield GaugeMetricFamily(
            "molokini_policy_failures",
            "Passes that failed in a row.",
            value=self._core.reactor.policy_failures,
        )
        yield GaugeMetricFamily(
            "molokini_journal_troubled",
            "1 while the journal cannot be written.",
            value=float(self._core.reactor.troubled),
        )
        yield GaugeMetricFamily(
            "molokini_clock_seconds",
            "The scheduling clock.",
            value=max(self._core.clock.now(), state.now),
        )
        started = CounterMetricFamily(
            "molokini_jobs_started", "Jobs started by the policy, first attempts.", labels=("queue",)
        )
        for queue in queues:
            started.add_metric((queue,), self._started[queue])
        yield started

    def _of_nodes(self) -> Iterator[Metric]:
        state = self._core.state
        nodes = GaugeMetricFamily("molokini_nodes", "Nodes.", labels=("state",))
        for status in NodeStatus:
            nodes.add_metric((status.value,), self._nodes[status])
        yield nodes
        machine = state.tables.machine
        processors = GaugeMetricFamily(
            "molokini_processors", "Processors: free and used ones, and those away.", labels=("state",)
        )
        used = machine.processors - machine.free
        away = machine.processors_in_all - machine.processors
        for name, value in (("free", machine.free), ("used", used), ("away", away)):
            processors.add_metric((name,), value)
        yield processors

    def _as_exporters_do(self, jobs: Counter[JobStatus]) -> Iterable[Metric]:
        """Under the names of the exporters of Slurm that are in use, so that their boards show something."""
        machine, counts, busy = self._core.state.tables.machine, self._nodes, self._busy
        figures = {
            "slurm_cpus_alloc": machine.processors - machine.free,
            "slurm_cpus_idle": machine.free,
            "slurm_cpus_other": machine.processors_in_all - machine.processors,
            "slurm_cpus_total": machine.processors_in_all,
            "slurm_nodes_idle": counts[NodeStatus.UP] - busy,
            "slurm_nodes_alloc": busy,
            "slurm_nodes_down": counts[NodeStatus.DOWN],
            "slurm_nodes_drain": counts[NodeStatus.DRAINING],
            "slurm_queue_pending": jobs[JobStatus.WAITING] + jobs[JobStatus.HELD],
            "slurm_queue_running": jobs[JobStatus.RUNNING],
            "slurm_queue_suspended": jobs[JobStatus.SUSPENDED],
            "slurm_scheduler_queue_size": jobs[JobStatus.WAITING],
        }
        for name, value in figures.items():
            yield GaugeMetricFamily(name, "As the exporters of Slurm have it.", value=float(value))

    def _has_work(self, number: int) -> bool:
        nodes = self._core.state.tables.nodes
        return bool(nodes.free[number][0] < nodes.total[number][0])


class _Present(Collector):
    """What is read from the state at each scrape."""

    def __init__(self, metrics: Metrics) -> None:
        self._metrics = metrics

    def collect(self) -> Iterable[Metric]:
        """For the registry."""
        return self._metrics.present()
