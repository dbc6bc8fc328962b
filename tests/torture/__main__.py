"""``python -m tests.torture --minutes 10 --seed N``: torture a live cluster and print what has come of it."""

import argparse
import asyncio
import json
import random
import sys
from pathlib import Path

from tests.torture.driver import torture
from tests.torture.fault_rows import ROWS


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.torture", description=__doc__)
    parser.add_argument("--minutes", type=float, default=10.0, help="how long (the comparison comes on top)")
    parser.add_argument("--seed", type=int, default=None, help="what a run is drawn from; printed at its end")
    parser.add_argument("--scale", type=float, default=1.0, help="how much of everything in a row")
    parser.add_argument("--rows", default="", metavar="F1,F2,...", help="only these rows")
    parser.add_argument("--json", default="", metavar="FILE", help="write the counts as JSON")
    given = parser.parse_args()
    seed = random.randrange(2**31) if given.seed is None else given.seed
    rows = given.rows.split(",") if given.rows else list(ROWS)
    unknown = [row for row in rows if row not in ROWS]
    if unknown:
        parser.error(f"no row {unknown[0]}; known: {', '.join(ROWS)}")
    print(f"seed {seed}", flush=True)
    report = asyncio.run(
        torture(seed, 60 * given.minutes, given.scale, rows, lambda text: print(text, flush=True))
    )
    print("\n".join(report.lines()))
    if given.json:
        Path(given.json).write_text(json.dumps(report.as_json(), indent=2) + "\n")
    return 0 if report.good else 1


if __name__ == "__main__":
    sys.exit(main())
