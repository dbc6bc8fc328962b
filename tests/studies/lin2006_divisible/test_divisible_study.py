"""The study of Lin, Lu, Deogun and Goddard: what it runs can be run, and what needs no runs is so."""

import re
from dataclasses import replace
from itertools import pairwise

import pytest

from molokini.policies import load_policy
from molokini.studies.catalogue import names, study_of
from molokini.studies.claims import Claim, Verdict
from molokini.studies.lin2006_divisible.divisible_runs import run
from molokini.studies.lin2006_divisible.experiments import (
    AN,
    PERIODS,
    appendix_settings,
    base,
    cases,
    controlled,
    earliest_settings,
    figure_4_settings,
    leveraged,
    overhead,
    periodic,
)
from molokini.studies.lin2006_divisible.partitioning import everything
from molokini.studies.lin2006_divisible.setting import (
    LOADS,
    RAISE,
    REDRAW,
    Setting,
    execution,
    gap_of,
    name_of,
)
from molokini.studies.results import Results
from molokini.studies.study import Point
from molokini.workloads.generated import generated
from tests.clients.command_runs import ROOT

STUDY = study_of("lin2006-divisible")
NOTHING = Results([1, 2], {})


def claim(name: str) -> Claim:
    return next(one for one in STUDY.claims if one.name == name)


def test_it_is_in_the_list() -> None:
    assert "lin2006-divisible" in names()


def test_every_setting_is_one_that_workload_and_policy_know() -> None:
    model = generated("divisible")
    for policy in {setting.policy for setting in cases()}:
        assert load_policy(policy)
    for setting in cases():
        named = setting.parameters(1.0)
        own = {name: str(value) for name, value in named.items() if name not in ("policy", "k", "take")}
        values = model.values(own)
        assert values["nodes"] == setting.nodes
        assert ("k" in named) == (setting.policy.endswith("-k"))


def test_every_run_is_there_once() -> None:
    found = cases()
    assert len(found) == len(set(found))
    assert set(figure_4_settings(RAISE)) | set(appendix_settings()) | set(earliest_settings()) <= set(found)
    assert {replace(one, deadlines=RAISE) for one in figure_4_settings(REDRAW)} == set(
        figure_4_settings(RAISE)
    )
    known = set(found)
    assert all(one in known and other in known for one, other in everything())


def test_pairs_differ_in_the_algorithm_alone() -> None:
    for one, other in everything():
        assert isinstance(one, Setting)
        assert isinstance(other, Setting)
        assert one.workload == other.workload
        assert one.policy.replace("opr", "epr") == other.policy


def test_cases_of_one_workload_share_it() -> None:
    points = STUDY.points(replace(STUDY.quick, seeds=2))
    changes = sum(
        (a.case.workload, a.seed) != (b.case.workload, b.seed)  # type: ignore[attr-defined]
        for a, b in pairwise(points)
    )
    assert changes + 1 == 2 * len({setting.workload for setting in cases()})


def test_loads_and_gaps_are_each_others() -> None:
    assert LOADS == (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)
    assert execution(200.0, 16) == pytest.approx(1358.9, abs=0.05)  # the range of Table 1 ends at 1359
    assert gap_of(base(AN, 0.5)) == pytest.approx(2 * execution(200.0, 16))
    assert gap_of(overhead(AN, 5.0, 0.0)) == 2718.0
    assert (name_of("edf-opr-k", 2), name_of("mwf-epr-mn")) == ("EDF-OPR-2", "MWF-EPR-MN")


def test_claims_have_names_and_places() -> None:
    assert len({one.name for one in STUDY.claims}) == len(STUDY.claims) >= 40
    assert all(one.place and one.text.endswith(".") for one in STUDY.claims)


@pytest.mark.parametrize(
    "name", ["fractions", "theorem-5.1", "table-1-ranges", "table-2-ranges", "table-2-common"]
)
def test_what_needs_no_runs_holds(name: str) -> None:
    assert claim(name).judged(NOTHING).verdict is Verdict.HOLDS


def test_everything_else_needs_runs() -> None:
    untested = [one.name for one in STUDY.claims if one.judged(NOTHING).verdict is Verdict.UNTESTABLE]
    assert len(untested) == len(STUDY.claims) - 5


def test_the_page_is_of_these_claims() -> None:
    text = (ROOT / "docs" / "studies" / "lin2006-divisible.md").read_text()
    shown = [" ".join(one.text.split()) for one in STUDY.claims]
    assert [one for one in shown if one not in text] == []
    for picture in set(re.findall(r"\]\((lin2006-divisible/[^)]+)\)", text)):
        assert (ROOT / "docs" / "studies" / picture).exists(), picture


def row(setting: Setting, length: float = 0.05) -> dict[str, float | int | None]:
    return dict(run(Point(setting, 1, length)))


def test_k_nodes_do_where_all_do_not() -> None:
    inside = next(period for period in PERIODS if 1269 <= period < 1359)
    assert row(periodic("edf-opr-k", inside, 2))["reject_ratio"] == 0
    late = row(periodic(AN, 900.0))["reject_ratio"]
    assert late is not None
    assert late > 0.2  # 1 - 900 / 1359 in the long run
    assert row(controlled("edf-opr-k", 4, table_k=4))["reject_ratio"] == 0


def test_deadlines_are_what_was_asked_for() -> None:
    setting = leveraged("edf-opr-mn", spread=True)
    model = generated("divisible")
    named = {name: str(v) for name, v in setting.parameters(0.05).items() if name not in ("policy", "k")}
    loads = model.make(model.values(named), 1).loads
    assert loads is not None
    least = execution(200.0, 8)
    assert loads.deadline_s.min() >= least
    assert loads.deadline_s.max() == pytest.approx(3 * least, rel=0.02)
    assert row(setting)["reject_ratio"] == 0


def test_a_run_is_a_function_of_its_point() -> None:
    setting = base("mwf-opr-mn", 0.8, cms=4.0)
    first = row(setting)
    assert row(setting) == first
    assert first["missed"] == 0
    assert dict(run(Point(setting, 2, 0.05))) != first
    counted = first["counted_load"]
    assert counted is not None
    assert counted == pytest.approx(0.8, abs=0.3)
