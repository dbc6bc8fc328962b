"""A sweep from its file to its table: what is missing is replayed, wherever the executor says, and kept."""

from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter

import numpy as np

from molokini.cycle.ports import Progress
from molokini.experiments.asked import Grid
from molokini.experiments.choosing import remarks
from molokini.experiments.host import Host
from molokini.experiments.sweeping import warm
from molokini.experiments.sweeps.certain import Standing, by_scenario, next_points, standing
from molokini.experiments.sweeps.journal import Journal
from molokini.experiments.sweeps.measuring import Batch, Measuring
from molokini.experiments.sweeps.merged import in_order
from molokini.experiments.sweeps.planning import Planned, planned
from molokini.experiments.sweeps.report import report_text
from molokini.experiments.sweeps.row_tables import columns_of, dictionaries, write_parquet
from molokini.experiments.sweeps.space import Key, Space
from molokini.experiments.sweeps.summary import summary_of
from molokini.experiments.sweeps.sweep_files import with_file
from molokini.experiments.sweeps.swept import Swept, document_of
from molokini.model.errors import BadFile, BadValue, UnknownName
from molokini.parallel.choosing import chosen_executor
from molokini.parallel.executors import Executor, outcomes
from molokini.workloads.atomic import atomic_path

CERTAIN = "certain"
MOST_SEEDS = 10_000
_BATCH_S = 0.7
"""So long a batch should take: long beside what handing it over costs, short beside what a kill may cost."""
_LARGEST = 4096


@dataclass
class _Sizes:
    """How many points the next batch has."""

    size: float = 1.0

    def learn(self, batch: Batch) -> None:
        """Grow towards batches of the time that they should take, at most twofold at once."""
        point_s = batch.elapsed_s / max(1, len(batch.rows))
        self.size = min(2 * self.size, _BATCH_S / max(point_s, 1e-6), _LARGEST)


def swept(asked: Grid, host: Host) -> Swept:
    """Replay every point of *asked* that its folder does not hold yet, and put the result together.

    Raises BadInput for what cannot be used.
    """
    asked = with_file(asked)
    executor = _checked(asked)
    one = planned(asked)
    for note in one.notes:
        host.note(note)
    if asked.output is None:
        with TemporaryDirectory(prefix="molokini-sweep-") as temporary:
            return _run(one, executor, host, Path(temporary), keep=False)
    folder = Path(asked.output)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise BadFile(str(folder), error.strerror or str(error)) from None
    return _run(one, executor, host, folder, keep=True)


def _checked(asked: Grid) -> Executor:
    if asked.until not in (None, CERTAIN):
        raise BadValue("--until", asked.until, CERTAIN)
    if not 2 <= asked.at_most <= MOST_SEEDS:
        raise BadValue("--at-most", asked.at_most, f"a number of seeds from 2 to {MOST_SEEDS:,}")
    if asked.until is not None and asked.seeds < 2:
        raise BadValue("seeds", asked.seeds, "2 or more where --until certain goes on from them")
    if len(asked.objectives) != 2 or asked.objectives[0] == asked.objectives[1]:
        raise BadValue("objectives", list(asked.objectives), "two metrics")
    return chosen_executor(asked.executor, asked.workers)


def _run(one: Planned, executor: Executor, host: Host, folder: Path, keep: bool) -> Swept:
    before = perf_counter()
    with host.compiling(list(dict.fromkeys(each.policy.name for each in one.plan.policies))):
        warm(one.plan)
    _remark(one, host)
    file = folder / "rows.journal"
    with Journal(file, one.digest, one.asked.fresh) as journal:
        reused = journal.count
        found = _Run(one, executor, host, journal)
        standings = found.all()
        columns = columns_of(one, in_order(journal))
        for metric in one.asked.objectives:
            if metric not in columns.metrics:
                raise UnknownName("metric (objectives)", metric, columns.metrics)
        summary = summary_of(one, in_order(journal))
        results = () if keep else tuple(dictionaries(columns, in_order(journal)))
        run = {
            "elapsed_s": perf_counter() - before,
            "simulated_s": found.simulated_s,
            "workers": executor.workers,
            "reused": reused,
        }
        document = document_of(summary, standings, journal.count, run)
        text = report_text(document)
        if keep:
            write_parquet(columns, lambda: in_order(journal), folder / "rows.parquet")
            with atomic_path(folder / "report.html") as temporary:
                temporary.write_text(text, encoding="utf-8")
    return Swept(document, results, text, folder if keep else None, columns)


def _remark(one: Planned, host: Host) -> None:
    told = [
        note for each in one.plan.policies for machine in one.plan.machines for note in remarks(each, machine)
    ]
    for note in dict.fromkeys(told):
        host.note(note)


@dataclass
class _Run:
    """The replays of a sweep."""

    planned: Planned
    executor: Executor
    host: Host
    journal: Journal
    simulated_s: float = 0.0
    _done: int = 0

    def all(self) -> list[Standing]:
        """Replay the points of the space, then those that more certainty needs; who is best then."""
        there = self._there()
        self._done = int(there.sum())
        self._replay(_holes(self.planned.space, there), len(there))
        extra = self._extra()
        total = len(there) + len(extra)
        self._done = total
        while True:
            standings = self._standings()
            if self.planned.asked.until != CERTAIN:
                return standings
            wanted = next_points(standings, self.planned.asked.at_most)
            points = [key for key in wanted if key not in extra]
            if not points:
                return standings
            total += len(points)
            self._replay(iter(points), total)
            extra.update(points)

    def _there(self) -> "np.typing.NDArray[np.bool_]":
        """Of each point whether its row is there: a byte a point is all that is kept of it."""
        found = np.zeros(len(self.planned.space), dtype=np.bool_)
        for key in self._keys():
            number = self.planned.space.number(key)
            if number is not None:
                found[number] = True
        return found

    def _extra(self) -> set[Key]:
        """Points beyond the space that are there."""
        if self.journal.count == len(self.planned.space):
            return set()
        return {key for key in self._keys() if self.planned.space.number(key) is None}

    def _keys(self) -> Iterator[Key]:
        for stream in self.journal.streams():
            for rows in stream:
                yield from (Key(*each) for each in rows.keys.tolist())

    def _standings(self) -> list[Standing]:
        metric = self.planned.asked.objectives[0]
        figures = by_scenario(in_order(self.journal), metric)
        return [standing(scenario, each, metric) for scenario, each in figures]

    def _replay(self, missing: Iterator[Key | None], total: int) -> None:
        sizes = _Sizes()
        measuring = Measuring(self.planned.plan, self.planned.space, self.host.guard)
        with self.host.bar("replays") as progress:
            self._tell(progress, total)
            found = outcomes(
                measuring,
                _batches(missing, sizes),
                self.executor,
                in_order=False,
                describe=self.host.describe,
                where=self.host.where,
            )
            # Closed where rows cannot be kept, too: workers must not live as long as a traceback is held.
            with closing(found):
                for batch in found:
                    self.journal.add(batch.rows)
                    sizes.learn(batch)
                    self.simulated_s += batch.simulated_s
                    self._done += len(batch.rows)
                    self._tell(progress, total)

    def _tell(self, progress: Progress | None, total: int) -> None:
        if progress is not None:
            progress(self._done, total)


def _holes(space: Space, there: "np.typing.NDArray[np.bool_]") -> Iterator[Key | None]:
    """The points that are missing, and None where some between them are there."""
    cut = False
    for number, key in enumerate(space.keys()):
        if there[number]:
            cut = True
            continue
        if cut:
            yield None
        cut = False
        yield key


def _batches(missing: Iterator[Key | None], sizes: _Sizes) -> Iterator[list[Key]]:
    """*missing* in batches, each made when there is room for it; none goes over a cut."""
    held: list[Key] = []
    for key in missing:
        if held and (key is None or len(held) >= sizes.size):
            yield held
            held = []
        if key is not None:
            held.append(key)
    if held:
        yield held
