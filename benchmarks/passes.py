"""A pass of the live server's policy over a long queue in which nothing can start.

The hard case: every node has free processors, and jobs wish for memory that none has left, so counting says
yes and each wish has to be looked at. Rows of the same form as ``live``'s.
"""

import json
import statistics
import time
from typing import Any

from molokini.model.facts import NO_INDEX, Fact, JobsSubmitted, JobStarted, NodesAdded
from molokini.model.written_specs import WrittenSpec
from molokini.server.state.applying import apply
from molokini.server.state.state import State
from molokini.server.turn.running_policy import RunningPolicy

NODES, PROCESSORS = 10_000, 16
MEMORY_KB = 64 << 20
LEFT_KB, LARGEST_KB = 4 << 20, 48 << 20
"""What the running job leaves on each node; all wishes are for more."""
FEW, MANY = 8, 1_000
"""Kinds of wish."""
PASSES = 20


def rows(jobs: int = 100_000) -> list[dict[str, Any]]:
    """What a pass takes after one more submission: median and longest, easy backfilling."""
    return [row for kinds in (FEW, MANY) for row in _measured(jobs, kinds)]


def _measured(jobs: int, kinds: int) -> list[dict[str, Any]]:
    story = _full(RunningPolicy("easy", {}))
    step_kb = (LARGEST_KB - LEFT_KB) // kinds
    wishes_kb = [LEFT_KB + step_kb * (k + 1) for k in range(kinds)]
    for wish_kb in wishes_kb:
        story.submits(jobs // kinds, processors=1, memory_kb=wish_kb)
    story.passes()
    took_s = []
    for k in range(PASSES):
        story.submits(1, processors=1, memory_kb=wishes_kb[k % kinds])
        took_s.append(story.passes())
    waiting = len(story.state.by_row) - 1
    assert waiting == jobs // kinds * kinds + PASSES, "something has started"
    return [
        _row(f"pass with nothing to start: {jobs:,} jobs, {kinds:,} wishes, {NODES:,} nodes", took_s, 50),
    ]


def _full(running_policy: RunningPolicy) -> "Story":
    """A machine of which one job holds half of the processors and nearly all memory of each node."""
    story = Story(running_policy)
    names = tuple(f"node{number:05d}" for number in range(NODES))
    story.happens(NodesAdded("bench", names, PROCESSORS, MEMORY_KB))
    each = PROCESSORS // 2
    story.submits(1, nodes=NODES, processors_per_node=each, memory_kb=(MEMORY_KB - LEFT_KB) // each)
    row = story.state.jobs[1].known_elements()[0].row
    component = int(story.state.tables.jobs.components[row])
    story.happens(JobStarted(1, NO_INDEX, 1, tuple((number, 1, component) for number in range(NODES))))
    return story


class Story:
    """A state to which things happen without a journal, and the policy that looks at it."""

    def __init__(self, running_policy: RunningPolicy) -> None:
        self.state, self.running_policy = State(), running_policy
        self.serial, self.now = 0, 0.0

    def happens(self, fact: Fact) -> None:
        self.serial += 1
        apply(self.state, fact, self.serial, self.now)

    def submits(self, count: int, **resources: int) -> None:
        wanted: Any = resources
        spec = WrittenSpec({"queue": "default", "estimate_s": 3600.0, "resources": wanted})
        self.happens(JobsSubmitted(self.state.next_id, "ann", (spec,) * count))

    def passes(self) -> float:
        """Seconds that the policy takes one second later; what it decides happens."""
        self.now += 1.0
        began = time.perf_counter()
        facts = self.running_policy.decide(self.state, self.now)
        took_s = time.perf_counter() - began
        for fact in facts:
            self.happens(fact)
        return took_s


def _row(what: str, took_s: list[float], most_ms: float) -> dict[str, Any]:
    took_ms = round(statistics.median(took_s) * 1000, 3)
    return {
        "what": f"{what} (median)",
        "value": took_ms,
        "unit": "ms",
        "wanted": f"at most {most_ms:g} ms",
        "reached": took_ms <= most_ms,
    }


if __name__ == "__main__":
    print(json.dumps(rows(), indent=1))
