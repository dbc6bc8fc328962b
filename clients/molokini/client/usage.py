"""What runs have used, how well that fits what they asked for, and which request would have been enough.

Of numbers alone, so that each case can be computed by hand. A job is one run, an array one for each element.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

MARGIN = 0.2
"""By so much more memory and time is suggested than was used."""
MORE = 2.0
"""So many times what was asked for is suggested where a run ran out of it: what it needs is not known."""
_STEP_S, _STEP_KB = 60, 1024
_IDLE = 0.05
"""So much of a processor beyond a whole number of them does not ask for another one."""


@dataclass(frozen=True, kw_only=True)
class RunUsage:
    """A run that has ended: what it asked for and what it used."""

    processors: int = 0
    plain: bool = True
    """Whether it asked for processors alone; a form of nodes or components is the user's to change."""
    elapsed_s: float = 0.0
    estimate_s: float = 0.0
    memory_asked_kb: int = 0
    """For all processors; 0: it asked for none."""
    cpu_s: float = 0.0
    """0: not known, nor what it read and wrote."""
    memory_used_kb: int = 0
    """0: not known."""
    read_kb: int = 0
    written_kb: int = 0
    well: bool = False
    """Whether it completed."""
    ran_out_of: str = ""
    """"time" or "memory", where that ended it."""

    @property
    def known(self) -> bool:
        """Whether anything is known of what it used."""
        return self.cpu_s > 0.0 or self.memory_used_kb > 0


@dataclass(frozen=True, kw_only=True)
class Usage:
    """What some runs have used together; None: not known of any."""

    runs: int
    """Those of which something is known."""
    elapsed_s: float | None = None
    """Of the longest."""
    cpu_s: float | None = None
    """Of all."""
    memory_used_kb: int | None = None
    """Of the one that used most."""
    read_kb: int | None = None
    written_kb: int | None = None
    """Of all."""
    cpu_efficiency: float | None = None
    """Processor time of all, by the time for which all had their processors."""
    memory_efficiency: float | None = None
    """The largest share of what a run asked for that it used."""
    time_efficiency: float | None = None
    """The largest share of its estimate that a run took."""


def usage_of(runs: Sequence[RunUsage]) -> Usage:
    """What *runs*, all of which have ended, have used."""
    counted = [run for run in runs if run.cpu_s > 0.0]
    had_s = sum(run.elapsed_s * run.processors for run in counted)
    cpu_s = sum(run.cpu_s for run in counted)
    return Usage(
        runs=sum(run.known for run in runs),
        elapsed_s=max((run.elapsed_s for run in runs), default=None),
        cpu_s=cpu_s if counted else None,
        memory_used_kb=max((run.memory_used_kb for run in runs if run.memory_used_kb), default=None),
        read_kb=sum(run.read_kb for run in counted) if counted else None,
        written_kb=sum(run.written_kb for run in counted) if counted else None,
        cpu_efficiency=cpu_s / had_s if had_s > 0.0 else None,
        memory_efficiency=_largest((run.memory_used_kb, run.memory_asked_kb) for run in runs),
        time_efficiency=_largest((run.elapsed_s, run.estimate_s) for run in runs),
    )


def _largest(parts: Iterable[tuple[float, float]]) -> float | None:
    """The largest share; None where nothing was asked for, or nothing is known."""
    return max((used / asked for used, asked in parts if used > 0 and asked > 0), default=None)


@dataclass(frozen=True)
class Request:
    """What to ask for next time; None: nothing is known of that."""

    processors: int | None = None
    memory_kb: int | None = None
    """A processor, as jobs ask for it."""
    estimate_s: float | None = None
    ran_out_of: tuple[str, ...] = ()
    """What runs ran out of, so that more than was asked for is suggested."""


def suggested(runs: Iterable[RunUsage]) -> Request | None:
    """A request that would have been enough for each of *runs*; None where they do not tell.

    Runs that completed tell what is enough. One that ran out of time or memory tells that more is needed; of
    one that failed for another reason, or was cancelled, it is not known how far it had come.
    """
    told = [run for run in runs if run.well or run.ran_out_of]
    well = [run for run in told if run.well]
    short_of_time = [run for run in told if run.ran_out_of == "time"]
    short_of_memory = [run for run in told if run.ran_out_of == "memory"]
    # Fewer processors would make a run that is too long already longer still.
    processors = None if short_of_time else _most(map(_processors, well))
    had_kb = [run.memory_asked_kb or run.memory_used_kb for run in short_of_memory]
    memory_kb = _most([*map(_memory_kb, well), *(MORE * size_kb for size_kb in had_kb)])
    estimate_s = _most([*map(_estimate_s, well), *(MORE * run.estimate_s for run in short_of_time)])
    if processors is None and memory_kb is None and estimate_s is None:
        return None
    ran_out_of = [word for word, some in (("time", short_of_time), ("memory", short_of_memory)) if some]
    over = processors or max(run.processors for run in told) or 1
    return Request(
        None if processors is None else int(processors),
        None if memory_kb is None else _each_kb(memory_kb, int(over), bool(short_of_memory), told),
        estimate_s,
        tuple(ran_out_of),
    )


def _most(values: Iterable[float]) -> float | None:
    """The largest; None where there is none, or none is known."""
    return max((value for value in values if value > 0), default=None)


def _processors(run: RunUsage) -> int:
    """As many as it kept busy, rounded up; 0: not known."""
    if not run.plain or run.cpu_s <= 0.0 or run.elapsed_s <= 0.0:
        return 0
    return min(max(1, math.ceil(run.cpu_s / run.elapsed_s - _IDLE)), run.processors)


def _memory_kb(run: RunUsage) -> float:
    """For all processors; 0: not known."""
    wanted = run.memory_used_kb * (1.0 + MARGIN)
    return min(wanted, run.memory_asked_kb) if run.memory_asked_kb else wanted


def _estimate_s(run: RunUsage) -> float:
    # Less a rounding error, which must not cost a minute.
    wanted = math.ceil(run.elapsed_s * (1.0 + MARGIN) / _STEP_S - 1e-9) * float(_STEP_S)
    return min(wanted, run.estimate_s) if run.estimate_s else wanted


def _each_kb(memory_kb: float, processors: int, more: bool, told: Sequence[RunUsage]) -> int:
    """*memory_kb* for so many *processors*, as memory of each, rounded up within what was asked for."""
    each = math.ceil(memory_kb / processors / _STEP_KB - 1e-9) * _STEP_KB
    asked_kb = 0 if more else max(run.memory_asked_kb for run in told)
    return min(each, asked_kb // processors) if asked_kb else each
