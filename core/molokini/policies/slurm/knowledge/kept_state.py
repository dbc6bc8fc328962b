"""What the policy keeps for itself: of a job, and of everything else."""

from molokini.compiled.structs import RecordFloats, RecordInts
from molokini.tables.workspace import Workspace

REFUSED = 3
"""``listed`` of a job that the policy has refused: it is in no pass, and leaves the queue."""


class Memory(Workspace):
    """All of it is kept from pass to pass; times are seconds of the scheduling clock."""

    listed: RecordInts
    """1 while the job is among ``attempts``, 2 once it was seen that its partition could ever hold it."""
    tested: RecordInts
    """CPUs that the last test of a placement found; 0: there was none."""
    reason: RecordInts
    """Why the job waits, a ``Reason``."""
    place: RecordInts
    """The partition in which it runs, plus 1; 0: in none that this policy chose."""
    accrue_s: RecordFloats
    """Since when its age counts; NEVER: it does not yet, as a limit says."""
    expected_s: RecordFloats
    """The start that the last backfill pass planned; 0: none. While it runs: since when it does again after
    a suspension; 0: it was not suspended.
    """
    begin_s: RecordFloats
    """A job that was preempted does not start before; 0: it was not. While it runs: when its grace ends."""
    submitted_s: RecordFloats
    """When a job was preempted, which is its submission from then on."""

    begun: int
    """1: phases of timers are known."""
    sized: int
    """Where the rows of the parameters end for which usage is counted."""
    running: int
    """Jobs that ran after the last pass."""
    waiting: int
    """Jobs that waited after the last pass."""
    processors: int
    """Processors in service then."""
    changed: int
    """1: something has changed since the last backfill pass began."""
    queued: int
    """1: a submission waits for a pass."""
    ended: int
    """1: an end waits for a pass, as its nodes complete."""
    resolved: int
    """Credentials that are looked up."""
    nodes_known: int
    """Nodes that are looked up."""
    in_cores: int
    """1: there are nodes that give out several CPUs together."""
    in_order: int
    """1: nodes stand in the order of their numbers."""
    started: int
    """Starts of this pass."""
    alone: int
    """1: a job has asked for nodes for itself."""
    whole: int
    """1: backfill looks at all jobs in each pass, as the sizes that it finds change priorities."""
    left_out: int
    """1: the last backfill pass left out jobs that could not start, so that they have no plan."""
    idle: int
    """Processors that were idle after the last pass."""
    suspended: int
    """Jobs that were suspended then."""
    main_starts: int
    """Jobs that main passes have started."""
    backfill_starts: int
    """Jobs that backfill passes have started."""
    tests: int
    """Placements that backfill passes have tested."""
    passes: int
    """Backfill passes."""
    skipped: int
    """Those of them that could change nothing, and were not made."""
    gone: int
    """Jobs that have been requeued or cancelled for others in this pass."""
    awake: int
    """1: the last pass has asked for one at the instant of each timer; a server makes it a little late."""
    stopped: int
    """Jobs that have been suspended for others in this pass."""
    resumed: int
    """Suspended jobs that go on by this pass."""
    suspends: int
    """1: the configuration may have jobs suspended for others."""
    refused: int
    """Jobs that have been refused in this pass."""
    requeues: int
    """1: the pass before has requeued jobs."""
    like: int
    """The component of the job that was tested last, plus 1, where the next test may use what it found."""
    taken: int
    """So many of ``releases`` are taken off in the test of a job."""
    least: int
    """Of the job that is tested: the fewest nodes, ..."""
    most: int
    """... the most, ..."""
    tasks: int
    """... its tasks, ..."""
    lone: int
    """... 1 where it is alone on its nodes, ..."""
    simple: int
    """... and 1 where nothing but processors decides how many of its tasks a node takes."""
    counted_entries: int
    """Entries of this backfill pass of which users and partitions have a certain number."""
    fits_known: int
    """1 while a place in the future is chosen: ``node_plans.fits`` holds."""
    busy_first: int
    """1 while a place in the future is chosen that prefers nodes in use."""
    ordered: int
    """1: attempts are in order."""

    need: float
    """Of the job that is tested: processors of a task."""
    epoch_s: float
    """The first instant."""
    queued_s: float
    """When the submission that waits for a pass was made."""
    ended_s: float
    """When nodes of ended jobs are clean."""
    again_s: float
    """When nodes of jobs are clean that ended while others completed; 0: there are none."""
    noted_s: float
    """When it was looked last for what had happened."""
    event_s: float
    """When something happened last that was no timer."""
    last_full_s: float
    """The last full pass, or any where there are no full ones."""
    gone_s: float
    """When jobs were preempted last."""
    last_main_s: float
    """The last queued or full pass."""
    next_full_s: float
    last_backfill_s: float
    changed_s: float
    """When something changed first since the last backfill pass."""
    next_priority_s: float
    last_priority_s: float
    """The last calculation of usage and priorities."""
    counted_s: float
    """Up to when usage is added up."""


mine = Memory.of
