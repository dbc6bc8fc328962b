"""The study of coscheduling where memory is short: its exact claim, and that each claim can be judged."""

import itertools
from collections.abc import Hashable

from molokini.studies.claims import Verdict
from molokini.studies.gine2001_memory import memory_cases
from molokini.studies.gine2001_memory.memory_cases import Alike, Load, Periods, cases, run
from molokini.studies.gine2001_memory.memory_claims import CLAIMS, g26
from molokini.studies.gine2001_memory.memory_study import STUDY
from molokini.studies.results import Results
from molokini.studies.study import Point, Row


def results_of(*every: Hashable, seeds: int = 2) -> Results:
    rows: dict[tuple[Hashable, int], Row] = {}
    for case in every:
        for seed in range(1, seeds + 1):
            rows[case, seed] = run(Point(case, seed, 0.01))  # type: ignore[arg-type]
    return Results(range(1, seeds + 1), rows)


def test_with_equal_memory_nobody_is_overtaken() -> None:
    found = g26(results_of(Alike("csm"), Alike("rr")))
    assert found.verdict is Verdict.HOLDS


def test_the_workload_is_that_of_the_paper_scaled() -> None:
    tasks = memory_cases._tasks(Load("csm", "medium"), 0.01)
    assert (tasks.jobs, tasks.load, tasks.small_ns, tasks.large_ns) == (12, 1.0, 15 * 10**9, 180 * 10**9)
    assert memory_cases._tasks(Load("csm", "high", scale=1), 1.0).large_ns == 3600 * 10**9
    assert memory_cases.nodes_of(1.0) == 32


def test_what_was_not_run_cannot_be_tested() -> None:
    nothing = Results((1, 2), {})
    assert {claim.judged(nothing).verdict for claim in CLAIMS} == {Verdict.UNTESTABLE}
    assert [claim.name for claim in CLAIMS] == [f"g{k}" for k in range(1, 29)]


def test_cases_are_different_and_grouped_by_interval() -> None:
    every = cases()
    assert len(set(every)) == len(every)
    points = STUDY.points(STUDY.quick)
    loads = [(STUDY.shares(point.case), point.seed) for point in points if isinstance(point.case, Load)]
    # Those that share an interval follow one another, so that it is found once.
    changes = sum(one != other for one, other in itertools.pairwise(loads)) + 1
    assert changes == len(set(loads))


def test_the_worked_example_runs() -> None:
    row = run(Point(Periods("csm"), 1, 0.01))
    assert {"J1_s", "J2_s", "L_s"} <= set(row)
