"""Three policies on a month of a real machine: what ``make demo`` runs.

    python examples/demo.py demo-output

The table is the command's; the pictures of schedules come from Python.
"""

import subprocess
import sys
from pathlib import Path

from molokini.experiments import simulate

LOG = Path(__file__).parent / "kth-sp2-month.swf.gz"
POLICIES = ("fcfs", "easy", "conservative")


def main(folder: Path) -> int:
    """Compare the policies and draw each schedule; everything goes to *folder*. The exit code."""
    folder.mkdir(parents=True, exist_ok=True)
    results, picture = folder / "compare.json", folder / "comparison.png"
    asked = [word for policy in POLICIES for word in ("--policy", policy)]
    words = ["compare", str(LOG), *asked, "--json", str(results), "--plot", str(picture)]
    compared = subprocess.run([sys.executable, "-m", "molokini.clients.command", *words], check=False)
    if compared.returncode:
        return compared.returncode
    written = [results, picture]
    for policy in POLICIES:
        path = folder / f"{policy}.png"
        simulate(LOG, policy=policy).plot(file=path)
        written.append(path)
    print("written:", ", ".join(str(path) for path in written))
    return 0


if __name__ == "__main__":
    if len(sys.argv) > 2:
        sys.exit("usage: python examples/demo.py [FOLDER]")
    sys.exit(main(Path(sys.argv[1] if len(sys.argv) == 2 else "demo-output")))
