"""What a running policy that chooses among others has chosen last."""

import json
from math import isfinite

from molokini.model.choices import ChoiceMade
from molokini.server.server import Server

NAME = "choices"
"""Under this name ``GetReport`` answers."""
SCHEMA = "molokini.choices/1"


def choices_now(server: Server) -> str:
    """The answer: the last looks ahead, in order of time, since the policy was set or the server started."""
    running = server.reactor.running_policy
    found = {
        "schema": SCHEMA,
        "now_s": max(server.clock.now(), server.state.now),
        "policy": running.policy.name,
        "choices": [_part(one) for one in running.choices],
    }
    return json.dumps(found, allow_nan=False)


def _part(one: ChoiceMade) -> dict[str, object]:
    return {
        "at_s": one.at_s,
        "chosen": one.chosen,
        "before": one.before or None,
        "jobs": one.jobs,
        "expected": {name: cost if isfinite(cost) else None for name, cost in one.costs},
        "reason": one.reason,
    }
