"""Why jobs did not finish, counted by rule."""

from collections import Counter

import numpy as np

from molokini.cycle.dry_run import think_aloud
from molokini.model.decisions import Rule
from molokini.model.states import JobState
from molokini.sim.replay import Replay
from molokini.tables.tables import Tables

NO_REASON = "no_reason_given"
"""The policy has let it wait and noted no rule."""


def unfinished_by_rule(replay: Replay) -> dict[str, int]:
    """Jobs of *replay*, which is at its end, that neither ended nor were refused, by why they do not run.

    The policy is asked once more, in plain Python, about the tables as they are; nothing in them changes.
    """
    agenda, tables = replay.agenda, replay.tables
    found: Counter[str] = Counter()
    found["not_submitted"] = agenda.arrivals - agenda.next_arrival
    found["running"] = tables.running_count
    found["suspended"] = tables.suspended_count
    found["held"] = int(np.count_nonzero(tables.job_state == JobState.HELD))
    if tables.waiting_tail > tables.waiting_head:
        found.update(_waiting(replay))
    return {rule: count for rule, count in sorted(found.items()) if count}


def _waiting(replay: Replay) -> Counter[str]:
    tables = replay.tables
    rows = tables.waiting[tables.waiting_head : tables.waiting_tail]
    states = tables.job_state[rows]
    rows = rows[states == JobState.WAITING]
    try:
        aloud: Tables = think_aloud(tables, replay.policy.begin, replay.policy.schedule, replay.agenda.now)
    except Exception:
        # A policy that fails now has not failed when it counted: there is no reason, that is all.
        return Counter({NO_REASON: int(rows.size)})
    return Counter(
        Rule(int(rule)).name.lower() if rule else NO_REASON for rule in aloud.reason_rule[rows].tolist()
    )
