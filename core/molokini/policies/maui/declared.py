"""The parameters that need no file: each scalar setting, by a name that ``--set`` takes."""

from collections.abc import Sequence
from enum import IntEnum

from molokini.model.policy import Kind, Parameter
from molokini.policies.maui.settings import COMPONENT_WEIGHTS, FACTOR_WEIGHTS, MOST_WINDOWS, Weight
from molokini.policies.maui.words import (
    AccountOf,
    Accrual,
    Allocation,
    BackfillMetric,
    BackfillOrder,
    BackfillPolicy,
    Charge,
    Component,
    Factor,
    PreemptPolicy,
    ReservationPolicy,
    Threshold,
)
from molokini.room.node_rules import NodeRule

PAPER = "Jackson, Snell and Clement, JSSPP 2001"
GUIDE = "Maui Administrator's Guide"
MOST = 1e15

WINDOWS = ("widest", "longest", "merged")
"""In which order windows are filled; merged: one walk over all of them, as in EASY."""


def _choice(
    name: str, choices: Sequence[str] | type[IntEnum], meaning: str, default: int = 0, source: str = GUIDE
) -> Parameter:
    names = tuple(_word(one.name) for one in choices) if isinstance(choices, type) else tuple(choices)
    return Parameter(name, names[default], meaning, Kind.CHOICE, choices=names, source=source)


def _count(
    name: str, default: int, meaning: str, unit: str = "", low: int = 0, high: int = 10**9
) -> Parameter:
    return Parameter(name, default, meaning, Kind.INTEGER, unit, low, high, source=GUIDE)


def _number(name: str, default: float, meaning: str, unit: str = "", high: float = MOST) -> Parameter:
    return Parameter(name, default, meaning, unit=unit, low=0.0, high=high, source=GUIDE)


def _switch(name: str, meaning: str, default: int = 0) -> Parameter:
    return _choice(name, ("off", "on"), meaning, default)


def _word(name: str) -> str:
    return name.lower().replace("_", "-")


_POLICIES = (
    _choice("backfill", BackfillPolicy, "BACKFILLPOLICY: how holes are filled", source=PAPER),
    _choice("backfill_metric", BackfillMetric, "BACKFILLMETRIC: which job fits best", source=PAPER),
    _choice("backfill_order", BackfillOrder, "BFPRIORITYPOLICY: which jobs preempt backfills first"),
    _count("backfill_depth", 0, "BACKFILLDEPTH: candidates a window; 0: all", "jobs"),
    _count("max_schedules", 10_000, "BACKFILLMAXSCHEDULES: sets that greedy weighs", "sets", 1),
    _number("chunk_duration_s", 0.0, "BFCHUNKDURATION: how long freed processors are kept", "s"),
    _count("chunk_processors", 0, "BFCHUNKSIZE: the narrowest job that may have them", "processors"),
    _choice("reservation", ReservationPolicy, "RESERVATIONPOLICY: which jobs keep a reservation"),
    Parameter(
        "reservation_depth",
        1,
        "RESERVATIONDEPTH: how many jobs have one",
        Kind.INTEGER,
        "jobs",
        0,
        10**9,
        source=PAPER,
    ),
    _choice("threshold", Threshold, "RESERVATIONTHRESHOLDTYPE: what a job must exceed to get one"),
    _number("threshold_value", 0.0, "RESERVATIONTHRESHOLDVALUE: passes, seconds or a ratio"),
    _choice("fairshare", Charge, "FSPOLICY: what is charged", source=PAPER),
    _choice("fairshare_delta", ("difference", "ratio"), "target - percent, or 1 - percent / target"),
    Parameter(
        "fairshare_interval_s",
        86_400.0,
        "FSINTERVAL: length of a window",
        unit="s",
        low=1e-3,
        high=MOST,
        source=GUIDE,
    ),
    _count("fairshare_depth", 7, "FSDEPTH: windows that count", "windows", 1, MOST_WINDOWS),
    _number("fairshare_decay", 1.0, "FSDECAY: a window counts so much of the one after it", high=1.0),
    _count("max_processors", 0, "SYSTEMMAXPROCPERJOB; 0: any", "processors"),
    _number("max_processor_seconds", 0.0, "SYSTEMMAXPROCSECONDPERJOB; 0: any", "processor s"),
    _number("max_wall_time_s", 0.0, "SYSTEMMAXJOBWALLTIME; 0: any", "s"),
    _number("defer_s", 3600.0, "DEFERTIME: how long a job that cannot run is put off", "s"),
    _count("defer_count", 24, "DEFERCOUNT: more deferrals are a hold", "times"),
    _number("min_wall_time_s", 0.0, "XFMINWCLIMIT: shorter limits count as this in expansion factors", "s"),
    _choice(
        "accrual", Accrual, "JOBPRIOACCRUALPOLICY: which jobs gather queue time", int(Accrual.QUEUE_POLICY)
    ),
    _switch("system_queue_time", "USESYSTEMQUEUETIME: queue time from when nothing blocked the job"),
    _switch("negative_priority", "ENABLENEGJOBPRIORITY: priorities below 1"),
    _switch("reject_negative", "REJECTNEGPRIOJOBS: jobs of negative priority never start"),
    _count("max_starts", 0, "MAXJOBPERITERATION; 0: any number", "jobs"),
    _number("poll_s", 0.0, "RMPOLLINTERVAL: an iteration at least so often; 0: when something happens", "s"),
    _choice("windows", WINDOWS, "in which order backfill windows are filled", source=PAPER),
    _choice("node_allocation", Allocation, "NODEALLOCATIONPOLICY: the order of nodes; local: --placement"),
    _choice("preempt", PreemptPolicy, "PREEMPTPOLICY: what becomes of a job that gives way"),
    _choice("node_access", NodeRule, "NODEACCESSPOLICY: which jobs may be on a node together"),
    _choice(
        "account_of", AccountOf, "which credential's name is the account of a job that has none, and no ADEF"
    ),
    _number(
        "next_iteration_s",
        0.0,
        "RMPOLLINTERVAL: the next iteration after one that max_starts cut short; 0: the next whole second",
        "s",
    ),
)


def _weights(defaults: Sequence[tuple[Component | Factor, Weight]]) -> tuple[Parameter, ...]:
    """The weights, then the caps, of components or factors."""
    weights = [
        Parameter(
            f"{which.name.lower()}_weight",
            weight.weight,
            f"weight of {_word(which.name)} ({type(which).__name__.lower()} of a priority)",
            low=-MOST,
            high=MOST,
            source=PAPER,
        )
        for which, weight in defaults
    ]
    caps = [
        _number(f"{which.name.lower()}_cap", weight.cap, f"cap of {_word(which.name)}; 0: none")
        for which, weight in defaults
    ]
    return (*weights, *caps)


PARAMETERS = (
    *_POLICIES,
    *_weights(list(COMPONENT_WEIGHTS.items())),
    *_weights(list(FACTOR_WEIGHTS.items())),
)
