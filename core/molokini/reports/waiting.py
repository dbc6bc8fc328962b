"""Jobs that wait, as reports look at them: their order, who could start if there were room, and why not."""

from typing import Any

from molokini.model.decisions import Rule
from molokini.policies.maui.explaining import ranked_rows
from molokini.reports.picture import Picture, finite, word
from molokini.reports.wording import told

_INELIGIBLE = (
    Rule.NEGATIVE_PRIORITY,
    Rule.OVER_HARD_LIMIT,
    Rule.OVER_IDLE_LIMIT,
    Rule.OVER_FAIRSHARE_CAP,
    Rule.WIDER_THAN_PARTITIONS,
    Rule.CANNOT_DEBIT_ACCOUNT,
    Rule.DEFERRED,
)
"""Rules that take a job out of the queue; the others let it wait in it."""


def in_order(p: Picture) -> list[int]:
    """Waiting rows as they are to start: by priority where the policy maui decides."""
    waiting = set(p.waiting())
    if not p.is_maui:
        return p.waiting()
    ranked = [row for row in ranked_rows(p.tables) if row in waiting]
    return ranked + [row for row in p.waiting() if row not in set(ranked)]


def eligible(p: Picture, row: int) -> bool:
    """Whether the job of *row* could start if there were room."""
    return _rule(p, row) not in _INELIGIBLE


def reason(p: Picture, row: int) -> dict[str, Any]:
    """The first rule that keeps a waiting job from starting, in words and as data."""
    t, rule = p.tables, _rule(p, row)
    limit, value = float(t.reason_limit[row]), float(t.reason_value[row])
    why = told(t, row, rule, int(t.job_width[row]), int(t.processors))
    return {
        "rule": word(rule.name),
        "limit": finite(limit),
        "value": finite(value),
        "reason": why.text,
        "what_would_help": why.helps,
        "never": why.never,
    }


def _rule(p: Picture, row: int) -> Rule:
    return Rule(int(p.tables.reason_rule[row]))
