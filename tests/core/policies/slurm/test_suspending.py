"""Preemption by suspension: two examples of Slurm's own pages, and rules of the reference (6.1, 6.7)."""

from dataclasses import replace
from math import inf
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from molokini.model.decisions import Rule
from molokini.model.machine import Machine
from molokini.model.outages import Outage
from molokini.model.reservations import Reservation, Terms
from molokini.model.resources import Resource
from molokini.policies.slurm.configuration.line_layout import LINE, Count, Line
from molokini.policies.slurm.configuration.parameters import parameters
from molokini.policies.slurm.configuration.settings import Limits, Partition, Qos, SlurmSettings
from molokini.policies.slurm.configuration.words import PreemptMode
from tests.kit.replays import outcome
from tests.kit.slurm import LIMITS, NODE, THREE, USERS, Ran, Sbatch, machine_of, settings_of, slurm

SUSPENDING: dict[str, Any] = {"preempt_type": "partition_prio", "preempt_mode": "suspend"}
TIERS = (Partition("batch", priority_tier=10), Partition("low"))
THREE_TIERS = (*TIERS, Partition("mid", priority_tier=5))
ONE = machine_of(1)
_LOW: dict[str, Any] = {"queue": "low", "nodes": 1}


def suspending(*tiers: Partition, **more: Any) -> SlurmSettings:
    return settings_of({**SUSPENDING, **more}, tiers or TIERS)


# Three nodes of five are wanted; the jobs on them stop, the two others go on.
FIVE_NODES = [Sbatch(k, 300, 10, queue="low", **NODE) for k in range(5)] + [Sbatch(27, 30, 1, **THREE)]
# Slurm's page says that it would be better to take the idle nodes, and that it does not.
TWO_IDLE = [Sbatch(k, 60, 2, tasks=2, **_LOW) for k in range(3)] + [Sbatch(15, 20, 1, tasks=6, nodes=3)]
# The lowest tier is on n2 as a job has n1 until 5; the middle one needs both nodes, the highest only n1.
OF_THREE_TIERS = [
    Sbatch(0, 5, 1, tasks=4, **_LOW),
    Sbatch(1, 100, 10, tasks=4, **_LOW),
    Sbatch(10, 60, 10, tasks=8, nodes=2, queue="mid"),
    Sbatch(20, 30, 1, tasks=4, nodes=1),
]


def test_jobs_of_a_lower_tier_stop_on_the_nodes_that_are_wanted_and_go_on_afterwards() -> None:
    ran = slurm(FIVE_NODES, suspending(), machine_of(5)).until(30.0)
    assert (ran.suspended, ran.starts[5]) == ([0, 1, 2], 27.0)
    assert [ran.nodes(k) for k in range(5)] == [{f"n{k + 1}": 1} for k in range(5)]
    assert ran.nodes(5) == {"n1": 1, "n2": 1, "n3": 1}
    assert ran.replay.run()
    assert ran.changes == [(27.0, 0, 0.0), (27.0, 1, 0.0), (27.0, 2, 0.0)] + [
        (57.0, k, 1.0) for k in range(3)
    ]
    assert ran.ends == [330.0, 331.0, 332.0, 303.0, 304.0, 57.0]


def test_the_first_nodes_are_taken_where_idle_ones_alone_are_not_enough() -> None:
    ran = slurm(TWO_IDLE, suspending(), machine_of(5, 2)).until(20.0)
    assert (ran.suspended, ran.starts[3]) == ([0, 1, 2], 15.0)
    assert ran.nodes(3) == {"n1": 2, "n2": 2, "n3": 2}
    assert ran.replay.run()
    assert ran.ends == [80.0, 81.0, 82.0, 35.0]


def test_nobody_stops_where_idle_nodes_are_enough() -> None:
    jobs = [*TWO_IDLE[:3], Sbatch(15, 20, 1, tasks=4, nodes=2)]
    ran = slurm(jobs, suspending(), machine_of(5, 2)).until(20.0)
    assert (ran.suspended, ran.nodes(3)) == ([], {"n4": 2, "n5": 2})


def test_a_plan_keeps_its_nodes_where_nobody_could_be_suspended_for_it() -> None:
    """Three nodes are planned from 100 on, n3 is not one of them: the next job has to have n3, at once."""
    jobs = [
        Sbatch(0, 100, 2, **NODE),
        Sbatch(1, 50, 1, **NODE),
        Sbatch(2, 300, 10, queue="low", **NODE),
        Sbatch(2, 100, 2, **NODE),
        Sbatch(5, 10, 1, tasks=12, nodes=3),
        Sbatch(55, 200, 5, **NODE),
    ]
    ran = slurm(jobs, suspending(), machine_of(4))
    assert ran.replay.run()
    assert ran.starts == [0.0, 1.0, 2.0, 2.0, 103.0, 61.0]
    # On n2, which is idle from 51 on, it would keep the job of three nodes waiting, or have it stop another.
    assert ran.changes == [(61.0, 2, 0.0), (261.0, 2, 1.0)]


def test_no_more_jobs_of_a_node_stop_than_have_to() -> None:
    """One CPU is not enough, two are: the first job need not have gone for the second."""
    jobs = [Sbatch(k, 100, 10, tasks=n, **_LOW) for k, n in enumerate((1, 2, 1))] + [Sbatch(5, 9, 1, tasks=2)]
    ran = slurm(jobs, suspending(), ONE).until(10.0)
    assert (ran.suspended, ran.starts[3]) == ([1], 5.0)


def test_cpus_that_a_suspended_job_has_left_are_for_higher_tiers_alone() -> None:
    jobs = [
        Sbatch(0, 100, 2, tasks=4, **_LOW),
        Sbatch(10, 50, 1, tasks=2),
        # Of four CPUs two are idle from 10 on.
        Sbatch(20, 5, 1, tasks=1, **_LOW),
        Sbatch(30, 10, 1, tasks=1),
    ]
    ran = slurm(jobs, suspending(), ONE).until(35.0)
    assert ran.starts == [0.0, 10.0, inf, 30.0]
    assert ran.reason(2) == "Resources"
    # One CPU is idle, and three more than that are kept from it.
    told, row = ran.asked(35.0), ran.row(2)
    assert (told.machine.idle, told.reasons.rule[row], told.reasons.limit[row]) == (
        1,
        Rule.NOT_ENOUGH_FREE,
        0,
    )
    # The end of the suspended job's limit as it was: 10 + 110.
    assert ran.expected_s(2) == 120.0
    assert ran.replay.run()
    assert ran.ends == [150.0, 60.0, 156.0, 40.0]


def test_a_limit_does_not_run_while_its_job_is_suspended() -> None:
    """It works for 58 of the 60 seconds of its limit, and is there for 158."""
    ran = slurm([Sbatch(0, 58, 1, tasks=4, **_LOW), Sbatch(10, 100, 2, tasks=4)], suspending(), ONE)
    assert ran.replay.run()
    assert ran.ends == [158.0, 110.0]
    assert ran.replay.schedule().run_s.tolist() == [58.0, 100.0]


@pytest.mark.parametrize(("each_mb", "start"), [(10.0, 10.0), (15.0, 101.0)])
def test_a_suspended_job_keeps_its_memory(each_mb: float, start: float) -> None:
    """It has 80 of 100 MB."""
    jobs = [
        Sbatch(0, 100, 10, tasks=4, memory_mb=20.0, **_LOW),
        Sbatch(10, 20, 1, tasks=2, memory_mb=each_mb),
    ]
    ran = slurm(jobs, suspending(), machine_of(1, 4, 100.0))
    assert ran.replay.run()
    assert ran.starts[1] == start
    assert len(ran.changes) == (2 if start == 10.0 else 0)


def test_a_partition_says_itself_whether_its_jobs_are_suspended() -> None:
    jobs = [Sbatch(0, 100, 10, tasks=4, **_LOW), Sbatch(10, 20, 1, tasks=4)]
    off = (TIERS[0], Partition("low", preempt_mode=PreemptMode.OFF))
    on = (TIERS[0], Partition("low", preempt_mode=PreemptMode.SUSPEND))
    assert slurm(jobs, suspending(*off), ONE).until(60.0).starts[1] == inf
    assert slurm(jobs, suspending(*on, preempt_mode="off"), ONE).until(60.0).starts[1] == 10.0


def test_neither_grace_nor_an_exempt_time_holds_for_suspension() -> None:
    tiers = (TIERS[0], Partition("low", grace_s=30.0))
    jobs = [Sbatch(0, 100, 10, tasks=4, **_LOW), Sbatch(10, 20, 1, tasks=4)]
    ran = slurm(jobs, suspending(*tiers, preempt_exempt_s=3600.0), ONE).until(12.0)
    assert ran.starts[1] == 10.0


def test_of_three_tiers_the_lowest_goes_on_while_the_middle_one_cannot() -> None:
    ran = slurm(OF_THREE_TIERS, suspending(*THREE_TIERS), machine_of(2)).until(15.0)
    assert (ran.nodes(1), ran.suspended) == ({"n2": 4}, [1])
    ran.until(25.0)
    assert (ran.nodes(3), ran.suspended) == ({"n1": 4}, [2])
    ran.until(55.0)
    assert ran.suspended == [1]
    assert ran.replay.run()
    assert ran.changes == [
        *((10.0, 1, 0.0), (20.0, 2, 0.0), (20.0, 1, 1.0), (50.0, 1, 0.0), (50.0, 2, 1.0), (100.0, 1, 1.0)),
    ]
    # 9 + 30 of its 100 seconds are done at 100.
    assert ran.ends == [5.0, 161.0, 100.0, 50.0]


def test_those_of_the_highest_tier_go_on_first_then_those_that_started_first() -> None:
    jobs = [
        Sbatch(0, 100, 10, tasks=1, **_LOW),
        Sbatch(1, 100, 10, tasks=1, **_LOW),
        Sbatch(2, 100, 10, tasks=2, nodes=1, queue="mid"),
        Sbatch(10, 10, 1, tasks=4),
        Sbatch(12, 30, 1, tasks=1),
    ]
    ran = slurm(jobs, suspending(*THREE_TIERS), ONE).until(15.0)
    assert ran.suspended == [0, 1, 2]
    ran.until(20.0)
    assert ran.suspended == []
    # The last one starts where the first of the lowest tier gives way again.
    ran.until(21.0)
    assert (ran.starts[4], ran.suspended) == (21.0, [0])


def test_a_job_whose_nodes_take_no_other_goes_on_when_they_are_empty() -> None:
    jobs = [
        Sbatch(0, 100, 10, queue="low", **NODE),
        Sbatch(10, 20, 1, tasks=1),
        Sbatch(12, 20, 1, tasks=1),
        # Three CPUs are idle, on a node that is another's.
        Sbatch(14, 5, 1, tasks=1, **_LOW),
    ]
    ran = slurm(jobs, suspending(), ONE)
    assert ran.replay.run()
    assert ran.changes == [(10.0, 0, 0.0), (32.0, 0, 1.0)]
    assert ran.starts == [0.0, 10.0, 12.0, 123.0]


def test_who_is_alone_on_nodes_has_all_of_the_others_suspended() -> None:
    jobs = [Sbatch(k, 100, 10, tasks=1, **_LOW) for k in range(2)] + [Sbatch(10, 20, 1, **NODE)]
    ran = slurm(jobs, suspending(), ONE).until(15.0)
    assert (ran.suspended, ran.starts[2]) == ([0, 1], 10.0)


def test_a_suspended_job_keeps_its_licences() -> None:
    settings_ = settings_of(SUSPENDING, TIERS, licenses={"a": 1})
    jobs = [
        Sbatch(0, 100, 10, tasks=4, licenses={"a": 1}, **_LOW),
        Sbatch(10, 200, 10, tasks=4, nodes=1),
        Sbatch(12, 5, 1, tasks=1, licenses={"a": 1}),
    ]
    ran = slurm(jobs, settings_, ONE).until(20.0)
    assert (ran.suspended, ran.reason(2)) == ([0], "Licenses")


def test_a_suspended_job_counts_for_limits() -> None:
    qos = (Qos("normal"), Qos("mid", 30.0, limits=Limits(max_jobs=1)))
    jobs = [
        Sbatch(0, 100, 10, tasks=4, qos="mid", **_LOW),
        Sbatch(10, 50, 10, tasks=4, nodes=1),
        Sbatch(12, 5, 1, tasks=1, qos="mid", **_LOW),
    ]
    ran = slurm(jobs, settings_of({**SUSPENDING, **LIMITS}, TIERS, qos=qos), machine_of(2)).until(20.0)
    assert ran.suspended == []
    ran = slurm(jobs, settings_of({**SUSPENDING, **LIMITS}, TIERS, qos=qos), ONE).until(20.0)
    assert (ran.suspended, ran.reason(2)) == ([0], "QOSMaxJobsPerUserLimit")


@pytest.mark.parametrize(("queue", "start"), [("low", 10.0), ("batch", inf)])
def test_by_qos_jobs_of_other_partitions_are_suspended(queue: str, start: float) -> None:
    """Those of one partition would take turns with the other job, which no job does here."""
    qos = (Qos("normal"), Qos("mid", 30.0), Qos("high", 100.0, preempt=("mid",)))
    chosen = {"preempt_type": "qos", "preempt_mode": "suspend"}
    jobs = [Sbatch(0, 100, 10, tasks=4, queue=queue, qos="mid"), Sbatch(10, 20, 1, tasks=4, qos="high")]
    ran = slurm(jobs, settings_of(chosen, (Partition("batch"), Partition("low")), qos=qos), ONE).until(60.0)
    assert ran.starts[1] == start


def test_jobs_are_suspended_and_requeued_for_one_job() -> None:
    tiers = (TIERS[0], Partition("low", preempt_mode=PreemptMode.REQUEUE), THREE_TIERS[2])
    jobs = [
        Sbatch(0, 100, 10, tasks=4, **_LOW),
        Sbatch(1, 100, 10, tasks=4, nodes=1, queue="mid"),
        Sbatch(10, 20, 1, tasks=8, nodes=2),
    ]
    ran = slurm(jobs, suspending(*tiers), machine_of(2)).until(20.0)
    # It starts when the node of the requeued job is clean; until then the other one goes on.
    assert (ran.starts[2], ran.suspended) == (11.0, [1])
    assert ran.changes == [(10.0, 0, 0.0), (11.0, 1, 0.0)]


def test_backfill_suspends_where_its_plan_leaves_room() -> None:
    """A job of the highest tier waits for all four nodes; the one behind it has ended before that."""
    jobs = [
        Sbatch(0, 1000, 20, **NODE),
        *(Sbatch(1, 1000, 20, queue="low", **NODE) for _ in range(3)),
        Sbatch(10, 20, 10, nodes=4, x=True),
        Sbatch(11, 5, 1, **NODE),
    ]
    ran = slurm(jobs, suspending()).until(22.0)
    assert (ran.starts[5], ran.nodes(5), ran.suspended) == (20.0, {"n2": 1}, [1])
    ran.until(30.0)
    assert (ran.suspended, ran.ends[5]) == ([], 25.0)


def test_suspended_time_is_not_charged() -> None:
    chosen = {**SUSPENDING, "priority_weight_fairshare": 1000.0, "priority_decay_half_life_s": 0.0}
    jobs = [
        Sbatch(0, 100, 10, tasks=4, user="man", **_LOW),
        Sbatch(10, 50, 1, tasks=4, user="lp"),
        Sbatch(400, 1, 1, tasks=1, user="root"),
    ]
    ran = slurm(jobs, settings_of(chosen, TIERS), ONE).until(401.0)
    assert ran.ends[:2] == [150.0, 60.0]
    t = ran.replay.tables
    used = {}
    first = int(parameters(t).associations)
    for at in range(first, first + int(parameters(t).association_count) * LINE, LINE):
        used[int(t.parameters[at + Line.USER])] = float(t.site.tallies[at + Count.USAGE_S])
    assert (used[USERS.index("man")], used[USERS.index("lp")]) == (400.0, 200.0)


def test_a_job_whose_node_is_lost_while_it_is_suspended_starts_again() -> None:
    jobs = [Sbatch(0, 100, 10, tasks=8, nodes=2, queue="low"), Sbatch(10, 50, 1, tasks=4, nodes=1)]
    ran = slurm(jobs, suspending(), machine_of(2), outages=[Outage(20.0, 30.0, 4, 1)]).until(25.0)
    assert (ran.starts[1], ran.suspended) == (10.0, [])
    assert ran.replay.tables.nodes.free[:, 0].tolist() == [0.0, 0.0]
    assert ran.replay.run()
    assert ran.replay.tables.nodes.free[:, 0].tolist() == [4.0, 4.0]
    # It is submitted anew, and begins 121 s later; the pass of the next minute starts it.
    assert ran.ends == [280.0, 60.0]


CASES: list[tuple[list[Sbatch], SlurmSettings, Machine]] = [
    (FIVE_NODES, suspending(), machine_of(5)),
    (TWO_IDLE, suspending(), machine_of(5, 2)),
    (OF_THREE_TIERS, suspending(*THREE_TIERS), machine_of(2)),
]


def test_compiled_the_same_comes_of_it() -> None:
    for jobs, chosen, machine in CASES:
        plain, compiled = slurm(jobs, chosen, machine), slurm(jobs, chosen, machine, compiled=True)
        assert plain.replay.run()
        assert compiled.replay.run()
        assert plain.changes == compiled.changes
        assert outcome(plain.replay.schedule()) == outcome(compiled.replay.schedule())


@st.composite
def streams(draw: st.DrawFn) -> list[Sbatch]:
    """Jobs of three tiers for two nodes, submitted within a minute."""
    jobs = []
    for _ in range(draw(st.integers(2, 14))):
        tasks = draw(st.sampled_from([1, 2, 3, 4, 6, 8]))
        jobs.append(
            Sbatch(
                float(draw(st.integers(0, 60))),
                float(draw(st.integers(1, 60))),
                2.0,
                tasks=tasks,
                nodes=draw(st.sampled_from([0, 0, 1 if tasks <= 4 else 2, 2 if tasks > 1 else 1])),
                x=draw(st.sampled_from([False, False, False, True])),
                queue=draw(st.sampled_from(["low", "low", "mid", "batch"])),
                memory_mb=draw(st.sampled_from([0.0, 5.0, 12.0])),
            )
        )
    return sorted(jobs, key=lambda job: job.at)


def assert_sound_now(ran: Ran) -> None:
    """No node has given more than it has; what those that run or are suspended have left is free."""
    t = ran.replay.tables
    cpus, memory = [0.0, 0.0], [0.0, 0.0]
    by_tier: dict[tuple[str, int], float] = {}
    for row in [*t.queue.running[: t.queue.running_count], *t.queue.suspended[: t.queue.suspended_count]]:
        job = ran.jobs[int(t.jobs.number[row]) - 1]
        entry = int(t.jobs.entries[row])
        assert entry >= 0
        while entry >= 0:
            node, tasks = int(t.entries.node[entry]), float(t.entries.tasks[entry])
            cpus[node] += tasks if t.jobs.expected_end_s[row] < inf else 0.0
            need = t.components.need[t.entries.component[entry], Resource.MEMORY_KB]
            memory[node] += tasks * float(need)
            by_tier[job.queue, node] = by_tier.get((job.queue, node), 0.0) + tasks
            entry = int(t.entries.next[entry])
    assert t.nodes.free[:, 0].tolist() == [4.0 - cpus[0], 4.0 - cpus[1]]
    assert t.nodes.free[:, int(Resource.MEMORY_KB)].tolist() == [102_400 - one for one in memory]
    assert max(cpus) <= 4.0
    assert max(memory) <= 102_400
    # Jobs of one tier never share CPUs: each goes on when higher ones are gone.
    assert max(by_tier.values(), default=0.0) <= 4.0
    if not any(job.x for job in ran.jobs):
        for number in ran.suspended:
            free = {f"n{k + 1}": 4.0 - one for k, one in enumerate(cpus)}
            assert any(free[node] < asked for node, asked in ran.nodes(number).items()), "it could go on"


def assert_sound_to_the_end(ran: Ran) -> None:
    """Second by second; then no job is left, and all CPUs are free."""
    at_s = 0.0
    while not ran.replay.run(until_s=at_s) and at_s < 5000.0:
        assert_sound_now(ran)
        at_s += 1.0
    t = ran.replay.tables
    assert (t.queue.running_count, t.queue.suspended_count, t.queue.tail - t.queue.head) == (0, 0, 0)
    assert t.nodes.free[:, 0].tolist() == [4.0, 4.0]


@given(jobs=streams(), completing_s=st.sampled_from([0.0, 1.0]))
@settings(max_examples=150, deadline=None)
def test_no_node_ever_gives_more_than_it_has(jobs: list[Sbatch], completing_s: float) -> None:
    chosen = suspending(*THREE_TIERS, completing_s=completing_s)
    ran = slurm(jobs, chosen, machine_of(2, 4, 100.0))
    assert_sound_to_the_end(ran)
    assert sorted(ran.replay.schedule().run_s.tolist()) == sorted(job.run for job in jobs)


MIXED = [
    # The lowest tier is requeued; the middle one is spared; nodes by their load; by QOS; whole cores.
    suspending(TIERS[0], Partition("low", preempt_mode=PreemptMode.REQUEUE), THREE_TIERS[2]),
    suspending(*TIERS, Partition("mid", priority_tier=5, preempt_mode=PreemptMode.OFF)),
    suspending(*THREE_TIERS, least_loaded="on", preempt_youngest_first="on"),
    settings_of(
        {"preempt_type": "qos", "preempt_mode": "suspend"},
        (Partition("batch"), Partition("low"), Partition("mid")),
        qos=(
            Qos("normal"),
            Qos("mid", 30.0, preempt=("normal",)),
            Qos("high", 100.0, preempt=("normal", "mid")),
        ),
    ),
    suspending(*THREE_TIERS, cpus_per_unit=2),
]


@pytest.mark.parametrize("which", range(len(MIXED)))
@given(jobs=streams())
@settings(max_examples=60, deadline=None)
def test_no_node_does_so_by_other_rules(jobs: list[Sbatch], which: int) -> None:
    qos = {"low": "", "mid": "mid", "batch": "high"}
    if which == 3:
        jobs = [replace(job, qos=qos[job.queue]) for job in jobs]
    ran = slurm(jobs, MIXED[which], machine_of(2, 4, 100.0))
    assert_sound_to_the_end(ran)


def test_jobs_of_several_components_stay_off_what_suspended_jobs_keep() -> None:
    """They are placed by the common placement, which knows nothing of that."""
    jobs = [
        Sbatch(0, 100, 2, tasks=4, **_LOW),
        Sbatch(10, 50, 1, tasks=2, nodes=1),
        Sbatch(20, 5, 1, tasks=1, queue="low", components=2),
        Sbatch(30, 5, 1, tasks=1, components=2),
    ]
    ran = slurm(jobs, suspending(), ONE).until(40.0)
    assert (ran.suspended, ran.starts) == ([0], [0.0, 10.0, inf, 30.0])


def test_what_is_reserved_for_others_is_not_taken_by_suspending() -> None:
    """Two of four CPUs are kept, one is in use: another job has room for two if that one stops."""
    kept = Reservation("maintenance", 2, 0.0, 1000.0, {}, Terms(hosts={"n1": 2}))
    jobs = [Sbatch(0, 100, 10, tasks=1, **_LOW), Sbatch(11, 20, 1, tasks=2), Sbatch(40, 20, 1, tasks=3)]
    ran = slurm(jobs, suspending(), ONE, reservations=[kept]).until(20.0)
    assert (ran.starts, ran.suspended) == ([0.0, 11.0, inf], [0])
    ran.until(60.0)
    assert (ran.starts[2], ran.suspended) == (inf, [])
