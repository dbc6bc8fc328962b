"""A page about a study, in Markdown, with its pictures in a folder beside it."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from molokini.model.errors import BadFile
from molokini.plots import matrix_picture, panels, save
from molokini.studies.claims import Claim, Figure, Finding, Verdict
from molokini.studies.maps import Drawn
from molokini.studies.report import Report
from molokini.studies.shown import MatrixPicture, Picture, Table
from molokini.workloads.atomic import atomic_path


def write_page(report: Report, folder: Path) -> Path:
    """Write the pictures, then the page that shows them; the page's path."""
    name = report.finished.study.name
    beside = folder / name
    try:
        beside.mkdir(exist_ok=True)
    except OSError as error:
        raise BadFile(str(beside), error.strerror or str(error)) from None
    below = f"means over {report.finished.size.seeds} seeds; bands are 95% intervals"
    for picture in report.pictures:
        if isinstance(picture, MatrixPicture):
            drawn = matrix_picture(picture.matrix, picture.title, picture.below)
        else:
            drawn = panels(picture.title, picture.panels, picture.columns, below)
        save(drawn, beside / f"{picture.name}.png")
    path = folder / f"{name}.md"
    with atomic_path(path) as temporary:
        temporary.write_text(page(report), encoding="utf-8")
    return path


def page(report: Report) -> str:
    """The text of the page: a function of the rows and the study alone."""
    study = report.finished.study
    parts = [
        [f"# {study.title}", "", study.paper, "", study.summary, ""],
        _in_short(study.in_short),
        _what_was_run(report),
        ["## What the paper claims", "", _counts(report.verdicts.items()), "", *_before(study.before)],
        _claims(report.findings, study.name, report.pictures),
        *_by_reading(report.readings),
        _figures(report.findings),
        _maps(report.maps),
        *(_table(table) for table in report.tables),
        _readings(study.readings),
        *(_picture(study.name, picture) for picture in report.pictures),
    ]
    return "\n".join(line for part in parts for line in part).rstrip() + "\n"


def _maps(maps: Sequence[Drawn]) -> list[str]:
    if not maps:
        return []
    told = [(one.claim, one.axis, str(one)) for one in maps]
    found = [
        (one.claim, f"{one.axis} {at}", str(finding.verdict), finding.why)
        for one in maps
        for at, finding in one.found
    ]
    return [
        "## Where claims hold",
        "",
        "Claims that are not met, judged over a part of the cases, or along what the paper does not print.",
        "",
        *_grid(("claim", "along", "where"), told),
        *_grid(("claim", "at", "verdict", "what we found"), found),
    ]


def _in_short(sentences: Sequence[str]) -> list[str]:
    return ["## In short", "", " ".join(sentences), ""] if sentences else []


def _what_was_run(report: Report) -> list[str]:
    finished = report.finished
    study, size = finished.study, finished.size
    quick = "" if size.length == study.full.length else f" (size *{size.name}*: not what the paper ran)"
    share = "" if size.length == 1 else f"{size.length:g} times "
    logs = " --logs DIR" if study.over is not None else ""
    # The usual size needs no word; where there is none, the full one is the usual.
    options = "" if size.name == ("usual" if study.usual else "full") else f" --{size.name}"
    if size.seeds != getattr(study, size.name).seeds:
        options += f" --seeds {size.seeds}"
    return [
        f"{len(finished.rows):,} runs{quick}: {len(finished.rows) // size.seeds:,} cases with seeds 1 to "
        f"{size.seeds}, each {share}{study.length}. Intervals are Student's t over the seeds, 95%; "
        "cases that are compared saw the same random numbers, and differences are taken seed by seed.",
        "",
        "```",
        f"molokini study {study.name}{logs}{options}",
        "```",
        "",
        f"The code that made the runs has the key `{finished.code}`.",
        "",
    ]


def _links(place: str, study: str, pictures: Sequence[Picture]) -> str:
    """Links to the pictures of the figures that *place* names: ``figure 1``, ``Figures 4h to 4j, 19``."""
    named = re.search(r"[Ff]igures? (.*)", place)
    if named is None:
        return ""
    known = {picture.name for picture in pictures}
    found: list[str] = []
    for number, letter in re.findall(r"(\d+)([a-z]?)", named[1]):
        ranges = [re.fullmatch(rf"figure-{number}([a-z])-([a-z])", name) for name in sorted(known)]
        found += [name for name in (f"figure-{number}", f"figure-{number}{letter}") if name in known]
        found += [one[0] for one in ranges if one is not None and one[1] <= letter <= one[2]]
    links = [f"[{name.replace('-', ' ', 1)}]({study}/{name}.png)" for name in dict.fromkeys(found)]
    return f" ({', '.join(links)})" if links else ""


def _counts(counts: Iterable[tuple[Verdict, int]]) -> str:
    return ", ".join(f"{verdict}: {count}" for verdict, count in counts) + "."


def _before(counts: Sequence[int] | None) -> list[str]:
    """What the page counted before all studies had one rule."""
    if counts is None:
        return []
    named = zip(("holds", "holds in shape", "does not hold", "cannot be tested"), counts, strict=True)
    told = ", ".join(f"{name}: {count}" for name, count in named)
    return [f"Before [the rule](verdicts.md), by other readings and thresholds: {told}.", ""]


def _claims(findings: Sequence[tuple[Claim, Finding]], study: str, pictures: Sequence[Picture]) -> list[str]:
    rows = [
        (
            claim.place,
            claim.text,
            f"**{finding.verdict}**",
            finding.why + _links(claim.place, study, pictures),
        )
        for claim, finding in findings
    ]
    return _grid(("where", "claim", "verdict", "what we found"), rows)


def _by_reading(judged: Sequence[tuple[Claim, Mapping[str, Finding]]]) -> Iterator[list[str]]:
    """Readings side by side: a table for all claims that have the same ones, the verdict's first."""
    for names in dict.fromkeys(tuple(found) for _, found in judged):
        rows = [
            (claim.place, claim.text, *(f"**{one.verdict}**: {one.why}" for one in found.values()))
            for claim, found in judged
            if tuple(found) == names
        ]
        counts = [
            Counter(found[name].verdict for _, found in judged if tuple(found) == names) for name in names
        ]
        rows.append(("", "all of them", *(_counts((one, count[one]) for one in Verdict) for count in counts)))
        title = f"## Readings side by side: {', '.join(names)}"
        yield [
            title,
            "",
            "The first is that of the verdicts above.",
            "",
            *_grid(("where", "claim", *names), rows),
        ]


def _figures(findings: Sequence[tuple[Claim, Finding]]) -> list[str]:
    rows = [_figure(claim, figure) for claim, finding in findings for figure in finding.figures]
    if not rows:
        return []
    columns = ("where", "figure", "published", "ours", "95% interval")
    return ["## Published figures beside ours", "", *_grid(columns, rows)]


def _figure(claim: Claim, figure: Figure) -> tuple[str, ...]:
    ours = figure.ours
    published = "" if figure.published is None else f"{figure.published:g}"
    if ours.is_of_one_seed:
        return claim.place, figure.name, published, f"{ours.mean:.4f}", "one seed"
    if ours.samples == 1:  # computed, not measured
        return claim.place, figure.name, published, f"{ours.mean:g}", "exact"
    return claim.place, figure.name, published, f"{ours.mean:.4f}", f"{ours.low:.4f} to {ours.high:.4f}"


def _table(table: Table) -> list[str]:
    return [f"## {table.place}: {table.title}", "", *_grid(table.columns, table.rows)]


def _readings(readings: Sequence[str]) -> list[str]:
    if not readings:
        return []
    return ["## How the paper was read", "", *(f"- {reading}" for reading in readings), ""]


def _picture(study: str, picture: Picture) -> list[str]:
    shown = f"![{picture.title}]({study}/{picture.name}.png)"
    return [f"## {picture.title}", "", shown, "", picture.caption, ""]


def _grid(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    return list(_lines(columns, rows))


def _lines(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    yield _line(columns)
    yield _line(["---"] * len(columns))
    for row in rows:
        yield _line(row)
    yield ""


def _line(cells: Sequence[str]) -> str:
    shown = (" ".join(cell.split()).replace("|", "\\|") for cell in cells)
    return f"| {' | '.join(shown)} |"
