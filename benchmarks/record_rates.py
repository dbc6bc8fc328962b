"""Keep a run of ``benchmarks.target_rates`` for the study of feedback control.

``python -m benchmarks.target_rates | python -m benchmarks.record_rates [FILE]``
"""

import json
import os
import platform
import sys
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path

from molokini.studies.lin2008_feedback.real_figures import FILE, Measured, Record


def record_of(lines: Iterable[str]) -> Record:
    """The record of what the benchmark has printed; lines of others are left out."""
    rows = []
    for line in lines:
        if line.startswith('{"what"'):
            found = json.loads(line)
            rows.append(Measured(found["what"], found["value"], found["unit"], found["reached"]))
    kernel = ".".join(platform.release().split(".")[:2])
    machine = f"{os.cpu_count()} cores, Linux {kernel}"
    return Record(machine, f"{datetime.now(UTC):%Y-%m-%d}", round(os.getloadavg()[0], 1), rows)


def main() -> int:
    """Write the file; 1 where nothing was measured."""
    record = record_of(sys.stdin)
    if not record.rows:
        print("record_rates: the input has no rows of benchmarks.target_rates", file=sys.stderr)
        return 1
    file = Path(sys.argv[1]) if len(sys.argv) > 1 else FILE
    file.write_text(record.as_text())
    print(f"{len(record.rows)} rows written to {file}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
