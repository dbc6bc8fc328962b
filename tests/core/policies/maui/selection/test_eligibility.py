"""Which jobs may start in an iteration at all, and why others may not: the first rule that says no counts."""

from typing import Any

import pytest

from molokini.model.decisions import Rule
from molokini.policies.maui.configuration.settings import Credential, Limit, MauiSettings, Target, Weight
from molokini.policies.maui.configuration.words import Charge, Factor, LimitKind, TargetKind
from molokini.policies.maui.knowledge.memory import HARD, INELIGIBLE, SOFT, mine
from molokini.policies.maui.selection.accrual import BY_LIMIT, BY_PRIORITY
from tests.kit.maui import Whose, at, finished, maui
from tests.kit.workloads import Job

JOBS = [Job(0, 100, 2), Job(1, 10, 8)]
"""Ann has a job of two processors, and another that is as wide as the machine waits."""
UNWANTED = Credential(priority=-1000)
DISLIKED: dict[str, Any] = {"users": {"ann": UNWANTED}, "factors": {Factor.USER: Weight(1)}}
REJECTING = {"reject_negative": 1.0, "negative_priority": 1.0}
CHARGED = {"fairshare": float(Charge.DEDICATED_PROCESSOR_SECONDS)}


def ann(**line: Any) -> MauiSettings:
    return MauiSettings(users={"ann": Credential(**line)})


@pytest.mark.parametrize(
    ("settings", "level", "blocked", "rule"),
    [
        (MauiSettings(), SOFT, 0, None),
        (ann(active={LimitKind.JOBS: Limit(1, 2)}), HARD, 0, None),
        (ann(active={LimitKind.JOBS: Limit(1, 1)}), INELIGIBLE, BY_LIMIT, Rule.OVER_HARD_LIMIT),
        (ann(idle={LimitKind.PROCESSORS: 7.0}), INELIGIBLE, BY_LIMIT, Rule.OVER_IDLE_LIMIT),
        (MauiSettings(**DISLIKED, chosen={"negative_priority": 1.0}), SOFT, 0, None),
        (MauiSettings(**DISLIKED, chosen=REJECTING), INELIGIBLE, BY_PRIORITY, Rule.NEGATIVE_PRIORITY),
        (
            ann(target=Target(1.0, TargetKind.CAP)).choosing(**CHARGED),
            INELIGIBLE,
            BY_LIMIT,
            Rule.OVER_FAIRSHARE_CAP,
        ),
    ],
)
def test_the_level_of_a_job_is_what_the_rules_leave_it(
    settings: MauiSettings, level: int, blocked: int, rule: Rule | None
) -> None:
    replay = maui(JOBS, settings)
    replay.tables.cycle.explain = 1
    t = at(replay, 1)
    row = int(t.queue.waiting[t.queue.head])
    assert (mine(t).level[row], mine(t).blocked[row]) == (level, blocked)
    if rule is not None:
        assert t.reasons.rule[row] == rule


@pytest.mark.parametrize(
    ("line", "refused"),
    [
        (Credential(max_processors_per_job=7), "over_ceiling"),
        (Credential(max_wall_time_s=9), "over_ceiling"),
        (Credential(min_processors_per_job=9), "too_narrow"),
    ],
)
def test_who_may_never_run_is_refused_when_first_seen(line: Credential, refused: str) -> None:
    """Bob has no line, and none of his jobs is refused."""
    made = MauiSettings(users={"ann": line})
    schedule = finished([JOBS[1], JOBS[1]], made, [Whose("ann"), Whose("bob")]).schedule()
    assert schedule.refused == {refused: 1}
    assert schedule.refused_rows.tolist() == [True, False]
