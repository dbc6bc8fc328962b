"""``make fidelity``: a stream of jobs through Debian's Slurm 22.05, twice, and our replays of both runs.

Both runs are on loopback at once, each on a cluster of its own, the second one some seconds later, so that
its timers have another phase. It takes a quarter of an hour; nothing is installed.
"""

import os
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.beside.packages import NotToBeHad, Unpacked, unpacked
from benchmarks.beside.programs import DoesNotStart
from benchmarks.fidelity.fidelity_page import page_of, summary
from benchmarks.fidelity.judging import (
    Distance,
    Pooled,
    is_near,
    of_report,
    pooled,
    real_and_real,
    starts_are_near,
)
from benchmarks.fidelity.recording import record
from benchmarks.fidelity.replaying import replayed
from benchmarks.fidelity.slurm_site import BF_INTERVAL_S
from benchmarks.fidelity.stream import stream

RUNS = Path(__file__).parent / "runs"
_LATER_S = 4.0
_OTHERS = ("early-1", "early-2", "logged")
_BUSY = ("busy-1", "busy-2")


@dataclass(frozen=True)
class Judged:
    """Two real runs beside each other, and our replay beside each."""

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
    found, others = judged(packs), ours_of(_of_runs(_OTHERS))
    together = together_of([*packs, *_of_runs(_OTHERS)], [*found.ours, *others])
    lines = page_of(found.real, found.ours, others, together, judged(_of_runs(_BUSY)).ours)
    Path(page).write_text("\n".join(lines) + "\n", encoding="utf-8")
    print("\n".join(summary(found.real, found.ours, together)))
    return 0 if found.near and found.starts_near else 1


def judged(packs: Sequence[Path]) -> Judged:
    """The *packs* of two runs, beside each other and beside our replays."""
    return Judged(real_and_real(packs[0], packs[1], BF_INTERVAL_S), ours_of(packs))


def ours_of(packs: Sequence[Path]) -> list[Distance]:
    """Our replays of *packs*, each beside the real run."""
    return [of_report(f"ours beside {_name(pack)}", replayed(pack)) for pack in packs]


def together_of(packs: Sequence[Path], ours: Sequence[Distance]) -> Pooled:
    """All real runs of the stream together, and all replays of them."""
    return pooled(packs, ours, BF_INTERVAL_S)


def _name(pack: Path) -> str:
    return pack.name.removesuffix(".tar.gz").replace("fidelity-", "real ")


def _of_runs(names: Sequence[str]) -> list[Path]:
    return [RUNS / f"{name}.tar.gz" for name in names]


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
    loads = list(_loads(threads))
    if failures:
        raise failures[0]
    middle = sorted(loads)[len(loads) // 2]
    print(f"load of the machine: {min(loads):.1f} to {max(loads):.1f}, {middle:.1f} in the middle")


def _loads(threads: Sequence[threading.Thread]) -> Iterator[float]:
    """The load of the machine every ten seconds until *threads* have ended."""
    while True:
        yield os.getloadavg()[0]
        for thread in threads:
            thread.join(10.0 / len(threads))
        if not any(thread.is_alive() for thread in threads):
            return


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
