"""Zhang and Sivasubramaniam 2001: the exact claims, and that every claim is judged on a short study."""

from collections.abc import Callable, Hashable
from dataclasses import replace
from typing import Any

import pytest

from molokini.studies.claims import Verdict
from molokini.studies.comparing import ordered
from molokini.studies.results import Results
from molokini.studies.study import Point, Row, Size
from molokini.studies.zhang2001_qos.qos_cases import (
    OVERLOAD,
    Alone,
    Apart,
    Local,
    Mixed,
    Window,
    cases,
    loads_of,
    prepare_all,
    run,
)
from molokini.studies.zhang2001_qos.qos_claims import CLAIMS
from molokini.studies.zhang2001_qos.qos_study import STUDY


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


SEEDS = (1, 2, 3, 4)
CLEAR, NOISE = 0.001, 0.9
"""How much seeds differ, as a share: hardly, and so much that hardly anything is clear."""


def made(value: Callable[[Any, str], float | None], noise: float = CLEAR) -> Results:
    """Results in which every case has what *value* says; seeds differ, and not by the same in all cases."""
    metrics = [
        *("rt_miss_rate", "rt_rejected_share", "rt_rejected", "class_switches_a_second"),
        "be_delivered_an_hour",
        *(f"be_all_{name}_s" for name in ("response", "blocked", "ready", "queued")),
    ]
    rows: dict[tuple[Hashable, int], Row] = {}
    for place, case in enumerate(cases()):
        for seed in SEEDS:
            off = 1 + noise * (((place * 7 + seed * 5) % 11) / 5 - 1)
            found = {metric: value(case, metric) for metric in metrics}
            rows[case, seed] = {
                metric: None if one is None else one * off if metric != "rt_rejected" else one
                for metric, one in found.items()
            }
    return Results(SEEDS, rows)


def as_the_paper_says(case: Any, metric: str) -> float | None:
    """Numbers of which all claims about orders and shares hold."""
    if isinstance(case, Local):
        far = abs(case.boost_us / 1000 - 1) / 20
        return 100 + (0 if case.name in ("pb", "pb-sb") else 50) + far
    scheme = getattr(case, "scheme", "")
    gang, ps = scheme == "1gs", scheme == "2dcs-ps"
    admitted = getattr(case, "admission", False)
    if isinstance(case, Alone):
        return 100 * (1 + (case.io_percent + case.skew_percent) / (20 if gang else 100))
    if isinstance(case, Apart):
        return 0.0 if metric == "rt_miss_rate" else 100.0
    if isinstance(case, Window):
        return None
    gain = {"a": 0.8, "b": 0.95, "c": 0.95}[case.mix] if ps else 1.0
    match metric:
        case "be_all_response_s":
            return (300 if gang else 100 * gain) * (0.8 if admitted else 1)
        case "be_delivered_an_hour":
            return 10.0 * float(case.load)
        case "be_all_queued_s":
            return 190.0 if gang else 0.0
        case "be_all_blocked_s":
            return 10 if gang else 40 * gain
        case "be_all_ready_s":
            return 60 if gang else 20
        case "rt_rejected":
            return 1.0 if gang else 0.0
        case "rt_rejected_share":
            return 0.7 if admitted else 0.2 + 0.1 * case.load if gang else 0.0
        case "class_switches_a_second":
            return 1000 if case.mix == "a" else 500
    if admitted:
        return 0.0
    if gang:
        return 0.1
    if case.load == OVERLOAD:
        return 0.7
    return (0.05 if case.load < 1 else 0.4) * ((1.5 if case.mix == "c" else 1.1) if ps else 1.0)


_OF_WINDOWS = {"z7", "z8"}


def test_claims_hold_where_results_are_as_the_paper_says() -> None:
    results = made(as_the_paper_says)
    verdicts = {claim.name: claim.judged(results) for claim in CLAIMS if claim.name not in _OF_WINDOWS}
    wrong = {name: found for name, found in verdicts.items() if found.verdict is not Verdict.HOLDS}
    assert not wrong


def test_orders_fail_where_schemes_change_places() -> None:
    other = {"1gs": "2dcs-ps", "2dcs-ps": "1gs", "2dcs-tdm": "2dcs-tdm"}

    def swapped(case: Any, metric: str) -> float | None:
        if isinstance(case, Mixed | Apart | Alone):
            return as_the_paper_says(replace(case, scheme=other[case.scheme]), metric)
        if isinstance(case, Local):
            return 250 if case.name in ("pb", "pb-sb") and case.boost_us == 1000 else 150
        return None

    results = made(swapped)
    for name in ("z1", "z2", "z3", "z4", "z11", "z12", "z13", "z15", "z20", "z21", "z22"):
        assert judged(name, results) is Verdict.CONTRADICTED, name


def test_what_lies_within_the_noise_is_not_clear() -> None:
    results = made(as_the_paper_says, NOISE)
    for name in ("z1", "z2", "z4", "z5", "z6", "z14"):
        assert judged(name, results) is not Verdict.HOLDS, name


def test_differences_that_are_not_clear_leave_a_claim_undecided() -> None:
    one, other = Mixed("1gs", "a", 0.3), Mixed("2dcs-ps", "a", 0.3)
    rows: dict[tuple[Hashable, int], Row] = {}
    for seed in SEEDS:
        rows[one, seed], rows[other, seed] = {"m": float(seed % 2)}, {"m": float(seed // 2 % 2)}
    found = ordered(Results(SEEDS, rows), [(one, other)], "m")
    assert found.verdict is Verdict.UNDECIDED
    assert found.why.endswith("undecided with 4 seeds, no number of seeds would tell if means stayed")
    clear = {key: {"m": 1.0 + (key[0] == other) + key[1] / 100} for key in rows}
    assert ordered(Results(SEEDS, clear), [(one, other)], "m").verdict is Verdict.HOLDS
    assert ordered(Results(SEEDS, clear), [(other, one)], "m").verdict is Verdict.CONTRADICTED


def test_seeds_without_a_value_are_left_out_unless_most_are() -> None:
    case, other = Local("pb"), Local("sb")
    rows: dict[tuple[Hashable, int], Row] = {(case, seed): {"m": float(seed)} for seed in SEEDS}
    rows |= {(other, seed): {"m": 1.0 if seed > 1 else None} for seed in SEEDS}
    partly = Results(SEEDS, rows).partly()
    assert partly.difference(case, other, "m").mean == pytest.approx(2.0)
    rows |= {(other, seed): {"m": 1.0 if seed > 3 else None} for seed in SEEDS}
    with pytest.raises(LookupError, match="undefined under 3 of the seeds"):
        Results(SEEDS, rows).partly().difference(case, other, "m")
