"""``make fidelity``: a stream of jobs through Debian's Slurm 22.05, twice, and our replays of both runs.

Both runs are on loopback at once, each on a cluster of its own, the second one some seconds later, so that
its timers have another phase. It takes twenty minutes; nothing is installed.
"""

import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.beside.packages import NotToBeHad, Unpacked, unpacked
from benchmarks.beside.programs import DoesNotStart
from benchmarks.fidelity.judging import (
    LEAST_WITHIN,
    Distance,
    is_near,
    most_relative,
    of_report,
    real_and_real,
    starts_are_near,
)
from benchmarks.fidelity.recording import record
from benchmarks.fidelity.slurm_site import BF_INTERVAL_S
from benchmarks.fidelity.stream import JOBS, SEED, stream
from molokini.experiments import simulate

_LATER_S = 4.0
_COMPLETING_S = 0.5
"""Records have whole seconds: an end and the start that it lets go are 0 or 1 s apart in them."""
_HEAD = (
    "| what | jobs | mean wait, s | mean wait of the other, s | difference | starts, s: 5% / median / 95% "
    "| within an interval | Kendall's tau |",
    "|---|---|---|---|---|---|---|---|",
)
_INTRODUCTION = f"""\
`make fidelity` sends {JOBS} small jobs (seed {SEED}; three partitions, two QOSes, three accounts with shares
and limits, arrays, whole nodes, a node that is drained for two minutes) through Debian's Slurm 22.05.8,
**twice**, each time on a new cluster of eight nodes of four processors on loopback (slurmctld, slurmdbd,
MariaDB, munge, eight slurmd, unpacked under `build/`; nothing is installed). `molokini collect` makes a pack
of each run, and the policy `slurm` replays it under the `slurm.conf` of the pack. Run by hand, it writes
this page.

The first row is the limit of what a replay can reach: Slurm beside itself, with another phase of its timers.
A replay must be within the larger of 3% and 1.5 times that in its mean wait, and 90% of its starts within one
interval of backfill ({BF_INTERVAL_S} s)."""


_READING = """\
## How to read it

- Jobs last for seconds: one second decides which of two jobs goes first, and from there on two runs have
  different machines. The stream was made slower than the one below until the policy `slurm`, beside itself
  with other phases and a second more or less here and there, had about nine tenths of its starts within an
  interval. So has Slurm: here 90% is what two of its own runs have.
- Mean waits are **too short by a quarter**, and why is not known. The replays run with `completing_s=0.5`,
  which was chosen on the stream below after its replays with 0, 0.5 and 1 s were seen; here it is too short.
  Of jobs that had waited for the end of another on their nodes the main pass started most 0 to 3 s after it,
  1.0 s in the mean; on the stream below 1.2 s, so slower hops do not set this stream apart.
- The stream was run twice, each time on two processors with a load of 15 to 25. The first time DebugFlags had
  Backfill in it: Slurm beside itself -11.8% and 92.0% within an interval; ours with `completing_s=0.5` -20.3%
  and -3.3%, 89.7% both; with 1 s +5.3% and +32.5%, 86.0% and 82.0%; with 0 s -24.7% and -8.8%, 90.0% and
  92.3%. The table has the second time; with the default of 1 s mean waits are -1.9% and +10.4% there, and
  86.3% and 85.0% of starts within an interval. Priorities at the start are equal for some 70% of jobs.
  With mean waits of 12 s two runs of Slurm differ by 1% or by 12%: the bound of the mean wait depends on
  which of them one has.

## A stream that is always late

The runs of 28 November (`benchmarks/fidelity/runs/busy-*`, replayed by a test) are of the same jobs, which
came in 56% of the time. The queue hardly ended, and Slurm itself had fewer than half of its starts within an
interval of its own other run: nine tenths are out of reach there.

| what | jobs | mean wait, s | mean wait of the other, s | difference | within an interval | Kendall's tau |
|---|---|---|---|---|---|---|
| real 2 beside real 1 | 300 | 50.3 | 53.2 | +5.7% | 46.3% | 0.843 |
| ours beside real 1 | 300 | 50.1 | 53.7 | +7.3% | 53.3% | 0.845 |
| ours beside real 2 | 300 | 52.8 | 54.1 | +2.3% | 35.7% | 0.761 |

Mean wait within 8.6%: reached. With `completing_s` at its default of 1 s mean waits were 27% and 22% too
long, with 0 s 21% and 9% too short. These runs began before Slurm had computed its first factors of
fairshare: for a minute they were 0 there and not in the replays. SlurmVersion and the usage at the begin were
put into both packs afterwards, as the collector writes them now.
"""


@dataclass(frozen=True)
class Judged:
    """Real beside real, and our replay beside each."""

    real: Distance
    ours: Sequence[Distance]

    @property
    def near(self) -> bool:
        """Whether the mean wait of every replay is as near as promised."""
        return all(is_near(one, self.real) for one in self.ours)

    @property
    def starts_near(self) -> bool:
        """Whether the starts of every replay are."""
        return all(starts_are_near(one) for one in self.ours)


def main(page: str, build: str = "build/beside-slurm", kept: str = "") -> int:
    """Run both, or take the packs in the folder *kept*; write the *page*. 1 where a replay is too far off."""
    folder = Path(build).absolute()
    packs = [Path(kept or folder) / f"fidelity-{place}.tar.gz" for place in (1, 2)]
    try:
        if not kept:
            folder.mkdir(parents=True, exist_ok=True)
            _record_both(unpacked(folder), packs)
    except (NotToBeHad, DoesNotStart) as error:
        print(f"fidelity: {error}", file=sys.stderr)
        return 2
    found = judged(packs)
    text = "\n".join(_page(found)) + "\n"
    Path(page).write_text(text, encoding="utf-8")
    print("\n".join((*_HEAD, *(one.row for one in (found.real, *found.ours)), _verdict(found))))
    return 0 if found.near and found.starts_near else 1


def _replayed(pack: Path) -> Any:
    document = simulate(str(pack), policy="slurm", set=[f"completing_s={_COMPLETING_S}"]).document
    return document["fidelity"]


def judged(packs: Sequence[Path]) -> Judged:
    """The *packs* of two runs, beside each other and beside our replays."""
    ours = [of_report(f"ours beside real {place}", _replayed(pack)) for place, pack in enumerate(packs, 1)]
    return Judged(real_and_real(packs[0], packs[1], BF_INTERVAL_S), ours)


def _record_both(packages: Unpacked, packs: Sequence[Path]) -> None:
    failures: list[DoesNotStart] = []

    def one(pack: Path, wait_s: float) -> None:
        time.sleep(wait_s)
        with tempfile.TemporaryDirectory(prefix="fidelity-") as name:
            try:
                record(packages, Path(name), stream(), pack)
            except DoesNotStart as error:
                failures.append(error)

    threads = [threading.Thread(target=one, args=(pack, at * _LATER_S)) for at, pack in enumerate(packs)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failures:
        raise failures[0]


def _verdict(found: Judged) -> str:
    waits, starts = ("reached" if one else "NOT reached" for one in (found.near, found.starts_near))
    return (
        f"Mean wait within {most_relative(found.real):.1%}: {waits}. {LEAST_WITHIN:.0%} of starts within an "
        f"interval: {starts}; Slurm beside itself has {found.real.within:.0%}."
    )


def _page(found: Judged) -> Iterator[str]:
    yield "# How near the policy comes to Slurm"
    yield ""
    yield from _INTRODUCTION.splitlines()
    yield ""
    yield from _HEAD
    yield from (one.row for one in (found.real, *found.ours))
    yield ""
    yield _verdict(found)
    yield ""
    yield from _READING.splitlines()


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
