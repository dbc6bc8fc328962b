"""Why jobs did not finish, counted by rule."""

from collections import Counter

import numpy as np

from molokini.cycle.dry_run import dry_run
from molokini.model.decisions import Rule
from molokini.model.states import JobState
from molokini.sim.arrays import held_elements
from molokini.sim.replay import Replay
from molokini.tables.tables import Tables

NO_REASON = "no_reason_given"
"""The policy has let the job wait and noted no rule."""
_NAMED = frozenset({Rule.KEPT_OUT, Rule.OVER_HARD_LIMIT})


def unfinished_by_rule(replay: Replay) -> dict[str, int]:
    """Jobs of *replay*, which is at its end, that neither ended nor were refused, by why they do not run.

    The policy has one more pass, over a copy of the tables; nothing in the replay changes.
    """
    agenda, tables = replay.agenda, replay.tables
    found: Counter[str] = Counter()
    found["not_submitted"] = agenda.workload.count - agenda.workload.next
    found["running"] = tables.queue.running_count
    found["suspended"] = tables.queue.suspended_count
    found["held"] = int(np.count_nonzero(tables.jobs.state == JobState.HELD)) + held_elements(agenda)
    if tables.queue.tail > tables.queue.head:
        found.update(_waiting(replay))
    return {rule: count for rule, count in sorted(found.items()) if count}


def _waiting(replay: Replay) -> Counter[str]:
    tables = replay.tables
    rows = tables.queue.waiting[tables.queue.head : tables.queue.tail]
    states = tables.jobs.state[rows]
    rows = rows[states == JobState.WAITING]
    try:
        aloud: Tables = dry_run(tables, replay.policy.begin, replay.policy.schedule, replay.agenda.now)
    except Exception:
        # The policy did not fail in the replay itself, so its failure here only costs the reasons.
        return Counter({NO_REASON: int(rows.size)})
    return Counter(_name(replay, aloud, int(row)) for row in rows)


def _name(replay: Replay, aloud: Tables, row: int) -> str:
    """The rule; of a limit, or of what keeps a job out, the policy's own word, where it has one."""
    rule = Rule(int(aloud.reasons.rule[row]))
    own = replay.policy.insight.word(aloud, row) if rule in _NAMED else ""
    return own or (rule.name.lower() if rule else NO_REASON)
