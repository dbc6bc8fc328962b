"""Zhang and Sivasubramaniam 2001: the exact claims, and that every claim is judged on a short study."""

from collections.abc import Hashable

import pytest

from molokini.studies.claims import Verdict
from molokini.studies.results import Results
from molokini.studies.study import Point, Row, Size
from molokini.studies.zhang2001_qos.cases import Mixed, Window, cases, loads_of, prepare_all, run
from molokini.studies.zhang2001_qos.claims import CLAIMS
from molokini.studies.zhang2001_qos.study import STUDY


@pytest.fixture(scope="module", autouse=True)
def _compiled() -> None:
    prepare_all()


def judged(name: str, results: Results) -> Verdict:
    claim = next(one for one in CLAIMS if one.name == name)
    return claim.judged(results).verdict


def test_all_claims_are_there_and_judge_something() -> None:
    assert [claim.name for claim in CLAIMS] == [f"z{k}" for k in range(1, 23)]
    empty = Results((1, 2), {})
    for claim in CLAIMS:
        assert claim.judged(empty).why


def test_windows_of_tdm_hold_exactly_and_ps_only_in_the_long_run() -> None:
    rows: dict[tuple[Hashable, int], Row] = {
        (case, seed): run(Point(case, seed, 1.0))
        for case in (Window("2dcs-tdm"), Window("2dcs-ps"))
        for seed in (1, 2)
    }
    results = Results((1, 2), rows)
    assert judged("z7", results) is Verdict.HOLDS
    assert judged("z8", results) is Verdict.HOLDS


def test_the_two_level_schemes_have_no_queue_and_a_row_repeats() -> None:
    point = Point(Mixed("2dcs-ps", "b", 1.2), 1, 0.02)
    row = run(point)
    assert run(point) == row
    assert row["rt_rejected"] == 0
    assert row["rt_jobs"]
    assert run(Point(Mixed("1gs", "b", 1.2), 1, 0.02))["rt_jobs"] == row["rt_jobs"]


def test_a_mix_makes_up_its_load() -> None:
    for mix, ratio in (("a", 2.0), ("b", 9.0), ("c", 1 / 9)):
        rt, be = loads_of(mix, 0.9)
        assert rt + be == pytest.approx(0.9)
        assert (rt / 22.68) / (be / 67.5) == pytest.approx(ratio)


def test_points_are_distinct() -> None:
    every = STUDY.points(Size("t", 2, 0.1))
    assert len({point.key for point in every}) == len(every) == 2 * len(cases())
