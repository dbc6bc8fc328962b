"""An iteration that follows another at once, with nothing between them, finds nothing more to decide."""

from dataclasses import replace
from random import Random
from typing import Any

import pytest

from molokini.cycle.cycle import begin_pass
from molokini.model.decisions import Decision
from molokini.policies.maui import begin, schedule
from molokini.policies.maui.configuration.settings import Credential, MauiSettings, Qos
from molokini.policies.maui.configuration.words import BackfillPolicy, Factor, QosFlag, ReservationPolicy
from molokini.tables.tables import Tables
from tests.kit.depth import examples
from tests.kit.maui import value
from tests.kit.maui_worlds import Crowd, draw_crowd, draw_settings

LAST_S = 45


def drawn(seed: str, unlimited: bool) -> tuple[Crowd, MauiSettings]:
    """Without what lets an iteration leave something to the next one.

    That are MAXJOBPERITERATION, preemption, limits of idle jobs, who make room as they start, priorities that
    count jobs that have started, and GREEDY, which looks for the best set of each window alone.
    """
    random = Random(seed)
    crowd, made = draw_crowd(random), draw_settings(random)
    changed: dict[str, Any] = {
        kind: {name: without(line, unlimited) for name, line in getattr(made, kind).items()}
        for kind in ("users", "groups", "accounts", "queues", "qos")
    }
    changed["factors"] = {
        factor: weight for factor, weight in made.factors.items() if factor is not Factor.USER_JOBS
    }
    made = replace(made, **changed).choosing(max_starts=0)
    if value(made, "backfill") in (BackfillPolicy.GREEDY, BackfillPolicy.PREEMPT):
        made = made.choosing(backfill=BackfillPolicy.FIRSTFIT)
    return crowd, made


def without(line: Credential, limits: bool) -> Credential:
    """Without limits of idle jobs and preemption, and without any *limits*."""
    line = replace(line, idle={})
    if limits:
        line = replace(line, active={}, pairs=())
    if isinstance(line, Qos):
        line = replace(line, flags=line.flags - {QosFlag.PREEMPTOR})
        line = replace(line, active_override={}) if limits else line
    return line


def decided(t: Tables, now: float, anew: bool) -> list[tuple[str, int, float]]:
    """What one more iteration over a copy of *t* decides, *anew* without what the last one remembers."""
    t = t.copy()
    begin_pass(t, now)
    if anew:
        begin(t, now)
    schedule(t, now)
    return [
        (Decision(kind).name, int(t.jobs.number[row]), float(value))
        for (kind, row), value in zip(
            t.cycle.decisions[: t.cycle.decided, :2].tolist(),
            t.cycle.decision_time_s[: t.cycle.decided].tolist(),
            strict=True,
        )
    ]


@pytest.mark.quick(one_in=8)
@pytest.mark.parametrize("unlimited", [False, True])
@pytest.mark.parametrize("group", range(4))
def test_nobody_starts_and_no_promise_moves(group: int, unlimited: bool) -> None:
    """Beyond limits of active jobs, which starts have reached, nobody keeps a promise: it ends then.

    Under HIGHEST a promise is looked at before others start, and may be of an earlier instant next time.
    """
    for seed in range(examples(20)):
        crowd, made = drawn(f"again-{group}-{seed}", unlimited)
        replay = crowd.replay(made)
        looked, firm = 0, unlimited and value(made, "reservation") != ReservationPolicy.HIGHEST
        for instant in range(LAST_S):
            replay.run(instant)
            t = replay.tables
            if t.cycle.room_epoch == looked:
                continue
            looked = t.cycle.room_epoch
            for anew in (False, True):
                found = decided(t, instant, anew)
                found = [one for one in found if firm or one[0] != "RESERVE"]
                assert found == [], f"{group}-{seed} at {instant}, anew: {anew}"
