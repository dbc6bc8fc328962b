"""What the user of the policy chooses: each parameter once, with its name in a maui.cfg, range and meaning.

``--set`` takes them by their names here, kernels read ``parameters(view).backfill``, and the settings of a
configuration (``settings``) and the vector (``vector``) have them in this order. Behind the declared ones
stands where the tables of credentials and nodes begin, if the settings have any.
"""

from collections.abc import Container, Sequence
from dataclasses import replace
from enum import IntEnum
from typing import Any

from molokini.availability.node_rules import NodeRule
from molokini.model.credentials import CredentialType
from molokini.model.policy import Parameter
from molokini.policies.maui.configuration.words import (
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
    word,
)
from molokini.tables.workspace import Choice, Parameters, SomeFloats, parameter, several

_PAPER = "Jackson, Snell and Clement, JSSPP 2001"
_GUIDE = "Maui Administrator's Guide"
_MOST = 1e15

MOST_WINDOWS = 32
"""Fairshare windows that are kept (FSDEPTH)."""
WINDOWS = ("widest", "longest", "merged")
"""In which order windows are filled; merged: one walk over all of them, as in EASY."""


def _one(default: Any, meaning: str, **more: Any) -> Any:
    """One parameter; a *meaning* that begins with capitals begins with its name in a maui.cfg."""
    first = meaning.replace(";", ":").partition(":")[0]
    return parameter(default, meaning, alias=first if first.isupper() else "", **{"source": _GUIDE, **more})


def _choice(
    words: Sequence[str] | type[IntEnum], meaning: str, default: int = 0, source: str = _GUIDE
) -> Any:
    choices = tuple(word(one) for one in words) if isinstance(words, type) else tuple(words)
    return _one(choices[default], meaning, choices=choices, source=source)


def _switch(meaning: str) -> Any:
    return _choice(("off", "on"), meaning)


def _count(
    default: int, meaning: str, unit: str, low: int = 0, high: int = 10**9, source: str = _GUIDE
) -> Any:
    return _one(default, meaning, unit=unit, low=low, high=high, source=source)


def _number(default: float, meaning: str, unit: str = "", low: float = 0.0, high: float = _MOST) -> Any:
    return _one(default, meaning, unit=unit, low=low, high=high)


def _weights(of: type[Component | Factor], ones: Container[Component | Factor]) -> Any:
    """A weight for each; 1 for *ones*."""
    meaning = f"weight of {{}} ({of.__name__.lower()} of a priority)"
    return tuple(
        Parameter(
            f"{one.name.lower()}_weight",
            float(one in ones),
            meaning.format(word(one)),
            low=-_MOST,
            high=_MOST,
            source=_PAPER,
        )
        for one in of
    )


def _caps(of: type[Component | Factor]) -> Any:
    return tuple(
        replace(_number(0.0, f"cap of {word(one)}; 0: none"), name=f"{one.name.lower()}_cap") for one in of
    )


class MauiParameters(Parameters, separator="_"):
    """The parameters."""

    backfill: Choice = _choice(BackfillPolicy, "BACKFILLPOLICY: how holes are filled", source=_PAPER)
    backfill_metric: Choice = _choice(BackfillMetric, "BACKFILLMETRIC: which job fits best", source=_PAPER)
    backfill_order: Choice = _choice(BackfillOrder, "BFPRIORITYPOLICY: which jobs preempt backfills first")
    backfill_depth: int = _count(0, "BACKFILLDEPTH: candidates a window; 0: all", "jobs")
    max_schedules: int = _count(10_000, "BACKFILLMAXSCHEDULES: sets of jobs that greedy compares", "sets", 1)
    chunk_duration_s: float = _number(0.0, "BFCHUNKDURATION: how long freed processors are kept", "s")
    chunk_processors: int = _count(0, "BFCHUNKSIZE: the narrowest job that may use them", "processors")
    reservation: Choice = _choice(ReservationPolicy, "RESERVATIONPOLICY: which jobs keep a reservation")
    reservation_depth: int = _count(1, "RESERVATIONDEPTH: how many jobs have one", "jobs", source=_PAPER)
    threshold: Choice = _choice(Threshold, "RESERVATIONTHRESHOLDTYPE: what a job must exceed to get one")
    threshold_value: float = _number(0.0, "RESERVATIONTHRESHOLDVALUE: passes, seconds or a ratio")
    fairshare: Choice = _choice(Charge, "FSPOLICY: what is charged", source=_PAPER)
    fairshare_delta: Choice = _choice(("difference", "ratio"), "target - percent, or 1 - percent / target")
    fairshare_interval_s: float = _number(86_400.0, "FSINTERVAL: length of a window", "s", 1e-3)
    fairshare_depth: int = _count(7, "FSDEPTH: windows that count", "windows", 1, MOST_WINDOWS)
    fairshare_decay: float = _number(1.0, "FSDECAY: a window counts so much of the one after it", high=1.0)
    max_processors: int = _count(0, "SYSTEMMAXPROCPERJOB; 0: any", "processors")
    max_processor_seconds: float = _number(0.0, "SYSTEMMAXPROCSECONDPERJOB; 0: any", "processor s")
    max_wall_time_s: float = _number(0.0, "SYSTEMMAXJOBWALLTIME; 0: any", "s")
    defer_s: float = _number(3600.0, "DEFERTIME: how long a job that cannot run is deferred", "s")
    defer_count: int = _count(24, "DEFERCOUNT: after more deferrals a job is held", "times")
    min_wall_time_s: float = _number(
        0.0, "XFMINWCLIMIT: shorter limits count as this in expansion factors", "s"
    )
    accrual: Choice = _choice(
        Accrual, "JOBPRIOACCRUALPOLICY: which jobs gather queue time", int(Accrual.QUEUE_POLICY)
    )
    system_queue_time: Choice = _switch("USESYSTEMQUEUETIME: queue time from when nothing blocked the job")
    negative_priority: Choice = _switch("ENABLENEGJOBPRIORITY: priorities below 1")
    reject_negative: Choice = _switch("REJECTNEGPRIOJOBS: jobs of negative priority never start")
    max_starts: int = _count(0, "MAXJOBPERITERATION; 0: any number", "jobs")
    poll_s: float = _number(0.0, "RMPOLLINTERVAL: the longest time between iterations; 0: events alone", "s")
    windows: Choice = _choice(WINDOWS, "in which order backfill windows are filled", source=_PAPER)
    node_allocation: Choice = _choice(
        Allocation, "NODEALLOCATIONPOLICY: the order of nodes; local: --placement"
    )
    preempt: Choice = _choice(PreemptPolicy, "PREEMPTPOLICY: what happens to a preempted job")
    node_access: Choice = _choice(NodeRule, "NODEACCESSPOLICY: which jobs may be on a node together")
    account_of: Choice = _choice(
        AccountOf, "which credential's name is the account of a job that has none, and no ADEF"
    )
    """Kernels do not read it: the server at a submission, or the preparation of a replay, gives accounts."""
    next_iteration_s: float = _number(
        0.0,
        "RMPOLLINTERVAL: the next iteration after one that max_starts cut short; 0: the next whole second",
        "s",
    )
    component_weight: SomeFloats = _weights(Component, set(Component) - {Component.BYPASS})
    component_cap: SomeFloats = _caps(Component)
    factor_weight: SomeFloats = _weights(Factor, {Factor.QUEUE_TIME})
    factor_cap: SomeFloats = _caps(Factor)

    # What follows is no parameter: where tables begin, how many rows they have, and what all nodes share.
    buckets: int
    bucket_count: int
    system: int
    """One row."""
    pairs: int
    pair_count: int
    nodes: int
    node_count: int
    node_rules: int
    """Bits of ``Tables.node_rules`` that the lines ask for."""
    sets: int
    """One number a set."""
    set_count: int
    """0: every value that a node has is a set."""
    set_policy: int
    set_attribute: int
    set_insisted: int
    set_tolerance: float
    set_order: int
    feature_count: int
    partitions_awaited: int
    """Bits of the partitions in which lines put nodes that have not registered yet."""
    credentials: SomeFloats = several(2 * len(CredentialType))
    """For each type, where its rows begin and how many; DEFAULT's first, the others by number."""


parameters = MauiParameters.of
PARAMETERS = MauiParameters.declared()
HEADER = len(PARAMETERS)
"""Length of the parameters in the vector; a vector that is no longer has no tables."""
DIRECTORY = MauiParameters.members["credentials"].place + 2 * len(CredentialType) - HEADER
"""Length of what follows."""
