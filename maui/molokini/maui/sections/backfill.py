"""Backfill."""

from typing import Annotated

from molokini.maui.fields import Count, Seconds, Section, parameter
from molokini.maui.kinds import Choice
from molokini.policies.maui.configuration.words import BackfillMetric, BackfillOrder, BackfillPolicy

_POLICY = Choice(BackfillPolicy, {"OFF": "NONE", "ON": "FIRSTFIT"})


class Backfill(Section):
    """Which jobs may pass those before them, and in which order they are tried."""

    policy: Annotated[BackfillPolicy, _POLICY] = parameter(
        "BACKFILLPOLICY",
        BackfillPolicy.FIRSTFIT,
        "The algorithm that fills holes with jobs from behind in the queue.",
    )
    metric: Annotated[BackfillMetric, Choice(BackfillMetric)] = parameter(
        "BACKFILLMETRIC",
        BackfillMetric.PROCESSORS,
        "What BESTFIT and GREEDY take for the best fit: the most of this.",
        aliases=("SCHEDULINGCRITERIA", "BACKFILLCRITERIA"),
    )
    depth: Count = parameter("BACKFILLDEPTH", 0, "The most jobs considered for a backfill window; 0 is all.")
    most_schedules: Count = parameter(
        "BACKFILLMAXSCHEDULES",
        10_000,
        "The most sets of jobs that GREEDY compares before it takes the best so far.",
    )
    chunk_duration_s: Seconds = parameter(
        "BFCHUNKDURATION",
        0,
        "How long freed processors are kept for large jobs under FIRSTFIT; 0 is not at all.",
    )
    chunk_size: Count = parameter(
        "BFCHUNKSIZE", 0, "The fewest processors of a job that may use what is kept; 0 keeps nothing."
    )
    order: Annotated[BackfillOrder, Choice(BackfillOrder)] = parameter(
        "BFPRIORITYPOLICY", BackfillOrder.RANDOM, "The order in which PREEMPT backfills jobs."
    )
