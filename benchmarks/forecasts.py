"""A forecast behind a queue of 200,000 jobs on 10,000 nodes: time, and memory beside the server's own.

In a process of its own, because memory is measured; the first forecast, which compiles, is not counted.
"""

import json
import random
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from benchmarks.passes import Story
from molokini.model.facts import JobsSubmitted, NodesAdded
from molokini.model.written_specs import WrittenSpec
from molokini.server.background import give_back
from molokini.server.queries.forecasting import MOST_PLANNED, band
from molokini.server.queries.looking_ahead import look_ahead
from molokini.server.turn.running_policy import RunningPolicy
from molokini.tables.tables import Tables

NODES, PROCESSORS = 10_000, 4
WIDEST = 64


def rows(jobs: int = 200_000) -> list[dict[str, Any]]:
    """Seconds and megabytes of a forecast for the last job, under easy backfilling."""
    code = f"from benchmarks.forecasts import measured; import json; print(json.dumps(measured({jobs})))"
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    took_s, more_mb, left_mb = json.loads(done.stdout)
    what = f"forecast behind {jobs:,} jobs, {NODES:,} nodes, widths 1 to {WIDEST}"
    return [
        _row(what, took_s, "s", 5),
        _row("the same: memory beside the server's", more_mb, "MB", 300),
        _row("the same: what it keeps of it afterwards", left_mb, "MB", 100),
    ]


def measured(jobs: int) -> tuple[float, float, float]:
    """Seconds, megabytes at most, and megabytes afterwards."""
    _forecast(queued(2_000))
    story = queued(jobs)
    give_back()
    before = _memory_mb("VmRSS")
    # From here on the peak is counted from zero.
    Path("/proc/self/clear_refs").write_text("5")
    began = time.perf_counter()
    _forecast(story)
    took_s = time.perf_counter() - began
    peak = _memory_mb("VmHWM")
    give_back()
    return took_s, peak - before, _memory_mb("VmRSS") - before


def queued(jobs: int) -> Story:
    """A machine with more jobs than it can run, of many sizes, after its first pass."""
    story, draw = Story(RunningPolicy("easy", {})), random.Random(1)
    story.happens(NodesAdded("bench", tuple(f"node{k:05d}" for k in range(NODES)), PROCESSORS, 1 << 22))
    for first in range(0, jobs, 5_000):
        specs = tuple(
            WrittenSpec(
                {
                    "queue": "default",
                    "estimate_s": float(draw.randrange(60, 7200)),
                    "resources": {"processors": draw.randint(1, WIDEST)},
                }
            )
            for _ in range(min(5_000, jobs - first))
        )
        story.happens(JobsSubmitted(story.state.next_id, "ann", specs))
    story.passes()
    return story


def _forecast(story: Story) -> None:
    t: Tables = story.state.tables
    running_policy = story.running_policy
    last = int(t.queue.waiting[t.queue.tail - 1])
    ahead = look_ahead(
        t, last, story.now, running_policy.policy, dict(running_policy.site.values), MOST_PLANNED
    )
    band(ahead, lambda: False)


def _memory_mb(field: str) -> float:
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(f"{field}:"):
            return int(line.split()[1]) / 1024
    return 0.0


def _row(what: str, value: float, unit: str, most: float) -> dict[str, Any]:
    wanted = f"at most {most:g} {unit}"
    return {"what": what, "value": round(value, 2), "unit": unit, "wanted": wanted, "reached": value <= most}


if __name__ == "__main__":
    print(json.dumps(rows(), indent=1))
