"""What came of a study: every claim judged, ready for a page, a table and JSON."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from molokini.studies.claims import Claim, Figure, Finding, Verdict
from molokini.studies.maps import Drawn, all_maps
from molokini.studies.running import Finished
from molokini.studies.shown import MatrixPicture, Picture, Table
from molokini.studies.study import canonical

SCHEMA = "molokini.study/1"


@dataclass(frozen=True)
class Report:
    """A finished study with all that is shown of it."""

    finished: Finished
    findings: Sequence[tuple[Claim, Finding]]
    pictures: Sequence[Picture]
    tables: Sequence[Table]
    readings: Sequence[tuple[Claim, Mapping[str, Finding]]] = ()
    """Of each claim that has several readings what came out under each."""
    maps: Sequence[Drawn] = ()
    """Where claims that are not met hold all the same; empty where it was not asked for."""

    @property
    def verdicts(self) -> dict[Verdict, int]:
        """How many claims got each verdict."""
        count = Counter(finding.verdict for _, finding in self.findings)
        return {verdict: count[verdict] for verdict in Verdict}

    def as_dict(self, run: Mapping[str, Any]) -> dict[str, Any]:
        """The document ``molokini.study/1``; *run* is all of it that may differ from run to run."""
        finished = self.finished
        study = finished.study
        return {
            "schema": SCHEMA,
            "study": {"name": study.name, "title": study.title, "paper": study.paper},
            "size": finished.size.as_dict(),
            "seeds": list(finished.results.seeds),
            "code": finished.code,
            "verdicts": {str(verdict): count for verdict, count in self.verdicts.items()},
            "claims": [_claim_part(claim, finding) for claim, finding in self.findings],
            "claims_by_reading": [
                {"name": claim.name, "readings": {name: _finding_part(one) for name, one in found.items()}}
                for claim, found in self.readings
            ],
            **({"maps": [one.as_dict() for one in self.maps]} if self.maps else {}),
            "tables": [table.as_dict() for table in self.tables],
            "pictures": [picture.as_dict() for picture in self.pictures],
            "readings": list(study.readings),
            "results": _results_part(finished),
            "run": dict(run),
        }


def report_of(finished: Finished, mapped: bool = False) -> Report:
    """Judge every claim, and make the tables and the curves; *mapped*: the maps, too."""
    study, results = finished.study, finished.results
    findings = [(claim, claim.judged(results)) for claim in study.claims]
    readings = [(claim, claim.under_each(results)) for claim in study.claims if claim.readings]
    maps = all_maps(study.maps, study.claims, study.cases(), results) if mapped else []
    # Of short runs a picture may have nothing to show.
    shown = [one for one in study.pictures(results) if one.panels or isinstance(one, MatrixPicture)]
    return Report(finished, findings, shown, study.tables(results), readings, maps)


def _claim_part(claim: Claim, finding: Finding) -> dict[str, Any]:
    return {
        "name": claim.name,
        "place": claim.place,
        "claim": claim.text,
        **_finding_part(finding),
    }


def _finding_part(finding: Finding) -> dict[str, Any]:
    figures = [_figure_part(figure) for figure in finding.figures]
    return {"verdict": str(finding.verdict), "why": finding.why, "figures": figures}


def _results_part(finished: Finished) -> list[dict[str, Any]]:
    """Every run, below its case."""
    cases: dict[str, dict[str, Any]] = {}
    for point, row in finished.rows:
        named = point.as_dict()
        seed, length = named.pop("seed"), named.pop("length")
        case = cases.setdefault(canonical(named), {**named, "length": length, "runs": []})
        case["runs"].append({"seed": seed, **row})
    return list(cases.values())


def _figure_part(figure: Figure) -> dict[str, Any]:
    ours = figure.ours
    low, high = (None, None) if ours.is_of_one_seed else (ours.low, ours.high)
    interval = {"mean": ours.mean, "low": low, "high": high}
    return {"name": figure.name, "published": figure.published, **interval, "samples": ours.samples}
