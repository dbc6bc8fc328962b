"""What the policy keeps: columns of a job's line of memory, and words of its global line."""

LISTED = 0
"""1 while the job is in ``ranked`` (integers of a job's line), 2 once it was seen that it can ever run."""
LEVEL = 1
"""Whether the job may start in this pass: ``INELIGIBLE``, ``HARD`` or ``SOFT``."""
BACKFILLED = 2
"""1: started by backfill in this pass."""
BLOCKED = 3
"""What stops the job's queue time in this pass, one of ``accrual``'s causes; 0: nothing."""
RESERVED_S = 0
"""Start of its reservation as planned in this pass; NEVER: it has none (floats of a job's line)."""

DECIDED, INELIGIBLE, HARD, SOFT = -1, 0, 1, 2
"""Decided: this pass starts the job, or refuses it."""

COUNT = 0
"""Jobs in ``ranked`` (integers of the global line)."""
RESOLVED = 2
"""Credentials whose scopes are known."""
SCOPE_COUNT = 3
LIMITS = 4
"""1: there are active limits, 2: there are idle limits."""
TARGETS = 5
"""1: somebody has a fairshare target."""
STARTED = 6
"""Starts of this pass."""
STARTED_NOW = 7
"""Decisions up to here were looked at by the count of bypasses."""
BUCKET_TAKEN = 8
"""Then, for each bucket, its reservations of this pass."""
REPLACED = 20
"""Reservations of the last pass that still stand in the tables."""

TOTAL_USAGE = 0
"""Effective usage of everybody (floats of the global line)."""
CHUNK_UNTIL_S = 1
"""Until when freed processors are kept for wide jobs."""
HISTORY_WINDOW = 2
"""The window, plus one, for which past usage was added up; 0: none."""
NEXT_START_S = 3
"""The first reservation of this pass that is still to come."""
BUSY_S = 5
"""The last instant up to which a job ran."""
SHADOW_S = 4
"""Where nodes decide: the shadow time of the job that others must spare."""
HEAD = 21
"""Where nodes decide: the first job with a reservation, plus one; 0: none."""
TRACE = 32
"""Then what each step of the iteration did, by ``Step``."""
CHUNK_BLOCKED = 22
"""1: a wide job was blocked in this pass, so processors are kept, or were."""
PRESENT_SET, BEST_SET = 1, 2
"""Greedy's sets, as places of candidates (floats of a job's line)."""
BEGUN = 23
"""1: this is the first iteration since the policy began."""
BUSY = 24
"""1: jobs ran after the last iteration."""
NODES_FOUND = 25
"""So many nodes are looked up in the settings."""
NODES_SORTED = 26
"""``start_epoch`` for which nodes are in order; -1: they are in none."""
NODES_NEW = 28
"""1: nodes were looked up in this pass."""
WIDEST = 29
"""The widest plain job of which it is known that the nodes, all empty, take it under the rules."""
DIVIDED = 30
"""Credentials of which it is known in which partitions they may be."""
COUNTED_BESIDE = 58
"""1: ``partition_beside`` holds."""
SPARES_OF = 59
"""``node_scratch`` is what so many of them leave; 0: it is not."""
TRIALS = 60
"""Goes up whenever there may be room beside reservations where there was none."""
HOLDING = 45
"""1: reservations of this pass hold nodes."""
SLOT = 46
"""Then, for each slot, the row, plus one, whose reservation it is; 0: nobody's."""
RULED = 61
"""Credentials of which it is known which nodes take their jobs."""
NODES_NEEDED = 27
"""1: reservations need particular nodes."""
