"""``make beside-slurm``: the list of command lines through a real Slurm and ours, and what differs.

It unpacks Debian's Slurm 22.05 with slurmdbd, MariaDB and munge under build/, runs both clusters on loopback
and writes the page of the differences. It takes ten minutes; nothing is installed.
"""

import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from benchmarks.beside.design import DIFFERENCES, explained
from benchmarks.beside.ours import Ours
from benchmarks.beside.packages import NotToBeHad, unpacked
from benchmarks.beside.programs import DoesNotStart
from benchmarks.beside.real import RealSlurm
from benchmarks.beside.sides import Compared, Side, compared, lines

_LIST = Path(__file__).with_name("lines.txt")
_LONGEST = 160
_INTRODUCTION = """\
`make beside-slurm` sends [a list of command lines](../benchmarks/beside/lines.txt) through Debian's Slurm
22.05.8 (with slurmdbd, MariaDB and munge, unpacked under `build/`; nothing is installed) and through ours,
both with four nodes of 16 processors on loopback. Times, ids and folders are masked; standard output,
standard error and exit code must be the same. It is run by hand, takes ten minutes, and writes this page."""


def main(page: str, build: str = "build/beside-slurm") -> int:
    """Compare, print what differs, and write the *page*; 1 where less than nine tenths are explained."""
    folder = Path(build).absolute()
    folder.mkdir(parents=True, exist_ok=True)
    try:
        found = list(_compared(folder))
    except (NotToBeHad, DoesNotStart) as error:
        print(f"beside-slurm: {error}", file=sys.stderr)
        return 2
    reasons = {one.line.command: explained(one) for one in found if not one.alike}
    left = [one for one in found if not one.alike and not reasons[one.line.command]]
    for one in left:
        print("\n".join(_difference(one)))
    text = "\n".join(_page(found, reasons, left)) + "\n"
    Path(page).write_text(text, encoding="utf-8")
    print(_summary(found, left))
    return 0 if len(left) * 10 <= len(found) else 1


def _compared(folder: Path) -> Iterator[Compared]:
    packages = unpacked(folder)
    listed = list(lines(_LIST.read_text(encoding="utf-8")))
    with tempfile.TemporaryDirectory(prefix="beside-slurm-") as name:
        place = Path(name)
        for one in ("real", "ours"):
            (place / one).mkdir()
        with RealSlurm(packages, place / "real") as real, Ours(place / "ours") as ours:
            # The names of their folders are alike in length, since columns cut them.
            sides = Side(real.environment, place / "work-1"), Side(ours.environment, place / "work-2")
            yield from compared(listed, *sides)


def _summary(found: Sequence[Compared], left: Sequence[Compared]) -> str:
    alike = sum(one.alike for one in found)
    designed = len(found) - alike - len(left)
    good = 100 * (alike + designed) / len(found)
    return (
        f"{len(found)} command lines: {alike} alike to the letter, {designed} differ by design alone "
        f"({good:.1f}% together), {len(left)} differ in more"
    )


def _difference(one: Compared) -> Iterator[str]:
    yield f"$ {one.line.command}"
    if one.real.code != one.ours.code:
        yield f"  exit code: {one.real.code}, ours {one.ours.code}"
    for real, ours in ((one.real.out, one.ours.out), (one.real.err, one.ours.err)):
        theirs, own = real.splitlines(), ours.splitlines()
        yield from (f"  Slurm: {line[:_LONGEST]}" for line in theirs if line not in own)
        yield from (f"  ours:  {line[:_LONGEST]}" for line in own if line not in theirs)


def _page(
    found: Sequence[Compared], reasons: dict[str, list[str]], left: Sequence[Compared]
) -> Iterator[str]:
    yield "# Beside a real Slurm"
    yield ""
    yield from _INTRODUCTION.splitlines()
    yield ""
    yield f"Last result: {_summary(found, left)}."
    yield ""
    yield "## What differs by design"
    yield ""
    yield "Each row takes its difference out of both answers; a line counts as explained where nothing else"
    yield "is left."
    yield ""
    yield "| difference | lines | why |"
    yield "|---|---|---|"
    counts = Counter(name for names in reasons.values() for name in names)
    yield from (f"| {rule.name} | {counts[rule.name]} | {rule.why} |" for rule in DIFFERENCES)
    yield ""
    yield "## What else differs"
    yield ""
    if not left:
        yield "Nothing on this list."
        return
    yield "```text"
    for one in left:
        yield from _difference(one)
    yield "```"


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
