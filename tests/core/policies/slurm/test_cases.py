"""The worked cases of the reference (section 9), on four nodes of four CPUs; numbers are those of its cases.

Jobs start here in the second of their submission, and nodes complete for one second: the reference allows one
second a hop, and the phase of the backfill timer is chosen where a case depends on it. It is long because the
cases stand together, as readers of the reference look for them.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import inf
from typing import Any

import pytest

from molokini.policies.slurm.configuration.line_layout import LINE, Count, Line
from molokini.policies.slurm.configuration.parameters import parameters
from molokini.policies.slurm.configuration.settings import (
    Association,
    Limits,
    Partition,
    Qos,
    SlurmSettings,
)
from tests.kit.slurm import QOSES, USERS, WEIGHTS, YEAR_MINUTES, Ran, Sbatch, settings_of, slurm, tree

NONE: dict[str, Any] = {}
LIMITS: dict[str, Any] = {"enforce_limits": "on"}


@dataclass(frozen=True)
class Case:
    """A stream of jobs, and when each starts: exactly, or one of several instants, or between two."""

    name: str
    jobs: Sequence[Sbatch]
    starts: Sequence[float | tuple[float, float]]
    settings: SlurmSettings = field(default_factory=settings_of)


A = Sbatch(0, 60, 2, nodes=2, x=True)
NODE: dict[str, Any] = {"nodes": 1, "x": True}
FOUR: dict[str, Any] = {"nodes": 4, "x": True}
THREE: dict[str, Any] = {"nodes": 3, "x": True}
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
WINDOW = [Sbatch(0, 30, 5, **THREE), Sbatch(1, 10, 5, **FOUR), Sbatch(2, 40, 30, **NODE)]


def _with(chosen: Mapping[str, Any], **more: Any) -> SlurmSettings:
    return settings_of(chosen, **more)


CASES = [
    Case("9 backfill", BACKFILL, [0, (60, 62), (5, 12), (81, 83)]),
    Case("10 whole nodes in the plan", WHOLE, [1, 1, (51, 53), (51, 53), (5, 15)]),
    Case(
        "12 limits do not block",
        OVER,
        [0, (25, 27), 0, 0, (20, 23), 0],
        _with(LIMITS, associations=IN_B, qos=ONE_OF_MID),
    ),
    Case(
        "22 partition_job_depth",
        DEPTH,
        [0, (35, 37), (12, 13), (27, 28)],
        _with({"bf_interval_s": 15.0, "backfill_phase_s": -3.0, "partition_job_depth": 1}),
    ),
    Case(
        "23 bf_max_job_user",
        PER_USER,
        [0, 61, 5, 13, 21],
        _with({**WEIGHTS, "bf_interval_s": 8.0, "backfill_phase_s": -3.0, "bf_max_job_user": 2}),
    ),
    Case(
        "24 assoc_limit_stop",
        STOPPING,
        [0, 31, (3, 4), (3, 4)],
        _with(
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
        _with(LIMITS, associations=tree(limits={"user lp": Limits(max_jobs=1)}), qos=TWO_OF_MID),
    ),
    Case(
        "27b nodes are counted once",
        NODES_ONCE,
        [0, 1, (26, 28)],
        _with(LIMITS, associations=tree(limits={"a": Limits(grp_tres={"node": 1})})),
    ),
    Case(
        "29 window",
        WINDOW,
        [0, (45, 46), (4, 5)],
        _with({"bf_window_s": 120.0, "backfill_phase_s": -5.0}),
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


def test_the_weight_of_fair_share_changes_who_starts_first() -> None:
    """Case 3's usage: lp before man by shares; without the weight the first that was submitted."""
    used = tree({"root": 5112.0, "daemon": 48.0, "sys": 120.0, "man": 26.0, "lp": 5.0})
    jobs = [
        Sbatch(0, 20, 1, **FOUR),
        Sbatch(1, 20, 1, user="man", **FOUR),
        Sbatch(2, 20, 1, user="lp", **FOUR),
    ]
    weighed = slurm(jobs, _with({"priority_weight_fairshare": 100_000.0}, associations=used))
    plain = slurm(jobs, _with(NONE, associations=used))
    assert weighed.replay.run()
    assert plain.replay.run()
    assert weighed.starts == [0.0, 42.0, 21.0]
    assert plain.starts == [0.0, 21.0, 42.0]


HOLDER = Sbatch(0, 1000, 100, **FOUR)


def test_case_1_priorities_to_the_integer() -> None:
    jobs = [
        HOLDER,
        Sbatch(1, 5, 10, tasks=1, user="daemon"),
        Sbatch(1, 5, 20, nodes=1, tasks=4, user="sys", queue="low", qos="high"),
        Sbatch(1, 5, tasks=16, user="mail", qos="mid"),
        Sbatch(1, 5, tasks=2, user="bin"),
    ]
    found = slurm(jobs, settings_of(WEIGHTS)).until(2.0).priorities()
    # The second has a nice value of 100 in the case.
    assert found == {1: 101_218.0, 2: 85_650.0 + 100.0, 3: 55_725.0, 4: 76_312.0}


def _size(jobs: Sequence[Sbatch], chosen: Mapping[str, Any]) -> list[float]:
    """The size terms of *jobs* by a weight of a million, in units of the reference's thousand."""
    weighed = settings_of({"priority_weight_job_size": 1e6, **chosen})
    found = slurm([HOLDER, *jobs], weighed).until(2.0).priorities()
    return [found[k + 1] / 1000.0 for k in range(len(jobs))]


SIZES = [
    Sbatch(1, 5, 10, tasks=1),
    Sbatch(1, 5, 20, nodes=1, tasks=4),
    Sbatch(1, 5, 60, tasks=16),
    Sbatch(1, 5, 30, nodes=2, tasks=2),
    Sbatch(1, 5, 5, **NODE),
]


def test_case_13_favor_small() -> None:
    assert _size(SIZES, {"priority_favor_small": "on"}) == [843.75, 750.0, 375.0, 687.5, 843.75]


def test_case_14_small_relative_to_time() -> None:
    assert _size(SIZES, {"small_relative_to_time": "on"}) == [25.0, 12.5, 16.666, 16.666, 50.0]


def test_case_15_raw_values() -> None:
    raw = {f"no_normal_{name}": "on" for name in ("assoc", "part", "qos", "tres")}
    chosen = {**WEIGHTS, **raw, "priority_weight_fairshare": 0.0}
    jobs = [HOLDER, Sbatch(1, 5, 10, tasks=16, user="mail", qos="mid")]
    found = slurm(jobs, settings_of(chosen)).until(2.0).priorities()
    size = (1 / 4 + 16 / 16) / 2 * 1000
    assert found == {1: float(int(size + 20 * 1000 + 300_000 + 500 + 16_000))}


@pytest.mark.parametrize(
    ("weight", "usage", "wanted"),
    [(4e9, 0.0, 4_294_967_295.0), (0.0, 0.0, 1.0)],
)
def test_case_19_bounds(weight: float, usage: float, wanted: float) -> None:
    chosen = {"priority_weight_qos": weight, "priority_weight_partition": weight}
    jobs = [HOLDER, Sbatch(1, 5, 10, tasks=1, qos="high")]
    assert slurm(jobs, settings_of(chosen)).until(2.0).priorities() == {1: wanted}


def test_case_20_age_at_the_runs_of_the_timer() -> None:
    chosen = {
        "priority_weight_age": 1000.0 * 604_800,
        "priority_phase_s": 100.0,
        "priority_calc_period_s": 300.0,
    }
    jobs = [replace(HOLDER, run=6000.0), Sbatch(0, 5, 10, tasks=1)]
    ran = slurm(jobs, settings_of({**chosen, "priority_max_age_s": 604_800.0}))
    told = [ran.until(at_s).priorities()[1] for at_s in (99.0, 100.0, 399.0, 400.0, 700.0)]
    assert told == [1.0, 100_000.0, 100_000.0, 400_000.0, 700_000.0]


def factors(settings: SlurmSettings) -> dict[str, float]:
    """The fair-share factor of each user at the beginning."""
    t = slurm([Sbatch(0, 10, 1)], settings).until(0.0).replay.tables
    first, found = int(parameters(t).associations), {}
    for at in range(first, first + int(parameters(t).association_count) * LINE, LINE):
        user = int(t.parameters[at + Line.USER])
        if user >= 0:
            found[USERS[user]] = round(float(t.site.tallies[at + Count.FACTOR]), 6)
    return found


def test_case_2_nobody_has_used_anything() -> None:
    assert factors(settings_of(WEIGHTS)) == {
        "root": 1.0,
        "daemon": 1.0,
        "bin": 0.75,
        "sys": 0.75,
        "games": 0.5,
        "man": 0.5,
        "lp": 0.5,
        "mail": 0.5,
    }


def test_case_3_fair_tree_with_usage() -> None:
    used = tree({"root": 5112.0, "daemon": 48.0, "sys": 120.0, "man": 26.0, "lp": 5.0})
    assert factors(settings_of(WEIGHTS, associations=used)) == {
        "mail": 1.0,
        "lp": 0.875,
        "man": 0.75,
        "daemon": 0.625,
        "bin": 0.5,
        "sys": 0.375,
        "games": 0.25,
        "root": 0.125,
    }


BY_HAND = (
    Association("root"),
    Association("a", parent="root", shares=40),
    Association("b", parent="root", shares=60),
    Association("a", "bin", shares=1, usage_s=100.0),
    Association("a", "sys", shares=3, usage_s=500.0),
    Association("b", "man", usage_s=500.0),
    Association("b", "lp", usage_s=100.0),
)


def test_case_4_fair_tree_by_hand() -> None:
    found = factors(settings_of(WEIGHTS, associations=BY_HAND))
    assert found == {"lp": 1.0, "man": 0.75, "bin": 0.5, "sys": 0.25}


def test_case_5_the_same_classic() -> None:
    chosen = {**WEIGHTS, "no_fair_tree": "on"}
    found = factors(settings_of(chosen, associations=BY_HAND))
    assert found == {"bin": 0.272627, "sys": 0.330513, "man": 0.346811, "lp": 0.50972}
    damped = factors(settings_of({**chosen, "fair_share_dampening": 3}, associations=BY_HAND))
    assert damped["bin"] == 0.64842


def _usage(ran: Ran, user: str) -> float:
    t = ran.replay.tables
    first = int(parameters(t).associations)
    rows = range(first, first + int(parameters(t).association_count) * LINE, LINE)
    return next(
        float(t.site.tallies[at + Count.USAGE_S])
        for at in rows
        if int(t.parameters[at + Line.USER]) == USERS.index(user)
    )


def test_case_17_decay_of_two_minutes() -> None:
    chosen = {**WEIGHTS, "priority_decay_half_life_s": 120.0, "priority_calc_period_s": 60.0}
    used = tree({"sys": 8134.0, "man": 60.0, "lp": 41.0})
    ran = slurm([Sbatch(0, 500, 10, tasks=1, user="mail")], settings_of(chosen, associations=used)).until(
        60.0
    )
    assert [int(_usage(ran, user)) for user in ("sys", "man", "lp")] == [5746, 42, 28]


def test_case_18_decay_by_hand() -> None:
    settings = settings_of(WEIGHTS, associations=tree({"sys": 1_000_000.0}))
    ran = slurm([Sbatch(0, 90_000, 2000, tasks=1, user="mail")], settings).until(86_400.0)
    assert _usage(ran, "sys") == pytest.approx(905_742.66, abs=0.01)
    ran = slurm([Sbatch(0, 90_000, 2000, tasks=16, user="mail")], settings).until(300.0)
    assert _usage(ran, "mail") == pytest.approx(19_193.401 / 4, abs=0.001)


@pytest.mark.parametrize(("relevant", "wanted"), [("on", 120.0), ("off", 138.0)])
def test_case_7_precision_of_the_planned_start(relevant: str, wanted: float) -> None:
    jobs = [Sbatch(0, 100, 2, **NODE), Sbatch(18, 100, 2, **NODE)]
    jobs += [Sbatch(18, 600, 9, **NODE), Sbatch(18, 600, 9, **NODE), Sbatch(20, 10, 1, **NODE)]
    assert slurm(jobs, settings_of({"relevant_end": relevant})).until(45.0).expected_s(4) == wanted


def test_case_11_plans_of_small_jobs_block_large_ones() -> None:
    jobs = [Sbatch(0, 1000, 10, **FOUR), Sbatch(1, 5, 10, tasks=1, qos="high")]
    jobs += [
        Sbatch(2, 5, 20, tasks=4, qos="high"),
        Sbatch(3, 5, 60, tasks=2, qos="mid"),
        Sbatch(4, 5, 60, tasks=16),
    ]
    ran = slurm(jobs, settings_of(WEIGHTS)).until(30.0)
    assert [ran.expected_s(k) for k in range(1, 5)] == [600.0, 600.0, 600.0, 4200.0]


def test_case_10_plans() -> None:
    ran = slurm(WHOLE).until(25.0)
    assert 120.0 <= ran.expected_s(2) <= 122.0
    assert 180.0 <= ran.expected_s(3) <= 182.0


LONG: dict[str, Any] = {"run": 1000.0, "minutes": 100.0}


def test_case_8a_the_fullest_node_that_holds_it() -> None:
    """A job without a maximum of nodes: best fit, in every release."""
    jobs = [Sbatch(0, nodes=0, tasks=tasks, **LONG) for tasks in (3, 2, 3, 1)]
    ran = slurm(jobs).until(1.0)
    # 3 on n1; 2 on n2, as n1 has 1 left; 3 on n3; 1 on n1, which it fills.
    assert [ran.nodes(k) for k in range(4)] == [{"n1": 3}, {"n2": 2}, {"n3": 3}, {"n1": 1}]


@pytest.mark.parametrize(("one_node", "wanted"), [("first", {"n1": 2}), ("best", {"n2": 2})])
def test_case_8b_the_node_of_a_job_of_one_node(one_node: str, wanted: dict[str, int]) -> None:
    # One CPU of n1 and two of n2 are in use once the second job has ended.
    jobs = [Sbatch(0, tasks=1, **LONG), Sbatch(0, 5, 1, tasks=3), Sbatch(1, tasks=2, **LONG)]
    jobs += [Sbatch(8, tasks=2, nodes=1, **LONG)]
    ran = slurm(jobs, settings_of({"one_node": one_node})).until(9.0)
    assert [ran.nodes(k) for k in (0, 2, 3)] == [{"n1": 1}, {"n2": 2}, wanted]


def test_a_job_of_several_nodes_holds_exactly_the_cpus_that_it_asks_for() -> None:
    ran = slurm([Sbatch(0, tasks=7, nodes=3, **LONG), Sbatch(1, tasks=9, **LONG)]).until(2.0)
    assert sum(ran.nodes(0).values()) == 7
    assert len(ran.nodes(0)) == 3
    assert sum(ran.nodes(1).values()) == 9


def test_case_12_reasons() -> None:
    settings = _with(LIMITS, associations=IN_B, qos=ONE_OF_MID)
    ran = slurm(OVER, settings).until(3.0)
    assert ran.starts == [0.0, inf, 0.0, 0.0, inf, 0.0]
    assert (ran.reason(1), ran.reason(4)) == ("AssocGrpCpuLimit", "QOSMaxJobsPerUserLimit")


@pytest.mark.parametrize(("safe", "wanted"), [("off", 10.0), ("on", inf)])
def test_case_25_minutes_of_a_group(safe: str, wanted: float) -> None:
    """40 of 100 minutes may still be used by a job that runs; 80 more do not fit, where that counts."""
    bound = tree(limits={"b": Limits(grp_tres_mins={"cpu": 100.0})})
    jobs = [Sbatch(0, 500, 10, tasks=4, user="sys"), Sbatch(10, 10, 40, tasks=2, user="sys")]
    ran = slurm(jobs, _with({**LIMITS, "enforce_safe": safe}, associations=bound)).until(15.0)
    assert ran.starts[1] == wanted
    if safe == "on":
        assert ran.reason(1) == "AssocGrpCPUMinutesLimit"


@pytest.mark.parametrize(("minutes", "wanted"), [(90.0, 1201.0), (91.0, inf)])
def test_case_26_minutes_of_limits_that_run(minutes: float, wanted: float) -> None:
    bound = tree(limits={"b": Limits(grp_tres_run_mins={"cpu": 1000.0})})
    jobs = [Sbatch(0, 5000, 100, tasks=8, user="sys"), Sbatch(1201, 10, minutes, tasks=4, user="sys")]
    ran = slurm(jobs, _with(LIMITS, associations=bound)).until(1210.0)
    assert ran.starts[1] == wanted
    if wanted == inf:
        assert ran.reason(1) == "AssocGrpCPURunMinutesLimit"


def test_case_27c_max_wall() -> None:
    settings = _with(LIMITS, associations=tree(limits={"a": Limits(max_wall_s=120.0)}))
    ran = slurm(
        [Sbatch(0, 20, 5, tasks=1, user="daemon"), Sbatch(0, 20, 2, tasks=1, user="daemon")], settings
    )
    ran.until(5.0)
    assert ran.starts == [inf, 0.0]
    assert ran.reason(0) == "AssocMaxWallDurationPerJobLimit"


def test_case_29_without_the_window() -> None:
    ran = slurm(WINDOW)
    assert ran.replay.run()
    assert 30.0 <= ran.starts[1] <= 32.0


def test_a_job_without_a_limit_is_planned_for_a_year() -> None:
    jobs = [Sbatch(0, 50, YEAR_MINUTES, **FOUR), Sbatch(1, 5, 1, **NODE)]
    ran = slurm(jobs)
    assert ran.replay.run()
    assert 50.0 <= ran.starts[1] <= 52.0


TIERS = (Partition("batch", priority_tier=10), Partition("low"))
PREEMPTING: dict[str, Any] = {"preempt_type": "partition_prio", "preempt_mode": "requeue"}


def test_case_16_preemption_by_partition() -> None:
    jobs = [
        Sbatch(0, 1000, 100, nodes=2, x=True, queue="low"),
        Sbatch(2, 1000, 100, queue="low", **NODE),
        Sbatch(4, 1000, 100, queue="low", **NODE),
        Sbatch(8, 20, 5, **NODE),
    ]
    ran = slurm(jobs, settings_of(PREEMPTING, TIERS)).until(7.0)
    assert [ran.nodes(k) for k in range(3)] == [{"n1": 1, "n2": 1}, {"n3": 1}, {"n4": 1}]
    ran.until(10.0)
    assert ran.nodes(3) == {"n3": 1}
    assert 8.0 <= ran.starts[3] <= 9.0
    assert ran.reason(1) in ("None", "BeginTime")
    ran.until(128.0)
    assert ran.nodes(0) == {"n1": 1, "n2": 1}
    # It waits 121 s, although its node is free from 29 on, and then for the pass of each minute.
    assert ran.nodes(1) == {}
    ran.until(181.0)
    assert ran.nodes(1) == {"n3": 1}


@pytest.mark.parametrize(("mode", "left"), [("requeue", 2), ("cancel", 1)])
def test_preemption_by_qos(mode: str, left: int) -> None:
    qos = (Qos("normal"), Qos("mid", 30.0), Qos("high", 100.0, preempt=("mid",)))
    jobs = [Sbatch(0, 1000, 100, qos="mid", **FOUR), Sbatch(5, 20, 5, qos="high", **FOUR)]
    ran = slurm(jobs, settings_of({"preempt_type": "qos", "preempt_mode": mode}, qos=qos)).until(10.0)
    assert ran.starts[1] == 6.0
    t = ran.replay.tables
    assert t.queue.running_count + t.queue.tail - t.queue.head == left


def test_nobody_gives_way_where_all_together_do_not_make_room() -> None:
    jobs = [Sbatch(0, 1000, 100, **NODE), Sbatch(0, 1000, 100, queue="low", **THREE)]
    jobs.append(Sbatch(5, 20, 5, **FOUR))
    ran = slurm(jobs, settings_of(PREEMPTING, TIERS)).until(50.0)
    assert ran.starts == [0.0, 0.0, inf]
