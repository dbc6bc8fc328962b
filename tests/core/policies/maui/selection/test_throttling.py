"""Limits: each kind, for each kind of credential, in scenarios that fail when a limit is off by one."""

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from molokini.model.credentials import CredentialType
from molokini.model.decisions import Rule
from molokini.policies.maui.configuration.settings import Credential, Limit, MauiSettings, PairLimit, Qos
from molokini.policies.maui.configuration.words import BackfillPolicy, LimitKind, QosFlag
from molokini.policies.maui.introspection.labels import limit_label
from molokini.policies.maui.knowledge.trace import steps_of
from molokini.tables.tables import Tables
from tests.kit.invariants import assert_sound
from tests.kit.maui import Whose, at, finished, maui, nodes, request
from tests.kit.replays import starts
from tests.kit.workloads import Job

FIELDS = ("users", "groups", "accounts", "queues", "qos")
MINE = Whose("ann", "staff", "long", "p1", "high")
THEIRS = Whose("bob", "guests", "short", "p2", "low")
OPEN = Credential(qos_list=("high", "low", "free"))
QOSES = {"high": Qos(), "low": Qos(), "free": Qos(), "DEFAULT": Qos()}


def limited(type_: str, line: Credential | Qos, default: bool = False, **more: Any) -> MauiSettings:
    """Settings in which *line* is that of MINE's credential of this type, or of DEFAULT."""
    name = "DEFAULT" if default else getattr(MINE, {"qos": "qos"}.get(type_, type_[:-1]))
    lines: dict[str, Any] = {"qos": QOSES, **more}
    lines[type_] = {**lines.get(type_, {}), name: line}
    return MauiSettings(system=OPEN, **lines)


def line_of(type_: str, **fields: Any) -> Credential:
    return Qos(**fields) if type_ == "qos" else Credential(**fields)


def running(t: Tables) -> list[int]:
    return sorted(t.jobs.number[t.queue.running[: t.queue.running_count]].tolist())


# What four equal jobs of 2 processors, 100 s and 600 MB each take of each kind: two fit at the limit.
EACH = {
    LimitKind.JOBS: 1,
    LimitKind.PROCESSORS: 2,
    LimitKind.NODES: 1,
    LimitKind.PROCESSOR_EQUIVALENTS: 2,
    LimitKind.PROCESSOR_SECONDS: 200,
    LimitKind.WALL_TIME: 100,
    LimitKind.MEMORY: 600,
}


@pytest.mark.quick(one_in=11)
@pytest.mark.parametrize("type_", FIELDS)
@pytest.mark.parametrize("kind", list(LimitKind))
@pytest.mark.parametrize("default", [False, True])
def test_two_fit_at_the_limit_and_one_just_below(type_: str, kind: LimitKind, default: bool) -> None:
    jobs = [Job(0, 100, 2) for _ in range(4)]
    asked = {k: request(2, 600, nodes=1) for k in range(4)}
    for limit, wanted in ((2 * EACH[kind], 2), (2 * EACH[kind] - 1, 1), (3 * EACH[kind] - 1, 2)):
        line = line_of(type_, active={kind: Limit(limit, limit)})
        replay = maui(jobs, limited(type_, line, default), [MINE] * 4, nodes(4, 8, 4096), requests=asked)
        assert len(running(at(replay, 0))) == wanted, f"limit {limit}"


@pytest.mark.parametrize("type_", FIELDS)
def test_others_are_not_limited(type_: str) -> None:
    line = line_of(type_, active={LimitKind.JOBS: Limit(1, 1)})
    jobs = [Job(0, 100, 1) for _ in range(6)]
    t = at(maui(jobs, limited(type_, line), [MINE, THEIRS] * 3), 0)
    assert running(t) == [1, 2, 4, 6]


def test_soft_limits_hold_until_nobody_else_wants_the_rest() -> None:
    """Ann is over her soft limit: bob's later job goes first; hers fills the rest, up to the hard one."""
    line = Credential(active={LimitKind.PROCESSORS: Limit(2, 5)})
    settings_ = limited("users", line)
    jobs = [Job(0, 100, 2), Job(0, 100, 2), Job(0, 100, 2), Job(0, 100, 3)]
    t = at(maui(jobs, settings_, [MINE, MINE, MINE, THEIRS]), 0)
    assert running(t) == [1, 2, 4], "4 in the priority phase, 2 in the hard pass, 3 over the hard limit"
    t = at(maui(jobs, settings_, [MINE, MINE, MINE, THEIRS], machine=6), 0)
    assert running(t) == [1, 4], "5 of 6 are taken by those within soft limits"


def test_who_is_over_a_soft_limit_is_no_candidate_within_soft_limits() -> None:
    """One candidate a window is looked at: ann's jobs stand before bob's, and only in the hard pass."""
    lines = limited("users", Credential(active={LimitKind.PROCESSORS: Limit(2, 5)}))
    settings_ = replace(lines, chosen={"backfill": BackfillPolicy.FIRSTFIT, "backfill_depth": 1})
    jobs = [Job(0, 100, 2), Job(1, 100, 8), *[Job(1, 50, 1)] * 3]
    t = at(maui(jobs, settings_, [MINE, THEIRS, MINE, MINE, THEIRS]), 1)
    assert running(t) == [1, 3, 5]
    steps = steps_of(t)
    assert (steps["eligible_soft"], steps["eligible_hard"]) == (2, 2)
    assert (steps["soft_backfilled"], steps["hard_backfilled"]) == (1, 1)


def test_a_soft_limit_of_one_holds_without_a_hard_one() -> None:
    settings_ = limited("users", Credential(active={LimitKind.JOBS: Limit(1, 0)}))
    jobs, whose = [Job(0, 100, 2), Job(0, 100, 2), Job(0, 100, 2), Job(0, 100, 3)], [MINE, MINE, MINE, THEIRS]
    assert running(at(maui(jobs, settings_, whose), 0)) == [1, 2, 4]
    assert running(at(maui(jobs, settings_, whose, machine=6), 0)) == [1, 4]


def test_what_shrinks_as_jobs_run() -> None:
    """MAXPS: what a running job has left counts, not what it was."""
    line = Credential(active={LimitKind.PROCESSOR_SECONDS: Limit(250, 250)})
    jobs = [Job(0, 100, 2), Job(0, 50, 2), Job(60, 1, 1), Job(75, 1, 1)]
    replay = finished(jobs, limited("users", line), [MINE, MINE, THEIRS, THEIRS])
    # 200 + 100 > 250 at 0; at 25, when nothing happens: 150 + 100 <= 250.
    assert starts(replay)[:2] == [0.0, 25.0]


@pytest.mark.parametrize(
    ("limit", "wanted"), [(3, [1, 2, 4]), (4, [1, 2, 4]), (2, [1, 4]), (5, [1, 2, 4]), (6, [1, 2, 3, 4])]
)
def test_pairs_of_a_queue_and_each_user(limit: int, wanted: list[int]) -> None:
    pair = PairLimit(LimitKind.PROCESSORS, CredentialType.USER, Limit(limit, limit))
    line = Credential(pairs=(pair,))
    other = Whose("bob", "staff", "long")
    jobs = [Job(0, 100, 2), Job(0, 100, 1 if limit == 3 else 2), Job(0, 100, 2), Job(0, 100, 2)]
    t = at(maui(jobs, limited("queues", line), [MINE, MINE, MINE, other], machine=16), 0)
    assert running(t) == wanted


def test_a_named_pair_goes_before_each() -> None:
    pairs = (
        PairLimit(LimitKind.JOBS, CredentialType.USER, Limit(1, 1)),
        PairLimit(LimitKind.JOBS, CredentialType.USER, Limit(2, 2), "ann"),
    )
    jobs = [Job(0, 100, 1) for _ in range(6)]
    whose = [Whose("ann")] * 3 + [Whose("bob")] * 3
    t = at(maui(jobs, limited("queues", Credential(pairs=pairs)), whose), 0)
    assert running(t) == [1, 2, 4]
    short = [Whose("ann", queue="short")] * 3 + [Whose("bob", queue="short")] * 3
    t = at(maui(jobs, limited("queues", Credential(pairs=pairs)), short), 0)
    assert running(t) == [1, 2, 3, 4, 5, 6]
    t = at(maui(jobs, limited("queues", Credential(pairs=pairs), default=True), short), 0)
    assert running(t) == [1, 2, 4]


@pytest.mark.quick(one_in=3)
@pytest.mark.parametrize("type_", FIELDS)
@pytest.mark.parametrize("kind", list(LimitKind))
def test_idle_limits_block_those_of_lower_priority(type_: str, kind: LimitKind) -> None:
    """Two of four waiting jobs are eligible: of the others none starts although there is room."""
    jobs = [Job(0, 50, 8, number=1)] + [Job(1, 100, 2) for _ in range(4)]
    asked = {k: request(2, 600, nodes=1) for k in range(1, 5)}
    for limit, wanted in ((2 * EACH[kind], 2), (2 * EACH[kind] - 1, 1)):
        line = line_of(type_, idle={kind: float(limit)})
        settings_ = limited(type_, line)
        replay = maui(jobs, settings_, [THEIRS] + [MINE] * 4, nodes(1, 8, 4096), requests=asked)
        t = at(replay, 50)
        assert len(running(t)) == wanted


@pytest.mark.parametrize("type_", FIELDS)
@pytest.mark.parametrize("default", [False, True])
def test_who_would_leave_fewer_processors_than_the_least_waits(type_: str, default: bool) -> None:
    """MINPROC is 4: 3 alone do not start, 4 do, and beside these the 3 and one more."""
    jobs = [Job(0, 100, 3), Job(0, 100, 1), Job(1, 100, 4), Job(2, 100, 1)]
    owners = [MINE, MINE if default else THEIRS, MINE, MINE]
    replay = maui(jobs, limited(type_, line_of(type_, min_processors=4.0), default), owners, 16)
    assert running(at(replay, 0)) == ([] if default else [2])
    assert running(at(replay, 1)) == ([3] if default else [2, 3])
    assert running(at(replay, 2)) == [1, 2, 3, 4]


@pytest.mark.parametrize(("poll_s", "at_s"), [(0.0, 1.0), (30.0, 30.0)])
def test_a_start_that_lifts_the_least_lets_others_in_at_the_next(poll_s: float, at_s: float) -> None:
    """MINPROC is 4: 3 and 1, which are looked at before the 4 that start, need not wait for these to end."""
    jobs = [Job(0, 500, 3), Job(0, 500, 1), Job(0, 500, 4)]
    how = limited("users", line_of("users", min_processors=4.0)).choosing(poll_s=poll_s)
    replay = maui(jobs, how, [MINE] * 3, 16)
    assert running(at(replay, 0)) == [3]
    assert running(at(replay, at_s)) == [1, 2, 3]


def test_overrides_of_a_qos_stand_in_place_of_the_others_limits() -> None:
    qos = {**QOSES, "high": Qos(active_override={LimitKind.JOBS: Limit(3, 3)})}
    line = Credential(active={LimitKind.JOBS: Limit(1, 1)})
    jobs = [Job(0, 100, 1) for _ in range(5)]
    t = at(maui(jobs, limited("users", line, qos=qos), [MINE] * 5), 0)
    assert running(t) == [1, 2, 3]
    no_qos = Whose("ann", "staff", "long", "p1")
    t = at(maui(jobs, limited("users", line, qos=qos), [no_qos] * 5), 0)
    assert running(t) == [1]


def test_overrides_of_a_qos_bound_each_of_its_members_and_not_the_qos() -> None:
    qos = {**QOSES, "high": Qos(active_override={LimitKind.JOBS: Limit(2, 2)})}
    others = Whose("bob", "guests", "short", "p2", "high")
    jobs = [Job(0, 100, 1) for _ in range(6)]
    t = at(maui(jobs, MauiSettings(system=OPEN, qos=qos), [MINE] * 3 + [others] * 3), 0)
    assert running(t) == [1, 2, 4, 5]


@pytest.mark.parametrize("kind", [LimitKind.PROCESSORS, LimitKind.WALL_TIME, LimitKind.NODES])
def test_an_override_of_one_kind_leaves_a_members_limits_of_the_others(kind: LimitKind) -> None:
    """By the override four jobs of 2 may run; by what the user may have of another kind two."""
    qos = {**QOSES, "high": Qos(active_override={LimitKind.JOBS: Limit(4, 4)})}
    line = Credential(active={LimitKind.JOBS: Limit(1, 1), kind: Limit(2 * EACH[kind], 2 * EACH[kind])})
    asked = {k: request(2, 600, nodes=1) for k in range(4)}
    replay = maui(
        [Job(0, 100, 2)] * 4, limited("users", line, qos=qos), [MINE] * 4, nodes(4, 8, 4096), requests=asked
    )
    assert running(at(replay, 0)) == [1, 2]


def test_an_override_leaves_the_limit_of_its_own_qos() -> None:
    one = Limit(1, 1)
    qos = {**QOSES, "high": Qos(active={LimitKind.JOBS: one}, active_override={LimitKind.JOBS: Limit(3, 3)})}
    t = at(maui([Job(0, 100, 1)] * 3, MauiSettings(system=OPEN, qos=qos), [MINE] * 3), 0)
    assert running(t) == [1]


def test_overrides_alone_are_counted_anew_at_each_iteration() -> None:
    """No line has a limit of its own: one job of each user at a time, whenever the next comes."""
    qos = {**QOSES, "high": Qos(active_override={LimitKind.JOBS: Limit(1, 1)})}
    jobs = [Job(0, 10, 1), Job(5, 10, 1), Job(12, 10, 1)]
    replay = maui(jobs, MauiSettings(system=OPEN, qos=qos), [MINE] * 3)
    replay.run()
    assert replay.schedule().start_s.tolist() == [0, 10, 20]


@pytest.mark.parametrize(
    ("flag", "type_", "kind", "free"),
    [
        (QosFlag.IGNORE_JOBS_PER_USER, "users", LimitKind.JOBS, True),
        (QosFlag.IGNORE_JOBS_PER_USER, "users", LimitKind.PROCESSORS, False),
        (QosFlag.IGNORE_JOBS_PER_USER, "groups", LimitKind.JOBS, False),
        (QosFlag.IGNORE_PROCESSORS_PER_GROUP, "groups", LimitKind.PROCESSORS, True),
        (QosFlag.IGNORE_PROCESSOR_SECONDS_PER_ACCOUNT, "accounts", LimitKind.PROCESSOR_SECONDS, True),
        (QosFlag.IGNORE_NODES_PER_USER, "users", LimitKind.NODES, True),
        (QosFlag.IGNORE_USER, "users", LimitKind.WALL_TIME, True),
        (QosFlag.IGNORE_GROUP, "users", LimitKind.WALL_TIME, False),
        (QosFlag.IGNORE_ACCOUNT, "accounts", LimitKind.MEMORY, True),
        (QosFlag.IGNORE_ALL, "queues", LimitKind.JOBS, True),
    ],
)
def test_flags_that_skip_limits(flag: QosFlag, type_: str, kind: LimitKind, free: bool) -> None:
    qos = {**QOSES, "high": Qos(flags=frozenset({flag}))}
    line = Credential(active={kind: Limit(EACH[kind], EACH[kind])})
    jobs = [Job(0, 100, 2) for _ in range(3)]
    asked = {k: request(2, 600, nodes=1) for k in range(3)}
    replay = maui(jobs, limited(type_, line, qos=qos), [MINE] * 3, nodes(4, 8, 4096), requests=asked)
    assert len(running(at(replay, 0))) == (3 if free else 1)


@pytest.mark.parametrize(
    ("ceilings", "job", "refused"),
    [
        ({"max_processors": 4}, Job(0, 10, 4), False),
        ({"max_processors": 4}, Job(0, 10, 5), True),
        ({"max_processor_seconds": 40}, Job(0, 10, 4), False),
        ({"max_processor_seconds": 39}, Job(0, 10, 4), True),
        ({"max_wall_time_s": 10}, Job(0, 10, 4), False),
        ({"max_wall_time_s": 9}, Job(0, 10, 4), True),
    ],
)
def test_ceilings_of_the_system(ceilings: dict[str, float], job: Job, refused: bool) -> None:
    replay = finished([job, Job(1, 1, 1)], MauiSettings(chosen=ceilings))
    assert replay.schedule().refused == ({"over_ceiling": 1} if refused else {})
    qos = {**QOSES, "high": Qos(flags=frozenset({QosFlag.IGNORE_SYSTEM}))}
    free = MauiSettings(chosen=ceilings, qos=qos, system=OPEN)
    assert finished([job], free, [MINE]).schedule().refused == {}


@pytest.mark.parametrize("type_", FIELDS)
def test_ceilings_of_each_job(type_: str) -> None:
    jobs = [Job(0, 10, 3), Job(0, 10, 4), Job(0, 11, 3)]
    fields = {"max_processors_per_job": 3, "max_wall_time_s": 10.0}
    schedule = finished(jobs, limited(type_, line_of(type_, **fields)), [MINE] * 3).schedule()
    assert schedule.refused_rows.tolist() == [False, True, True]
    schedule = finished(jobs, limited(type_, line_of(type_, **fields)), [THEIRS] * 3).schedule()
    assert schedule.refused == {}


def test_jobs_of_a_queue_that_are_too_narrow_are_refused() -> None:
    jobs = [Job(0, 10, 3), Job(0, 10, 4), Job(0, 10, 1)]
    how = limited("queues", Credential(min_processors_per_job=4))
    schedule = finished(jobs, how, [MINE, MINE, THEIRS]).schedule()
    assert schedule.refused == {"too_narrow": 1}
    assert schedule.refused_rows.tolist() == [True, False, False]


def test_the_reason_names_the_limit() -> None:
    line = Credential(active={LimitKind.PROCESSORS: Limit(2, 2)})
    replay = maui([Job(0, 100, 2), Job(1, 100, 2)], limited("groups", line), [MINE] * 2)
    replay.tables.cycle.explain = 1
    t = at(replay, 1)
    row = int(t.queue.waiting[t.queue.head])
    assert t.reasons.rule[row] == Rule.OVER_HARD_LIMIT
    assert limit_label(int(t.reasons.limit[row])) == "MaxProcPerGroup"


LIMITS = [("users", "ann", 0), ("users", "bob", 0), ("groups", "staff", 1), ("queues", "long", 2)]


@given(
    jobs=st.lists(
        st.tuples(
            st.integers(0, 6),
            st.integers(1, 9),
            st.integers(1, 4),
            st.sampled_from(["ann", "bob", "cy"]),
            st.sampled_from(["staff", "guests"]),
            st.sampled_from(["long", "short"]),
        ),
        max_size=25,
    ),
    limits=st.lists(st.tuples(st.integers(1, 6), st.integers(0, 3)), min_size=4, max_size=4),
    count=st.lists(st.integers(1, 3), min_size=4, max_size=4),
)
@settings(max_examples=60, deadline=None)
def test_no_limit_is_ever_exceeded(
    jobs: list[tuple[int, int, int, str, str, str]], limits: list[tuple[int, int]], count: list[int]
) -> None:
    lines: dict[str, dict[str, Credential]] = {"users": {}, "groups": {}, "queues": {}}
    hard: dict[tuple[int, str], tuple[int, int]] = {}
    for (type_, name, place), (soft, more), most in zip(LIMITS, limits, count, strict=True):
        active = {LimitKind.PROCESSORS: Limit(soft, soft + more), LimitKind.JOBS: Limit(most, most)}
        lines[type_][name] = Credential(active=active)
        hard[place, name] = (soft + more, most)
    rows = sorted(jobs)
    made = [Job(at_s, run, width) for at_s, run, width, *_ in rows]
    whose = [Whose(user, group, queue) for *_, user, group, queue in rows]
    replay = maui(
        made,
        MauiSettings(users=lines["users"], groups=lines["groups"], queues=lines["queues"]),
        whose,
        compiled=True,
    )
    replay.run()
    schedule = replay.schedule()
    assert_sound_unless_blocked(replay, made)
    for instant in sorted({float(s) for s in schedule.start_s if s == s}):
        present = [
            k for k in range(len(made)) if schedule.start_s[k] <= instant and not schedule.end_s[k] <= instant
        ]
        for (place, name), (processors, most) in hard.items():
            mine = [k for k in present if rows[k][3 + place] == name]
            assert sum(made[k].width for k in mine) <= processors
            assert len(mine) <= most


def assert_sound_unless_blocked(replay: Any, jobs: list[Job]) -> None:
    """Jobs wider than a limit wait for ever; all others have run."""
    if replay.tables.queue.head == replay.tables.queue.tail:
        assert_sound(replay, jobs)


def test_who_is_below_a_ceiling_may_wait_through_many_passes() -> None:
    jobs = [Job(0, 100, 8), Job(1, 10, 8), Job(2, 10, 8), Job(3, 10, 9)]
    replay = finished(jobs, MauiSettings(chosen={"max_processors": 8}), machine=9)
    assert starts(replay) == [0.0, 100.0, 110.0, None]


JOBS = [Job(0, 10, 1), Job(0, 10, 2), Job(0, 10, 3)]
ON_NODES = {k: request(k + 1, nodes=k + 1) for k in range(3)}
"""Jobs of one node, two and three."""


@pytest.mark.parametrize("type_", FIELDS)
def test_who_asks_for_more_nodes_than_each_job_may_have_is_refused(type_: str) -> None:
    how = limited(type_, line_of(type_, max_nodes_per_job=2))
    for whose, refused in ((MINE, [False, False, True]), (THEIRS, [False] * 3)):
        schedule = finished(JOBS, how, [whose] * 3, machine=nodes(3, 4), requests=ON_NODES).schedule()
        assert schedule.refused_rows.tolist() == refused


def test_that_of_a_qos_stands_in_place_of_the_others() -> None:
    for most, refused in ((1, [False, True, True]), (2, [False, False, True]), (3, [False] * 3)):
        qos = {**QOSES, "high": Qos(max_nodes_per_job_override=most)}
        how = limited("users", line_of("users", max_nodes_per_job=2), qos=qos)
        schedule = finished(JOBS, how, [MINE] * 3, machine=nodes(3, 4), requests=ON_NODES).schedule()
        assert schedule.refused_rows.tolist() == refused


LINES = ("users", "groups", "accounts", "queues", "qos")
LIFTS: dict[QosFlag, tuple[str, ...]] = {
    QosFlag.IGNORE_QUEUED_PER_USER: ("users",),
    QosFlag.IGNORE_QUEUED_PER_GROUP: ("groups",),
    QosFlag.IGNORE_QUEUED_PER_ACCOUNT: ("accounts",),
    QosFlag.IGNORE_USER: ("users",),
    QosFlag.IGNORE_GROUP: ("groups",),
    QosFlag.IGNORE_ACCOUNT: ("accounts",),
    QosFlag.IGNORE_ALL: LINES,
}
"""Whose limits of eligible jobs a flag lifts; every other flag lifts none."""
IGNORING = [flag for flag in QosFlag if flag.name.startswith("IGNORE")]


def with_flag(flag: QosFlag, type_: str) -> MauiSettings:
    """One job of MINE's credential of this type is eligible at a time; MINE's QoS has *flag*."""
    flags = frozenset({flag})
    if type_ == "qos":
        return limited(type_, Qos(flags=flags, idle={LimitKind.JOBS: 1.0}))
    line = line_of(type_, idle={LimitKind.JOBS: 1.0})
    return limited(type_, line, qos={**QOSES, "high": Qos(flags=flags)})


@pytest.mark.parametrize("type_", LINES)
@pytest.mark.parametrize("flag", IGNORING)
def test_flags_that_lift_limits_of_eligible_jobs(flag: QosFlag, type_: str) -> None:
    """Two jobs fit at once; with the limit the second waits for the next iteration."""
    t = at(maui([Job(0, 10, 1), Job(0, 10, 1)], with_flag(flag, type_), [MINE] * 2), 0)
    assert running(t) == ([1, 2] if type_ in LIFTS.get(flag, ()) else [1])


@pytest.mark.parametrize("flag", [flag for flag, lines in LIFTS.items() if lines == ("users",)])
def test_flags_for_queued_jobs_lift_no_limit_of_what_they_take(flag: QosFlag) -> None:
    """IGNMAXJOBQUEUEDPERUSER is of their number alone; IGNUSER leaves what they take, too."""
    line = line_of("users", idle={LimitKind.PROCESSORS: 1.0})
    how = limited("users", line, qos={**QOSES, "high": Qos(flags=frozenset({flag}))})
    assert running(at(maui([Job(0, 10, 1), Job(0, 10, 1)], how, [MINE] * 2), 0)) == [1]


def test_an_override_alone_bounds_each_member_anew_at_each_iteration() -> None:
    """No line has a limit of its own: the second is eligible an iteration later, each time."""
    qos = {**QOSES, "high": Qos(idle_override={LimitKind.JOBS: 1.0})}
    jobs = [Job(at_s, 10, 1) for at_s in (0, 0, 100, 100)]
    replay = maui(jobs, MauiSettings(system=OPEN, qos=qos), [MINE] * 4)
    replay.run()
    assert replay.schedule().start_s.tolist() == [0, 1, 100, 101]


def test_an_override_leaves_the_limit_of_its_own_qos_and_those_of_other_kinds() -> None:
    more = {LimitKind.JOBS: 3.0}
    for type_, idle in (("qos", {LimitKind.JOBS: 1.0}), ("users", {LimitKind.PROCESSORS: 1.0})):
        high = Qos(idle_override=more, idle=idle) if type_ == "qos" else Qos(idle_override=more)
        line = high if type_ == "qos" else line_of(type_, idle=idle)
        how = limited(type_, line, qos={**QOSES, "high": high})
        assert running(at(maui([Job(0, 10, 1), Job(0, 10, 1)], how, [MINE] * 2), 0)) == [1]
