"""Three policies on a month of a real machine: what ``make demo`` runs.

    python examples/demo.py demo-output

The table is the command's; the pictures come from Python.
"""

import sys
from pathlib import Path

from molokini.clients.arguments.runs import CompareArguments
from molokini.clients.compare import compare
from molokini.experiments import simulate

LOG = Path(__file__).parent / "kth-sp2-month.swf.gz"
POLICIES = ("fcfs", "easy", "conservative")


def main(folder: Path) -> None:
    """Compare the policies and draw each schedule; everything goes to *folder*."""
    folder.mkdir(parents=True, exist_ok=True)
    results, picture = folder / "compare.json", folder / "comparison.png"
    arguments = CompareArguments(logs=[str(LOG)], policies=POLICIES, json=str(results), plot=str(picture))
    compare(arguments)
    written = [results, picture]
    for policy in POLICIES:
        path = folder / f"{policy}.png"
        simulate(LOG, policy=policy).plot(file=path)
        written.append(path)
    print("written:", ", ".join(str(path) for path in written))


if __name__ == "__main__":
    if len(sys.argv) > 2:
        sys.exit("usage: python examples/demo.py [FOLDER]")
    main(Path(sys.argv[1] if len(sys.argv) == 2 else "demo-output"))
