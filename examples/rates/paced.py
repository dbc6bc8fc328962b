"""A program that waits by itself, and reports each iteration: it computes, and waits for the next tick.

    molokini submit --processors 1 --rate 50% --full-use measured -- python3 paced.py

It stands for what waits for a device, an instrument or a clock that go on while it computes. Alone it uses
``--compute`` of ``--every`` seconds of its processor. A tick that has passed is not waited for: it goes on at
once. The lines that it prints are those of bsp.py.
"""

import argparse
import os
import time

from bsp import waited_s  # type: ignore[import-not-found]  # beside this file
from reporting import report  # type: ignore[import-not-found]


def burn(seconds: float) -> None:
    """Compute for so much processor time."""
    until = time.process_time() + seconds
    while time.process_time() < until:
        pass


def main() -> None:
    """Iterate."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--iterations", type=int, default=100)
    parser.add_argument("--compute", type=float, default=0.3, help="Processor seconds of an iteration.")
    parser.add_argument("--every", type=float, default=1.0, help="Seconds from tick to tick.")
    asked = parser.parse_args()
    print("process", os.getpid(), flush=True)
    tick = time.monotonic()
    for iteration in range(1, asked.iterations + 1):
        burn(asked.compute)
        tick = max(tick + asked.every, time.monotonic())
        time.sleep(max(0.0, tick - time.monotonic()))
        report(iteration)
        print(iteration, time.monotonic(), time.process_time(), waited_s(), flush=True)


if __name__ == "__main__":
    main()
