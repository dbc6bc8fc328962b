"""``molokini study``: what a paper claims, run again and judged."""

import dataclasses
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from time import perf_counter
from typing import Any

from molokini.clients.arguments.runs import StudyArguments
from molokini.clients.failures import describe
from molokini.clients.output import STANDARD_OUTPUT, check_outputs, write_json
from molokini.clients.show.rich_tables import console, lines, row, show, table
from molokini.model.errors import BadFile, BadInput, BadValue, Conflict, MolokiniError
from molokini.model.text import duration, plural
from molokini.model.version import version
from molokini.parallel.choosing import chosen_executor
from molokini.parallel.progress import progress_bar
from molokini.studies.catalogue import names, study_of
from molokini.studies.study import MOST_SEEDS, Size, Study

LIST_SCHEMA = "molokini.studies/1"
CHECK_SCHEMA = "molokini.study-check/1"
_TELL_EVERY_S = 20.0


def study(arguments: StudyArguments) -> dict[str, Any]:
    """List the studies, or run one, write its page and print its verdicts; also returns the JSON."""
    if arguments.check is not None:
        return check(arguments.check, arguments, study_of)
    if arguments.name is None:
        if arguments.bundle is not None:
            raise BadInput("--bundle: it needs the NAME of a study; molokini study lists them")
        return _listed(arguments)
    return run(_on_logs(study_of(arguments.name), arguments.logs), arguments)


def run(chosen: Study, arguments: StudyArguments) -> dict[str, Any]:
    """Run *chosen*, write all there is of it below ``--output``, and print the verdicts."""
    size, executor = _size(chosen, arguments), chosen_executor(arguments.executor, arguments.workers)
    check_outputs({"--json": arguments.json, "--bundle": arguments.bundle})
    from molokini.studies.bundle import write_bundle
    from molokini.studies.page import write_page
    from molokini.studies.report import report_of
    from molokini.studies.running import run_study, runs_file

    folder = _folder(arguments.output)
    before = perf_counter()
    with progress_bar(chosen.name) as progress:
        reported = _Reported(progress)
        try:
            done = run_study(chosen, size, folder, executor, not arguments.resume, reported, describe)
        except KeyboardInterrupt:
            reported.interrupted(runs_file(folder, chosen))
            raise
    report = report_of(done, arguments.map)
    page = write_page(report, folder)
    elapsed = {"elapsed_s": perf_counter() - before, "version": version(), "workers": executor.workers}
    found = report.as_dict({**elapsed, "reused": done.reused, "stale": done.stale})
    document = folder / f"{chosen.name}.json"
    write_json(found, str(document))
    write_json(found, arguments.json)
    cited = []
    if arguments.bundle is not None:
        digest = write_bundle(report, folder, arguments.bundle, version())
        cited = [f"{arguments.bundle}, to be cited by {digest}"]
    if arguments.json != STANDARD_OUTPUT:
        _show(found, page, document, cited)
    return found


def check(file: str, arguments: StudyArguments, known: Callable[[str], Study]) -> dict[str, Any]:
    """Verify the bundle *file*; MolokiniError where something in it is not as it was written."""
    given = {"NAME": arguments.name, "--seeds": arguments.seeds, "--bundle": arguments.bundle}
    given["--quick"] = arguments.quick or None
    for option, value in given.items():
        if value is not None:
            raise BadInput(f"{option}: a bundle says by itself what was run; leave it out beside --check")
    check_outputs({"--json": arguments.json}, [file])
    from molokini.studies.bundle import check_bundle

    logs = None if arguments.logs is None else Path(arguments.logs)
    done = check_bundle(file, version(), known, logs)
    found = {"schema": CHECK_SCHEMA, "file": file, **dataclasses.asdict(done)}
    write_json(found, arguments.json)
    if done.problems:
        raise MolokiniError(f"{file}: {'; '.join(done.problems)}")
    if arguments.json != STANDARD_OUTPUT:
        again = f"its claims were not judged again: {done.skipped}" if done.skipped else "claims judged again"
        lines(console(), [f"{file}: {done.study}, all files as written; {again}", f"digest {done.digest}"])
    return found


def _on_logs(chosen: Study, folder: str | None) -> Study:
    if folder is not None and chosen.over is None:
        raise BadInput(f"--logs: {chosen.name} is made over no logs")
    if folder is None and chosen.over is not None:
        said = f"{chosen.name} is about logs, too; without --logs DIR its claims on them cannot be tested"
        print(f"molokini: {said}", file=sys.stderr)
    return chosen if folder is None or chosen.over is None else chosen.over(Path(folder))


class _Reported:
    """Tells a bar, or without one standard error now and then, how far the runs are, and remembers it."""

    def __init__(self, bar: Any, clock: Callable[[], float] = perf_counter) -> None:
        self._bar, self._clock = bar, clock
        self._done = self._total = 0
        self._began = self._told = clock()

    def __call__(self, done: int, total: int) -> None:
        self._done, self._total = done, total
        if self._bar is not None:
            self._bar(done, total)
        elif (now := self._clock()) - self._told >= _TELL_EVERY_S:
            self._told = now
            took = duration(round(now - self._began))
            print(f"molokini: {done:,} of {plural(total, 'run')} in {took}", file=sys.stderr, flush=True)

    def interrupted(self, kept: Path) -> None:
        """Say what is kept."""
        runs = f"{self._done:,} of {plural(self._total, 'run')}"
        print(f"molokini: interrupted; {runs} kept in {kept}: the same command goes on", file=sys.stderr)


def _size(chosen: Study, arguments: StudyArguments) -> Size:
    if arguments.quick and arguments.full:
        raise Conflict("--full", "--quick asks for the contrary; leave one out")
    usual = chosen.full if arguments.full or chosen.usual is None else chosen.usual
    size = chosen.quick if arguments.quick else usual
    if arguments.seeds is None:
        return size
    if not 1 <= arguments.seeds <= MOST_SEEDS:
        raise BadValue("--seeds", arguments.seeds, f"a whole number from 1 to {MOST_SEEDS:,}")
    return Size(size.name, arguments.seeds, size.length)


def _folder(name: str) -> Path:
    folder = Path(name)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise BadFile(name, error.strerror or str(error)) from None
    return folder


def _listed(arguments: StudyArguments) -> dict[str, Any]:
    check_outputs({"--json": arguments.json})
    studies = [study_of(name) for name in names()]
    found = {
        "schema": LIST_SCHEMA,
        "studies": [
            {"name": one.name, "title": one.title, "paper": one.paper, "claims": len(one.claims)}
            for one in studies
        ],
    }
    write_json(found, arguments.json)
    if arguments.json != STANDARD_OUTPUT:
        texts = [
            f"{one.name}: {one.title} ({plural(len(one.claims), 'claim')}); {one.paper}" for one in studies
        ]
        lines(console(), texts or ["no studies"])
    return found


def _show(found: dict[str, Any], page: Path, document: Path, cited: Sequence[str]) -> None:
    out = console()
    size, run = found["size"], found["run"]
    title = f"{found['study']['name']}: {found['study']['title']}"
    made = table(title, "verdict", "where", "claim", "found", words=range(4))
    for claim in found["claims"]:
        row(made, claim["verdict"], claim["place"], claim["claim"], claim["why"])
    show(out, made)
    for one in found.get("maps", ()):
        lines(out, [f"{one['claim']} along {one['axis']}: {one['told']}"])
    counts = ", ".join(f"{verdict}: {count}" for verdict, count in found["verdicts"].items())
    count = sum(len(case["runs"]) for case in found["results"])
    runs = f"{plural(count, 'run')}, {run['reused']:,} of them from an earlier one"
    lines(
        out,
        [
            counts,
            f"{runs}; {plural(size['seeds'], 'seed')}, size {size['name']}",
            f"{plural(run['stale'], 'run')} of other code or thrown away" if run["stale"] else "",
            f"{page}, {document}",
            *cited,
        ],
    )
