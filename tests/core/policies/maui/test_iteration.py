"""Limits, QoSes, priorities and fairshare of many lines together, beside the rules written down plainly."""

from random import Random

import pytest

from tests.kit.depth import examples
from tests.kit.maui import maui
from tests.kit.maui_worlds import draw_whose
from tests.kit.plain_credentials import PlainCredentials, draw_rules
from tests.kit.workloads import Job

PROCESSORS = 12
LAST_S = 45


def draw_jobs(random: Random) -> list[Job]:
    """Each ends at its limit or before, and none at once."""
    jobs, at_s = [], 0
    for _ in range(random.randint(4, 14)):
        at_s += random.choice([0, 0, 0, 1, 2, 5])
        estimate = random.choice([1, 2, 3, 5, 8, 13])
        run = estimate if random.random() < 0.7 else random.randint(1, estimate)
        jobs.append(Job(at_s, run, random.choice([1, 1, 2, 2, 3, 4, 6, 8, 12]), estimate))
    return jobs


@pytest.mark.quick(one_in=8)
@pytest.mark.parametrize("group", range(8))
def test_who_starts_when_is_as_the_rules_say_at_every_second(group: int) -> None:
    """Whoever could start has started, although nothing happens at the second at which he could."""
    for seed in range(examples(25)):
        random = Random(f"credentials-{group}-{seed}")
        jobs, rules = draw_jobs(random), draw_rules(random)
        whose = [draw_whose(random) for _ in jobs]
        replay = maui(jobs, rules, whose, PROCESSORS)
        plain = PlainCredentials(rules, PROCESSORS)
        plain.come(jobs, whose)
        t = replay.tables
        for instant in range(LAST_S):
            replay.run(instant)
            for one in plain.askers:
                if one.start_s is not None and one.start_s + one.job.run == instant:
                    one.end_s = float(instant)
            wanted = plain.starts(float(instant))
            rows = t.queue.running[: t.queue.running_count].tolist()
            begun = [int(t.jobs.number[row]) for row in rows if t.jobs.start_s[row] == instant]
            assert sorted(begun) == sorted(wanted), f"{group}-{seed} at {instant}: {rules}"
        refused = replay.schedule().refused_rows.tolist()
        assert refused == [plain.refuses(one) for one in plain.askers]
