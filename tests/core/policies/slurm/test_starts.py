"""The worked cases of the reference (section 9) that state starts, on four nodes of four CPUs.

Jobs start here in the second of their submission, and nodes complete for one second: the reference allows one
second a hop, and the phase of the backfill timer is chosen where a case depends on it. Other cases stand by
subject beside this file: each says its number.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from math import inf
from typing import Any

import pytest

from molokini.policies.slurm.configuration.settings import Limits, Qos, SlurmSettings
from tests.kit.slurm import FOUR, LIMITS, NODE, QOSES, THREE, WEIGHTS, Sbatch, settings_of, slurm, tree


@dataclass(frozen=True)
class Case:
    """A stream of jobs, and when each starts: exactly, or one of several instants, or between two."""

    name: str
    jobs: Sequence[Sbatch]
    starts: Sequence[float | tuple[float, float]]
    settings: SlurmSettings = field(default_factory=settings_of)


A = Sbatch(0, 60, 2, nodes=2, x=True)
IN_B = tree(limits={"b": Limits(grp_tres={"cpu": 4})})
TWO_OF_MID = (Qos("normal"), replace(QOSES[1], limits=Limits(max_jobs=2)), QOSES[2])
ONE_OF_MID = (Qos("normal"), replace(QOSES[1], limits=Limits(max_jobs=1)), QOSES[2])

BACKFILL = [A, Sbatch(1, 20, 5, **FOUR), Sbatch(2, 20, 1, **NODE), Sbatch(3, 10, 10, **NODE)]
WHOLE = [
    Sbatch(1, 70, 3, tasks=12, nodes=3),
    Sbatch(1, 50, 2, tasks=3),
    Sbatch(3, 100, 5, nodes=1, tasks=2),
    Sbatch(4, 100, 30, nodes=1, tasks=1),
    Sbatch(5, 1, 1, nodes=1, tasks=1),
]
OVER = [
    Sbatch(0, 25, 5, tasks=3, user="sys"),
    Sbatch(0, 5, 5, tasks=2, user="sys"),
    Sbatch(0, 5, 5, tasks=1, user="sys"),
    Sbatch(0, 20, 5, tasks=1, user="man", qos="mid"),
    Sbatch(0, 5, 5, tasks=1, user="man", qos="mid"),
    Sbatch(0, 5, 5, tasks=1, user="lp", qos="mid"),
]
DEPTH = [
    Sbatch(0, 35, 2, **THREE),
    Sbatch(1, 10, 5, **FOUR),
    Sbatch(2, 5, 1, **NODE),
    Sbatch(2.5, 5, 1, tasks=1, queue="low"),
]
PER_USER = [
    Sbatch(0, 60, 5, **THREE),
    Sbatch(1, 10, 5, qos="high", **FOUR),
    Sbatch(2, 5, 1, qos="mid", **NODE),
    Sbatch(2, 5, 1, qos="mid", **NODE),
    Sbatch(2, 5, 1, user="man", **NODE),
]
STOPPING = [
    Sbatch(0, 30, 5, tasks=3, user="sys", qos="high"),
    Sbatch(0, 5, 5, tasks=2, user="sys", qos="high"),
    Sbatch(0, 5, 5, tasks=1, user="sys", qos="mid"),
    Sbatch(0, 5, 5, tasks=1),
]
HIDDEN = [Sbatch(0, 10 + k, 5, tasks=1, user="lp", qos="mid") for k in range(3)]
HIDDEN += [Sbatch(1, 5, 5, tasks=1, user="lp") for _ in range(2)]
NODES_ONCE = [
    Sbatch(0, 20, 5, tasks=1, user="daemon"),
    Sbatch(1, 25, 5, tasks=1, user="daemon"),
    Sbatch(2, 5, 5, tasks=4, user="daemon"),
]
BEHIND_LIMITS = [
    Sbatch(0, 100, 5, tasks=4, user="sys"),
    *(Sbatch(1, 10, 5, tasks=1, user="sys", qos="high") for _ in range(5)),
    Sbatch(2, 10, 5, tasks=1),
]
WINDOW = [Sbatch(0, 30, 5, **THREE), Sbatch(1, 10, 5, **FOUR), Sbatch(2, 40, 30, **NODE)]


CASES = [
    Case("9 backfill", BACKFILL, [0, (60, 62), (5, 12), (81, 83)]),
    Case("10 whole nodes in the plan", WHOLE, [1, 1, (51, 53), (51, 53), (5, 15)]),
    Case(
        "12 limits do not block",
        OVER,
        [0, (25, 27), 0, 0, (20, 23), 0],
        settings_of(LIMITS, associations=IN_B, qos=ONE_OF_MID),
    ),
    Case(
        "21 default_queue_depth",
        BEHIND_LIMITS,
        # An event pass looks at three entries, the pass of each minute at all.
        [0, *[(101, 130)] * 4, (101, 145), 60],
        settings_of(
            {
                **WEIGHTS,
                **LIMITS,
                "priority_weight_fairshare": 0.0,
                "default_queue_depth": 2,
                "bf_interval_s": -1.0,
            },
            associations=IN_B,
        ),
    ),
    Case(
        "22 partition_job_depth",
        DEPTH,
        [0, (35, 37), (12, 13), (27, 28)],
        settings_of({"bf_interval_s": 15.0, "backfill_phase_s": -3.0, "partition_job_depth": 1}),
    ),
    Case(
        "23 bf_max_job_user",
        PER_USER,
        [0, 61, 5, 13, 21],
        settings_of({**WEIGHTS, "bf_interval_s": 8.0, "backfill_phase_s": -3.0, "bf_max_job_user": 2}),
    ),
    Case(
        "24 assoc_limit_stop",
        STOPPING,
        [0, 31, (3, 4), (3, 4)],
        settings_of(
            {
                **WEIGHTS,
                **LIMITS,
                "priority_weight_fairshare": 0.0,
                "bf_interval_s": 8.0,
                "backfill_phase_s": -5.0,
                "assoc_limit_stop": "on",
            },
            associations=IN_B,
        ),
    ),
    Case(
        "27a hidden but counted",
        HIDDEN,
        [0, 0, (10, 12), (21, 25), (27, 31)],
        settings_of(LIMITS, associations=tree(limits={"user lp": Limits(max_jobs=1)}), qos=TWO_OF_MID),
    ),
    Case(
        "27b nodes are counted once",
        NODES_ONCE,
        [0, 1, (26, 28)],
        settings_of(LIMITS, associations=tree(limits={"a": Limits(grp_tres={"node": 1})})),
    ),
    Case(
        "30 a plan that begins when a job would end",
        [Sbatch(0, 590, 10, **THREE), Sbatch(0, 10, 10, **FOUR), Sbatch(0, 500, 9, **NODE)],
        [0, (590, 592), 0],
        settings_of({"backfill_phase_s": -10.0}),
    ),
    Case(
        "a limit at submission",
        [Sbatch(k, 20, 5, tasks=16, user="sys") for k in range(4)],
        [0, (20, 22), inf, inf],
        settings_of(LIMITS, associations=tree(limits={"b": Limits(grp_submit=2)})),
    ),
    Case(
        "the grace of a QOS",
        [Sbatch(0, 100, 100, qos="mid", **FOUR), Sbatch(5, 20, 5, qos="high", **FOUR)],
        [0, 46],
        settings_of(
            {"preempt_type": "qos", "preempt_mode": "cancel"},
            qos=(Qos("normal"), Qos("mid", grace_s=40.0), Qos("high", preempt=("mid",))),
        ),
    ),
    Case(
        "least loaded nodes",
        [Sbatch(0, 50, 5, tasks=2), Sbatch(0, 50, 5, tasks=2), Sbatch(1, 5, 5, nodes=3, tasks=12)],
        [0, 0, (50, 52)],
        settings_of({"least_loaded": "on"}),
    ),
    Case(
        "29 window",
        WINDOW,
        [0, (45, 46), (4, 5)],
        settings_of({"bf_window_s": 120.0, "backfill_phase_s": -5.0}),
    ),
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_starts_of_the_worked_cases(case: Case) -> None:
    assert_starts(case, compiled=False)


@pytest.mark.dear("one compilation of the policy, for all cases")
def test_starts_of_the_worked_cases_compiled() -> None:
    for case in CASES:
        assert_starts(case, compiled=True)


def assert_starts(case: Case, compiled: bool) -> None:
    ran = slurm(case.jobs, case.settings, compiled=compiled)
    assert ran.replay.run()
    for started, wanted in zip(ran.starts, case.starts, strict=True):
        first, last = wanted if isinstance(wanted, tuple) else (wanted, wanted)
        assert first <= started <= last, f"{case.name}: {ran.starts} for {case.starts}"


@pytest.mark.parametrize(
    ("case", "changed"),
    [
        ("9 backfill", {"bf_interval_s": 40.0}),
        ("12 limits do not block", {"GrpTRES": 16}),
        ("12 limits do not block", {"partition_job_depth": 1}),
        ("29 window", {"bf_window_s": 86_400.0}),
    ],
)
def test_each_of_these_changes_a_start_that_a_case_states(case: str, changed: dict[str, Any]) -> None:
    (found,) = (one for one in CASES if one.name == case)
    if "GrpTRES" in changed:
        more = tree(limits={"b": Limits(grp_tres={"cpu": 16})})
        settings = replace(found.settings, associations=more)
    else:
        settings = replace(found.settings, chosen={**found.settings.chosen, **changed})
    ran, before = slurm(found.jobs, settings), slurm(found.jobs, found.settings)
    assert ran.replay.run()
    assert before.replay.run()
    assert ran.starts != before.starts


def test_nodes_that_have_become_clean_are_a_change_for_backfill() -> None:
    """Backfill looks at the end of a job, when its node still completes, and an interval later again."""
    jobs = [
        Sbatch(0, 600, 15, **THREE),
        Sbatch(0, 100, 2, **NODE),
        Sbatch(1, 10, 5, **FOUR),
        Sbatch(2, 10, 2, **NODE),
    ]
    ran = slurm(jobs, settings_of({"bf_interval_s": 30.0, "batch_sched_delay_s": 3.0}))
    assert ran.replay.run()
    assert ran.starts[3] == pytest.approx(130, abs=2), ran.starts


QUEUED: dict[str, Any] = {
    "end_pass": "queued",
    "completing_s": 0.0,
    "batch_sched_delay_s": 3.0,
    "bf_interval_s": -1.0,
}


@pytest.mark.parametrize(
    ("chosen", "starts"),
    [
        # The pass for the second job is at 3; the end of the first, at 10.25, is seen at the next second.
        (QUEUED, [0, 11, 14]),
        # The pass after an end has no delay, and delays no queued one.
        ({**QUEUED, "end_pass": "at_once"}, [0, 10.25, 12]),
        ({**QUEUED, "end_pass": "at_once", "defer": "on"}, [0, 11, 14]),
        # The controller looks at half seconds: at 0.5 for the first job, at 3.5 for the second.
        ({**QUEUED, "tick_phase_s": 0.5}, [0, 10.5, 13.5]),
        # Nodes are clean two seconds after the end, when the pass of 12 is over, and ask for one more.
        ({**QUEUED, "completing_s": 2.0}, [0, 15, 15]),
    ],
)
def test_an_end_is_followed_at_once_or_queued(chosen: dict[str, Any], starts: list[float]) -> None:
    jobs = [
        Sbatch(0, 10.25, 5, nodes=3, x=True),
        Sbatch(2, 30, 5, nodes=3, x=True),
        Sbatch(12, 30, 5, **NODE),
    ]
    ran = slurm(jobs, settings_of(chosen))
    assert ran.replay.run()
    assert ran.starts == pytest.approx(starts)


def test_a_pass_after_an_end_counts_where_nobody_waits() -> None:
    """It is 3 s from the pass of second 10 to the next queued one."""
    jobs = [Sbatch(0, 10, 5, **NODE), Sbatch(11, 10, 5, **NODE)]
    ran = slurm(jobs, settings_of(QUEUED))
    assert ran.replay.run()
    assert ran.starts == [0, 13]
