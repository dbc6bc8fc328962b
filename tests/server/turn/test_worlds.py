"""Random stories of a live cluster, in which many features meet, beside the plain world.

What the simulator has no facts for is here: alterations, and suspending, resuming, requeueing by command.
"""

from collections import Counter
from typing import Any

import pytest

from tests.kit.live_worlds import assert_live_as_plain
from tests.kit.plain_policies import PLAIN
from tests.kit.plain_world import PlainWorld

STORIES = 20
"""For each policy."""
IDS = ["-".join([policy, *map(str, values.values())]) for policy, values, _ in PLAIN]


@pytest.mark.parametrize(("policy", "values", "simulator"), PLAIN, ids=IDS)
async def test_every_job_is_where_the_plain_world_has_it_whatever_is_done(
    policy: str, values: dict[str, Any], simulator: type[PlainWorld]
) -> None:
    seen: Counter[str] = Counter()
    for seed in range(STORIES):
        told = await assert_live_as_plain(f"{policy}-{values}-{seed}", policy, dict(values), simulator)
        seen += told.features
    for wanted in ("hold", "release", "cancel", "alter", "widen", "put off", "requeue", "lose", "return"):
        assert seen[wanted] >= 2, f"{wanted}: {seen}"
    for wanted in ("array", "begin time", "hold all", "cancel all"):
        assert seen[wanted] >= 1, f"{wanted}: {seen}"
    assert seen["reserved on nodes"] + seen["reserved on a number"] >= STORIES // 2
    if policy != "srpt":
        assert seen["suspend"] >= 2
        assert seen["resume"] >= 1
