"""Studies over the logs of a folder: declared once, and made again for each folder that is named."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from molokini.studies.claims import Claim
from molokini.studies.log_files import Log
from molokini.studies.prose import prose
from molokini.studies.results import Results
from molokini.studies.shown import Picture, Table
from molokini.studies.study import Case, Point, Row, Study

Logs = Sequence[Log]


def no_pictures(results: Results, logs: Logs) -> Sequence[Picture]:
    """For a study that has tables alone."""
    return ()


def over_logs(
    file: str,
    logs_of: Callable[[Path], Logs],
    *,
    cases: Callable[[Logs], Sequence[Case]],
    run: Callable[[Path | None, Point], Row],
    claims: Callable[[Logs], Sequence[Claim]],
    tables: Callable[[Results, Logs], Sequence[Table]],
    pictures: Callable[[Results, Logs], Sequence[Picture]] = no_pictures,
    words: Mapping[str, Any],
    **given: Any,
) -> Study:
    """The study that *file* declares, over no logs until a folder is named; *words* fill in its prose."""

    def made(folder: Path | None, logs: Logs) -> Study:
        named = ", ".join(log.title for log in logs) or "no logs"
        return Study(
            **prose(file, logs=named, **words),
            cases=lambda: cases(logs),
            run=partial(run, folder),
            claims=claims(logs),
            pictures=lambda results: pictures(results, logs),
            tables=lambda results: tables(results, logs),
            over=lambda folder: made(folder, logs_of(folder)),
            inputs=logs,
            **given,
        )

    return made(None, ())
