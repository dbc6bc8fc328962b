"""What the policy keeps for itself: of a job, and of everything else."""

from molokini.compiled.structs import RecordFloats, RecordInts
from molokini.policies.maui.configuration.settings import MOST_BUCKETS
from molokini.policies.maui.knowledge.steps import Step
from molokini.tables.sizes import MOST_HELD
from molokini.tables.workspace import SomeInts, Workspace, several

DECIDED, INELIGIBLE, HARD, SOFT = -1, 0, 1, 2
"""Levels of a job; decided: this pass starts the job, or refuses it."""


class Memory(Workspace):
    """Most of it is of one iteration; what is not says so."""

    listed: RecordInts
    """1 while the job is in ``cycle.ranked``, 2 once it was seen that it can ever run (kept)."""
    level: RecordInts
    """Whether the job may start in this iteration: ``INELIGIBLE``, ``HARD`` or ``SOFT``."""
    backfilled: RecordInts
    """1: started by backfill (kept while it runs)."""
    blocked: RecordInts
    """What stops the job's queue time, one of ``accrual``'s causes; 0: nothing."""
    reserved_s: RecordFloats
    """Start of its reservation as planned; NEVER: it has none."""
    present_set: RecordFloats
    best_set: RecordFloats
    """Greedy's sets, as places of candidates."""

    count: int
    """Jobs in ``cycle.ranked`` (kept)."""
    started: int
    """Starts of this iteration."""
    begun: int
    """1: this is the first iteration since the policy began."""
    busy: int
    """1: jobs ran after the last iteration."""
    busy_s: float
    """The last instant up to which a job ran."""
    trace: SomeInts = several(len(Step))
    """What each step of the iteration did."""

    # Credentials and limits (kept).
    resolved: int
    """Credentials whose scopes are known."""
    scope_count: int
    limits: int
    """Which kinds of limits and flags there are, by the bits of ``scopes``."""
    targets: int
    """1: a credential has a fairshare target."""
    divided: int
    """Credentials for which it is known in which partitions they may be."""
    ruled: int
    """Credentials for which it is known which nodes take their jobs."""
    kept_out: int
    """1: in this iteration MINPROC or an idle limit has kept a job out, which a later start may let in."""
    promised: int
    """1: this iteration has made reservations that jobs keep; idle limits do not count such jobs."""

    # Fairshare.
    total_usage: float
    """Effective usage of all credentials."""
    history_window: float
    """The window, plus one, for which past usage was added up; 0: none."""

    # Reservations and backfill.
    bucket_taken: SomeInts = several(MOST_BUCKETS)
    """The reservations of this iteration in each bucket."""
    next_start_s: float
    """The first reservation of this iteration that is still to come."""
    chunk_until_s: float
    """Until when freed processors are kept for wide jobs."""
    chunk_blocked: int
    """1: a wide job was blocked in this iteration, so processors are kept, or were."""

    # Where nodes decide.
    head: int
    """The first job with a reservation, plus one; 0: none."""
    shadow_s: float
    """The shadow time of the job that others must spare."""
    holding: int
    """1: reservations of this iteration hold nodes."""
    slots: SomeInts = several(MOST_HELD)
    """The row of the job whose reservation has the slot, plus one; 0: the slot is free."""
    nodes_found: int
    """So many nodes are looked up in the settings."""
    nodes_sorted: int
    """``cycle.start_epoch`` for which nodes are in order; -1: they are in none."""
    nodes_new: int
    """1: nodes were looked up in this pass."""
    nodes_needed: int
    """1: reservations need particular nodes."""
    widest: int
    """The widest plain job of which it is known that the nodes, all empty, take it under the rules."""
    counted_beside: int
    """1: ``partitions.beside`` holds."""
    spares_of: int
    """``nodes.scratch`` is what so many reservations leave; 0: it is not."""
    trials: int
    """Goes up whenever there may be room beside reservations where there was none."""


mine = Memory.of
