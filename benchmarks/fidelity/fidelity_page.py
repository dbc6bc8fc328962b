"""The page of ``make fidelity``: docs/slurm-fidelity.md."""

from collections.abc import Iterator, Sequence

from benchmarks.fidelity.judging import (
    LEAST_WITHIN,
    Distance,
    Pooled,
    is_near,
    most_relative,
    starts_are_near,
)
from benchmarks.fidelity.replaying import DRAWS
from benchmarks.fidelity.stream import JOBS, SEED

_HEAD = (
    "| what | jobs | mean wait, s | mean wait of the other, s | difference | starts, s: 5% / median / 95% "
    "| within an interval | Kendall's tau |",
    "|---|---|---|---|---|---|---|---|",
)
_INTRODUCTION = f"""\
# How near the policy comes to Slurm

`make fidelity` sends {JOBS} small jobs (seed {SEED}; three partitions, two QOSes, three accounts with shares
and limits, arrays, whole nodes, a node that is drained for two minutes) through Debian's Slurm 22.05.8,
**twice**, each time on a new cluster of eight nodes of four processors on loopback (slurmctld, slurmdbd,
MariaDB, munge, eight slurmd, unpacked under `build/`; nothing is installed). `molokini collect` makes a pack
of each run, and the policy `slurm` replays it under the `slurm.conf` of the pack. Run by hand, it writes
this page in a quarter of an hour.

The first row is the limit of what a replay can reach: Slurm beside itself, with another phase of its timers.
A replay must be within the larger of 3% and 1.5 times that in its mean wait, and 90% of its starts within one
interval of backfill (10 s). Mean wait, share and tau of a replay are means of {DRAWS} replays that differ in
what no log tells (below); the least and the most of the mean waits stand in brackets.
"""
_RULES = """\
## By which rules

Nothing is chosen by hand: an administrator can do the same with a site's own pack.

1. **How ends are followed** is in `slurm.conf`. Nodes that run no Epilog (and no `PrologFlags=Contain`)
   answer slurmctld's request to clean up, and a main pass is queued, `batch_sched_delay` at least after
   the last one; nodes with an Epilog report when it is over, and a pass follows at once. These clusters have
   none: in slurmctld's log 280 of 300 ends had no pass of their own. The other 20 were reported, as a last
   process was still there.
2. **The phase of backfill** is in the log: `simulate` shows in which second of each interval recorded starts
   by backfill fall (`timers`), and `--set backfill_phase_s=` takes it.
3. **The phase of the calculation of priorities** is the one with which most priorities are those of the log
   (`equal_priorities` of the runs that `--seeds` makes). sacct keeps the priority of the submission.
4. **How long things take** is in slurmctld's log: it looks for queued passes every 1.013 s (`tick_s`), and
   nodes are free 0.058 s after a job's own run time (`completing_s`), both measured in the run `logged`. It
   matters, as a job that runs for whole seconds ends in the part of a second in which the controller looks.
5. **In which part of a second the controller looks** no record of whole seconds tells: `--seeds` draws it.
   One such replay and the next have mean waits 5% apart, and more.
"""
_BUSY_TEXT = """\
## A stream that is always late

The same jobs in 56% of the time (`busy-*`, 28 November). The queue hardly ended: Slurm itself had 46.3% of
its starts within an interval of its own other run, and 5.7% between its mean waits. Here the rules are
**too slow**:
"""
_BUSY_WHY = """\
The machine had a load of 15 to 25 for its two processors then. Jobs whose last process is slow to go are
reported later, and a pass follows at once; how many were, no log tells. With `end_pass=at_once` and
`completing_s=0` mean waits are a tenth too short: what was recorded lies between the two. Where the queue
never ends, half a second more or less after each end is a quarter of the mean wait.
"""


def summary(real: Distance, ours: Sequence[Distance], together: Pooled) -> Iterator[str]:
    """The table and what it comes to."""
    yield from _HEAD
    yield from (one.row for one in (real, *ours))
    yield ""
    waits = _word(all(is_near(one, real) for one in ours))
    starts = _word(all(starts_are_near(one) for one in ours))
    yield (
        f"Mean wait within {most_relative(real):.1%}: {waits}. {LEAST_WITHIN:.0%} of starts within an "
        f"interval: {starts}; Slurm beside itself has {real.within:.0%}."
    )
    least, mean, most = together.real_relative
    yield ""
    yield (
        f"All recorded runs of the stream together: mean wait {together.wait_s:.1f} s, ours "
        f"{together.other_wait_s:.1f} s ({together.relative:+.1%}). Of two real runs the mean waits differ "
        f"by {least:.1%} to {most:.1%}, {mean:.1%} in the mean, and {together.real_within:.1%} of starts are "
        f"within an interval; ours have {together.within:.1%}."
    )


def page_of(
    real: Distance,
    ours: Sequence[Distance],
    others: Sequence[Distance],
    together: Pooled,
    busy: Sequence[Distance],
) -> Iterator[str]:
    """Its lines."""
    yield from _INTRODUCTION.splitlines()
    yield ""
    yield from summary(real, ours, together)
    yield ""
    yield "Other recorded runs of the same stream (`benchmarks/fidelity/runs`, replayed by a test):"
    yield ""
    yield from _HEAD
    yield from (one.row for one in others)
    yield ""
    yield from _READING.splitlines()
    yield ""
    yield from _RULES.splitlines()
    yield ""
    yield from _BUSY_TEXT.splitlines()
    yield ""
    yield from _HEAD
    yield from (one.row for one in busy)
    yield ""
    yield from _BUSY_WHY.splitlines()


def _word(reached: bool) -> str:
    return "reached" if reached else "NOT reached"


_READING = """\
- Jobs last for seconds: one second decides which of two jobs goes first, and from there on two runs have
  different machines. A few jobs of 14 CPUs that wait for minutes, or do not, move a mean wait by a tenth. So
  one pair of runs says little of 3%; all runs together say more.
- `early-*` began before the users had factors of fair share: for 50 s they were 0 there and not in the
  replays. `make fidelity` waits for them now, and priorities of submissions are equal for 92 to 96% of jobs.
- `logged` is one run with `SlurmctldDebug=debug2`, from whose log the times below are; its usage at the begin
  was taken to 0 afterwards, as the collector does now.
- The pair and `logged` were run on 29 November, with loads of 0.3 to 9 for two processors, 3.6 in the middle;
  `early-*` with 15 to 25.
"""
