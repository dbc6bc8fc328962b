"""Running a study: what is missing is run, on all cores, and kept as it comes."""

import math
from collections.abc import Callable, Hashable, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from molokini.cycle.ports import Progress
from molokini.model.errors import MolokiniError
from molokini.parallel.code import code_key
from molokini.parallel.executors import Executor, outcomes
from molokini.parallel.guarding import plainly
from molokini.studies.results import Results
from molokini.studies.store import Store
from molokini.studies.study import Point, Row, Size, Study

_BATCHES_A_WORKER = 200
"""So many that the last ones end together and a kill loses little; so few that handing over costs nothing."""


@dataclass(frozen=True)
class Finished:
    """The rows of all of a study's points, and how they came about."""

    study: Study
    size: Size
    code: str
    rows: Sequence[tuple[Point, Row]]
    """In the order of the points, whichever was first."""
    reused: int
    """Rows that an earlier run had left."""
    stale: int
    """Rows that an earlier run had left, and other code had made."""

    @property
    def results(self) -> Results:
        """The rows, to be asked."""
        found: dict[tuple[Hashable, int], Row] = {(point.case, point.seed): row for point, row in self.rows}
        return Results(range(1, self.size.seeds + 1), found)


def runs_file(folder: Path, study: Study) -> Path:
    """Where the rows of a study are kept."""
    return folder / f"{study.name}.runs.jsonl"


def run_study(
    study: Study,
    size: Size,
    folder: Path,
    executor: Executor | int,
    fresh: bool = False,
    progress: Progress | None = None,
    describe: Callable[[BaseException], tuple[str, int]] = plainly,
) -> Finished:
    """Run what *folder* does not hold yet. A run that is interrupted or killed leaves what it has done.

    *fresh* throws away what an earlier run left.
    """
    code = code_key(study.sources)
    points = study.points(size)
    with Store(runs_file(folder, study), study.name, code, fresh) as store:
        missing = [point for point in points if store.get(point) is None]
        reused = len(points) - len(missing)
        if progress is not None:
            progress(reused, len(points))
        if missing:
            study.prepare()
        done = reused
        at_a_time = executor if isinstance(executor, int) else executor.workers
        batches = _batches(missing, at_a_time)
        found = outcomes(_Running(study), batches, executor, in_order=False, describe=describe)
        # Closed where rows cannot be kept, too: workers must not live as long as a traceback is held.
        with closing(found):
            for rows in found:
                store.add(rows)
                done += len(rows)
                if progress is not None:
                    progress(done, len(points))
        rows_of = [(point, row) for point in points if (row := store.get(point)) is not None]
        return Finished(study, size, code, rows_of, reused, store.stale)


def _batches(points: Sequence[Point], workers: int) -> list[Sequence[Point]]:
    """*points* in batches of neighbours, which may share what is costly to make."""
    size = max(1, math.ceil(len(points) / (workers * _BATCHES_A_WORKER)))
    return [points[at : at + size] for at in range(0, len(points), size)]


@dataclass(frozen=True)
class _Running:
    study: Study

    def __call__(self, points: Sequence[Point]) -> dict[Point, Row]:
        return {point: _checked(point, self.study.run(point)) for point in points}


def _checked(point: Point, row: Row) -> Row:
    for metric, value in row.items():
        if value is not None and not math.isfinite(value):
            raise MolokiniError(f"{point.key}: {metric} is {value}: a row holds finite numbers, or None")
    return row
