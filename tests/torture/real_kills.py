"""``python -m tests.torture.real_kills --kills 100``: an agent is killed in a tight loop, its jobs run on.

Fault F9 with processes. The jobs must keep their pids and their exit codes; some end while no agent is there.
"""

import argparse
import asyncio
import json
import sys
import tempfile
import time
from pathlib import Path

from molokini.supervisor.trees import alive
from tests.kit.real_cluster import cluster, counted
from tests.kit.real_jobs import until

PAUSE_S = 0.1
_WAIT_S = 120.0


async def kills(folder: Path, times: int, jobs: int) -> dict[str, object]:
    """Kill an agent so many *times*, a tenth of a second apart, while *jobs* run; what has come of it."""
    async with cluster(folder) as here:
        agent = await here.agent()
        ids = await here.submit(jobs)
        pids = here.pids()
        began_s = time.monotonic()
        early = ids[: jobs // 2]
        for turn in range(times):
            await agent.kill()
            # Every fifth comes to the end of its welcome; the others die in the middle of their start.
            agent = await here.agent(ready=turn % 5 == 4)
            if (turn + 1) % max(1, times // (len(early) or 1)) == 0 and early:
                here.end([early.pop()])
            await asyncio.sleep(PAUSE_S)
        took_s = time.monotonic() - began_s
        kept = here.pids() == pids
        await agent.kill()
        here.end(early)
        await until(lambda: len(here.runs("ended")) == jobs // 2)
        running = [int(words[3]) for words in here.runs("began") if int(words[1]) in ids[jobs // 2 :]]
        kept = kept and all(map(alive, running))
        await here.agent()
        here.end(ids)
        waited = await here.client.wait(ids, _WAIT_S)
        await until(lambda: not list((folder / "one" / "jobs").iterdir()))
        found = {job.id: job.exit_code for job in waited.jobs if job.attempt == 1}
        counts = counted(here, {number: number % 200 for number in ids}, found)
        return {"kills": times + 1, "jobs": jobs, "seconds": round(took_s, 1), "pids_kept": kept, **counts}


def good(figures: dict[str, object]) -> bool:
    """Whether nothing was lost, run twice, orphaned or left."""
    return bool(figures["pids_kept"]) and not any(
        figures[name] for name in ("lost", "run_twice", "orphans", "leaks")
    )


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.torture.real_kills", description=__doc__)
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--jobs", type=int, default=8)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        figures = asyncio.run(kills(Path(scratch), given.kills, given.jobs))
    print(json.dumps(figures))
    return 0 if good(figures) else 1


if __name__ == "__main__":
    sys.exit(main())
