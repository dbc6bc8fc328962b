"""What reports and explanations ask of the policy: its reasons, plans, priorities and their factors."""

import math
from collections.abc import Iterable, Sequence

from molokini.model.decisions import Rule
from molokini.model.states import JobState
from molokini.model.text import duration
from molokini.policies.slurm.configuration.line_layout import Part as PartLine
from molokini.policies.slurm.configuration.parameters import parameters
from molokini.policies.slurm.configuration.words import PriorityType, Tres
from molokini.policies.slurm.introspection.sentences import HELPS, SENTENCES
from molokini.policies.slurm.knowledge.kept_state import mine
from molokini.policies.slurm.knowledge.waiting_reasons import Reason, shown
from molokini.policies.slurm.knowledge.who import part_row, places_of
from molokini.policies.slurm.nodes.demand import ANY, least_nodes, most_nodes
from molokini.policies.slurm.ranking.attempts import row_of
from molokini.policies.slurm.ranking.priority import (
    BY_HAND,
    age_factor,
    association_factor,
    fairshare_factor,
    partition_factor,
    priority,
    qos_factor,
    size_factor,
    tres_factor,
)
from molokini.shared.introspection import Explained, Part, PolicyReport
from molokini.tables.tables import NEVER, Tables


class SlurmInsight(PolicyReport):
    """What the policy ``slurm`` tells."""

    def ranked(self, t: Tables) -> list[int]:
        count = t.site.attempts.count
        return list(dict.fromkeys(map(row_of, t.site.attempts.what[:count].tolist())))

    def word(self, t: Tables, row: int) -> str:
        return shown(int(mine(t).reason[row]))

    def told(self, t: Tables, row: int, rule: Rule) -> tuple[str, list[str]] | None:
        reason = Reason(mine(t).reason[row]) if rule in _OWN else Reason.RESOURCES
        if reason not in SENTENCES:
            return None
        text, helps = SENTENCES[reason], HELPS.get(reason, ())
        part = _part(t, row)
        at = part_row(t, part)
        least, most = least_nodes(t, row, part), most_nodes(t, row, part)
        figures = {
            "limit": _time(float(t.jobs.estimate_s[row])),
            "longest": _time(float(t.parameters[at + PartLine.MAX_TIME_S])),
            "least": f"{least:,}",
            "most": f"{most:,}" if most < ANY else "any number of",
        }
        return text.format(**figures), [one.format(**figures) for one in helps]

    def priorities(self, t: Tables) -> dict[int, float]:
        """Of a job of several partitions that of the last."""
        of, count = t.site.attempts, t.site.attempts.count
        return dict(zip(map(row_of, of.what[:count].tolist()), of.key[:count].tolist(), strict=True))

    def priority_at_start(self, t: Tables, row: int) -> float | None:
        part = int(mine(t).place[row]) - 1
        if part < 0:
            return None
        if parameters(t).calculate_running:
            at_s = max(float(t.jobs.submit_s[row]), float(mine(t).last_priority_s))
            return float(priority(t, row, part, at_s))
        period_s, next_s = float(parameters(t).priority_calc_period_s), float(mine(t).next_priority_s)
        start_s, submitted_s = float(t.jobs.start_s[row]), float(t.jobs.submit_s[row])
        calculated_s = next_s - math.ceil(max(0.0, next_s - start_s) / period_s) * period_s
        return float(priority(t, row, part, max(submitted_s, calculated_s)))

    def planned_s(self, t: Tables, row: int) -> float:
        waits = t.jobs.state[row] == JobState.WAITING
        return float(mine(t).expected_s[row]) or NEVER if waits else NEVER

    def limit_name(self, number: int) -> str:
        return shown(number)

    def explained(self, t: Tables, rows: Sequence[int], now: float) -> list[Explained]:
        """The last calculation's; factors of shares and sizes are those of now."""
        priorities = self.priorities(t)
        return [_explained(t, row, priorities.get(row, 0.0)) for row in rows]


_OWN = frozenset({Rule.KEPT_OUT, Rule.BEHIND_THE_HEAD, Rule.NONE})
"""Rules of which the policy's own reason says more."""


def _time(seconds: float) -> str:
    return duration(seconds) if seconds < NEVER else "without end"


def _part(t: Tables, row: int) -> int:
    """The first partition that a job asks for."""
    places = places_of(t, row)
    return max(0, (places & -places).bit_length() - 1)


def _explained(t: Tables, row: int, found: float) -> Explained:
    boost = float(t.jobs.boost[row])
    if boost >= BY_HAND or parameters(t).priority_type == PriorityType.BASIC:
        return Explained(found, (), {})
    of, part = parameters(t), _part(t, row)
    at_s = max(float(t.jobs.submit_s[row]), float(mine(t).last_priority_s))
    made = [
        Part("age", float(of.priority_weight_age), "", 1.0, age_factor(t, row, at_s)),
        Part("association", float(of.priority_weight_assoc), "", 1.0, association_factor(t, row)),
        Part("fairshare", float(of.priority_weight_fairshare), "", 1.0, fairshare_factor(t, row)),
        Part("job-size", float(of.priority_weight_job_size), "", 1.0, size_factor(t, row, part)),
        Part("partition", float(of.priority_weight_partition), "", 1.0, partition_factor(t, part)),
        Part("qos", float(of.priority_weight_qos), "", 1.0, qos_factor(t, row)),
        *_of_tres(t, row, part),
        Part("administrator", 1.0, "", 1.0, boost),
        Part("user", 1.0, "", 1.0, float(t.jobs.user_priority[row])),
    ]
    parts = tuple(one for one in made if one.product != 0.0)
    return Explained(found, parts, {one.component: one.product for one in parts})


def _of_tres(t: Tables, row: int, part: int) -> Iterable[Part]:
    for tres in Tres:
        weight = float(parameters(t).tres_weight[tres])
        if weight != 0.0:
            name = tres.name.lower().replace("_", "-")
            yield Part("tres", weight, name, 1.0, tres_factor(t, row, part, int(tres)))


INSIGHT = SlurmInsight()
