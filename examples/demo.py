"""Three policies on a month of a real machine: what ``make demo`` runs.

    python examples/demo.py demo-output

Calls the functions that ``molokini compare`` and ``molokini simulate`` call.
"""

import sys
from pathlib import Path

from molokini.clients.arguments import CompareArguments
from molokini.clients.compare import compare
from molokini.clients.preparing import choose, machine_for, read_log, replay_options
from molokini.clients.replaying import replayed
from molokini.pictures import overview, save

LOG = Path(__file__).parent / "kth-sp2-month.swf.gz"
POLICIES = ("fcfs", "easy", "conservative")


def main(folder: Path) -> None:
    """Compare the policies and draw each schedule; everything goes to *folder*."""
    folder.mkdir(parents=True, exist_ok=True)
    results, picture = folder / "compare.json", folder / "comparison.png"
    arguments = CompareArguments(logs=[str(LOG)], policy=POLICIES, json=str(results), plot=str(picture))
    compare(arguments)
    written = [results, picture]
    log = read_log(str(LOG))
    machine, options = machine_for(log, arguments), replay_options(arguments)
    for chosen in choose(POLICIES, [], []):
        path = folder / f"{chosen.policy.name}.png"
        save(overview(replayed(log, machine, chosen, options)), path)
        written.append(path)
    print("written:", ", ".join(str(path) for path in written))


if __name__ == "__main__":
    if len(sys.argv) > 2:
        sys.exit("usage: python examples/demo.py [FOLDER]")
    main(Path(sys.argv[1] if len(sys.argv) == 2 else "demo-output"))
