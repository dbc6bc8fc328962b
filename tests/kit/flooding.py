"""Programs of jobs that report their iterations: as often as they can, and steadily beside that."""

import os
import sys
from pathlib import Path

from tests.kit.real_jobs import RealNode, at_work, launch, until

SENDS = """
import os, socket, struct, sys, time
path = os.environ.get("MOLOKINI_RATE_SOCKET", "")
job = int(os.environ["MOLOKINI_JOB_ID"])
end = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
now = time.monotonic_ns()
def say(job, iteration, at_ns, rate):
    end.sendto(struct.pack("<3qd", job, iteration, at_ns, rate), path)
def wait(name):
    while not os.path.exists(name):
        time.sleep(0.01)
"""


FLOOD = """
end.setblocking(False)
open("began", "w")
wait("go")
said = lost = 0
began = time.monotonic()
while not os.path.exists("enough"):
    for _ in range(1000):
        said += 1
        try:
            say(job, said, time.monotonic_ns(), 1.0)
        except BlockingIOError:
            lost += 1
    time.sleep(max(0.0, began + said / 1e5 - time.monotonic()))
print(said / (time.monotonic() - began), lost, flush=True)
wait("end")
say(job, said + 1, time.monotonic_ns(), 1.0)
"""
"""Reports as fast as it can, 10^5 a second at most."""
STEADY = """
end.setblocking(False)
wait("began")
lost = 0
for k in range(1, COUNT + 1):
    try:
        say(job, k, time.monotonic_ns(), 1.0)
    except BlockingIOError:
        lost += 1
    time.sleep(0.3)
open("enough", "w")
print(lost, flush=True)
wait("end")
"""


def python(text: str) -> tuple[str, ...]:
    return (sys.executable if os.geteuid() else "/usr/bin/python3", "-c", SENDS + text)


async def flooded(folder: Path, count: int) -> tuple[RealNode, float, int]:
    """A job reports *count* iterations beside a flood: the node afterwards, reports of the flood a second,
    and how many of the other's were lost."""
    async with at_work(folder / "spool") as node:
        node.launch(launch(1, *python(FLOOD), folder=folder))
        await until((folder / "began").exists)
        node.launch(launch(2, *python(STEADY.replace("COUNT", str(count))), folder=folder))
        (folder / "go").touch()
        await until(lambda: all(read(folder, job) for job in (1, 2)))
        # The flood is over, and its last report is heard like any other.
        (folder / "end").touch()
        await node.report(1)
        await node.report(2)
        return node, float(read(folder, 1)[0]), int(read(folder, 2)[0])


def read(folder: Path, job: int) -> list[str]:
    """What a job has printed."""
    path = folder / f"molokini-{job}.out"
    return path.read_text().split() if path.exists() else []
