"""A run: a cluster under load, fault rows in an order drawn from the seed, and the comparison at the end."""

import random
import shutil
import tempfile
import time
import traceback
from collections.abc import Callable, Sequence
from pathlib import Path

from tests.torture.fault_rows import ROWS
from tests.torture.report import Report
from tests.torture.rig import Rig, Skipped, judged

ROUND_ROWS = 12
"""A cluster is judged after so many rows, and the next ones begin with an empty state."""


async def torture(
    seed: int,
    seconds: float,
    scale: float = 1.0,
    rows: Sequence[str] = tuple(ROWS),
    tell: Callable[[str], None] = lambda text: None,
    rounds: int = 0,
) -> Report:
    """Try *rows* over and over, in an order by chance, for *seconds*; the report.

    With *rounds* every row is tried so often instead, if *seconds* last.
    """
    folder = Path(tempfile.mkdtemp(prefix="molokini-torture-"))
    report = Report(seed, folder)
    rng = random.Random(seed)
    began_s = time.monotonic()
    waiting: list[str] = []
    number = 0
    while time.monotonic() < began_s + seconds:
        number += 1
        count = len(rows) if rounds else ROUND_ROWS
        await _round(
            count, report, rng, folder / f"round-{number}", began_s + seconds, scale, rows, waiting, tell
        )
        if report.failures or not report.verdict.good or number == rounds:
            break
    report.elapsed_s = time.monotonic() - began_s
    if report.good:
        shutil.rmtree(folder)
    return report


async def _round(
    count: int,
    report: Report,
    rng: random.Random,
    folder: Path,
    end_s: float,
    scale: float,
    rows: Sequence[str],
    waiting: list[str],
    tell: Callable[[str], None],
) -> None:
    rig: Rig | None = None
    try:
        async with judged(folder, rng, scale) as rig:
            for _ in range(count):
                if time.monotonic() > end_s:
                    break
                if not waiting:
                    waiting += rng.sample(list(rows), len(rows))
                await _row(report, rig, waiting.pop(), tell)
                if report.failures:
                    break
    except Exception as error:
        report.failures.setdefault("rest", []).append(_told(error))
    if rig is not None:
        report.verdict.merge(rig.verdict)
        report.kills += rig.kills
        report.recoveries_s += rig.recoveries_s


async def _row(report: Report, rig: Rig, row: str, tell: Callable[[str], None]) -> None:
    began_s = time.monotonic()
    rig.figures = {}
    try:
        await ROWS[row](rig)
        await rig.cluster.answers()
        rig.load.check()
    except Skipped as why:
        report.skipped[row] = str(why)
        tell(f"{row} skipped: {why}")
        return
    except Exception as error:
        report.failures.setdefault(row, []).append(_told(error))
        tell(f"{row} FAILED: {error!r}")
        return
    report.rows[row] = report.rows.get(row, 0) + 1
    report.figures.setdefault(row, {}).update(rig.figures)
    tell(f"{row} {time.monotonic() - began_s:.1f} s, {rig.load.submitted} jobs so far")


def _told(error: BaseException) -> str:
    where = traceback.extract_tb(error.__traceback__)
    ours = next((one for one in reversed(where) if "/torture/" in one.filename), None)
    place = f" ({Path(ours.filename).name}:{ours.lineno})" if ours else ""
    return f"{type(error).__name__}: {error}{place}"
