"""Two agents of one name with two spools: the second waits until nothing of the first can run."""

import signal
import time
from pathlib import Path

from tests.kit.real_cluster import cluster
from tests.kit.real_jobs import until

LEASE_S = 10.0
"""Longer than an agent takes to start on a busy machine."""
_TICKS = """echo "began $MOLOKINI_JOB_ID $MOLOKINI_ATTEMPT $$ $MOLOKINI_NODE_NAME" >> runs
while [ ! -e end$MOLOKINI_JOB_ID ]; do
    date "+$MOLOKINI_JOB_ID $MOLOKINI_ATTEMPT %s.%N" >> ticks
    sleep 0.1
done"""


def ticks(folder: Path, job: int, attempt: int) -> list[float]:
    """The instants at which an attempt has written that it runs."""
    written = folder / "ticks"
    lines = written.read_text().splitlines() if written.exists() else []
    return [float(at) for *of, at in map(str.split, lines) if of == [str(job), str(attempt)]]


async def test_attempts_of_one_job_never_overlap(tmp_path: Path) -> None:
    ends = {"one": signal.SIGTERM, "two": signal.SIGKILL}
    others = {"one": "three", "two": "four"}
    async with cluster(tmp_path, lease_s=LEASE_S) as here:
        agents, jobs = {}, {}
        for name in ends:
            agents[name] = await here.agent(name)
            jobs[name] = await here.client.submit(
                argv=["sh", "-c", _TICKS], processors=8, estimate_s=600.0, working_directory=str(tmp_path)
            )
            await until(lambda: bool(ticks(tmp_path, jobs[name], 1)))  # noqa: B023
        for name, end in ends.items():
            agents[name].signal(end)
        for name, other in others.items():
            await agents[name].ended()
            left_at = time.time()
            await here.agent(name, ready=False, spool=tmp_path / other)
        for name in ends:
            refused = f"another agent {name} has only just left and may still run its jobs for"
            await until(lambda: refused in here.server.log.read_text())  # noqa: B023
        for job in jobs.values():
            await until(lambda: bool(ticks(tmp_path, job, 2)))  # noqa: B023
            assert left_at < max(ticks(tmp_path, job, 1)) < min(ticks(tmp_path, job, 2))
        here.end(list(jobs.values()))
        waited = await here.client.wait(list(jobs.values()), 60.0)
        assert waited.all_ended
        assert [one.exit_code for one in waited.jobs] == [0, 0]
        began = {(int(words[1]), int(words[2])) for words in here.runs("began")}
        assert began == {(job, attempt) for job in jobs.values() for attempt in (1, 2)}
        assert len(here.runs("began")) == 4
