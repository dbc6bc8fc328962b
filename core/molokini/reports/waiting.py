"""Jobs that wait, for reports: their order, which could start if there were room, and why others cannot."""

from typing import Any

from molokini.model.decisions import Rule
from molokini.reports.picture import Picture, finite, word
from molokini.reports.wording import Told, told

INELIGIBLE = (
    Rule.NEGATIVE_PRIORITY,
    Rule.OVER_HARD_LIMIT,
    Rule.OVER_IDLE_LIMIT,
    Rule.OVER_FAIRSHARE_CAP,
    Rule.WIDER_THAN_PARTITIONS,
    Rule.CANNOT_DEBIT_ACCOUNT,
    Rule.DEFERRED,
)
"""Rules that take a job out of the list of candidates; under the others it waits for room."""


def in_order(p: Picture) -> list[int]:
    """Waiting rows as they are to start: by priority where the policy weighs jobs."""
    waiting = dict.fromkeys(p.waiting())
    ranked = dict.fromkeys(row for row in p.insight.ranked(p.tables) if row in waiting)
    return list(ranked | waiting)


def eligible(p: Picture, row: int) -> bool:
    """Whether the job of *row* could start if there were room."""
    return _rule(p, row) not in INELIGIBLE


def reason(p: Picture, row: int) -> dict[str, Any]:
    """The first rule that keeps a waiting job from starting, in words and as data."""
    t, rule = p.tables, _rule(p, row)
    limit, value = float(t.reasons.limit[row]), float(t.reasons.value[row])
    why = told(p.insight, t, row, rule, int(t.jobs.width[row]), int(t.machine.processors))
    if rule is Rule.NONE and p.scheduler.scheduling_paused:
        why = Told("scheduling is paused", ["resuming scheduling"])
    return {
        "rule": word(rule.name),
        "limit": finite(limit),
        "value": finite(value),
        "reason": why.text,
        "what_would_help": why.helps,
        "never": why.never,
    }


def _rule(p: Picture, row: int) -> Rule:
    return Rule(int(p.tables.reasons.rule[row]))
