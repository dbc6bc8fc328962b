"""Jobs that wait, for reports: their order, which could start if there were room, and why others cannot."""

from typing import Any

from molokini.model.decisions import Rule
from molokini.reports.snapshot import ClusterSnapshot, finite, word
from molokini.reports.why import why

INELIGIBLE = (
    Rule.NEGATIVE_PRIORITY,
    Rule.OVER_HARD_LIMIT,
    Rule.OVER_IDLE_LIMIT,
    Rule.OVER_FAIRSHARE_CAP,
    Rule.WIDER_THAN_PARTITIONS,
    Rule.CANNOT_DEBIT_ACCOUNT,
    Rule.DEFERRED,
    Rule.KEPT_OUT,
)
"""Rules that take a job out of the list of candidates; under the others it waits for room."""


def in_order(p: ClusterSnapshot) -> list[int]:
    """Waiting rows as they are to start: by priority where the policy weighs jobs."""
    waiting = dict.fromkeys(p.waiting())
    ranked = dict.fromkeys(row for row in p.insight.ranked(p.tables) if row in waiting)
    return list(ranked | waiting)


def eligible(p: ClusterSnapshot, row: int) -> bool:
    """Whether the job of *row* could start if there were room."""
    return _rule(p, row) not in INELIGIBLE


def reason(p: ClusterSnapshot, row: int) -> dict[str, Any]:
    """The first rule that keeps a waiting job from starting, in words and as data."""
    t, told = p.tables, why(p.surroundings, p.tables, row)
    return {
        "rule": word(told.rule.name),
        "limit": finite(float(t.reasons.limit[row])),
        "value": finite(float(t.reasons.value[row])),
        "reason": told.text,
        "what_would_help": told.helps,
        "never": told.never,
    }


def _rule(p: ClusterSnapshot, row: int) -> Rule:
    return Rule(int(p.tables.reasons.rule[row]))
