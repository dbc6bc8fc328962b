"""Settings that are changed while jobs run and wait: what is decided then follows the new ones alone."""

import math
from random import Random

import numpy as np
import pytest

from molokini.policies.maui.configuration.settings import Bucket, MauiSettings
from molokini.policies.maui.configuration.vector import vector_of
from molokini.policies.maui.configuration.words import BackfillPolicy, ReservationPolicy
from molokini.sim.replay import Replay
from molokini.tables.declared import Nature
from tests.kit.depth import examples
from tests.kit.invariants import assert_no_overuse
from tests.kit.maui import maui, node_of, number_of, value
from tests.kit.maui_worlds import Crowd, draw_crowd, draw_settings, picture_of
from tests.kit.workloads import Job

SHOWN = "cycle.rank_key"
"""What is shown of the last pass until the next one."""
LAST_S = 60


def change(replay: Replay, settings: MauiSettings) -> None:
    t = replay.tables
    t.bind("parameters", np.array(vector_of(settings, number_of, node_of)))
    t.cycle.replan = 1


def forget(replay: Replay) -> None:
    """All that a policy may have written down for itself is gone, as after a recovery."""
    t = replay.tables
    for leaf in t.leaves():
        if leaf.column.nature in (Nature.WORK, Nature.PASS) and leaf.path != SHOWN:
            leaf.of(t)[...] = 0
    t.classes.room_epoch = t.classes.start_epoch = t.classes.scans = t.classes.count = 0
    t.shapes.spoil_head = t.partitions.counted = t.partitions.count = 0


def drawn(seed: str) -> tuple[Crowd, MauiSettings, MauiSettings, int]:
    random = Random(seed)
    crowd, before, after = draw_crowd(random), draw_settings(random), draw_settings(random)
    if value(after, "backfill") == BackfillPolicy.PREEMPT or crowd.on_nodes:
        # Who was backfilled, and on which nodes a kept promise is, is remembered over a change.
        after = after.choosing(
            backfill=BackfillPolicy.FIRSTFIT, reservation=ReservationPolicy.CURRENT_HIGHEST
        )
    return crowd, before, after, random.randint(0, 25)


@pytest.mark.quick(one_in=6)
@pytest.mark.parametrize("group", range(6))
def test_what_is_decided_is_as_if_the_former_settings_had_never_been_looked_at(group: int) -> None:
    for seed in range(examples(20)):
        crowd, before, after, at_s = drawn(f"changed-{group}-{seed}")
        changed, anew = crowd.replay(before), crowd.replay(before)
        for replay in (changed, anew):
            replay.run(at_s)
        forget(anew)
        for replay in (changed, anew):
            change(replay, after)
        for instant in range(at_s, LAST_S):
            for replay in (changed, anew):
                replay.run(instant)
            assert picture_of(changed.tables) == picture_of(anew.tables), f"{group}-{seed} at {instant}"
        assert_no_overuse(changed)


NONE, FIRSTFIT, PREEMPT = BackfillPolicy.NONE, BackfillPolicy.FIRSTFIT, BackfillPolicy.PREEMPT
CURRENT_HIGHEST, HIGHEST, NEVER = (
    ReservationPolicy.CURRENT_HIGHEST,
    ReservationPolicy.HIGHEST,
    ReservationPolicy.NEVER,
)


@pytest.mark.parametrize("former", [CURRENT_HIGHEST, HIGHEST])
@pytest.mark.parametrize("policy", [CURRENT_HIGHEST, HIGHEST, NEVER])
@pytest.mark.parametrize("backfill", [FIRSTFIT, NONE, PREEMPT])
def test_promises_end_where_the_new_settings_make_none(
    former: ReservationPolicy, policy: ReservationPolicy, backfill: BackfillPolicy
) -> None:
    """Two are promised 100 and 110; then NEVER, or a backfill beside which nothing is reserved, is set."""
    depth = (Bucket(2),)
    jobs = [Job(0, 100, 6), Job(1, 10, 8), Job(1, 10, 8), Job(20, 1000, 2)]
    replay = maui(jobs, MauiSettings(buckets=depth, chosen={"reservation": former}))
    replay.run(1)
    assert sorted(at_s for _, at_s in picture_of(replay.tables).waiting.values()) == [100, 110]
    change(replay, MauiSettings(buckets=depth, chosen={"backfill": backfill, "reservation": policy}))
    replay.run(20)
    reserves = policy is not NEVER and backfill is FIRSTFIT
    promised = {number: at_s for number, (_, at_s) in picture_of(replay.tables).waiting.items()}
    wanted = {2: 100.0, 3: 110.0} if reserves else {2: math.inf, 3: math.inf}
    assert {number: promised[number] for number in wanted} == wanted
    # Nobody is kept out by a promise that has ended; without backfill those behind the first wait.
    assert (4 in picture_of(replay.tables).running) == (not reserves and backfill is not NONE)
