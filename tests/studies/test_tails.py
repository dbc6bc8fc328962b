"""The studies of heavy tails, SRPT, memory and metrics: they run, and their pages hold all claims; maps."""

from collections.abc import Hashable
from dataclasses import dataclass
from pathlib import Path

import pytest

from molokini.studies.catalogue import study_of
from molokini.studies.claims import Claim, Finding, Verdict
from molokini.studies.crovella2001.tails_cases import Computed, lindley
from molokini.studies.harchol_balter2001.srpt_cases import Formula, Tried
from molokini.studies.maps import Map, all_maps
from molokini.studies.results import Results
from molokini.studies.rule import exactly
from molokini.studies.study import Point
from molokini.studies.suh2001_memory.memory_cases import Knees, schedules

PAGES = Path(__file__).parents[2] / "docs" / "studies"
NAMES = ("crovella2001", "harchol-balter2001", "suh2001-memory", "feitelson2001-metrics")
CLAIMS = {"crovella2001": 13, "harchol-balter2001": 17, "suh2001-memory": 11, "feitelson2001-metrics": 19}


@pytest.mark.parametrize("name", NAMES)
def test_pages_have_a_verdict_on_every_claim(name: str) -> None:
    study = study_of(name)
    assert len(study.claims) == CLAIMS[name]
    page = (PAGES / f"{name}.md").read_text("utf-8")
    for claim in study.claims:
        row = next(line for line in page.splitlines() if f"| {claim.text} |" in line)
        assert any(f"**{verdict}**" in row for verdict in Verdict), claim.name
    assert "## Where claims hold" in page


def test_closed_forms_do_not_depend_on_the_seed() -> None:
    for name, case in (
        ("harchol-balter2001", Formula("exponential:scale=1", 0.9)),
        ("suh2001-memory", Knees()),
        ("crovella2001", Computed()),
    ):
        study = study_of(name)
        assert case in study.cases()
        assert study.run(Point(case, 1, 0.01)) == study.run(Point(case, 2, 0.5))
    row = study_of("harchol-balter2001").run(Point(Formula("exponential:scale=1", 0.9), 1, 1.0))
    assert row["srpt_slowdown"] == pytest.approx(1.91726, abs=6e-6)
    assert len(schedules()) == 10


def test_no_order_is_better_than_half_of_srpt() -> None:
    row = study_of("harchol-balter2001").run(Point(Tried(), 3, 0.05))
    assert 1.0 <= (row["worst_over_optimum"] or 0.0) <= 2.0


def test_waits_of_one_server_by_hand() -> None:
    import numpy as np

    waits = lindley(np.array([5.0, 1.0, 4.0, 1.0]), np.array([0.0, 2.0, 9.0, 1.0]))
    assert waits.tolist() == [0.0, 3.0, 0.0, 3.0]


@dataclass(frozen=True)
class _Loaded:
    load: float
    policy: str = "one"


def test_a_map_says_where_a_claim_holds() -> None:
    cases = [_Loaded(load) for load in (0.5, 0.7, 0.9)]
    rows: dict[tuple[Hashable, int], dict[str, float]] = {
        (case, seed): {"x": case.load} for case in cases for seed in (1, 2)
    }
    results = Results((1, 2), rows)

    def check(found: Results) -> Finding:
        known = [found.known(case, "x")[0] for case in cases if found.known(case, "x")]
        return exactly(max(known) < 0.8, f"{known}")

    claim = Claim("A", "here", "that x is small", check)
    (drawn,) = all_maps([], [claim], cases, results)
    assert (drawn.claim, drawn.axis) == ("A", "load")
    assert str(drawn) == "holds for 0.5, 0.7"
    assert [one["verdict"] for one in drawn.as_dict()["points"]] == ["holds", "holds", "contradicted"]
    (own,) = all_maps([Map("A", "reading", [("strict", check)])], [claim], cases, results)
    assert str(own) == "holds nowhere"
