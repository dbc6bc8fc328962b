"""Yoo and Jette 2001: message-driven coscheduling on clusters of SMPs."""

from molokini.studies.study import Size, Study
from molokini.studies.yoo2001_smp.yoo_cases import cases, prepare_all, run
from molokini.studies.yoo2001_smp.yoo_claims import CLAIMS
from molokini.studies.yoo2001_smp.yoo_shown import pictures, tables

STUDY = Study(
    name="yoo2001-smp",
    title="Message-driven coscheduling on clusters of SMPs",
    paper="A. B. Yoo, M. A. Jette: An Efficient and Scalable Coscheduling Technique for Large Symmetric "
    "Multiprocessor Clusters, JSSPP 2001.",
    summary="Eight nodes of two CPUs are time-shared by programs of the NAS benchmarks. A daemon on each "
    "node schedules one job at a time there, for a guaranteed minimum (GMET); a message from where "
    "its sender's job is scheduled asks for the receiver's job, and a timer for the job with the least CPU "
    "time. No daemon speaks with another. Every process is simulated, to the nanosecond.",
    cases=cases,
    run=run,
    prepare=prepare_all,
    sources=["molokini.process_sim", "molokini.compiled", "molokini.studies.yoo2001_smp.yoo_cases"],
    claims=CLAIMS,
    pictures=pictures,
    tables=tables,
    length="all iterations of each program",
    in_short=[
        "What holds: with light traffic it is as fast as uncoordinated time sharing, the daemons send each "
        "other nothing, with a large GMET most requests are discarded, and the status byte helps.",
        "The gain with heavy traffic does not show: under none of four readings (receivers block or spin, "
        "timers begin apart or together) does the mean response of W2 fall.",
        "Timers that begin together matter: with them two programs on a CPU gain a sixth where receivers "
        "block, the gain falls with the level, and it is a loss at five, as the paper has it, but smaller.",
        "With heavy traffic the loss is least where receivers spin in place of blocking. What they did on "
        "the paper's machines is not told.",
    ],
    readings=[
        "Programs are stand-ins: iterations, numbers of messages and patterns are those of NPB 2, times "
        "between messages ours (docs/coscheduling.md). Seconds cannot be compared, nor curves: figures are "
        "missing in our copy. Times between messages differ by up to 10%.",
        "All jobs begin at 0. A job fills the CPUs of a node before it goes to the next one, nodes with the "
        "fewest processes first. Spread over all nodes, most jobs have one process on a node, "
        "and as one job is scheduled there, its other CPU is idle; the table of figure 2 has that, too.",
        "What a receiver does while it waits is not told: it blocks after a millisecond, or spins. Nor "
        "is told when timers of nodes begin: at instants of their own, drawn by seed, or together. Claims of "
        "figures 2 and 3 are judged under all four readings, the others by timers; they hold in shape where "
        "they hold under some.",
        "*Has run for GMET* is wall time since the job was scheduled. Shares are of intervals of a second; "
        "jobs that are not scheduled compute first in each. The paper says that shares are strict; the "
        "class scheduler could also let a job run on at the lowest priority, which is among the variations.",
        "Figure 4: the hundred jobs are the seven programs of class A in turn, of 8 or 9 processes, and two "
        "of lu.C.8 as numbers 11 and 42; a tenth of the iterations of each. Batch gives each process a CPU.",
        "Y23: machines of 8, 32 and 128 nodes have as many more copies of each job of the heavy workload, "
        "and make a quarter of the iterations; timers begin together.",
    ],
    full=Size("full", 5, 1.0),
    quick=Size("quick", 3, 0.25),
)
